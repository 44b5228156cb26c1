/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that the verbs read of a trace, for fuzz_trace.c; results are dropped. read_trace alone is for others.
 *
 * Three measures of a trace decide how much is read: events that the folded form claims, symbols that blocks claim, and
 * accesses that loops claim. Up to EVENTS_MAX of each a trace is small, and everything is read. */
#ifndef BOB_TESTS_TRACE_READ_H
#define BOB_TESTS_TRACE_READ_H

#include <stdio.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/arrays/arrays.h"
#include "analysis/cache/replay.h"
#include "analysis/memory/memory.h"
#include "analysis/memory/signatures.h"
#include "analysis/memory/syncs.h"
#include "analysis/mpi/late.h"
#include "analysis/mpi/matrix.h"
#include "analysis/mpi/programs.h"
#include "analysis/mpi/table.h"
#include "archive/events/event_nests.h"
#include "archive/events/hook_sets.h"
#include "archive/reader.h"
#include "export/export.h"

#define EVENTS_MAX 3000u
#define PROCESSES_MAX 16u
#define THREADS_MAX 16u
#define SINK_MAX (1u << 20) /* bytes of a text; a small trace has less */

static volatile uint64_t seen; /* so that what is read is read */

/* --- texts --- */

static ssize_t sink_write(void *left, const char *text, size_t len)
{
	size_t *l = left;

	if (len > *l)
		return 0; /* as if the disk were full */
	*l -= len;
	for (size_t i = 0; i < len; i++)
		seen += (unsigned char)text[i];
	return (ssize_t)len;
}

/* A file that takes so much and then fails. `left` outlives it. */
static FILE *sink_open(size_t *left)
{
	FILE *f = fopencookie(left, "w", (cookie_io_functions_t){ .write = sink_write });

	*left = SINK_MAX;
	if (!f)
		abort();
	return f;
}

static void see_text(const char *text)
{
	while (text && *text)
		seen += (unsigned char)*text++;
}

/* --- what info prints --- */

static void read_process(const struct bob_trace *t, uint32_t i)
{
	const struct bob_process_info *p = bob_trace_process(t, i);
	struct bob_mem_coverage coverage;
	struct bob_shape shape;
	uint32_t number;

	see_text(p->exe);
	see_text(p->cwd);
	see_text(p->file);
	see_text(bob_trace_log(t, i));
	for (size_t k = 0; p->argv[k]; k++)
		see_text(p->argv[k]);
	for (size_t k = 0; p->config[k]; k++)
		see_text(p->config[k]);
	for (size_t k = 0; p->left_out[k]; k++)
		see_text(p->left_out[k]);
	for (uint32_t k = 0; k < bob_trace_skipped_image_count(t, i); k++)
		see_text(bob_trace_skipped_image(t, i, k, &number));
	for (uint32_t k = 0; k < bob_trace_started_count(t, i); k++)
		see_text(bob_trace_started(t, i, k, &number));
	for (uint32_t k = 0; k < bob_trace_unrecorded_count(t, i); k++)
		seen += bob_trace_unrecorded(t, i, k)->bytes;
	bob_trace_mem_coverage(t, i, &coverage);
	for (uint32_t k = 0; k < 1000 && bob_trace_shape_at(t, i, k, &shape) == BOB_OK; k++)
		see_text(shape.name);
	see_text(bob_archive_outer(t, i));
	seen += (uint64_t)bob_archive_is_damaged(t, i) + (uint64_t)bob_archive_is_of_values(t, i);
}

static void read_images(const struct bob_trace *t, uint32_t process)
{
	const uint32_t count = bob_trace_process(t, process)->image_count;
	struct bob_function_info fn, at;
	struct bob_source_line line;
	struct bob_object object;
	uint64_t lo, hi;

	for (uint32_t i = 0; i < count && i < 64; i++) {
		const struct bob_image_info *im = bob_trace_image(t, process, i);

		see_text(im->path);
		see_text(im->soname);
		for (uint32_t k = 0; k < 256 && k < im->count; k++) {
			if (bob_trace_function(t, process, im->first_id + k, &fn) != BOB_OK)
				break;
			see_text(fn.name);
			see_text(fn.file);
			(void)bob_trace_function_at(t, process, i, fn.addr, &at);
			if (bob_trace_source(t, process, i, fn.addr, &line) == BOB_OK)
				see_text(line.file);
		}
		(void)bob_trace_object(t, process, im->bias, &object);
		bob_trace_object_span(t, process, im->bias, &lo, &hi);
	}
}

