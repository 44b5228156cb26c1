/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of procedures: one for each set of dummies that some call passes what is traced to, where other calls pass nothing that is traced, or other
 * sets. The procedure itself then has no probes for its dummies, and costs other callers nothing.
 *
 * What a call passes depends on what its own procedure got: each procedure is looked at as it stands, where its dummies are nothing that is traced, and
 * once more for each of its copies, until no set is new. */
#include "source/fortran/weave/clones.h"

#include <string.h>

static const struct bob_fortran_unit *unit_of(const struct bob_weave_procedure *p)
{
	return &p->w->file->units[p->unit];
}

static bool has_copies(const struct bob_weave_procedure *p)
{
	return p && !p->why && !p->is_needless;
}

/* From now on the procedure's dummies are looked at as if these were something that is traced. */
static void assume(const struct bob_weave_procedure *p, uint64_t dummies)
{
	for (uint32_t d = 0; d < unit_of(p)->dummy_count; d++)
		*bob_weave_dummy(p->w, p->unit, d) = d < BOB_WEAVE_CLONE_DUMMIES_MAX ?
							     (uint8_t)(dummies >> d & 1) :
							     dummies == UINT64_MAX;
}

/* What the call passes, as things are assumed. */
static uint64_t passed(const struct bob_weave_calls *c, const struct bob_weave_call *call)
{
	uint64_t dummies = 0;

	for (uint32_t i = 0; i < call->pass_count; i++) {
		const struct bob_weave_pass *p = &c->passes[call->first_pass + i];

		if (p->is_always || bob_weave_may_be_any(call->w, p->symbol))
			dummies |= p->dummies;
	}
	return dummies & call->to->all;
}

/* The set, as the procedure has it; BOB_WEAVE_CLONES_MAX: it has too many. */
static uint32_t set_of(struct bob_weave_procedure *p, uint64_t dummies, bool *is_new)
{
	uint32_t i = 0;

	dummies = p->is_united ? p->all : dummies;
	while (i < p->set_count && p->sets[i] != dummies)
		i++;
	if (i == p->set_count && i < BOB_WEAVE_CLONES_MAX) {
		p->sets[p->set_count++] = dummies;
		*is_new = true;
	}
	return i;
}

/* --- what is passed to whom --- */

/* The calls of a unit, as things are assumed. False: too many sets, it begins anew. */
static bool look(struct bob_weave_calls *c, const struct bob_weave *w, uint32_t unit, bool *is_new)
{
	bool ok = true;

	for (size_t i = bob_weave_first_call(c, w, unit); i < c->call_count; i++) {
		const struct bob_weave_call *call = &c->calls[i];
		uint64_t dummies;

		if (call->w != w || call->unit != unit)
			break;
		dummies = passed(c, call);
		if (!dummies)
			call->to->has_plain = true;
		else if (set_of(call->to, dummies, is_new) == BOB_WEAVE_CLONES_MAX) {
			call->to->is_united = true;
			ok = false;
		}
	}
	return ok;
}

/* As it stands, and as each of its copies. */
static bool look_at_procedure(struct bob_weave_calls *c, struct bob_weave_procedure *p,
			      bool *is_new)
{
	bool ok;

	assume(p, has_copies(p) ? 0 : p->all);
	ok = look(c, p->w, p->unit, is_new);
	for (uint32_t k = 0; has_copies(p) && k < p->set_count && ok; k++) {
		assume(p, p->sets[k]);
		ok = look(c, p->w, p->unit, is_new);
		assume(p, 0);
	}
	return ok;
}

static bool look_at_all(struct bob_weave_calls *c)
{
	bool is_new = true, ok = true;

	for (size_t i = 0; i < c->procedure_count; i++) {
		struct bob_weave_procedure *p = &c->procedures[i];

		p->set_count = 0;
		p->has_plain = false;
		assume(p, has_copies(p) ? 0 : p->all);
	}
	for (struct bob_weave *w = c->files; w && ok; w = w->next)
		for (uint32_t u = 0; u < w->file->unit_count && ok; u++)
			if (!bob_weave_find_procedure(c, w, u))
				ok = look(c, w, u, &is_new);
	while (is_new && ok) {
		is_new = false;
		for (size_t i = 0; i < c->procedure_count && ok; i++)
			ok = look_at_procedure(c, &c->procedures[i], &is_new);
	}
	return ok;
}

