/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses types, shapes and IMPLICIT rules of declarations. */
#include "source/fortran/scope.h"

#include <string.h>

#include "source/fortran/split.h"

char *bob_fortran_text_of(struct bob_fortran_scope *s, uint32_t from, uint32_t to)
{
	char *text = bob_arena_text(s->arena, s->statement->text + from, to - from);

	s->failed = s->failed || !text;
	return text;
}

static bool take_word(struct bob_fortran_parser *r, const char *word)
{
	uint32_t p = r->p;

	(void)bob_fortran_peek(r);
	p = r->p;
	for (; *word; word++) {
		if (*word == ' ') {
			while (bob_fortran_char_at(r, p) == ' ')
				p++;
			continue;
		}
		if (bob_fortran_char_at(r, p) != *word)
			return false;
		p++;
	}
	r->p = p;
	return true;
}

static bool fold_expr(struct bob_fortran_scope *s, const struct bob_fortran_expr *e, int64_t *value)
{
	return e && bob_fortran_fold(s->unit_table, s->statement, e, value) == BOB_OK;
}

/* A kind: `*8`, `(8)`, `(kind=8)`. */
static void read_kind(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
		      struct bob_fortran_typing *t)
{
	struct bob_fortran_expr *list, *e;
	int64_t value;

	if (bob_fortran_accept(r, "*")) {
		e = bob_fortran_parse_digits(r);
		if (fold_expr(s, e, &value) && value > 0 && value <= 64)
			t->kind = (int32_t)(t->type == BOB_T_COMPLEX ? value / 2 : value);
	} else if (bob_fortran_peek(r) == '(') {
		list = bob_fortran_parse_arguments(r);
		e = list ? list->child : NULL;
		if (e && e->node == BOB_N_KEYWORD)
			e = e->child;
		t->kind = fold_expr(s, e, &value) && value > 0 && value <= 64 ? (int32_t)value : 0;
	}
}

static int64_t length_of(struct bob_fortran_scope *s, const struct bob_fortran_expr *e)
{
	int64_t value;

	if (e && e->node == BOB_N_STAR)
		return -2;
	if (e && e->node == BOB_N_RANGE)
		return -3;
	return fold_expr(s, e, &value) ? value < 0 ? 0 : value : -1;
}

/* A length after CHARACTER or an entity: `*8`, `*(n)`. */
static bool read_star_length(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
			     int64_t *len)
{
	struct bob_fortran_expr *e;

	if (!bob_fortran_accept(r, "*"))
		return false;
	if (bob_fortran_peek(r) == '(') {
		e = bob_fortran_parse_arguments(r);
		*len = length_of(s, e ? e->child : NULL);
	} else {
		*len = length_of(s, bob_fortran_parse_digits(r));
	}
	return true;
}

static void read_character(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
			   struct bob_fortran_typing *t)
{
	struct bob_fortran_expr *list, *e;
	int n = 0;

	t->kind = 1;
	t->char_len = 1;
	if (read_star_length(s, r, &t->char_len)) {
		if (!strstr(r->text + r->p, "::")) /* `character*4, a` has no attributes */
			(void)bob_fortran_accept(r, ",");
		return;
	}
	if (bob_fortran_peek(r) != '(')
		return;
	list = bob_fortran_parse_arguments(r);
	for (e = list ? list->child : NULL; e; e = e->next, n++) {
		bool is_kind = n == 1;
		const struct bob_fortran_expr *v = e;
		int64_t value;

		if (e->node == BOB_N_KEYWORD) {
			is_kind = r->text[e->from] == 'k';
			v = e->child;
			if (!v && !is_kind)
				t->char_len = -2; /* len=* */
		}
		if (v && is_kind)
			t->kind = fold_expr(s, v, &value) ? (int32_t)value : 0;
		else if (v)
			t->char_len = length_of(s, v);
	}
}

static bool read_derived(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
			 struct bob_fortran_typing *t)
{
	uint32_t n;
	struct bob_fortran_parser inner;

	if (!bob_fortran_accept(r, "("))
		return false;
	inner = *r;
	r->p--;
	bob_fortran_skip_group(r);
	if (bob_fortran_accept(&inner, "*")) {
		t->type = t->type == BOB_T_CLASS ? BOB_T_CLASS : BOB_T_ANY;
		return true;
	}
	if (t->type == BOB_T_DERIVED) {
		struct bob_fortran_parser intrinsic =
			inner; /* type(integer(4)); BYTE is not possible there */

		if (strncmp(inner.text + inner.p, "type", 4) != 0 &&
		    strncmp(inner.text + inner.p, "class", 5) != 0 &&
		    strncmp(inner.text + inner.p, "byte", 4) != 0 &&
		    bob_fortran_read_type(s, &intrinsic, t) && bob_fortran_peek(&intrinsic) == ')')
			return true;
		t->type = BOB_T_DERIVED;
	}
	(void)bob_fortran_peek(&inner);
	n = bob_fortran_name_len(&inner);
	t->kind = 0;
	t->type_name = bob_fortran_text_of(s, inner.p, inner.p + n);
	return true;
}

