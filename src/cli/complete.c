/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/complete.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive/format.h"
#include "base/order.h"
#include "base/search.h"
#include "cli/merge/whole.h"
#include "table/numbers.h"
#include "cli/worlds.h"

#define SHOWN 8u		/* lines of a kind */

/* Lines of one kind: the first few, then how many more there are. */
struct kind {
	FILE *out;
	uint32_t count;
};

static int may_print(struct kind *k)
{
	return k->count++ < SHOWN;
}

static void end_kind(const struct kind *k, const char *what)
{
	if (k->count > SHOWN)
		fprintf(k->out, "... and %" PRIu32 " more %s\n", k->count - SHOWN, what);
}

static int has_setting(const struct bob_process_info *p, const char *setting)
{
	for (const char *const *c = p->config; c && *c; c++)
		if (!strcmp(*c, setting))
			return 1;
	return 0;
}

static void print_nothing(const struct bob_trace *t, FILE *out)
{
	struct bob_trace_sizes s;

	bob_trace_sizes(t, &s);
	if (!s.events && !s.accesses && !s.mpi_calls)
		fputs("nothing was recorded\n", out);
}

static void print_stopped(const struct bob_trace *t, FILE *out)
{
	struct kind k = { .out = out };

	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		const struct bob_process_info *p = bob_trace_process(t, i);

		if (p->state == BOB_FILE_STOPPED && may_print(&k))
			fprintf(out,
				"process %" PRIu32 ": recording stopped before the program: %s\n",
				i, p->stop_text);
	}
	end_kind(&k, "processes whose recording stopped");
}

static void print_debugged(const struct bob_trace *t, FILE *out)
{
	struct kind k = { .out = out };

	for (uint32_t i = 0; i < bob_trace_process_count(t); i++)
		if (bob_trace_process(t, i)->debugged_mono_ns && may_print(&k))
			fprintf(out,
				"process %" PRIu32 ": a debugger attached; functions in which it "
				"could set breakpoints are not recorded since\n",
				i);
	end_kind(&k, "processes to which a debugger attached");
}

/* --- programs that were started --- */

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

/* Has a process of this pid left a trace, as what it was from `seq` on? */
static int is_there(const struct processes *all, const char *host, uint32_t pid, uint32_t seq)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, all->count, mid, all->by_pid[mid]->pid < pid);
	for (; lo < all->count && all->by_pid[lo]->pid == pid; lo++)
		if (all->by_pid[lo]->seq >= seq && !strcmp(all->by_pid[lo]->host, host))
			return 1;
	return 0;
}

static void print_replaced(const struct bob_trace *t, const struct processes *all, FILE *out)
{
	struct kind k = { .out = out };

	for (uint32_t i = 0; i < all->count; i++) {
		const struct bob_process_info *p = bob_trace_process(t, i);

		if (p->state == BOB_FILE_EXEC && !has_setting(p, "BOBBIN_FOLLOW=0") &&
		    !is_there(all, p->host, p->pid, p->seq + 1) && may_print(&k))
			fprintf(out,
				"process %" PRIu32
				": the program that replaced it (exec) left no trace\n",
				i);
	}
	end_kind(&k, "processes that were replaced");
}

/* A child that looks for a program in several places has a record of each that there is. */
static int is_last_of_child(const struct bob_trace *t, uint32_t process, uint32_t index,
			    uint32_t pid)
{
	uint32_t next;

	return !bob_trace_started(t, process, index + 1, &next) || next != pid;
}

static void print_started(const struct bob_trace *t, const struct processes *all, FILE *out)
{
	struct kind k = { .out = out };

	for (uint32_t p = 0; p < all->count; p++)
		for (uint32_t i = 0; i < bob_trace_started_count(t, p); i++) {
			uint32_t pid;
			const char *path = bob_trace_started(t, p, i, &pid);

			if (is_last_of_child(t, p, i, pid) &&
			    !is_there(all, bob_trace_process(t, p)->host, pid, 0) && may_print(&k))
				fprintf(out,
					"%s, started by process %" PRIu32 " as %" PRIu32
					", left no trace\n",
					path, p, pid);
		}
	end_kind(&k, "programs that were started");
}

