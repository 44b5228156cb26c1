/* SPDX-License-Identifier: BSD-3-Clause */
/* Calling context tree: calls per call path. Its size is bounded; a path that would need another
 * node is counted at its parent. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/stacks.h"
#include "base/host/map.h"
#include "base/order.h"

#define MAX_DEFAULT 4000000u
#define TICK_EVENTS (1u << 20)

struct frame {
	uint32_t depth;		/* first member, see stacks.h */
	uint32_t context;
};

struct bob_contexts {
	const struct bob_functions *functions;
	BOB_MAP(struct bob_context);
	uint32_t max;
	uint64_t merged;
};

bob_status bob_contexts_create(const struct bob_functions *f, uint32_t max,
			       struct bob_contexts **out)
{
	struct bob_contexts *c = calloc(1, sizeof(*c));

	if (!c)
		return BOB_ERR_NOMEM;
	c->functions = f;
	c->max = max ? max : MAX_DEFAULT;
	if (BOB_VEC_ADD(c, (struct bob_context){ BOB_CALLER_NONE, BOB_CONTEXT_ROOT, ~0u, ~0u, 0,
						 0 })) {
		bob_contexts_destroy(c);
		return BOB_ERR_NOMEM;
	}
	*out = c;
	return BOB_OK;
}

void bob_contexts_destroy(struct bob_contexts *c)
{
	if (!c)
		return;
	BOB_MAP_FREE(c);
	free(c);
}

static bob_status find_child(struct bob_contexts *c, uint32_t parent, uint32_t number,
			     uint32_t *out)
{
	const uint64_t hash = bob_hash_mix((uint64_t)parent << 32 | number);
	struct bob_probe p = bob_probe_of(hash);
	struct bob_context *own;

	while (bob_index_next(&c->index, &p))
		if (c->at[p.number].parent == parent && c->at[p.number].number == number) {
			*out = p.number;
			return BOB_OK;
		}
	if (c->count >= c->max) {
		c->merged++;
		*out = parent;
		return BOB_OK;
	}
	own = BOB_MAP_ADD(c, hash);
	if (!own)
		return BOB_ERR_NOMEM;
	*own = (struct bob_context){ number, parent, ~0u, ~0u, 0, 0 };
	*out = (uint32_t)(c->count - 1);
	return BOB_OK;
}

static bob_status enter(struct bob_contexts *c, struct bob_stacks *stacks, struct bob_stack *k,
			const struct bob_event *ev, uint32_t process)
{
	uint32_t parent = BOB_CONTEXT_ROOT, own;
	struct frame *top;
	bob_status st;

	while (bob_stack_ends(stacks, k, ev->depth))
		k->depth--;
	if (k->depth && !(ev->notes & (BOB_NOTE_ORPHAN | BOB_NOTE_SIGNAL)))
		parent = ((struct frame *)bob_stack_top(stacks, k))->context;
	st = find_child(c, parent, bob_functions_number(c->functions, process, ev->id), &own);
	if (st != BOB_OK)
		return st;
	top = bob_stack_push(stacks, k);
	if (!top)
		return BOB_ERR_NOMEM;
	*top = (struct frame){ ev->depth, own };
	c->at[own].calls++;
	return BOB_OK;
}

static bob_status read_events(struct bob_contexts *c, struct bob_cursor *cursor, uint32_t process,
			      struct bob_stacks *stacks, const struct bob_progress *progress,
			      struct bob_error *err)
{
	bob_status st, damage = BOB_OK;
	uint32_t until_tick = TICK_EVENTS;
	struct bob_event ev;

	for (;;) {
		struct bob_stack *k;

		st = bob_cursor_next(cursor, &ev, damage == BOB_OK ? err : NULL);
		if (st == BOB_ERR_CORRUPT) {	/* intact events may follow */
			damage = st;
			continue;
		}
		if (st != BOB_OK)
			return st == BOB_END ? damage : st;
		k = bob_stacks_get(stacks, ev.stack);
		if (!k)
			return BOB_ERR_NOMEM;
		if (ev.kind == BOB_EVENT_EXIT) {
			while (bob_stack_ends(stacks, k, ev.depth))
				k->depth--;
			continue;
		}
		st = enter(c, stacks, k, &ev, process);
		if (st != BOB_OK)
			return st;
		if (!--until_tick) {
			until_tick = TICK_EVENTS;
			if (progress && progress->tick)
				progress->tick(progress->ctx, TICK_EVENTS);
		}
	}
}

bob_status bob_contexts_add(struct bob_contexts *c, const struct bob_trace *t, uint32_t thread,
			    const struct bob_progress *progress, struct bob_error *err)
{
	const struct bob_thread_info *info = bob_trace_thread(t, thread);
	struct bob_stacks stacks = { .frame_bytes = sizeof(struct frame) };
	struct bob_cursor *cursor;
	bob_status st;

	if (!info)
		return BOB_ERR_INVAL;
	st = bob_cursor_open(t, thread, &cursor, err);
	if (st != BOB_OK)
		return st;
	st = read_events(c, cursor, info->process, &stacks, progress, err);
	bob_stacks_fini(&stacks);
	bob_cursor_close(cursor);
	return st;
}

/* Sort keys with indices, because qsort has no context argument. */
struct sort_key {
	uint64_t weight;
	uint32_t parent, number, index;
};

BOB_COMPARE(by_parent_and_weight, struct sort_key, BOB_UP(parent) BOB_DOWN(weight) BOB_UP(number))

bob_status bob_contexts_sort(struct bob_contexts *c)
{
	struct sort_key *keys = calloc(c->count, sizeof(*keys));

	if (!keys)
		return BOB_ERR_NOMEM;
	for (uint32_t i = (uint32_t)c->count - 1; i > 0; i--) /* children follow their parents */
		c->at[c->at[i].parent].below += c->at[i].below + c->at[i].calls;
	for (uint32_t i = 1; i < c->count; i++)
		keys[i - 1] = (struct sort_key){ c->at[i].below + c->at[i].calls, c->at[i].parent,
						 c->at[i].number, i };
	qsort(keys, c->count - 1, sizeof(*keys), by_parent_and_weight);
	for (uint32_t i = (uint32_t)c->count - 1; i > 0; i--) {
		struct bob_context *parent = &c->at[keys[i - 1].parent];

		c->at[keys[i - 1].index].next = parent->first_child;
		parent->first_child = keys[i - 1].index;
	}
	free(keys);
	return BOB_OK;
}

const struct bob_context *bob_contexts_all(const struct bob_contexts *c, uint32_t *count)
{
	*count = (uint32_t)c->count;
	return c->at;
}

uint64_t bob_contexts_merged(const struct bob_contexts *c)
{
	return c->merged;
}
