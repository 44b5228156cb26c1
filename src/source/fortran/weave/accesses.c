/* SPDX-License-Identifier: BSD-3-Clause */
/* The probes of a statement's reads and writes. Each is a CALL with the reference itself as its argument, so the address is the compiler's.
 *
 * What is controlled by a condition is told under the same condition, which is evaluated once more; ELSE IF has its probes before the IF, under
 * the conditions that come before it. A statement that would be evaluated with another result the second time is refused. */
#include <stdio.h>
#include <string.h>

#include "bobbin/probe.h"
#include "source/fortran/weave/weave.h"

struct statement {
	struct bob_weave *w;
	uint32_t number;
	const struct bob_fortran_statement *s;
	struct bob_fortran_uses uses;
};

static const char *slice(struct bob_weave *w, const struct bob_fortran_statement *s, uint32_t from,
			 uint32_t to)
{
	return bob_weave_text(w, "%.*s", (int)(to - from), s->text + from);
}

/* Behind the bracket at `from`: where it is closed. 0: nowhere. */
static uint32_t closing(const struct bob_fortran_statement *s, uint32_t from)
{
	uint32_t depth = 0;
	char quote = 0;

	for (uint32_t i = from; i < s->len; i++) {
		const char c = s->text[i];

		if (quote) {
			quote = c == quote ? 0 : quote;
			continue;
		}
		if (c == '\'' || c == '"')
			quote = c;
		depth += c == '(';
		if (c == ')' && !--depth)
			return i;
	}
	return 0;
}

/* The condition of an IF, ELSE IF, DO WHILE: in brackets, brackets included. "" if there is none. */
static const char *condition(struct bob_weave *w, const struct bob_fortran_statement *s)
{
	const char *open = memchr(s->text + s->from, '(', s->len - s->from);
	uint32_t from = open ? (uint32_t)(open - s->text) : 0, to = open ? closing(s, from) : 0;

	return to ? slice(w, s, from, to + 1) : "";
}

/* Does it call something that is not intrinsic? */
static bool has_calls(const struct statement *x, bool in_body)
{
	for (uint32_t i = 0; i < x->uses.count; i++) {
		const struct bob_fortran_use *u = &x->uses.at[i];

		if (u->role == BOB_ROLE_CALL && u->symbol->class != BOB_NAME_INTRINSIC &&
		    !(u->flags & BOB_USE_BODY) == !in_body)
			return true;
	}
	return false;
}

/* --- one reference --- */

const struct bob_fortran_symbol *bob_weave_last(const struct bob_weave *w, uint32_t statement,
						const struct bob_fortran_expr *ref)
{
	const struct bob_fortran_unit *unit = bob_weave_unit(w, statement);
	const struct bob_fortran_symbols *table = unit ? unit->symbols : NULL;
	const char *text = w->file->statements[statement].text;
	const struct bob_fortran_expr *part = ref->child;
	const struct bob_fortran_symbol *s =
		part && table ? bob_fortran_lookup(table, text + part->from, part->name_len) : NULL;

	for (part = part ? part->next : NULL; part && s; part = part->next) {
		const struct bob_fortran_symbol *type =
			s->type_name ? bob_fortran_lookup(table, s->type_name,
							  (uint32_t)strlen(s->type_name)) :
				       NULL;

		s = type && type->components ?
			    bob_fortran_own(type->components, text + part->from, part->name_len) :
			    NULL;
	}
	return s;
}

/* Bytes that one element of it has; 0: not known. */
static uint32_t size_of(const struct statement *x, const struct bob_fortran_use *u)
{
	const struct bob_fortran_unit *unit = bob_weave_unit(x->w, x->number);
	const struct bob_fortran_symbol *s = bob_weave_last(x->w, x->number, u->ref);
	const uint64_t bytes = s && unit ? bob_fortran_element_bytes(unit->symbols, s) : 0;

	return bytes <= UINT16_MAX ? (uint32_t)bytes : 0;
}

/* Is an element of something looked up on the way to it? */
static bool looks_up(const struct bob_fortran_expr *e)
{
	for (; e; e = e->next)
		if ((e->node == BOB_N_PART && e->child) || looks_up(e->child))
			return true;
	return false;
}

/* Behind .and. or .or. it may be what must not be touched: a subscript beyond the array, a component of nothing. Its address may be taken,
 * but nothing may be read for it. */
static bool is_unsafe(const struct bob_fortran_use *u)
{
	const struct bob_fortran_expr *part = u->ref->child;

	return u->flags & BOB_USE_CONDITIONAL &&
	       (u->flags & BOB_USE_COMPONENT ||
		(part && part->child && looks_up(part->child->child)));
}

