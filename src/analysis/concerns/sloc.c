/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifies lines in two passes. The first one copies the text byte for byte, with comments
 * replaced by blanks and the letters of strings by S. So the second one does not depend on the
 * language: a blank line of the copy was blank or a comment. The second pass looks for annotations
 * where a statement can begin. Any bytes are valid input. */
#include "analysis/concerns/sloc.h"
#include "base/ascii.h"

#include <string.h>
#include <strings.h>

#define STRING 'S'
#define RAW_DELIMITER_MAX 16u	/* of a C++ raw string, by the standard */
#define MARK_LINES_MAX 64u	/* per call; bounds how often a line is examined */
#define FIXED_TEXT 7u		/* first column of the text of fixed form */
#define FIXED_END 72u		/* last column of that text */

struct masking {
	const char *at, *end;
	char *to;
};

/* A character that makes a line of fixed form a comment, in column 1. */
static int is_fixed_comment(char c)
{
	return c == 'c' || c == 'C' || c == '*' || c == '!';
}

/* --- languages --- */

bob_status bob_sloc_language_of(const char *path, enum bob_sloc_language *out)
{
	static const struct {
		const char *ext;
		enum bob_sloc_language language;
	} known[] = {
		{ "c", BOB_SLOC_C },	   { "h", BOB_SLOC_C },	      { "cc", BOB_SLOC_C },
		{ "cpp", BOB_SLOC_C },	   { "cxx", BOB_SLOC_C },     { "c++", BOB_SLOC_C },
		{ "hh", BOB_SLOC_C },	   { "hpp", BOB_SLOC_C },     { "hxx", BOB_SLOC_C },
		{ "h++", BOB_SLOC_C },	   { "inl", BOB_SLOC_C },     { "cu", BOB_SLOC_C },
		{ "cl", BOB_SLOC_C },	   { "f", BOB_SLOC_FIXED },   { "for", BOB_SLOC_FIXED },
		{ "ftn", BOB_SLOC_FIXED }, { "f77", BOB_SLOC_FIXED }, { "f90", BOB_SLOC_FREE },
		{ "f95", BOB_SLOC_FREE },  { "f03", BOB_SLOC_FREE },  { "f08", BOB_SLOC_FREE }
	};
	const char *base = strrchr(path, '/'), *dot = strrchr(base ? base + 1 : path, '.');

	for (size_t i = 0; dot && i < sizeof(known) / sizeof(*known); i++)
		if (!strcasecmp(dot + 1, known[i].ext)) {
			*out = known[i].language;
			return BOB_OK;
		}
	return BOB_NONE;
}

size_t bob_sloc_lines(const char *text, size_t len)
{
	size_t lines = 0;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	return lines + (len && text[len - 1] != '\n');
}

/* --- removing comments --- */

static void keep(struct masking *m, size_t n)
{
	memcpy(m->to, m->at, n);
	m->to += n;
	m->at += n;
}

/* Copies white space and replaces other characters by `c`. */
static void put(struct masking *m, char c)
{
	*m->to++ = bob_is_blank(*m->at) || *m->at == '\n' ? *m->at : c;
	m->at++;
}

static int follows(const struct masking *m, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(m->end - m->at) >= n && !memcmp(m->at, text, n);
}

/* A comment up to the end of its line, which a backslash continues. */
static void mask_line_comment(struct masking *m)
{
	while (m->at < m->end && *m->at != '\n') {
		int joins = *m->at == '\\';

		put(m, ' ');
		if (joins && m->at < m->end && *m->at == '\r')
			put(m, ' ');
		if (joins && m->at < m->end && *m->at == '\n')
			put(m, ' ');
	}
}

static void mask_block_comment(struct masking *m)
{
	put(m, ' ');
	put(m, ' ');
	while (m->at < m->end && !follows(m, "*/"))
		put(m, ' ');
	for (int i = 0; i < 2 && m->at < m->end; i++)
		put(m, ' ');
}

/* Up to the closing quote or the end of the line: text excluded by #if may contain an
 * apostrophe. */
static void mask_quoted(struct masking *m)
{
	char quote = *m->at;

	put(m, STRING);
	while (m->at < m->end && *m->at != quote && *m->at != '\n') {
		int escapes = *m->at == '\\';

		put(m, STRING);
		if (escapes && m->at < m->end && *m->at == '\r')
			put(m, STRING);
		if (escapes && m->at < m->end)
			put(m, STRING);
	}
	if (m->at < m->end && *m->at == quote)
		put(m, STRING);
}

/* `at` is the quote of R"delimiter( ... )delimiter". Returns 0 if it is no raw string. */
static int mask_raw(struct masking *m)
{
	const char *delimiter = m->at + 1, *p = delimiter;
	size_t n;

	while (p < m->end && (size_t)(p - delimiter) <= RAW_DELIMITER_MAX && *p != '(')
		if (bob_is_blank(*p) || *p == '\n' || *p == '"' || *p++ == '\\')
			return 0;
	if (p == m->end || *p != '(')
		return 0;
	n = (size_t)(p - delimiter);
	while (m->at < m->end) {
		if (*m->at == ')' && (size_t)(m->end - m->at) >= n + 2 &&
		    !memcmp(m->at + 1, delimiter, n) && m->at[n + 1] == '"') {
			for (size_t i = 0; i < n + 2; i++)
				put(m, STRING);
			return 1;
		}
		put(m, STRING);
	}
	return 1;
}

