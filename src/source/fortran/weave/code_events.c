/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of calls and communication, which begin before the statement and end after it. */
#include <ctype.h>
#include <string.h>

#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/lines.h"
#include "source/fortran/weave/reached.h"

bool bob_weave_is_requested(const struct bob_weave *w, enum bob_request_what what, uint32_t line)
{
	for (const struct bob_request *x = w->requests->first; x; x = x->next)
		if (x->what == what && line >= x->first_line && line <= x->last_line)
			return true;
	return false;
}

uint32_t bob_weave_event(struct bob_weave *w, const char *name, bool has_trips)
{
	size_t i = 0;

	while (i < w->events.count && strcmp(w->events.at[i].name, name) != 0)
		i++;
	if (i < w->events.count)
		return (uint32_t)i;
	if (BOB_VEC_ADD(&w->events, (struct bob_weave_event){ name, has_trips }) != BOB_OK) {
		w->is_failed = true;
		return 0;
	}
	return (uint32_t)i;
}

const char *bob_weave_event_line(struct bob_weave *w, char what, uint32_t event)
{
	return bob_weave_text(w, "call %s%c(%u_4)", w->id, what, event);
}

/* Names of MPI and PVM procedures; all others are calls. */
static bool is_message(const char *name, size_t len)
{
	return (len > 4 && !memcmp(name, "mpi_", 4)) || (len > 4 && !memcmp(name, "pvmf", 4));
}

/* Messages have the event names of MPI traces; Fortran's case is ignored. */
static const char *event_name(struct bob_weave *w, const char *name, uint32_t len, bool is_capital)
{
	char *text = bob_arena_text(w->arena, name, len);

	if (!text)
		w->is_failed = true;
	for (char *c = text; c && *c && is_capital; c++)
		*c = (char)toupper((unsigned char)*c);
	return text ? text : "";
}

struct call_place {
	uint32_t before, after;
	enum bob_weave_rank rank; /* of the lines before it */
};

/* False: refused. */
static bool place_call(struct bob_weave *w, uint32_t statement, struct call_place *out)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const bool is_if = s->kind == BOB_F_IF && s->body_kind == BOB_F_CALL;
	struct bob_fortran_place p;

	out->rank = is_if ? BOB_RANK_BODY_BEFORE : BOB_RANK_BEFORE;
	if (bob_fortran_place(w->file, statement, &p) != BOB_OK || p.after == BOB_FORTRAN_NO ||
	    s->ends_loops || p.needs & BOB_NEED_EARLY ||
	    (is_if && !bob_weave_expand(w, statement, &out->before))) {
		bob_weave_refuse(w, "no line can follow this CALL", s->line);
		return false;
	}
	out->after = p.after;
	return is_if || bob_weave_before(w, statement, &out->before);
}

/* Is it the procedure of the CALL statement, and not a function in its arguments? */
static bool is_called(const struct bob_fortran_statement *s, const struct bob_fortran_use *u)
{
	return (s->kind == BOB_F_CALL || s->body_kind == BOB_F_CALL) && u->to == s->len;
}

/* --- functions in expressions --- */

const char *bob_weave_hoisted(const struct bob_weave *w, const struct bob_fortran_statement *s,
			      uint32_t from, uint32_t to)
{
	if (!w->hoisted_count || s != &w->file->statements[w->hoisted_statement])
		return NULL;
	for (uint32_t i = 0; i < w->hoisted_count; i++)
		if (w->hoisted[i].from == from && w->hoisted[i].to == to)
			return w->hoisted[i].name;
	return NULL;
}

static bool is_in(const struct bob_fortran_use *inner, const struct bob_fortran_use *outer)
{
	return inner != outer && outer->from <= inner->from && inner->to <= outer->to;
}

static bool is_event(const struct bob_weave *w, const struct bob_fortran_statement *s,
		     const struct bob_fortran_use *u)
{
	return bob_weave_is_requested(w, BOB_REQUEST_CALLS, s->line) ||
	       (is_message(s->text + u->ref->child->from, u->ref->child->name_len) &&
		bob_weave_is_requested(w, BOB_REQUEST_COMMUNICATION, s->line));
}

