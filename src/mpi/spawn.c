/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that MPI_Comm_spawn starts. MPI's daemons start them with the daemons' environment,
 * which has no agent if mpirun started `bobbin record`. So the root replaces the command by `env
 * NAME=VALUE... COMMAND ARGUMENTS...`, which executes it with the environment that an exec by this
 * process would pass on. If the command cannot be found for certain, nothing is replaced, so that
 * MPI's errors reach the program.
 *
 * Both sides of such a communicator share a token: the starting side computes it, identically on
 * all ranks; the started side reads it from its environment. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/format.h"
#include "base/hash.h"
#include "mpi/real.h"
#include "mpi/recorder.h"

#define ENV_PROGRAM "/usr/bin/env"
#define TOKEN_NAME "BOBBIN_SPAWNED"
#define GROUPS_MAX 64u		/* distinct groups of processes that spawn */

/* --- the command --- */

/* Reads a key of the program's info object. False: not present. */
static bool info_says(MPI_Info info, const char *key, char *value, int size)
{
	int found = 0;

	return bob_mpi_info(info) &&
	       BOB_MPI_REAL(Info_get)(info, key, size - 1, value, &found) == MPI_SUCCESS && found;
}

static bool is_program(const char *path)
{
	return !access(path, X_OK);
}

/* Searches PATH, as the daemons do for a name without a slash. */
static bool find_in_path(const char *name, char *path, size_t size)
{
	const char *list = getenv("PATH");

	for (size_t n; list && *list; list += n + (list[n] != 0)) {
		n = strcspn(list, ":");
		if ((size_t)snprintf(path, size, "%.*s/%s", (int)n, list, name) < size &&
		    is_program(path))
			return true;
	}
	return false;
}

/* Finds the command's file. False: it does not exist, or the daemons' search is not known. */
static bool find_command(const char *command, MPI_Info info, char *path, size_t size)
{
	char value[MPI_MAX_INFO_VAL + 1];

	if (strchr(command, '=') || info_says(info, "path", value, sizeof(value)))
		return false;
	if (!strchr(command, '/'))
		return find_in_path(command, path, size);
	if (*command != '/' && info_says(info, "wdir", value, sizeof(value)))
		return (size_t)snprintf(path, size, "%s/%s", value, command) < size &&
		       is_program(path);
	return (size_t)snprintf(path, size, "%s", command) < size && is_program(path);
}

/* --- arguments --- */

