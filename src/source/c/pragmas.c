/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds pragmas that apply to the following statement: `#pragma`, with its continuation lines, and
 * _Pragma("..."). Between them and the statement may be comments, other pragmas and preprocessor
 * lines such as `#endif`. The bytes of the file are scanned backwards from the statement, because
 * libclang 14 has no cursors of pragmas. A macro may expand to a pragma if its definition, or that
 * of a macro named there, contains _Pragma; pasted names may be any of those. */
#include "source/c/macros.h"
#include "base/ascii.h"

#include <stdlib.h>
#include <string.h>

#define OPERATOR "_Pragma"
#define OPERATOR_MAX 1000u /* length of a _Pragma operator */

/* Words searched in pragmas: bits of pragma_words. */
static const char *const words[] = { "atomic", "collapse", "ordered", "tile" };
#define WORDS (sizeof(words) / sizeof(words[0]))

/* The bit of the word; all bits if it is not in the list. */
static uint32_t bit_of(const char *word)
{
	for (size_t i = 0; i < WORDS; i++)
		if (!strcmp(words[i], word))
			return 1u << i;
	return UINT32_MAX;
}

static bool is_blank(char c)
{
	return c && strchr(" \t\r\n\f\v", c);
}

/* Start of the logical line with the byte before `at`. */
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

/* Start of the _Pragma(...) that ends at `end`; `end`: there is none. */
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

/* Start of the comment that ends with the byte before `at`; `at`: there is none. */
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

/* Start of the blanks and comments before `at`. */
static uint32_t skip_back(const struct bob_c_unit *u, uint32_t at)
{
	const char *b = u->bytes;
	uint32_t end = at + 1;

	while (at && at < end) {
		uint32_t line, p;

		end = at;
		if (is_blank(b[at - 1])) {
			at--;
			continue;
		}
		line = line_of(u, at);
		p = skip_spaces(u, line);
		at = b[p] == '/' && b[p + 1] == '/' ? line : comment_before(u, at);
	}
	return at;
}

bool bob_c_is_after_directive(const struct bob_c_unit *u, uint32_t at)
{
	at = skip_back(u, at);
	return at && u->bytes[skip_spaces(u, line_of(u, at))] == '#';
}

bool bob_c_is_after_pragma(const struct bob_c_unit *u, uint32_t at, const char *word)
{
	static const char name[] = "pragma";
	const char *b = u->bytes;

	while ((at = skip_back(u, at))) {
		const uint32_t end = at, line = line_of(u, at);
		const struct bob_c_span *m = bob_c_macro_at(u, at - 1);
		uint32_t p = skip_spaces(u, line);

		if (b[p] == '#') {
			at = line;
			p = skip_spaces(u, p + 1);
			if (strncmp(b + p, name, sizeof(name) - 1) != 0)
				continue;
		} else if (m && m->is_pragma && m->end == end) {
			p = at = m->start;
			if (!word || m->pragma_words & bit_of(word))
				return true;
		} else {
			p = at = operator_before(u, end);
		}
		if (at == end)
			return false;
		if (!word || has_word(u, p, end, word))
			return true;
	}
	return false;
}

/* --- macros --- */

static bool expands_to_pragma(const struct bob_c_definitions *d, const char *word, size_t len)
{
	if (len == sizeof(OPERATOR) - 1 && !memcmp(word, OPERATOR, len))
		return true;
	for (size_t i = 0; i < d->pragmas; i++)
		if (d->at[i].name_len == len && !memcmp(d->at[i].name, word, len))
			return true;
	return false;
}

static bool mentions_pragma(const struct bob_c_definitions *d, const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		for (n = 0; i + n < len && bob_is_word(text[i + n]);)
			n++;
		if (n && expands_to_pragma(d, text + i, n))
			return true;
		if (d->is_named && i + 1 < len && text[i] == '#' && text[i + 1] == '#')
			return true;
	}
	return false;
}

static uint32_t words_of(struct bob_c_definitions *d, const char *text, size_t len);

static uint32_t words_of_name(struct bob_c_definitions *d, const char *name, size_t len)
{
	uint32_t found = 0;

	for (size_t i = 0; i < d->count; i++) {
		struct bob_c_definition *m = &d->at[i];

		if (m->is_seen || m->name_len != len || memcmp(m->name, name, len) != 0)
			continue;
		m->is_seen = true;
		found |= words_of(d, m->text, m->len);
	}
	return found;
}

/* Words of pragmas that the text may expand to; pasted names may give any. */
static uint32_t words_of(struct bob_c_definitions *d, const char *text, size_t len)
{
	uint32_t found = 0;

	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		for (n = 0; i + n < len && bob_is_word(text[i + n]);)
			n++;
		for (size_t k = 0; k < WORDS && n; k++)
			if (strlen(words[k]) == n && !memcmp(words[k], text + i, n))
				found |= 1u << k;
		if (n)
			found |= words_of_name(d, text + i, n);
		if (i + 1 < len && text[i] == '#' && text[i + 1] == '#')
			return UINT32_MAX;
	}
	return found;
}

void bob_c_pragmas_find(struct bob_c_unit *u, struct bob_c_definitions *d)
{
	bool is_more = true;

	while (is_more) {
		is_more = false;
		for (size_t i = d->pragmas; i < d->count; i++) {
			const struct bob_c_definition m = d->at[i];

			if (!mentions_pragma(d, m.text, m.len))
				continue;
			d->at[i] = d->at[d->pragmas];
			d->at[d->pragmas++] = m;
			d->is_named |= m.name[0] != '_';
			is_more = true;
		}
	}
	for (size_t i = 0; i < u->macros.count; i++) {
		struct bob_c_span *m = &u->macros.at[i];

		m->is_pragma = mentions_pragma(d, u->bytes + m->start, m->end - m->start);
		for (size_t k = 0; k < d->count && m->is_pragma; k++)
			d->at[k].is_seen = false;
		if (m->is_pragma)
			m->pragma_words = words_of(d, u->bytes + m->start, m->end - m->start);
	}
}
