/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that the verbs read of a trace, for fuzz_trace.c: read_trace. Results are dropped.
 * What reads all events is done for small traces only (trace_read.h). */
#ifndef BOB_TESTS_TRACE_ANALYSE_H
#define BOB_TESTS_TRACE_ANALYSE_H

#include "analysis/analysis.h"
#include "analysis/arrays/arrays.h"
#include "analysis/cache/replay.h"
#include "analysis/memory/memory.h"
#include "analysis/memory/signatures.h"
#include "analysis/memory/syncs.h"
#include "analysis/mpi/late.h"
#include "analysis/mpi/matrix.h"
#include "analysis/mpi/programs.h"
#include "analysis/mpi/call_counts.h"
#include "export/export.h"
#include "trace_read.h"

#define SINK_MAX (1u << 20) /* bytes of a text; a small trace has less */

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
	if (what & (READ_CALLS | READ_CELLS | READ_EXPORTS) &&
	    bob_functions_create(t, &f) == BOB_OK) {
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
	bob_trace_sizes(t, &sizes);
	is_small = is_small && count_events(t) <= EVENTS_MAX;
	if (is_small)
		read_all(t, threads, what);
	return is_small;
}

#endif
