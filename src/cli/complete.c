/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds and prints what is missing in a trace (complete.h). Each kind of finding has a function,
 * and a limit of lines. */
#define _GNU_SOURCE
#include "cli/complete.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive/format.h"
#include "base/order.h"
#include "base/search.h"
#include "cli/findings.h"
#include "cli/merge/whole.h"
#include "table/numbers.h"

#define IMAGES_LOOKED_AT 8u	/* processes, see was_seen */

static void begin(struct bob_table *findings, const char *kind, const uint32_t *process,
		  uint64_t count)
{
	const struct cli_finding f = { .level = CLI_FINDING_MISSING, .kind = kind,
				       .process = process, .count = count };

	cli_finding_begin(findings, &f);
}

static int has_setting(const struct bob_process_info *p, const char *setting)
{
	for (const char *const *c = p->config; c && *c; c++)
		if (!strcmp(*c, setting))
			return 1;
	return 0;
}

static void find_nothing(const struct bob_trace *t, struct bob_table *findings)
{
	struct bob_trace_sizes s;

	bob_trace_sizes(t, &s);
	if (s.events || s.accesses || s.mpi_calls)
		return;
	begin(findings, "nothing", NULL, 0);
	bob_table_text(findings, "nothing was recorded");
}

static void find_parts(const struct bob_trace *t, struct bob_table *findings)
{
	const struct cli_finding f = { .level = CLI_FINDING_MISSING, .kind = "run" };
	struct cli_lines lines;

	if (cli_lines_begin(&lines))
		(void)cli_whole_print(t, "", lines.out);
	cli_lines_end(&lines, findings, &f);
}

static void find_stopped(const struct bob_trace *t, struct bob_table *findings)
{
	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		const struct bob_process_info *p = bob_trace_process(t, i);

		if (p->state != BOB_FILE_STOPPED)
			continue;
		begin(findings, "stopped", &i, 0);
		bob_table_textf(findings,
				"process %" PRIu32 ": recording stopped before the program: %s", i,
				p->stop_text);
	}
}

static void find_debugged(const struct bob_trace *t, struct bob_table *findings)
{
	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		if (!bob_trace_process(t, i)->debugged_mono_ns)
			continue;
		begin(findings, "debugger", &i, 0);
		bob_table_textf(findings,
				"process %" PRIu32 ": a debugger attached; functions in which it "
				"could set breakpoints are not recorded since",
				i);
	}
}

/* --- started programs --- */

struct processes {
	const struct bob_process_info **by_pid;
	uint32_t count;
};

BOB_COMPARE_POINTERS(compare_pids, struct bob_process_info, BOB_UP(pid))

static int sort_by_pid(const struct bob_trace *t, struct processes *all)
{
	all->count = bob_trace_process_count(t);
	all->by_pid = malloc((all->count + 1) * sizeof(*all->by_pid));
	if (!all->by_pid)
		return -1;
	for (uint32_t i = 0; i < all->count; i++)
		all->by_pid[i] = bob_trace_process(t, i);
	qsort(all->by_pid, all->count, sizeof(*all->by_pid), compare_pids);
	return 0;
}

/* Whether the process left a trace as a program from number `seq` on. */
static int is_there(const struct processes *all, const char *host, uint32_t pid, uint32_t seq)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, all->count, mid, all->by_pid[mid]->pid < pid);
	for (; lo < all->count && all->by_pid[lo]->pid == pid; lo++)
		if (all->by_pid[lo]->seq >= seq && !strcmp(all->by_pid[lo]->host, host))
			return 1;
	return 0;
}

static void find_replaced(const struct bob_trace *t, const struct processes *all,
			  struct bob_table *findings)
{
	for (uint32_t i = 0; i < all->count; i++) {
		const struct bob_process_info *p = bob_trace_process(t, i);

		if (p->state != BOB_FILE_EXEC || has_setting(p, "BOBBIN_FOLLOW=0") ||
		    is_there(all, p->host, p->pid, p->seq + 1))
			continue;
		begin(findings, "replaced", &i, 0);
		bob_table_textf(findings,
				"process %" PRIu32
				": the program that replaced it (exec) left no trace",
				i);
	}
}

/* A child that searches PATH has a record for each existing candidate; the last one counts. */
static int is_last_of_child(const struct bob_trace *t, uint32_t process, uint32_t index,
			    uint32_t pid)
{
	uint32_t next;

	return !bob_trace_started(t, process, index + 1, &next) || next != pid;
}

