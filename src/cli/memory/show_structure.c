/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the tree, one line per function, loop and line of the source:
 *
 *     main   30,100 accesses
 *       multiply   from mm.c:30   30,000 accesses (99.7%)
 *         loop 100 times   30,000 accesses (99.7%)
 *           load    8  0x4a4e040 (100 x +800)(100 x +8)   a[]  mm.c:12
 *       ... 100 accesses elsewhere: 3 instructions
 *
 * What has few accesses is in one line, the last one of the function or loop. */
#include "cli/memory/show_structure.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cli/memory/structure_groups.h"
#include "cli/memory/structure_lines.h"
#include "table/numbers.h"

#define PARENT_SHARE 0.05

struct showing {
	const struct cli_show_structure *o;
	struct cli_structure x;
	uint8_t *shown;		/* by node */
	uint32_t *events;	/* by node: events before it */
};

static int is_full(const struct showing *w)
{
	return w->x.st != BOB_OK || ferror(w->x.out) || (w->o->lines && w->x.lines >= w->o->lines);
}

/* --- the tree --- */

/* A child of a node: a subtree, or a group of accesses (lines > 0). */
struct child {
	uint64_t accesses;
	uint32_t at;		/* node */
	struct cli_structure_group group;
};

BOB_COMPARE(by_accesses, struct child, BOB_DOWN(accesses) BOB_UP(at))
BOB_COMPARE(by_order, struct child, BOB_UP(at))

BOB_VEC_OF(children, struct child);

/* What is not shown one by one. */
struct rest {
	uint64_t accesses;
	uint32_t functions, loops, instructions, synchronisations;
};

/* Is it a small part of all accesses? What is in a loop or function of ten times as many is shown
 * if it is a large part of it (PARENT_SHARE). */
static int is_small(const struct showing *w, const struct child *c, uint64_t around)
{
	const double least = w->o->percent / 100 * (double)w->x.all;
	const struct bob_structure_node *n = &w->x.node[c->at];

	if ((double)c->accesses >= least ||
	    ((double)around >= 10 * least && (double)c->accesses >= PARENT_SHARE * (double)around))
		return 0;
	return c->group.lines || w->events[n->end] == w->events[c->at];
}

static void add_rest(const struct showing *w, struct rest *r, const struct child *c)
{
	const uint32_t kind = w->x.node[c->at].kind;

	r->accesses += c->accesses;
	if (c->group.lines)
		r->instructions += c->group.places;
	else if (kind == BOB_STRUCTURE_FUNCTION)
		r->functions++;
	else if (kind == BOB_STRUCTURE_SYNC)
		r->synchronisations++;
	else
		r->loops++;
}

static void print_some(struct showing *w, uint32_t count, const char *what, const char **between)
{
	char a[BOB_NUMBER_MAX];

	if (!count)
		return;
	fprintf(w->x.out, "%s%s %s%s", *between, bob_format_count(a, count), what,
		bob_plural(count));
	*between = ", ";
}

static void print_rest(struct showing *w, const struct rest *r, uint32_t depth)
{
	const char *between = ": ";
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	if (is_full(w) || !(r->functions + r->loops + r->instructions + r->synchronisations))
		return;
	cli_structure_begin_line(&w->x, depth);
	fprintf(w->x.out, "... %s access%s (%s)", bob_format_count(a, r->accesses),
		r->accesses == 1 ? "" : "es", bob_format_share(b, r->accesses, w->x.all));
	print_some(w, r->functions, "function", &between);
	print_some(w, r->loops, "loop", &between);
	print_some(w, r->instructions, "instruction", &between);
	print_some(w, r->synchronisations, "synchronisation", &between);
	fputc('\n', w->x.out);
}

static void add_child(struct showing *w, struct children *to, const struct child *c)
{
	if (BOB_VEC_ADD(to, *c))
		w->x.st = BOB_ERR_NOMEM;
}

/* One access, or all that another one represents with it. */
static struct child alone(const struct showing *w, uint32_t at)
{
	const struct bob_structure_node *n = &w->x.node[at];
	const uint64_t accesses = n->count * n->joined;

