/* SPDX-License-Identifier: BSD-3-Clause */
/* Trips of loops according to the text, for the prediction, and the loops that move a reference. A
 * bound that depends on an outer counter is evaluated at the middle of the counter's range. That is
 * the mean if bounds are sums and multiples of one counter. */
#include "source/fortran/weave/weave.h"

#include <string.h>

#define WHOLE_MAX 1e15
#define DEPTH_MAX 16u /* nesting of dependent bounds, and of parentheses */

static bool fold(const struct bob_weave *w, uint32_t statement, const struct bob_fortran_expr *e,
		 int64_t *value)
{
	const struct bob_fortran_unit *u = bob_weave_unit(w, statement);

	return u && u->symbols &&
	       bob_fortran_fold(u->symbols, &w->file->statements[statement], e, value) == BOB_OK;
}

/* The range of a loop: from, to, by; mean values. */
struct range {
	double from, to, by;
};

struct at {
	const struct bob_weave *w;
	struct bob_arena *scratch;
	uint32_t statement;	/* that contains the expression */
	uint32_t depth;
};

static bool range_of(const struct at *a, uint32_t loop, struct range *to);

static bool counts_in(const struct at *a, uint32_t loop, const char *name, uint32_t len)
{
	const struct bob_fortran_statement *s = &a->w->file->statements[loop];
	const struct bob_fortran_expr *by = bob_weave_moved_by(a->scratch, s);

	return by && by->name_len == len && !memcmp(s->text + by->from, name, len);
}

/* The middle of the range of the enclosing loop with this counter. */
static bool middle(const struct at *a, const struct bob_fortran_expr *name, double *value)
{
	const struct bob_fortran_statement *s = &a->w->file->statements[a->statement];
	struct range r;

	if (name->child || name->node != BOB_N_PART)
		return false;
	for (uint32_t k = s->construct; k < a->w->file->construct_count;
	     k = a->w->file->constructs[k].parent) {
		const uint32_t loop = a->w->file->constructs[k].first;

		if (loop == a->statement || a->w->file->constructs[k].kind != BOB_CONSTRUCT_DO ||
		    !counts_in(a, loop, s->text + name->from, name->name_len))
			continue;
		if (!range_of(a, loop, &r))
			return false;
		*value = (r.from + r.to) / 2;
		return true;
	}
	return false;
}

static bool value_of(const struct at *a, const struct bob_fortran_expr *e, double *value);

static bool two(const struct at *a, const struct bob_fortran_expr *e, double *value)
{
	double left, right;

	if (!value_of(a, e->child, &left) || !value_of(a, e->child->next, &right))
		return false;
	*value = e->op == BOB_OP_PLUS  ? left + right :
		 e->op == BOB_OP_MINUS ? left - right :
					 left * right;
	return e->op == BOB_OP_PLUS || e->op == BOB_OP_MINUS || e->op == BOB_OP_TIMES;
}

static bool value_of(const struct at *a, const struct bob_fortran_expr *e, double *value)
{
	const struct at in = { a->w, a->scratch, a->statement, a->depth + 1 };
	int64_t number;

	if (a->depth > DEPTH_MAX)
		return false;
	if (fold(a->w, a->statement, e, &number)) {
		*value = (double)number;
		return true;
	}
	if (!e->child)
		return false;
	if (e->node == BOB_N_REFERENCE && !e->child->next)
		return middle(&in, e->child, value);
	if (e->node == BOB_N_PAREN)
		return value_of(&in, e->child, value);
	if (e->node == BOB_N_UNARY && (e->op == BOB_OP_MINUS || e->op == BOB_OP_PLUS)) {
		if (!value_of(&in, e->child, value))
			return false;
		*value = e->op == BOB_OP_MINUS ? -*value : *value;
		return true;
	}
	return e->node == BOB_N_BINARY && e->child->next && two(&in, e, value);
}

