/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the streams of a process's threads, then all processes, into files that replace the old
 * ones (merging.h). Files are replaced by renaming; old files are removed only when the new one is
 * complete. */
#define _GNU_SOURCE
#include "cli/merge/merging.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive.h"
#include "cli/terminal/complain.h"
#include "cli/memory/naming.h"
#include "cli/merge/whole.h"

#define TRACE_FILE "trace.bob"
#define TRACE_SHARE "trace." /* merge_ranks.h */
#define LOST_SHOWN 8u		 /* damaged places that `merge` lists */

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

/* What to write: one process (bob_archive_merge, or bob_archive_fold with drop_below), or all in
 * is_in (bob_archive_merge_processes). */
struct job {
	const struct bob_trace *trace;
	uint32_t process;
	uint8_t *is_in;
	uint32_t drop_below;
};

static bob_status write_to(const struct job *j, FILE *f, struct bob_error *err)
{
	const struct bob_fold_settings how = { .drop_below = j->drop_below };

	if (j->is_in)
		return bob_archive_merge_processes(j->trace, j->drop_below, f, j->is_in, err);
	return j->drop_below ? bob_archive_fold(j->trace, j->process, &how, f, err) :
			       bob_archive_merge(j->trace, j->process, 0, f, err);
}

/* Writes a temporary file next to `path` and renames it to `path`. */
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

/* A process in a common file has no file of its own. */
static int merge_process(const char *verb, const char *dir, const struct bob_trace *t, uint32_t i,
			 uint32_t drop_below, struct cli_merged *result)
{
	const struct bob_process_info *p = bob_trace_process(t, i);
	const struct job j = { .trace = t, .process = i, .drop_below = drop_below };
	struct bob_error err = { .text = "the file cannot be written" };
	bob_status st = BOB_NONE;
	char *path;

	if (asprintf(&path, "%s/%s", dir, p->file) < 0)
		return cli_fail(verb, "out of memory");
	if (size_of(path) && !p->state && !drop_below) /* still written, or killed */
		result->left++;
	else if (size_of(path) && !bob_archive_is_damaged(t, i)) /* a damaged one stays */
		st = replace(&j, path, result, &err);
	free(path);
	return st == BOB_OK || st == BOB_NONE ? 0 :
						cli_fail_status(verb,
								"the threads of a process are "
								"not merged",
								st, &err);
}

int cli_merge(const char *verb, const char *dir, uint32_t root, struct cli_merged *result)
{
	struct bob_error err = { .text = "" };
	struct bob_trace *t;
	int status = 0;

	memset(result, 0, sizeof(*result));
	bob_status st = bob_archive_open_below(dir, root, &t, &err);
	if (st == BOB_ERR_NOENT)
		return 1; /* nothing was recorded: the recorder reports that, if asked to */
	if (st != BOB_OK)
		return cli_fail_open(verb, dir, st, &err);
	bob_archive_sum(t, 1);
	for (uint32_t i = 0; i < bob_trace_process_count(t) && !status; i++)
		if (cli_is_below(t, i, root) && !bob_trace_process(t, i)->in_head)
			status = merge_process(verb, dir, t, i, 0, result);
	bob_trace_close(t);
	return status;
}

/* --- all processes --- */

static uint64_t remove_file(const char *dir, const char *name)
{
	uint64_t size = 0;
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return 0;
	size = size_of(path);
	unlink(path);
	free(path);
	return size;
}

/* Removes the files whose contents are in the merged file. */
static void remove_files(const struct bob_trace *t, const char *dir, const uint8_t *is_in,
			 struct cli_merged *result)
{
	result->processes = 0;
	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		const char *outer = bob_archive_outer(t, i);

		if (!is_in[i])
			continue;
		result->processes++;
		result->before += remove_file(dir, bob_trace_process(t, i)->file);
		if (outer && strcmp(outer, TRACE_FILE) != 0) {
			uint64_t size = remove_file(dir, outer);

			/* a share of this merge was made of files that are counted */
			result->before += strncmp(outer, TRACE_SHARE, strlen(TRACE_SHARE)) ? size :
											     0;
		}
	}
}

/* Merges the threads of processes that are not in the common file. */
static int merge_apart(const char *verb, const char *dir, const struct job *all, int has_file,
		       struct cli_merged *result)
{
	uint32_t count = bob_trace_process_count(all->trace);
	int status = 0;

	for (uint32_t i = 0; i < count && !status; i++)
		if (!all->is_in[i] || !has_file)
			status = merge_process(verb, dir, all->trace, i,
					       all->is_in[i] ? all->drop_below : 0, result);
	return status;
}

static int merge_opened(const char *verb, const char *dir, struct job *j, const char *path,
			struct cli_merged *threads, struct cli_merged *result)
{
	struct bob_error err = { .text = "the file cannot be written" };
	bob_status st = replace(j, path, result, &err);

