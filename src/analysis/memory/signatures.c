/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the tree of call paths. A path is a sequence of call sites. The function called at a site
 * is the one that contains the next site, or finally the access. So a node is identified by its
 * parent, call site and function. */
#include "analysis/memory/signatures.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/memory/series.h"
#include "base/host/map.h"
#include "base/order.h"
#include "bobbin/fold.h"

#define DEPTH_MAX 32768u	/* maximal length of a path of a folder */

struct node {
	struct bob_signature pub;
	uint32_t parent;	/* index, or BOB_SIGNATURE_NONE */
	uint32_t first, next;	/* child and sibling: index + 1 */
};

struct bob_signatures {
	const struct bob_trace *trace;
	uint32_t process;
	BOB_MAP(struct node);
	struct bob_signature *sorted;
	uint64_t without;
	uint64_t *place;	/* of the current path, innermost first */
};

void bob_signatures_destroy(struct bob_signatures *s)
{
	if (!s)
		return;
	BOB_MAP_FREE(s);
	free(s->sorted);
	free(s->place);
	free(s);
}

/* --- nodes --- */

static uint64_t hash_of(const struct node *n)
{
	const uint64_t h = bob_hash_mix(n->pub.site ^ (uint64_t)n->parent << 32);

	return bob_hash_mix(h ^ n->pub.function ^ (uint64_t)n->pub.image << 40);
}

/* Number of an equal node; `n` is added if there is none. */
static bob_status number_of(struct bob_signatures *s, const struct node *n, uint32_t *number)
{
	const uint64_t hash = hash_of(n);
	struct bob_probe p = bob_probe_of(hash);
	struct node *new;

	while (bob_index_next(&s->index, &p)) {
		const struct node *o = &s->at[p.number];

		if (o->parent == n->parent && o->pub.site == n->pub.site &&
		    o->pub.site_image == n->pub.site_image && o->pub.image == n->pub.image &&
		    o->pub.function == n->pub.function) {
			*number = p.number;
			return BOB_OK;
		}
	}
	new = BOB_MAP_ADD(s, hash);
	if (!new)
		return BOB_ERR_NOMEM;
	*new = *n;
	*number = (uint32_t)s->count - 1;
	return BOB_OK;
}

/* Moves *at to the node of the function containing `pc` that is called from `site`. */
static bob_status step(struct bob_signatures *s, uint32_t *at, uint32_t site_image, uint64_t site,
		       uint32_t image, uint64_t pc)
{
	struct node n = { .pub = { .site = site, .site_image = site_image, .image = image,
				   .function = BOB_SIGNATURE_NONE },
			  .parent = *at };
	struct bob_function_info f;

	if (bob_trace_function_at(s->trace, s->process, image, pc, &f) == BOB_OK)
		n.pub.function = f.id;
	if (*at != BOB_SIGNATURE_NONE)
		n.pub.depth = s->at[*at].pub.depth + 1;
	return number_of(s, &n, at);
}

/* The node of accesses at `pc` on this path. */
static bob_status find(struct bob_signatures *s, const struct bob_folded *f, uint32_t path,
		       uint32_t image, uint64_t pc, uint32_t *at)
{
	uint32_t n = 0, site_image = BOB_SIGNATURE_NONE;
	uint64_t site = 0;
	bob_status st = BOB_OK;

	while (n < DEPTH_MAX && bob_folded_path(f, path, &path, &s->place[n]))
		n++;
	*at = BOB_SIGNATURE_NONE;
	while (n-- && st == BOB_OK) {
		uint64_t pc_of_call;
		uint32_t calls;

		bob_trace_place(s->trace, s->process, s->place[n], &calls, &pc_of_call);
		st = step(s, at, site_image, site, calls, pc_of_call);
		site_image = calls;
		site = pc_of_call;
	}
	return st == BOB_OK ? step(s, at, site_image, site, image, pc) : st;
}

