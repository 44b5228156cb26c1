/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of events: a sequence of shape ids, folded into loops while it comes in. Values never take
 * part (they are columns), so the structure is that of the program's control flow and nothing else.
 *
 * An *item* is a shape or a loop. A loop is its body, a row of items; how often it ran is not part of
 * it: each loop has a column of trip counts, one for every time it ran, in the order of execution. Equal
 * bodies are one loop, so comparing loops is comparing numbers.
 *
 * Two things make it fast. Where a loop is the newest item, a *cursor* stands in it and expects the
 * next shape: a comparison. Where not, loops are found by the positions of equal items: is what lies
 * between the last two the same as what lies before? Hashes answer that, no window is scanned.
 *
 * What it gives away, in order: items (the *spine*), loops when they are made, pieces of trip counts.
 * Expanding the spine with them is the sequence that was put in.
 *
 * Owner: the caller, who also owns the memory. Threads: one. Freestanding. Positions are 32 bits: finish and
 * begin anew before 2^32 - 1 items of the spine. */
#ifndef BOB_FOLD_CONTROL_H
#define BOB_FOLD_CONTROL_H

#include "fold/column.h"

#define BOB_SHAPES_MAX 65536u
#define BOB_LOOP_FLAG 0x80000000u /* items: shape id, or this | loop number */
#ifndef BOB_CURSOR_MAX		/* tests make these small */
#define BOB_LOOPS_MAX 4096u	/* no more are made beyond */
#define BOB_BODY_MAX 1024u	/* items of a body */
#define BOB_TAIL 16384u		/* items that loops are looked for in: a power of two */
#define BOB_CURSOR_MAX 24u	/* loops in each other that are expected at once */
#endif

struct bob_control;

/* All are called from within put and finish. */
struct bob_control_sink {
	void (*item)(void *ctx, uint32_t item);
	/* `body` is only lent; its items were given before, or are shapes */
	void (*loop)(void *ctx, uint32_t number, const uint32_t *body, uint32_t len);
	void (*trips)(void *ctx, uint32_t number, const struct bob_piece *p);
	void *ctx;
};

size_t bob_control_size(void);
/* `mem` is bob_control_size() bytes, aligned to 8 and zeroed; little of it is touched at first. */
struct bob_control *bob_control_init(void *mem, const struct bob_control_sink *sink);
/* `shape` < BOB_SHAPES_MAX. Budget: <= 3 ns where the cursor knows, <= 70 ns on random shapes
 * (bench/fold/bench_control.c). */
void bob_control_put(struct bob_control *c, uint32_t shape);
/* Everything that is left goes to the sink. Nothing may be put in after that. */
void bob_control_finish(struct bob_control *c);
uint32_t bob_control_loops(const struct bob_control *c);

#endif
