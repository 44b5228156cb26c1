/* SPDX-License-Identifier: BSD-3-Clause */
/* Online folding of siblings. When a completed call is appended, it is merged with an equal one
 * before it (x 2), and up to BOB_TREE_PERIOD_MAX items that equal the items before them become one
 * repeated group. Hashes find candidates, a full comparison decides, and the duplicate is freed, so
 * folding costs constant time per event. Recursion is bounded by BOB_TREE_DEPTH_MAX levels of
 * calls; nested groups halve in number, so they nest at most 64 deep. */
#include "analysis/calltree/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define ROW_KEY 1u

struct bob_tree_node *bob_tree_new(struct bob_tree_pool *p)
{
	struct bob_tree_node *n = p->free;

	if (n) {
		struct bob_tree_item *items = n->items;
		uint32_t capacity = n->capacity;

		p->free = n->next_free;
		memset(n, 0, sizeof(*n));
		n->items = items;
		n->capacity = capacity;
	} else {
		n = calloc(1, sizeof(*n));
		if (!n)
			return NULL;
	}
	n->repeat = 1;
	p->live++;
	return n;
}

void bob_tree_free(struct bob_tree_pool *p, struct bob_tree_node *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; i < n->count; i++)
		bob_tree_free(p, n->items[i].node);
	n->count = 0;
	if (n->capacity > 64) {	/* keep small arrays for reuse */
		free(n->items);
		n->items = NULL;
		n->capacity = 0;
	}
	n->next_free = p->free;
	p->free = n;
	p->live--;
}

void bob_tree_pool_fini(struct bob_tree_pool *p)
{
	while (p->free) {
		struct bob_tree_node *n = p->free;

		p->free = n->next_free;
		free(n->items);
		free(n);
	}
}

static int same_body(const struct bob_tree_node *a, const struct bob_tree_node *b)
{
	if (a->body != b->body || a->number != b->number || a->flags != b->flags ||
	    a->count != b->count)
		return 0;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->items[i].key != b->items[i].key ||
		    a->items[i].node->repeat != b->items[i].node->repeat ||
		    !same_body(a->items[i].node, b->items[i].node))
			return 0;
	return 1;
}

static int same_item(const struct bob_tree_item *a, const struct bob_tree_item *b)
{
	return a->key == b->key && a->node->repeat == b->node->repeat &&
	       same_body(a->node, b->node);
}

static int is_row(const struct bob_tree_node *n)
{
	return n->number == BOB_CALLER_NONE;
}

static uint64_t key_of(const struct bob_tree_node *n)
{
	uint64_t key = bob_hash_mix(n->body + n->repeat * 0x9e3779b97f4a7c15ull);

	return is_row(n) ? key | ROW_KEY : key & ~(uint64_t)ROW_KEY;
}

static void hash_body(struct bob_tree_node *n)
{
	uint64_t h = bob_hash_mix((uint64_t)n->flags << 32 | n->number);

	for (uint32_t i = 0; i < n->count; i++)
		h = bob_hash_mix(h * 31 + n->items[i].key);
	n->body = h;
}

static bob_status push_item(struct bob_tree_node *parent, struct bob_tree_node *n)
{
	if (parent->count == parent->capacity) {
		uint32_t capacity = parent->capacity ? 2 * parent->capacity : 4;
		struct bob_tree_item *items = realloc(parent->items, capacity * sizeof(*items));

		if (!items)
			return BOB_ERR_NOMEM;
		parent->items = items;
		parent->capacity = capacity;
	}
	parent->items[parent->count++] = (struct bob_tree_item){ n, key_of(n) };
	return BOB_OK;
}

/* Merges the last item with an equal one before it: adds the repetitions. */
static int merge_pair(struct bob_tree_pool *p, struct bob_tree_node *parent)
{
	struct bob_tree_item *last = &parent->items[parent->count - 1], *before = last - 1;

	if (parent->count < 2 || !same_body(before->node, last->node))
		return 0;
	before->node->repeat += last->node->repeat;
	before->key = key_of(before->node);
	bob_tree_free(p, last->node);
	parent->count--;
	return 1;
}

