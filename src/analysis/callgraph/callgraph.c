/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts calls per function and per arc in one pass over a thread's events.
 *
 * Frames refer to arcs by index in a map; the arc by which a function was last entered is tried
 * first. `below` of a frame counts the calls inside it; its exit adds them to the caller. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/stacks.h"
#include "base/host/map.h"
#include "base/order.h"

#define TICK_EVENTS (1u << 20)

struct frame {
	uint32_t depth;		/* first member, see stacks.h */
	uint32_t number;
	uint32_t arc;
	uint32_t apart;		/* the frame below is not its caller: a signal handler, or
				 * unknown */
	uint64_t below;
};

/* State of a function during a pass. */
struct function {
	uint32_t active;	/* open frames in the current thread */
	uint32_t last_arc;	/* arc of its last entry + 1; 0: none */
};

struct bob_callgraph {
	const struct bob_functions *functions;
	uint32_t count;
	uint64_t *calls, *below;
	struct function *states;
	uint64_t total;
	BOB_MAP(struct bob_call_arc) arcs;
};

/* Ids may be any 32-bit numbers, and a damaged process may claim all of them. */
#define MAPPED_MAX (1u << 20)

/* State of one pass. */
struct pass {
	struct bob_callgraph *g;
	struct bob_stacks stacks;
	uint32_t process;
	uint32_t *map;		/* function number by id, for the first MAPPED_MAX ids */
	uint32_t map_count;
};

bob_status bob_callgraph_create(const struct bob_functions *f, struct bob_callgraph **out)
{
	struct bob_callgraph *g = calloc(1, sizeof(*g));

	if (!g)
		return BOB_ERR_NOMEM;
	g->functions = f;
	g->count = bob_functions_count(f);
	g->calls = calloc(g->count, sizeof(*g->calls));
	g->below = calloc(g->count, sizeof(*g->below));
	g->states = calloc(g->count, sizeof(*g->states));
	if (!g->calls || !g->below || !g->states) {
		bob_callgraph_destroy(g);
		return BOB_ERR_NOMEM;
	}
	*out = g;
	return BOB_OK;
}

void bob_callgraph_destroy(struct bob_callgraph *g)
{
	if (!g)
		return;
	free(g->calls);
	free(g->below);
	free(g->states);
	BOB_MAP_FREE(&g->arcs);
	free(g);
}

static uint64_t hash_of(uint32_t caller, uint32_t callee)
{
	return bob_hash_mix((uint64_t)caller << 32 | callee);
}

/* Rebuilds the index after sorting. */
static bob_status index_arcs(struct bob_callgraph *g)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < g->arcs.count && st == BOB_OK; i++) {
		st = bob_index_reserve(&g->arcs.index);
		if (st == BOB_OK)
			bob_index_add(&g->arcs.index,
				      hash_of(g->arcs.at[i].caller, g->arcs.at[i].callee), i);
	}
	return st;
}

static __attribute__((noinline)) bob_status search_arc(struct bob_callgraph *g, uint32_t caller,
						       uint32_t callee, uint32_t *out)
{
	const uint64_t hash = hash_of(caller, callee);
	struct bob_probe p = bob_probe_of(hash);
	struct bob_call_arc *arc;

	if (__builtin_expect(g->arcs.count && !g->arcs.index.used, 0) && index_arcs(g) != BOB_OK)
		return BOB_ERR_NOMEM;
	while (bob_index_next(&g->arcs.index, &p)) {
		arc = &g->arcs.at[p.number];
		if (arc->caller == caller && arc->callee == callee) {
			*out = p.number;
			return BOB_OK;
		}
	}
	arc = BOB_MAP_ADD(&g->arcs, hash);
	if (!arc)
		return BOB_ERR_NOMEM;
	*arc = (struct bob_call_arc){ caller, callee, 0, 0 };
	*out = (uint32_t)(g->arcs.count - 1);
	return BOB_OK;
}

static inline bob_status find_arc(struct bob_callgraph *g, uint32_t caller, uint32_t callee,
				  uint32_t *out)
{
	struct function *f = &g->states[callee];
	bob_status st;

	if (f->last_arc && g->arcs.at[f->last_arc - 1].caller == caller) {
		*out = f->last_arc - 1;
		return BOB_OK;
	}
	st = search_arc(g, caller, callee, out);
	if (st == BOB_OK)
		f->last_arc = *out + 1;
	return st;
}

static void leave(struct bob_callgraph *g, struct bob_stacks *stacks, struct bob_stack *k)
{
	struct frame *top = bob_stack_frame(stacks, k, --k->depth);

	g->arcs.at[top->arc].below += top->below;
	if (!--g->states[top->number].active)
		g->below[top->number] += top->below;
	if (k->depth && !top->apart)
		(top - 1)->below += top->below + 1;
}