/* A name or a number, with the digit separators of C++. Returns whether a raw string may follow. */
static int keep_word(struct masking *m)
{
	const char *from = m->at;
	int number = *from >= '0' && *from <= '9';
	size_t n = 0, available = (size_t)(m->end - from);

	while (n < available &&
	       (bob_is_word(from[n]) ||
		(number && from[n] == '\'' && n + 1 < available && bob_is_word(from[n + 1]))))
		n++;
	keep(m, n);
	return from[n - 1] == 'R' && (n == 1 || (n == 2 && strchr("uUL", from[0])) ||
				      (n == 3 && from[0] == 'u' && from[1] == '8'));
}

static void mask_c(struct masking *m)
{
	while (m->at < m->end) {
		if (follows(m, "//"))
			mask_line_comment(m);
		else if (follows(m, "/*"))
			mask_block_comment(m);
		else if (*m->at == '"' || *m->at == '\'')
			mask_quoted(m);
		else if (!bob_is_word(*m->at))
			keep(m, 1);
		else if (keep_word(m) && m->at < m->end && *m->at == '"' && !mask_raw(m))
			mask_quoted(m);
	}
}

/* Fortran: up to `stop`, the end of the line. *quote: that of a string left open by the previous
 * line; returns that of one left open here. */
static void mask_fortran(struct masking *m, const char *stop, char *quote)
{
	while (m->at < stop) {
		char c = *m->at;

		if (*quote) {
			put(m, c == '&' ? '&' : STRING);
			if (c == *quote)
				*quote = 0;
		} else if (c == '!') {
			while (m->at < stop)
				put(m, ' ');
		} else if (c == '"' || c == '\'') {
			*quote = c;
			put(m, STRING);
		} else {
			keep(m, 1);
		}
	}
}

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && bob_is_blank(*at))
		at++;
	return at;
}

static const char *end_of_line(const char *at, const char *end)
{
	const char *eol = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;

	return eol ? eol : end;
}

static void mask_free_line(struct masking *m, const char *eol, char *quote)
{
	const char *first = skip_space(m->at, eol), *last = eol;

	if (first < eol && *first == '!') {
		if (first + 1 < eol && first[1] == '$')
			keep(m, (size_t)(eol - m->at));
		while (m->at < eol)
			put(m, ' ');
		return;
	}
	if (first == eol) {
		keep(m, (size_t)(eol - m->at));
		return;
	}
	mask_fortran(m, eol, quote);
	while (last > first && bob_is_blank(last[-1]))
		last--;
	if (last[-1] != '&')
		*quote = 0;
}

/* Start of column FIXED_TEXT; *joins: a continuation line. A tab advances to that column, and a
 * digit after it replaces column 6. */
static const char *fixed_text(const char *at, const char *eol, int *joins)
{
	for (unsigned column = 1; column < FIXED_TEXT - 1 && at < eol; column++, at++)
		if (*at == '\t') {
			*joins = at + 1 < eol && at[1] >= '1' && at[1] <= '9';
			return at + 1 + *joins;
		}
	*joins = at < eol && !bob_is_blank(*at) && *at != '0';
	return at < eol ? at + 1 : eol;
}

static void mask_fixed_line(struct masking *m, const char *eol, char *quote)
{
	const char *first = skip_space(m->at, eol), *text, *stop;
	int joins, is_directive = eol - m->at > 1 && is_fixed_comment(*m->at) && m->at[1] == '$';

	if (first == eol || is_directive || *m->at == '#') {
		keep(m, (size_t)(eol - m->at));
		return;
	}
	text = fixed_text(m->at, eol, &joins);
	if (is_fixed_comment(*m->at) || (*first == '!' && first + 1 != text)) {
		while (m->at < eol)
			put(m, ' ');
		return;
	}
	if (!joins)
		*quote = 0;
	keep(m, (size_t)(text - m->at) - (joins ? 1 : 0));
	if (joins)
		put(m, ' ');	/* the continuation mark in column 6 is no part of a word */
	stop = (size_t)(eol - text) > FIXED_END - FIXED_TEXT + 1 ?
		       text + FIXED_END - FIXED_TEXT + 1 :
		       eol;
	mask_fortran(m, stop, quote);
	while (m->at < eol)
		put(m, ' ');
}

static void mask_lines(struct masking *m,
		       void (*line)(struct masking *m, const char *eol, char *quote))
{
	char quote = 0;

	while (m->at < m->end) {
		line(m, end_of_line(m->at, m->end), &quote);
		if (m->at < m->end)
			keep(m, 1);
	}
}

/* --- annotations, in the masked text --- */

struct scanning {
	const char *at, *end;
	const struct bob_sloc_marks *marks;
	enum bob_sloc_language language;
};

