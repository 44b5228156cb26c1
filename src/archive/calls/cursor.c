/* SPDX-License-Identifier: BSD-3-Clause */
/* A cursor converts symbols to entries and exits, and maintains the thread's call stacks, one per
 * BOB_SYM_STACK number (docs/format.md, "Events"). It keeps checkpoints of the stacks at block
 * starts, so that seeking backwards decodes at most a few blocks. */
#include <stdlib.h>
#include <string.h>

#include "archive/calls/call_stacks.h"
#include "archive/reader.h"
#include "run/symbol.h"

#define SYMBOLS 4096		/* decoded at once */
#define CHECKPOINTS_MAX 64
#define CHECKPOINT_FRAMES_MAX 65536 /* larger stacks get no checkpoints */

/* State between symbols, except the stacks. */
struct carry {
	uint64_t index;		/* of the next entry */
	uint32_t stack;		/* current stack number */
	uint32_t notes;		/* notes for the next entry */
	uint32_t high;		/* upper id bits (22 and up) of the next ordinary symbol */
};

struct checkpoint {
	size_t block;
	struct carry carry;
	struct bob_call_stack *stacks;
	size_t stack_count;
};

struct bob_cursor {
	struct bob_symbol_reader r;
	struct carry s;
	struct bob_call_stack *stacks;	/* indexed by number */
	size_t stack_count;
	size_t frame_count;	/* over all stacks */
	uint32_t *syms;
	size_t at, n;
	uint64_t base;		/* position of syms[0] */
	/* the current symbol: first exits, then possibly an entry */
	uint64_t pops;
	uint64_t pops_pos;
	int drain;		/* end all frames of all stacks instead of `pops` */
	size_t drain_stack;
	int entry;		/* the entry of syms[at - 1] is pending */
	int reports_values;		/* set by bob_cursor_enable_values */
	struct bob_allowance allowed;
	uint32_t values;	/* EVENT or EVENTS still to be reported; 0: none */
	bob_status stop;	/* permanent failure */
	struct bob_cursor_faults faults;
	struct checkpoint *checks;
	size_t check_count, check_stride;
};

/* --- checkpoints --- */

/* Removes every second checkpoint if the table is full, so that they stay evenly spaced. */
static void thin_out(struct bob_cursor *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->check_count; i++) {
		if (i & 1)
			bob_stacks_free(c->checks[i].stacks, c->checks[i].stack_count);
		else
			c->checks[n++] = c->checks[i];
	}
	c->check_count = n;
	c->check_stride *= 2;
}

/* Saves a checkpoint at the start of block `block`. A failed allocation is harmless. */
static void keep_checkpoint(struct bob_cursor *c, size_t block)
{
	struct checkpoint *k;

	if (!block || block >= c->r.s->block_count || c->frame_count > CHECKPOINT_FRAMES_MAX ||
	    c->stack_count > CHECKPOINT_FRAMES_MAX)
		return;
	if (c->check_count == CHECKPOINTS_MAX)
		thin_out(c);
	if (c->check_count && block < c->checks[c->check_count - 1].block + c->check_stride)
		return;
	if (!c->checks)
		c->checks = calloc(CHECKPOINTS_MAX, sizeof(*c->checks));
	if (!c->checks)
		return;
	k = &c->checks[c->check_count];
	if (bob_stacks_copy(c->stacks, c->stack_count, &k->stacks))
		return;
	k->stack_count = c->stack_count;
	k->block = block;
	k->carry = c->s;
	c->check_count++;
}

/* --- start and end --- */

static bob_status restart(struct bob_cursor *c, const struct checkpoint *k)
{
	struct bob_call_stack *stacks = NULL;

	if (k && bob_stacks_copy(k->stacks, k->stack_count, &stacks))
		return BOB_ERR_NOMEM;
	bob_stacks_free(c->stacks, c->stack_count);
	c->stacks = stacks;
	c->stack_count = k ? k->stack_count : 0;
	c->frame_count = 0;
	for (size_t i = 0; i < c->stack_count; i++)
		c->frame_count += c->stacks[i].depth;
	memset(&c->s, 0, sizeof(c->s));
	if (k)
		c->s = k->carry;
	c->at = c->n = 0;
	c->pops = 0;
	c->drain = c->entry = 0;
	c->values = 0;
	c->stop = BOB_OK;
	bob_symbols_goto(&c->r, k ? k->block : 0);
	c->base = c->r.pos;
	if (k)
		return BOB_OK;
	if (bob_stacks_want(&c->stacks, &c->stack_count, 0) != BOB_OK)
		return BOB_ERR_NOMEM;
	c->stacks[0].inherited = c->r.s->start_depth;
	return BOB_OK;
}