bool bob_fortran_read_type(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
			   struct bob_fortran_typing *t)
{
	static const struct {
		const char *word;
		enum bob_fortran_type type;
		int32_t kind;
	} types[] = {
		{ "integer", BOB_T_INTEGER, -1 },      { "real", BOB_T_REAL, -2 },
		{ "double precision", BOB_T_REAL, 8 }, { "double complex", BOB_T_COMPLEX, 8 },
		{ "complex", BOB_T_COMPLEX, -2 },      { "logical", BOB_T_LOGICAL, -1 },
		{ "character", BOB_T_CHARACTER, 1 },   { "byte", BOB_T_INTEGER, 1 },
		{ "type", BOB_T_DERIVED, 0 },	       { "class", BOB_T_CLASS, 0 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!take_word(r, types[i].word))
			continue;
		*t = (struct bob_fortran_typing){ types[i].type, types[i].kind, 1, NULL };
		if (t->kind == -1)
			t->kind = s->integer_kind;
		if (t->kind == -2)
			t->kind = s->real_kind;
		if (t->type == BOB_T_CHARACTER)
			read_character(s, r, t);
		else if (t->type == BOB_T_DERIVED || t->type == BOB_T_CLASS)
			return read_derived(s, r, t);
		else if (types[i].kind < 0)
			read_kind(s, r, t);
		return true;
	}
	return false;
}

void bob_fortran_give_type(struct bob_fortran_symbol *y, const struct bob_fortran_typing *t)
{
	y->type = t->type;
	y->kind = t->kind;
	y->char_len = t->char_len;
	y->type_name = t->type_name;
	y->flags |= BOB_SYMBOL_TYPED;
}

static void set_limit(struct bob_fortran_scope *s, struct bob_fortran_limit *l,
		      const struct bob_fortran_expr *e)
{
	l->text = "";
	if (!e || e->node == BOB_N_NOTHING || e->node == BOB_N_STAR) {
		l->bound = BOB_BOUND_NONE;
		return;
	}
	l->text = bob_fortran_text_of(s, e->from, e->to);
	l->bound = fold_expr(s, e, &l->value) ? BOB_BOUND_NUMBER : BOB_BOUND_EXPRESSION;
}

static const struct bob_fortran_limit one = { BOB_BOUND_NUMBER, 1, "1" };

void bob_fortran_read_shape(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
			    struct bob_fortran_symbol *y)
{
	struct bob_fortran_parser from = *r;
	struct bob_fortran_expr *list = bob_fortran_parse_arguments(r), *e;

	y->rank = 0;
	y->shape = BOB_SHAPE_EXPLICIT;
	from.p++;
	if (bob_fortran_accept(&from, "..")) {
		y->shape = BOB_SHAPE_ASSUMED_RANK;
		return;
	}
	for (e = list ? list->child : NULL; e && y->rank < BOB_FORTRAN_RANK_MAX; e = e->next) {
		struct bob_fortran_limit *lower = &y->lower[y->rank], *upper = &y->upper[y->rank];

		y->rank++;
		*lower = one;
		if (e->node == BOB_N_RANGE) {
			if (e->child && e->child->node != BOB_N_NOTHING)
				set_limit(s, lower, e->child);
			set_limit(s, upper, e->child ? e->child->next : NULL);
			if (e->child && e->child->next && e->child->next->node == BOB_N_STAR)
				y->shape = BOB_SHAPE_ASSUMED_SIZE;
			else if (upper->bound == BOB_BOUND_NONE)
				y->shape = BOB_SHAPE_ASSUMED;
		} else {
			set_limit(s, upper, e);
			if (e->node == BOB_N_STAR)
				y->shape = BOB_SHAPE_ASSUMED_SIZE;
		}
	}
}

/* real*8 (a-h,o-z), integer (i) */
void bob_fortran_implicit(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	struct bob_fortran_symbols *t = s->table;

	bob_fortran_skip_word(r, "implicit");
	if (take_word(r, "none")) { /* except `none (external)`, which does not concern types */
		if (!strstr(r->text, "(external"))
			memset(t->implicit_type, BOB_T_NONE, sizeof(t->implicit_type));
		return;
	}
	do {
		struct bob_fortran_typing y = { BOB_T_NONE, 0, 1, NULL };
		struct bob_fortran_parser whole = *r, letters;

		/* `real (a-h)`: the parentheses are its kind only if others follow */
		for (;;) {
			while (whole.p < whole.end && whole.text[whole.p] != '(')
				whole.p++;
			letters = whole;
			bob_fortran_skip_group(&whole);
			if (bob_fortran_peek(&whole) != '(')
				break;
		}
		whole.p = r->p;
		whole.end = letters.p;
		if (letters.p >= letters.end || !bob_fortran_read_type(s, &whole, &y))
			return;
		r->p = letters.p + 1;
		while (bob_is_letter(bob_fortran_peek(r))) {
			char first = r->text[r->p++], last = first;

			if (bob_fortran_accept(r, "-") && bob_is_letter(bob_fortran_peek(r)))
				last = r->text[r->p++];
			for (char c = first; c >= 'a' && c <= last && c <= 'z'; c++) {
				t->implicit_type[c - 'a'] = (uint8_t)y.type;
				t->implicit_kind[c - 'a'] = y.kind;
				t->implicit_len[c - 'a'] = y.char_len;
			}
			(void)bob_fortran_accept(r, ",");
		}
		(void)bob_fortran_accept(r, ")");
	} while (bob_fortran_accept(r, ","));
}

void bob_fortran_default_type(struct bob_fortran_scope *s, struct bob_fortran_symbol *y)
{
	int c = y->name[0] - 'a';

	if ((y->flags & (BOB_SYMBOL_TYPED | BOB_SYMBOL_USED | BOB_SYMBOL_ASSOCIATE)) || c < 0 ||
	    c > 25 || s->unit_table->implicit_type[c] == BOB_T_NONE)
		return;
	y->type = (enum bob_fortran_type)s->unit_table->implicit_type[c];
	y->kind = s->unit_table->implicit_kind[c];
	y->char_len = s->unit_table->implicit_len[c];
}