static void find_started(const struct bob_trace *t, const struct processes *all,
			 struct bob_table *findings)
{
	for (uint32_t p = 0; p < all->count; p++)
		for (uint32_t i = 0; i < bob_trace_started_count(t, p); i++) {
			uint32_t pid;
			const char *path = bob_trace_started(t, p, i, &pid);

			if (!is_last_of_child(t, p, i, pid) ||
			    is_there(all, bob_trace_process(t, p)->host, pid, 0))
				continue;
			begin(findings, "started", &p, 0);
			bob_table_textf(findings,
					"%s, started by process %" PRIu32 " as %" PRIu32
					", left no trace",
					path, p, pid);
		}
}

static void find_programs(const struct bob_trace *t, struct bob_table *findings)
{
	struct processes all;

	if (sort_by_pid(t, &all))
		return;
	find_replaced(t, &all, findings);
	find_started(t, &all, findings);
	free(all.by_pid);
}

static void find_spawned(const struct bob_trace *t, struct bob_table *findings)
{
	for (uint32_t i = 0; i < bob_trace_spawn_count(t); i++) {
		const struct bob_spawn_info *s = bob_trace_spawn(t, i);
		const uint32_t missing = s->started > s->found ? s->started - s->found : 0;

		if (!missing)
			continue;
		begin(findings, "spawned", &s->process, missing);
		bob_table_textf(findings,
				"%" PRIu32 " process%s that rank %" PRId32
				" started by MPI_Comm_spawn left no trace",
				missing, missing == 1 ? "" : "es",
				bob_trace_process(t, s->process)->rank);
	}
}

/* --- calls and images --- */

/* Accesses of chosen addresses (--mem-only) are filtered per record buffer: a thread without an end
 * loses those of its last buffer. */
static int filters_accesses(const struct bob_process_info *p)
{
	for (const char *const *l = p->left_out; l && *l; l++)
		if (!strncmp(*l, "mem-only=", strlen("mem-only=")))
			return 1;
	return 0;
}

static void find_dropped(const struct bob_trace *t, struct bob_table *findings)
{
	uint64_t dropped = 0, beside = 0, cut_off = 0;
	char a[BOB_NUMBER_MAX];

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		const struct bob_thread_info *th = bob_trace_thread(t, i);

		dropped += th->lost;
		beside += th->beside;
		cut_off += !th->state && filters_accesses(bob_trace_process(t, th->process));
	}
	if (dropped) {
		begin(findings, "dropped", NULL, dropped);
		bob_table_textf(findings, "%s call%s could not be recorded",
				bob_format_count(a, dropped), bob_plural(dropped));
	}
	if (cut_off) {
		begin(findings, "cut_off", NULL, cut_off);
		bob_table_textf(findings,
				"the last accesses of %s thread%s without an end, up to 8,192 "
				"words of records each",
				bob_format_count(a, cut_off), bob_plural(cut_off));
	}
	if (beside) {
		begin(findings, "tasks", NULL, beside);
		bob_table_textf(findings,
				"%s call%s of tasks that share a thread's storage (clone with "
				"CLONE_VM)",
				bob_format_count(a, beside), bob_plural(beside));
	}
}

/* Whether the image is among the first n of the process, or among those of an earlier process.
 * Compares with few processes: the first ones have what ranks share. */
static int was_seen(const struct bob_trace *t, uint32_t process, uint32_t n, const char *path)
{
	for (uint32_t p = 0; p <= process && p < IMAGES_LOOKED_AT; p++) {
		uint32_t end = p == process ? n : bob_trace_skipped_image_count(t, p), why;

		for (uint32_t i = 0; i < end; i++)
			if (!strcmp(bob_trace_skipped_image(t, p, i, &why), path))
				return 1;
	}
	return 0;
}

static void find_images(const struct bob_trace *t, struct bob_table *findings)
{
	for (uint32_t p = 0; p < bob_trace_process_count(t); p++)
		for (uint32_t i = 0; i < bob_trace_skipped_image_count(t, p); i++) {
			uint32_t why;
			const char *path = bob_trace_skipped_image(t, p, i, &why);

			if (why == BOB_SKIP_IMAGES || was_seen(t, p, i, path))
				continue;
			begin(findings, "image", NULL, 0); /* others may have it, too */
			bob_table_textf(findings, "image %s: %s", path, bob_skip_text(why));
		}
}

void cli_missing(const struct bob_trace *t, struct bob_table *findings)
{
	find_nothing(t, findings);
	find_parts(t, findings);
	find_stopped(t, findings);
	find_programs(t, findings);
	find_spawned(t, findings);
	find_dropped(t, findings);
	find_debugged(t, findings);
	find_images(t, findings);
}
