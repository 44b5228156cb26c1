/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the call stream of a thread: function entries and exits, with the call stacks.
 * Ownership, threads, units and errors are those of trace.h, which includes this header. */
#ifndef BOBBIN_CALLS_H
#define BOBBIN_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bob_trace;

enum bob_event_kind {
	BOB_EVENT_ENTRY = 1,
	BOB_EVENT_EXIT = 2,
	/* The next two only after bob_cursor_enable_values. The thread's next event with values (a
	 * call of MPI) begins: `id` is its kind, `index` the number of the next entry, `depth` the
	 * number of open frames. */
	BOB_EVENT_VALUES = 3,
	BOB_EVENT_NO_PLACE = 4	/* `id` such events of the thread have no place among its calls */
};

enum bob_event_note {
	BOB_NOTE_SIGNAL = 1,	/* the function is a signal handler */
	BOB_NOTE_ORPHAN = 2,	/* its direct caller is unknown; the parent frame is the last known
				 * one */
	BOB_NOTE_STACK = 4,	/* first event on another stack of the thread */
	BOB_NOTE_PAUSED = 8,	/* recording was off before this event */
	BOB_NOTE_LOST = 16	/* events were lost just before this one */
};

struct bob_event {		/* fixed */
	uint64_t pos;		/* symbol position; for an exit, that of the entry that implied it,
				 * or the symbol count at a clean end of the thread */
	uint64_t index;		/* number of the entry in the thread, from 0 */
	uint32_t kind;		/* enum bob_event_kind */
	uint32_t id;		/* function */
	/* Depth of the function's frame on its stack: the outermost is 0. Includes frames inherited
	 * over fork, although bob_cursor_stack does not return them. */
	uint32_t depth;
	uint32_t stack;		/* number of the stack within the thread */
	uint32_t notes;		/* enum bob_event_note bits */
	uint32_t reserved;
};

/* The function that the thread entered last; earlier events are not read.
 * Errors: BOB_NONE (no recorded call), BOB_ERR_NOMEM. */
BOB_API bob_status bob_trace_last_entry(const struct bob_trace *t, uint32_t thread, uint32_t *id);

/* Cursor over one thread's events, oldest first, with the call stacks kept up to date. */
struct bob_cursor;

/* Errors: BOB_ERR_NOMEM, BOB_ERR_CORRUPT, BOB_ERR_INVAL (no such thread, null codec). */
BOB_API bob_status bob_cursor_open(const struct bob_trace *t, uint32_t thread,
				   struct bob_cursor **out, struct bob_error *err);
/* *ev is the caller's copy. BOB_END after the last event. BOB_ERR_CORRUPT if the stream is damaged
 * (err->offset); the next call continues after the damage, with note LOST. BOB_ERR_FULL: the stack
 * is deeper than the format's limit; final, like BOB_ERR_NOMEM. Every frame gets its exit, except
 * frames still open when the stream ends without a clean end of the thread. */
BOB_API bob_status bob_cursor_next(struct bob_cursor *c, struct bob_event *ev,
				   struct bob_error *err);
/* Make bob_cursor_next also return the positions of events with values among the calls. */
BOB_API void bob_cursor_enable_values(struct bob_cursor *c);
/* Move to just before symbol `pos`. Decoding starts at the nearest restart point, but the call
 * stack requires decoding from the start of the stream, unless an earlier pass left it in the
 * cursor's cache. */
BOB_API bob_status bob_cursor_seek(struct bob_cursor *c, uint64_t pos, struct bob_error *err);

struct bob_frame {		/* fixed */
	uint32_t id;
	uint32_t notes;
	uint64_t pos;		/* of its entry */
};
/* The open frames of the current stack, outermost first; borrowed until the next call on `c`. */
BOB_API const struct bob_frame *bob_cursor_stack(const struct bob_cursor *c, size_t *depth);
BOB_API void bob_cursor_close(struct bob_cursor *c); /* NULL is allowed */

/* Faster than a cursor if only symbols are needed: `visit` gets blocks of decoded symbols in order.
 * A symbol consists of the number of frames that ended before the entry, and the function
 * (docs/run.md). If `visit` returns non-zero, decoding stops with BOB_NONE. */
BOB_API bob_status bob_trace_symbols(const struct bob_trace *t, uint32_t thread,
				     int (*visit)(void *ctx, const uint32_t *syms, size_t n),
				     void *ctx, struct bob_error *err);

/* (position, time) pairs of a thread, in order. */
struct bob_mark_info {		/* fixed */
	uint64_t pos;
	uint64_t mono_ns;
};
/* Returns their number; *marks is borrowed. */
BOB_API size_t bob_trace_marks(const struct bob_trace *t, uint32_t thread,
			       const struct bob_mark_info **marks);

#ifdef __cplusplus
}
#endif
#endif
