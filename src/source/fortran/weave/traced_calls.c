/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the calls of all files that may pass traced arguments. */
#include "base/search.h"
#include "source/fortran/weave/clones.h"
#include "source/fortran/weave/reached.h"

#include <stdlib.h>
#include <string.h>

void bob_weave_rule_out(struct bob_weave_procedure *p, const char *why)
{
	if (!p->why)
		p->why = why;
}

static bool is_before(const struct bob_weave *w, uint32_t unit, const struct bob_weave *than,
		      uint32_t than_unit)
{
	return w->number != than->number ? w->number < than->number : unit < than_unit;
}

struct bob_weave_procedure *bob_weave_find_procedure(const struct bob_weave_calls *c,
						     const struct bob_weave *w, uint32_t unit)
{
	size_t low;

	BOB_PARTITION_POINT(low, c->procedures.count, middle,
			    is_before(c->procedures.at[middle].w, c->procedures.at[middle].unit, w,
				      unit));
	return low < c->procedures.count && c->procedures.at[low].w == w &&
			       c->procedures.at[low].unit == unit ?
		       &c->procedures.at[low] :
		       NULL;
}

static int by_unit(const void *a, const void *b)
{
	const struct bob_weave_call *x = a, *y = b;

	if (is_before(x->w, x->unit, y->w, y->unit))
		return -1;
	if (is_before(y->w, y->unit, x->w, x->unit))
		return 1;
	return x->first_in_text < y->first_in_text ? -1 : x->first_in_text > y->first_in_text;
}

static int compare_name(const char *name, const char *other, uint32_t len)
{
	const int order = strncmp(name, other, len);

	return order ? order : name[len] != 0;
}

const struct bob_weave_named *bob_weave_find_named(const struct bob_weave_calls *c,
						   const char *name, uint32_t len)
{
	size_t low;

	BOB_PARTITION_POINT(low, c->named.count, middle,
			    compare_name(c->named.at[middle].name, name, len) < 0);
	return low < c->named.count && !compare_name(c->named.at[low].name, name, len) ?
		       &c->named.at[low] :
		       NULL;
}

void bob_weave_calls_free(struct bob_weave_calls *c)
{
	BOB_VEC_FREE(&c->named);
	BOB_VEC_FREE(&c->procedures);
	BOB_VEC_FREE(&c->calls);
	BOB_VEC_FREE(&c->passes);
	bob_arena_free(&c->arena);
}

/* --- procedures --- */

static bob_status add_procedure(struct bob_weave_calls *c, struct bob_weave *w, uint32_t unit)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];
	struct bob_weave_procedure p = { .w = w, .unit = unit };

	if (!bob_weave_has_body(u))
		return BOB_OK;
	for (uint32_t d = 0; d < u->dummy_count; d++)
		if (*bob_weave_dummy(w, unit, d))
			p.all |= d < BOB_WEAVE_CLONE_DUMMIES_MAX ? UINT64_C(1) << d : UINT64_MAX;
	if (!p.all)
		return BOB_OK;
	return BOB_VEC_ADD(&c->procedures, p);
}

/* --- arguments --- */

static bool is_pointer(const struct bob_fortran_symbol *s, uint32_t use_flags)
{
	const uint32_t leads = BOB_SYMBOL_POINTER | BOB_SYMBOL_ASSOCIATE | BOB_SYMBOL_CRAY_POINTEE;

	return s->flags & leads || use_flags & (BOB_USE_COMPONENT | BOB_USE_UNSURE);
}

/* Is it in a block with a traced variable? An argument may be used beyond its end. */
static bool is_in_block(const struct bob_weave_calls *c, const struct bob_fortran_symbol *s)
{
	for (const struct bob_weave *w = c->files; w && s->common; w = w->next)
		for (size_t i = 0; i < w->variables.count; i++)
			if (w->variables.at[i].symbol->common &&
			    !strcmp(w->variables.at[i].symbol->common->name, s->common->name))
				return true;
	return false;
}