/* The bounds of a DO: from, to, and an optional step. */
static bool range_of(const struct at *a, uint32_t loop, struct range *to)
{
	const struct bob_fortran_statement *s = &a->w->file->statements[loop];
	const struct at in = { a->w, a->scratch, loop, a->depth + 1 };
	const struct bob_fortran_expr *e[4] = { NULL };
	const struct bob_fortran_item *item;
	uint32_t count = 0, bad = 0;

	to->by = 1;
	if (s->kind != BOB_F_DO || bob_fortran_items(a->scratch, s, &item, &bad) != BOB_OK || bad)
		return false;
	for (; item && count < 4; item = item->next)
		e[count++] = item->expr;
	return !item && count >= 3 && value_of(&in, e[0], &to->from) &&
	       value_of(&in, e[1], &to->to) && (count < 4 || value_of(&in, e[2], &to->by)) &&
	       to->by != 0;
}

static bool is_whole(double x)
{
	return x > -WHOLE_MAX && x < WHOLE_MAX && x == (double)(int64_t)x;
}

static double trips_of(const struct range *r)
{
	const double trips = (r->to - r->from + r->by) / r->by;

	return trips > 0 ? trips : 0;
}

double bob_weave_do_trips(const struct bob_weave *w, uint32_t loop)
{
	struct bob_arena scratch = { 0 };
	const struct at a = { w, &scratch, loop, 0 };
	struct range r;
	double trips = -1;

	if (range_of(&a, loop, &r)) {
		trips = trips_of(&r);
		if (is_whole(r.from) && is_whole(r.to) && is_whole(r.by) && trips < WHOLE_MAX)
			trips = (double)(int64_t)trips;
	}
	bob_arena_free(&scratch);
	return trips;
}

double bob_weave_trips(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_expr *bounds)
{
	const struct bob_fortran_expr *high = bounds ? bounds->next : NULL;
	const struct bob_fortran_expr *by = high ? high->next : NULL;
	int64_t from, to, step = 1;

	if (!high || !fold(w, statement, bounds, &from) || !fold(w, statement, high, &to) ||
	    (by && !fold(w, statement, by, &step)) || !step)
		return -1;
	return bob_predict_span(from, to, step);
}

/* Is the name that begins at `from` in one statement contained in an expression of another one? */
static bool has_name(const struct bob_fortran_statement *s, const struct bob_fortran_expr *e,
		     const char *name, uint32_t len)
{
	if (e->node == BOB_N_PART && e->name_len == len && !memcmp(s->text + e->from, name, len))
		return true;
	for (e = e->child; e; e = e->next)
		if (has_name(s, e, name, len))
			return true;
	return false;
}

const struct bob_fortran_expr *bob_weave_moved_by(struct bob_arena *scratch,
						  const struct bob_fortran_statement *s)
{
	const struct bob_fortran_item *item = NULL;

	if (s->kind != BOB_F_DO || bob_fortran_items(scratch, s, &item, NULL) != BOB_OK)
		return NULL;
	while (item && item->role != BOB_ROLE_LOOP)
		item = item->next;
	return item && item->expr->node == BOB_N_REFERENCE ? item->expr->child : NULL;
}

/* Loops beyond 32 are ignored. */
bool bob_weave_is_back(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_expr *ref)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	uint32_t used = 0, known = 0, depth = 0, k = s->construct;
	struct bob_arena scratch = { 0 };

	/* from the innermost outwards: found bits are shifted */
	for (; k < w->file->construct_count && depth < 32; k = w->file->constructs[k].parent) {
		const struct bob_fortran_construct *c = &w->file->constructs[k];
		const struct bob_fortran_statement *head = &w->file->statements[c->first];
		const struct bob_fortran_expr *name;

		if (c->kind != BOB_CONSTRUCT_DO || c->first == statement)
			continue;
		name = bob_weave_moved_by(&scratch, head);
		known = known << 1 | (name != NULL);
		used = used << 1 |
		       (name && has_name(s, ref, head->text + name->from, name->name_len));
		depth++;
	}
	bob_arena_free(&scratch);
	return bob_predict_is_back(used, known);
}