bool bob_weave_is_plain(const struct bob_weave *w, uint32_t statement,
			const struct bob_fortran_expr *ref, const struct bob_fortran_symbol *symbol)
{
	const char *name = w->file->statements[statement].text + ref->child->from;
	const uint32_t unit = bob_weave_procedure(w, name, ref->child->name_len);
	const struct bob_fortran_symbol *y = symbol;

	if (bob_weave_has_entries(w, name, ref->child->name_len))
		return false; /* gfortran 12 gives the ASSOCIATE name another type */
	if (unit != BOB_FORTRAN_NO) {
		const struct bob_fortran_unit *f = &w->file->units[unit];

		y = f->result && f->symbols ?
			    bob_fortran_own(f->symbols, f->result, (uint32_t)strlen(f->result)) :
			    NULL;
	}
	return y && !y->rank && y->shape == BOB_SHAPE_SCALAR &&
	       !(y->flags & (BOB_SYMBOL_POINTER | BOB_SYMBOL_ALLOCATABLE)) &&
	       (y->type == BOB_T_INTEGER || y->type == BOB_T_REAL || y->type == BOB_T_COMPLEX ||
		y->type == BOB_T_LOGICAL);
}

static bool is_function(const struct bob_fortran_symbol *y)
{
	return y->class == BOB_NAME_FUNCTION || y->class == BOB_NAME_PROCEDURE;
}

/* Is it declared in the unit by nothing or only by its type? */
static bool is_only_typed(const struct bob_weave *w, uint32_t unit,
			  const struct bob_fortran_symbol *y)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];
	const uint32_t known = BOB_SYMBOL_EXTERNAL | BOB_SYMBOL_USED | BOB_SYMBOL_HOST |
			       BOB_SYMBOL_DUMMY | BOB_SYMBOL_RESULT | BOB_SYMBOL_POINTER;

	if (y->class != BOB_NAME_FUNCTION || y->flags & known || !strcmp(y->name, u->name) ||
	    bob_fortran_own(u->symbols, y->name, (uint32_t)strlen(y->name)) != y)
		return false;
	for (uint32_t i = unit + 1; i < w->file->unit_count; i++)
		if (w->file->units[i].parent == unit && !strcmp(w->file->units[i].name, y->name))
			return false;
	return true;
}

/* Is there an external procedure of that name in the files? Others may be the compiler's. */
static bool is_external(const struct bob_weave *w, const char *name)
{
	for (const struct bob_weave *f = w->files; f; f = f->next)
		for (uint32_t i = 0; i < f->file->unit_count; i++)
			if (f->file->units[i].parent == BOB_FORTRAN_NO &&
			    f->file->units[i].kind == BOB_UNIT_FUNCTION &&
			    !strcmp(f->file->units[i].name, name))
				return true;
	return false;
}

/* Is it evaluated exactly once, unconditionally? */
static bool is_hoistable(const struct bob_weave *w, const struct bob_fortran_statement *s,
			 const struct bob_fortran_uses *uses, const struct bob_fortran_use *u)
{
	uint32_t first, last;

	if (u->role != BOB_ROLE_CALL || !is_function(u->symbol) || is_called(s, u) ||
	    !u->ref->child || u->ref->child->next || !u->ref->child->child ||
	    u->flags & (BOB_USE_CONDITIONAL | BOB_USE_IMPLIED_DO | BOB_USE_MASKED | BOB_USE_BODY) ||
	    !bob_weave_is_plain(w, (uint32_t)(s - w->file->statements), u->ref, u->symbol))
		return false;
	for (uint32_t i = 0; i < uses->count; i++)
		if (uses->at[i].role == BOB_ROLE_CALL && is_in(u, &uses->at[i]) &&
		    !is_called(s, &uses->at[i]))
			return false;
	if (u->from && s->text[u->from - 1] == '%') /* %val(x) */
		return false;
	bob_fortran_bytes(s, u->from, u->to, &first, &last);
	return bob_fortran_position(w->file, first).line ==
	       bob_fortran_position(w->file, last - 1).line;
}

static bool is_asked_for(const struct bob_weave *w, uint32_t statement,
			 const struct bob_fortran_uses *uses, const struct bob_fortran_use *u)
{
	if (is_event(w, &w->file->statements[statement], u))
		return true;
	for (uint32_t i = 0; i < uses->count; i++)
		if (uses->at[i].role != BOB_ROLE_CALL && uses->at[i].flags & BOB_USE_CALLS &&
		    is_in(u, &uses->at[i]) &&
		    bob_weave_touches(w, statement, &uses->at[i]) > BOB_TOUCH_DROPPED &&
		    !(w->is_exact && !bob_weave_not_exact(w, statement, &uses->at[i])))
			return true;
	return false;
}

static void declare_external(struct bob_weave *w, uint32_t unit, const struct bob_fortran_symbol *y)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];
	const uint32_t first = u->declare != BOB_FORTRAN_NO ? u->declare : u->execute;

	for (size_t i = 0; i < w->externals.count; i++)
		if (w->externals.at[i].in == w->in && w->externals.at[i].symbol == y)
			return;
	if (first == BOB_FORTRAN_NO || !is_only_typed(w, unit, y) || !is_external(w, y->name))
		return;
	if (BOB_VEC_ADD(&w->externals, (struct bob_weave_external){ w->in, y }) != BOB_OK) {
		w->is_failed = true;
		return;
	}
	bob_weave_put(w, bob_weave_line_of(w, first), BOB_RANK_INTERFACE, unit,
		      bob_weave_text(w, "external %s", y->name));
}