/* The dummies of the procedure that the d-th argument becomes. */
static uint64_t becomes(const struct bob_weave_procedure *p, const struct bob_fortran_statement *s,
			const struct bob_fortran_expr *argument, uint32_t d)
{
	const struct bob_fortran_unit *u = &p->w->file->units[p->unit];

	if (argument->node != BOB_N_KEYWORD)
		return d < BOB_WEAVE_CLONE_DUMMIES_MAX ? UINT64_C(1) << d : UINT64_MAX;
	for (d = 0; d < u->dummy_count && d < BOB_WEAVE_CLONE_DUMMIES_MAX; d++)
		if (strlen(u->dummies[d]) == argument->name_len &&
		    !memcmp(u->dummies[d], s->text + argument->from, argument->name_len))
			return UINT64_C(1) << d;
	return UINT64_MAX;
}

static bob_status add_pass(struct bob_weave_calls *c, struct bob_weave_pass pass)
{
	if (BOB_VEC_ADD(&c->passes, pass) != BOB_OK)
		return BOB_ERR_NOMEM;
	c->calls.at[c->calls.count - 1].pass_count++;
	return BOB_OK;
}

/* Adds a use within an argument. */
static bob_status add_use(struct bob_weave_calls *c, const struct bob_fortran_use *u,
			  uint64_t dummies)
{
	const bool is_function = u->role == BOB_ROLE_CALL && u->symbol->class != BOB_NAME_INTRINSIC;
	struct bob_weave_pass pass = { .symbol = u->symbol, .flags = u->flags, .dummies = dummies };

	if (u->role != BOB_ROLE_PASS && !is_function)
		return BOB_OK;
	/* a function may return a pointer */
	pass.is_always = (c->is_target && (is_function || is_pointer(u->symbol, u->flags))) ||
			 is_in_block(c, u->symbol);
	return is_function && !pass.is_always ? BOB_OK : add_pass(c, pass);
}

static bob_status add_arguments(struct bob_weave_calls *c, const struct bob_fortran_statement *s,
				const struct bob_fortran_uses *uses,
				const struct bob_fortran_use *call)
{
	const struct bob_weave_procedure *to = c->calls.at[c->calls.count - 1].to;
	const struct bob_fortran_expr *list = call->ref->child->child, *e;
	bob_status st = BOB_OK;
	uint32_t d = 0;

	for (e = list ? list->child : NULL; e; e = e->next, d++)
		for (uint32_t k = 0; k < uses->count && st == BOB_OK; k++) {
			const struct bob_fortran_use *u = &uses->at[k];

			if (u != call && u->from >= e->from && u->to <= e->to)
				st = add_use(c, u, to ? becomes(to, s, e, d) : UINT64_MAX);
		}
	return st;
}

/* --- calls --- */