bob_status bob_cursor_open(const struct bob_trace *t, uint32_t thread, struct bob_cursor **out,
			   struct bob_error *err)
{
	struct bob_cursor *c;

	if (thread >= t->thread_count)
		return bob_fail(err, BOB_ERR_INVAL, NULL, 0, "no such thread");
	if (t->threads[thread]->info.codec == BOB_CODEC_NULL)
		return bob_fail(err, BOB_ERR_INVAL, NULL, 0,
				"the thread's symbols were not stored");
	c = calloc(1, sizeof(*c));
	if (!c)
		return bob_fail(err, BOB_ERR_NOMEM, NULL, 0, "no memory");
	c->check_stride = 1;
	c->allowed = bob_allowance_of(t);
	c->syms = malloc(SYMBOLS * sizeof(*c->syms));
	if (!c->syms || bob_symbols_open(&c->r, t->threads[thread]) != BOB_OK ||
	    restart(c, NULL) != BOB_OK) {
		bob_cursor_close(c);
		return bob_fail(err, BOB_ERR_NOMEM, NULL, 0, "no memory");
	}
	*out = c;
	return BOB_OK;
}

void bob_cursor_enable_values(struct bob_cursor *c)
{
	c->reports_values = 1;
}

void bob_cursor_close(struct bob_cursor *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->check_count; i++)
		bob_stacks_free(c->checks[i].stacks, c->checks[i].stack_count);
	free(c->checks);
	bob_stacks_free(c->stacks, c->stack_count);
	bob_symbols_close(&c->r);
	free(c->syms);
	free(c);
}

/* --- symbols --- */

static void begin_drain(struct bob_cursor *c, uint64_t pos)
{
	c->drain = 1;
	c->drain_stack = 0;
	c->pops_pos = pos;
}

static bob_status refill(struct bob_cursor *c, struct bob_error *err)
{
	int hole = 0;
	bob_status st;

	if (!c->r.open && !c->r.hole)
		keep_checkpoint(c, c->r.block);
	st = bob_symbols_read(&c->r, c->syms, SYMBOLS, &c->n, &c->base, &hole, err);
	c->at = 0;
	if (st != BOB_OK) {
		c->n = 0;
		return st;
	}
	if (hole) {
		const struct bob_block_ref *b = &c->r.s->blocks[c->r.from];

		begin_drain(c, c->base);
		c->s.index = b->pos - (b->ext < b->pos ? b->ext : b->pos);
		c->s.stack = 0;
		c->s.high = 0;
		c->s.notes = BOB_NOTE_LOST;
	}
	return BOB_OK;
}

static bob_status switch_stack(struct bob_cursor *c, uint32_t number)
{
	if (bob_stacks_want(&c->stacks, &c->stack_count, number) != BOB_OK)
		return BOB_ERR_NOMEM;
	c->s.stack = number;
	c->s.notes |= BOB_NOTE_STACK;
	return BOB_OK;
}

