/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/merging.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive.h"
#include "cli/complain.h"

/* Is the process `root` or a descendant? Parents of traced processes are known by index. */
static int is_below(const struct bob_trace *t, uint32_t process, uint32_t root)
{
	uint32_t steps = bob_trace_process_count(t);

	while (steps--) {
		const struct bob_process_info *p = bob_trace_process(t, process);

		if (p->pid == root || p->ppid == root)
			return 1;
		if (p->parent == ~0u)
			return 0;
		process = p->parent;
	}
	return 0;
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

/* `path` is written beside and then takes its name. */
static bob_status replace(const struct bob_trace *t, uint32_t process, int raw, const char *path,
			  struct cli_merged *result, struct bob_error *err)
{
	uint64_t before = size_of(path);
	bob_status st = BOB_ERR_NOMEM;
	char *beside;
	FILE *f;

	if (asprintf(&beside, "%s.%ld.new", path, (long)getpid()) < 0)
		return st;
	f = fopen(beside, "wbxe");
	st = f ? bob_archive_merge(t, process, raw, f, err) : BOB_ERR_IO;
	if (f && fclose(f) && st == BOB_OK)
		st = BOB_ERR_IO;
	if (st == BOB_OK && rename(beside, path))
		st = BOB_ERR_IO;
	if (f && st != BOB_OK)
		unlink(beside);
	free(beside);
	if (st == BOB_OK) {
		result->processes++;
		result->before += before;
		result->after += size_of(path);
	}
	return st;
}

static int merge_process(const char *verb, const char *dir, const struct bob_trace *t, uint32_t i,
			 int raw, struct cli_merged *result)
{
	const struct bob_process_info *p = bob_trace_process(t, i);
	struct bob_error err = { .text = "the file cannot be written" };
	bob_status st;
	char *path;

	if (!p->state && !raw) { /* still written, or killed */
		result->left++;
		return 0;
	}
	if (asprintf(&path, "%s/%s", dir, p->file) < 0)
		return cli_fail(verb, "out of memory");
	st = replace(t, i, raw, path, result, &err);
	free(path);
	return st == BOB_OK || st == BOB_NONE ? 0 :
						cli_fail_status(verb,
								"the threads of a process are "
								"not merged",
								st, &err);
}

int cli_merge(const char *verb, const char *dir, uint32_t root, int raw, struct cli_merged *result)
{
	struct bob_error err = { .text = "" };
	struct bob_trace *t;
	int status = 0;

	memset(result, 0, sizeof(*result));
	bob_status st = bob_trace_open(dir, &t, &err);
	if (st == BOB_ERR_NOENT && root)
		return 1; /* nothing was recorded: whoever recorded says so, if asked to */
	if (st != BOB_OK)
		return cli_fail_status(verb, "the trace cannot be read", st, &err);
	for (uint32_t i = 0; i < bob_trace_process_count(t) && !status; i++)
		if (!root || is_below(t, i, root))
			status = merge_process(verb, dir, t, i, raw, result);
	bob_trace_close(t);
	return status;
}
