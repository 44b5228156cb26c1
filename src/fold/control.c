/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop detection (control.h). The *tail* is a ring buffer of the newest items. Its last item may be
 * a loop that is still running; the frames of the cursor are the positions in it and in its inner
 * loops. All other items are complete, and their trip counts are in the columns. So these are in
 * execution order, whatever happens to the items later.
 *
 * If a loop is left in the middle of its body, the matched part of the body belongs to the code
 * after the loop (the head of a while loop runs once more than its body), and its shapes are fed
 * again. Loops in that part have run and their trip counts are recorded, so they must not become
 * part of anything that would record earlier counts. Either the enclosing loop expects exactly
 * these items, or all running loops end and all items go to the tail. */
#include "fold/control_state.h"

#include <string.h>

#include "base/hash.h"

#define CANDIDATES 4
#define NOWHERE 0u
#define NOWHERE_IN_BODY UINT32_MAX

#define AT(pos) ((pos) & (BOB_TAIL - 1))
#define FACTOR 0x9e3779b97f4a7c15ull

static uint32_t *last_of(struct bob_control *c, uint32_t item)
{
	return bob_control_is_loop(item) ? &bob_control_loop_of(c, item)->last :
					   &c->shape_last[item];
}

/* --- loops --- */

/* Returns the number of the loop with this body, or BOB_LOOPS_MAX if the table is full. */
static uint32_t make_loop(struct bob_control *c, const uint32_t *body, uint32_t len)
{
	uint64_t hash = bob_hash64(len, body, len * sizeof(*body));
	uint32_t at = (uint32_t)(hash % BOB_CONTROL_SLOTS), number = c->loop_count;

	for (; c->slot[at]; at = (at + 1) % BOB_CONTROL_SLOTS) {
		struct bob_control_loop *l = &c->loop[c->slot[at] - 1];

		if (l->hash == hash && l->len == len &&
		    !memcmp(c->body + l->body, body, len * sizeof(*body)))
			return c->slot[at] - 1u;
	}
	if (number == BOB_LOOPS_MAX || len > BOB_CONTROL_BODIES - c->body_used)
		return BOB_LOOPS_MAX;
	struct bob_control_loop *l = &c->loop[number];
	l->column = bob_columns_add(c->columns, 1, 1);
	if (l->column == BOB_COLUMNS_NONE)
		return BOB_LOOPS_MAX;
	l->hash = hash;
	l->body = c->body_used;
	l->len = len;
	l->first = bob_control_is_loop(body[0]) ? bob_control_loop_of(c, body[0])->first : body[0];
	memcpy(c->body + l->body, body, len * sizeof(*body));
	c->body_used += len;
	c->slot[at] = (uint16_t)++c->loop_count;
	c->sink.loop(c->sink.ctx, l->column, c->body + l->body, len);
	return number;
}

/* --- the cursor --- */

/* Index in the rest of the body at which `shape` may occur if all loops before it run zero times.
 * len: nowhere, but all remaining items are loops, which may be empty. NOWHERE_IN_BODY: another
 * shape must come first. */
static uint32_t find_in_body(struct bob_control *c, const struct bob_control_frame *f,
			     uint32_t shape)
{
	for (uint32_t at = f->at; at < f->len; at++) {
		uint32_t item = f->body[at];

		if (item == shape ||
		    (bob_control_is_loop(item) && bob_control_loop_of(c, item)->first == shape))
			return at;
		if (!bob_control_is_loop(item))
			return NOWHERE_IN_BODY;
	}
	return f->len;
}

static void skip_loops(struct bob_control *c, struct bob_control_frame *f, uint32_t to)
{
	for (; f->at < to; f->at++)
		bob_control_put_trips(c, f->body[f->at] & ~BOB_LOOP_FLAG, 0);
}

/* Enters the loops that begin with `shape` until the cursor expects the shape itself. 0: nested too
 * deep. */
static int descend(struct bob_control *c, uint32_t shape)
{
	struct bob_control_frame *base = c->top;

	while (c->top->body[c->top->at] != shape)
		if (!bob_control_enter(c, c->top->body[c->top->at] & ~BOB_LOOP_FLAG, 0)) {
			c->top = base;
			return 0;
		}
	return 1;
}

