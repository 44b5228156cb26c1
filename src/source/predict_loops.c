/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of probes of one access. The folder's work on an access depends on the accesses before it,
 * so the cost depends on the context of the probe. `bench/source/figures --costs` measures each of
 * these costs in a separate loop (docs/bench-source.md):
 *
 *     traced     the only probe of its loop, regular addresses
 *     turn       two or more probes alternate
 *     end        added at the end of a loop that is not the only content of the loop around it.
 *                (The only one is continued by its next run.)
 *     back       added, for each probe, at each restart of the innermost loop if its addresses go
 *                back: an enclosing loop does not move them, and a loop around that one does
 *     scattered  added to irregular addresses in the first run of the function. Later runs are
 *                assumed to have the same order.
 *     chance     added to irregular addresses that may be in a box or not with the same odds and
 *                alternate with other accesses
 *
 * Probes in callees of a loop are not counted as alternating with those of the loop. */
#include "source/predict_parts.h"

static bool records(const struct bob_predict_loop *l)
{
	return l->probes || l->inner;
}

/* Sums up inner loops. The list has inner and later loops first, so each loop is complete when it
 * is reached. */
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

/* Cost of the ends of the loop in one run of the unit, in ns. */
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

/* The share of accesses that alternate with the irregular ones of the loop. */
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
