/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive-descent parser of expressions; operators.c parses binary operators. Names are not
 * looked up. Text that is no expression becomes a BAD node up to the next comma or closing bracket,
 * and parsing continues after it. */
#include "source/fortran/parse.h"

#include <string.h>

#include "source/fortran/split.h"

bool bob_fortran_accept(struct bob_fortran_parser *r, const char *sign)
{
	size_t n = strlen(sign);

	(void)bob_fortran_peek(r);
	if (r->end - r->p < n || memcmp(r->text + r->p, sign, n) != 0)
		return false;
	r->p += (uint32_t)n;
	return true;
}

void bob_fortran_skip_word(struct bob_fortran_parser *r, const char *word)
{
	for (; *word; word++)
		if (*word != ' ' && bob_fortran_peek(r) == *word)
			r->p++;
}

uint32_t bob_fortran_group_end(const struct bob_fortran_parser *r)
{
	uint32_t depth = 0;
	char quote = 0;

	for (uint32_t p = r->p; p < r->end; p++) {
		char c = r->text[p];

		if (quote)
			quote = c == quote ? 0 : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (c == '(' || c == '[')
			depth++;
		else if ((c == ')' || c == ']') && depth && !--depth)
			return p;
	}
	return r->end;
}

void bob_fortran_skip_group(struct bob_fortran_parser *r)
{
	r->p = bob_fortran_group_end(r);
	r->p += r->p < r->end;
}

uint32_t bob_fortran_name_len(const struct bob_fortran_parser *r)
{
	uint32_t p = r->p;

	if (!bob_fortran_is_word(bob_fortran_char_at(r, p)) || bob_is_digit(r->text[p]))
		return 0;
	while (bob_fortran_is_word(bob_fortran_char_at(r, p)))
		p++;
	return p - r->p;
}

struct bob_fortran_expr *bob_fortran_node(struct bob_fortran_parser *r, enum bob_fortran_node node,
					  uint32_t from)
{
	struct bob_fortran_expr *e = bob_arena_alloc(r->arena, sizeof(*e));

	if (!e) {
		r->failed = true;
		return NULL;
	}
	e->node = (uint8_t)node;
	e->height = 1;
	e->from = e->to = from;
	r->bad_count += node == BOB_N_BAD;
	return e;
}

void bob_fortran_adopt(struct bob_fortran_expr *parent, struct bob_fortran_expr *child)
{
	struct bob_fortran_expr **at;

	if (!parent || !child)
		return;
	for (at = &parent->child; *at; at = &(*at)->next)
		;
	*at = child;
	if (parent->height <= child->height)
		parent->height = (uint16_t)(child->height + 1);
	if (parent->to < child->to)
		parent->to = child->to;
}

/* The end of a list of children, so that appending takes constant time. */
struct list {
	struct bob_fortran_expr *parent, *last;
};

static void append(struct list *l, struct bob_fortran_expr *child)
{
	if (!l->parent || !child)
		return;
	if (l->last) {
		l->last->next = child;
		if (l->parent->height <= child->height)
			l->parent->height = (uint16_t)(child->height + 1);
	} else {
		bob_fortran_adopt(l->parent, child);
	}
	l->last = child;
}

struct bob_fortran_expr *bob_fortran_bad(struct bob_fortran_parser *r, uint32_t from)
{
	struct bob_fortran_expr *e = bob_fortran_node(r, BOB_N_BAD, from);

	while (bob_fortran_peek(r) && !strchr(",)]", r->text[r->p])) {
		if (r->text[r->p] == '(' || r->text[r->p] == '[')
			bob_fortran_skip_group(r);
		else
			r->p++;
	}
	if (e)
		e->to = r->p;
	return e;
}

/* = that is part of neither == nor =>. */
static bool at_equals(struct bob_fortran_parser *r)
{
	char next;

	if (bob_fortran_peek(r) != '=')
		return false;
	next = bob_fortran_char_at(r, r->p + 1);
	return next != '=' && next != '>';
}

/* Parses `name =` at p: returns the length of the name, p is after the sign; else 0, and p is
 * unchanged. */
static uint32_t accept_keyword(struct bob_fortran_parser *r)
{
	uint32_t from, n;

	(void)bob_fortran_peek(r);
	from = r->p;
	n = bob_fortran_name_len(r);
	r->p += n;
	if (n && at_equals(r)) {
		r->p++;
		return n;
	}
	r->p = from;
	return 0;
}

static struct bob_fortran_expr *label(struct bob_fortran_parser *r, uint32_t from)
{
	struct bob_fortran_expr *e = bob_fortran_node(r, BOB_N_LABEL, from);

	while (bob_is_digit(bob_fortran_char_at(r, r->p)))
		r->p++;
	if (e)
		e->to = r->p;
	return e;
}

/* An expression of a range, or none before : , ). */
static struct bob_fortran_expr *bound(struct bob_fortran_parser *r)
{
	char c = bob_fortran_peek(r);

	if (!c || strchr(":,)]", c))
		return bob_fortran_node(r, BOB_N_NOTHING, r->p);
	if (c == '*') {
		struct bob_fortran_expr *e = bob_fortran_node(r, BOB_N_STAR, r->p++);

		if (e)
			e->to = r->p;
		return e;
	}
	return bob_fortran_parse_expr(r);
}