static void read_worlds(const struct bob_trace *t)
{
	static const uint64_t members[] = { 0, 1, 0x80000000, 0x80000001, 0xfeffffff, 0xffffffff,
					    UINT64_MAX };

	for (uint32_t i = 0; i < bob_trace_world_count(t); i++)
		seen += bob_trace_world(t, i)->size;
	for (uint32_t i = 0; i < bob_trace_spawn_count(t); i++)
		seen += bob_trace_spawn(t, i)->found;
	for (uint32_t i = 0; i < bob_trace_process_count(t) && i < PROCESSES_MAX; i++)
		for (size_t k = 0; k < sizeof(members) / sizeof(members[0]); k++)
			seen += bob_trace_member(t, i, members[k]);
}

/* Returns how many symbols the blocks claim. */
static uint64_t read_outlines(const struct bob_trace *t)
{
	uint64_t symbols = 0, uncertainty;

	for (uint32_t i = 0; i < bob_trace_process_count(t) && i < PROCESSES_MAX; i++) {
		struct bob_clock clock;

		read_process(t, i);
		read_images(t, i);
		bob_trace_clock(t, i, &clock);
		seen += bob_trace_moment(t, i, clock.at_ns[0] + 5, &uncertainty);
	}
	read_worlds(t);
	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		const struct bob_mark_info *marks;
		size_t n = bob_trace_marks(t, i, &marks);

		for (size_t k = 0; k < n; k++)
			seen += marks[k].pos + marks[k].mono_ns;
		see_text(bob_trace_thread(t, i)->name);
		if (t->threads[i]->info.symbols > EVENTS_MAX)
			return UINT64_MAX;
		symbols += t->threads[i]->info.symbols;
	}
	return symbols;
}

/* --- the folded form --- */

/* Events of a folded stream, at most EVENTS_MAX + 1. */
static uint64_t folded_events(const struct bob_folded *f, uint32_t participant)
{
	uint64_t n = f ? bob_folded_events(f, participant) : 0;

	return n < EVENTS_MAX ? n : EVENTS_MAX + 1;
}

static bob_status see_nest(void *ctx, struct bob_event_nest *n)
{
	uint64_t first[BOB_EVENT_NEST_DEPTH] = { 0 };
	struct bob_value_event e;
	uint32_t count;
	const struct bob_event_nest_item *item = bob_event_nest_items(n, &count);

	for (uint32_t i = 0; i < count; i++)
		if (!item[i].items && bob_event_nest_get(n, i, first, &e) == BOB_OK && e.words)
			seen += e.word[e.words - 1];
	return ++*(uint32_t *)ctx < EVENTS_MAX ? BOB_OK : BOB_ERR_INVAL;
}

/* Events of all threads, folded or not, as far as they need be counted to know whether the trace is small. */
static uint64_t count_events(const struct bob_trace *t)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < t->thread_count; i++)
		n += folded_events(t->threads[i]->folded, t->threads[i]->participant) +
		     folded_events(t->threads[i]->mpi.folded, t->threads[i]->mpi.participant);
	for (uint32_t i = 0; i < t->thread_count && n <= EVENTS_MAX; i++) {
		uint32_t nests = 0;

		(void)bob_event_nests_visit(t, i, BOB_VALUES_MPI, see_nest, &nests, NULL);
		if (nests >= EVENTS_MAX)
			return UINT64_MAX;
		n += bob_trace_accesses(t, i);
		n = n > EVENTS_MAX ? UINT64_MAX : n;
	}
	return n;
}

/* --- cursors, cut off --- */

