/* SPDX-License-Identifier: BSD-3-Clause */
/* What probes of one access cost is what the folder makes of what they record, so it depends on
 * what comes between (bench/source/figures --costs measures each of these in a loop of its own,
 * docs/bench-source.md):
 *
 *   traced     the only one in its loop, one address after the other
 *   turn       two or more take turns
 *   end        a loop ends that is not all there is in the one around it: something else comes. A loop that is all there is goes on in its next run
 *   back       the innermost loop begins again, and so do the addresses of what one around it does not move, though a loop around that does: so much for each probe
 *   scattered  an address that no rule gives, more than the others, when it comes the first time: in the first run of the function. What says the order is
 *              taken to be the same in the next ones
 *   chance     such an address is in a box, or not, with the same odds, where others take turns with it: more
 *
 * What calls from a loop lead to is not among what takes turns in it. */
#include "source/predict_parts.h"

static bool records(const struct bob_predict_loop *l)
{
	return l->probes || l->inner;
}

/* Later loops are in earlier ones, or after them: each is complete when it is come to. */
static void complete(struct bob_predict_unit_of *u)
{
	for (struct bob_predict_loop *l = u->loops; l; l = l->next)
		l->inner = 0;
	u->straight.inner = 0;
	for (struct bob_predict_loop *l = u->loops; l; l = l->next) {
		const double widest =
			l->regular > l->widest_scattered ? l->regular : l->widest_scattered;

		l->widest = l->inner && l->widest > widest ? l->widest : widest;
		if (!records(l))
			continue;
		if (!l->around->inner++ || l->around->widest < l->widest)
			l->around->widest = l->widest;
	}
}

/* Ends of loops in one run of the unit, ns. */
static double ends(const struct bob_predict_loop *l, const struct bob_predict_costs *c)
{
	const struct bob_predict_loop *around = l->around;

	if (!records(l) || around->inner + (around->probes > 0) < 2)
		return 0;
	return c->end * l->times * l->widest;
}

static double each(const struct bob_predict_loop *l, const struct bob_predict_costs *c)
{
	return l->probes > 1 ? c->turn : c->traced;
}

/* How often something else comes in turn with what comes by chance. */
static double others(const struct bob_predict_loop *l)
{
	if (l->probes < 2)
		return 0;
	return l->regular > 0 ? l->regular : l->widest_scattered;
}

static void add(const struct bob_predict_loop *l, const struct bob_predict_costs *c,
		struct bob_predict_loops_cost *to)
{
	to->least += l->inside_least * each(l, c) + l->outside_most * c->outside +
		     l->chance_least * others(l) * c->chance + l->times * l->back_least * c->back;
	to->most += l->inside_most * each(l, c) + l->outside_least * c->outside +
		    l->chance_most * others(l) * c->chance + l->times * l->back_most * c->back;
	to->first_least += l->scattered_least * c->scattered;
	to->first_most += l->scattered_most * c->scattered;
}

struct bob_predict_loops_cost bob_predict_loops_cost(struct bob_predict_unit_of *u,
						     const struct bob_predict_costs *c)
{
	struct bob_predict_loops_cost to = { 0, 0, 0, 0 };

	complete(u);
	add(&u->straight, c, &to);
	for (const struct bob_predict_loop *l = u->loops; l; l = l->next) {
		const double ns = ends(l, c);

		add(l, c, &to);
		to.least += l->inside_least > 0 || l->inside_most <= 0 ? ns : 0;
		to.most += ns;
	}
	return to;
}