/* Libraries that do not call procedures of the program with their arguments. */
static bool is_library(const char *name, uint32_t len)
{
	static const char *const begins[] = { "mpi_", "pmpi_", "omp_", "pvmf" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (len > strlen(begins[i]) && !memcmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* Why the text does not determine the called procedure. */
static const char *unknown(const struct bob_weave_calls *c, const struct bob_weave_call *call,
			   const struct bob_fortran_use *u)
{
	const char *name = call->w->file->statements[call->statement].text + call->from;

	if (u->ref->child->next || u->symbol->flags & (BOB_SYMBOL_POINTER | BOB_SYMBOL_DUMMY))
		return "whose callee is known only at run time";
	if (u->symbol->class == BOB_NAME_GENERIC)
		return "a name for several procedures";
	if (bob_weave_find_named(c, name, call->len))
		return "whose meaning the text does not determine";
	return "which no file of the command has";
}

/* A call of a procedure of no file, or without a static callee. */
static void call_foreign(struct bob_weave_calls *c, const struct bob_weave_call *call,
			 const struct bob_fortran_use *u)
{
	struct bob_weave *w = call->w;
	const char *name = w->file->statements[call->statement].text + call->from;
	bool is_traced = c->is_visible;

	for (uint32_t i = 0; i < call->pass_count && !is_traced; i++) {
		const struct bob_weave_pass *p = &c->passes.at[call->first_pass + i];

		is_traced = p->is_always || bob_weave_may_be_any(w, p->symbol, p->flags);
	}
	if (is_traced && !c->foreign)
		c->foreign = bob_weave_text(w, "%.*s, %s, may pass on traced variables",
					    (int)call->len, name, unknown(c, call, u));
}

/* The callee, if *is_known; else one of those with the name, which then have no copies. */
static struct bob_weave_procedure *target(struct bob_weave_calls *c,
					  const struct bob_weave_call *call,
					  const struct bob_fortran_symbol *called, bool *is_known)
{
	const char *name = call->w->file->statements[call->statement].text + call->from;
	const struct bob_weave_named *n = bob_weave_find_named(c, name, call->len);
	const struct bob_weave_named *const end = c->named.at + c->named.count;
	struct bob_weave_procedure *to = NULL;
	bool is_sure = false;
	uint32_t found = 0;

	for (const struct bob_weave_named *k = n;
	     k && k < end && !compare_name(k->name, name, call->len); k++)
		found++;
	for (uint32_t i = 0; i < found; i++) {
		struct bob_weave_procedure any = { .w = n[i].w, .unit = n[i].unit },
					   *p = n[i].procedure;

		if (p && found > 1)
			bob_weave_rule_out(p, "several procedures have its name");
		is_sure = bob_weave_is_sure(call->w, call->unit, called, p ? p : &any);
		if (p && !is_sure)
			bob_weave_rule_out(p, "a call of that name may be one of something else");
		to = p ? p : to;
	}
	*is_known = found == 1 && is_sure;
	return to;
}

static bool is_in_one_piece(const struct bob_fortran_statement *s, uint32_t from, uint32_t len)
{
	return s->at[from + len - 1] - s->at[from] == len - 1;
}

static bob_status add_call(struct bob_weave_calls *c, struct bob_weave *w, uint32_t statement,
			   const struct bob_fortran_uses *uses, const struct bob_fortran_use *u)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_expr *part = u->ref->child;
	struct bob_weave_call call = { .w = w, .unit = s->unit, .statement = statement,
				       .from = part->from, .len = part->name_len,
				       .first_pass = c->passes.count,
				       .first_in_text = c->calls.count };
	bool is_known = false;
	bob_status st;

	if (!part->next)
		call.to = target(c, &call, u->symbol, &is_known);
	if (!is_known && is_library(s->text + part->from, part->name_len))
		return BOB_OK;
	if (BOB_VEC_ADD(&c->calls, call) != BOB_OK)
		return BOB_ERR_NOMEM;
	st = add_arguments(c, s, uses, u);
	if (st != BOB_OK)
		return st;
	if (!is_known)
		call_foreign(c, &c->calls.at[c->calls.count - 1], u);
	if (call.to && !is_in_one_piece(s, call.from, call.len))
		bob_weave_rule_out(call.to, "a call has its name in pieces");
	if (!call.to) {
		c->passes.count = call.first_pass;
		c->calls.count--;
	}
	return BOB_OK;
}

/* Finds statements that may call unknown procedures. */
static void look_for_hidden(struct bob_weave_calls *c, struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_unit *u = s->unit == BOB_FORTRAN_NO ? NULL :
								       &w->file->units[s->unit];

	if (u && u->execute != BOB_FORTRAN_NO && statement >= u->execute && statement < u->last &&
	    (s->kind == BOB_F_INCLUDE || (s->kind == BOB_F_CPP && strstr(s->text, "include"))))
		c->hidden = "a procedure includes a file among its statements";
	else if (u && w->is_left[s->unit])
		c->hidden = "a procedure has an unknown statement";
}

static bob_status read_uses(struct bob_weave_calls *c, struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_uses *uses)
{
	bob_status st = BOB_OK;

	for (uint32_t k = 0; k < uses->count && st == BOB_OK; k++) {
		const struct bob_fortran_use *u = &uses->at[k];

		if (u->role == BOB_ROLE_CALL && u->ref->child &&
		    u->symbol->class != BOB_NAME_STATEMENT_FUNCTION &&
		    u->symbol->class != BOB_NAME_INTRINSIC)
			st = add_call(c, w, statement, uses, u);
	}
	return st;
}

static bob_status read_file(struct bob_weave_calls *c, struct bob_weave *w)
{
	struct bob_arena scratch = { 0 };
	struct bob_fortran_uses uses;
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < w->file->count && st == BOB_OK; i++) {
		look_for_hidden(c, w, i);
		if (!w->file->statements[i].is_executable ||
		    w->file->statements[i].unit == BOB_FORTRAN_NO)
			continue;
		st = bob_fortran_uses(&scratch, w->file, i, &uses);
		if (st == BOB_OK)
			st = read_uses(c, w, i, &uses);
	}
	bob_arena_free(&scratch);
	return st;
}

/* --- all --- */

static bool has_program(const struct bob_weave *files)
{
	for (const struct bob_weave *w = files; w; w = w->next)
		for (uint32_t i = 0; i < w->file->unit_count; i++)
			if (w->file->units[i].kind == BOB_UNIT_PROGRAM)
				return true;
	return false;
}

static void look_at_variables(struct bob_weave_calls *c)
{
	for (const struct bob_weave *w = c->files; w; w = w->next)
		for (size_t i = 0; i < w->variables.count; i++) {
			c->is_target |= bob_weave_is_target(&w->variables.at[i]);
			c->is_visible |= !w->variables.at[i].is_alone;
		}
	if (c->is_visible && !has_program(c->files))
		c->foreign =
			"the program is in no file of the command, and may pass what is traced";
}

static int by_name(const void *a, const void *b)
{
	const struct bob_weave_named *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	return order ? order : is_before(x->w, x->unit, y->w, y->unit) ? -1 : 1;
}

/* Enters the unit's names: its own, and those of other first statements. */
static bob_status name_procedure(struct bob_weave_calls *c, struct bob_weave *w, uint32_t unit)
{
	const struct bob_fortran_unit *const u = &w->file->units[unit];

	for (const struct bob_fortran_unit *o = bob_weave_has_body(u) ? u : NULL; o; o = o->other) {
		if (o != u && !strcmp(o->name, u->name))
			continue;
		if (BOB_VEC_ADD(&c->named,
				(struct bob_weave_named){ o->name, w, unit,
							  bob_weave_find_procedure(c, w, unit) }) !=
		    BOB_OK)
			return BOB_ERR_NOMEM;
	}
	return BOB_OK;
}

/* Sorts the names, when all procedures are known. */
static bob_status name_procedures(struct bob_weave_calls *c)
{
	bob_status st = BOB_OK;

	for (struct bob_weave *w = c->files; w; w = w->next)
		for (uint32_t i = 0; i < w->file->unit_count && st == BOB_OK; i++)
			st = name_procedure(c, w, i);
	if (st != BOB_OK)
		return st;
	if (c->named.count)
		qsort(c->named.at, c->named.count, sizeof(*c->named.at), by_name);
	return BOB_OK;
}

bob_status bob_weave_calls_read(struct bob_weave *files, struct bob_weave_calls *c)
{
	bob_status st = BOB_OK;
	uint32_t number = 0;

	*c = (struct bob_weave_calls){ .files = files };
	look_at_variables(c);
	for (struct bob_weave *w = files; w; w = w->next) {
		w->number = number++;
		for (uint32_t i = 0; i < w->file->unit_count && st == BOB_OK; i++)
			st = add_procedure(c, w, i);
	}
	if (st == BOB_OK && c->procedures.count)
		st = name_procedures(c);
	for (struct bob_weave *w = files; w && st == BOB_OK && c->procedures.count; w = w->next)
		st = read_file(c, w);
	if (c->calls.count)
		qsort(c->calls.at, c->calls.count, sizeof(*c->calls.at), by_unit);
	if (st != BOB_OK)
		bob_weave_calls_free(c);
	return st;
}
