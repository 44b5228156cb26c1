/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans the copies of a file's functions and inserts them. A copy is the text of the function,
 * repeated after it, with the name bobbin_k1_NAME and the probes that depend on its arguments.
 * Calls of the copy use that name. It is declared before each function that calls it. */
#include "source/c/copies.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* --- the plan --- */

/* The function in the plan. NULL: no probe in it depends on its arguments. */
static const struct bob_copies_procedure *planned(const struct bob_c_unit *u,
						  const struct bob_c_function *f)
{
	return f && f->planned != BOB_COPIES_NO ? &u->copies->plan.procedures[f->planned] : NULL;
}

struct plan {
	struct bob_copies_procedure *procedures;
	struct bob_copies_call
		*calls; /* calls of the file first, then those that are planned alone */
	BOB_VEC(struct bob_copies_pass) passes;
};

/* Adds the arguments of a call on which probes in the callee depend. The children of the call are
 * the callee and the arguments. False: no memory. */
static bool add_passes(struct bob_c_unit *u, const struct bob_c_call *call, struct plan *p)
{
	struct bob_c_list l = bob_c_all_children(u, call->c);
	bool ok = true;

	for (size_t i = 1; i < l.count && i <= 63 && ok; i++) {
		uint64_t leads;

		if (bob_c_type_kind(u, l.at[i]) != CXType_Pointer)
			continue;
		leads = bob_c_leads(u, l.at[i]);
		if (!leads)
			continue;
		/* Calls outside of functions of this file have unknown arguments. */
		if (leads & BOB_C_ANYWHERE || !call->from)
			leads = 0;
		ok = BOB_VEC_ADD(&p->passes, (struct bob_copies_pass){
						     leads, UINT64_C(1) << (i - 1) }) == BOB_OK;
	}
	bob_c_list_free(&l);
	return ok;
}

/* Transitive closure: arguments that are passed on to such arguments matter, too. */
static void close_arguments(struct bob_c_unit *u, struct plan *p)
{
	struct bob_c_copies *k = u->copies;
	bool is_new = true;

	while (is_new) {
		is_new = false;
		for (size_t i = 0; i < k->calls.count; i++) {
			const struct bob_copies_call *call = &p->calls[i];
			struct bob_c_function *from = k->calls.at[i].from;

			for (size_t n = 0; from && n < call->pass_count; n++) {
				const struct bob_copies_pass *pass =
					&p->passes.at[call->first_pass + n];
				const uint64_t more = pass->gives & k->calls.at[i].to->all ?
							      pass->when & ~from->all :
							      0;

				from->all |= more;
				is_new |= more != 0;
			}
		}
	}
}

/* Numbers the functions whose probes depend on arguments, and the calls of them. */
static void number(struct bob_c_unit *u, struct plan *p)
{
	struct bob_c_copies *k = u->copies;
	size_t n = 0;

	for (size_t i = 0; i < k->functions.count; i++) {
		struct bob_c_function *f = k->functions.at[i];

		if (!f->is_defined || !f->all)
			continue;
		if (k->plan.procedure_count >= BOB_C_COPYABLE_MAX && !f->why)
			f->why = "the file has too many functions with arguments that matter";
		f->planned = (uint32_t)k->plan.procedure_count;
		p->procedures[k->plan.procedure_count++] =
			(struct bob_copies_procedure){ .all = f->all, .why = f->why,
						       .is_open = !f->why && f->others };
	}
	for (size_t i = 0; i < k->calls.count; i++) {
		const struct bob_c_call *call = &k->calls.at[i];

		k->calls.at[i].planned = call->to->planned == BOB_COPIES_NO ? BOB_COPIES_NO :
									      (uint32_t)n;
		if (call->to->planned == BOB_COPIES_NO)
			continue;
		p->calls[n] = p->calls[i];
		p->calls[n].from = call->from ? call->from->planned : BOB_COPIES_NO;
		p->calls[n++].to = call->to->planned;
	}
	k->plan.call_count = n;
}

BOB_COMPARE(by_place, struct bob_c_call, BOB_UP(at))

