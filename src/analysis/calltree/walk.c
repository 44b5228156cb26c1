/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the folded tree from events: selects the calls to show, keeps the open frames, decides
 * when to print.
 *
 * Completed calls are in the tree under their parent, folded. Nothing is printed before the end
 * unless the tree exceeds its bound. Then all completed calls are printed and freed. They no longer
 * fold with later calls, which changes the layout and not the contents. Each stack of a thread is a
 * separate tree. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/calltree/tree.h"
#include "analysis/stacks.h"

#define NODES_DEFAULT 400000u
#define TICK_EVENTS (1u << 20)

enum frame_state {
	FRAME_HIDDEN = 1,	/* hide it and its subtree */
	FRAME_PASSED = 2,	/* hide only it */
	FRAME_ONLY = 4		/* it or a caller has BOB_TREE_ONLY */
};

struct frame {
	uint32_t depth;			/* first member, see stacks.h */
	uint32_t number;
	struct bob_tree_node *node;	/* NULL: hidden, or not yet created */
	uint32_t state;
	uint32_t notes;
	uint32_t level;		/* number of shown callers */
	uint64_t index;
};

struct walk {
	const struct bob_functions *functions;
	const struct bob_tree_options *o;
	const struct bob_progress *progress;
	struct bob_tree_result *result;
	struct bob_tree_pool pool;
	struct bob_tree_sink sink;
	struct bob_stacks stacks;
	BOB_VEC(struct bob_tree_node *) roots; /* by stack, created on demand */
	uint32_t process;
	uint32_t max_depth, max_nodes;
};

static struct frame *frame_at(struct walk *w, struct bob_stack *k, size_t i)
{
	return bob_stack_frame(&w->stacks, k, i);
}

static struct bob_tree_node *root_of(struct walk *w, uint32_t stack)
{
	struct bob_tree_node **root;

	if (BOB_VEC_REACH(&w->roots, (size_t)stack + 1))
		return NULL;
	root = &w->roots.at[stack];
	if (!*root) {
		*root = bob_tree_new(&w->pool);
		if (*root)
			(*root)->number = BOB_CALLER_NONE;
	}
	return *root;
}

/* The parent node of a call at frame `i`. */
static struct bob_tree_node *parent_of(struct walk *w, struct bob_stack *k, size_t i,
				       uint32_t stack)
{
	while (i-- > 0)
		if (frame_at(w, k, i)->node)
			return frame_at(w, k, i)->node;
	return root_of(w, stack);
}

static uint32_t flags_of(uint32_t notes)
{
	return (notes & BOB_NOTE_SIGNAL ? BOB_TREE_SIGNAL : 0) |
	       (notes & BOB_NOTE_ORPHAN ? BOB_TREE_ORPHAN : 0) |
	       (notes & BOB_NOTE_PAUSED ? BOB_TREE_PAUSED : 0) |
	       (notes & BOB_NOTE_LOST ? BOB_TREE_LOST : 0);
}

static uint32_t state_of(const struct walk *w, uint32_t number, const struct frame *caller)
{
	uint32_t rule = w->o->rules ? w->o->rules[number] : 0;
	uint32_t state = caller ? caller->state & (FRAME_HIDDEN | FRAME_ONLY) : 0;

	if (rule & BOB_TREE_HIDE)
		state |= FRAME_HIDDEN;
	if (rule & BOB_TREE_PASS)
		state |= FRAME_PASSED;
	if (rule & BOB_TREE_ONLY)
		state |= FRAME_ONLY;
	return state;
}

/* Do the filters select the frame? The depth is not checked. */
static int is_chosen(const struct walk *w, const struct frame *f)
{
	return !(f->state & (FRAME_HIDDEN | FRAME_PASSED)) &&
	       (!w->o->only || f->state & FRAME_ONLY);
}

static bob_status give_node(struct walk *w, struct frame *f, uint32_t flags)
{
	f->node = bob_tree_new(&w->pool);
	if (!f->node)
		return BOB_ERR_NOMEM;
	f->node->number = f->number;
	f->node->flags = flags_of(f->notes) | flags;
	f->node->depth = f->level;
	f->node->index = f->index;
	return BOB_OK;
}

