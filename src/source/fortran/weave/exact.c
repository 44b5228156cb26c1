/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports references where the compiler evaluates them: a read by a function around it (wrapper.c),
 * an assignment's left side after the statement, with its saved subscripts. So order, short
 * circuits and counts are those of the compiler, and functions in subscripts are called once.
 *
 * Arguments of procedures stay variables. Only references that are proved to be scalar numbers,
 * logicals or characters are wrapped: an array would not compile. After .and. and .or., and in
 * MERGE, gfortran evaluates arguments and powers before the condition. References there are not
 * wrapped, because they might not exist. */
#include <string.h>

#include "bobbin/probe.h"
#include "source/fortran/weave/frames.h"
#include "source/fortran/weave/nest.h"
#include "source/fortran/weave/lines.h"
#include "source/fortran/weave/memory.h"

#define KEPT_MAX 32u		/* subscripts of a left side */
/* of a wrapped statement, so that 255 continuation lines suffice */
#define LENGTH_MAX 4000u

/* --- context of a reference --- */

struct way {
	const struct bob_weave *w;
	uint32_t statement;
	const struct bob_fortran_use *use;
	bool is_guarded;	/* after .and. or .or., or in MERGE */
};

static bool is_index(const struct way *x, const struct bob_fortran_expr *loop)
{
	const char *text = x->w->file->statements[x->statement].text;
	const struct bob_fortran_expr *c = loop->child, *part = x->use->ref->child;

	while (c && c->node != BOB_N_CONTROL)
		c = c->next;
	c = c && c->child ? c->child->child : NULL;
	return c && c->name_len == part->name_len &&
	       !memcmp(text + c->from, text + part->from, c->name_len);
}

static bool is_intrinsic(const struct way *x, const struct bob_fortran_expr *e,
			 const struct bob_fortran_symbol *s, const char *name)
{
	const char *text = x->w->file->statements[x->statement].text + e->child->from;

	return s && s->class == BOB_NAME_INTRINSIC && e->child->name_len == strlen(name) &&
	       !memcmp(text, name, e->child->name_len);
}

static const char *pass_reference(struct way *x, const struct bob_fortran_expr *e)
{
	const struct bob_fortran_symbol *s = bob_weave_symbol(x->w, x->statement, e);

	if (s && s->class == BOB_NAME_TYPE)
		return "in a value of a derived type";
	if (s && s->class == BOB_NAME_STATEMENT_FUNCTION &&
	    bob_weave_last(x->w, x->statement, x->use->ref)->flags & BOB_SYMBOL_POINTER)
		return "a pointer, in the arguments of a statement function";
	if (x->use->symbol->flags & BOB_SYMBOL_OPTIONAL && s && s->class != BOB_NAME_VARIABLE)
		return "an optional argument, in a function's"; /* MAX skips missing ones */
	if (is_intrinsic(x, e, s, "spread"))
		return "in the arguments of SPREAD"; /* gfortran 12 fails for characters */
	if (!x->is_guarded && is_intrinsic(x, e, s, "merge")) {
		x->is_guarded = true; /* it selects one of two */
		return NULL;
	}
	if (!x->is_guarded ||
	    (s && (s->class == BOB_NAME_VARIABLE || s->class == BOB_NAME_CONSTANT) &&
	     s->type != BOB_T_CHARACTER))
		return NULL;
	return "an argument, or in a text, after .and. or .or., or in MERGE";
}

static const char *pass(struct way *x, const struct bob_fortran_expr *e)
{
	switch ((enum bob_fortran_node)e->node) {
	case BOB_N_BINARY:
		if ((e->op == BOB_OP_AND || e->op == BOB_OP_OR) && e->child->next &&
		    bob_fortran_is_within(e->child->next, x->use->ref))
			x->is_guarded = true;
		else if (x->is_guarded && (e->op == BOB_OP_POWER || e->op == BOB_OP_DEFINED))
			return "a power, after .and. or .or., or in MERGE";
		return NULL;
	case BOB_N_REFERENCE:
		return pass_reference(x, e);
	case BOB_N_IMPLIED_DO:
		return is_index(x, e) ? "the index of an implied DO" : NULL;
	case BOB_N_TYPE_SPEC:
		return "in a type";
	default:
		return NULL;
	}
}