static struct bob_fortran_expr *range_or_expr(struct bob_fortran_parser *r)
{
	uint32_t from = r->p;
	struct bob_fortran_expr *first = bound(r), *range;

	if (bob_fortran_peek(r) != ':')
		return first;
	range = bob_fortran_node(r, BOB_N_RANGE, from);
	bob_fortran_adopt(range, first);
	for (int i = 0; i < 2 && bob_fortran_accept(r, ":"); i++)
		bob_fortran_adopt(range, bound(r));
	if (range)
		range->to = r->p;
	return range;
}

static struct bob_fortran_expr *argument(struct bob_fortran_parser *r)
{
	char c = bob_fortran_peek(r);
	uint32_t from = r->p, n;
	struct bob_fortran_expr *e;

	if ((c == '*' || c == '&') && bob_is_digit(bob_fortran_char_at(r, r->p + 1))) {
		r->p++;
		return label(r, from);
	}
	n = accept_keyword(r);
	if (n) {
		e = bob_fortran_node(r, BOB_N_KEYWORD, from);
		if (e)
			e->name_len = n;
		(void)bob_fortran_peek(r);
		bob_fortran_adopt(e, c == '*' ? NULL : range_or_expr(r));
		return e;
	}
	return range_or_expr(r);
}

/* Items between brackets; p is at the opening one; closing: its counterpart. */
static struct bob_fortran_expr *bracketed(struct bob_fortran_parser *r, enum bob_fortran_node node,
					  char closing)
{
	struct bob_fortran_expr *e = bob_fortran_node(r, node, r->p);
	struct list l = { e, NULL };

	r->p++;
	if (++r->depth > BOB_FORTRAN_DEPTH_MAX) {
		append(&l, bob_fortran_bad(r, r->p));
	} else if (bob_fortran_peek(r) != closing) {
		do {
			append(&l, argument(r));
			/* text that is no argument */
			if (bob_fortran_peek(r) && !strchr(",)]", r->text[r->p]))
				append(&l, bob_fortran_bad(r, r->p));
		} while (!r->failed && bob_fortran_accept(r, ","));
	}
	r->depth--;
	if (bob_fortran_peek(r) == closing)
		r->p++;
	else
		append(&l, bob_fortran_bad(r, r->p));
	if (e)
		e->to = r->p;
	return e;
}

struct bob_fortran_expr *bob_fortran_parse_arguments(struct bob_fortran_parser *r)
{
	return bracketed(r, BOB_N_ARGUMENTS, ')');
}

struct bob_fortran_expr *bob_fortran_parse_reference(struct bob_fortran_parser *r)
{
	struct bob_fortran_expr *ref, *part;
	struct list parts;

	(void)bob_fortran_peek(r);
	ref = bob_fortran_node(r, BOB_N_REFERENCE, r->p);
	parts = (struct list){ ref, NULL };

	do {
		struct list l;
		char c;

		(void)bob_fortran_peek(r);
		part = bob_fortran_node(r, BOB_N_PART, r->p);
		if (!part)
			return ref;
		l = (struct list){ part, NULL };
		part->name_len = bob_fortran_name_len(r);
		if (!part->name_len) {
			append(&parts, bob_fortran_bad(r, r->p));
			break;
		}
		r->p += part->name_len;
		part->to = r->p;
		for (c = bob_fortran_peek(r);
		     (c == '(' && bob_fortran_char_at(r, r->p + 1) != '/') || c == '[';
		     c = bob_fortran_peek(r)) {
			append(&l, c == '(' ? bob_fortran_parse_arguments(r) :
					      bracketed(r, BOB_N_IMAGE, ']'));
			part->to = r->p;
			if (r->failed)
				return ref;
		}
		append(&parts, part);
	} while (bob_fortran_accept(r, "%"));
	if (ref)
		ref->to = parts.last ? parts.last->to : r->p;
	return ref;
}

/* The rest of `(a, b, i = 1, n)` from `i` on. */
static struct bob_fortran_expr *control(struct bob_fortran_parser *r)
{
	struct bob_fortran_expr *e = bob_fortran_node(r, BOB_N_CONTROL, r->p);

	bob_fortran_adopt(e, bob_fortran_parse_reference(r));
	if (!bob_fortran_accept(r, "="))
		bob_fortran_adopt(e, bob_fortran_bad(r, r->p));
	do
		bob_fortran_adopt(e, bob_fortran_parse_expr(r));
	while (!r->failed && e && e->height < BOB_FORTRAN_HEIGHT_MAX &&
	       bob_fortran_accept(r, ",") && bob_fortran_peek(r) != ')' && r->p < r->end);
	return e;
}

static bool at_control(struct bob_fortran_parser *r)
{
	uint32_t from = r->p;
	bool is = accept_keyword(r) != 0;

	r->p = from;
	return is;
}