static const char *unfit(const struct statement *x, const struct bob_fortran_use *u)
{
	if (is_unsafe(u))
		return "behind .and. or .or., which may have to keep from looking it up";
	if (u->flags & BOB_USE_COARRAY)
		return "of another image";
	if (u->flags & BOB_USE_CALLS)
		return "its subscripts call a function";
	if (u->flags & BOB_USE_MASKED)
		return "under WHERE or FORALL";
	if (u->flags & BOB_USE_VECTOR)
		return "a subscript is an array";
	if (u->flags & BOB_USE_IMPLIED_DO)
		return "in an implied DO";
	if (u->flags & BOB_USE_SUBSTRING)
		return "a part of a text";
	if (u->symbol->flags & BOB_SYMBOL_OPTIONAL)
		return "an optional argument";
	if (!size_of(x, u))
		return "its size is not known here";
	return NULL;
}

const char *bob_weave_unfit(struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_use *u)
{
	const struct statement x = { .w = w, .number = statement,
				     .s = &w->file->statements[statement] };

	return unfit(&x, u);
}

static uint32_t add_site(struct bob_weave *w, const struct statement *x,
			 const struct bob_fortran_use *u, int kind)
{
	const struct bob_fortran_position at = bob_fortran_position(w->file, x->s->at[u->from]);

	if (bob_array_room(&w->sites, w->site_count, &w->site_room, sizeof(*w->sites))) {
		w->is_failed = true;
		return 0;
	}
	w->sites[w->site_count] = (struct bob_weave_site){
		.line = at.line, .column = at.column, .unit = x->s->unit, .size = size_of(x, u),
		.kind = kind };
	w->has_probes[x->s->unit] = true;
	return (uint32_t)w->site_count++;
}

static void count(struct bob_weave *w, enum bob_weave_touch t)
{
	w->counts.proved += t == BOB_TOUCH_PROVED;
	w->counts.filtered += t == BOB_TOUCH_PERHAPS;
}

uint32_t bob_weave_site(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			int kind)
{
	const struct statement x = { .w = w, .number = statement,
				     .s = &w->file->statements[statement] };

	count(w, bob_weave_touches(w, statement, u));
	return add_site(w, &x, u, kind);
}

static const char *probe(struct bob_weave *w, const struct statement *x,
			 const struct bob_fortran_use *u, int kind)
{
	const bool is_array = u->flags & (BOB_USE_WHOLE | BOB_USE_SECTION);
	const uint32_t site = add_site(w, x, u, kind);

	if (is_array)
		bob_weave_box(w, x->number, u);
	return bob_weave_text(w, "call %s%c(%u_4,%s)", w->id, is_array ? 's' : 'a', site,
			      slice(w, x->s, u->from, u->to));
}

/* The references that matter of a role; the probe of each, "" where there is none. Counts and refuses. */
static const char *wanted(const struct statement *x, const struct bob_fortran_use *u, int kind)
{
	struct bob_weave *w = x->w;
	const enum bob_weave_touch t = bob_weave_touches(w, x->number, u);
	const char *why;

	if (t == BOB_TOUCH_NOT)
		return "";
	if (t == BOB_TOUCH_DROPPED) {
		w->counts.dropped++;
		return "";
	}
	why = unfit(x, u);
	if (why) {
		bob_weave_refuse(w, why, x->s->line);
		return "";
	}
	count(w, t);
	return probe(w, x, u, kind);
}

/* --- statements --- */

static void put(const struct statement *x, uint32_t at, enum bob_weave_rank rank, const char *text)
{
	bob_weave_put(x->w, at, rank, x->number, text);
}

static int kind_of(const struct bob_fortran_use *u)
{
	return u->role == BOB_ROLE_READ	 ? BOB_PROBE_READ :
	       u->role == BOB_ROLE_WRITE ? BOB_PROBE_WRITE :
					   -1;
}

/* Reading from a file or an internal unit: where it goes to may depend on what was read before. */
static bool writes_late(const struct bob_fortran_statement *s)
{
	const enum bob_fortran_kind k = s->body ? s->body_kind : s->kind;

	return k == BOB_F_READ || k == BOB_F_ACCEPT || k == BOB_F_DECODE;
}

/* `late`: those that are told behind the statement. */
static bool is_of(const struct statement *x, const struct bob_fortran_use *u, bool in_body,
		  bool late)
{
	const bool is_late = u->role == BOB_ROLE_WRITE && writes_late(x->s);

	return kind_of(u) >= 0 && !(u->flags & BOB_USE_BODY) == !in_body && is_late == late;
}

