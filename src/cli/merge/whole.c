/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the run keys of processes, and lists missing ranks (whole.h). */
#include "cli/merge/whole.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"

#define RANGES_SHOWN 12u

void cli_run_name(const char *key, char *run)
{
	snprintf(run, CLI_RUN_BYTES, "%016" PRIx64, bob_hash64(0, key, strlen(key)));
}

/* NULL: unknown; recorded otherwise, or without a key. */
static const char *run_of(const struct bob_process_info *p)
{
	static const char name[] = CLI_RUN_VARIABLE "=";

	for (const char *const *c = p->config; c && *c; c++)
		if (!strncmp(*c, name, sizeof(name) - 1))
			return *c + sizeof(name) - 1;
	return NULL;
}

int cli_whole_mixed(const struct bob_trace *t, uint32_t *one, uint32_t *other)
{
	const char *first = NULL;

	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		const char *run = run_of(bob_trace_process(t, i));

		if (run && !first) {
			first = run;
			*one = i;
		} else if (run && strcmp(run, first) != 0) {
			*other = i;
			return 1;
		}
	}
	return 0;
}

static void print_range(uint32_t n, int64_t from, int64_t to, const char *before, FILE *out)
{
	if (n > RANGES_SHOWN)
		return;
	if (!n)
		fprintf(out, "%sranks without a file: ", before);
	else
		fputs(", ", out);
	if (n == RANGES_SHOWN)
		fputs("...", out);
	else if (from == to)
		fprintf(out, "%" PRId64, from);
	else
		fprintf(out, "%" PRId64 "-%" PRId64, from, to);
}

/* Prints missing ranks of a world whose ranks begin at `first`. *process is the next process;
 * processes are sorted by rank. */
static uint32_t print_world(const struct bob_trace *t, const struct bob_world_info *w,
			    uint32_t *process, const char *before, FILE *out)
{
	const int64_t end = (int64_t)w->first + w->size;
	const struct bob_process_info *p;
	int64_t next = w->first;
	uint32_t n = 0;

	for (; (p = bob_trace_process(t, *process)) && p->rank < end; ++*process) {
		if (p->rank > next)
			print_range(n++, next, p->rank - 1, before, out);
		next = p->rank >= next ? (int64_t)p->rank + 1 : next;
	}
	if (next < end)
		print_range(n++, next, end - 1, before, out);
	if (n)
		fprintf(out, " of %" PRIu32 "; they were not recorded, or their files are gone\n",
			w->size);
	return n != 0;
}

static uint32_t print_ranks(const struct bob_trace *t, const char *before, FILE *out)
{
	uint32_t process = 0, lines = 0;

	for (uint32_t i = 0; i < bob_trace_world_count(t); i++)
		lines += print_world(t, bob_trace_world(t, i), &process, before, out);
	return lines;
}

uint32_t cli_whole_print(const struct bob_trace *t, const char *before, FILE *out)
{
	uint32_t one, other, lines = print_ranks(t, before, out);

	if (cli_whole_mixed(t, &one, &other)) {
		fprintf(out, "%sseveral runs: %s is not of the run of %s\n", before,
			bob_trace_process(t, other)->file, bob_trace_process(t, one)->file);
		lines++;
	}
	return lines;
}
