/* SPDX-License-Identifier: BSD-3-Clause */
/* Token access for the parser, and its error messages. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "wrap/parse.h"

#define QUOTED_MAX 32

bool bob_wrap_is(const struct bob_wrap_parser *p, uint32_t pos, const char *word)
{
	const struct bob_wrap_token *t = &p->tokens.at[pos];

	return t->word != BOB_WORD_END && strlen(word) == t->len &&
	       !memcmp(p->text + t->at, word, t->len);
}

bool bob_wrap_accept(struct bob_wrap_parser *p, const char *word)
{
	if (!bob_wrap_is(p, p->pos, word))
		return false;
	p->pos++;
	return true;
}

bob_status bob_wrap_complain(struct bob_wrap_parser *p, const struct bob_wrap_token *at,
			     bob_status st, const char *format, ...)
{
	va_list args;
	size_t n;

	if (!p->why)
		return st;
	snprintf(p->why->text, sizeof(p->why->text), "%.200s:%u:%u: ", p->spec->name, at->line,
		 at->column);
	n = strlen(p->why->text);
	va_start(args, format);
	vsnprintf(p->why->text + n, sizeof(p->why->text) - n, format, args);
	va_end(args);
	for (char *c = p->why->text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return st;
}

bob_status bob_wrap_expected(struct bob_wrap_parser *p, const char *what)
{
	const struct bob_wrap_token *t = bob_wrap_here(p);

	if (t->word == BOB_WORD_END)
		return bob_wrap_complain(p, t, BOB_ERR_CORRUPT,
					 "expected %s, found the end of the file", what);
	return bob_wrap_complain(p, t, BOB_ERR_CORRUPT, "expected %s, found '%.*s%s'", what,
				 (int)(t->len < QUOTED_MAX ? t->len : QUOTED_MAX), p->text + t->at,
				 t->len > QUOTED_MAX ? ".." : "");
}

bob_status bob_wrap_expect(struct bob_wrap_parser *p, const char *word, const char *after)
{
	char what[96];

	if (bob_wrap_accept(p, word))
		return BOB_OK;
	snprintf(what, sizeof(what), "'%s' %s", word, after);
	return bob_wrap_expected(p, what);
}

bob_status bob_wrap_skip_group(struct bob_wrap_parser *p)
{
	const struct bob_wrap_token *first = bob_wrap_here(p);
	char open[BOB_WRAP_DEPTH_MAX];
	uint32_t depth = 0;

	do {
		const struct bob_wrap_token *t = bob_wrap_here(p);
		const char c = t->word == BOB_WORD_SIGN ? p->text[t->at] : 0;

		if (t->word == BOB_WORD_END)
			return bob_wrap_complain(p, first, BOB_ERR_CORRUPT,
						 "expected an end of this '%c'",
						 p->text[first->at]);
		if (c == '(' || c == '[' || c == '{') {
			if (depth == BOB_WRAP_DEPTH_MAX)
				return bob_wrap_complain(p, t, BOB_ERR_FULL,
							 "more than %u brackets in one another",
							 BOB_WRAP_DEPTH_MAX);
			open[depth++] = c == '(' ? ')' : c == '[' ? ']' : '}';
		} else if (c == ')' || c == ']' || c == '}') {
			const char want[] = { '\'', open[depth - 1], '\'', 0 };

			if (c != open[--depth])
				return bob_wrap_expected(p, want);
		}
		p->pos++;
	} while (depth);
	return BOB_OK;
}

static bool is_wordy(const struct bob_wrap_token *t)
{
	return t->word != BOB_WORD_SIGN;
}

/* Spacing for readability: `int *p`, `f(int, int)`, `void (*f)(int)`. */
static bool is_apart(const struct bob_wrap_parser *p, const struct bob_wrap_token *a, uint32_t i)
{
	const struct bob_wrap_token *b = &p->tokens.at[i];
	const char before = p->text[a->at];

	if (is_wordy(a))
		return is_wordy(b) || p->text[b->at] == '*' ||
		       (p->text[b->at] == '(' && bob_wrap_is(p, i + 1, "*"));
	return before == ',' || (before == ')' && (is_wordy(b) || p->text[b->at] == '*'));
}

char *bob_wrap_join(struct bob_wrap_parser *p, uint32_t from, uint32_t to)
{
	const struct bob_wrap_token *before = NULL;
	struct bob_wrap_string s = { .at = NULL };

	for (uint32_t i = from; i < to; i++) {
		const struct bob_wrap_token *t = &p->tokens.at[i];

		if (t->is_dropped)
			continue;
		if (before && is_apart(p, before, i))
			bob_wrap_add(&s, " ", 1);
		if (bob_wrap_is(p, i, "string"))
			bob_wrap_add(&s, "const char *", 12);
		else
			bob_wrap_add(&s, p->text + t->at, t->len);
		before = t;
	}
	return bob_wrap_string_end(&s, p->spec->pool);
}
