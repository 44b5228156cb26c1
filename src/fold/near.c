/* SPDX-License-Identifier: BSD-3-Clause */
/* Fast path of control.c: the next shape is expected, or close to an expected one. Loops whose
 * bodies begin with a shape are left, entered and skipped here, as they are when inner loops run
 * unevenly. The slow path, `feed`, has the same result. */
#include "fold/control_state.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

/* Leaves the innermost loop between two iterations. 0: not possible here. */
static inline int leave_whole(struct bob_control *c)
{
	struct bob_control_frame *f = c->top;

	if (f->at || !f->trips || f - 1 == c->frame || bob_control_is_loop(f->body[0]))
		return 0;
	c->top--;
	bob_control_put_trips(c, f->number, f->trips);
	c->top->ran = 1;
	bob_control_step(c->top);
	return 1;
}

/* Is the expected loop skipped if `shape` comes, because `shape` follows the loop? */
static inline int is_skipped(const struct bob_control *c, const struct bob_control_frame *f,
			     uint32_t shape)
{
	const uint32_t next = f->at + 1 < f->len ? f->body[f->at + 1] :
			      f->at		 ? f->body[0] :
						   BOB_CONTROL_NOTHING;

	return next == shape && bob_control_loop_at(c, f->body[f->at])->first != shape;
}

/* Moves the cursor to where `shape` is expected. 0: the slow path decides. */
static inline int find_near(struct bob_control *c, uint32_t shape)
{
	while (bob_control_has_cursor(c)) {
		const struct bob_control_frame *f = c->top;
		const uint32_t item = f->body[f->at];
		const struct bob_control_loop *l;

		if (item == shape)
			return 1;
		if (!bob_control_is_loop(item)) {
			if (!leave_whole(c))
				return 0;
			continue;
		}
		l = bob_control_loop_of(c, item);
		if (l->first == shape)
			return c->body[l->body] == shape &&
			       bob_control_enter(c, item & ~BOB_LOOP_FLAG, 0);
		if (!is_skipped(c, f, shape))
			return 0;
		bob_control_put_trips(c, item & ~BOB_LOOP_FLAG, 0);
		bob_control_step(c->top);
	}
	return 0;
}

void bob_control_put(struct bob_control *c, uint32_t shape)
{
	if (LIKELY(c->top->body[c->top->at] == shape) || find_near(c, shape))
		bob_control_step(c->top);
	else
		bob_control_put_slow(c, shape);
}

/* Does the body consist of this shape and a loop that is not entered? The cursor is at that
 * loop. */
static int is_beside_loop(const struct bob_control *c, const struct bob_control_frame *f,
			  uint32_t shape)
{
	return f->len == 2 && f->body[!f->at] == shape && bob_control_is_loop(f->body[f->at]) &&
	       bob_control_loop_at(c, f->body[f->at])->first != shape;
}

void bob_control_put_row(struct bob_control *c, uint32_t shape, uint64_t n)
{
	for (; n; n--) {
		struct bob_control_frame *f = c->top;

		if (f->len == 1 && f->body[0] == shape) { /* the loop has no other item */
			f->trips += n;
			f->ran = 0;
			return;
		}
		if (is_beside_loop(c, f, shape)) {
			f->trips += n;
			f->ran = 0;
			bob_columns_put_same(c->columns,
					     bob_control_loop_of(c, f->body[f->at])->column, 0, n);
			return;
		}
		bob_control_put(c, shape);
	}
}