static const char *what_is_around(const struct way *from)
{
	struct way x = *from;
	const struct bob_fortran_item *item;
	const struct bob_fortran_expr *e;
	const char *why = NULL;

	if (bob_fortran_items(x.w->arena, &x.w->file->statements[x.statement], &item, NULL) !=
	    BOB_OK)
		return "not understood";
	while (item && !bob_fortran_is_within(item->expr, x.use->ref))
		item = item->next;
	e = item ? item->expr : NULL;
	while (e && !why &&
	       (e->node != BOB_N_REFERENCE || e->from != x.use->from || e->to != x.use->to)) {
		why = pass(&x, e);
		for (e = e->child; e && !bob_fortran_is_within(e, x.use->ref); e = e->next)
			;
	}
	if (!why && x.is_guarded &&
	    bob_weave_last(x.w, x.statement, x.use->ref)->type == BOB_T_CHARACTER)
		why = "a text, after .and. or .or., or in MERGE";
	return why;
}

/* --- selection --- */

static enum bob_fortran_kind kind_of(const struct bob_fortran_statement *s,
				     const struct bob_fortran_use *u)
{
	return s->body && u->flags & BOB_USE_BODY ? s->body_kind : s->kind;
}

/* Where may the statement have an expression instead of the read variable? */
static bool is_expression(const struct bob_fortran_statement *s, const struct bob_fortran_use *u)
{
	switch (kind_of(s, u)) {
	case BOB_F_ASSIGN:
	case BOB_F_CALL:
	case BOB_F_IF:
	case BOB_F_IF_THEN:
	case BOB_F_ELSE_IF:
	case BOB_F_DO:
	case BOB_F_DO_WHILE:
	case BOB_F_SELECT_CASE:
	case BOB_F_COMPUTED_GOTO:
	case BOB_F_ARITHMETIC_IF:
		return true;
	case BOB_F_WRITE:
	case BOB_F_PRINT:
	case BOB_F_READ:
		return u->flags & (BOB_USE_LIST | BOB_USE_SUBSCRIPT);
	default:
		return false;
	}
}

/* Why no reference of the statement can be wrapped. */
static const char *statement_forbids(const struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct bob_fortran_place p;

	if (bob_fortran_place(w->file, statement, &p) != BOB_OK)
		return "not understood";
	if (p.needs & BOB_NEED_NO_CALL)
		return "in a pure procedure or DO CONCURRENT";
	if (p.needs & BOB_NEED_TIGHT ||
	    (p.before != BOB_FORTRAN_NO && p.before < bob_fortran_line_at(w->file, s->line)))
		return "after a directive";
	return s->len > LENGTH_MAX ? "a long statement" : NULL;
}

/* gfortran 12 fails to compile character functions in assignments to arrays of characters or to
 * characters of deferred length, and takes wrong lengths if their argument has deferred length. */
static bool is_difficult_text(const struct bob_weave *w, uint32_t statement,
			      const struct bob_fortran_use *u,
			      const struct bob_fortran_symbol *last)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_item *item;

	if (last->type != BOB_T_CHARACTER || last->char_len == -3)
		return last->type == BOB_T_CHARACTER;
	if (kind_of(s, u) != BOB_F_ASSIGN)
		return false;
	if (bob_fortran_items(w->arena, s, &item, NULL) != BOB_OK)
		return true;
	for (; item; item = item->next) {
		const struct bob_fortran_symbol *left =
			item->role == BOB_ROLE_WRITE && item->expr->node == BOB_N_REFERENCE ?
				bob_weave_last(w, statement, item->expr) :
				NULL;

		if (item->role == BOB_ROLE_WRITE &&
		    (!left || left->char_len == -3 || !bob_weave_is_one(w, statement, item->expr)))
			return true;
	}
	return false;
}

