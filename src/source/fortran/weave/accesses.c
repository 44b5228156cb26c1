/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates the probes of a statement's reads and writes. Each is a CALL whose argument is the
 * reference itself, so the compiler computes the address.
 *
 * The body of a one-line IF is reported under its condition. If the IF cannot become one of several
 * lines, the condition is evaluated once more, unless its result might differ the second time. ELSE
 * IF and DO WHILE have their probes directly before the condition (condition_lines.c). */
#include <stdio.h>
#include <string.h>

#include "bobbin/probe.h"
#include "source/fortran/weave/frames.h"
#include "source/fortran/weave/lines.h"
#include "source/fortran/weave/memory.h"

struct statement {
	struct bob_weave *w;
	uint32_t number;
	const struct bob_fortran_statement *s;
	struct bob_fortran_uses uses;
	/* bit set of implied DO variables that were reported, by number of the use */
	uint64_t reported;
};

/* Lines being inserted, and the open frames around them. */
struct lines {
	struct statement *x;
	uint32_t at;
	enum bob_weave_rank rank;
	struct bob_weave_frames open;
	const char *variable[BOB_WEAVE_FRAMES_MAX]; /* the probe of each frame's variable; "" */
};

/* The closing counterpart of the bracket at `from`. 0: there is none. */
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

/* The condition of an IF, ELSE IF, DO WHILE, with its parentheses. "": none. */
static const char *condition(struct bob_weave *w, const struct bob_fortran_statement *s)
{
	const char *open = memchr(s->text + s->from, '(', s->len - s->from);
	uint32_t from = open ? (uint32_t)(open - s->text) : 0, to = open ? closing(s, from) : 0;

	return to ? bob_weave_text(w, "%.*s", (int)(to + 1 - from), s->text + from) : "";
}

/* Does it call a non-intrinsic procedure? */
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

/* --- lines --- */

static void put(const struct statement *x, uint32_t at, enum bob_weave_rank rank, const char *text)
{
	bob_weave_put(x->w, at, rank, x->number, text);
}

static void put_line(const struct lines *l, const char *text)
{
	if (*text)
		put(l->x, l->at, l->rank, text);
}

/* The probe of an implied DO's variable, once. */
static const char *variable_of(struct statement *x, const struct bob_fortran_expr *ref)
{
	struct bob_weave_frames unused;

	for (uint32_t i = 0; i < x->uses.count && i < 64; i++) {
		const struct bob_fortran_use *u = &x->uses.at[i];

		if (u->role != BOB_ROLE_LOOP || u->from != ref->from || x->reported >> i & 1)
			continue;
		x->reported |= UINT64_C(1) << i;
		return bob_weave_probe(x->w, x->number, u, BOB_PROBE_WRITE, &unused);
	}
	return "";
}

static void close_to(struct lines *l, uint32_t count)
{
	while (l->open.count > count) {
		const uint32_t i = --l->open.count;

		put_line(l, l->open.at[i].close);
		put_line(l, l->variable[i]);
		if (l->open.at[i].block)
			put_line(l, "end block");
	}
}

/* Closes and opens frames until these are open. */
static void open_frames(struct lines *l, const struct bob_weave_frames *f)
{
	uint32_t same = 0;

	while (same < f->count && same < l->open.count && f->at[same].key == l->open.at[same].key)
		same++;
	close_to(l, same);
	for (uint32_t i = same; i < f->count; i++) {
		const struct bob_weave_frame *one = &f->at[i];

		if (one->block) {
			put_line(l, "block");
			put_line(l, one->block);
		}
		put_line(l, one->open);
		l->variable[i] = one->variable ? variable_of(l->x, one->variable) : "";
		put_line(l, l->variable[i]);
		l->open.at[i] = *one;
		l->open.count = i + 1;
	}
}

/* --- statements --- */

static int kind_of(const struct bob_fortran_use *u)
{
	return u->role == BOB_ROLE_READ	 ? BOB_PROBE_READ :
	       u->role == BOB_ROLE_WRITE ? BOB_PROBE_WRITE :
					   -1;
}

/* Does it read from a file or internal unit? Then subscripts may depend on earlier items. */
static bool reads_input(const struct bob_fortran_statement *s)
{
	const enum bob_fortran_kind k = s->body ? s->body_kind : s->kind;

	return k == BOB_F_READ || k == BOB_F_ACCEPT || k == BOB_F_DECODE;
}

