/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of WHERE and FORALL. These allow no CALL inside, so their probes precede the outermost
 * one, in text order: for each statement first its reads for all indices, the first index fastest,
 * then its writes. */
#include <string.h>

#include "source/fortran/parse.h"
#include "source/fortran/weave/frames.h"

struct around {
	struct bob_weave *w;
	uint32_t statement;
	const struct bob_fortran_use *use;
	struct bob_weave_frames *out;
	bool in_forall;		/* called procedures are pure */
};

static const struct bob_fortran_statement *statement_of(const struct around *x, uint32_t i)
{
	return &x->w->file->statements[i];
}

/* The expression in the parentheses of FORALL, WHERE, ELSEWHERE; NULL: none. */
static const struct bob_fortran_expr *header(const struct around *x, uint32_t i)
{
	const struct bob_fortran_statement *s = statement_of(x, i);
	struct bob_fortran_parser r = { .arena = x->w->arena, .text = s->text, .p = s->from,
					.end = s->body ? s->body : s->len };
	const struct bob_fortran_expr *list;

	while (r.p < r.end && s->text[r.p] != '(')
		r.p++;
	if (r.p == r.end)
		return NULL;
	list = bob_fortran_parse_arguments(&r);
	return list && !r.failed ? list->child : NULL;
}

static bool is_within(const struct bob_fortran_expr *e, const struct bob_fortran_use *u)
{
	return e->from <= u->from && u->to <= e->to;
}

/* --- FORALL --- */

/* Adds loops, the first one innermost; `own`: only those around this use, which is in the header
 * itself. */
static const char *add_header(struct around *x, uint32_t i, const struct bob_fortran_use *own)
{
	const struct bob_fortran_expr *loops[BOB_FORTRAN_RANK_MAX], *mask = NULL;
	uint32_t n = 0;
	const char *why = NULL;

	x->in_forall = true;
	for (const struct bob_fortran_expr *e = header(x, i); e; e = e->next) {
		if (own && e->node == BOB_N_KEYWORD && is_within(e, own))
			return NULL;
		if (e->node == BOB_N_BAD || (e->node == BOB_N_KEYWORD && (!e->child || n == 15)))
			return "a FORALL that is not understood";
		if (e->node == BOB_N_KEYWORD)
			loops[n++] = e;
		else
			mask = e;
	}
	while (n-- > 0 && !why)
		why = bob_weave_add_loop(x->w, i, x->out, statement_of(x, i)->text + loops[n]->from,
					 loops[n]->from, loops[n]->name_len,
					 loops[n]->child->child);
	if (why || !mask || own)
		return why;
	return bob_weave_add_frame(
		x->out,
		&(struct bob_weave_frame){
			.key = statement_of(x, i)->text + mask->from,
			.open = bob_weave_text(x->w, "if (%s) then",
					       bob_weave_render(x->w, statement_of(x, i), mask,
								x->out)),
			.close = "end if", .is_condition = true });
}

/* --- WHERE --- */

static const char *add_mask(struct around *x, uint32_t i, bool is_not)
{
	const struct bob_fortran_expr *mask = header(x, i);
	const char *text;

	if (!mask || mask->node == BOB_N_BAD)
		return "a WHERE that is not understood";
	if (!x->in_forall && bob_weave_calls(x->w, i, mask))
		return "under WHERE with a mask that calls a function";
	text = bob_weave_render(x->w, statement_of(x, i), mask, x->out);
	x->out->mask = bob_weave_text(x->w, "%s%s%s(%s)", x->out->mask ? x->out->mask : "",
				      x->out->mask ? ".and." : "", is_not ? ".not." : "", text);
	return NULL;
}

/* Adds the mask of the statement's branch, and excludes the masks before it. */
static const char *add_branch(struct around *x, uint32_t construct)
{
	const struct bob_fortran_construct *c = &x->w->file->constructs[construct];
	uint32_t own = c->first;
	const char *why = NULL;

	for (uint32_t i = c->first; i <= x->statement && i <= c->last; i++)
		if (statement_of(x, i)->construct == construct &&
		    statement_of(x, i)->kind == BOB_F_ELSEWHERE)
			own = i;
	for (uint32_t i = c->first; i < own && !why; i++)
		if (statement_of(x, i)->construct == construct &&
		    (i == c->first ||
		     (statement_of(x, i)->kind == BOB_F_ELSEWHERE && header(x, i))))
			why = add_mask(x, i, true);
	if (!why && own != x->statement && (own == c->first || header(x, own)))
		why = add_mask(x, own, false);
	return why;
}

/* --- earlier assignments --- */

static bool may_be_same(const struct bob_fortran_symbol *a, const struct bob_fortran_symbol *b)
{
	const uint32_t aliased = BOB_SYMBOL_POINTER | BOB_SYMBOL_TARGET | BOB_SYMBOL_EQUIVALENCE |
				 BOB_SYMBOL_COMMON;

	return a == b || (a->flags | b->flags) & BOB_SYMBOL_ASSOCIATE ||
	       (a->flags & aliased && b->flags & aliased);
}