/* The scope of hoisted functions: lines from `before` to `after`, statements up to `last`. */
struct hoist_place {
	uint32_t before, after, last;
	enum bob_weave_rank rank, end_rank;
};

static void hoist(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
		  const struct hoist_place *at)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const char *name = bob_weave_text(w, "bobbin_f%u", w->hoisted_count + 1);
	const char *function = s->text + u->ref->child->from;
	const uint32_t len = u->ref->child->name_len;
	const bool is_mpi = is_message(function, len), is_reported = is_event(w, s, u);
	const uint32_t e =
		is_reported ? bob_weave_event(w, event_name(w, function, len, is_mpi), false) : 0;
	uint32_t first, last;

	bob_fortran_bytes(s, u->from, u->to, &first, &last);
	if (is_reported)
		bob_weave_put(w, at->before, at->rank, statement, bob_weave_event_line(w, 'b', e));
	bob_weave_put_instead(w, at->before, at->rank, statement,
			      bob_weave_text(w, "associate(%s=>%s)", name,
					     bob_weave_slice(w, s, u->from, u->to)),
			      first, last, name);
	if (is_reported)
		bob_weave_put(w, at->before, at->rank, statement, bob_weave_event_line(w, 'e', e));
	bob_weave_put(w, at->after, at->end_rank, statement, "end associate");
	w->has_probes[s->unit] = true;
	w->counts.communication += is_reported && is_mpi;
	w->counts.calls += is_reported && !is_mpi;
	w->hoisted[w->hoisted_count++] = (struct bob_weave_hoisted){ u->from, u->to, name };
}

/* In an ASSOCIATE compilers may not know a function that only its type declares. Functions of the
 * files get EXTERNAL; others may be the compiler's. */
static bool are_known(struct bob_weave *w, uint32_t from, uint32_t to)
{
	struct bob_fortran_uses uses;

	for (uint32_t i = from; i <= to; i++) {
		if (bob_fortran_uses(w->arena, w->file, i, &uses) != BOB_OK)
			return false;
		for (uint32_t k = 0; k < uses.count; k++)
			if (uses.at[k].role == BOB_ROLE_CALL &&
			    is_only_typed(w, w->file->statements[i].unit, uses.at[k].symbol) &&
			    !is_external(w, uses.at[k].symbol->name) &&
			    /* it is evaluated before those inside it */
			    !(from == to && uses.count == 1))
				return false;
	}
	return true;
}

static void declare_externals(struct bob_weave *w, uint32_t from, uint32_t to)
{
	struct bob_fortran_uses uses;

	for (uint32_t i = from; i <= to; i++)
		if (bob_fortran_uses(w->arena, w->file, i, &uses) == BOB_OK)
			for (uint32_t k = 0; k < uses.count; k++)
				if (uses.at[k].role == BOB_ROLE_CALL)
					declare_external(w, w->file->statements[i].unit,
							 uses.at[k].symbol);
}

/* Finds the end of the construct that begins with the statement. False: the loop shares its end
 * with the loop around it, or must directly follow a directive that divides it. */
static bool is_whole(const struct bob_weave *w, uint32_t statement, uint32_t *last)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_construct *all = w->file->constructs, *c;

	if (s->construct >= w->file->construct_count)
		return false;
	c = &all[s->construct];
	*last = c->last;
	if (c->first != statement || !c->is_ended)
		return false;
	return s->kind != BOB_F_DO ||
	       ((c->parent == BOB_FORTRAN_NO || all[c->parent].last != c->last) &&
		!bob_fortran_is_after_directive(w->file, statement));
}