static void count(struct bob_signature *g, unsigned type, uint64_t times)
{
	if (type == BOB_ACCESS_LOAD)
		g->loads += times;
	else if (type == BOB_ACCESS_STORE)
		g->stores += times;
	else
		g->atomics += times;
}

/* --- threads --- */

struct thread {
	struct bob_signatures *s;
	const struct bob_folded *folded;
	uint32_t thread, participant;
	uint64_t *times, *loop;	/* counts by shape and by loop */
	uint64_t done;
};

static bob_status add_times(struct thread *t, uint32_t shape, const struct bob_leaf *leaf,
			    const struct bob_leaf_access *a, uint64_t times)
{
	struct bob_fold_shape info;
	uint32_t at;
	bob_status st = BOB_OK;

	bob_folded_shape(t->folded, shape, &info);
	for (uint32_t i = 0; i < leaf->accesses && st == BOB_OK; i++) {
		st = find(t->s, t->folded, info.path, leaf->image, a[i].pc, &at);
		if (st == BOB_OK)
			count(&t->s->at[at].pub, a[i].type, times);
		t->done += times;
	}
	return st;
}

/* BOB_NONE: the thread must be expanded. Counts only if `really`. */
static bob_status add_shape(struct thread *t, uint32_t part, uint32_t shape, int really)
{
	const struct bob_series_source source = { t->s->trace, t->folded, t->thread,
						  t->participant, part };
	uint64_t times = t->times[shape];
	struct bob_leaf_access *a;
	struct bob_leaf leaf;
	bob_status st = bob_trace_leaf(t->s->trace, t->thread, shape, &leaf, NULL, 0);

	if (st != BOB_OK)
		return BOB_ERR_CORRUPT;
	if (leaf.kind == BOB_LEAF_AGAIN ||
	    (leaf.kind == BOB_LEAF_LOOP && !bob_series_iterations(&source, shape, &leaf, &times)))
		return BOB_NONE;
	if (leaf.kind == BOB_LEAF_MARK || leaf.kind == BOB_LEAF_VALUES)
		return BOB_OK;
	a = calloc(leaf.accesses + 1u, sizeof(*a));
	if (!a)
		return BOB_ERR_NOMEM;
	(void)bob_trace_leaf(t->s->trace, t->thread, shape, &leaf, a, leaf.accesses);
	for (uint32_t i = 0; i < leaf.accesses; i++)
		if (a[i].guarded)
			st = BOB_NONE;
	if (st == BOB_OK && really)
		st = add_times(t, shape, &leaf, a, times);
	free(a);
	return st;
}

static bob_status add_folded(struct thread *t, int really)
{
	uint32_t parts = bob_folded_parts(t->folded, t->participant);
	bob_status st = BOB_OK;

	for (uint32_t part = 0; part < parts && st == BOB_OK; part++) {
		st = bob_folded_counts(t->folded, t->participant, part, t->times, t->loop);
		for (uint32_t i = 0; i < bob_folded_shapes(t->folded) && st == BOB_OK; i++)
			if (t->times[i])
				st = add_shape(t, part, i, really);
	}
	return st;
}

static bob_status add_expanded(struct thread *t, struct bob_error *err)
{
	uint32_t shape, last = ~0u, image = ~0u, at = 0;
	struct bob_fold_shape info;
	struct bob_loop_cursor *c;
	struct bob_access a;
	uint64_t pc = 0;
	bob_status st = bob_loop_cursor_open(t->s->trace, t->thread, &c, err);

	if (st != BOB_OK)
		return st;
	while ((st = bob_loop_cursor_next(c, &a, &shape, err)) == BOB_OK) {
		if (shape != last || a.pc != pc || a.image != image) {
			bob_folded_shape(t->folded, shape, &info);
			st = find(t->s, t->folded, info.path, a.image, a.pc, &at);
			if (st != BOB_OK)
				break;
			last = shape;
			pc = a.pc;
			image = a.image;
		}
		count(&t->s->at[at].pub, a.type, 1);
		t->done++;
	}
	bob_loop_cursor_close(c);
	return st == BOB_END ? BOB_OK : st;
}

