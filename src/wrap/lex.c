/* SPDX-License-Identifier: BSD-3-Clause */
/* Tokenizer of a spec (lex.h), in one pass over the text. */
#include "wrap/lex.h"
#include "base/ascii.h"

#include <stdlib.h>
#include <string.h>

struct lexer {
	struct bob_wrap_tokens *to;
	const char *text;
	uint32_t at, end;
	uint32_t line, line_at;	/* line_at: its first byte */
	bool is_fresh;		/* only white space so far in this line */
};

static bool is_name_start(char c)
{
	return bob_is_letter(c) || c == '_' || c == '$';
}

static char peek(const struct lexer *l, uint32_t ahead)
{
	return l->end - l->at > ahead ? l->text[l->at + ahead] : 0;
}

static void step(struct lexer *l)
{
	if (l->text[l->at++] == '\n') {
		l->line++;
		l->line_at = l->at;
		l->is_fresh = true;
	}
}

static bob_status put(struct bob_wrap_tokens *t, struct bob_wrap_token token)
{
	if (t->count == t->capacity) {
		uint32_t capacity = t->capacity ? 2 * t->capacity : 256;
		struct bob_wrap_token *at = realloc(t->at, capacity * sizeof(*at));

		if (!at)
			return BOB_ERR_NOMEM;
		t->at = at;
		t->capacity = capacity;
	}
	t->at[t->count++] = token;
	return BOB_OK;
}

static bob_status open_end(struct lexer *l, uint32_t at, uint32_t line, uint32_t column)
{
	l->to->bad = at;
	l->to->bad_line = line;
	l->to->bad_column = column;
	return BOB_ERR_CORRUPT;
}

/* Skips to the end of the line, including lines continued by a backslash. */
static void skip_line(struct lexer *l)
{
	while (l->at < l->end) {
		char c = l->text[l->at];
		bool is_joined = c == '\n' && l->at && l->text[l->at - 1] == '\\';

		if (c == '\n' && !is_joined)
			return;
		step(l);
	}
}

static bob_status skip_comment(struct lexer *l)
{
	uint32_t at = l->at, line = l->line, column = l->at - l->line_at + 1;

	l->at += 2;
	while (l->at < l->end) {
		if (peek(l, 0) == '*' && peek(l, 1) == '/') {
			l->at += 2;
			return BOB_OK;
		}
		step(l);
	}
	return open_end(l, at, line, column);
}

/* A string or character, which must end in its line. */
static bob_status quoted(struct lexer *l, uint32_t *len)
{
	const uint32_t at = l->at;
	const char quote = l->text[l->at];

	for (l->at++; l->at < l->end && l->text[l->at] != '\n'; l->at++) {
		if (l->text[l->at] == quote) {
			*len = ++l->at - at;
			return BOB_OK;
		}
		if (l->text[l->at] == '\\' && peek(l, 1) && peek(l, 1) != '\n')
			l->at++;
	}
	return open_end(l, at, l->line, at - l->line_at + 1);
}

static bob_status take(struct lexer *l)
{
	struct bob_wrap_token t = {
		.at = l->at, .line = l->line, .column = l->at - l->line_at + 1,
	};
	const char c = peek(l, 0);

	l->is_fresh = false;
	if (is_name_start(c) || bob_is_digit(c)) {
		t.word = bob_is_digit(c) ? BOB_WORD_NUMBER : BOB_WORD_NAME;
		while (is_name_start(peek(l, 0)) || bob_is_digit(peek(l, 0)) ||
		       (t.word == BOB_WORD_NUMBER && peek(l, 0) == '.'))
			l->at++;
		t.len = l->at - t.at;
	} else if (c == '"' || c == '\'') {
		bob_status st = quoted(l, &t.len);

		if (st != BOB_OK)
			return st;
		t.word = BOB_WORD_STRING;
	} else {
		t.word = BOB_WORD_SIGN;
		t.len = c == '.' && peek(l, 1) == '.' && peek(l, 2) == '.' ? 3 : 1;
		l->at += t.len;
	}
	return put(l->to, t);
}

bob_status bob_wrap_lex(struct bob_wrap_tokens *t, const char *text, uint32_t from, uint32_t to,
			uint32_t line)
{
	struct lexer l = { t, text, from, to, line, from, true };
	bob_status st = BOB_OK;

	while (st == BOB_OK && l.at < l.end) {
		char c = text[l.at];

		if (c == ' ' || (c >= '\t' && c <= '\r'))
			step(&l);
		else if (c == '\\' && peek(&l, 1) == '\n')
			l.at++;
		else if ((c == '#' && l.is_fresh) || (c == '/' && peek(&l, 1) == '/'))
			skip_line(&l);
		else if (c == '/' && peek(&l, 1) == '*')
			st = skip_comment(&l);
		else
			st = take(&l);
	}
	return st;
}

bob_status bob_wrap_lex_end(struct bob_wrap_tokens *t, uint32_t at, uint32_t line)
{
	return put(t, (struct bob_wrap_token){ .word = BOB_WORD_END,
					       .at = at,
					       .line = line,
					       .column = 1 });
}