/* ( ... ): an expression in parentheses, a complex constant, or an implied DO. */
static struct bob_fortran_expr *paren(struct bob_fortran_parser *r)
{
	struct bob_fortran_expr *e = bob_fortran_node(r, BOB_N_PAREN, r->p);
	struct list l = { e, NULL };
	uint32_t n = 0;

	if (!e)
		return NULL;
	r->p++;
	if (++r->depth > BOB_FORTRAN_DEPTH_MAX) {
		append(&l, bob_fortran_bad(r, r->p));
		bob_fortran_peek(r);
	} else {
		do {
			if (n && at_control(r)) {
				append(&l, control(r));
				e->node = BOB_N_IMPLIED_DO;
				break;
			}
			append(&l, bob_fortran_parse_item(r));
			n++;
		} while (!r->failed && bob_fortran_accept(r, ","));
		if (n == 2 && e->node == BOB_N_PAREN)
			e->node = BOB_N_COMPLEX;
		else if (n > 2 && e->node == BOB_N_PAREN)
			append(&l, bob_fortran_bad(r, r->p));
	}
	r->depth--;
	if (!bob_fortran_accept(r, ")"))
		append(&l, bob_fortran_bad(r, r->p));
	e->to = r->p;
	return e;
}

/* [ ... ] or (/ ... /), with or without a type before ::. */
static struct bob_fortran_expr *constructor(struct bob_fortran_parser *r, const char *closing)
{
	struct bob_fortran_expr *e = bob_fortran_node(r, BOB_N_CONSTRUCTOR, r->p), *type;
	struct list l = { e, NULL };
	struct bob_fortran_parser ahead = *r;
	uint32_t end = bob_fortran_group_end(r);

	if (!e)
		return NULL;
	r->p += *closing == ']' ? 1 : 2;
	for (ahead.p = r->p; ahead.p + 1 < end; ahead.p++) {
		if (ahead.text[ahead.p] == '(')
			bob_fortran_skip_group(&ahead);
		if (ahead.p + 1 >= end || strchr(",'\"=[", ahead.text[ahead.p]))
			break;
		if (ahead.text[ahead.p] == ':' && ahead.text[ahead.p + 1] == ':') {
			type = bob_fortran_node(r, BOB_N_TYPE_SPEC, r->p);
			r->p = ahead.p + 2;
			if (type)
				type->to = r->p;
			append(&l, type);
			break;
		}
	}
	if (++r->depth > BOB_FORTRAN_DEPTH_MAX)
		append(&l, bob_fortran_bad(r, r->p));
	else if (!bob_fortran_accept(r, closing)) {
		do
			append(&l, bob_fortran_parse_item(r));
		while (!r->failed && bob_fortran_accept(r, ","));
		if (!bob_fortran_accept(r, closing)) {
			append(&l, bob_fortran_bad(r, r->p));
			(void)bob_fortran_accept(r, *closing == ']' ? "]" : ")");
		}
	}
	r->depth--;
	e->to = r->p;
	return e;
}

struct bob_fortran_expr *bob_fortran_primary(struct bob_fortran_parser *r)
{
	char c = bob_fortran_peek(r);
	struct bob_fortran_expr *e = bob_fortran_parse_literal(r);

	if (e && e->node == BOB_N_STRING && bob_fortran_peek(r) == '(' &&
	    bob_fortran_char_at(r, r->p + 1) != '/')
		bob_fortran_adopt(e, bob_fortran_parse_arguments(r)); /* 'abc'(1:2) */
	if (e || r->failed)
		return e;
	if (c == '%') /* %val(x), %ref(x) */
		r->p++;
	if (c == '(')
		return bob_fortran_char_at(r, r->p + 1) == '/' &&
				       bob_fortran_char_at(r, r->p + 2) != '/' &&
				       bob_fortran_char_at(r, r->p + 2) != '=' ?
			       constructor(r, "/)") :
			       paren(r);
	if (c == '[')
		return constructor(r, "]");
	if (bob_fortran_name_len(r))
		return bob_fortran_parse_reference(r);
	return bob_fortran_bad(r, r->p);
}

struct bob_fortran_expr *bob_fortran_parse_item(struct bob_fortran_parser *r)
{
	char c = bob_fortran_peek(r);

	if (!c || strchr(",)]", c))
		return bob_fortran_bad(r, r->p);
	return bob_fortran_parse_expr(r);
}

const struct bob_fortran_expr *bob_fortran_expression(struct bob_arena *arena,
						      const struct bob_fortran_statement *s,
						      uint32_t from, uint32_t to, uint32_t *end)
{
	struct bob_fortran_parser r = { .arena = arena, .text = s->text, .p = from };
	const struct bob_fortran_expr *e;

	r.end = to < s->len ? to : s->len;
	if (r.p > r.end)
		r.p = r.end;
	e = bob_fortran_parse_expr(&r);
	*end = r.p;
	return r.failed ? NULL : e;
}

void bob_fortran_bytes(const struct bob_fortran_statement *s, uint32_t from, uint32_t to,
		       uint32_t *first, uint32_t *last)
{
	if (to > s->len)
		to = s->len;
	if (from > to)
		from = to;
	*first = s->at[from];
	*last = to > from ? s->at[to - 1] + 1 : s->at[from];
}