static bool is_assigned(const struct around *x, uint32_t first, uint32_t end,
			const struct bob_fortran_symbol *s)
{
	struct bob_fortran_uses uses;

	for (uint32_t i = first; i < end; i++) {
		if (bob_fortran_uses(x->w->arena, x->w->file, i, &uses) != BOB_OK)
			return true;
		for (uint32_t k = 0; k < uses.count; k++)
			if (uses.at[k].role == BOB_ROLE_WRITE && may_be_same(uses.at[k].symbol, s))
				return true;
	}
	return false;
}

/* Masks and bounds inside the outermost construct, and subscripts, are evaluated after assignments;
 * the probes evaluate them before. */
static bool is_stale(const struct around *x, uint32_t first)
{
	struct bob_fortran_uses uses;

	for (uint32_t i = first + 1; i <= x->statement; i++) {
		const enum bob_fortran_kind k = statement_of(x, i)->kind;
		const bool is_header = k == BOB_F_ELSEWHERE || k == BOB_F_WHERE_CONSTRUCT ||
				       k == BOB_F_FORALL_CONSTRUCT || k == BOB_F_WHERE ||
				       k == BOB_F_FORALL;

		if (!is_header && i < x->statement)
			continue;
		if (bob_fortran_uses(x->w->arena, x->w->file, i, &uses) != BOB_OK)
			return true;
		for (uint32_t n = 0; n < uses.count; n++) {
			const struct bob_fortran_use *u = &uses.at[n];
			const bool is_sub = i == x->statement && u->flags & BOB_USE_SUBSCRIPT &&
					    u->from >= x->use->from && u->to <= x->use->to;

			if (u->role == BOB_ROLE_READ &&
			    (is_sub || (is_header && !(u->flags & BOB_USE_BODY))) &&
			    is_assigned(x, first + 1, i, u->symbol))
				return true;
		}
	}
	return false;
}

/* --- all --- */

static bool is_index(const struct around *x)
{
	const struct bob_fortran_expr *part = x->use->ref->child;
	const char *text = statement_of(x, x->statement)->text;

	for (uint32_t i = 0; i < x->out->count; i++)
		if (x->out->at[i].name && part && x->out->at[i].name_len == part->name_len &&
		    !memcmp(x->out->at[i].name, text + part->from, part->name_len))
			return true;
	return false;
}

static const char *around_of_one_line(struct around *x)
{
	const struct bob_fortran_statement *s = statement_of(x, x->statement);
	const bool in_body = x->use->flags & BOB_USE_BODY;

	if (s->body_kind == BOB_F_WHERE || s->body_kind == BOB_F_FORALL)
		return "under a WHERE or FORALL of one line that is in another";
	if (s->kind == BOB_F_FORALL)
		return add_header(x, x->statement, in_body ? NULL : x->use);
	if (s->kind == BOB_F_WHERE && in_body)
		return add_mask(x, x->statement, false);
	return NULL;
}

uint32_t bob_weave_outermost(const struct bob_weave *w, uint32_t statement)
{
	uint32_t first = statement;

	for (uint32_t c = w->file->statements[statement].construct; c != BOB_FORTRAN_NO;
	     c = w->file->constructs[c].parent)
		if (w->file->constructs[c].kind == BOB_CONSTRUCT_WHERE ||
		    w->file->constructs[c].kind == BOB_CONSTRUCT_FORALL)
			first = w->file->constructs[c].first;
	return first;
}

const char *bob_weave_masked(struct bob_weave *w, uint32_t statement,
			     const struct bob_fortran_use *u, struct bob_weave_frames *out)
{
	struct around x = { .w = w, .statement = statement, .use = u, .out = out };
	uint32_t chain[BOB_WEAVE_FRAMES_MAX], n = 0;
	const char *why = NULL;

	for (uint32_t c = w->file->statements[statement].construct; c != BOB_FORTRAN_NO;
	     c = w->file->constructs[c].parent) {
		if (w->file->constructs[c].kind != BOB_CONSTRUCT_WHERE &&
		    w->file->constructs[c].kind != BOB_CONSTRUCT_FORALL)
			continue;
		if (n == BOB_WEAVE_FRAMES_MAX)
			return "too many loops and conditions around it";
		chain[n++] = c;
	}
	while (n-- > 0 && !why) {
		const struct bob_fortran_construct *c = &w->file->constructs[chain[n]];

		if (c->kind == BOB_CONSTRUCT_WHERE)
			why = add_branch(&x, chain[n]);
		else
			why = add_header(&x, c->first, c->first == statement ? u : NULL);
	}
	if (!why)
		why = around_of_one_line(&x);
	if (why)
		return why;
	if (is_index(&x))
		return "";
	if (u->flags & BOB_USE_CALLS && !x.in_forall)
		return "its subscripts call a function";
	if (is_stale(&x, bob_weave_outermost(w, statement)))
		return "under WHERE or FORALL, where what it depends on was assigned before";
	return NULL;
}
