/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers variables where their lifetimes begin, and unregisters them where these end: at the
 * entry of each unit that sees them, after ALLOCATE, before DEALLOCATE; automatic variables where
 * the unit is left. A variable that never moves is declared each time, and passed to the recorder
 * once (companion.c). */
#include <string.h>

#include "source/fortran/weave/frames.h"
#include "source/fortran/weave/lines.h"
#include "source/fortran/weave/memory.h"
#include "source/fortran/weave/reached.h"

/* --- interfaces --- */

static void line(struct bob_weave *w, uint32_t at, uint32_t unit, const char *text)
{
	bob_weave_put(w, at, BOB_RANK_INTERFACE, unit, text);
}

static void procedure(struct bob_weave *w, uint32_t at, uint32_t unit, const char *kind, char what,
		      const char *arguments, const char *const *declarations)
{
	line(w, at, unit,
	     bob_weave_text(w, "%s %s%c(%s) bind(c,name='%s%c')", kind, w->id, what, arguments,
			    w->id, what));
	line(w, at, unit, BOB_WEAVE_C_KINDS);
	for (; *declarations; declarations++)
		line(w, at, unit, *declarations);
	line(w, at, unit, "end");
}

static void interface(struct bob_weave *w, uint32_t at, uint32_t unit, char what,
		      const char *arguments, const char *const *declarations)
{
	procedure(w, at, unit, "pure subroutine", what, arguments, declarations);
}

/* Interfaces of the procedures that the probe of a nest calls. */
static void nest_interfaces(struct bob_weave *w, uint32_t at, uint32_t unit)
{
	static const char *const number[] = { "integer(bobbin_i),value::bobbin_s", NULL };
	static const char *const place[] = { "integer(bobbin_i),value::bobbin_s",
					     "type(*),intent(in)::bobbin_x", NULL };
	static const char *const loop[] = { "integer(bobbin_j),value::bobbin_s,bobbin_t,bobbin_u",
					    NULL };
	static const char *const range[] = { "integer(bobbin_i),value::bobbin_s,bobbin_p",
					     "integer(bobbin_j),value::bobbin_t,bobbin_u,"
					     "bobbin_v", NULL };

	procedure(w, at, unit, "integer(bobbin_i) function", 'o', "bobbin_s", number);
	procedure(w, at, unit, "integer(bobbin_i) function", 'c', "bobbin_s,bobbin_t,bobbin_u",
		  loop);
	procedure(w, at, unit, "integer(bobbin_i) function", 'g', "bobbin_s", number);
	procedure(w, at, unit, "subroutine", 'w', "bobbin_s,bobbin_x", place);
	procedure(w, at, unit, "subroutine", 'n', "bobbin_s", number);
	if (!w->has_uneven)
		return;
	procedure(w, at, unit, "subroutine", 'r', "bobbin_s,bobbin_p,bobbin_t,bobbin_u,bobbin_v",
		  range);
	procedure(w, at, unit, "integer(bobbin_i) function", 'p', "bobbin_s", number);
	procedure(w, at, unit, "integer(bobbin_j) function", 'v', "bobbin_s", number);
}

/* The procedures that loops with hoisted untraced ranges call. */
static void hold_interfaces(struct bob_weave *w, uint32_t at, uint32_t unit)
{
	const char *const ask[] = { bob_weave_text(w, "import::%sz", w->id),
				    "integer(bobbin_i),value::bobbin_s", "type(*),"
				    "intent(in)::bobbin_x",
				    bob_weave_text(w, "type(%sz)::%sh", w->id, w->id), NULL };
	static const char *const count[] = { "integer(bobbin_j),value::bobbin_s", NULL };

	const char *const look[] = { ask[0], ask[1],
				     bob_weave_text(w, "type(%sz)::%si", w->id, w->id), NULL };

	procedure(w, at, unit, "function", 'h', "bobbin_s,bobbin_x", ask);
	procedure(w, at, unit, "function", 'i', "bobbin_s", look);
	procedure(w, at, unit, "subroutine", 'q', "bobbin_s", count);
}