static void read_calls(const struct bob_trace *t, uint32_t thread)
{
	struct bob_cursor *c;
	struct bob_event ev;
	bob_status st = bob_cursor_open(t, thread, &c, NULL);
	uint32_t id;

	if (st != BOB_OK)
		return;
	for (uint32_t i = 0; i < EVENTS_MAX && (st == BOB_OK || st == BOB_ERR_CORRUPT); i++)
		st = bob_cursor_next(c, &ev, NULL);
	if (bob_cursor_seek(c, 3, NULL) == BOB_OK)
		(void)bob_cursor_next(c, &ev, NULL);
	bob_cursor_close(c);
	(void)bob_trace_last_entry(t, thread, &id);
}

static void read_accesses(const struct bob_trace *t, uint32_t thread)
{
	struct bob_access_cursor *c;
	struct bob_access a[64];
	bob_status st = BOB_OK;
	size_t n, sum = 0;

	if (bob_access_cursor_open(t, thread, &c, NULL) != BOB_OK)
		return;
	while (sum < EVENTS_MAX && (st == BOB_OK || st == BOB_ERR_CORRUPT)) {
		st = bob_access_cursor_read(c, a, 64, &n, NULL);
		sum += st == BOB_OK ? n : 1;
	}
	bob_access_cursor_close(c);
}

static void see_event(const struct bob_value_event *e)
{
	for (uint32_t v = 0; v < e->vectors; v++) {
		const uint64_t n = e->vector[v].count * e->vector[v].words;

		seen += n ? e->vector[v].at[0] + e->vector[v].at[n - 1] : 0;
	}
	seen += (e->words ? e->word[e->words - 1] : 0) + (e->depth ? e->place[0] : 0);
}

static void read_values(const struct bob_trace *t, uint32_t thread)
{
	struct bob_value_cursor *c;
	struct bob_span_cursor *s;
	struct bob_value_event e;
	struct bob_value_span span;
	bob_status st = bob_value_cursor_open(t, thread, BOB_VALUES_MPI, &c, NULL);

	if (st == BOB_OK) {
		for (uint32_t i = 0; i < EVENTS_MAX && (st == BOB_OK || st == BOB_ERR_CORRUPT);
		     i++) {
			st = bob_value_cursor_next(c, &e, NULL);
			if (st == BOB_OK)
				see_event(&e);
		}
		bob_value_cursor_close(c);
	}
	if (bob_span_cursor_open(t, thread, BOB_VALUES_MPI, &s, NULL) != BOB_OK)
		return;
	for (uint32_t i = 0; i < EVENTS_MAX && bob_span_cursor_next(s, &span, NULL) == BOB_OK; i++)
		seen += span.gap_ns + span.end_ns;
	bob_span_cursor_close(s);
}

static int see_pair(void *ctx, const struct bob_value_pair *p)
{
	(void)ctx;
	seen += p->count + p->gap.bin[3] + (p->to.depth ? p->to.place[0] : 0);
	return 0;
}

/* --- analyses; all events are read --- */

static void dump(const struct bob_trace *t)
{
	size_t left;
	FILE *to = sink_open(&left);

	for (uint32_t i = 0; i < t->thread_count; i++)
		(void)bob_archive_dump_thread(t, i, to);
	(void)bob_archive_dump_shapes(t, to);
	(void)bob_archive_dump_times(t, to);
	(void)bob_archive_dump_sets(t, to);
	(void)bob_archive_dump_sources(t, to);
	fclose(to);
}

static int see_line(void *ctx, const struct bob_tree_line *l)
{
	(void)ctx;
	seen += l->repeat;
	return 0;
}

static void read_graph(const struct bob_trace *t, struct bob_functions *f)
{
	const struct bob_tree_options folded = { .fold = 1 };
	struct bob_tree_result result;
	struct bob_callgraph *g;
	struct bob_contexts *c;
	size_t n;

	for (uint32_t i = 0; i < t->thread_count; i++)
		(void)bob_tree_walk(t, f, i, &folded, see_line, NULL, NULL, &result, NULL);
	if (bob_callgraph_create(f, &g) == BOB_OK) {
		for (uint32_t i = 0; i < t->thread_count; i++)
			(void)bob_callgraph_add(g, t, i, NULL, NULL);
		(void)bob_callgraph_arcs(g, &n);
		bob_callgraph_destroy(g);
	}
	if (bob_contexts_create(f, 0, &c) == BOB_OK) {
		for (uint32_t i = 0; i < t->thread_count; i++)
			(void)bob_contexts_add(c, t, i, NULL, NULL);
		(void)bob_contexts_sort(c);
		bob_contexts_destroy(c);
	}
}

