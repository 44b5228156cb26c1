/* SPDX-License-Identifier: BSD-3-Clause */
/* Unrolls short loops of nests. If the bounds and the step of a loop are constants of the text, its
 * accesses can be reported as if the body was written once for each trip: as part of an iteration
 * of the loop around it. So a body may have statements next to such loops, and rows are as long as
 * the loop around. Loops are unrolled from the inside while an iteration's accesses fit; one loop
 * remains. */
#include "source/fortran/weave/nest.h"

#define FAR 1000000000 /* bounds are within +-FAR: results of their arithmetic fit 32 bits */

/* --- constants of the text --- */

static bool number(const struct bob_weave *w, uint32_t statement, const struct bob_fortran_expr *e,
		   int64_t *value)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];

	return s->names && bob_fortran_fold(s->names, s, e, value) == BOB_OK && *value >= -FAR &&
	       *value <= FAR && !bob_fortran_is_ambiguous(s->names, s, e);
}

/* Do only its loops change the counter? */
static bool is_own_counter(const struct bob_weave_nest *n, const struct bob_fortran_symbol *s)
{
	uint32_t heads = 0;

	for (uint32_t i = 0; i < n->written_count; i++)
		if (n->written[i].symbol == s)
			heads = n->written[i].heads;
	return bob_weave_writes(n, s) == heads;
}

/* Can the DO be unrolled? Sets *l except for its width. */
static bool is_short(const struct bob_weave_nest *n, uint32_t i, struct bob_weave_nest_laid *l)
{
	const struct bob_fortran_construct *c = bob_weave_construct(n, i);
	struct bob_weave_nest_loop loop;
	int64_t high, trips;

	*l = (struct bob_weave_nest_laid){ .construct = i, .step = 1 };
	if (!c || c->kind != BOB_CONSTRUCT_DO || !bob_weave_read_loop(n->w, c->first, &loop) ||
	    !number(n->w, c->first, loop.low, &l->low) ||
	    !number(n->w, c->first, loop.high, &high) ||
	    (loop.step && !number(n->w, c->first, loop.step, &l->step)) || !l->step)
		return false;
	l->counter = loop.counter;
	trips = (high - l->low + l->step) / l->step;
	l->trips = trips < 1 || trips > BOB_PROBE_NEST_LAID_MAX ? 0 : (uint32_t)trips;
	return l->trips && is_own_counter(n, l->counter);
}

/* --- accesses of an iteration --- */

/* The construct directly in `in` that contains access k; BOB_FORTRAN_NO: none, or access k is not
 * in `in`. */
static uint32_t inner(const struct bob_weave_nest *n, uint32_t in, uint32_t k)
{
	uint32_t i = n->access[k].loop;
	const struct bob_fortran_construct *c = i == in ? NULL : bob_weave_construct(n, i);

	for (; c && c->parent != in; c = bob_weave_construct(n, i))
		i = c->parent;
	return c ? i : BOB_FORTRAN_NO;
}

static struct bob_weave_nest_laid *laid(struct bob_weave_nest *n, uint32_t i)
{
	for (uint32_t k = 0; k < n->laid_count; k++)
		if (n->laid[k].construct == i)
			return &n->laid[k];
	if (n->laid_count == BOB_WEAVE_NEST_LAID_MAX || !is_short(n, i, &n->laid[n->laid_count]))
		return NULL;
	return &n->laid[n->laid_count++];
}

/* Adds accesses from..to-1 of the text to an iteration of `in`, which contains them. */
static bool report(struct bob_weave_nest *n, uint32_t in, uint32_t from, uint32_t to)
{
	struct bob_weave_nest_laid *l;
	uint32_t end, before;

	for (uint32_t k = from; k < to; k = end) {
		const uint32_t i = inner(n, in, k);

		end = k + 1;
		if (n->access[k].loop == in) {
			if (n->reported_count == BOB_PROBE_NEST_LAID_MAX)
				return false;
			if (n->access[k].first == BOB_FORTRAN_NO)
				n->access[k].first = n->reported_count;
			n->reported[n->reported_count++] = (uint8_t)k;
			continue;
		}
		l = laid(n, i);
		if (!l)
			return false;
		while (end < to && inner(n, in, end) == i)
			end++;
		for (uint32_t t = 0; t < l->trips; t++) {
			before = n->reported_count;
			if (!report(n, i, k, end))
				return false;
			l->width = n->reported_count - before;
		}
	}
	return true;
}

