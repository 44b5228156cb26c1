/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading events with values: calls of MPI and the program's own events (bobbin/events.h), how long
 * they took, and what a thread did between two of them.
 * Ownership, threads, units and errors are those of trace.h, which includes this header. */
#ifndef BOBBIN_VALUES_H
#define BOBBIN_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bob_trace;

enum bob_value_kind { BOB_VALUES_MPI = 1 };
/* Which events with values a trace may have, as bits: calls of MPI, events that the program marks
 * (bobbin/events.h). */
enum bob_value_origin { BOB_VALUES_OF_MPI = 1, BOB_VALUES_OF_PROGRAM = 2 };
BOB_API uint32_t bob_trace_value_origins(const struct bob_trace *t);

#define BOB_VALUE_VECTORS_MAX 8u

struct bob_value_vector {	/* fixed */
	const uint64_t *at;
	uint64_t count;		/* elements */
	uint32_t words;		/* values of each element */
};

struct bob_value_event {	/* sized; its pointers are valid until the next call */
	const uint8_t *key;	/* identifies the function or event: docs/mpi.md */
	size_t key_len;
	const uint64_t *place;	/* the call path, outermost first: bob_trace_place */
	uint32_t depth;
	uint32_t words, vectors;
	const uint64_t *word;
	struct bob_value_vector vector[BOB_VALUE_VECTORS_MAX];
	/* it had not ended when recording ended: its results are 0 or missing */
	int open;
	int lost;		/* events are missing before this one */
};

/* The number of a thread's events. The first call reads all of them. */
BOB_API uint64_t bob_trace_value_events(const struct bob_trace *t, uint32_t thread,
					enum bob_value_kind kind);

/* One thread's events, in order. Memory use does not depend on their number. Threads: one cursor,
 * one thread. Errors of open: BOB_ERR_NOMEM, BOB_ERR_INVAL (no such thread), BOB_NONE (the thread
 * has no events of that kind). */
struct bob_value_cursor;
BOB_API bob_status bob_value_cursor_open(const struct bob_trace *t, uint32_t thread,
					 enum bob_value_kind kind, struct bob_value_cursor **out,
					 struct bob_error *err);
/* BOB_END after the last. BOB_ERR_CORRUPT if something is damaged; the next call continues after
 * it. */
BOB_API bob_status bob_value_cursor_next_sized(struct bob_value_cursor *c,
					       struct bob_value_event *e, size_t e_size,
					       struct bob_error *err);
static inline bob_status bob_value_cursor_next(struct bob_value_cursor *c,
					       struct bob_value_event *e, struct bob_error *err)
{
	return bob_value_cursor_next_sized(c, e, sizeof(*e), err);
}
BOB_API void bob_value_cursor_close(struct bob_value_cursor *c); /* NULL is allowed */

/* --- begin and end of each event (record --time=exact:mpi) --- */

struct bob_value_span {		/* fixed */
	uint64_t interval_ns;	/* since the end of the thread's previous event; 0 for the first */
	uint64_t begin_ns, end_ns; /* by the clock of the process */
	int open;		/* it had not ended: end_ns is begin_ns */
};
/* The n-th span is that of the thread's n-th event. Memory use does not depend on their number.
 * Threads: one cursor, one thread. Errors of open: BOB_ERR_NOMEM, BOB_ERR_INVAL (no such thread),
 * BOB_NONE (not recorded). */
struct bob_span_cursor;
BOB_API bob_status bob_span_cursor_open(const struct bob_trace *t, uint32_t thread,
					enum bob_value_kind kind, struct bob_span_cursor **out,
					struct bob_error *err);
/* BOB_END after the last. A killed process may have one span more or one less than it has events.
 * BOB_ERR_CORRUPT if something is damaged; final. */
BOB_API bob_status bob_span_cursor_next(struct bob_span_cursor *c, struct bob_value_span *s,
					struct bob_error *err);
BOB_API void bob_span_cursor_close(struct bob_span_cursor *c); /* NULL is allowed */
/* Size of all spans in the trace, in bytes. */
BOB_API uint64_t bob_trace_spans_bytes(const struct bob_trace *t);

/* --- durations, summed per pair of places --- */