static int is_mark(const struct bob_sloc_marks *marks, const char *name, size_t len, int any_case)
{
	for (size_t i = 0; i < marks->count; i++) {
		const char *mark = marks->name[i];
		size_t n = strlen(mark);
		int open = n && mark[n - 1] == '*';

		n -= (size_t)open;
		if ((open ? len >= n : len == n) &&
		    (any_case ? !strncasecmp(mark, name, n) : !memcmp(mark, name, n)))
			return 1;
	}
	return 0;
}

static void skip_blank(struct scanning *s, int lines)
{
	while (s->at < s->end &&
	       (bob_is_blank(*s->at) || (lines && (*s->at == '\n' || *s->at == '&'))))
		s->at++;
}

static size_t word_length(const struct scanning *s)
{
	size_t n = 0;

	while (s->at + n < s->end && bob_is_word(s->at[n]))
		n++;
	return n;
}

/* Skips from the opening parenthesis to after the closing one. */
static int skip_parentheses(struct scanning *s)
{
	size_t depth = 0, lines = 0;

	for (; s->at < s->end && lines < MARK_LINES_MAX; s->at++) {
		lines += *s->at == '\n';
		depth += *s->at == '(';
		if (*s->at == ')' && --depth == 0) {
			s->at++;
			return 1;
		}
		if (*s->at == ';' || *s->at == '{' || (s->language != BOB_SLOC_C && *s->at == '!'))
			return 0;
	}
	return 0;
}

/* Parses one statement that is a call of a mark. */
static int take_mark(struct scanning *s)
{
	int fortran = s->language != BOB_SLOC_C;
	size_t n;

	skip_blank(s, 0);
	if (fortran) {
		if (word_length(s) != 4 || strncasecmp(s->at, "call", 4))
			return 0;
		s->at += 4;
		skip_blank(s, 0);
	} else if (s->end - s->at > 6 && !memcmp(s->at, "(void)", 6)) {
		s->at += 6;
		skip_blank(s, 0);
	}
	n = word_length(s);
	if (!n || !is_mark(s->marks, s->at, n, fortran))
		return 0;
	s->at += n;
	skip_blank(s, !fortran);
	if (s->at < s->end && *s->at == '(') {
		if (!skip_parentheses(s))
			return 0;
	} else if (!fortran) {
		return 0;
	}
	skip_blank(s, 0);
	if (s->at < s->end && *s->at == ';')
		s->at++;
	else if (!fortran || (s->at < s->end && *s->at != '\n'))
		return 0;
	return 1;
}

/* Number of lines of consecutive calls of marks from the line at s->at; 0: none. */
static size_t mark_lines(struct scanning s)
{
	const char *from = s.at;
	size_t lines = 1;

	do {
		if (!take_mark(&s))
			return 0;
		skip_blank(&s, 0);
	} while (s.at < s.end && *s.at != '\n');
	for (const char *p = from; p < s.at; p++)
		lines += *p == '\n';
	return lines;
}

static int begins_statement(char last)
{
	return !last || strchr(";{}:)", last);
}

static void find_marks(struct scanning *s, uint8_t *class)
{
	char last = 0;	/* last character of the code so far; 0: none, or a directive */
	int joins = 0, directive = 0;
	size_t line = 0, skip = 0;

	while (s->at < s->end) {
		const char *eol = end_of_line(s->at, s->end), *first = skip_space(s->at, eol);

		directive = (first < eol && *first == '#') || (directive && joins);
		if (!skip && first < eol && !directive &&
		    (s->language != BOB_SLOC_C || begins_statement(last)))
			skip = mark_lines(*s);
		if (skip) {
			if (first < eol)
				class[line] = BOB_SLOC_ANNOTATION;
			skip--;
		}
		for (const char *p = eol; p > first && !directive; p--)
			if (!bob_is_blank(p[-1])) {
				last = p[-1];
				break;
			}
		if (directive)
			last = 0;
		joins = eol > s->at && eol[-1] == '\\';
		s->at = eol + (eol < s->end);
		line++;
	}
}

void bob_sloc_classify(const char *text, size_t len, enum bob_sloc_language language,
		       const struct bob_sloc_marks *marks, char *scratch, uint8_t *class)
{
	struct masking m = { text, text + len, scratch };
	struct scanning s = { scratch, scratch + len, marks, language };
	size_t line = 0, at = 0;

	if (language == BOB_SLOC_C)
		mask_c(&m);
	else
		mask_lines(&m, language == BOB_SLOC_FREE ? mask_free_line : mask_fixed_line);
	while (at < len) {
		size_t n = (size_t)(end_of_line(text + at, text + len) - (text + at));

		if (skip_space(text + at, text + at + n) == text + at + n)
			class[line] = BOB_SLOC_BLANK;
		else if (skip_space(scratch + at, scratch + at + n) == scratch + at + n)
			class[line] = BOB_SLOC_COMMENT;
		else
			class[line] = BOB_SLOC_CODE;
		line++;
		at += n + 1;
	}
	find_marks(&s, class);
}