static void print_programs(const struct bob_trace *t, FILE *out)
{
	struct processes all;

	if (sort_by_pid(t, &all))
		return;
	print_replaced(t, &all, out);
	print_started(t, &all, out);
	free(all.by_pid);
}

/* --- calls and images --- */

/* Accesses of chosen addresses (--mem-only) are looked for in a buffer; what is in the last one is
 * lost with a thread that has no end. */
static int filters_accesses(const struct bob_process_info *p)
{
	for (const char *const *l = p->left_out; l && *l; l++)
		if (!strncmp(*l, "mem-only=", strlen("mem-only=")))
			return 1;
	return 0;
}

static void print_dropped(const struct bob_trace *t, FILE *out)
{
	uint64_t dropped = 0, beside = 0, cut_off = 0;
	char a[BOB_NUMBER_MAX];

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		const struct bob_thread_info *th = bob_trace_thread(t, i);

		dropped += th->lost;
		beside += th->beside;
		cut_off += !th->state && filters_accesses(bob_trace_process(t, th->process));
	}
	if (dropped)
		fprintf(out, "%s call%s could not be recorded\n", bob_format_count(a, dropped),
			bob_plural(dropped));
	if (cut_off)
		fprintf(out,
			"the last accesses of %s thread%s without an end, up to 8,192 words of records each\n",
			bob_format_count(a, cut_off), bob_plural(cut_off));
	if (beside)
		fprintf(out,
			"%s call%s of tasks that share a thread's storage (clone with CLONE_VM)\n",
			bob_format_count(a, beside), bob_plural(beside));
}

/* Is the image among the first n of the process, or among those of an earlier one? Looks at few
 * processes: the first have what ranks have in common. */
static int was_seen(const struct bob_trace *t, uint32_t process, uint32_t n, const char *path)
{
	for (uint32_t p = 0; p <= process && p < SHOWN; p++) {
		uint32_t end = p == process ? n : bob_trace_skipped_image_count(t, p), why;

		for (uint32_t i = 0; i < end; i++)
			if (!strcmp(bob_trace_skipped_image(t, p, i, &why), path))
				return 1;
	}
	return 0;
}

static void print_images(const struct bob_trace *t, FILE *out)
{
	struct kind k = { .out = out };

	for (uint32_t p = 0; p < bob_trace_process_count(t); p++)
		for (uint32_t i = 0; i < bob_trace_skipped_image_count(t, p); i++) {
			uint32_t why;
			const char *path = bob_trace_skipped_image(t, p, i, &why);

			if (why != BOB_SKIP_IMAGES && !was_seen(t, p, i, path) && may_print(&k))
				fprintf(out, "image %s: %s\n", path, bob_skip_text(why));
		}
	end_kind(&k, "images");
}

char *cli_missing(const struct bob_trace *t, uint32_t *count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print_nothing(t, out);
	(void)cli_whole_print(t, "", out);
	print_stopped(t, out);
	print_programs(t, out);
	cli_worlds_missing(t, out);
	print_dropped(t, out);
	print_debugged(t, out);
	print_images(t, out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	if (count) {
		*count = 0;
		for (const char *p = text; (p = strchr(p, '\n')); p++)
			++*count;
	}
	return text;
}

uint32_t cli_missing_print(const struct bob_trace *t, const char *before, FILE *out)
{
	uint32_t count = 0;
	char *text = cli_missing(t, &count);

	for (char *line = text, *end; line && (end = strchr(line, '\n')); line = end + 1)
		fprintf(out, "%s%.*s\n", before, (int)(end - line), line);
	free(text);
	return count;
}
