/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the settings of a process that excluded some of its MPI calls or memory accesses. */
#include <string.h>

#include "archive/reader.h"

/* Settings that can exclude something, with the values that exclude nothing. */
static const struct {
	const char *variable, *name, *harmless;
	int of_mpi;		/* 0: of memory accesses */
} settings[] = {
	{ "BOBBIN_MPI_FUNCTIONS=", "mpi-functions=", "", 1 },
	{ "BOBBIN_MPI_VECTORS=", "mpi-vectors=", "", 1 },
	{ "BOBBIN_MPI_LEVEL=", "mpi-level=", "flat|rank|all", 1 },
	{ "BOBBIN_MEM_ONLY=", "mem-only=", "", 0 },
};

static int is_one_of(const char *word, const char *words)
{
	const size_t n = strlen(word);

	for (const char *w = words; *w; w += strcspn(w, "|") + (w[strcspn(w, "|")] == '|'))
		if (strcspn(w, "|") == n && !strncmp(w, word, n))
			return 1;
	return 0;
}

/* Index of the setting, and its *value; -1: it excludes nothing. */
static int find(const char *config, const char **value)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const size_t n = strlen(settings[i].variable);

		*value = config + n;
		if (!strncmp(config, settings[i].variable, n))
			return is_one_of(*value, settings[i].harmless) ? -1 : (int)i;
	}
	return -1;
}

static int records(const struct bob_process *p, const char *what)
{
	for (int i = 0; p->info.config[i]; i++)
		if (!strncmp(p->info.config[i], what, strlen(what)))
			return 1;
	return 0;
}

bob_status bob_left_out_build(struct bob_trace *t, struct bob_process *p)
{
	const int of_mpi = records(p, "BOBBIN_MPI="), of_mem = records(p, "BOBBIN_MEM=");
	size_t count = 0, configs = 0;
	const char **list, *value;

	while (p->info.config[configs])
		configs++;
	if (!of_mpi && !of_mem)
		return BOB_OK;
	list = bob_arena_alloc(&t->arena, (configs + 1) * sizeof(*list));
	if (!list)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < configs; i++) {
		const int which = find(p->info.config[i], &value);
		char *text;

		if (which < 0 || !(settings[which].of_mpi ? of_mpi : of_mem))
			continue;
		text = bob_arena_alloc(&t->arena, strlen(settings[which].name) + strlen(value) + 1);
		if (!text)
			return BOB_ERR_NOMEM;
		strcpy(text, settings[which].name);
		strcat(text, value);
		list[count++] = text;
	}
	p->info.left_out = list;
	return BOB_OK;
}