static int rows_equal(const struct bob_tree_item *a, const struct bob_tree_item *b, uint32_t n)
{
	for (uint32_t i = n; i-- > 0;)
		if (!same_item(&a[i], &b[i]))
			return 0;
	return 1;
}

static void drop_last(struct bob_tree_pool *p, struct bob_tree_node *parent, uint32_t n)
{
	while (n--)
		bob_tree_free(p, parent->items[--parent->count].node);
}

/* Merges the last `period` items with the equal group before them. */
static int join_row(struct bob_tree_pool *p, struct bob_tree_node *parent, uint32_t period)
{
	struct bob_tree_item *tail = &parent->items[parent->count - period], *row = tail - 1;

	if (parent->count <= period || !(row->key & ROW_KEY) || row->node->count != period ||
	    !rows_equal(row->node->items, tail, period))
		return 0;
	drop_last(p, parent, period);
	row->node->repeat++;
	row->key = key_of(row->node);
	return 1;
}

/* Makes a group of the last 2 * `period` items if both halves are equal. */
static int make_row(struct bob_tree_pool *p, struct bob_tree_node *parent, uint32_t period)
{
	struct bob_tree_item *first = &parent->items[parent->count - 2 * period];
	struct bob_tree_node *row;

	if (parent->count < 2 * period || first[period - 1].key != first[2 * period - 1].key ||
	    !rows_equal(first, first + period, period))
		return 0;
	row = bob_tree_new(p);
	if (!row)
		return 0;	/* without memory they stay unfolded */
	for (uint32_t i = 0; i < period; i++)
		if (push_item(row, first[i].node) != BOB_OK) {
			row->count = 0;
			bob_tree_free(p, row);
			return 0;
		}
	row->number = BOB_CALLER_NONE;
	row->index = first->node->index;
	row->repeat = 2;
	hash_body(row);
	drop_last(p, parent, period);
	parent->count -= period;
	*first = (struct bob_tree_item){ row, key_of(row) };
	parent->count++;
	return 1;
}

static int fold_once(struct bob_tree_pool *p, struct bob_tree_node *parent)
{
	if (merge_pair(p, parent))
		return 1;
	for (uint32_t period = 2; period <= p->max_period && period < parent->count; period++)
		if (join_row(p, parent, period) || make_row(p, parent, period))
			return 1;
	return 0;
}

bob_status bob_tree_append(struct bob_tree_pool *p, struct bob_tree_node *parent,
			   struct bob_tree_node *n)
{
	bob_status st;

	hash_body(n);
	st = push_item(parent, n);
	if (st != BOB_OK) {
		bob_tree_free(p, n);
		return st;
	}
	if (p->max_period && !(n->flags & BOB_TREE_OPEN))
		while (fold_once(p, parent))
			;
	return BOB_OK;
}

void bob_tree_print_line(struct bob_tree_sink *s, struct bob_tree_node *n, uint32_t depth)
{
	struct bob_tree_line l = { n->number, depth, n->flags, n->count, s->stack, n->repeat,
				   n->index };

	if (n->printed || s->stopped)
		return;
	if (s->max_lines && s->lines >= s->max_lines) {
		s->stopped = 1;
		return;
	}
	n->printed = 1;
	s->lines++;
	s->stopped = s->line(s->ctx, &l) != 0;
}

void bob_tree_print_children(struct bob_tree_pool *p, struct bob_tree_sink *s,
			     struct bob_tree_node *n, uint32_t depth)
{
	for (uint32_t i = 0; i < n->count; i++) {
		struct bob_tree_node *child = n->items[i].node;

		if (!s->stopped) {
			bob_tree_print_line(s, child, depth);
			bob_tree_print_children(p, s, child, depth + 1);
		}
		bob_tree_free(p, child);
	}
	n->count = 0;
}