/* Finds the place after all uses of the names. False: there is none. */
static bool find_end(const struct bob_weave *w, uint32_t statement, struct hoist_place *x)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct bob_fortran_place p;

	x->last = statement;
	x->end_rank = BOB_RANK_END_HOISTED;
	switch (s->kind) {
	case BOB_F_ASSIGN:
	case BOB_F_CALL:
	case BOB_F_WRITE:
	case BOB_F_PRINT:
	case BOB_F_IF:
	case BOB_F_ALLOCATE:
	case BOB_F_COMPUTED_GOTO:
		break;
	case BOB_F_IF_THEN:
	case BOB_F_SELECT_CASE:
	case BOB_F_DO:
		if (!is_whole(w, statement, &x->last))
			return false;
		break;
	case BOB_F_DO_WHILE:
		x->after = bob_fortran_place(w->file, statement, &p) == BOB_OK ? p.inside :
										 BOB_FORTRAN_NO;
		return bob_weave_turns(w, statement);
	case BOB_F_ELSE_IF:
		if (!bob_weave_turns(w, statement))
			return false;
		x->last = w->file->constructs[s->construct].last;
		x->after = bob_weave_line_of(w, x->last);
		x->end_rank = BOB_RANK_CLOSE;
		return true;
	default:
		return false;
	}
	x->after = bob_fortran_place(w->file, x->last, &p) == BOB_OK ? p.after : BOB_FORTRAN_NO;
	return x->after != BOB_FORTRAN_NO;
}

/* Finds the beginning of the scope; rewrites ELSE IF and DO WHILE for that. */
static bool find_begin(struct bob_weave *w, uint32_t statement, struct hoist_place *x)
{
	const enum bob_fortran_kind k = w->file->statements[statement].kind;
	const bool turns = k == BOB_F_ELSE_IF || k == BOB_F_DO_WHILE;

	x->rank = turns ? BOB_RANK_CONDITION : BOB_RANK_BEFORE;
	return turns ? bob_weave_turn(w, statement, &x->before) :
		       bob_weave_before(w, statement, &x->before);
}

bob_status bob_weave_hoist(struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct bob_fortran_uses uses;
	struct hoist_place at;
	bob_status st;

	w->hoisted_count = 0;
	w->hoisted_statement = statement;
	if (!s->is_executable || s->ends_loops || !find_end(w, statement, &at))
		return BOB_OK;
	st = bob_fortran_uses(w->arena, w->file, statement, &uses);
	for (uint32_t i = 0; i < uses.count && st == BOB_OK; i++) {
		const struct bob_fortran_use *u = &uses.at[i];

		if (w->hoisted_count == BOB_WEAVE_HOISTED_MAX || !is_hoistable(w, s, &uses, u) ||
		    !is_asked_for(w, statement, &uses, u))
			continue;
		if (!w->hoisted_count &&
		    (!are_known(w, statement, at.last) || !find_begin(w, statement, &at)))
			break;
		hoist(w, statement, u, &at);
	}
	if (w->hoisted_count)
		declare_externals(w, statement, at.last);
	return st;
}

static void put_call(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const char *name = s->text + u->ref->child->from;
	const uint32_t len = u->ref->child->name_len;
	const bool is_mpi = is_message(name, len);
	struct call_place p;
	uint32_t e;

	if (!bob_weave_is_requested(w, BOB_REQUEST_CALLS, s->line) &&
	    !(is_mpi && bob_weave_is_requested(w, BOB_REQUEST_COMMUNICATION, s->line)))
		return;
	if (bob_weave_hoisted(w, s, u->from, u->to))
		return; /* reported where it is evaluated */
	if (u->symbol->class == BOB_NAME_STATEMENT_FUNCTION)
		return; /* a part of the expression */
	if (!is_called(s, u)) {
		bob_weave_refuse(
			w,
			"a function in another's arguments, or where no line can precede or "
			"follow it",
			s->line);
		return;
	}
	if (!place_call(w, statement, &p))
		return;
	e = bob_weave_event(w, event_name(w, name, len, is_mpi), false);
	bob_weave_put(w, p.before, p.rank, statement, bob_weave_event_line(w, 'b', e));
	bob_weave_put(w, p.after, BOB_RANK_AFTER, statement, bob_weave_event_line(w, 'e', e));
	w->has_probes[s->unit] = true;
	if (is_mpi)
		w->counts.communication++;
	else
		w->counts.calls++;
}

bob_status bob_weave_code(struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct bob_fortran_uses uses;
	bob_status st;

	if (!s->is_executable || s->unit == BOB_FORTRAN_NO)
		return BOB_OK;
	bob_weave_loop(w, statement);
	if (!bob_weave_is_requested(w, BOB_REQUEST_CALLS, s->line) &&
	    !bob_weave_is_requested(w, BOB_REQUEST_COMMUNICATION, s->line))
		return w->is_failed ? BOB_ERR_NOMEM : BOB_OK;
	st = bob_fortran_uses(w->arena, w->file, statement, &uses);
	for (uint32_t i = 0; i < uses.count && st == BOB_OK; i++) {
		const struct bob_fortran_use *u = &uses.at[i];

		if (u->role == BOB_ROLE_CALL && u->symbol->class != BOB_NAME_INTRINSIC &&
		    u->ref->child)
			put_call(w, statement, u);
	}
	return w->is_failed ? BOB_ERR_NOMEM : st;
}