static bool is_late(const struct statement *x, const struct bob_fortran_use *u)
{
	if (bob_weave_moves(x->w, x->number, u))
		return true;
	return reads_input(x->s) && (u->role == BOB_ROLE_WRITE || u->role == BOB_ROLE_LOOP ||
				     u->flags & BOB_USE_IMPLIED_DO);
}

/* Is the use of this group? `late`: those reported after the statement. */
static bool is_of(const struct statement *x, const struct bob_fortran_use *u, bool in_body,
		  bool late)
{
	const bool is_implied = u->role == BOB_ROLE_LOOP && x->s->kind != BOB_F_DO;

	return (kind_of(u) >= 0 || is_implied) && !(u->flags & BOB_USE_BODY) == !in_body &&
	       is_late(x, u) == late;
}

/* Inserts one use within its frames. The variable of an implied DO is reported by its frame. */
static void report(struct lines *l, uint32_t use, const struct bob_weave_frames *f,
		   const char *text)
{
	open_frames(l, f);
	if (l->x->uses.at[use].role != BOB_ROLE_LOOP)
		put_line(l, text);
}

/* Is it reported elsewhere, with its loop? */
static bool is_reported(const struct statement *x, uint32_t use)
{
	return x->uses.at[use].role == BOB_ROLE_LOOP && (use >= 64 || x->reported >> use & 1);
}

/* The probe of the current use. For an implied DO's variable, which its frame reports: some text
 * that is not empty. */
static const char *text_of(struct statement *x, uint32_t use, struct bob_weave_frames *f)
{
	const struct bob_fortran_use *u = &x->uses.at[use];

	if (u->role != BOB_ROLE_LOOP)
		return bob_weave_probe(x->w, x->number, u, kind_of(u), f);
	if (bob_weave_touches(x->w, x->number, u) <= BOB_TOUCH_DROPPED ||
	    bob_weave_frames(x->w, x->number, u, f))
		return "";
	return "continue";
}

/* Inserts probes before the statement, between `begin` and `end` ("if (...) then", "end if").
 * Returns their number. */
static uint32_t put_before(struct statement *x, bool in_body, const char *begin, const char *end)
{
	const bool is_if = in_body && x->s->kind == BOB_F_IF && !*begin;
	struct lines l = { .x = x, .rank = is_if ? BOB_RANK_BODY_BEFORE : BOB_RANK_BEFORE };
	struct bob_weave_frames f;
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->uses.count; i++) {
		const char *text;

		if (!is_of(x, &x->uses.at[i], in_body, false) || is_reported(x, i))
			continue;
		text = text_of(x, i, &f);
		if (!*text)
			continue;
		if (!n &&
		    !(is_if ? bob_weave_expand(x->w, x->number, &l.at) :
			      bob_weave_before(x->w, bob_weave_outermost(x->w, x->number), &l.at)))
			continue;
		if (!n++)
			put_line(&l, begin);
		/* a FORALL reads for all indices before it writes */
		if (x->uses.at[i].role == BOB_ROLE_WRITE && x->uses.at[i].flags & BOB_USE_MASKED)
			close_to(&l, 0);
		report(&l, i, &f, text);
	}
	close_to(&l, 0);
	if (n)
		put_line(&l, end);
	return n;
}

/* The condition of success for writes of an I/O statement: "if (ios==0) then"; "" without
 * one. */
static const char *success(const struct statement *x)
{
	for (uint32_t i = 0; i < x->uses.count; i++) {
		const struct bob_fortran_use *u = &x->uses.at[i];

		if (u->role == BOB_ROLE_WRITE && u->keyword_len == 6 &&
		    !memcmp(x->s->text + u->keyword, "iostat", 6))
			return bob_weave_text(x->w, "if (%.*s==0) then", (int)(u->to - u->from),
					      x->s->text + u->from);
	}
	return "";
}

static bool is_list(const struct bob_fortran_use *u)
{
	return u->flags & (BOB_USE_LIST | BOB_USE_IMPLIED_DO) || u->role == BOB_ROLE_LOOP;
}