static const char *not_read(const struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_use *u)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct way x = { w, statement, u, false };
	const struct bob_fortran_symbol *last;
	bool in_pieces;

	if (u->flags & BOB_USE_MASKED)
		return "under WHERE or FORALL";
	if (u->flags & (BOB_USE_WHOLE | BOB_USE_SECTION | BOB_USE_VECTOR))
		return "an array, or a part of one";
	if (!is_expression(s, u))
		return "not in an expression";
	if (!bob_weave_is_one(w, statement, u->ref))
		return "not known to be one value";
	last = bob_weave_last(w, statement, u->ref);
	if (!last || !bob_weave_size(w, statement, u, &in_pieces) ||
	    !bob_weave_has_wrapper(last->type, last->kind, in_pieces))
		return "a value of a derived type, or of a kind that is not known here";
	if (is_difficult_text(w, statement, u, last))
		return "a text that may have any length, or in an assignment to such or to an "
		       "array";
	return what_is_around(&x);
}

/* Would a second evaluation of its subscripts differ, or call a function twice? */
static bool must_keep(const struct bob_weave *w, uint32_t statement,
		      const struct bob_fortran_use *u)
{
	struct bob_fortran_place p;

	return bob_fortran_place_use(w->file, statement, u, &p) != BOB_OK ||
	       p.needs & BOB_NEED_SAVE || u->flags & BOB_USE_CALLS;
}

/* Collects its scalar subscripts, with bounds of ranges. False: too many, or something else. */
static bool subscripts_of(const struct bob_weave *w, uint32_t statement,
			  const struct bob_fortran_expr *e, const struct bob_fortran_expr **to,
			  uint32_t *count)
{
	for (; e; e = e->next) {
		if (e->node == BOB_N_PART || e->node == BOB_N_ARGUMENTS || e->node == BOB_N_RANGE) {
			if (!subscripts_of(w, statement, e->child, to, count))
				return false;
			continue;
		}
		if (e->node == BOB_N_NOTHING || e->node == BOB_N_INTEGER)
			continue;
		if (*count == KEPT_MAX || !bob_weave_is_one(w, statement, e))
			return false;
		to[(*count)++] = e;
	}
	return true;
}

static const char *not_written(const struct bob_weave *w, uint32_t statement,
			       const struct bob_fortran_use *u)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const enum bob_fortran_kind kind = kind_of(s, u);
	const struct bob_fortran_expr *kept[KEPT_MAX];
	struct bob_fortran_place p;
	uint32_t count = 0;
	const char *why;
	bool in_pieces;

	if (kind == BOB_F_READ || kind == BOB_F_ACCEPT || kind == BOB_F_DECODE ||
	    bob_weave_moves(w, statement, u))
		return ""; /* reported after the statement in any case */
	if (u->flags & BOB_USE_MASKED)
		return "under WHERE or FORALL";
	if (kind != BOB_F_ASSIGN)
		return "written by something else than an assignment";
	if (u->flags & (BOB_USE_VECTOR | BOB_USE_COARRAY | BOB_USE_UNSURE) ||
	    !bob_weave_size(w, statement, u, &in_pieces))
		return "of a size or shape that is not known here";
	why = bob_weave_unpassable(w, statement, u);
	if (why)
		return why;
	if (s->ends_loops || bob_fortran_place(w->file, statement, &p) != BOB_OK ||
	    p.after == BOB_FORTRAN_NO || p.before == BOB_FORTRAN_NO ||
	    (s->kind == BOB_F_IF && !bob_weave_expands(w, statement)))
		return "no line can follow this assignment";
	if (must_keep(w, statement, u) && !subscripts_of(w, statement, u->ref->child, kept, &count))
		return "subscripts that are not known to be one value";
	return NULL;
}

const char *bob_weave_not_exact(const struct bob_weave *w, uint32_t statement,
				const struct bob_fortran_use *u)
{
	const char *why;

	if (u->role != BOB_ROLE_READ && u->role != BOB_ROLE_WRITE)
		return "";
	why = u->role == BOB_ROLE_READ ? not_read(w, statement, u) : not_written(w, statement, u);
	return why ? why : statement_forbids(w, statement);
}

/* --- wrapping --- */

static void take_read(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u)
{
	const struct bob_fortran_symbol *last = bob_weave_last(w, statement, u->ref);
	const uint32_t site = bob_weave_site(w, statement, u, BOB_PROBE_READ);
	bool in_pieces;

	bob_weave_size(w, statement, u, &in_pieces);
	bob_weave_wrap(w, statement, u->from, u->to,
		       bob_weave_text(w, "%s(%u_4,",
				      bob_weave_wrapper(w, last->type, last->kind, in_pieces),
				      site),
		       ")");
}