/* Statistics of one column of times. The structs of this section are borrowed. */
#define BOB_VALUE_TIME_BINS 40u
struct bob_value_times {	/* fixed: it is a part of struct bob_value_pair */
	uint64_t min_ns, max_ns, sum_ns;
	uint64_t square[2];	/* sum of squares, 128 bits, low half first */
	/* bin[i]: how many have i significant bits in ns; the last one: that many or more */
	uint64_t bin[BOB_VALUE_TIME_BINS];
	uint32_t min_thread, max_thread; /* threads that have the extremes */
};
struct bob_value_site {		/* fixed: it is a part of struct bob_value_pair */
	const uint8_t *key;	/* as in struct bob_value_event; NULL: no previous event */
	size_t key_len;
	const uint64_t *place;
	uint32_t depth;
	uint32_t thread;	/* `place` is for bob_trace_place with the process of this one */
};
/* An event and the previous one: the time between them, in which the program computed, and the
 * duration of the event. */
struct bob_value_pair {
	struct bob_value_site from, to;
	uint64_t count;
	/* of all threads of a merged trace; else of one */
	struct bob_value_times interval, duration;
};
/* Visit the pairs until `visit` returns 1. A pair may be visited more than once, for several
 * threads. Errors: BOB_ERR_NOMEM. */
BOB_API bob_status bob_trace_value_times(const struct bob_trace *t, enum bob_value_kind kind,
					 int (*visit)(void *ctx, const struct bob_value_pair *p),
					 void *ctx);

/* --- stretches: what a thread did between two of its events --- */

/* A stretch begins after the end of its first event and ends before the begin of its second one.
 * What happened during the first event is included if that is an event of the program. */
struct bob_stretch_end {	/* fixed */
	int given;		/* 0: the begin, or the end, of the thread */
	/* `number` counts all events; else only those of kind `what`, or events of the program
	 * with that name */
	int by_number;
	uint32_t what;
	const char *name;	/* NULL: use `what` */
	uint64_t number;	/* from 0 */
};
struct bob_stretch {		/* fixed */
	struct bob_stretch_end from, to;
	/* keep synchronisation marks outside of it, because other threads wait for them */
	int keep_syncs;
};
enum bob_stretch_lack {
	BOB_STRETCH_FOUND = 0,
	BOB_STRETCH_NO_ACCESSES, /* nothing is recorded except, perhaps, synchronisation */
	BOB_STRETCH_NO_EVENTS,	/* no event has a place among the accesses */
	BOB_STRETCH_NO_FROM,	/* no such event */
	BOB_STRETCH_NO_TO,
	BOB_STRETCH_BACKWARDS,	/* it ends before it begins, or where it begins */
	BOB_STRETCH_NO_PLACE,	/* one of the events has, or may have, no mark */
	BOB_STRETCH_DAMAGED	/* records are missing before it */
};
/* From now on these threads have no accesses except those of the stretch, and the marks of its two
 * events. lack[i] says whether threads[i] has the stretch; do not read the accesses of a thread
 * that has not. No other thread may use the trace during the call; open cursors become invalid.
 * Affine accesses before the stretch are not expanded. Once for each thread.
 * Errors: BOB_ERR_INVAL (no such thread, or it was restricted before), BOB_ERR_NOMEM,
 * BOB_ERR_CORRUPT. */
BOB_API bob_status bob_trace_restrict(struct bob_trace *t, const uint32_t *threads, uint32_t count,
				      const struct bob_stretch *stretch,
				      enum bob_stretch_lack *lack);
/* For a thread with recorded calls: positions of the symbols of the two events (0 and UINT64_MAX if
 * an end is not given), or why there is no such stretch. */
BOB_API bob_status bob_trace_stretch_positions(const struct bob_trace *t, uint32_t thread,
					       const struct bob_stretch *stretch, uint64_t *first,
					       uint64_t *last, enum bob_stretch_lack *lack);
/* The same as numbers of the two among all events of the thread. */
BOB_API bob_status bob_trace_stretch_numbers(const struct bob_trace *t, uint32_t thread,
					     const struct bob_stretch *stretch, uint64_t *first,
					     uint64_t *last, enum bob_stretch_lack *lack);

#ifdef __cplusplus
}
#endif
#endif
