/* SPDX-License-Identifier: BSD-3-Clause */
/* The state shared by control.c, which finds loops, and near.c, the fast path inside known loops.
 * Owner, threads: see control.h. */
#ifndef BOB_FOLD_CONTROL_STATE_H
#define BOB_FOLD_CONTROL_STATE_H

#include "fold/control.h"

#define BOB_CONTROL_SLOTS (2 * BOB_LOOPS_MAX)
#define BOB_CONTROL_BODIES (16 * BOB_LOOPS_MAX)
#define BOB_CONTROL_QUEUE (BOB_BODY_MAX * (BOB_CURSOR_MAX + 1) + 1)
#define BOB_CONTROL_NOTHING UINT32_MAX /* matches no shape, and looks like a loop */

struct bob_control_loop {
	uint64_t hash;		/* of the body */
	uint32_t body, len;	/* body: offset in the array of bodies */
	uint32_t column;	/* of trip counts */
	uint32_t first;		/* first shape of its execution */
	uint32_t last;		/* position of its newest item in the tail, NOWHERE if none */
};

struct bob_control_frame {
	const uint32_t *body;
	uint32_t len;
	uint32_t at;		/* index of the next item of the body */
	uint64_t trips;		/* complete iterations */
	uint32_t number;
	uint32_t ran;		/* an inner loop has run in this iteration */
};

struct bob_control {
	struct bob_control_sink sink;
	struct bob_columns *columns;
	struct bob_control_frame *top;	/* innermost frame; frame[0] if there is no cursor */
	uint32_t end;		/* position after the newest item; positions begin at 1 */
	uint32_t begin;		/* position of the oldest item in the tail */
	uint32_t loop_count, body_used;
	uint32_t queue_len;	/* shapes to be fed; the next one is last */
	struct bob_control_frame frame[BOB_CURSOR_MAX + 1]; /* [0] is no loop */
	uint32_t item[BOB_TAIL];
	uint32_t before[BOB_TAIL];	/* position of the previous equal item */
	uint64_t prefix[BOB_TAIL];	/* hash of all items before this one */
	uint8_t doubtful[BOB_TAIL];	/* a loop that may have run zero times */
	uint32_t queue[BOB_CONTROL_QUEUE];		/* shapes */
	uint32_t scratch[BOB_BODY_MAX];
	uint32_t shape_last[BOB_SHAPES_MAX];
	/* hash table of bodies: loop number + 1, linear probing */
	uint16_t slot[BOB_CONTROL_SLOTS];
	uint32_t body[BOB_CONTROL_BODIES];
	struct bob_control_loop loop[BOB_LOOPS_MAX];
};

static inline uint32_t bob_control_is_loop(uint32_t item)
{
	return item >> 31;
}

static inline struct bob_control_loop *bob_control_loop_of(struct bob_control *c, uint32_t item)
{
	return &c->loop[item & ~BOB_LOOP_FLAG];
}

static inline const struct bob_control_loop *bob_control_loop_at(const struct bob_control *c,
								 uint32_t item)
{
	return &c->loop[item & ~BOB_LOOP_FLAG];
}

static inline void bob_control_put_trips(struct bob_control *c, uint32_t number, uint64_t trips)
{
	bob_columns_put_in_line(c->columns, c->loop[number].column, trips);
}

static inline int bob_control_has_cursor(const struct bob_control *c)
{
	return c->top != c->frame;
}

static inline int bob_control_enter(struct bob_control *c, uint32_t number, uint64_t trips)
{
	struct bob_control_loop *l = &c->loop[number];

	if (c->top == c->frame + BOB_CURSOR_MAX)
		return 0;
	*++c->top = (struct bob_control_frame){
		.body = c->body + l->body, .len = l->len, .trips = trips, .number = number
	};
	return 1;
}

/* Advances the frame past the expected item. */
static inline void bob_control_step(struct bob_control_frame *f)
{
	if (++f->at == f->len) {
		f->at = 0;
		f->trips++;
		f->ran = 0;
	}
}

/* --- control.c --- */
/* Slow path: the shape is neither expected nor near an expected one. Loops are left or found. */
void bob_control_put_slow(struct bob_control *c, uint32_t shape);

#endif