static __attribute__((noinline)) bob_status take_extended(struct bob_cursor *c, uint32_t sym,
							  uint64_t pos)
{
	uint32_t payload = bob_sym_ext_payload(sym);

	switch (bob_sym_ext_kind(sym)) {
	case BOB_SYM_POPS:
		c->pops = payload;
		c->pops_pos = pos;
		break;
	case BOB_SYM_ID:
		if (payload >> (32 - BOB_SYM_ID_BITS))
			c->faults.unknown++;
		c->s.high = payload << BOB_SYM_ID_BITS;
		break;
	case BOB_SYM_STACK:
		return switch_stack(c, payload);
	case BOB_SYM_SIGNAL:
		c->s.notes |= BOB_NOTE_SIGNAL;
		break;
	case BOB_SYM_ORPHAN:
		c->s.notes |= BOB_NOTE_ORPHAN;
		break;
	case BOB_SYM_PAUSE:
		c->s.notes |= BOB_NOTE_PAUSED;
		begin_drain(c, pos);
		break;
	case BOB_SYM_LOST:
		c->s.notes |= BOB_NOTE_LOST;
		break;
	case BOB_SYM_END:
		begin_drain(c, pos + 1);
		break;
	case BOB_SYM_EVENT:
	case BOB_SYM_EVENTS:
		c->values = c->reports_values ? sym : 0;
		break;
	default:
		c->faults.unknown++;
	}
	return BOB_OK;
}

/* --- events --- */

static inline void emit_exit(struct bob_cursor *c, struct bob_call_stack *s, uint32_t number,
			     struct bob_event *ev)
{
	const struct bob_frame *f = &s->frames[--s->depth];

	c->frame_count--;
	ev->pos = c->pops_pos;
	ev->index = s->index[s->depth];
	ev->kind = BOB_EVENT_EXIT;
	ev->id = f->id;
	ev->depth = (uint32_t)(s->inherited + s->depth);
	ev->stack = number;
	ev->notes = 0;
	ev->reserved = 0;
}

/* Ends one frame. Returns 0 if all stacks are empty. */
static int drain_one(struct bob_cursor *c, struct bob_event *ev)
{
	c->stacks[0].inherited = 0; /* only stack 0 has inherited frames */
	for (; c->frame_count; c->drain_stack++) {
		struct bob_call_stack *s = &c->stacks[c->drain_stack];

		if (s->depth) {
			emit_exit(c, s, (uint32_t)c->drain_stack, ev);
			return 1;
		}
	}
	c->drain = 0;
	return 0;
}

/* Exits without a recorded frame end inherited frames; any further ones are faults. */
static __attribute__((noinline)) void pop_inherited(struct bob_cursor *c, struct bob_call_stack *s)
{
	uint64_t n = c->pops < s->inherited ? c->pops : s->inherited;

	s->inherited -= n;
	if (c->pops > n)
		c->faults.clamped++;
	c->pops = 0;
}

static inline bob_status emit_entry(struct bob_cursor *c, struct bob_call_stack *s,
				    struct bob_event *ev)
{
	uint64_t pos = c->base + c->at - 1;
	uint32_t id = bob_sym_id(c->syms[c->at - 1]) | c->s.high;
	struct bob_frame *f;

	if (s->depth == s->cap &&
	    (c->frame_count >= BOB_STACK_FRAMES_MAX || bob_stack_grow(s) != BOB_OK))
		return c->frame_count >= BOB_STACK_FRAMES_MAX ? BOB_ERR_FULL : BOB_ERR_NOMEM;
	c->entry = 0;
	f = &s->frames[s->depth];
	f->id = id;
	f->notes = c->s.notes;
	f->pos = pos;
	s->index[s->depth] = c->s.index;
	ev->pos = pos;
	ev->index = c->s.index++;
	ev->kind = BOB_EVENT_ENTRY;
	ev->id = id;
	ev->depth = (uint32_t)(s->inherited + s->depth++);
	ev->stack = c->s.stack;
	ev->notes = c->s.notes;
	ev->reserved = 0;
	c->frame_count++;
	c->s.notes = 0;
	c->s.high = 0;
	return BOB_OK;
}

static bob_status emit_values(struct bob_cursor *c, const struct bob_call_stack *s,
			      struct bob_event *ev)
{
	*ev = (struct bob_event){ .pos = c->base + c->at - 1,
				  .index = c->s.index,
				  .kind = bob_sym_ext_kind(c->values) == BOB_SYM_EVENT ?
						  BOB_EVENT_VALUES :
						  BOB_EVENT_NO_PLACE,
				  .id = bob_sym_ext_payload(c->values),
				  .depth = (uint32_t)(s->inherited + s->depth),
				  .stack = c->s.stack };
	c->values = 0;
	return BOB_OK;
}

