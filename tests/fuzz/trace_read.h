/* SPDX-License-Identifier: BSD-3-Clause */
/* What a trace says without being expanded, and cursors over its events that are cut off, for
 * fuzz_trace.c. Results are dropped.
 *
 * A trace is small if the events that its folded form claims, the symbols that blocks claim and
 * the accesses that loops claim are at most EVENTS_MAX each. */
#ifndef BOB_TESTS_TRACE_READ_H
#define BOB_TESTS_TRACE_READ_H

#include <stdio.h>
#include <stdlib.h>

#include "archive/events/event_nests.h"
#include "archive/events/hook_sets.h"
#include "archive/reader.h"

#define EVENTS_MAX 3000u
#define PROCESSES_MAX 16u
#define THREADS_MAX 16u

static volatile uint64_t seen; /* so that what is read is read */

static void see_text(const char *text)
{
	while (text && *text)
		seen += (unsigned char)*text++;
}

/* --- what info prints --- */

static void see_place(void *ctx, uint32_t image, uint64_t pc)
{
	(void)ctx;
	seen += image + pc;
}

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
	(void)bob_archive_used(t, i, see_place, NULL);
	seen += (uint64_t)bob_archive_is_damaged(t, i) + (uint64_t)bob_archive_is_of_values(t, i);
}

static void read_inlined(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc)
{
	struct bob_inlined_frame frame[8];
	const uint32_t n = bob_trace_inlined(t, process, image, pc, frame, 8);

	for (uint32_t i = 0; i < n && i < 8; i++) {
		see_text(frame[i].function);
		see_text(frame[i].file);
	}
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
			for (uint64_t pc = 0; pc < 64 && pc < fn.size; pc++)
				read_inlined(t, process, i, fn.addr + pc);
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

/* Events of all threads, folded or not, as far as they need be counted to know whether the trace
 * is small. */
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
		seen += span.interval_ns + span.end_ns;
	bob_span_cursor_close(s);
}

static int see_pair(void *ctx, const struct bob_value_pair *p)
{
	(void)ctx;
	seen += p->count + p->interval.bin[3] + (p->to.depth ? p->to.place[0] : 0);
	return 0;
}

#endif
