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

int cli_is_below(const struct bob_trace *t, uint32_t process, uint32_t root)
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

/* What is to be written: one process (bob_archive_merge; bob_archive_fold, if something is to be left out of it), or all
 * (is_in: bob_archive_merge_processes). */
struct job {
	const struct bob_trace *trace;
	uint32_t process;
	int raw;
	uint8_t *is_in;
	uint32_t drop_below;
};

static bob_status write_to(const struct job *j, FILE *f, struct bob_error *err)
{
	const struct bob_fold_settings how = { .drop_below = j->drop_below };

	if (j->is_in)
		return bob_archive_merge_processes(j->trace, j->drop_below, f, j->is_in, err);
	return j->drop_below ? bob_archive_fold(j->trace, j->process, &how, f, err) :
			       bob_archive_merge(j->trace, j->process, j->raw, f, err);
}

/* `path` is written beside and then takes its name. */
static bob_status replace(const struct job *j, const char *path, struct cli_merged *result,
			  struct bob_error *err)
{
	uint64_t before = size_of(path);
	bob_status st = BOB_ERR_NOMEM;
	char *beside;
	FILE *f;

	if (asprintf(&beside, "%s.%ld.new", path, (long)getpid()) < 0)
		return st;
	f = fopen(beside, "wbxe");
	st = f ? write_to(j, f, err) : BOB_ERR_IO;
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
	const struct job j = { .trace = t, .process = i, .raw = raw };
	struct bob_error err = { .text = "the file cannot be written" };
	bob_status st;
	char *path;

	if (!p->state && !raw) { /* still written, or killed */
		result->left++;
		return 0;
	}
	if (asprintf(&path, "%s/%s", dir, p->file) < 0)
		return cli_fail(verb, "out of memory");
	st = replace(&j, path, result, &err);
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
		if (!root || cli_is_below(t, i, root))
			status = merge_process(verb, dir, t, i, raw, result);
	bob_trace_close(t);
	return status;
}

/* The files that one file stands for now. */
static void remove_files(const struct bob_trace *t, const char *dir, const uint8_t *is_in,
			 struct cli_merged *result)
{
	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		char *path;

		if (!is_in[i] || asprintf(&path, "%s/%s", dir, bob_trace_process(t, i)->file) < 0)
			continue;
		result->processes++;
		result->before += size_of(path);
		unlink(path);
		free(path);
	}
}

/* There is nothing to put together, but of the one process that there is something may be left out. */
static bob_status drop_alone(const struct job *all, const char *dir, struct cli_merged *result,
			     struct bob_error *err)
{
	struct job j = { .trace = all->trace, .drop_below = all->drop_below };
	uint32_t count = bob_trace_process_count(j.trace);
	bob_status st;
	char *path;

	while (j.process < count && !all->is_in[j.process])
		j.process++;
	if (j.process == count)
		return BOB_NONE;
	if (asprintf(&path, "%s/%s", dir, bob_trace_process(j.trace, j.process)->file) < 0)
		return BOB_ERR_NOMEM;
	st = replace(&j, path, result, err);
	free(path);
	return st == BOB_OK ? BOB_NONE : st;
}

int cli_merge_processes(const char *verb, const char *dir, uint32_t drop_below,
			struct cli_merged *result)
{
	struct bob_error err = { .text = "the file cannot be written" };
	struct job j = { .drop_below = drop_below };
	struct bob_trace *t = NULL;
	char *path = NULL;
	bob_status st = bob_trace_open(dir, &t, &err);

	memset(result, 0, sizeof(*result));
	if (st != BOB_OK)
		return cli_fail_status(verb, "the trace cannot be read", st, &err);
	j.trace = t;
	j.is_in = calloc(bob_trace_process_count(t) + 1, 1);
	if (!j.is_in || asprintf(&path, "%s/trace.bob", dir) < 0)
		st = BOB_ERR_NOMEM;
	else
		st = replace(&j, path, result, &err);
	if (st == BOB_NONE && drop_below)
		st = drop_alone(&j, dir, result, &err);
	result->processes = 0;
	if (st == BOB_OK)
		remove_files(t, dir, j.is_in, result);
	free(path);
	free(j.is_in);
	bob_trace_close(t);
	return st == BOB_OK || st == BOB_NONE ?
		       0 :
		       cli_fail_status(verb, "the processes are not merged", st, &err);
}