/* --- strides --- */

/* Does the expression contain the counter of an unrolled loop, or (`moving`) anything else that
 * changes in the nest? */
static bool names(const struct bob_weave_nest *n, uint32_t statement,
		  const struct bob_fortran_expr *e, bool moving)
{
	const struct bob_fortran_symbol *s =
		e->node == BOB_N_REFERENCE ? bob_weave_symbol(n->w, statement, e) : NULL;

	if (s && moving != bob_weave_is_laid(n, statement, s) &&
	    (!moving || bob_weave_writes(n, s)))
		return true;
	for (e = e->child; e; e = e->next)
		if (names(n, statement, e, moving))
			return true;
	return false;
}

/* Is it a sum of terms that contain either unrolled counters or moving names? Then strides do not
 * depend on the former. */
static bool is_sum(const struct bob_weave_nest *n, uint32_t statement,
		   const struct bob_fortran_expr *e)
{
	const bool is_any =
		e->node == BOB_N_PAREN || e->node == BOB_N_UNARY ||
		(e->node == BOB_N_BINARY && (e->op == BOB_OP_PLUS || e->op == BOB_OP_MINUS));

	if (!is_any)
		return !names(n, statement, e, false) || !names(n, statement, e, true);
	for (e = e->child; e; e = e->next)
		if (!is_sum(n, statement, e))
			return false;
	return true;
}

/* Parts of a reference after the first may have another address and layout for each value of a
 * counter. */
static bool is_alike(const struct bob_weave_nest *n, const struct bob_weave_nest_access *a)
{
	const struct bob_fortran_expr *part = a->use.ref->child;

	if (part->next)
		return !names(n, a->statement, a->use.ref, false);
	for (const struct bob_fortran_expr *e = part->child ? part->child->child : NULL; e;
	     e = e->next)
		if (!is_sum(n, a->statement, e))
			return false;
	return true;
}

/* Do rows of the loop `in` have the capacity? Their words are addresses and strides. */
static bool lay(struct bob_weave_nest *n, uint32_t in)
{
	uint32_t words;

	n->innermost = in;
	n->laid_count = n->reported_count = 0;
	for (uint32_t k = 0; k < n->count; k++)
		n->access[k].first = BOB_FORTRAN_NO;
	if (!report(n, in, 0, n->count))
		return false;
	n->is_alike = true;
	for (uint32_t k = 0; k < n->count && n->is_alike; k++)
		n->is_alike = is_alike(n, &n->access[k]);
	words = n->reported_count + (n->is_alike ? n->count : n->reported_count);
	return words <= BOB_PROBE_NEST_WORDS_MAX;
}

bool bob_weave_lay_out(struct bob_weave_nest *n)
{
	struct bob_weave_nest wider = *n;
	uint32_t in = n->access[0].loop;

	for (uint32_t k = 1; k < n->count; k++) /* the loop that contains all of them */
		while (n->access[k].loop != in && inner(n, in, k) == BOB_FORTRAN_NO)
			in = bob_weave_construct(n, in)->parent;
	if (!lay(n, in))
		return false;
	while (bob_weave_construct(n, in)->first != n->first) {
		in = bob_weave_construct(n, in)->parent;
		if (!lay(&wider, in))
			break;
		*n = wider;
	}
	return true;
}

const struct bob_weave_nest_laid *bob_weave_laid_in(const struct bob_weave_nest *n, uint32_t in,
						    uint32_t k)
{
	const uint32_t i = inner(n, in, k);

	for (uint32_t l = 0; l < n->laid_count; l++)
		if (n->laid[l].construct == i)
			return &n->laid[l];
	return NULL;
}

bool bob_weave_is_laid(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_symbol *s)
{
	for (uint32_t l = 0; l < n->laid_count; l++) {
		const struct bob_fortran_construct *c =
			bob_weave_construct(n, n->laid[l].construct);

		if (n->laid[l].counter == s && statement > c->first && statement <= c->last)
			return true;
	}
	return false;
}
