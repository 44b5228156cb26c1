/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the parser: position, tokens, error messages. */
#ifndef BOB_WRAP_PARSE_H
#define BOB_WRAP_PARSE_H

#include "wrap/lex.h"
#include "wrap/pool.h"

struct bob_wrap_parser {
	struct bob_wrap_spec *spec;
	const char *text;
	struct bob_wrap_tokens tokens;
	uint32_t pos;		/* never past the last token */
	uint32_t depth;
	struct bob_wrap_complaint *why; /* may be NULL */
};

static inline struct bob_wrap_token *bob_wrap_here(struct bob_wrap_parser *p)
{
	return &p->tokens.at[p->pos];
}

bool bob_wrap_is(const struct bob_wrap_parser *p, uint32_t pos, const char *word);
/* Skips the next token if it is this word. */
bool bob_wrap_accept(struct bob_wrap_parser *p, const char *word);
bob_status bob_wrap_expect(struct bob_wrap_parser *p, const char *word, const char *after);
/* Complains "expected WHAT, found <next token>". Returns BOB_ERR_CORRUPT. */
bob_status bob_wrap_expected(struct bob_wrap_parser *p, const char *what);
bob_status bob_wrap_complain(struct bob_wrap_parser *p, const struct bob_wrap_token *at,
			     bob_status st, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Skips a group from ( [ or { to its closing bracket, inclusive. */
bob_status bob_wrap_skip_group(struct bob_wrap_parser *p);
/* Tokens [from, to) as text without dropped ones; owned by the pool. NULL: out of memory. */
char *bob_wrap_join(struct bob_wrap_parser *p, uint32_t from, uint32_t to);

/* declare.c: parses one prototype up to the end of its declarator. */
bob_status bob_wrap_prototype(struct bob_wrap_parser *p, struct bob_wrap_function *f);

/* event.c: selects the function's parameters in its event. BOB_ERR_NOMEM. */
bob_status bob_wrap_event(struct bob_wrap_pool *pool, struct bob_wrap_function *f);

#endif