	return (struct child){ accesses, at, { at, 0, 1, n->joined, accesses } };
}

/* Groups of two are shown as they are: what is different is easily seen. */
static void add_group(struct showing *w, struct children *to, const struct cli_structure_group *g)
{
	struct child c = { g->count, g->first, *g };

	if (g->lines > 2) {
		add_child(w, to, &c);
		return;
	}
	c = alone(w, g->first);
	add_child(w, to, &c);
	if (g->second) {
		c = alone(w, g->second);
		add_child(w, to, &c);
	}
}

/* The children in [from, end), accesses of one line together. */
static void collect(struct showing *w, uint32_t from, uint32_t end, struct children *to)
{
	struct cli_structure_groups groups = { 0 };

	for (uint32_t i = from; i < end && w->x.st == BOB_OK; i = w->x.node[i].end) {
		const struct bob_structure_node *n = &w->x.node[i];
		const struct child c = { .accesses = cli_structure_accesses(n), .at = i };

		if (!w->shown[i])
			continue;
		if (n->kind == BOB_STRUCTURE_ACCESS)
			cli_structure_groups_add(&groups, &w->x, i, w->o->instructions);
		else
			add_child(w, to, &c);
	}
	for (size_t i = 0; i < groups.count && w->x.st == BOB_OK; i++)
		add_group(w, to, &groups.at[i].group);
	if (to->count)
		qsort(to->at, to->count, sizeof(*to->at),
		      w->o->by_accesses ? by_accesses : by_order);
	BOB_MAP_FREE(&groups);
}

/* Prints the children in [from, end) of a node that has `around` accesses. */
static void print_range(struct showing *w, uint32_t from, uint32_t end, uint64_t around)
{
	struct children all = { 0 };
	struct rest rest = { 0 };
	size_t small = 0;

	collect(w, from, end, &all);
	for (size_t i = 0; i < all.count; i++)
		small += (size_t)is_small(w, &all.at[i], around);
	for (size_t i = 0; i < all.count && !is_full(w); i++) {
		const struct child *c = &all.at[i];

		if (small > 1 && is_small(w, c, around)) { /* one takes no more lines itself */
			add_rest(w, &rest, c);
		} else if (c->group.lines) {
			cli_structure_print_group(&w->x, &c->group);
		} else {
			cli_structure_print_node(&w->x, c->at);
			print_range(w, c->at + 1, w->x.node[c->at].end, c->accesses);
		}
	}
	print_rest(w, &rest, from < w->x.count ? w->x.node[from].depth : 0);
	BOB_VEC_FREE(&all);
}

/* --- what is shown --- */

static void show_range(struct showing *w, uint32_t from, uint32_t end, uint8_t value)
{
	memset(w->shown + from, value, end - from);
}

/* Shows the nodes around a node. */
static void show_around(struct showing *w, uint32_t at)
{
	uint32_t depth = w->x.node[at].depth;

	for (uint32_t i = at; i-- > 0 && depth;)
		if (w->x.node[i].depth < depth) {
			depth = w->x.node[i].depth;
			w->shown[i] = 1;
		}
}

static uint8_t rule_of(const struct showing *w, const struct bob_structure_node *n)
{
	const struct cli_choice *c = w->o->choice;
	const struct cli_space *s = &w->x.space;

	if (n->kind == BOB_STRUCTURE_ACCESS)
		return cli_choice_at_inlined(c, s->trace, s->process, n->image, n->pc);
	if (n->kind != BOB_STRUCTURE_FUNCTION)
		return 0;
	return n->inlined.function ? c->rule_of(c->ctx, n->inlined.function) :
				     cli_choice_of(c, s->trace, s->process, n->image, n->pc);
}

/* Functions by pattern, with all that they call. */
static void choose_functions(struct showing *w)
{
	const uint8_t hidden = BOB_TREE_HIDE | BOB_TREE_PASS;

	show_range(w, 0, w->x.count, !w->o->choice->only);
	for (uint32_t i = 0; i < w->x.count; i++) {
		const uint8_t rule = rule_of(w, &w->x.node[i]);

		if (rule & BOB_TREE_ONLY && !(rule & hidden)) {
			show_range(w, i, w->x.node[i].end, 1);
			show_around(w, i);
		}
	}
	for (uint32_t i = 0; i < w->x.count; i++)
		if (rule_of(w, &w->x.node[i]) & hidden)
			show_range(w, i, w->x.node[i].end, 0);
}