/* The uses in text order: items one after the other, subscripts before their arrays. */
static uint32_t *in_order(const struct statement *x)
{
	uint32_t *order = bob_arena_alloc(x->w->arena, (x->uses.count + 1) * sizeof(*order));

	x->w->is_failed |= !order;
	for (uint32_t i = 0, k; order && i < x->uses.count; i++) {
		for (k = i; k && x->uses.at[order[k - 1]].to > x->uses.at[i].to; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return order;
}

/* Inserts late uses: those of the data list, or the others. */
static void put_late(struct lines *l, bool of_list, const char *begin, const char *end)
{
	const uint32_t *order = in_order(l->x);
	struct bob_weave_frames f;
	uint32_t n = 0;

	for (uint32_t k = 0; order && k < l->x->uses.count; k++) {
		const uint32_t i = order[k];
		const struct bob_fortran_use *u = &l->x->uses.at[i];
		const char *text;

		if (!is_of(l->x, u, u->flags & BOB_USE_BODY, true) || is_list(u) != of_list ||
		    is_reported(l->x, i))
			continue;
		text = text_of(l->x, i, &f);
		if (!*text)
			continue;
		if (!n++)
			put_line(l, begin);
		report(l, i, &f, text);
	}
	close_to(l, 0);
	if (n)
		put_line(l, end);
}

static void put_after(struct statement *x)
{
	const char *begin = success(x);
	struct lines l = { .x = x, .rank = BOB_RANK_AFTER };
	struct bob_fortran_place p;
	bool some = false;

	for (uint32_t i = 0; i < x->uses.count && !some; i++)
		some = is_of(x, &x->uses.at[i], x->uses.at[i].flags & BOB_USE_BODY, true) &&
		       bob_weave_touches(x->w, x->number, &x->uses.at[i]) != BOB_TOUCH_NOT;
	if (!some || bob_fortran_place(x->w->file, x->number, &p) != BOB_OK)
		return;
	if (p.after == BOB_FORTRAN_NO || x->s->ends_loops ||
	    (x->s->body && x->s->kind == BOB_F_IF &&
	     !bob_weave_expand(x->w, x->number, &p.after))) {
		bob_weave_refuse(x->w, "no line can follow this statement", x->s->line);
		return;
	}
	l.at = p.after;
	l.rank = reads_input(x->s) ? BOB_RANK_AFTER : BOB_RANK_MOVED;
	put_late(&l, true, begin, *begin ? "end if" : "");
	put_late(&l, false, "", "");
}

/* Reports the body of a one-line IF under its condition, which is evaluated once more if the IF
 * cannot become one of several lines. */
static void put_body(struct statement *x)
{
	bool some = false;
	uint32_t at;

	for (uint32_t i = 0; i < x->uses.count && !some; i++)
		some = is_of(x, &x->uses.at[i], true, false) &&
		       bob_weave_touches(x->w, x->number, &x->uses.at[i]) > BOB_TOUCH_DROPPED;
	if (!some)
		return;
	if (x->s->kind != BOB_F_IF || bob_weave_expand(x->w, x->number, &at))
		put_before(x, true, "", "");
	else if (has_calls(x, false))
		bob_weave_refuse(x->w, "under an IF whose condition calls a function", x->s->line);
	else
		put_before(x, true, bob_weave_text(x->w, "if %s then", condition(x->w, x->s)),
			   "end if");
}

/* Reports the variable of a DO. */
static void put_loop(struct statement *x)
{
	struct bob_weave_frames unused;
	struct bob_fortran_place p;

	for (uint32_t i = 0; i < x->uses.count; i++) {
		const struct bob_fortran_use *u = &x->uses.at[i];
		const char *text;

		if (u->role != BOB_ROLE_LOOP || x->s->kind != BOB_F_DO ||
		    bob_fortran_place(x->w->file, x->number, &p) != BOB_OK ||
		    bob_weave_touches(x->w, x->number, u) == BOB_TOUCH_NOT)
			continue;
		if (p.inside == BOB_FORTRAN_NO || p.after_loop == BOB_FORTRAN_NO) {
			bob_weave_refuse(x->w, "no line can be inserted in this loop", x->s->line);
			continue;
		}
		text = bob_weave_probe(x->w, x->number, u, BOB_PROBE_WRITE, &unused);
		if (!*text)
			continue;
		if (x->w->reported[x->number] != BOB_REPORTED_HEAD)
			put(x, p.inside, BOB_RANK_INSIDE, text);
		put(x, p.after_loop, BOB_RANK_AFTER_LOOP, text);
	}
}

/* ELSE IF and DO WHILE: inserts the probes directly before the condition. */
static void put_condition(struct statement *x)
{
	struct lines l = { .x = x, .rank = BOB_RANK_CONDITION };
	struct bob_weave_frames f;
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->uses.count; i++) {
		const struct bob_fortran_use *u = &x->uses.at[i];
		const char *text;

		if (kind_of(u) < 0 || bob_weave_touches(x->w, x->number, u) <= BOB_TOUCH_DROPPED)
			continue;
		if (!n++ && !bob_weave_turn(x->w, x->number, &l.at))
			return;
		text = text_of(x, i, &f);
		if (*text)
			report(&l, i, &f, text);
	}
	close_to(&l, 0);
}

static bool calls_wanted(const struct statement *x, const struct bob_fortran_symbol *y,
			 uint32_t depth);

/* May a statement function, or one that it calls, read a requested variable? */
static bool reads_wanted(const struct statement *x, const struct bob_fortran_symbols *names,
			 const struct bob_fortran_statement *s, const struct bob_fortran_expr *e,
			 uint32_t depth)
{
	const struct bob_fortran_expr none = { .from = 0 };

	for (; e && depth; e = e->next) {
		const struct bob_fortran_expr *part = e->node == BOB_N_REFERENCE ? e->child : NULL;
		const struct bob_fortran_symbol *y =
			part && part->node == BOB_N_PART ?
				bob_fortran_lookup(names, s->text + part->from, part->name_len) :
				NULL;
		const struct bob_fortran_use u = { .ref = &none, .symbol = y };

		if ((y && y->class == BOB_NAME_VARIABLE &&
		     bob_weave_touches(x->w, x->number, &u) != BOB_TOUCH_NOT) ||
		    (y && y->class == BOB_NAME_STATEMENT_FUNCTION &&
		     calls_wanted(x, y, depth - 1)) ||
		    reads_wanted(x, names, s, e->child, depth))
			return true;
	}
	return false;
}

static bool calls_wanted(const struct statement *x, const struct bob_fortran_symbol *y,
			 uint32_t depth)
{
	const uint32_t i = bob_fortran_statement_function(x->w->file, y);
	const struct bob_fortran_item *item = NULL;

	if (i == BOB_FORTRAN_NO || !depth ||
	    bob_fortran_items(x->w->arena, &x->w->file->statements[i], &item, NULL) != BOB_OK)
		return true;
	for (; item; item = item->next)
		if (item->role == BOB_ROLE_READ &&
		    reads_wanted(x, x->w->file->statements[i].names, &x->w->file->statements[i],
				 item->expr, depth))
			return true;
	return false;
}

/* Reads by statement functions have no place for a probe: they are not procedures. */
static void refuse_statement_functions(const struct statement *x)
{
	for (uint32_t i = 0; i < x->uses.count; i++) {
		const struct bob_fortran_use *u = &x->uses.at[i];

		if (u->role == BOB_ROLE_CALL && u->symbol->class == BOB_NAME_STATEMENT_FUNCTION &&
		    calls_wanted(x, u->symbol, 16))
			bob_weave_refuse(x->w, "what a statement function reads", x->s->line);
	}
}

bob_status bob_weave_accesses(struct bob_weave *w, uint32_t statement)
{
	struct statement x = { .w = w, .number = statement, .s = &w->file->statements[statement] };
	bob_status st;

	if (!x.s->is_executable || x.s->unit == BOB_FORTRAN_NO ||
	    w->reported[statement] == BOB_REPORTED_IN_NEST)
		return BOB_OK;
	st = bob_fortran_uses(w->arena, w->file, statement, &x.uses);
	if (st == BOB_OK)
		refuse_statement_functions(&x);
	if (st == BOB_OK && w->is_exact)
		st = bob_weave_exact(w, statement, &x.uses);
	if (st != BOB_OK)
		return st;
	if (x.s->kind == BOB_F_ELSE_IF || x.s->kind == BOB_F_DO_WHILE) {
		put_condition(&x);
	} else {
		put_before(&x, false, "", "");
		put_body(&x);
		put_after(&x);
		put_loop(&x);
	}
	return w->is_failed ? BOB_ERR_NOMEM : BOB_OK;
}