static void read_memory(const struct bob_trace *t, const uint32_t *threads)
{
	const uint32_t n = (uint32_t)t->thread_count;
	struct bob_signatures *g;
	struct bob_sync_table *s;
	struct bob_memory *m;

	for (int by = BOB_MEMORY_FUNCTION; by <= BOB_MEMORY_VARIABLE; by++)
		if (bob_memory_create(t, threads, n, by, &m, NULL) == BOB_OK)
			bob_memory_destroy(m);
	if (bob_sync_table_create(t, threads, n, &s, NULL) == BOB_OK)
		bob_sync_table_destroy(s);
	for (uint32_t p = 0; p < t->process_count; p++) {
		const struct bob_process_info *info = bob_trace_process(t, p);

		if (bob_signatures_create(t, threads + info->first_thread, info->thread_count, &g,
					  NULL) == BOB_OK)
			bob_signatures_destroy(g);
	}
}

static void read_cells(const struct bob_trace *t, const struct bob_functions *f,
		       const uint32_t *threads)
{
	const struct bob_arrays_wanted wanted = { .windows = 2 };
	const struct bob_cache_replay_options options = { .variables = 1 };
	struct bob_arrays *a = NULL;
	struct bob_cache_config tiny;

	(void)bob_arrays_create(t, threads, (uint32_t)t->thread_count, &wanted, NULL, &a, NULL);
	bob_arrays_destroy(a);
	if (bob_cache_preset("tiny", &tiny) != BOB_OK)
		abort();
	for (uint32_t p = 0; p < t->process_count; p++) {
		const struct bob_process_info *info = bob_trace_process(t, p);
		struct bob_cache_replay *r = NULL;

		if (info->thread_count)
			(void)bob_cache_replay_create(f, t, p, threads + info->first_thread,
						      info->thread_count, &tiny, &options, &r,
						      NULL);
		bob_cache_replay_destroy(r);
	}
}

static const char *number_name(void *ctx, uint32_t number)
{
	(void)ctx;
	seen += number;
	return "f";
}

static void put_value(enum bob_mpi_role role, uint64_t v, FILE *out)
{
	fprintf(out, "%d %llu", (int)role, (unsigned long long)v);
}

static void put_place(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		      FILE *out)
{
	fprintf(out, "%s+%llx",
		bob_trace_image(t, process, image) ? bob_trace_image(t, process, image)->soname :
						     "",
		(unsigned long long)pc);
}

static void export_all(const struct bob_trace *t, const struct bob_functions *f,
		       const uint32_t *threads)
{
	static bob_status (*const formats[])(struct bob_export *) = {
		bob_export_folded,  bob_export_callgrind, bob_export_chrome,
		bob_export_csv,	    bob_export_mpi_csv,	  bob_export_mpi_chrome,
	};
	const struct bob_access_style style = { .order = BOB_ACCESSES_TURNS,
						.subscripts = 1,
						.syncs = 1,
						.values = 1 };

	for (size_t i = 0; i <= sizeof(formats) / sizeof(formats[0]); i++) {
		size_t left;
		struct bob_export x = { .trace = t,
					.functions = f,
					.name = number_name,
					.value = put_value,
					.place = put_place,
					.threads = threads,
					.thread_count = (uint32_t)t->thread_count,
					.out = sink_open(&left) };

		if (i < sizeof(formats) / sizeof(formats[0]))
			(void)formats[i](&x);
		else
			(void)bob_export_accesses(&x, &style);
		fclose(x.out);
	}
}

