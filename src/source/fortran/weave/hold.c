/* SPDX-License-Identifier: BSD-3-Clause */
/* Hoists the negative cache of sites (bobbin/probe.h) out of loops, as source/c/hold.c does for C.
 * This is done for the outermost loops that make no calls, do not synchronise and move nothing. So
 * no variable that the loop may legally access can be declared in a cached range while the loop
 * runs. A BLOCK around such a loop has the ranges, so each thread has its own:
 *
 *     block
 *     intrinsic::loc,bge
 *     type(bobbin_z)::bobbin_g3         no initial value: that would make it static
 *     integer(8)::bobbin_n,bobbin_k
 *     bobbin_g3%bobbin_l=0
 *     bobbin_g3%bobbin_n=0
 *     ...
 *     do k = 1, n
 *       bobbin_n=bobbin_n+1
 *       if (bge(loc(x(at(k)))-bobbin_g3%bobbin_l,bobbin_g3%bobbin_n)) then
 *         bobbin_g3=bobbin_h(3_4,x(at(k)))
 *         bobbin_k=bobbin_k+1
 *       end if
 *       s = s + x(at(k))
 *     end do
 *     call bobbin_q(bobbin_n-bobbin_k)
 *     end block
 *
 * A nest of one loop in it holds the untraced ranges of its sites, too, and checks the first and
 * the last address of each (emit_nest.c).
 *
 * Each range is empty at first: a loop that runs once costs a call for each site, like a probe
 * without a hoisted range. The count is added to the thread's counter after the loop, and before
 * each statement that leaves it. */
#include "source/fortran/split.h"
#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SITES_MAX 24u /* of a loop; further sites load their ranges in the loop */

static const struct bob_fortran_statement *at(const struct bob_weave *w, uint32_t statement)
{
	return &w->file->statements[statement];
}

/* The kind of the statement, or of its one-line body. */
static enum bob_fortran_kind kind_of(const struct bob_fortran_statement *s)
{
	return s->kind == BOB_F_IF ? s->body_kind : s->kind;
}

/* --- contents of the loop --- */

static bool is_harmless_kind(const struct bob_fortran_statement *s)
{
	switch (kind_of(s)) {
	case BOB_F_ASSIGN:
	case BOB_F_CONTINUE:
	case BOB_F_CYCLE:
	case BOB_F_EXIT:
	case BOB_F_GOTO:
	case BOB_F_RETURN:
	case BOB_F_STOP:
	case BOB_F_ERROR_STOP:
		return true;
	case BOB_F_EMPTY:
	case BOB_F_DO:
	case BOB_F_DO_WHILE:
	case BOB_F_DO_FOREVER:
	case BOB_F_END_DO:
	case BOB_F_IF_THEN:
	case BOB_F_ELSE_IF:
	case BOB_F_ELSE:
	case BOB_F_END_IF:
	case BOB_F_SELECT_CASE:
	case BOB_F_CASE:
	case BOB_F_END_SELECT:
		return !s->body;
	default:
		return false;
	}
}

static bool is_volatile(const struct bob_weave *w, uint32_t statement,
			const struct bob_fortran_use *u)
{
	const struct bob_fortran_symbol *last = bob_weave_last(w, statement, u->ref);

	return u->symbol->flags & BOB_SYMBOL_VOLATILE ||
	       (last && last->flags & BOB_SYMBOL_VOLATILE);
}

static bool is_harmless(const struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = at(w, statement);
	struct bob_fortran_uses uses;

	if (!is_harmless_kind(s) ||
	    (bob_fortran_is_loop(s->kind) &&
	     bob_weave_is_requested(w, BOB_REQUEST_LOOPS, s->line)) ||
	    bob_fortran_uses(w->arena, w->file, statement, &uses) != BOB_OK || uses.bad_count ||
	    bob_weave_calls_operator(w, statement))
		return false;
	for (uint32_t i = 0; i < uses.count; i++)
		if (!bob_weave_is_plain_use(w, statement, &uses.at[i]) ||
		    is_volatile(w, statement, &uses.at[i]))
			return false;
	return true;
}

/* --- exits of the loop --- */

/* Does the statement's text have the label, as a word? */
static bool names_label(const struct bob_fortran_statement *s, uint32_t label)
{
	for (uint32_t i = s->from; i < s->len; i++) {
		if (!isdigit((unsigned char)s->text[i]))
			continue;
		if (strtoul(s->text + i, NULL, 10) == label)
			return true;
		while (i + 1 < s->len && isdigit((unsigned char)s->text[i + 1]))
			i++;
	}
	return false;
}

/* May a statement of the unit outside of the loop jump into it? */
static bool is_jumped_into(const struct bob_weave *w, const struct bob_weave_hold *h)
{
	const struct bob_fortran_unit *u = bob_weave_unit(w, h->first);

	for (uint32_t t = h->first + 1; t <= h->last; t++) {
		if (!at(w, t)->is_branch_target)
			continue;
		for (uint32_t i = u->first; i <= u->last; i++) {
			const struct bob_fortran_statement *s = at(w, i);

			if ((i < h->first || i > h->last) && s->unit == at(w, t)->unit &&
			    s->is_executable && kind_of(s) != BOB_F_ASSIGN &&
			    names_label(s, at(w, t)->label))
				return true;
		}
	}
	return false;
}

