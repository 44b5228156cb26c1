/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop detection in the order of events: a sequence of shape ids is folded online. Values never
 * take part (they are columns), so the structure is that of the program's control flow only.
 *
 * An *item* is a shape or a loop. A loop is its body, a sequence of items. Iteration counts are not
 * part of it: each loop has a column (columns.h) of trip counts, one per execution, in order of
 * execution. Equal bodies are one loop, so comparing loops is comparing numbers.
 *
 * Two techniques make it fast. If the newest item is a loop, a *cursor* inside it predicts the next
 * shape, at the cost of a comparison. Otherwise loops are found by the positions of equal items:
 * the items between the last two occurrences are compared with those before them, by hashes, so no
 * window is scanned.
 *
 * Output, in order: items (the *spine*), loops when they are created, trip counts. Expanding the
 * spine with them generates the input sequence.
 *
 * Owner: the caller, also of the memory. Threads: one. Freestanding. */
#ifndef BOB_FOLD_CONTROL_H
#define BOB_FOLD_CONTROL_H

#include "fold/columns.h"

#define BOB_SHAPES_MAX 65536u
#define BOB_LOOP_FLAG 0x80000000u /* items: shape id, or this | loop number */
#ifndef BOB_CURSOR_MAX		/* tests define smaller values */
#define BOB_LOOPS_MAX 4096u	/* further loops are not detected */
#define BOB_BODY_MAX 1024u	/* items of a body */
#define BOB_TAIL 16384u		/* items that are searched for loops: a power of two */
#define BOB_CURSOR_MAX 24u	/* nested loops that the cursor follows */
#endif

struct bob_control;

/* Callbacks, called by put. */
struct bob_control_sink {
	void (*item)(void *ctx, uint32_t item);
	/* `body` is borrowed; its loops were reported before. `column`: of its trip counts */
	void (*loop)(void *ctx, uint32_t column, const uint32_t *body, uint32_t len);
	void *ctx;
};

size_t bob_control_size(void);
/* `mem` is bob_control_size() bytes, aligned to 8 and zeroed. Initialisation touches little of
 * it. */
struct bob_control *bob_control_init(void *mem, const struct bob_control_sink *sink,
				     struct bob_columns *columns);
/* `shape` < BOB_SHAPES_MAX. Budget: <= 3 ns if the cursor predicts it, <= 70 ns for random shapes
 * (bench/fold/bench_control.c). */
void bob_control_put(struct bob_control *c, uint32_t shape);
/* Puts the same shape `n` times. */
void bob_control_put_row(struct bob_control *c, uint32_t shape, uint64_t n);
/* Reports the pending items without changing the state. */
void bob_control_rest(const struct bob_control *c, void (*item)(void *ctx, uint32_t item),
		      void *ctx);
/* If the loop of `column` is running: 1, and *trips is its trip count so far. Otherwise 0. */
int bob_control_running(const struct bob_control *c, uint32_t column, uint64_t *trips);

#endif