static void read_mpi_each(const struct bob_trace *t, const uint32_t *threads)
{
	struct bob_mpi_programs *p;
	struct bob_mpi_late *l;

	if (bob_mpi_programs_create(t, threads, (uint32_t)t->thread_count, &p, NULL) == BOB_OK) {
		seen += bob_mpi_programs_groups(p);
		bob_mpi_programs_destroy(p);
	}
	if (bob_mpi_late_create(t, &l, NULL) == BOB_OK)
		bob_mpi_late_destroy(l);
}

static void read_mpi_runs(const struct bob_trace *t, const uint32_t *threads)
{
	struct bob_mpi_table *table;
	struct bob_mpi_matrix *m;
	size_t n;

	for (int by = BOB_MPI_BY_FUNCTION; by <= BOB_MPI_BY_RANK; by++) {
		if (bob_mpi_table_create(t, by, &table) != BOB_OK)
			continue;
		for (uint32_t i = 0; i < t->process_count; i++)
			(void)bob_mpi_table_add(table, i,
						threads + bob_trace_process(t, i)->first_thread,
						bob_trace_process(t, i)->thread_count, NULL, NULL,
						NULL);
		(void)bob_mpi_table_add_times(table);
		(void)bob_mpi_table_rows(table, &n);
		bob_mpi_table_destroy(table);
	}
	for (int of = BOB_MPI_MATRIX_MESSAGES; of <= BOB_MPI_MATRIX_ONE_SIDED; of++) {
		if (bob_mpi_matrix_create(t, of, &m) != BOB_OK)
			continue;
		for (uint32_t i = 0; i < t->thread_count; i++)
			(void)bob_mpi_matrix_add(m, i, NULL);
		(void)bob_mpi_matrix_cells(m, &n);
		seen += bob_mpi_matrix_ranks(m);
		bob_mpi_matrix_destroy(m);
	}
}

static int see_set(void *ctx, uint32_t process, const struct bob_set *s)
{
	struct bob_set_call call[BOB_SET_DEPTH_MAX];

	(void)ctx;
	bob_set_calls(s, call);
	seen += process + (s->depth ? call[s->depth - 1].address : 0);
	return 0;
}

/* What of a small trace is read; bits. */
enum {
	READ_DUMP = 1,
	READ_CALLS = 2,
	READ_MEMORY = 4,
	READ_CELLS = 8, /* elements of arrays, lines of a cache */
	READ_MPI = 16,
	READ_EXPORTS = 32,
	READ_CHECK = 64
};

static void read_all(struct bob_trace *t, const uint32_t *threads, uint32_t what)
{
	struct bob_functions *f;

	if (what & READ_DUMP)
		dump(t);
	if (what & READ_MPI)
		read_mpi_each(t, threads);
	if (what & READ_MEMORY)
		read_memory(t, threads);
	if (what & (READ_CALLS | READ_CELLS | READ_EXPORTS) && bob_functions_create(t, &f) == BOB_OK) {
		if (what & READ_CALLS)
			read_graph(t, f);
		if (what & READ_CELLS)
			read_cells(t, f, threads);
		if (what & READ_EXPORTS)
			export_all(t, f, threads);
		bob_functions_destroy(f);
	}
	if (what & READ_CHECK)
		bob_trace_verify(t);
}

/* Is it small? */
static int read_trace(struct bob_trace *t, uint32_t what)
{
	struct bob_trace_sizes sizes;
	uint32_t threads[THREADS_MAX];
	int is_small = read_outlines(t) <= EVENTS_MAX;

	if (t->thread_count > THREADS_MAX)
		return 0;
	for (uint32_t i = 0; i < t->thread_count; i++) {
		threads[i] = i;
		read_calls(t, i);
		read_accesses(t, i);
		read_values(t, i);
	}
	bob_trace_value_times(t, BOB_VALUES_MPI, see_pair, NULL);
	bob_hook_sets_visit(t, see_set, NULL);
	read_mpi_runs(t, threads);
	is_small = is_small && count_events(t) <= EVENTS_MAX;
	if (is_small) {
		bob_trace_sizes(t, &sizes);
		read_all(t, threads, what);
	}
	return is_small;
}

#endif