/* Do EXIT or CYCLE refer to the loop or a construct in it? */
static bool is_name_within(const struct bob_weave *w, const struct bob_weave_hold *h,
			   const struct bob_fortran_statement *s)
{
	const char *name = s->text + (s->kind == BOB_F_IF ? s->body : s->from);
	const struct bob_fortran_construct *c;

	name += kind_of(s) == BOB_F_EXIT ? strlen("exit") : strlen("cycle");
	name += *name == ' ';
	for (uint32_t i = s->construct; i < w->file->construct_count; i = c->parent) {
		c = &w->file->constructs[i];
		if (*name ? !strcmp(c->name, name) : c->kind == BOB_CONSTRUCT_DO)
			return true;
		if (c->first == h->first)
			break;
	}
	return false;
}

static bool is_target_within(const struct bob_weave *w, const struct bob_weave_hold *h,
			     const struct bob_fortran_statement *s)
{
	uint32_t i = s->len, label;

	while (i && isdigit((unsigned char)s->text[i - 1]))
		i--;
	label = (uint32_t)strtoul(s->text + i, NULL, 10);
	for (i = h->first + 1; i <= h->last; i++)
		if (at(w, i)->label == label)
			return true;
	return false;
}

static bool leaves(const struct bob_weave *w, const struct bob_weave_hold *h, uint32_t statement)
{
	const struct bob_fortran_statement *s = at(w, statement);

	switch (kind_of(s)) {
	case BOB_F_RETURN:
	case BOB_F_STOP:
	case BOB_F_ERROR_STOP:
		return true;
	case BOB_F_EXIT:
	case BOB_F_CYCLE:
		return !is_name_within(w, h, s);
	case BOB_F_GOTO:
		return !is_target_within(w, h, s);
	default:
		return false;
	}
}

static bool has_place_before(const struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = at(w, statement);
	struct bob_fortran_place p;

	if (s->kind == BOB_F_IF)
		return bob_weave_expands(w, statement);
	return !s->ends_loops && bob_fortran_place(w->file, statement, &p) == BOB_OK &&
	       p.before != BOB_FORTRAN_NO;
}

/* --- conditions --- */

/* Does the text contain the name, of a variable or a construct? In fixed form a word may precede it
 * without a blank; after a % it is a component. */
static bool has_name(const struct bob_weave *w, uint32_t statement, const char *name, uint32_t len)
{
	const char *text = at(w, statement)->text;

	for (const char *c = strstr(text, name); c; c = strstr(c + 1, name)) {
		const char *before = c;

		while (before > text && before[-1] == ' ')
			before--;
		if (bob_fortran_is_word(c[len]) || (before > text && before[-1] == '%'))
			continue;
		if (c == text || !bob_fortran_is_word(c[-1]) || w->file->form == BOB_FORTRAN_FIXED)
			return true;
	}
	return false;
}

/* Names in the BLOCK must not hide names of the loop or of its construct, including those that
 * missing modules and files may declare. */
static bool are_names_free(const struct bob_weave *w, const struct bob_weave_hold *h)
{
	static const char *const names[] = { "loc", "bge" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct bob_fortran_symbol *y =
			bob_fortran_lookup(at(w, h->first)->names, names[i], 3);

		if (y && y->class != BOB_NAME_INTRINSIC)
			return false;
		for (uint32_t k = h->first; k <= h->last; k++)
			if (has_name(w, k, names[i], 3))
				return false;
	}
	return true;
}

/* Can a BLOCK surround the loop without affecting directives and other loops? *after is its end. */
static bool has_place(const struct bob_weave *w, const struct bob_weave_hold *h, uint32_t *after)
{
	const uint32_t bad = BOB_NEED_NO_CALL | BOB_NEED_SPLIT | BOB_NEED_TIGHT;
	const struct bob_fortran_statement *s = at(w, h->first), *last = at(w, h->last);
	struct bob_fortran_place p;

	if ((h->first && (s[-1].kind == BOB_F_DIRECTIVE || s[-1].kind == BOB_F_CPP)) ||
	    s->shares_line || last->shares_line || s->is_in_workshare ||
	    (s->is_branch_target && s->ends_loops) ||
	    bob_fortran_is_pure(bob_weave_unit(w, h->first)) ||
	    bob_fortran_place(w->file, h->first, &p) != BOB_OK || p.before == BOB_FORTRAN_NO ||
	    p.after_loop == BOB_FORTRAN_NO || p.needs & bad)
		return false;
	*after = p.after_loop;
	return *after == bob_fortran_line_at(w->file, last->line_last + 1);
}