/* Accesses of a function or loop that are in no function or loop inside it. */
static uint64_t own_accesses(const struct showing *w, uint32_t at)
{
	uint64_t sum = 0;

	for (uint32_t i = at + 1; i < w->x.node[at].end; i = w->x.node[i].end)
		if (w->x.node[i].kind == BOB_STRUCTURE_ACCESS)
			sum += cli_structure_accesses(&w->x.node[i]);
	return sum;
}

/* Of what is chosen, the functions and loops with the most accesses of their own. */
static void choose_top(struct showing *w)
{
	struct child *own = calloc((size_t)w->x.count + 1, sizeof(*own));
	uint32_t count = 0;

	if (!own) {
		w->x.st = BOB_ERR_NOMEM;
		return;
	}
	for (uint32_t i = 0; i < w->x.count; i++)
		if (w->shown[i] && w->x.node[i].kind <= BOB_STRUCTURE_LEAF)
			own[count++] = (struct child){ .accesses = own_accesses(w, i), .at = i };
	qsort(own, count, sizeof(*own), by_accesses);
	show_range(w, 0, w->x.count, 0);
	for (uint32_t i = 0; i < count && i < w->o->top && own[i].accesses; i++) {
		const uint32_t at = own[i].at;

		w->shown[at] = 1;
		show_around(w, at);
		for (uint32_t k = at + 1; k < w->x.node[at].end; k = w->x.node[k].end)
			if (w->x.node[k].kind > BOB_STRUCTURE_LEAF)
				w->shown[k] = 1;
	}
	free(own);
}

static void print_foot(struct showing *w)
{
	FILE *out = w->x.out;

	if (w->o->lines && w->x.lines >= w->o->lines)
		fputs("  ... more lines: --lines\n", out);
	else if (!w->x.lines)
		fputs("  nothing to show\n", out);
	if (bob_structure_is_inexact(w->x.s))
		fputs("  conditional accesses (sometimes), and those repeated after a signal, are "
		      "counted\n  as if they always happened\n",
		      out);
}

static bob_status count_events(struct showing *w)
{
	w->events = calloc((size_t)w->x.count + 1, sizeof(*w->events));
	for (uint32_t i = 0; i < w->x.count && w->events; i++)
		w->events[i + 1] = w->events[i] + (w->x.node[i].kind == BOB_STRUCTURE_EVENT);
	return w->events ? BOB_OK : BOB_ERR_NOMEM;
}

static void print_all(struct showing *w)
{
	w->shown = malloc((size_t)w->x.count + 1);
	w->x.st = w->shown ? count_events(w) : BOB_ERR_NOMEM;
	if (w->x.st != BOB_OK)
		return;
	show_range(w, 0, w->x.count, 1);
	if (w->o->choice->rules)
		choose_functions(w);
	if (w->o->top)
		choose_top(w);
	print_range(w, 0, w->x.count, w->x.all);
	if (w->x.st == BOB_OK)
		print_foot(w);
}

bob_status cli_structure_print(const struct bob_trace *t, uint32_t thread,
			       const struct cli_show_structure *o, FILE *out)
{
	struct showing w = { .o = o,
			     .x = { .space = { t, bob_trace_thread(t, thread)->process },
				    .thread = thread,
				    .all = bob_trace_accesses(t, thread),
				    .out = out } };
	struct bob_structure *s;
	bob_status st = bob_structure_create(t, thread, &s);

	if (st != BOB_OK)
		return st;
	w.x.s = s;
	w.x.node = bob_structure_nodes(s, &w.x.count);
	bob_stack_range_of(t, thread, &w.x.stack);
	print_all(&w);
	bob_frames_destroy(w.x.frames);
	free(w.shown);
	free(w.events);
	bob_structure_destroy(s);
	return w.x.st;
}