/* Does the enclosing loop, after this loop, expect exactly the matched part of the body? */
static int expects_part(const struct bob_control_frame *around, const struct bob_control_frame *f)
{
	return around->len - (around->at + 1) >= f->at &&
	       !memcmp(around->body + around->at + 1, f->body, f->at * sizeof(*f->body));
}

static int has_loops(const uint32_t *items, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (bob_control_is_loop(items[i]))
			return 1;
	return 0;
}

/* Has this iteration an event? Iterations without events do not count; otherwise their number would
 * be unbounded. */
static int has_event(const struct bob_control_frame *f)
{
	for (uint32_t i = 0; i < f->at; i++)
		if (!bob_control_is_loop(f->body[i]))
			return 1;
	return f->ran != 0;
}

/* --- the tail --- */

static void push(struct bob_control *c, uint32_t item, int doubtful)
{
	uint32_t pos = c->end, *last = last_of(c, item);
	uint64_t hash = c->prefix[AT(pos)];

	if (pos - c->begin == BOB_TAIL - 1)
		c->sink.item(c->sink.ctx, c->item[AT(c->begin++)]);
	c->item[AT(pos)] = item;
	c->before[AT(pos)] = *last;
	c->doubtful[AT(pos)] = (uint8_t)doubtful;
	*last = pos;
	c->end = pos + 1;
	c->prefix[AT(pos + 1)] = (hash + item + 1) * FACTOR;
}

static void pop(struct bob_control *c, uint32_t n)
{
	while (n--) {
		c->end--;
		*last_of(c, c->item[AT(c->end)]) = c->before[AT(c->end)];
	}
}

static uint64_t power(uint32_t n)
{
	uint64_t p = 1, f = FACTOR;

	for (; n; n >>= 1, f *= f)
		if (n & 1)
			p *= f;
	return p;
}

/* Do the last `n` items equal the `n` before them, and does each half have an event? Skipped loops
 * alone are no iteration. A polynomial hash over prefixes is compared first. */
static int repeats(const struct bob_control *c, uint32_t n)
{
	uint32_t end = c->end;
	uint64_t a = c->prefix[AT(end - 2 * n)], b = c->prefix[AT(end - n)], p;
	int sure = 0;

	/* the last items are known to be equal; those before them mostly differ */
	if (n > 1 && c->item[AT(end - 2)] != c->item[AT(end - n - 2)])
		return 0;
	p = power(n);
	if (b - a * p != c->prefix[AT(end)] - b * p)
		return 0;
	for (uint32_t i = 1; i <= n; i++) {
		if (c->item[AT(end - i)] != c->item[AT(end - n - i)])
			return 0;
		sure |= (!c->doubtful[AT(end - i)]) | (!c->doubtful[AT(end - n - i)]) << 1;
	}
	return sure == 3;
}

/* Makes a loop if the newest items are a repetition of the items before them. */
static void find_loop(struct bob_control *c)
{
	uint32_t newest = c->end - 1, pos = c->before[AT(newest)];

	for (int i = 0; i < CANDIDATES && pos >= c->begin && pos != NOWHERE; i++) {
		uint32_t n = newest - pos;

		if (n > BOB_BODY_MAX || c->end - c->begin < 2 * n)
			return;
		if (repeats(c, n)) {
			for (uint32_t k = 0; k < n; k++)
				c->scratch[k] = c->item[AT(c->end - n + k)];
			uint32_t number = make_loop(c, c->scratch, n);
			if (number == BOB_LOOPS_MAX)
				return;
			pop(c, 2 * n);
			push(c, BOB_LOOP_FLAG | number, 0);
			bob_control_enter(c, number, 2);
			return;
		}
		pos = c->before[AT(pos)];
	}
}

/* --- leaving loops --- */

/* Ends all running loops. Their incomplete iterations follow them in the tail. */
static void unwind(struct bob_control *c)
{
	for (struct bob_control_frame *f = c->frame + 1; f <= c->top; f++) {
		if (f->trips) {
			bob_control_put_trips(c, f->number, f->trips);
			if (f != c->frame + 1)
				push(c, BOB_LOOP_FLAG | f->number, 0);
		}
		for (uint32_t i = 0; i < f->at; i++)
			push(c, f->body[i], bob_control_is_loop(f->body[i]) != 0);
	}
	c->top = c->frame;
	while (c->queue_len)
		push(c, c->queue[--c->queue_len], 0);
	find_loop(c);
}

