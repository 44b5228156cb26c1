/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses constants and operators. A point after digits belongs to the number, unless a word and
 * another point follow: `1.eq.i`. */
#include "source/fortran/parse.h"

#include <string.h>

#include "source/fortran/split.h"

static uint32_t digits(const struct bob_fortran_parser *r, uint32_t p)
{
	while (bob_is_digit(bob_fortran_char_at(r, p)))
		p++;
	return p;
}

/* `.word.` at p: its length with both points, else 0. */
static uint32_t dotted(const struct bob_fortran_parser *r, uint32_t p)
{
	uint32_t i = p + 1;

	if (bob_fortran_char_at(r, p) != '.')
		return 0;
	while (bob_is_letter(bob_fortran_char_at(r, i)))
		i++;
	return i > p + 1 && bob_fortran_char_at(r, i) == '.' ? i + 1 - p : 0;
}

/* The end of the character constant that begins at p; doubled quotes are part of it. */
static uint32_t text_end(const struct bob_fortran_parser *r, uint32_t p)
{
	char quote = bob_fortran_char_at(r, p);

	for (p++; p < r->end; p++) {
		if (r->text[p] != quote)
			continue;
		if (bob_fortran_char_at(r, p + 1) != quote)
			return p + 1;
		p++;
	}
	return r->end;
}

static uint32_t kind_end(const struct bob_fortran_parser *r, uint32_t p)
{
	if (bob_fortran_char_at(r, p) != '_')
		return p;
	p++;
	while (bob_fortran_is_word(bob_fortran_char_at(r, p)))
		p++;
	return p;
}

/* The end of an exponent (e+5, d0, q-3) at p, or p. */
static uint32_t exponent_end(const struct bob_fortran_parser *r, uint32_t p)
{
	uint32_t i = p + 1;
	char c = bob_fortran_char_at(r, p);

	if (c != 'e' && c != 'd' && c != 'q')
		return p;
	if (bob_fortran_char_at(r, i) == '+' || bob_fortran_char_at(r, i) == '-')
		i++;
	return bob_is_digit(bob_fortran_char_at(r, i)) ? digits(r, i) : p;
}

static struct bob_fortran_expr *literal(struct bob_fortran_parser *r, enum bob_fortran_node node,
					uint32_t to)
{
	struct bob_fortran_expr *e = bob_fortran_node(r, node, r->p);

	r->p = to;
	if (e)
		e->to = to;
	return e;
}

static struct bob_fortran_expr *number(struct bob_fortran_parser *r)
{
	uint32_t p = digits(r, r->p), n = 0, next;
	bool is_real = false;

	if (p > r->p && bob_fortran_char_at(r, p) == 'h') {
		for (uint32_t i = r->p; i < p && n < r->end; i++)
			n = n * 10 + (uint32_t)(r->text[i] - '0');
		return literal(r, BOB_N_STRING, n < r->end - p - 1 ? p + 1 + n : r->end);
	}
	if (p > r->p && bob_fortran_char_at(r, p) == '_' &&
	    bob_fortran_is_quote(bob_fortran_char_at(r, p + 1)))
		return literal(r, BOB_N_STRING, text_end(r, p + 1));
	if (bob_fortran_char_at(r, p) == '.' && !dotted(r, p)) {
		is_real = true;
		p = digits(r, p + 1);
	}
	next = exponent_end(r, p);
	is_real = is_real || next > p;
	return literal(r, is_real ? BOB_N_REAL : BOB_N_INTEGER, kind_end(r, next));
}

struct bob_fortran_expr *bob_fortran_parse_digits(struct bob_fortran_parser *r)
{
	(void)bob_fortran_peek(r);
	return literal(r, BOB_N_INTEGER, digits(r, r->p));
}

struct bob_fortran_expr *bob_fortran_parse_literal(struct bob_fortran_parser *r)
{
	char c = bob_fortran_peek(r), next = bob_fortran_char_at(r, r->p + 1);
	uint32_t p, n;

	if (bob_is_digit(c) || (c == '.' && bob_is_digit(next)))
		return number(r);
	if (c && strchr("bozx", c) && bob_fortran_is_quote(next))
		return literal(r, BOB_N_BOZ, text_end(r, r->p + 1));
	if (bob_fortran_is_quote(c)) {
		p = text_end(r, r->p);
		if (p < r->end && strchr("bozx", r->text[p]) &&
		    !bob_fortran_is_word(bob_fortran_char_at(r, p + 1)))
			return literal(r, BOB_N_BOZ, p + 1);
		return literal(r, BOB_N_STRING, p);
	}
	n = dotted(r, r->p);
	if ((n == 6 && !memcmp(r->text + r->p, ".true.", 6)) ||
	    (n == 7 && !memcmp(r->text + r->p, ".false.", 7)))
		return literal(r, BOB_N_LOGICAL, kind_end(r, r->p + n));
	/* a character constant with its kind: c_char_'x' */
	p = r->p;
	if (bob_is_letter(c)) {
		while (bob_fortran_is_word(bob_fortran_char_at(r, p)))
			p++;
		if (r->text[p - 1] == '_' && bob_fortran_is_quote(bob_fortran_char_at(r, p)))
			return literal(r, BOB_N_STRING, text_end(r, p));
	}
	return NULL;
}

enum bob_fortran_op bob_fortran_parse_op(const struct bob_fortran_parser *r, uint32_t *len)
{
	static const struct {
		const char *text;
		enum bob_fortran_op op;
	} ops[] = {
		{ "**", BOB_OP_POWER },	 { "//", BOB_OP_CONCAT },   { "/=", BOB_OP_NE },
		{ "==", BOB_OP_EQ },	 { "<=", BOB_OP_LE },	    { ">=", BOB_OP_GE },
		{ "*", BOB_OP_TIMES },	 { "/", BOB_OP_DIVIDE },    { "+", BOB_OP_PLUS },
		{ "-", BOB_OP_MINUS },	 { "<", BOB_OP_LT },	    { ">", BOB_OP_GT },
		{ ".eq.", BOB_OP_EQ },	 { ".ne.", BOB_OP_NE },	    { ".lt.", BOB_OP_LT },
		{ ".le.", BOB_OP_LE },	 { ".gt.", BOB_OP_GT },	    { ".ge.", BOB_OP_GE },
		{ ".not.", BOB_OP_NOT }, { ".and.", BOB_OP_AND },   { ".or.", BOB_OP_OR },
		{ ".eqv.", BOB_OP_EQV }, { ".neqv.", BOB_OP_NEQV }, { ".xor.", BOB_OP_NEQV },
	};
	uint32_t n = dotted(r, r->p);

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		size_t k = strlen(ops[i].text);

		if (r->end - r->p < k || memcmp(r->text + r->p, ops[i].text, k) != 0)
			continue;
		/* `/)` ends a constructor */
		if (ops[i].op == BOB_OP_DIVIDE && bob_fortran_char_at(r, r->p + 1) == ')')
			return BOB_OP_NONE;
		*len = (uint32_t)k;
		return ops[i].op;
	}
	*len = n;
	return n ? BOB_OP_DEFINED : BOB_OP_NONE;
}
