/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans copies of procedures (source/copies.h): converts the call graph to a plan, and the result
 * to copies and redirected calls. Which arguments of a call are traced depends on the dummies of
 * its procedure. So each dummy is examined as if it alone was traced. */
#include "source/fortran/weave/clones.h"
#include "source/fortran/weave/reached.h"

#include <string.h>

/* The plan; procedures and calls have the numbers of struct bob_weave_calls. */
struct plan {
	struct bob_copies copies;
	struct bob_copies_call *calls;
	struct bob_copies_pass *passes;
};

static const struct bob_fortran_unit *unit_of(const struct bob_weave_procedure *p)
{
	return &p->w->file->units[p->unit];
}

/* From now on, exactly these dummies of the procedure count as traced. */
static void assume(const struct bob_weave_procedure *p, uint64_t dummies)
{
	for (uint32_t d = 0; d < unit_of(p)->dummy_count; d++)
		*bob_weave_dummy(p->w, p->unit, d) = d < BOB_WEAVE_CLONE_DUMMIES_MAX ?
							     (uint8_t)(dummies >> d & 1) :
							     dummies == UINT64_MAX;
}

/* --- passed arguments --- */

/* Computes the dummies that make the symbol traced; false: it never is. A procedure that contains
 * others has no copies, so dummies of hosts need not be considered. */
static bool when(const struct bob_weave_procedure *from, const struct bob_weave_call *call,
		 const struct bob_weave_pass *pass, uint64_t *dummies)
{
	bool is_ever = true;

	*dummies = 0;
	if (pass->is_always)
		return true;
	if (!from)
		return bob_weave_may_be_any(call->w, pass->symbol, pass->flags);
	assume(from, 0);
	if (!bob_weave_may_be_any(call->w, pass->symbol, pass->flags)) {
		for (uint32_t d = 0; d < BOB_WEAVE_CLONE_DUMMIES_MAX; d++) {
			const uint64_t bit = UINT64_C(1) << d;

			assume(from, bit & from->all);
			if (bit & from->all &&
			    bob_weave_may_be_any(call->w, pass->symbol, pass->flags))
				*dummies |= bit;
		}
		is_ever = *dummies != 0;
	}
	assume(from, from->all);
	return is_ever;
}

static void add_call(const struct bob_weave_calls *c, const struct bob_weave_call *call,
		     struct plan *p, size_t *pass_count)
{
	const struct bob_weave_procedure *from = bob_weave_find_procedure(c, call->w, call->unit);
	struct bob_copies_call *to = &p->calls[p->copies.call_count++];

	*to = (struct bob_copies_call){ .from = from ? (uint32_t)(from - c->procedures.at) :
						       BOB_COPIES_NO,
					.to = (uint32_t)(call->to - c->procedures.at),
					.first_pass = *pass_count };
	for (uint32_t i = 0; i < call->pass_count; i++) {
		const struct bob_weave_pass *pass = &c->passes.at[call->first_pass + i];
		uint64_t dummies;

		if (!when(from, call, pass, &dummies))
			continue;
		p->passes[*pass_count] = (struct bob_copies_pass){ dummies, pass->dummies };
		to->pass_count++;
		(*pass_count)++;
	}
}

static bob_status make_plan(struct bob_weave_calls *c, struct plan *p)
{
	const size_t n = c->procedures.count;
	size_t pass_count = 0;

	p->copies.procedures = bob_arena_alloc(&c->arena, (n + 1) * sizeof(*p->copies.procedures));
	p->calls = bob_arena_alloc(&c->arena, (c->calls.count + 1) * sizeof(*p->calls));
	p->passes = bob_arena_alloc(&c->arena, (c->passes.count + 1) * sizeof(*p->passes));
	if (!p->copies.procedures || !p->calls || !p->passes)
		return BOB_ERR_NOMEM;
	p->copies.calls = p->calls;
	p->copies.passes = p->passes;
	p->copies.procedure_count = n;
	for (size_t i = 0; i < n; i++) {
		p->copies.procedures[i] = (struct bob_copies_procedure){
			.all = c->procedures.at[i].all, .why = c->procedures.at[i].why
		};
		assume(&c->procedures.at[i], c->procedures.at[i].all);
	}
	for (size_t i = 0; i < c->calls.count; i++)
		add_call(c, &c->calls.at[i], p, &pass_count);
	bob_copies_plan(&p->copies);
	for (size_t i = 0; i < n; i++)
		if (bob_copies_has(&p->copies.procedures[i]))
			assume(&c->procedures.at[i], 0);
	return BOB_OK;
}

/* --- results --- */

/* Reports procedures without copies because of a procedure of no file in one line, as the reason is
 * common. */