	if (st != BOB_OK && st != BOB_NONE)
		return cli_fail_status(verb, "the processes are not merged", st, &err);
	result->processes = 0;
	if (st == BOB_OK)
		remove_files(j->trace, dir, j->is_in, result);
	return merge_apart(verb, dir, j, st == BOB_OK, threads);
}

/* The first problem with lost data in a file. */
static const struct bob_problem *lost_of(const struct bob_trace *t, const char *file)
{
	for (uint32_t i = 0; i < bob_trace_problem_count(t); i++) {
		const struct bob_problem *p = bob_trace_problem(t, i);

		if (p->lost && !strcmp(p->file, file))
			return p;
	}
	return NULL;
}

/* `p` is NULL if there are more problems than are listed. */
static int print_lost(const char *verb, const char *before, const char *file, const char *after,
		      const struct bob_problem *p)
{
	if (p && p->offset)
		return cli_fail(verb, "%s%s%s: %s at byte %" PRIu64, before, file, after, p->text,
				p->offset);
	return cli_fail(verb, "%s%s%s: %s", before, file, after, p ? p->text : "it is damaged");
}

/* Whether the trace must not be merged: runs are mixed, or the merged file would replace a readable
 * part of a damaged one. 0: it may. Without `verb` nothing is printed. */
static int is_refused(const char *verb, struct bob_trace *t)
{
	uint32_t one, other;
	const char *outer;

	if (cli_whole_mixed(t, &one, &other))
		return !verb ||
		       cli_fail(verb,
				"%s and %s are of different runs: give each run a directory of its "
				"own, and merge there",
				bob_trace_process(t, one)->file, bob_trace_process(t, other)->file);
	outer = bob_archive_damaged_outer(t, TRACE_FILE);
	if (!outer)
		return 0;
	return !verb || print_lost(verb, "nothing is merged: ", outer, "", lost_of(t, outer));
}

int cli_merge_is_refused(const char *dir)
{
	struct bob_trace *t;
	int refused;

	if (bob_trace_open(dir, &t, NULL) != BOB_OK)
		return 1;
	bob_archive_sum(t, 0);
	refused = is_refused(NULL, t);
	bob_trace_close(t);
	return refused;
}

/* Whether the problem's file was not changed by merging. */
static int has_stayed(const struct bob_trace *t, const char *dir, const char *file)
{
	char *path;
	int is_there;

	for (uint32_t i = 0; i < bob_trace_process_count(t); i++)
		if (!strcmp(bob_trace_process(t, i)->file, file))
			return bob_archive_is_damaged(t, i);
	if (!*file || asprintf(&path, "%s/%s", dir, file) < 0)
		return 0;
	is_there = !access(path, F_OK);
	free(path);
	return is_there;
}

int cli_merge_print_missing(const char *dir, int quiet)
{
	uint32_t lost = 0;
	struct bob_trace *t;

	if (bob_trace_open(dir, &t, NULL) != BOB_OK)
		return 0;
	bob_archive_sum(t, 1);
	for (uint32_t i = 0; i < bob_trace_problem_count(t); i++) {
		const struct bob_problem *p = bob_trace_problem(t, i);

		if (p->lost && lost++ < LOST_SHOWN)
			print_lost("merge", "", p->file,
				   has_stayed(t, dir, p->file) ? " is left as it is" : "", p);
	}
	if (lost > LOST_SHOWN)
		cli_warn("merge", "... and %" PRIu32 " more; bobbin check %s lists them",
			 lost - LOST_SHOWN, dir);
	if (!quiet)
		(void)cli_whole_print(t, "", stdout);
	bob_trace_close(t);
	return lost != 0;
}

int cli_merge_all(const char *verb, const char *dir, uint32_t drop_below,
		  struct cli_merged *threads, struct cli_merged *result)
{
	struct bob_error err = { .text = "" };
	struct job j = { .drop_below = drop_below };
	struct bob_trace *t = NULL;
	char *path = NULL;
	bob_status st = bob_trace_open(dir, &t, &err);
	int status = 0;

	memset(threads, 0, sizeof(*threads));
	memset(result, 0, sizeof(*result));
	if (st != BOB_OK)
		return cli_fail_open(verb, dir, st, &err);
	bob_archive_sum(t, 1);
	if (is_refused(verb, t)) {
		bob_trace_close(t);
		return 1;
	}
	j.trace = t;
	j.is_in = calloc(bob_trace_process_count(t) + 1, 1);
	if (!j.is_in || asprintf(&path, "%s/" TRACE_FILE, dir) < 0)
		status = cli_fail(verb, "out of memory");
	else
		status = merge_opened(verb, dir, &j, path, threads, result);
	if (!status)
		result->named = cli_name_images(dir, t); /* if record could not */
	free(path);
	free(j.is_in);
	bob_trace_close(t);
	return status;
}
