/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the expression parser: its position in a statement's text. One thread. */
#ifndef BOB_SOURCE_FORTRAN_PARSE_H
#define BOB_SOURCE_FORTRAN_PARSE_H

#include "source/fortran/expr.h"

struct bob_fortran_parser {
	struct bob_arena *arena;
	const char *text;
	uint32_t p, end;	/* text[end] is never read */
	uint32_t depth;
	uint32_t bad_count;
	bool failed;		/* out of memory */
};

/* Skips blanks and returns the next character; 0 at the end. */
static inline char bob_fortran_peek(struct bob_fortran_parser *r)
{
	while (r->p < r->end && r->text[r->p] == ' ')
		r->p++;
	return r->p < r->end ? r->text[r->p] : 0;
}
static inline char bob_fortran_char_at(const struct bob_fortran_parser *r, uint32_t p)
{
	return p < r->end ? r->text[p] : 0;
}
/* Skips the sign if it is next. */
bool bob_fortran_accept(struct bob_fortran_parser *r, const char *sign);
/* Skips the letters and any blanks between them; the caller has checked that they are there. */
void bob_fortran_skip_word(struct bob_fortran_parser *r, const char *word);
/* Skips from an opening bracket to after its closing one, or to the end of the text. */
void bob_fortran_skip_group(struct bob_fortran_parser *r);
/* The position of the closing counterpart of the bracket at p; r->end if there is none. */
uint32_t bob_fortran_group_end(const struct bob_fortran_parser *r);
/* Length of a name at p. */
uint32_t bob_fortran_name_len(const struct bob_fortran_parser *r);

/* Never NULL, except without memory. */
struct bob_fortran_expr *bob_fortran_node(struct bob_fortran_parser *r, enum bob_fortran_node node,
					  uint32_t from);
void bob_fortran_adopt(struct bob_fortran_expr *parent, struct bob_fortran_expr *child);
/* A BAD node up to a comma, or to a bracket that closes an enclosing one. */
struct bob_fortran_expr *bob_fortran_bad(struct bob_fortran_parser *r, uint32_t from);
/* A constant, a reference, a constructor, or an expression in parentheses. */
struct bob_fortran_expr *bob_fortran_primary(struct bob_fortran_parser *r);
struct bob_fortran_expr *bob_fortran_parse_expr(struct bob_fortran_parser *r);
struct bob_fortran_expr *bob_fortran_parse_reference(struct bob_fortran_parser *r);
/* Parses ( ... ) as ARGUMENTS. */
struct bob_fortran_expr *bob_fortran_parse_arguments(struct bob_fortran_parser *r);
/* One item of a data list: an expression or an implied DO. */
struct bob_fortran_expr *bob_fortran_parse_item(struct bob_fortran_parser *r);
/* literal.c: a number, character or logical constant; NULL if there is none at p, or no memory. */
struct bob_fortran_expr *bob_fortran_parse_literal(struct bob_fortran_parser *r);
/* literal.c: only digits: in `complex*16d1` the d belongs to a name. */
struct bob_fortran_expr *bob_fortran_parse_digits(struct bob_fortran_parser *r);
/* literal.c: the operator at p and its length; BOB_OP_NONE. */
enum bob_fortran_op bob_fortran_parse_op(const struct bob_fortran_parser *r, uint32_t *len);

#endif