/* The reference with other subscripts. */
static const char *with_kept(struct bob_weave *w, const struct bob_fortran_statement *s,
			     const struct bob_fortran_use *u,
			     const struct bob_fortran_expr *const *kept, uint32_t count)
{
	const char *text = "";
	uint32_t from = u->from;

	for (uint32_t i = 0; i < count; from = kept[i++]->to)
		text = bob_weave_text(w, "%s%.*sbobbin_k%u", text, (int)(kept[i]->from - from),
				      s->text + from, i);
	return bob_weave_text(w, "%s%.*s", text, (int)(u->to - from), s->text + from);
}

/* Opens a BLOCK around the statement, with variables that save its subscripts. */
static void keep(struct bob_weave *w, uint32_t statement,
		 const struct bob_fortran_expr *const *kept, uint32_t count, uint32_t at,
		 enum bob_weave_rank rank)
{
	const char *names = "";

	for (uint32_t i = 0; i < count; i++) {
		names = bob_weave_text(w, "%s%sbobbin_k%u", names, i ? "," : "", i);
		bob_weave_wrap(w, statement, kept[i]->from, kept[i]->to,
			       bob_weave_text(w, "%s(bobbin_k%u,int(", bob_weave_keeper(w), i),
			       ",8))");
	}
	bob_weave_put(w, at, rank, statement, "block");
	bob_weave_put(w, at, rank, statement, bob_weave_text(w, "integer(8)::%s", names));
}

static bool take_write(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_expr *kept[KEPT_MAX];
	const bool is_body = s->kind == BOB_F_IF;
	struct bob_weave_frames f;
	struct bob_fortran_place p;
	uint32_t count = 0, at;

	if (bob_fortran_place(w->file, statement, &p) != BOB_OK ||
	    bob_weave_frames(w, statement, u, &f) ||
	    !(is_body ? bob_weave_expand(w, statement, &at) : bob_weave_before(w, statement, &at)))
		return false;
	if (must_keep(w, statement, u))
		subscripts_of(w, statement, u->ref->child, kept, &count);
	if (count) {
		keep(w, statement, kept, count, at,
		     is_body ? BOB_RANK_BODY_BEFORE : BOB_RANK_BEFORE);
		f.text = with_kept(w, s, u, kept, count);
	}
	for (uint32_t i = 0; i < f.count; i++)
		bob_weave_put(w, p.after, BOB_RANK_AFTER, statement, f.at[i].open);
	bob_weave_put(w, p.after, BOB_RANK_AFTER, statement,
		      bob_weave_call(w, statement, u, BOB_PROBE_WRITE, &f));
	while (f.count)
		bob_weave_put(w, p.after, BOB_RANK_AFTER, statement, f.at[--f.count].close);
	if (count)
		bob_weave_put(w, p.after, BOB_RANK_AFTER, statement, "end block");
	return true;
}

/* Is it within a function that is evaluated before the statement? */
static bool is_hoisted(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_use *u)
{
	if (w->hoisted_statement != statement)
		return false;
	for (uint32_t i = 0; i < w->hoisted_count; i++)
		if (w->hoisted[i].from <= u->from && u->to <= w->hoisted[i].to)
			return true;
	return false;
}

bob_status bob_weave_exact(struct bob_weave *w, uint32_t statement, struct bob_fortran_uses *uses)
{
	struct bob_fortran_use *rest =
		bob_arena_alloc(w->arena, (uses->count + 1u) * sizeof(*rest));
	uint32_t n = 0;

	if (!rest)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < uses->count; i++) {
		const struct bob_fortran_use *u = &uses->at[i];

		if (bob_weave_touches(w, statement, u) <= BOB_TOUCH_DROPPED ||
		    is_hoisted(w, statement, u) || bob_weave_not_exact(w, statement, u))
			rest[n++] = *u;
		else if (u->role == BOB_ROLE_READ)
			take_read(w, statement, u);
		else if (!take_write(w, statement, u))
			rest[n++] = *u;
	}
	uses->at = rest;
	uses->count = n;
	return w->is_failed ? BOB_ERR_NOMEM : BOB_OK;
}
