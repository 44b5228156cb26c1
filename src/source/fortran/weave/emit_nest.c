/* SPDX-License-Identifier: BSD-3-Clause */
/* The probe of a nest. What it calls (companion.c) keeps the trips and addresses until all are there, so nothing is declared here; and the
 * counters are the program's own: they get what the loops give them next. Inner bounds are looked at only if the loops around run. */
#include "source/fortran/weave/nest.h"

static void put(const struct bob_weave_nest *n, uint32_t at, const char *text)
{
	bob_weave_put(n->w, at, BOB_RANK_NEST, n->first, text);
}

static const char *slice(const struct bob_weave_nest *n, uint32_t statement,
			 const struct bob_fortran_expr *e)
{
	return bob_weave_text(n->w, "%.*s", (int)(e->to - e->from),
			      n->w->file->statements[statement].text + e->from);
}

static void put_loop(const struct bob_weave_nest *n, uint32_t at,
		     const struct bob_weave_nest_loop *l)
{
	const char *i = l->counter->name;

	put(n, at, bob_weave_text(n->w, "%s=%s", i, slice(n, l->statement, l->low)));
	put(n, at,
	    bob_weave_text(n->w, "if (%sc(%s+0_8,(%s)+0_8,(%s)+0_8)/=0_4) then", n->w->id, i,
			   slice(n, l->statement, l->high),
			   l->step ? slice(n, l->statement, l->step) : "1_8"));
}

static void put_place(const struct bob_weave_nest *n, uint32_t at, uint32_t slot, uint32_t access)
{
	const struct bob_weave_nest_access *a = &n->access[access];

	put(n, at,
	    bob_weave_text(n->w, "call %sw(%u_4,%s)", n->w->id, slot,
			   slice(n, a->statement, a->use.ref)));
}

/* Where the second trip of loop `d` goes, if there is one: of what its counter moves. */
static void put_step(const struct bob_weave_nest *n, uint32_t at, uint32_t d)
{
	const struct bob_weave_nest_loop *l = &n->loop[d];
	const char *i = l->counter->name, *low = slice(n, l->statement, l->low);
	bool some = false;

	for (uint32_t k = 0; k < n->count; k++) {
		const struct bob_weave_nest_access *a = &n->access[k];
		const struct bob_fortran_expr *first = a->use.ref->child;

		/* the counter itself stays where it is */
		if ((!first->child && !first->next) ||
		    !bob_weave_names(n->w, a->statement, first, l->counter))
			continue;
		if (!some) {
			put(n, at, bob_weave_text(n->w, "if (%sg(%u_4)/=0_4) then", n->w->id, d));
			put(n, at,
			    bob_weave_text(n->w, "%s=%s+(%s)", i, i,
					   l->step ? slice(n, l->statement, l->step) : "1"));
		}
		some = true;
		put_place(n, at, k * (n->depth + 1) + 1 + d, k);
	}
	if (!some)
		return;
	put(n, at, bob_weave_text(n->w, "%s=%s", i, low));
	put(n, at, "end if");
}

void bob_weave_emit_nest(const struct bob_weave_nest *n, uint32_t at)
{
	put(n, at, bob_weave_text(n->w, "if (%so(%zu_4)/=0_4) then", n->w->id, n->w->nest_count));
	for (uint32_t d = 0; d < n->depth; d++)
		put_loop(n, at, &n->loop[d]);
	for (uint32_t k = 0; k < n->count; k++)
		put_place(n, at, k * (n->depth + 1), k);
	for (uint32_t d = 0; d < n->depth; d++)
		put_step(n, at, d);
	put(n, at, bob_weave_text(n->w, "call %sn(%zu_4)", n->w->id, n->w->nest_count));
	for (uint32_t d = 0; d <= n->depth; d++)
		put(n, at, "end if");
}
