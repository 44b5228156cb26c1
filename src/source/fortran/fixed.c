/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads lines of fixed form: columns 1 to 5 have a label, a mark in column 6 continues a statement,
 * and code extends to the last column. Blanks are insignificant outside of constants. A tab in the
 * first columns means column 7 or, before a digit, a continuation (DEC). A statement ends where the
 * next one begins: comments, preprocessor lines and directives between are skipped first. */
#include "source/fortran/split.h"

/* The parts of one line. */
struct card {
	bool is_comment;
	bool is_continued;
	uint32_t code, column;	/* beginning of the code: offset, and its column */
	uint32_t label_at, label_len;
};

/* A comment mark in column 1, or only blanks before a ! that is not in column 6. */
static bool is_comment(const char *line, uint32_t n)
{
	uint32_t i = 0;

	if (!n)
		return true;
	if (line[0] == 'c' || line[0] == 'C' || line[0] == '*' || line[0] == 'd' ||
	    line[0] == 'D' || line[0] == '!')
		return true;
	while (i < n && bob_fortran_is_blank(line[i]))
		i++;
	return i == n || (line[i] == '!' && (i != 5 || line[0] == '\t'));
}

/* `!$` and blanks in place of a comment: code for OpenMP compilers. */
static bool is_conditional(const char *line, uint32_t n)
{
	return n > 2 && (line[0] == '!' || line[0] == 'c' || line[0] == 'C' || line[0] == '*') &&
	       line[1] == '$' && (bob_fortran_is_blank(line[2]) || bob_is_digit(line[2]));
}

static struct card take_apart(const struct bob_fortran_splitter *s, uint32_t from, uint32_t to)
{
	const char *bytes = s->file->bytes;
	bool is_code = s->is_openmp && is_conditional(bytes + from, to - from);
	struct card c = { .is_comment = !is_code && is_comment(bytes + from, to - from) };
	uint32_t i = from, column = 1;

	if (c.is_comment)
		return c;
	if (is_code) {
		i += 2;
		column = 3;
	} else if (bytes[i] == '&') {
		c.is_continued = true;
		c.code = i + 1;
		c.column = 7;
		return c;
	}
	for (; i < to && column < 6; i++, column++) {
		if (bytes[i] == '\t') {
			column = 6;
			i++;
			c.is_continued = i < to && bytes[i] >= '1' && bytes[i] <= '9';
			i += c.is_continued;
			break;
		}
		if (bob_is_digit(bytes[i])) {
			if (!c.label_len)
				c.label_at = i;
			c.label_len = i + 1 - c.label_at;
		} else if (!bob_fortran_is_blank(bytes[i])) {
			break;
		}
	}
	if (column == 6 && i < to && i == from + 5) {
		c.is_continued = !bob_fortran_is_blank(bytes[i]) && bytes[i] != '0';
		i++;
	}
	c.code = i;
	c.column = column == 6 ? 7 : column;
	return c;
}

bool bob_fortran_fixed_continues(struct bob_fortran_splitter *s, uint32_t line)
{
	const struct bob_fortran_file *f = s->file;
	bool is_cpp = false;

	if (line < s->peeked)
		return s->peeked_continues;
	s->peeked_continues = false;
	for (s->peeked = line + 1; s->peeked <= f->line_count; s->peeked++) {
		uint32_t from = f->line_at[s->peeked - 1], to = f->line_at[s->peeked];
		struct card c;

		while (to > from && (f->bytes[to - 1] == '\n' || f->bytes[to - 1] == '\r'))
			to--;
		if (is_cpp || (from < to && f->bytes[from] == '#')) {
			is_cpp = to > from && f->bytes[to - 1] == '\\';
			continue;
		}
		c = take_apart(s, from, to);
		if (!c.is_comment) {
			s->peeked_continues = c.is_continued;
			break;
		}
	}
	return s->peeked_continues;
}

/* A continued constant is padded with blanks up to the last column. */
static void fill(struct bob_fortran_splitter *s)
{
	while (s->unfilled && (s->quote || s->hollerith)) {
		bob_fortran_put_raw(s, ' ', s->unfilled_at);
		s->unfilled--;
		s->hollerith -= s->hollerith > 0;
	}
	s->unfilled = 0;
}

static void read_label(struct bob_fortran_splitter *s, const struct card *c)
{
	const char *bytes = s->file->bytes;

	s->label_at = c->label_at;
	s->label_len = c->label_len;
	s->label = 0;
	for (uint32_t i = 0; i < c->label_len; i++)
		if (bob_is_digit(bytes[c->label_at + i]))
			s->label = s->label * 10 + (uint32_t)(bytes[c->label_at + i] - '0');
}

/* Reads one character outside of constants; false: the rest of the line is a comment. */
static bool take(struct bob_fortran_splitter *s, uint32_t line, uint32_t i)
{
	char c = s->file->bytes[i];

	if (c == '!')
		return false;
	if (c == ';') {
		bob_fortran_finish(s);
		bob_fortran_begin(s, line);
		s->is_after_semicolon = true;
	} else if (!bob_fortran_is_blank(c)) {
		bob_fortran_put(s, c, i);
		if (c == '\'' || c == '"')
			s->quote = c;
		else if (c == 'h' || c == 'H')
			s->hollerith = s->failed ? 0 : bob_fortran_hollerith(s);
	}
	return true;
}

static void read_code(struct bob_fortran_splitter *s, uint32_t line, const struct card *card,
		      uint32_t to)
{
	uint32_t width = s->file->width, column = card->column, i = card->code;

	for (; i < to && column <= width; i++, column++) {
		char c = s->file->bytes[i];

		if (s->failed)
			return;
		if (s->hollerith) {
			bob_fortran_put_raw(s, c, i);
			s->hollerith--;
		} else if (s->quote) {
			bob_fortran_put_raw(s, c, i);
			if (c == s->quote)
				s->quote = 0;
		} else if (!take(s, line, i)) {
			return;
		}
	}
	s->unfilled = column <= width ? width - column + 1 : 0;
	s->unfilled_at = i;
}

void bob_fortran_fixed_line(struct bob_fortran_splitter *s, uint32_t line, uint32_t from,
			    uint32_t to)
{
	const char *bytes = s->file->bytes;
	struct card c = take_apart(s, from, to);

	if (c.is_comment) {
		if (from < to && bytes[from] != 'd' && bytes[from] != 'D' &&
		    bob_fortran_sentinel(bytes, from + 1, to))
			bob_fortran_line(s, BOB_F_DIRECTIVE, line, from + 1, to);
		return;
	}
	if (c.is_continued && s->is_open) {
		s->file->line_kinds[line - 1] = BOB_LINE_CONTINUED;
		fill(s);
	} else {
		s->file->line_kinds[line - 1] = BOB_LINE_START;
		bob_fortran_finish(s);
		bob_fortran_begin(s, line);
		s->is_after_semicolon = false;
		read_label(s, &c);
	}
	s->line_last = line;
	read_code(s, line, &c, to);
}
