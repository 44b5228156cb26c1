/* SPDX-License-Identifier: BSD-3-Clause */
/* Tokens of a spec's definitions. Comments, and lines that begin with #, are skipped. */
#ifndef BOB_WRAP_LEX_H
#define BOB_WRAP_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrap/wrap.h"

enum bob_wrap_word {
	BOB_WORD_END,
	BOB_WORD_NAME,
	BOB_WORD_NUMBER,
	BOB_WORD_STRING,	/* string or character, with its quotes */
	BOB_WORD_SIGN		/* one character, or `...` */
};

struct bob_wrap_token {
	enum bob_wrap_word word;
	bool is_dropped;	/* dropped by the parser: not part of the type */
	uint32_t at, len;	/* in the text */
	uint32_t line, column;
};

struct bob_wrap_tokens {
	struct bob_wrap_token *at; /* ends with BOB_WORD_END; free() */
	uint32_t count, capacity;
	/* position of an unterminated string or comment: byte offset, line and column */
	uint32_t bad;
	uint32_t bad_line, bad_column;
};

/* Appends the tokens of text[from..to), whose first line has number `line`. Can be called for
 * further parts; bob_wrap_lex_end completes the list. Errors: BOB_ERR_CORRUPT (see `bad`),
 * BOB_ERR_NOMEM. */
bob_status bob_wrap_lex(struct bob_wrap_tokens *t, const char *text, uint32_t from, uint32_t to,
			uint32_t line);
bob_status bob_wrap_lex_end(struct bob_wrap_tokens *t, uint32_t at, uint32_t line);

#endif