static void number_copies(struct bob_c_unit *u)
{
	struct bob_c_copies *k = u->copies;

	for (size_t i = 0; i < k->functions.count; i++) {
		struct bob_c_function *f = k->functions.at[i];
		const struct bob_copies_procedure *p = planned(u, f);

		f->copies_before = k->copy_count;
		k->copy_count += p && bob_copies_has(p) ? p->set_count : 0;
	}
	k->is_declared = bob_arena_alloc(&u->arena, k->copy_count + 1);
	u->is_failed |= !k->is_declared;
	if (k->is_declared)
		memset(k->is_declared, 0, k->copy_count + 1);
	if (k->calls.count)
		qsort(k->calls.at, k->calls.count, sizeof(*k->calls.at), by_place);
}

/* Makes the plan, after the trial. */
static void plan(struct bob_c_unit *u)
{
	struct bob_c_copies *k = u->copies;
	struct plan p = { .procedures = NULL };

	p.procedures = bob_arena_alloc(&u->arena, (k->functions.count + 1) * sizeof(*p.procedures));
	p.calls = bob_arena_alloc(&u->arena, (k->calls.count + 1) * sizeof(*p.calls));
	u->is_failed |= !p.procedures || !p.calls;
	for (size_t i = 0; i < k->calls.count && !u->is_failed; i++) {
		p.calls[i].first_pass = p.passes.count;
		u->is_failed |= !add_passes(u, &k->calls.at[i], &p);
		p.calls[i].pass_count = (uint32_t)(p.passes.count - p.calls[i].first_pass);
	}
	k->passes = p.passes.at;
	if (u->is_failed)
		return;
	close_arguments(u, &p);
	k->plan.procedures = p.procedures;
	k->plan.calls = p.calls;
	k->plan.passes = p.passes.at;
	number(u, &p);
	bob_copies_plan(&k->plan);
	number_copies(u);
}

/* Restores the state after the scan, except for the counts of refusals. */
static void forget_trial(struct bob_c_unit *u)
{
	const struct bob_source_c_counts counts = u->counts;

	for (struct bob_c_variable *v = u->variables; v; v = v->later)
		v->is_used = v->has_scope = v->is_jumped = false;
	for (struct bob_c_path *p = u->paths; p; p = p->next)
		p->is_used = false;
	BOB_MAP_CLEAR(&u->wrapped);
	u->rows.count = u->nests.count = u->units.count = u->sites.count = u->events.count = 0;
	u->edits.count = 0;
	u->gone = u->top = u->top_line = u->hold_count = 0;
	u->has_top = false;
	u->counts = (struct bob_source_c_counts){ .copies = u->copies->copy_count };
	memcpy(u->counts.refused, counts.refused, sizeof(counts.refused));
	u->is_refused = true;
}

/* True if some function is called and something could be passed to it. */
static bool is_worthwhile(const struct bob_c_unit *u)
{
	const struct bob_c_copies *k = u->copies;
	bool is_asked = u->options->reach;

	for (uint32_t i = 0; i < u->options->request_count; i++)
		is_asked |= u->options->requests[i].what == BOB_SOURCE_C_VARIABLE ||
			    u->options->requests[i].what == BOB_SOURCE_C_POINTERS;
	for (size_t i = 0; i < k->calls.count && is_asked; i++)
		if (k->calls.at[i].to->is_defined && k->calls.at[i].to->span.is_ours)
			return true;
	return false;
}

void bob_c_copies_begin(struct bob_c_unit *u)
{
	if (!u->options->has_copies)
		return;
	u->copies = calloc(1, sizeof(*u->copies));
	u->is_failed |= !u->copies;
	if (u->copies)
		bob_c_leads_begin(u);
}