static bool can_hold(const struct bob_weave *w, struct bob_weave_hold *h)
{
	const struct bob_fortran_statement *s = at(w, h->first);
	const struct bob_fortran_construct *all = w->file->constructs, *c = &all[s->construct];

	if (s->construct >= w->file->construct_count || c->first != h->first || !c->is_ended ||
	    c->kind != BOB_CONSTRUCT_DO ||
	    (c->parent != BOB_FORTRAN_NO && all[c->parent].last == c->last) || !s->names)
		return false;
	h->last = c->last;
	if (!has_place(w, h, &h->after) || !are_names_free(w, h))
		return false;
	for (uint32_t i = h->first; i <= h->last; i++)
		if (!is_harmless(w, i) || (leaves(w, h, i) && !has_place_before(w, i)))
			return false;
	return !is_jumped_into(w, h);
}

void bob_weave_hold(struct bob_weave *w, uint32_t statement)
{
	struct bob_weave_hold h = {
		.first = statement, .is_open = true, .untraced = "", .empty = ""
	};

	if (w->hold.is_open || !w->is_holding || !(w->variables.count + w->passed.count) ||
	    !bob_fortran_is_loop(at(w, statement)->kind) || !can_hold(w, &h))
		return;
	w->hold = h;
}

static void hold_site(struct bob_weave *w, uint32_t site)
{
	struct bob_weave_hold *h = &w->hold;

	h->untraced = bob_weave_text(w, "%s%sbobbin_g%u", h->untraced, h->sites ? "," : "", site);
	h->empty = bob_weave_text(w, "%sbobbin_g%u%%bobbin_l=0\nbobbin_g%u%%bobbin_n=0\n", h->empty,
				  site, site);
	h->sites++;
}

const char *bob_weave_beyond(struct bob_weave *w, uint32_t site, const char *text)
{
	return bob_weave_text(w, "bge(loc(%s)-bobbin_g%u%%bobbin_l,bobbin_g%u%%bobbin_n)", text,
			      site, site);
}

bool bob_weave_hold_nest(struct bob_weave *w, uint32_t first, uint32_t count)
{
	if (!w->hold.is_open || w->hold.sites + count > SITES_MAX)
		return false;
	for (uint32_t k = 0; k < count; k++)
		hold_site(w, first + k);
	w->hold.has_nests = true;
	return true;
}

const char *bob_weave_held(struct bob_weave *w, uint32_t statement, uint32_t site, const char *text)
{
	const struct bob_weave_hold *h = &w->hold;

	/* bounds of the loop itself are evaluated before it, its counter also after it */
	if (!h->is_open || h->sites == SITES_MAX ||
	    (statement == h->first && at(w, statement)->kind == BOB_F_DO))
		return NULL;
	hold_site(w, site);
	return bob_weave_text(w,
			      "bobbin_n=bobbin_n+1\n"
			      "if (%s) then\n"
			      "bobbin_g%u=%sh(%u_4,%s)\n"
			      "bobbin_k=bobbin_k+1\n"
			      "end if",
			      bob_weave_beyond(w, site, text), site, w->id, site, text);
}

/* Adds the count before a statement that leaves the loop. */
static void put_leaving(struct bob_weave *w, uint32_t i, const char *text)
{
	const bool is_if = at(w, i)->kind == BOB_F_IF;
	uint32_t before;

	if (is_if ? bob_weave_expand(w, i, &before) : bob_weave_before(w, i, &before))
		bob_weave_put(w, before, is_if ? BOB_RANK_BODY_BEFORE : BOB_RANK_EXIT, i, text);
}

void bob_weave_hold_end(struct bob_weave *w, uint32_t statement)
{
	const struct bob_weave_hold h = w->hold;
	const char *count = bob_weave_text(w, "call %sq(bobbin_n-bobbin_k)", w->id);
	uint32_t before;

	if (!h.is_open || statement != h.last)
		return;
	w->hold.is_open = false;
	if (!h.sites || !bob_weave_before(w, h.first, &before))
		return;
	for (uint32_t i = h.first + 1; i <= h.last; i++)
		if (leaves(w, &h, i))
			put_leaving(w, i, count);
	w->hold_count++;
	bob_weave_put(w, before, BOB_RANK_BEFORE, h.first, "block");
	bob_weave_put(w, before, BOB_RANK_BEFORE, h.first, "intrinsic::loc,bge");
	bob_weave_put(w, before, BOB_RANK_BEFORE, h.first,
		      bob_weave_text(w, "type(%sz)::%s", w->id, h.untraced));
	bob_weave_put(w, before, BOB_RANK_BEFORE, h.first,
		      h.has_nests ? "integer(8)::bobbin_n,bobbin_k,bobbin_t\nlogical::bobbin_m" :
				    "integer(8)::bobbin_n,bobbin_k");
	bob_weave_put(w, before, BOB_RANK_BEFORE, h.first,
		      bob_weave_text(w, "%sbobbin_n=0\nbobbin_k=0", h.empty));
	bob_weave_put(w, h.after, BOB_RANK_AFTER_LOOP, h.first, count);
	bob_weave_put(w, h.after, BOB_RANK_AFTER_LOOP, h.first, "end block");
}