/* First call of the range: makes its open callers, the first `depth` frames, visible. */
static bob_status show_callers(struct walk *w, struct bob_stack *k, size_t depth)
{
	for (size_t i = depth; i-- > 0;) {
		struct frame *f = frame_at(w, k, i);
		bob_status st;

		if (f->node)
			break;	/* outer callers have nodes */
		if (!is_chosen(w, f) || f->level >= w->max_depth)
			continue;
		st = give_node(w, f, BOB_TREE_CONTEXT);
		if (st != BOB_OK)
			return st;
	}
	return BOB_OK;
}

static bob_status leave(struct walk *w, struct bob_stack *k, uint32_t stack, uint32_t flags)
{
	struct frame *f = frame_at(w, k, --k->depth);
	struct bob_tree_node *n = f->node, *parent;

	if (!n)
		return BOB_OK;
	f->node = NULL;
	if (n->printed) {
		w->sink.stack = stack;
		bob_tree_print_children(&w->pool, &w->sink, n, n->depth + 1);
		bob_tree_free(&w->pool, n);
		return BOB_OK;
	}
	n->flags |= flags;
	parent = parent_of(w, k, k->depth, stack);
	if (!parent) {
		bob_tree_free(&w->pool, n);
		return BOB_ERR_NOMEM;
	}
	return bob_tree_append(&w->pool, parent, n);
}

static bob_status push(struct walk *w, struct bob_stack *k, uint32_t number,
		       const struct bob_event *ev)
{
	struct frame *f = bob_stack_push(&w->stacks, k), *caller;

	if (!f)
		return BOB_ERR_NOMEM;
	caller = k->depth > 1 ? f - 1 : NULL;
	f->node = NULL;
	f->depth = ev->depth;
	f->number = number;
	f->state = state_of(w, number, caller);
	f->notes = ev->notes;
	f->index = ev->index;
	f->level = caller ? caller->level + (uint32_t)is_chosen(w, caller) : 0;
	return BOB_OK;
}

static bob_status enter(struct walk *w, struct bob_stack *k, const struct bob_event *ev)
{
	const struct bob_tree_options *o = w->o;
	struct frame *f;
	bob_status st;

	while (bob_stack_ends(&w->stacks, k, ev->depth)) {
		st = leave(w, k, ev->stack, BOB_TREE_OPEN);
		if (st != BOB_OK)
			return st;
	}
	st = push(w, k, bob_functions_number(w->functions, w->process, ev->id), ev);
	if (st != BOB_OK)
		return st;
	f = frame_at(w, k, k->depth - 1);
	if (ev->index < o->first || ev->pos < o->pos_first || !is_chosen(w, f))
		return BOB_OK;
	if (f->level >= w->max_depth) {
		w->result->too_deep++;
		return BOB_OK;
	}
	st = give_node(w, f, 0);
	return st == BOB_OK ? show_callers(w, k, k->depth - 1) : st;
}

/* Prints and frees all completed calls on every stack; open frames get their lines. */
static void flush(struct walk *w)
{
	for (uint32_t s = 0; s < w->roots.count && !w->sink.stopped; s++) {
		if (!w->roots.at[s])
			continue;
		w->sink.stack = s;
		bob_tree_print_children(&w->pool, &w->sink, w->roots.at[s], 0);
		for (size_t i = 0; s < w->stacks.count && i < w->stacks.at[s].depth; i++) {
			struct bob_tree_node *n = frame_at(w, &w->stacks.at[s], i)->node;

			if (!n)
				continue;
			bob_tree_print_line(&w->sink, n, n->depth);
			bob_tree_print_children(&w->pool, &w->sink, n, n->depth + 1);
		}
	}
}

/* An MPI call: a leaf under the top frame. */
static bob_status take_mpi(struct walk *w, struct bob_stack *k, const struct bob_event *ev)
{
	const struct frame *top = k->depth ? frame_at(w, k, k->depth - 1) : NULL;
	struct frame leaf = { .number = BOB_TREE_MPI | ev->id, .index = ev->index };
	bob_status st;

	if (ev->index < w->o->first || ev->pos < w->o->pos_first)
		return BOB_OK;
	if (ev->index > w->o->last || ev->pos > w->o->pos_last)
		return BOB_END;
	if (top ? !is_chosen(w, top) : w->o->only)
		return BOB_OK;
	leaf.level = top ? top->level + 1 : 0;
	if (leaf.level >= w->max_depth) {
		w->result->too_deep++;
		return BOB_OK;
	}
	st = show_callers(w, k, k->depth);
	if (st == BOB_OK)
		st = give_node(w, &leaf, 0);
	if (st == BOB_OK)
		st = bob_tree_append(&w->pool, parent_of(w, k, k->depth, ev->stack), leaf.node);
	if (w->pool.live > w->max_nodes)
		flush(w);
	return st;
}

