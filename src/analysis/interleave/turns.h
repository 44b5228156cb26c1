/* SPDX-License-Identifier: BSD-3-Clause */
/* The accesses of several threads of one process as one sequence, in the order of interleave.h,
 * which respects synchronisation. Threads of the process that were not selected take part only with
 * their marks, because others wait for them. Each thread has a cursor and a batch of accesses read
 * ahead.
 *
 * Owner: the caller; bob_turns_close frees. Threads: one object, one thread. */
#ifndef BOB_ANALYSIS_TURNS_H
#define BOB_ANALYSIS_TURNS_H

#include "bobbin/trace.h"

struct bob_turns;

/* `threads` are `count` threads of the trace, ascending, of one process; threads without memory
 * records only end. `quantum`: see bob_interleave_create. Errors: those of bob_access_cursor_open
 * except BOB_NONE; BOB_ERR_INVAL: no threads, or too many. */
bob_status bob_turns_open(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
			  uint64_t quantum, struct bob_turns **out, struct bob_error *err);
/* Returns the next accesses of the thread that has the turn: at least one, at most the rest of its
 * turn. *index: its index in `threads`. Borrowed until the next call. BOB_END after the last;
 * BOB_ERR_CORRUPT: damage, the next call continues after it; BOB_NONE, after
 * bob_turns_report_syncs: the thread synchronises. */
bob_status bob_turns_next(struct bob_turns *v, uint32_t *index, const struct bob_access **accesses,
			  size_t *count, struct bob_error *err);
void bob_turns_close(struct bob_turns *v); /* NULL is allowed */

void bob_turns_report_syncs(struct bob_turns *v);
/* The same for events with values (MPI calls); then bob_turns_value(v)->kind is not 0. */
void bob_turns_report_values(struct bob_turns *v);
const struct bob_value_place *bob_turns_value(const struct bob_turns *v);
/* The synchronisation that bob_turns_next found last. The thread may have to wait there. */
const struct bob_sync_event *bob_turns_sync(const struct bob_turns *v);
/* Does the selected thread `i` have memory records? */
int bob_turns_has(const struct bob_turns *v, uint32_t i);
/* How often a thread continued although it should have waited. */
uint64_t bob_turns_forced(const struct bob_turns *v);

#endif