static size_t count_of(char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* Argument list of `env`, in one block. NULL: out of memory, or nothing to pass on. */
static char **arguments_of(const char *command, char *const *argv, char **environment,
			   uint64_t token)
{
	const size_t variables = count_of(environment), given = count_of(argv);
	size_t bytes = sizeof(TOKEN_NAME) + 18, n = 0;
	char **list, *text;

	for (size_t i = 0; i < variables; i++)
		bytes += strlen(environment[i]) + 1;
	list = malloc((variables + given + 3) * sizeof(*list) + bytes);
	if (!list)
		return NULL;
	text = (char *)(list + variables + given + 3);
	for (size_t i = 0; i < variables; i++) {
		if (!strncmp(environment[i], TOKEN_NAME "=", sizeof(TOKEN_NAME)))
			continue;
		list[n++] = strcpy(text, environment[i]);
		text += strlen(text) + 1;
	}
	list[n++] = text;
	sprintf(text, TOKEN_NAME "=%016" PRIx64, token);
	list[n++] = (char *)(uintptr_t)command;
	for (size_t i = 0; i < given; i++)
		list[n++] = argv[i];
	list[n] = NULL;
	return list;
}

/* Returns the replacing argument list; NULL: the command stays unchanged. */
static char **replaced(const char *command, char *const *argv, MPI_Info info, uint64_t token)
{
	char *preload = getenv("LD_PRELOAD"), *line = NULL, *given[2] = { NULL, NULL };
	char path[PATH_MAX], **environment, **list = NULL;

	if (!is_program(ENV_PROGRAM) || !find_command(command, info, path, sizeof(path)))
		return NULL;
	if (preload && asprintf(&line, "LD_PRELOAD=%s", preload) >= 0)
		given[0] = line;
	environment = bob_ev_agent->environment(path, given);
	if (environment != given)
		list = arguments_of(command, argv, environment, token);
	free(line);
	return list;
}

/* --- tokens --- */

/* Number of earlier spawns by this group of processes. */
static uint32_t turn_of(uint64_t group)
{
	static struct bob_ev_lock lock;
	static struct {
		uint64_t group;
		uint32_t turns;
	} seen[GROUPS_MAX];
	uint32_t i = 0, turn;

	bob_ev_lock(&lock);
	while (i < GROUPS_MAX - 1 && seen[i].turns && seen[i].group != group)
		i++;
	seen[i].group = group;
	turn = seen[i].turns++;
	bob_ev_unlock(&lock);
	return turn;
}

/* Hash of the members of `comm` and the number of their spawn: the same on all its processes. */
static uint64_t token_of(MPI_Comm comm)
{
	const uint64_t n = bob_mpi_ranks(comm);
	int *rank = calloc(2 * n + 1, sizeof(*rank));
	uint64_t h = bob_ev_agent->world();

	if (rank && bob_mpi_world_ranks(comm, (int)n, rank + n, rank))
		h = bob_hash64(h, rank, n * sizeof(*rank));
	free(rank);
	return bob_hash_mix(h ^ turn_of(h)) | 1;
}

/* --- the call --- */

/* The spawn in progress in this thread. If a PMPI tool is preloaded after the shim, its
 * MPI_Comm_spawn calls the shim's PMPI_Comm_spawn: that is the same spawn, and must not be replaced
 * again. */
static __thread const struct bob_mpi_spawn *under_way;

static void replace(struct bob_mpi_spawn *s, uint32_t count, char *const *command,
		    char **const *argv, const MPI_Info *info)
{
	s->command = calloc(count, sizeof(*s->command));
	s->argv = calloc(count, sizeof(*s->argv));
	s->owned = calloc(count, sizeof(*s->owned));
	if (!s->command || !s->argv || !s->owned) {
		free(s->command);
		s->command = NULL;
		return;
	}
	s->count = count;
	for (uint32_t i = 0; i < count; i++) {
		char **given = argv ? argv[i] : NULL;

		s->owned[i] = replaced(command[i], given, info[i], s->token);
		s->command[i] = s->owned[i] ? (char *)(uintptr_t)ENV_PROGRAM : command[i];
		s->argv[i] = s->owned[i] ? s->owned[i] : given;
	}
}

void bob_mpi_spawning(struct bob_mpi_spawn *s, int count, char *const *command, char **const *argv,
		      const MPI_Info *info, int root, MPI_Comm comm)
{
	const uint32_t depth = bob_ev_depth;

	*s = (struct bob_mpi_spawn){ 0 };
	if (under_way || !bob_mpi_is_recorded || !bob_ev_agent->path() || !bob_mpi_comm(comm))
		return;
	under_way = s;
	bob_ev_depth = 1; /* PMPI functions called here may be hooked */
	s->token = token_of(comm);
	if (bob_mpi_at(comm, root) && count > 0)
		replace(s, (uint32_t)count, command, argv, info);
	bob_ev_depth = depth;
}

void bob_mpi_spawned(struct bob_mpi_spawn *s, int result, MPI_Comm made)
{
	const uint32_t depth = bob_ev_depth;

	if (under_way != s)
		return;
	under_way = NULL;
	bob_ev_depth = 1;
	if (s->token && result == MPI_SUCCESS)
		bob_mpi_others_add(made, s->token, false);
	for (uint32_t i = 0; i < s->count; i++)
		free(s->owned[i]);
	free(s->owned);
	free(s->command);
	free(s->argv);
	bob_ev_depth = depth;
}

/* Called within MPI_Init. */
void bob_mpi_was_spawned(void)
{
	const char *token = bob_ev_agent->setting(TOKEN_NAME);
	MPI_Comm parent;

	if (token && BOB_MPI_REAL(Comm_get_parent)(&parent) == MPI_SUCCESS && bob_mpi_comm(parent))
		bob_mpi_others_add(parent, strtoull(token, NULL, 16), true);
}