static bob_status add_thread(struct bob_signatures *s, uint32_t thread, struct bob_error *err)
{
	struct thread t = { .s = s, .thread = thread };
	bob_status st = BOB_OK;

	t.folded = bob_trace_folded(s->trace, thread, &t.participant);
	if (t.folded) {
		t.times = calloc(bob_folded_shapes(t.folded) + 1u, sizeof(*t.times));
		t.loop = calloc(bob_folded_loops(t.folded) + 1u, sizeof(*t.loop));
		st = t.times && t.loop ? add_folded(&t, 0) : BOB_ERR_NOMEM;
		if (st == BOB_NONE)
			st = add_expanded(&t, err);
		else if (st == BOB_OK)
			st = add_folded(&t, 1);
	}
	if (st == BOB_OK && !bob_trace_all_folded(s->trace, thread)) {
		uint64_t all = bob_trace_accesses(s->trace, thread);

		s->without += all > t.done ? all - t.done : 0;
	}
	free(t.times);
	free(t.loop);
	return st;
}

/* --- the tree --- */

BOB_COMPARE_POINTERS(by_accesses, struct node,
		     BOB_DOWN(pub.below) BOB_UP(pub.site) BOB_UP(pub.function))

static void add_up(struct bob_signatures *s)
{
	for (size_t i = s->count; i-- > 0;) { /* callers precede callees */
		struct node *n = &s->at[i];

		n->pub.below += n->pub.loads + n->pub.stores + n->pub.atomics;
		if (n->parent != BOB_SIGNATURE_NONE)
			s->at[n->parent].pub.below += n->pub.below;
	}
}

/* Builds sorted lists of siblings, then lists all nodes in preorder. */
static bob_status sort(struct bob_signatures *s)
{
	struct node **order = calloc(s->count + 1, sizeof(*order));
	uint32_t roots = 0, at, used = 0;

	s->sorted = calloc(s->count + 1, sizeof(*s->sorted));
	if (!order || !s->sorted) {
		free(order);
		return BOB_ERR_NOMEM;
	}
	add_up(s);
	for (size_t i = 0; i < s->count; i++)
		order[i] = &s->at[i];
	qsort(order, s->count, sizeof(*order), by_accesses);
	for (size_t i = s->count; i-- > 0;) { /* prepends, so that most accesses come first */
		uint32_t *list = order[i]->parent == BOB_SIGNATURE_NONE ?
					 &roots :
					 &s->at[order[i]->parent].first;

		order[i]->next = *list;
		*list = (uint32_t)(order[i] - s->at) + 1;
	}
	free(order);
	for (at = roots; at;) {
		const struct node *n = &s->at[at - 1];

		s->sorted[used++] = n->pub;
		for (at = n->first; !at; n = &s->at[n->parent]) {
			at = n->next;
			if (at || n->parent == BOB_SIGNATURE_NONE)
				break;
		}
	}
	return BOB_OK;
}

bob_status bob_signatures_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
				 struct bob_signatures **out, struct bob_error *err)
{
	struct bob_signatures *s = calloc(1, sizeof(*s));
	bob_status st = BOB_OK;

	if (!s)
		return BOB_ERR_NOMEM;
	s->trace = t;
	s->place = malloc(DEPTH_MAX * sizeof(*s->place));
	if (!s->place)
		st = BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < count && st == BOB_OK; i++) {
		s->process = bob_trace_thread(t, threads[i])->process;
		st = add_thread(s, threads[i], err);
	}
	if (st == BOB_OK)
		st = sort(s);
	if (st == BOB_OK)
		*out = s;
	else
		bob_signatures_destroy(s);
	return st;
}

const struct bob_signature *bob_signatures_all(const struct bob_signatures *s, uint32_t *count)
{
	*count = (uint32_t)s->count;
	return s->sorted;
}

uint64_t bob_signatures_without(const struct bob_signatures *s)
{
	return s->without;
}
