/* SPDX-License-Identifier: BSD-3-Clause */
/* Tokenizer of a command line: words, numbers and names. Unknown words are reported with the most
 * similar known word. */
#include "source/commands_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/host/nearest.h"

#define SHOWN_MAX 40

void bob_line_skip(struct bob_line *l)
{
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r'))
		l->at++;
}

bool bob_line_complain(struct bob_line *l, const char *at, const char *format, ...)
{
	va_list ap;

	if (l->st != BOB_OK)
		return false;
	l->st = BOB_ERR_INVAL;
	l->why->column = (uint32_t)(at - l->begin) + 1;
	va_start(ap, format);
	vsnprintf(l->why->text, sizeof(l->why->text), format, ap);
	va_end(ap);
	return false;
}

static size_t word_length(const struct bob_line *l)
{
	size_t n = 0;

	while (l->at + n < l->end && !memchr(" \t\r", l->at[n], 3))
		n++;
	return n;
}

bool bob_line_is(const struct bob_line *l, const char *word)
{
	size_t n = word_length(l);

	return n == strlen(word) && !strncasecmp(l->at, word, n);
}

bool bob_line_take(struct bob_line *l, const char *word)
{
	if (!bob_line_is(l, word))
		return false;
	l->at += strlen(word);
	bob_line_skip(l);
	return true;
}

/* For messages: at most a few letters of the text at this position. */
int bob_line_shown(const struct bob_line *l)
{
	size_t n = word_length(l);

	return n > SHOWN_MAX ? SHOWN_MAX : (int)n;
}

/* The known word that is most similar to the text at this position, ignoring case. */
static const char *near_word(const struct bob_line *l, const char *const *words)
{
	char small[SHOWN_MAX + 1];
	struct bob_nearest n = { .word = small };
	int len = bob_line_shown(l);

	for (int i = 0; i < len; i++) {
		small[i] = l->at[i];
		if (small[i] >= 'A' && small[i] <= 'Z')
			small[i] = (char)(small[i] + 'a' - 'A');
		if (small[i] == '(') /* size(1) */
			len = i;
	}
	small[len] = 0;
	for (; *words; words++)
		bob_nearest_try(&n, *words);
	return n.name;
}

bool bob_line_miss(struct bob_line *l, const char *expected, const char *const *words)
{
	const char *near = near_word(l, words);

	if (l->at == l->end)
		return bob_line_complain(l, l->at, "%s was expected", expected);
	return bob_line_complain(l, l->at, "%s was expected, not '%.*s'%s%s%s", expected,
				 bob_line_shown(l), l->at, near ? "; did you mean " : "",
				 near ? near : "", near ? "?" : "");
}

bool bob_line_want(struct bob_line *l, const char *word)
{
	const char *const words[] = { word, NULL };
	char expected[32];

	if (bob_line_take(l, word))
		return true;
	if (l->at == l->end)
		return bob_line_complain(l, l->at, "'%s' is missing at the end of the line", word);
	snprintf(expected, sizeof(expected), "'%s'", word);
	return bob_line_miss(l, expected, words);
}

bool bob_line_want_end(struct bob_line *l)
{
	if (l->at == l->end)
		return true;
	return bob_line_complain(l, l->at, "nothing more was expected, not '%.*s'",
				 bob_line_shown(l), l->at);
}

const char *bob_line_keep(struct bob_line *l, const char *text, size_t len)
{
	const char *copy = bob_arena_text(&l->w->arena, text, len);

	if (!copy)
		l->st = BOB_ERR_NOMEM;
	return copy;
}

static bool is_digit(const struct bob_line *l)
{
	return l->at < l->end && *l->at >= '0' && *l->at <= '9';
}

bool bob_line_number(struct bob_line *l, int64_t *value)
{
	const char *begin = l->at;
	bool minus = l->at < l->end && *l->at == '-';
	uint64_t v = 0;

	if (minus || (l->at < l->end && *l->at == '+'))
		l->at++;
	if (!is_digit(l))
		return bob_line_complain(l, begin, "a whole number was expected");
	for (; is_digit(l); l->at++) {
		v = v * 10 + (uint64_t)(*l->at - '0');
		if (v > INT64_MAX / 16)
			return bob_line_complain(l, begin, "a number that is too large");
	}
	*value = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

bool bob_line_is_name_byte(char c)
{
	return bob_is_word(c) || c == '$' || (c & 0x80);
}

const char *bob_line_name(struct bob_line *l, const char *what)
{
	const char *begin = l->at;

	while (l->at < l->end && bob_line_is_name_byte(*l->at))
		l->at++;
	if (l->at == begin) {
		bob_line_complain(l, begin, "%s was expected", what);
		return NULL;
	}
	if (bob_is_digit(*begin)) {
		bob_line_complain(l, begin, "%s does not begin with a digit", what);
		return NULL;
	}
	return bob_line_keep(l, begin, (size_t)(l->at - begin));
}
