/* SPDX-License-Identifier: BSD-3-Clause */
/* Pragmas that rule the statement behind them: `#pragma`, on as many lines as its backslashes say, and _Pragma("..."); between them and the statement may
 * be comments and more pragmas. Read from the statement back, in the bytes of the file: libclang 14 has no cursors of pragmas. */
#include "source/c/unit.h"

#include <string.h>

#define OPERATOR "_Pragma"
#define OPERATOR_MAX 1000u /* bytes of one */

static bool is_blank(char c)
{
	return c && strchr(" \t\r\n\f\v", c);
}

/* The line that has the byte before `at`, with those before it that go on in it. */
static uint32_t line_of(const struct bob_c_unit *u, uint32_t at)
{
	const char *b = u->bytes;

	while (at) {
		uint32_t end = at - 1;

		if (b[end] != '\n') {
			at--;
			continue;
		}
		while (end && b[end - 1] == '\r')
			end--;
		if (!end || b[end - 1] != '\\')
			break;
		at = end - 1;
	}
	return at;
}

static uint32_t skip_spaces(const struct bob_c_unit *u, uint32_t at)
{
	while (u->bytes[at] == ' ' || u->bytes[at] == '\t')
		at++;
	return at;
}

/* Where the _Pragma(...) that ends at `end` begins; `end`: there is none. */
static uint32_t operator_before(const struct bob_c_unit *u, uint32_t end)
{
	const char *b = u->bytes;
	uint32_t at = end, p;

	while (at && end - at < OPERATOR_MAX && strncmp(b + at, OPERATOR, sizeof(OPERATOR) - 1))
		at--;
	if (strncmp(b + at, OPERATOR, sizeof(OPERATOR) - 1) != 0)
		return end;
	p = bob_c_skip_blanks(u, at + (uint32_t)sizeof(OPERATOR) - 1);
	if (b[p] != '(')
		return end;
	p = bob_c_skip_blanks(u, p + 1);
	if (b[p] == 'L')
		p++;
	if (b[p] != '"')
		return end;
	for (p++; p < end && b[p] != '"'; p++)
		p += b[p] == '\\';
	return p < end && bob_c_skip_blanks(u, p + 1) == end - 1 ? at : end;
}

/* Where the comment that ends with the byte before `at` begins; `at`: none does. */
static uint32_t comment_before(const struct bob_c_unit *u, uint32_t at)
{
	const char *b = u->bytes;
	uint32_t begin = at - 2;

	if (at < 4 || b[at - 1] != '/' || b[at - 2] != '*')
		return at;
	while (begin > 1 && (b[begin - 2] != '/' || b[begin - 1] != '*'))
		begin--;
	return begin > 1 ? begin - 2 : at;
}

static bool has_word(const struct bob_c_unit *u, uint32_t from, uint32_t to, const char *word)
{
	const size_t n = strlen(word);

	for (; from + n <= to; from++)
		if (!strncmp(u->bytes + from, word, n))
			return true;
	return false;
}

bool bob_c_is_behind_pragma(const struct bob_c_unit *u, uint32_t at, const char *word)
{
	static const char name[] = "pragma";
	const char *b = u->bytes;

	while (at) {
		uint32_t end = at, line, p;

		if (is_blank(b[at - 1])) {
			at--;
			continue;
		}
		line = line_of(u, at);
		p = skip_spaces(u, line);
		if (b[p] == '/' && b[p + 1] == '/')
			at = line;
		else
			at = comment_before(u, at);
		if (at < end)
			continue;
		if (b[p] != '#') {
			p = at = operator_before(u, end);
		} else {
			p = skip_spaces(u, p + 1);
			if (!strncmp(b + p, name, sizeof(name) - 1))
				at = line;
		}
		if (at == end)
			return false;
		if (!word || has_word(u, p, end, word))
			return true;
	}
	return false;
}