/* Where all calls pass the same, probes in place cost nobody anything. False: there is none of these any more. */
static bool drop_needless(struct bob_weave_calls *c)
{
	bool some = false;

	for (size_t i = 0; i < c->procedure_count; i++) {
		struct bob_weave_procedure *p = &c->procedures[i];

		if (has_copies(p) && !p->has_plain && (p->set_count <= 1 || p->is_united))
			some = p->is_needless = true;
	}
	return some;
}

/* --- what comes of it --- */

static bob_status add_clones(struct bob_weave_calls *c)
{
	for (size_t i = 0; i < c->procedure_count; i++) {
		struct bob_weave_procedure *p = &c->procedures[i];
		struct bob_weave *w = p->w;

		if (p->why && (p->has_plain || p->set_count > 1))
			bob_weave_remark(
				w,
				bob_weave_text(
					w, "%s has its probes in place, for all who call it: %s",
					unit_of(p)->name, p->why),
				w->file->statements[unit_of(p)->first].line);
		p->first_clone = (uint32_t)w->clone_count;
		for (uint32_t k = 0; has_copies(p) && k < p->set_count; k++) {
			if (bob_array_room(&w->clones, w->clone_count, &w->clone_room,
					   sizeof(*w->clones)))
				return BOB_ERR_NOMEM;
			w->clones[w->clone_count] = (struct bob_weave_clone){
				.unit = p->unit, .dummies = p->sets[k],
				.name = bob_weave_text(w, "bobbin_%08x_k%zu", (uint32_t)w->digest,
						       w->clone_count + 1) };
			w->clone_count++;
		}
	}
	return BOB_OK;
}

/* What makes the copy known where it is called. */
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

/* The calls of a unit that go to copies, when it is `in`. */
static bob_status redirect(struct bob_weave_calls *c, struct bob_weave *w, uint32_t unit,
			   uint32_t in)
{
	for (size_t i = bob_weave_first_call(c, w, unit); i < c->call_count; i++) {
		const struct bob_weave_call *call = &c->calls[i];
		struct bob_weave_redirect r = { .in = in, .statement = call->statement,
						.from = call->from, .to = call->from + call->len };
		uint64_t dummies;
		bool is_new;

		if (call->w != w || call->unit != unit)
			break;
		if (!has_copies(call->to))
			continue;
		dummies = passed(c, call);
		if (!dummies)
			continue;
		if (bob_array_room(&w->redirects, w->redirect_count, &w->redirect_room,
				   sizeof(*w->redirects)))
			return BOB_ERR_NOMEM;
		r.name =
			call->to->w
				->clones[call->to->first_clone + set_of(call->to, dummies, &is_new)]
				.name;
		make_known(call, &r);
		w->redirects[w->redirect_count++] = r;
	}
	return BOB_OK;
}

static bob_status add_redirects(struct bob_weave_calls *c)
{
	bob_status st = BOB_OK;

	for (struct bob_weave *w = c->files; w && st == BOB_OK; w = w->next)
		for (uint32_t u = 0; u < w->file->unit_count && st == BOB_OK; u++)
			st = redirect(c, w, u, 0);
	for (size_t i = 0; i < c->procedure_count; i++) {
		struct bob_weave_procedure *p = &c->procedures[i];

		for (uint32_t k = 0; has_copies(p) && k < p->set_count && st == BOB_OK; k++) {
			assume(p, p->sets[k]);
			st = redirect(c, p->w, p->unit, p->first_clone + k + 1);
			assume(p, 0);
		}
	}
	return st;
}

bob_status bob_weave_plan_clones(struct bob_weave *files)
{
	struct bob_weave_calls c;
	bob_status st = files->is_in_place ? BOB_OK : bob_weave_calls_read(files, &c);

	if (st != BOB_OK || files->is_in_place)
		return st;
	st = bob_weave_clonable(&c);
	if (st == BOB_OK)
		do
			while (!look_at_all(&c))
				;
		while (drop_needless(&c));
	if (st == BOB_OK)
		st = add_clones(&c);
	if (st == BOB_OK)
		st = add_redirects(&c);
	bob_weave_calls_free(&c);
	return st;
}