void bob_c_copies_plan(struct bob_c_unit *u)
{
	const struct bob_source_c_options *options = u->options;
	struct bob_source_c_options quiet = *options;

	if (!u->copies)
		return;
	u->copies->is_planned = true;
	if (u->is_failed || !is_worthwhile(u))
		return;
	bob_c_leads_settle(u);
	bob_c_copyable(u);
	quiet.predict = NULL;
	u->options = &quiet;
	u->copies->is_trial = true;
	bob_c_walk_file(u);
	u->copies->is_trial = false;
	u->options = options;
	plan(u);
	forget_trial(u);
	if (!u->copies->copy_count || !options->predict)
		return;
	/* The call graph has changed. */
	bob_c_predict_file(u);
	u->is_scan = true;
	bob_c_walk_file(u);
	u->is_scan = false;
}

/* --- names --- */

/* Name of the k-th copy, from 0. */
static const char *name_of(struct bob_c_unit *u, const struct bob_c_function *f, uint32_t k)
{
	return bob_c_printf(u, "bobbin_k%u_%s", k + 1, f->name);
}

const char *bob_c_copies_name(struct bob_c_unit *u)
{
	const struct bob_c_copies *k = u->copies;

	if (!k || !k->copy_number)
		return u->function_name;
	return name_of(u, k->function, k->copy_number - k->function->copies_before - 1);
}

/* The text of the definition up to its body, and a semicolon. */
static const char *prototype(struct bob_c_unit *u, const struct bob_c_function *f, const char *name)
{
	const uint32_t after = f->name_at + (uint32_t)strlen(f->name);

	return bob_c_printf(u, "%s%.*s%s%.*s\n;\n", bob_c_line_directive(u, f->span.line),
			    (int)(f->name_at - f->span.start), u->bytes + f->span.start, name,
			    (int)(bob_c_body(u, f).start - after), u->bytes + after);
}

/* A declaration of the copy before `from`, which calls it. */
static const char *declaration(struct bob_c_unit *u, const struct bob_c_function *f,
			       const char *name, const struct bob_c_function *from)
{
	if (from && f->known_from >= from->number)
		return prototype(u, f, name);
	return bob_c_printf(u, "static __typeof__(%s) %s;\n", f->name, name);
}

static void declare(struct bob_c_unit *u, const struct bob_c_function *f, uint32_t k)
{
	bool *is_declared = &u->copies->is_declared[f->copies_before + k + 1];

	if (*is_declared)
		return;
	*is_declared = true;
	u->copies->declarations =
		bob_c_printf(u, "%s%s", u->copies->declarations,
			     declaration(u, f, name_of(u, f, k), u->copies->function));
	if (!u->copies->declarations)
		u->copies->declarations = "";
}

/* --- the walk --- */

void bob_c_copies_enter(struct bob_c_unit *u, CXCursor definition)
{
	const struct bob_copies_procedure *p;

	if (!u->copies)
		return;
	bob_c_function_begin(u, definition);
	p = planned(u, u->copies->function);
	u->copies->copy_number = 0;
	u->copies->set = p ? bob_copies_own_set(p) : 0;
	u->copies->declarations = "";
}

bool bob_c_copies_rule_out(struct bob_c_unit *u, const struct bob_c_lvalue *lv)
{
	struct bob_c_copies *k = u->copies;
	const struct bob_copies_procedure *p;

	if (!k || !k->function || !lv->leads || lv->leads & BOB_C_ANYWHERE)
		return false;
	if (k->is_trial) {
		k->function->all |= lv->leads;
		return false;
	}
	p = planned(u, k->function);
	return p && bob_copies_has(p) && !(lv->leads & k->set);
}

static const struct bob_c_call *call_at(const struct bob_c_copies *k, uint32_t at)
{
	const struct bob_c_call key = { .at = at };

	return bsearch(&key, k->calls.at, k->calls.count, sizeof(key), by_place);
}

const char *bob_c_copies_redirect(struct bob_c_unit *u, CXCursor c, const char *callee)
{
	struct bob_c_copies *k = u->copies;
	const struct bob_c_call *call;
	CXCursor name;
	uint32_t copy;

	if (!k || !k->copy_count || u->nest)
		return callee;
	name = bob_c_name_called(u, c);
	if (u->clang->Cursor_isNull(name))
		return callee;
	call = call_at(k, bob_c_span(u, name).start);
	if (!call || call->planned == BOB_COPIES_NO || call->at == UINT32_MAX)
		return callee;
	copy = bob_copies_target(&k->plan, &k->plan.calls[call->planned], k->set);
	if (copy == BOB_COPIES_NO)
		return callee;
	if (!u->is_scan) {
		declare(u, call->to, copy);
		bob_c_open_at(u, call->at, bob_c_printf(u, "bobbin_k%u_", copy + 1));
	}
	return name_of(u, call->to, copy);
}

