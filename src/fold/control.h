/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of events: a sequence of shape ids, folded into loops while it comes in. Values never
 * take part (they are columns), so the structure is that of the program's control flow and nothing
 * else.
 *
 * An *item* is a shape or a loop. A loop is its body, a row of items; how often it ran is not part
 * of it: each loop has a column (columns.h) of trip counts, one for every time it ran, in the order
 * of execution. Equal bodies are one loop, so comparing loops is comparing numbers.
 *
 * Two things make it fast. Where a loop is the newest item, a *cursor* in it expects the next
 * shape: a comparison. Elsewhere loops are found by the positions of equal items: the items between
 * the last two are compared with those before, by hashes, so no window is scanned.
 *
 * Its output, in order: items (the *spine*), loops when they are made, trip counts. Expanding the
 * spine with them gives the input sequence.
 *
 * Owner: the caller, who also owns the memory. Threads: one. Freestanding. */
#ifndef BOB_FOLD_CONTROL_H
#define BOB_FOLD_CONTROL_H

#include "fold/columns.h"

#define BOB_SHAPES_MAX 65536u
#define BOB_LOOP_FLAG 0x80000000u /* items: shape id, or this | loop number */
#ifndef BOB_CURSOR_MAX		/* tests make these small */
#define BOB_LOOPS_MAX 4096u	/* no more are made beyond */
#define BOB_BODY_MAX 1024u	/* items of a body */
#define BOB_TAIL 16384u		/* items that loops are looked for in: a power of two */
#define BOB_CURSOR_MAX 24u	/* loops in each other that are expected at once */
#endif

struct bob_control;

/* Called from within put. */
struct bob_control_sink {
	void (*item)(void *ctx, uint32_t item);
	/* `body` is borrowed; its items were given before, or are shapes. `column` is that of the
	 * trip counts */
	void (*loop)(void *ctx, uint32_t column, const uint32_t *body, uint32_t len);
	void *ctx;
};

size_t bob_control_size(void);
/* `mem` is bob_control_size() bytes, aligned to 8 and zeroed; little of it is touched at first. */
struct bob_control *bob_control_init(void *mem, const struct bob_control_sink *sink,
				     struct bob_columns *columns);
/* `shape` < BOB_SHAPES_MAX. Budget: <= 3 ns where the cursor knows, <= 70 ns on random shapes
 * (bench/fold/bench_control.c). */
void bob_control_put(struct bob_control *c, uint32_t shape);
/* The same shape `n` times. */
void bob_control_put_row(struct bob_control *c, uint32_t shape, uint64_t n);
/* The items after those given so far. Nothing changes. */
void bob_control_rest(const struct bob_control *c, void (*item)(void *ctx, uint32_t item),
		      void *ctx);
/* The trip count that the column of a loop lacks then, because it is running: 1, or 0 if none. */
int bob_control_running(const struct bob_control *c, uint32_t column, uint64_t *trips);

#endif