static bob_status fail_stop(struct bob_cursor *c, bob_status st, struct bob_error *err)
{
	c->stop = st;
	return bob_fail(err, st, c->r.s->file, c->r.s->head_off,
			st == BOB_ERR_FULL ? "the call stack is too deep" : "no memory");
}

/* Emits the next event of the current symbol. BOB_END: it has no more. */
static inline bob_status emit_pending(struct bob_cursor *c, struct bob_event *ev,
				      struct bob_error *err)
{
	struct bob_call_stack *s = &c->stacks[c->s.stack];
	bob_status st;

	if (c->drain) {
		if (drain_one(c, ev))
			return BOB_OK;
	} else if (c->pops) {
		if (s->depth) {
			c->pops--;
			emit_exit(c, s, c->s.stack, ev);
			return BOB_OK;
		}
		pop_inherited(c, s);
	}
	if (!c->entry)
		return c->values ? emit_values(c, s, ev) : BOB_END;
	st = emit_entry(c, s, ev);
	return st == BOB_OK ? st : fail_stop(c, st, err);
}

static inline bob_status take_symbol(struct bob_cursor *c, struct bob_error *err)
{
	uint32_t sym = c->syms[c->at++];
	bob_status st;

	if (!bob_sym_is_ext(sym)) {
		c->pops = bob_sym_pops(sym);
		c->pops_pos = c->base + c->at - 1;
		c->entry = 1;
		return BOB_OK;
	}
	st = take_extended(c, sym, c->base + c->at - 1);
	return st == BOB_OK ? st : fail_stop(c, st, err);
}

bob_status bob_cursor_next(struct bob_cursor *c, struct bob_event *ev, struct bob_error *err)
{
	bob_status st;

	if (c->stop != BOB_OK)
		return c->stop;
	for (;;) {
		st = emit_pending(c, ev, err);
		if (st == BOB_OK && !bob_allowance_take(&c->allowed))
			return c->stop = BOB_END;
		if (st != BOB_END)
			return st;
		st = c->at == c->n ? refill(c, err) : take_symbol(c, err);
		if (st != BOB_OK)
			return st;
	}
}

/* --- seeking --- */

/* Position of the next symbol to be processed. */
static uint64_t next_pos(const struct bob_cursor *c)
{
	return c->at < c->n ? c->base + c->at : c->r.pos;
}

static int between_symbols(const struct bob_cursor *c)
{
	return !c->pops && !c->drain && !c->entry && !c->values;
}

/* Processes whole symbols until the next one is at `pos` or later. */
static bob_status run_to(struct bob_cursor *c, uint64_t pos, struct bob_error *err)
{
	struct bob_event ev;
	bob_status st;

	for (;;) {
		do
			st = emit_pending(c, &ev, err);
		while (st == BOB_OK);
		if (st != BOB_END)
			return st;
		if (c->at < c->n && next_pos(c) >= pos)
			return BOB_OK;
		st = c->at == c->n ? refill(c, err) : take_symbol(c, err);
		if (st != BOB_OK && st != BOB_ERR_CORRUPT) /* damaged blocks are skipped */
			return st;
	}
}

bob_status bob_cursor_seek(struct bob_cursor *c, uint64_t pos, struct bob_error *err)
{
	const struct bob_stream *s = c->r.s;
	const struct checkpoint *best = NULL;
	int back = c->stop != BOB_OK || !between_symbols(c) || next_pos(c) > pos;

	for (size_t i = 0; i < c->check_count; i++)
		if (s->blocks[c->checks[i].block].pos <= pos)
			best = &c->checks[i];
	if (!back && (!best || s->blocks[best->block].pos <= next_pos(c)))
		return run_to(c, pos, err);
	if (restart(c, best) != BOB_OK)
		return fail_stop(c, BOB_ERR_NOMEM, err);
	return run_to(c, pos, err);
}

const struct bob_frame *bob_cursor_stack(const struct bob_cursor *c, size_t *depth)
{
	const struct bob_call_stack *s = &c->stacks[c->s.stack];

	*depth = s->depth;
	return s->frames;
}

void bob_cursor_faults(const struct bob_cursor *c, struct bob_cursor_faults *out)
{
	*out = c->faults;
}