static void interfaces(struct bob_weave *w, uint32_t at, uint32_t unit)
{
	static const char number[] = "integer(bobbin_i),value::bobbin_s";
	static const char *const element[] = { number, "type(*),intent(in)::bobbin_x", NULL };
	static const char *const array[] = { number, "type(*),dimension(..),intent(in)::bobbin_x",
					     NULL };
	static const char *const masked[] = {
		number, "type(*),dimension(..),intent(in)::bobbin_x,bobbin_l", NULL
	};
	static const char *const bounds[] = { number, "type(*),dimension(..),intent(in)::bobbin_x",
					      "integer(bobbin_j),intent(in)::bobbin_l(*)", NULL };
	static const char *const event[] = { number, NULL };
	static const char *const numbers[] = {
		"integer(bobbin_i),value::bobbin_s,bobbin_p,bobbin_t,bobbin_u", NULL
	};

	if (w->hold_count) {
		line(w, at, unit, bob_weave_text(w, "type,bind(c)::%sz", w->id));
		line(w, at, unit, "integer(8)::bobbin_l,bobbin_n");
		line(w, at, unit, "end type");
	}
	line(w, at, unit, "interface");
	if (w->variables.count || w->passed.count) {
		interface(w, at, unit, 'a', "bobbin_s,bobbin_x", element);
		interface(w, at, unit, 's', "bobbin_s,bobbin_x", array);
		interface(w, at, unit, 'm', "bobbin_s,bobbin_x,bobbin_l", masked);
		interface(w, at, unit, 'd', "bobbin_s,bobbin_x,bobbin_l", bounds);
		interface(w, at, unit, 'f', "bobbin_s,bobbin_x", array);
	}
	if (w->has_moves) {
		interface(w, at, unit, 'u', "bobbin_s,bobbin_p,bobbin_t,bobbin_u", numbers);
		interface(w, at, unit, 'x', "bobbin_s,bobbin_x", array);
		interface(w, at, unit, 'y', "bobbin_s,bobbin_x,bobbin_l", bounds);
		interface(w, at, unit, 'k', "bobbin_s,bobbin_x,bobbin_l", bounds);
	}
	if (w->counts.nests)
		nest_interfaces(w, at, unit);
	if (w->hold_count)
		hold_interfaces(w, at, unit);
	for (const char *c = "ltbe"; *c && w->events.count; c++)
		interface(w, at, unit, *c, "bobbin_s", event);
	bob_weave_wrapper_interfaces(w, at, unit);
	bob_weave_object_interfaces(w, at, unit);
	if (w->has_classes)
		bob_weave_component_interfaces(w, at, unit);
	line(w, at, unit, "end interface");
}

/* --- one variable --- */

/* Names of intrinsic functions in the lines that have another meaning there. */
static const char *hidden(const struct bob_fortran_symbols *names,
			  const struct bob_fortran_symbol *s)
{
	const struct {
		bool is_asked;
		const char *name;
	} asked[] = { { s->rank != 0, "lbound" },
		      { s->flags & BOB_SYMBOL_ALLOCATABLE, "allocated" },
		      { s->flags & BOB_SYMBOL_POINTER, "associated" },
		      { s->flags & BOB_SYMBOL_OPTIONAL, "present" } };

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		const struct bob_fortran_symbol *y =
			bob_fortran_lookup(names, asked[i].name, (uint32_t)strlen(asked[i].name));

		if (asked[i].is_asked && y && y->class != BOB_NAME_INTRINSIC)
			return asked[i].name;
	}
	return NULL;
}

/* "if (...) call ..." for a variable that may not exist. */
const char *bob_weave_guard(struct bob_weave *w, const struct bob_fortran_symbol *s)
{
	if (s->flags & BOB_SYMBOL_ALLOCATABLE)
		return bob_weave_text(w, "if (allocated(%s)) ", s->name);
	if (s->flags & BOB_SYMBOL_POINTER)
		return bob_weave_text(w, "if (associated(%s)) ", s->name);
	return "";
}