/* Probes before the statement, in a frame: "if (...) then", "end if". Returns how many. */
static uint32_t put_before(const struct statement *x, bool in_body, const char *begin,
			   const char *end)
{
	uint32_t n = 0, at = 0;

	for (uint32_t i = 0; i < x->uses.count; i++) {
		const struct bob_fortran_use *u = &x->uses.at[i];
		const char *text;

		if (!is_of(x, u, in_body, false))
			continue;
		text = wanted(x, u, kind_of(u));
		if (!*text || (!n && !bob_weave_before(x->w, x->number, &at)))
			continue;
		if (!n++ && *begin)
			put(x, at, BOB_RANK_BEFORE, begin);
		put(x, at, BOB_RANK_BEFORE, text);
	}
	if (n && *end)
		put(x, at, BOB_RANK_BEFORE, end);
	return n;
}

static void put_after(const struct statement *x)
{
	struct bob_fortran_place p;

	if (bob_fortran_place(x->w->file, x->number, &p) != BOB_OK)
		return;
	for (uint32_t i = 0; i < x->uses.count; i++) {
		const struct bob_fortran_use *u = &x->uses.at[i];

		if ((!is_of(x, u, false, true) && !is_of(x, u, true, true)) ||
		    bob_weave_touches(x->w, x->number, u) == BOB_TOUCH_NOT)
			continue;
		if (u->flags & BOB_USE_BODY || p.after == BOB_FORTRAN_NO || x->s->ends_loops ||
		    p.needs & (BOB_NEED_EARLY | BOB_NEED_SPLIT | BOB_NEED_NO_CALL)) {
			bob_weave_refuse(x->w, "no line can stand behind this READ", x->s->line);
			continue;
		}
		const char *text = wanted(x, u, BOB_PROBE_WRITE);
		if (*text)
			put(x, p.after, BOB_RANK_AFTER, text);
	}
}

/* What the body of a one-line IF does, under its condition. */
static void put_body(const struct statement *x)
{
	bool some = false;

	for (uint32_t i = 0; i < x->uses.count && !some; i++)
		some = is_of(x, &x->uses.at[i], true, false) &&
		       bob_weave_touches(x->w, x->number, &x->uses.at[i]) > BOB_TOUCH_DROPPED;
	if (!some)
		return;
	if (x->s->kind != BOB_F_IF)
		bob_weave_refuse(x->w, "under WHERE or FORALL", x->s->line);
	else if (has_calls(x, false))
		bob_weave_refuse(x->w, "under an IF whose condition calls a function", x->s->line);
	else
		put_before(x, true, bob_weave_text(x->w, "if %s then", condition(x->w, x->s)),
			   "end if");
}

/* The variable of a DO. */
static void put_loop(const struct statement *x)
{
	struct bob_fortran_place p;

	for (uint32_t i = 0; i < x->uses.count; i++) {
		const struct bob_fortran_use *u = &x->uses.at[i];
		const char *text;

		if (u->role != BOB_ROLE_LOOP || u->flags & BOB_USE_IMPLIED_DO ||
		    bob_fortran_place(x->w->file, x->number, &p) != BOB_OK)
			continue;
		if (bob_weave_touches(x->w, x->number, u) == BOB_TOUCH_NOT)
			continue;
		if (p.inside == BOB_FORTRAN_NO || p.behind_loop == BOB_FORTRAN_NO ||
		    p.needs & BOB_NEED_NO_CALL) {
			bob_weave_refuse(x->w, "no line can stand in this loop", x->s->line);
			continue;
		}
		text = wanted(x, u, BOB_PROBE_WRITE);
		if (!*text)
			continue;
		if (x->w->told[x->number] != BOB_TOLD_HEAD)
			put(x, p.inside, BOB_RANK_INSIDE, text);
		put(x, p.behind_loop, BOB_RANK_BEHIND, text);
	}
}