/* Returns BOB_END after the last event of the range. */
static bob_status take(struct walk *w, const struct bob_event *ev)
{
	struct bob_stack *k = bob_stacks_get(&w->stacks, ev->stack);
	bob_status st = BOB_OK;

	if (!k || !root_of(w, ev->stack))
		return BOB_ERR_NOMEM;
	if (ev->kind == BOB_EVENT_VALUES)
		return take_mpi(w, k, ev);
	if (ev->kind == BOB_EVENT_NO_PLACE)
		return BOB_OK;
	if (ev->kind == BOB_EVENT_EXIT) {
		while (st == BOB_OK && bob_stack_ends(&w->stacks, k, ev->depth))
			st = leave(w, k, ev->stack, 0);
		return st;
	}
	w->result->next_index = ev->index;
	if (ev->index > w->o->last || ev->pos > w->o->pos_last)
		return BOB_END;
	st = enter(w, k, ev);
	if (st != BOB_OK)
		return st;
	w->result->next_index = ev->index + 1;
	if (w->pool.live > w->max_nodes)
		flush(w);
	if (ev->index % TICK_EVENTS == TICK_EVENTS - 1 && w->progress && w->progress->tick)
		w->progress->tick(w->progress->ctx, TICK_EVENTS);
	return w->sink.stopped ? BOB_END : BOB_OK;
}

static bob_status finish(struct walk *w)
{
	bob_status st = BOB_OK;

	for (uint32_t s = 0; s < w->stacks.count; s++)
		while (st == BOB_OK && w->stacks.at[s].depth)
			st = leave(w, &w->stacks.at[s], s, BOB_TREE_OPEN);
	flush(w);
	return st;
}

static void free_all(struct walk *w)
{
	for (uint32_t s = 0; s < w->stacks.count; s++)
		for (size_t i = 0; i < w->stacks.at[s].depth; i++)
			bob_tree_free(&w->pool, frame_at(w, &w->stacks.at[s], i)->node);
	for (uint32_t s = 0; s < w->roots.count; s++)
		bob_tree_free(&w->pool, w->roots.at[s]);
	BOB_VEC_FREE(&w->roots);
	bob_stacks_fini(&w->stacks);
	bob_tree_pool_fini(&w->pool);
}

bob_status bob_tree_walk(const struct bob_trace *t, const struct bob_functions *f, uint32_t thread,
			 const struct bob_tree_options *options,
			 int (*line)(void *ctx, const struct bob_tree_line *l), void *ctx,
			 const struct bob_progress *progress, struct bob_tree_result *result,
			 struct bob_error *err)
{
	const struct bob_thread_info *info = bob_trace_thread(t, thread);
	struct walk w = { .functions = f, .o = options, .progress = progress, .result = result };
	struct bob_cursor *c;
	struct bob_event ev;
	bob_status st, end, damage = BOB_OK;

	memset(result, 0, sizeof(*result));
	if (!info)
		return BOB_ERR_INVAL;
	w.process = info->process;
	w.max_nodes = options->max_nodes ? options->max_nodes : NODES_DEFAULT;
	w.max_depth = options->max_depth;
	if (!w.max_depth || w.max_depth > BOB_TREE_DEPTH_MAX)
		w.max_depth = BOB_TREE_DEPTH_MAX;
	w.pool.max_period = options->fold ? BOB_TREE_PERIOD_MAX : 0;
	w.sink.line = line;
	w.sink.ctx = ctx;
	w.sink.max_lines = options->max_lines;
	w.stacks.frame_bytes = sizeof(struct frame);
	st = bob_cursor_open(t, thread, &c, err);
	if (st != BOB_OK)
		return st;
	bob_cursor_enable_values(c);
	do {
		st = bob_cursor_next(c, &ev, damage == BOB_OK ? err : NULL);
		if (st == BOB_OK)
			st = take(&w, &ev);
		else if (st == BOB_ERR_CORRUPT)	/* intact events may follow */
			damage = st;
	} while (st == BOB_OK || st == BOB_ERR_CORRUPT);
	end = finish(&w);
	result->lines = w.sink.lines;
	result->cut = w.sink.stopped;
	free_all(&w);
	bob_cursor_close(c);
	if (st != BOB_END)
		return st;
	return end != BOB_OK ? end : damage;
}