/* For an optional argument, PRESENT is tested first. */
static const char *if_present(struct bob_weave *w, const struct bob_fortran_symbol *s,
			      const char *text)
{
	return s->flags & BOB_SYMBOL_OPTIONAL ?
		       bob_weave_text(w, "if (present(%s)) then\n%s\nend if", s->name, text) :
		       text;
}

void bob_weave_put_of(struct bob_weave *w, const struct bob_fortran_symbol *s, uint32_t at,
		      enum bob_weave_rank rank, uint32_t statement, const char *text)
{
	bob_weave_put(w, at, rank, statement, if_present(w, s, text));
}

/* ... under the conditions of the branches of an #if that declare it. */
static void put_under(struct bob_weave *w, const struct bob_weave_variable *v,
		      const struct bob_fortran_symbol *s, uint32_t at, enum bob_weave_rank rank,
		      uint32_t statement, const char *text)
{
	bob_weave_put(w, at, rank, statement,
		      bob_weave_under(w, v, s, statement, at, if_present(w, s, text)));
}

/* `number`: of the variable; negative, -1 - number: its target is not examined. */
static const char *declare_line(struct bob_weave *w, const struct bob_weave_variable *v,
				const struct bob_fortran_symbol *s, int number)
{
	if (v->is_object)
		return bob_weave_text(w, "%s%s", bob_weave_guard(w, s),
				      bob_weave_object_declare(w, number, s));
	return s->rank ? bob_weave_text(w, "%scall %sd(%d_4,%s,lbound(%s,kind=8))",
					bob_weave_guard(w, s), w->id, number, s->name, s->name) :
			 bob_weave_text(w, "%scall %sd(%d_4,%s,(/0_8/))", bob_weave_guard(w, s),
					w->id, number, s->name);
}

/* `s`: the unit's symbol of the variable. */
const char *bob_weave_declare_line(struct bob_weave *w, const struct bob_weave_variable *v,
				   const struct bob_fortran_symbol *s)
{
	return declare_line(w, v, s, (int)(v - w->variables.at));
}

/* ... at the entry of a unit or BLOCK. A pointer may be undefined there, and appear associated,
 * except in a module, where it is initially disassociated. */
static const char *entry_line(struct bob_weave *w, const struct bob_weave_variable *v,
			      const struct bob_fortran_symbol *s)
{
	const int number = (int)(v - w->variables.at);
	const bool is_sure = !(s->flags & BOB_SYMBOL_POINTER) ||
			     w->file->units[v->unit].kind == BOB_UNIT_MODULE;

	return declare_line(w, v, s, is_sure ? number : -1 - number);
}

const char *bob_weave_forget_line(struct bob_weave *w, const struct bob_weave_variable *v,
				  const struct bob_fortran_symbol *s)
{
	const uint32_t n = (uint32_t)(v - w->variables.at);

	if (v->is_object)
		return bob_weave_text(w, "%s%s", bob_weave_guard(w, s),
				      bob_weave_object_forget(w, n, s));
	return bob_weave_text(w, "%scall %sf(%u_4,%s)", bob_weave_guard(w, s), w->id, n, s->name);
}

static const char *condition_of(struct bob_weave *w, const struct bob_fortran_statement *s)
{
	uint32_t end = s->body;

	while (end > s->from && s->text[end - 1] != ')')
		end--;
	return bob_weave_text(w, "%.*s then", (int)(end - s->from), s->text + s->from);
}

/* Does the statement leave the variable's unit or BLOCK? No statement can precede the END or
 * CONTAINS, but lines can. */
static bool leaves(const struct bob_weave *w, const struct bob_weave_variable *v, uint32_t i)
{
	const struct bob_fortran_unit *u = &w->file->units[v->unit];
	const struct bob_fortran_statement *s = &w->file->statements[i];

	if (s->unit != v->unit)
		return false;
	if (v->construct != BOB_FORTRAN_NO)
		return bob_weave_leaves_block(w, v->construct, i);
	return s->kind == BOB_F_RETURN || (s->kind == BOB_F_IF && s->body_kind == BOB_F_RETURN) ||
	       i == (u->contains != BOB_FORTRAN_NO ? u->contains : u->last);
}