static void feed_again(struct bob_control *c, const struct bob_control_frame *f)
{
	for (uint32_t i = f->at; i-- > 0;)
		c->queue[c->queue_len++] = f->body[i];
}

/* Advances the enclosing loop past `f`. If the matched part of the body consists of loops, also
 * past that part. */
static void go_on(struct bob_control_frame *around, const struct bob_control_frame *f, int loops)
{
	uint32_t n = loops ? f->at : 0;

	around->ran |= f->trips != 0;
	bob_control_step(around);
	while (n--) {
		around->ran |= f->ran;
		bob_control_step(around);
	}
}

/* Leaves the innermost loop, possibly in the middle of its body. */
static void leave(struct bob_control *c)
{
	struct bob_control_frame *f = c->top, *around = f - 1;
	int is_nested = around != c->frame, loops = has_loops(f->body, f->at);

	if (loops && !(is_nested && has_event(f) && expects_part(around, f))) {
		unwind(c);
		return;
	}
	if (is_nested && !f->trips && !loops && !has_event(around)) {
		/* the loop did not begin after all, nor did the enclosing iteration */
		feed_again(c, f);
		c->top = around;
		leave(c);
		return;
	}
	c->top = around;
	bob_control_put_trips(c, f->number, f->trips);
	if (!loops)
		feed_again(c, f);
	if (is_nested)
		go_on(around, f, loops);
	else
		find_loop(c);
}

/* --- input --- */

static void feed(struct bob_control *c, uint32_t shape)
{
	while (bob_control_has_cursor(c)) {
		struct bob_control_frame *f = c->top;
		uint32_t at = find_in_body(c, f, shape);

		if (at == f->len && has_event(f)) {
			skip_loops(c, f, at - 1);
			bob_control_put_trips(c, f->body[f->at] & ~BOB_LOOP_FLAG, 0);
			bob_control_step(f);
			continue;
		}
		if (at < f->len) {
			skip_loops(c, f, at);
			if (descend(c, shape)) {
				bob_control_step(c->top);
				return;
			}
		}
		c->queue[c->queue_len++] = shape;
		leave(c);
		return;
	}
	push(c, shape, 0);
	find_loop(c);
}

void bob_control_put_slow(struct bob_control *c, uint32_t shape)
{
	c->queue[c->queue_len++] = shape;
	while (c->queue_len)
		feed(c, c->queue[--c->queue_len]);
}

/* --- life --- */

static const uint32_t expects_nothing[1] = { BOB_CONTROL_NOTHING };

size_t bob_control_size(void)
{
	return sizeof(struct bob_control);
}

struct bob_control *bob_control_init(void *mem, const struct bob_control_sink *sink,
				     struct bob_columns *columns)
{
	struct bob_control *c = mem;

	c->sink = *sink;
	c->columns = columns;
	c->frame[0] = (struct bob_control_frame){ .body = expects_nothing, .len = 1 };
	c->top = c->frame;
	c->begin = c->end = 1;
	return c;
}

void bob_control_rest(const struct bob_control *c, void (*item)(void *ctx, uint32_t item),
		      void *ctx)
{
	for (uint32_t pos = c->begin; pos < c->end; pos++)
		item(ctx, c->item[AT(pos)]);
	for (const struct bob_control_frame *f = c->frame + 1; f <= c->top; f++) {
		if (f->trips && f != c->frame + 1) /* the loop of the first frame is in the tail */
			item(ctx, BOB_LOOP_FLAG | f->number);
		for (uint32_t i = 0; i < f->at; i++)
			item(ctx, f->body[i]);
	}
}

int bob_control_running(const struct bob_control *c, uint32_t column, uint64_t *trips)
{
	for (const struct bob_control_frame *f = c->frame + 1; f <= c->top; f++)
		if (f->trips && c->loop[f->number].column == column) {
			*trips = f->trips;
			return 1;
		}
	return 0;
}