static bob_status say_in_place(const struct bob_weave_calls *c, const struct bob_copies *plan)
{
	const char **names =
		bob_arena_alloc(c->files->arena, (c->procedures.count + 1) * sizeof(*names));
	const struct bob_weave_procedure *first = NULL;
	size_t count = 0;

	if (!names)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < c->procedures.count; i++) {
		const struct bob_weave_procedure *p = &c->procedures.at[i];
		const struct bob_copies_procedure *planned = &plan->procedures[i];

		if (!p->why || (!planned->has_plain && planned->set_count <= 1))
			continue;
		if (p->why == c->foreign) {
			first = first ? first : p;
			names[count++] = unit_of(p)->name;
			continue;
		}
		bob_weave_remark(
			p->w,
			bob_weave_text(p->w, "%s has its probes in place, for all who call it: %s",
				       unit_of(p)->name, p->why),
			p->w->file->statements[unit_of(p)->first].line);
	}
	if (first)
		bob_weave_remark(first->w,
				 bob_weave_text(first->w,
						"%s %s probes in place, for all who call %s: %s",
						bob_weave_list(first->w, names, count),
						count > 1 ? "have their" : "has its",
						count > 1 ? "them" : "it", c->foreign),
				 first->w->file->statements[unit_of(first)->first].line);
	return BOB_OK;
}

static bob_status add_clones(struct bob_weave_calls *c, const struct bob_copies *plan)
{
	for (size_t i = 0; i < c->procedures.count; i++) {
		struct bob_weave_procedure *p = &c->procedures.at[i];
		const struct bob_copies_procedure *planned = &plan->procedures[i];
		struct bob_weave *w = p->w;

		p->first_clone = (uint32_t)w->clones.count;
		for (uint32_t k = 0; bob_copies_has(planned) && k < planned->set_count; k++) {
			struct bob_weave_clone *clone = BOB_VEC_PUSH(&w->clones);

			if (!clone)
				return BOB_ERR_NOMEM;
			clone->unit = p->unit;
			clone->dummies = planned->sets[k];
			clone->name = bob_weave_text(w, "bobbin_%08x_k%zu", (uint32_t)w->digest,
						     w->clones.count);
		}
	}
	return BOB_OK;
}

/* Determines the declaration that makes the copy known to the caller. */
static void make_known(const struct bob_weave_call *call, struct bob_weave_redirect *r)
{
	const struct bob_weave_procedure *p = call->to;
	const uint32_t parent = unit_of(p)->parent;
	const struct bob_fortran_unit *module =
		parent == BOB_FORTRAN_NO ? NULL : &p->w->file->units[parent];
	uint32_t u = call->unit;

	if (!module) {
		r->type = bob_weave_result_type(call->w, p);
		return;
	}
	while (u != BOB_FORTRAN_NO && (call->w != p->w || u != parent))
		u = call->w->file->units[u].parent;
	if (u == BOB_FORTRAN_NO)
		r->module = module->name;
}

/* Redirects the call in `in`, whose procedure got `set`. */
static bob_status redirect(const struct bob_weave_calls *c, const struct bob_copies *plan, size_t i,
			   uint32_t in, uint64_t set)
{
	const struct bob_weave_call *call = &c->calls.at[i];
	struct bob_weave *w = call->w;
	const uint32_t k = bob_copies_target(plan, &plan->calls[i], set);
	struct bob_weave_redirect r = { .in = in, .statement = call->statement,
					.from = call->from, .to = call->from + call->len };

	if (k == BOB_COPIES_NO)
		return BOB_OK;
	r.name = call->to->w->clones.at[call->to->first_clone + k].name;
	make_known(call, &r);
	return BOB_VEC_ADD(&w->redirects, r);
}

static bob_status add_redirects(const struct bob_weave_calls *c, const struct bob_copies *plan)
{
	bob_status st = BOB_OK;

	for (size_t i = 0; i < c->calls.count && st == BOB_OK; i++) {
		const uint32_t from = plan->calls[i].from;
		const struct bob_copies_procedure *p =
			from == BOB_COPIES_NO ? NULL : &plan->procedures[from];

		st = redirect(c, plan, i, 0, p ? bob_copies_own_set(p) : 0);
		for (uint32_t k = 0; p && bob_copies_has(p) && k < p->set_count && st == BOB_OK;
		     k++)
			st = redirect(c, plan, i, c->procedures.at[from].first_clone + k + 1,
				      p->sets[k]);
	}
	return st;
}

bob_status bob_weave_plan_clones(struct bob_weave *files)
{
	struct bob_weave_calls c;
	struct plan plan = { .calls = NULL };
	bob_status st = files->is_in_place ? BOB_OK : bob_weave_calls_read(files, &c);

	if (st != BOB_OK || files->is_in_place)
		return st;
	st = bob_weave_clonable(&c);
	if (st == BOB_OK)
		st = make_plan(&c, &plan);
	if (st == BOB_OK)
		st = say_in_place(&c, &plan.copies);
	if (st == BOB_OK)
		st = add_clones(&c, &plan.copies);
	if (st == BOB_OK)
		st = add_redirects(&c, &plan.copies);
	bob_weave_calls_free(&c);
	return st;
}