/* A second evaluation would be another call. */
static bool condition_calls(const struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_item *item;

	if (bob_fortran_items(w->arena, &w->file->statements[statement], &item, NULL) != BOB_OK)
		return true;
	for (; item; item = item->next)
		if (!item->in_body && bob_weave_calls(w, statement, item->expr))
			return true;
	return false;
}

/* Lines before the unit is left: their place, and their condition if any. */
struct leaving {
	uint32_t at;
	enum bob_weave_rank rank;
	const char *condition;
};

static bool before_leaving(struct bob_weave *w, uint32_t i, struct leaving *l)
{
	const struct bob_fortran_statement *s = &w->file->statements[i];
	uint32_t *at = &l->at;

	*l = (struct leaving){ 0, BOB_RANK_EXIT, NULL };
	if (s->kind == BOB_F_IF && bob_weave_expand(w, i, at)) {
		l->rank = BOB_RANK_BODY_BEFORE;
		return true;
	}
	if (s->kind == BOB_F_IF && condition_calls(w, i)) {
		bob_weave_refuse(w, "a unit that is left under a condition that calls a function",
				 s->line);
		return false;
	}
	if (s->kind == BOB_F_IF)
		l->condition = condition_of(w, s);
	if (s->kind == BOB_F_RETURN || s->kind == BOB_F_IF || s->kind == BOB_F_EXIT ||
	    s->kind == BOB_F_CYCLE)
		return bob_weave_before(w, i, at);
	*at = bob_weave_line_of(w, i);
	if (!s->is_branch_target)
		return true;
	bob_weave_refuse(w, "a variable of a unit whose END is jumped to", s->line);
	return false;
}

/* Does its name denote the variable there? */
static bool is_named(const struct bob_weave *w, const struct bob_weave_variable *v, uint32_t i)
{
	const struct bob_fortran_symbols *names = w->file->statements[i].names;
	const char *name = v->symbol->name;

	return names && bob_fortran_lookup(names, name, (uint32_t)strlen(name)) == v->symbol;
}

/* Inserts lines before every RETURN of the unit, or every statement that leaves the BLOCK, and its
 * end. False: impossible for one of them, so it must not be registered. */
static bool put_ends(struct bob_weave *w, const struct bob_weave_variable *v, bool only_try)
{
	const struct bob_fortran_unit *u = &w->file->units[v->unit];
	const bool is_inner = v->construct != BOB_FORTRAN_NO;
	const uint32_t last = is_inner ? w->file->constructs[v->construct].last : u->last;
	struct leaving l;

	for (uint32_t i = is_inner ? bob_weave_first_in_block(w, v->construct) : u->execute;
	     i <= last && i < w->file->count; i++) {
		if (!leaves(w, v, i))
			continue;
		if (!is_named(w, v, i)) {
			bob_weave_refuse(w, "its name is something else's where its unit is left",
					 w->file->statements[i].line);
			return false;
		}
		if (!before_leaving(w, i, &l))
			return false;
		if (only_try)
			continue;
		if (l.condition)
			bob_weave_put(w, l.at, l.rank, i, l.condition);
		put_under(w, v, v->symbol, l.at, l.rank, i, bob_weave_forget_line(w, v, v->symbol));
		if (l.condition)
			bob_weave_put(w, l.at, l.rank, i, "end if");
	}
	return true;
}

/* Registers variables after ENTRY statements among executable ones. If control arrives from above,
 * they are registered already. */
static void put_entries(struct bob_weave *w, const struct bob_weave_variable *v,
			const struct bob_fortran_symbol *s, uint32_t unit)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];

	for (uint32_t i = u->execute; i < u->last; i++) {
		if (w->file->statements[i].kind != BOB_F_ENTRY ||
		    w->file->statements[i].unit != unit)
			continue;
		if (unit == v->unit && v->is_automatic)
			put_under(w, v, s, bob_weave_line_of(w, i + 1), BOB_RANK_ENTRY, i,
				  bob_weave_forget_line(w, v, s));
		put_under(w, v, s, bob_weave_line_of(w, i + 1), BOB_RANK_ENTRY, i,
			  entry_line(w, v, s));
	}
}