/* Conditions of the IF and the ELSE IFs before this one, all false; NULL: one of them cannot be evaluated twice. *first is the IF. */
static const char *branches_before(const struct statement *x, uint32_t *first)
{
	struct bob_weave *w = x->w;
	const struct bob_fortran_construct *c = x->s->construct < w->file->construct_count ?
							&w->file->constructs[x->s->construct] :
							NULL;
	const char *text = "";

	if (!c || c->kind != BOB_CONSTRUCT_IF)
		return NULL;
	*first = c->first;
	for (uint32_t i = c->first; i < x->number; i++) {
		const struct bob_fortran_statement *s = &w->file->statements[i];
		struct statement y = { .w = w, .number = i, .s = s };

		if (s->construct != x->s->construct ||
		    (s->kind != BOB_F_IF_THEN && s->kind != BOB_F_ELSE_IF))
			continue;
		if (bob_fortran_uses(w->arena, w->file, i, &y.uses) != BOB_OK ||
		    has_calls(&y, false))
			return NULL;
		text = bob_weave_text(w, "%s%s.not.%s", text, *text ? ".and." : "",
				      condition(w, s));
	}
	return text;
}

static void put_else_if(const struct statement *x)
{
	uint32_t first = 0, at = 0, n = 0;
	const char *before = NULL;

	for (uint32_t i = 0; i < x->uses.count; i++) {
		const struct bob_fortran_use *u = &x->uses.at[i];
		const char *text;

		if (kind_of(u) < 0 || bob_weave_touches(x->w, x->number, u) <= BOB_TOUCH_DROPPED)
			continue;
		if (!before)
			before = branches_before(x, &first);
		if (!before) {
			bob_weave_refuse(x->w,
					 "an ELSE IF behind a condition that calls a function",
					 x->s->line);
			return;
		}
		text = wanted(x, u, kind_of(u));
		if (!*text || (!n && !bob_weave_before(x->w, first, &at)))
			continue;
		if (!n++)
			put(x, at, BOB_RANK_BEFORE, bob_weave_text(x->w, "if (%s) then", before));
		put(x, at, BOB_RANK_BEFORE, text);
	}
	if (n)
		put(x, at, BOB_RANK_BEFORE, "end if");
}

/* Can the loop be left otherwise than by its condition? */
static bool is_left_early(const struct statement *x)
{
	const struct bob_weave *w = x->w;
	const struct bob_fortran_construct *c = &w->file->constructs[x->s->construct];

	for (uint32_t i = c->first; i <= c->last && i < w->file->count; i++) {
		const struct bob_fortran_statement *s = &w->file->statements[i];
		const enum bob_fortran_kind k = s->body ? s->body_kind : s->kind;

		if (k == BOB_F_EXIT || k == BOB_F_GOTO || k == BOB_F_COMPUTED_GOTO ||
		    k == BOB_F_ASSIGNED_GOTO || k == BOB_F_ARITHMETIC_IF || k == BOB_F_CYCLE)
			return true;
	}
	return false;
}

/* A condition is read before each trip, and once more when there is none: which is at the beginning of each trip, and behind. */
static void put_while(const struct statement *x)
{
	struct bob_fortran_place p;

	for (uint32_t i = 0; i < x->uses.count; i++) {
		const struct bob_fortran_use *u = &x->uses.at[i];
		const char *text;

		if (kind_of(u) < 0 || bob_weave_touches(x->w, x->number, u) <= BOB_TOUCH_DROPPED)
			continue;
		if (bob_fortran_place(x->w->file, x->number, &p) != BOB_OK ||
		    p.inside == BOB_FORTRAN_NO || p.behind_loop == BOB_FORTRAN_NO ||
		    x->s->construct >= x->w->file->construct_count || is_left_early(x)) {
			bob_weave_refuse(x->w, "a DO WHILE that is left by a jump", x->s->line);
			return;
		}
		text = wanted(x, u, kind_of(u));
		if (!*text)
			continue;
		put(x, p.inside, BOB_RANK_INSIDE, text);
		put(x, p.behind_loop, BOB_RANK_BEHIND, text);
	}
}

bob_status bob_weave_accesses(struct bob_weave *w, uint32_t statement)
{
	struct statement x = { .w = w, .number = statement, .s = &w->file->statements[statement] };
	bob_status st;

	if (!x.s->is_executable || x.s->unit == BOB_FORTRAN_NO ||
	    w->told[statement] == BOB_TOLD_IN_NEST)
		return BOB_OK;
	st = bob_fortran_uses(w->arena, w->file, statement, &x.uses);
	if (st != BOB_OK)
		return st;
	if (x.s->kind == BOB_F_ELSE_IF) {
		put_else_if(&x);
	} else if (x.s->kind == BOB_F_DO_WHILE) {
		put_while(&x);
	} else {
		put_before(&x, false, "", "");
		put_body(&x);
		put_after(&x);
		put_loop(&x);
	}
	return w->is_failed ? BOB_ERR_NOMEM : BOB_OK;
}
