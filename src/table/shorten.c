/* SPDX-License-Identifier: BSD-3-Clause */
/* Shortens names of C++ functions for narrow terminals. Template arguments make up most of a long
 * name, followed by parameters; the scopes and the last component identify the function. */
#include <string.h>

#include "table/print.h"

static int begins_character(char c)
{
	return (c & 0xc0) != 0x80;
}

static size_t characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (size_t)begins_character(*text);
	return n;
}

/* Pointer to the byte after the first `n` characters of `text`. */
static char *after(char *text, size_t n)
{
	while (*text && n--)
		do
			text++;
		while (!begins_character(*text));
	return text;
}

/* True if the bracket `c` after text[0] .. end[-1] belongs to "operator<", "operator()" or
 * similar. */
static int is_operator(const char *text, const char *end, char c)
{
	static const char word[] = "operator";
	const size_t len = sizeof(word) - 1;
	const int is_round = c == '(' || c == ')';

	for (int n = is_round ? 1 : 2; n && end > text && strchr(is_round ? "(" : "<>=-", end[-1]);
	     n--)
		end--;
	return (size_t)(end - text) >= len && !memcmp(end - len, word, len);
}

/* Replaces the contents of outermost brackets by dots if that makes the text shorter. */
static void elide(char *text, char open, char close)
{
	char *to = text, *inside = text;
	int depth = 0;

	for (const char *at = text; *at; at++) {
		const int is_bracket = !is_operator(text, to, *at);

		if (is_bracket && *at == close && depth && !--depth && to - inside > 2) {
			memcpy(inside, "..", 2);
			to = inside + 2;
		}
		*to++ = *at;
		if (is_bracket && *at == open && !depth++)
			inside = to;
	}
	*to = 0;
}

/* Cuts the middle. One third of the remaining characters is from the beginning. */
static void cut_middle(char *text, size_t width)
{
	const size_t dots = width < 2 ? width : 2, head = (width - dots) / 3;
	const size_t tail = width - dots - head;
	char *rest = after(text, characters(text) - tail), *to = after(text, head);

	memset(to, '.', dots);
	memmove(to + dots, rest, strlen(rest) + 1);
}

char *bob_table_shorten(char *name, size_t width)
{
	if (characters(name) > width)
		elide(name, '<', '>');
	if (characters(name) > width)
		elide(name, '(', ')');
	if (characters(name) > width)
		cut_middle(name, width);
	return name;
}