/* The place of lines before the first executable statement. An `!$omp parallel` or #if at the
 * beginning follows them. */
bool bob_weave_before_first(struct bob_weave *w, uint32_t first, uint32_t *at)
{
	const enum bob_fortran_kind kind = w->file->statements[first].kind;

	if (kind != BOB_F_DIRECTIVE && kind != BOB_F_CPP && kind != BOB_F_INCLUDE)
		return bob_weave_before(w, first, at);
	*at = bob_weave_line_of(w, first);
	return true;
}

/* Has the unit no executable statements, not even in an INCLUDE? */
static bool is_empty(const struct bob_weave *w, const struct bob_fortran_unit *u)
{
	if (u->execute != u->last)
		return false;
	for (uint32_t i = u->first; i < u->last; i++)
		if (w->file->statements[i].kind == BOB_F_INCLUDE ||
		    (w->file->statements[i].kind == BOB_F_CPP &&
		     strstr(w->file->statements[i].text, "include")))
			return false;
	return true;
}

static void put_entry(struct bob_weave *w, const struct bob_weave_variable *v,
		      const struct bob_fortran_symbol *s, uint32_t unit)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];
	uint32_t at;

	const bool ends = unit == v->unit && v->is_automatic;
	const uint32_t first = v->construct == BOB_FORTRAN_NO ?
				       u->execute :
				       bob_weave_first_in_block(w, v->construct);

	if (first == BOB_FORTRAN_NO || is_empty(w, u) ||
	    (v->construct != BOB_FORTRAN_NO && first == w->file->constructs[v->construct].last))
		return;
	if (hidden(w->file->statements[first].names, s)) {
		bob_weave_refuse(w,
				 bob_weave_text(w, "a variable where %s is another name",
						hidden(w->file->statements[first].names, s)),
				 w->file->statements[first].line);
		return;
	}
	if ((ends && !put_ends(w, v, true)) || !bob_weave_before_first(w, first, &at))
		return;
	put_under(w, v, s, at, BOB_RANK_ENTRY, first, entry_line(w, v, s));
	w->has_probes[unit] = true;
	if (v->construct == BOB_FORTRAN_NO)
		put_entries(w, v, s, unit);
	if (ends)
		put_ends(w, v, false);
}

/* Inserts everything but the probes into a unit, or its current copy. */
static bob_status declare_unit(struct bob_weave *w, uint32_t unit)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];
	const uint32_t first = u->declare != BOB_FORTRAN_NO ? u->declare : u->execute;
	bob_status st = BOB_OK;

	if (u->flags & BOB_UNIT_INTERFACE || w->is_left[unit])
		return BOB_OK;
	for (size_t i = 0; i < w->variables.count; i++) {
		const struct bob_fortran_symbol *seen =
			bob_weave_seen(w, &w->variables.at[i], unit);

		if (seen)
			put_entry(w, &w->variables.at[i], seen, unit);
	}
	bob_weave_put_component_ends(w, unit);
	for (uint32_t i = u->first; i <= u->last && st == BOB_OK; i++)
		if (w->file->statements[i].is_executable && w->file->statements[i].unit == unit)
			st = bob_weave_put_moves(w, i);
	if (w->has_probes[unit] && first != BOB_FORTRAN_NO)
		interfaces(w, bob_weave_line_of(w, first), unit);
	return st;
}

bob_status bob_weave_declare(struct bob_weave *w)
{
	bob_status st = BOB_OK;

	for (uint32_t u = 0; u < w->file->unit_count && st == BOB_OK; u++)
		st = declare_unit(w, u);
	for (size_t k = 0; k < w->clones.count && st == BOB_OK; k++) {
		const uint32_t unit = w->clones.at[k].unit;
		const bool has_probes = w->has_probes[unit];

		bob_weave_enter_clone(w, k);
		st = declare_unit(w, unit);
		bob_weave_leave_clone(w, k);
		w->has_probes[unit] = has_probes;
	}
	return w->is_failed ? BOB_ERR_NOMEM : st;
}