static uint32_t last_line(const struct bob_c_unit *u, const struct bob_c_span *s)
{
	uint32_t line = s->line;

	for (uint32_t i = s->start; i < s->end; i++)
		line += u->bytes[i] == '\n';
	return line;
}

/* Appends a copy: the text with the edits after the first `before` ones. */
static void put_copy(struct bob_c_unit *u, const struct bob_c_function *f, uint32_t copy,
		     size_t before)
{
	const struct bob_copies_procedure *p = planned(u, f);
	const char *text, *known = "";

	bob_c_open_at(u, f->name_at, bob_c_printf(u, "bobbin_k%u_", copy + 1));
	text = bob_c_take_edits(u, before, f->span.start, f->span.end);
	if (!u->copies->is_declared[f->copies_before + copy + 1])
		known = declaration(u, f, name_of(u, f, copy), NULL);
	u->copies->is_declared[f->copies_before + copy + 1] = true;
	/* The function itself may have no callers left. */
	if (!copy && !f->is_linked && !p->has_plain)
		known = bob_c_printf(u, "%s__typeof__(%s) %s __attribute__((unused));\n", known,
				     f->name, f->name);
	bob_c_close_at(u, f->span.end,
		       bob_c_printf(u, "\n%s%s%s\n%s", known, bob_c_line_directive(u, f->span.line),
				    text, bob_c_line_directive(u, last_line(u, &f->span))));
}

void bob_c_copies_walk(struct bob_c_unit *u, CXCursor definition)
{
	struct bob_c_copies *k = u->copies;
	struct bob_c_function *f = k ? k->function : NULL;
	const struct bob_copies_procedure *p = f ? planned(u, f) : NULL;

	for (uint32_t copy = 0; p && bob_copies_has(p) && copy < p->set_count; copy++) {
		const size_t before = u->edits.count;

		k->copy_number = f->copies_before + copy + 1;
		k->set = p->sets[copy];
		bob_c_walk_function(u, definition);
		if (!u->is_scan && !u->is_failed)
			put_copy(u, f, copy, before);
	}
	if (k && *k->declarations && f->span.is_ours)
		bob_c_open_at(u, f->span.start,
			      bob_c_printf(u, "\n%s%s", k->declarations,
					   bob_c_line_directive(u, f->span.line)));
	if (k) {
		k->copy_number = 0;
		k->function = NULL;
		k->declarations = "";
	}
}

static struct bob_source_c_refused remark(struct bob_c_unit *u, const struct bob_c_function *f,
					  const char *what, const char *why)
{
	return (struct bob_source_c_refused){ .line = f->span.line,
					      .why = bob_c_printf(u, "%s %s: %s", f->name, what,
								  why) };
}

uint32_t bob_c_copies_remarks(struct bob_c_unit *u, struct bob_source_c_refused **out)
{
	const struct bob_c_copies *k = u->copies;
	uint32_t n = 0;

	*out = k ? bob_arena_alloc(&u->arena, (k->functions.count + 1) * sizeof(**out)) : NULL;
	for (size_t i = 0; *out && i < k->functions.count; i++) {
		const struct bob_c_function *f = k->functions.at[i];
		const struct bob_copies_procedure *p = planned(u, f);

		if (!f->span.is_ours)
			continue;
		if (p && f->why && (p->has_plain || p->set_count > 1))
			(*out)[n++] = remark(u, f, "has its probes in place, for all who call it",
					     f->why);
		else if (p && !f->why && f->others && p->set_count)
			(*out)[n++] = remark(u, f, "keeps its probes, for others who may call it",
					     f->others);
	}
	return n;
}