static bob_status enter(struct pass *p, struct bob_stack *k, const struct bob_event *ev)
{
	struct bob_callgraph *g = p->g;
	uint32_t number = ev->id < p->map_count ?
				  p->map[ev->id] :
				  bob_functions_number(g->functions, p->process, ev->id);
	uint32_t caller = BOB_CALLER_NONE, arc;
	struct frame *top;
	bob_status st;

	while (bob_stack_ends(&p->stacks, k, ev->depth))	/* exits that were not recorded */
		leave(g, &p->stacks, k);
	if (ev->notes & BOB_NOTE_SIGNAL)
		caller = BOB_CALLER_SIGNAL;
	else if (k->depth && !(ev->notes & BOB_NOTE_ORPHAN))
		caller = ((struct frame *)bob_stack_top(&p->stacks, k))->number;
	st = find_arc(g, caller, number, &arc);
	if (st != BOB_OK)
		return st;
	top = bob_stack_push(&p->stacks, k);
	if (!top)
		return BOB_ERR_NOMEM;
	*top = (struct frame){ ev->depth, number, arc, caller >= BOB_CALLER_SIGNAL, 0 };
	g->arcs.at[arc].calls++;
	g->calls[number]++;
	g->states[number].active++;
	g->total++;
	return BOB_OK;
}

static bob_status read_events(struct pass *p, struct bob_cursor *c,
			      const struct bob_progress *progress, struct bob_error *err)
{
	uint32_t until_tick = TICK_EVENTS;
	bob_status st, damage = BOB_OK;
	struct bob_stack *k = NULL;
	uint32_t current = ~0u;
	struct bob_event ev;

	for (;;) {
		st = bob_cursor_next(c, &ev, damage == BOB_OK ? err : NULL);
		if (st == BOB_ERR_CORRUPT) {	/* intact events may follow */
			damage = st;
			continue;
		}
		if (st != BOB_OK)
			return st == BOB_END ? damage : st;
		if (ev.stack != current) {
			k = bob_stacks_get(&p->stacks, ev.stack);
			if (!k)
				return BOB_ERR_NOMEM;
			current = ev.stack;
		}
		if (ev.kind == BOB_EVENT_EXIT) {
			while (bob_stack_ends(&p->stacks, k, ev.depth))
				leave(p->g, &p->stacks, k);
			continue;
		}
		st = enter(p, k, &ev);
		if (st != BOB_OK)
			return st;
		if (!--until_tick) {
			until_tick = TICK_EVENTS;
			if (progress && progress->tick)
				progress->tick(progress->ctx, TICK_EVENTS);
		}
	}
}

/* The functions of an image have consecutive numbers. */
static void map_image(struct pass *p, const struct bob_image_info *im, uint32_t ids)
{
	uint32_t first = bob_functions_number(p->g->functions, p->process, im->first_id);

	for (uint32_t k = 0; k < im->count && im->first_id + k < ids; k++)
		p->map[im->first_id + k] = k < p->g->count - 1 - first ? first + k :
									 p->g->count - 1;
}

static bob_status map_process(struct pass *p, const struct bob_trace *t, uint32_t process)
{
	const struct bob_process_info *info = bob_trace_process(t, process);
	uint32_t n = 0;

	for (uint32_t i = 0; i < info->image_count; i++) {
		const struct bob_image_info *im = bob_trace_image(t, process, i);

		if (im->count && im->first_id + im->count > n)
			n = im->first_id + im->count;
	}
	n = n < MAPPED_MAX ? n : MAPPED_MAX;
	p->process = process;
	p->map = malloc(((size_t)n + 1) * sizeof(*p->map));
	if (!p->map)
		return BOB_ERR_NOMEM;
	for (uint32_t id = 0; id < n; id++)
		p->map[id] = p->g->count - 1;
	for (uint32_t i = 0; i < info->image_count; i++)
		map_image(p, bob_trace_image(t, process, i), n);
	p->map_count = n;
	return BOB_OK;
}

bob_status bob_callgraph_add(struct bob_callgraph *g, const struct bob_trace *t, uint32_t thread,
			     const struct bob_progress *progress, struct bob_error *err)
{
	const struct bob_thread_info *info = bob_trace_thread(t, thread);
	struct pass p = { .g = g, .stacks = { .frame_bytes = sizeof(struct frame) } };
	struct bob_cursor *c;
	bob_status st;

	if (!info)
		return BOB_ERR_INVAL;
	st = map_process(&p, t, info->process);
	if (st != BOB_OK)
		return st;
	st = bob_cursor_open(t, thread, &c, err);
	if (st != BOB_OK)
		goto free_map;
	st = read_events(&p, c, progress, err);
	for (uint32_t i = 0; i < p.stacks.count; i++)
		while (p.stacks.at[i].depth)
			leave(g, &p.stacks, &p.stacks.at[i]);
	bob_stacks_fini(&p.stacks);
	bob_cursor_close(c);
free_map:
	free(p.map);
	return st;
}

const uint64_t *bob_callgraph_calls(const struct bob_callgraph *g)
{
	return g->calls;
}

const uint64_t *bob_callgraph_below(const struct bob_callgraph *g)
{
	return g->below;
}

uint64_t bob_callgraph_total(const struct bob_callgraph *g)
{
	return g->total;
}

BOB_COMPARE(by_caller, struct bob_call_arc, BOB_UP(caller) BOB_UP(callee))

const struct bob_call_arc *bob_callgraph_arcs(struct bob_callgraph *g, size_t *count)
{
	if (g->arcs.count)
		qsort(g->arcs.at, g->arcs.count, sizeof(*g->arcs.at), by_caller);
	bob_index_clear(&g->arcs.index); /* rebuilt by the next bob_callgraph_add */
	for (uint32_t i = 0; i < g->count; i++)
		g->states[i].last_arc = 0;
	*count = g->arcs.count;
	return g->arcs.at;
}
