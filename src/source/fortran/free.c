/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads lines of free form. An & at the end continues with the next line of code, which may begin
 * with another &, also within a character constant. A run of blanks becomes one blank. */
#include "source/fortran/split.h"

static uint32_t skip_blanks(const struct bob_fortran_splitter *s, uint32_t i, uint32_t to)
{
	while (i < to && bob_fortran_is_blank(s->file->bytes[i]))
		i++;
	return i;
}

/* An & followed by nothing or, outside of constants, by a comment. */
static bool is_mark(const struct bob_fortran_splitter *s, uint32_t i, uint32_t to)
{
	uint32_t next = skip_blanks(s, i + 1, to);

	return next == to || (!s->quote && s->file->bytes[next] == '!');
}

static uint32_t read_label(struct bob_fortran_splitter *s, uint32_t i, uint32_t to)
{
	const char *bytes = s->file->bytes;

	i = skip_blanks(s, i, to);
	s->label_at = i;
	while (i < to && bob_is_digit(bytes[i])) {
		s->label = s->label * 10 + (uint32_t)(bytes[i] - '0');
		i++;
	}
	s->label_len = i - s->label_at;
	return i;
}

/* Reads characters of a constant; returns the offset after them. */
static uint32_t read_constant(struct bob_fortran_splitter *s, uint32_t i, uint32_t to)
{
	const char *bytes = s->file->bytes;

	for (; i < to && (s->quote || s->hollerith) && !s->failed; i++) {
		if (bytes[i] == '&' && is_mark(s, i, to)) {
			s->is_continued = true;
			return to;
		}
		bob_fortran_put_raw(s, bytes[i], i);
		if (s->hollerith)
			s->hollerith--;
		else if (bytes[i] == s->quote)
			s->quote = 0;
	}
	return i;
}

/* Reads one character outside of constants; returns the offset after it, or `to` if the rest of the
 * line is not code. */
static uint32_t take(struct bob_fortran_splitter *s, uint32_t line, uint32_t i, uint32_t to)
{
	char c = s->file->bytes[i];

	if (c == '!')
		return to;
	if (bob_fortran_is_blank(c)) {
		s->is_blank_due = true;
		return i + 1;
	}
	if (c == '&' && is_mark(s, i, to)) {
		s->is_continued = true;
		return to;
	}
	if (c == ';') {
		bob_fortran_finish(s);
		bob_fortran_begin(s, line);
		s->is_after_semicolon = true;
		return read_label(s, i + 1, to);
	}
	bob_fortran_put(s, c, i);
	if (c == '\'' || c == '"')
		s->quote = c;
	else if ((c == 'h' || c == 'H') && !s->failed)
		s->hollerith = bob_fortran_hollerith(s);
	return i + 1;
}

static void read_code(struct bob_fortran_splitter *s, uint32_t line, uint32_t i, uint32_t to)
{
	while (i < to && !s->failed)
		i = s->quote || s->hollerith ? read_constant(s, i, to) : take(s, line, i, to);
	if (!s->is_continued)
		bob_fortran_finish(s);
}

/* Reads a continuation line: the code begins after an & if there is one. */
static void read_continued(struct bob_fortran_splitter *s, uint32_t line, uint32_t from,
			   uint32_t to)
{
	uint32_t i = skip_blanks(s, from, to);

	s->file->line_kinds[line - 1] = BOB_LINE_CONTINUED;
	s->line_last = line;
	s->is_continued = false;
	if (i < to && s->file->bytes[i] == '&') {
		if (is_mark(s, i, to)) { /* only an & */
			s->is_continued = true;
			return;
		}
		i++;
	} else if (s->quote || s->hollerith) {
		i = from;
	} else {
		s->is_blank_due = true;
	}
	read_code(s, line, i, to);
}

void bob_fortran_free_line(struct bob_fortran_splitter *s, uint32_t line, uint32_t from,
			   uint32_t to)
{
	const char *bytes = s->file->bytes;
	uint32_t i = skip_blanks(s, from, to);

	if (i < to && bytes[i] == '!') {
		if (s->is_openmp && to - i > 2 && bytes[i + 1] == '$' &&
		    bob_fortran_is_blank(bytes[i + 2])) {
			from = i + 2;
			i = skip_blanks(s, from, to);
		} else {
			if (bob_fortran_sentinel(bytes, i + 1, to))
				bob_fortran_line(s, BOB_F_DIRECTIVE, line, i + 1, to);
			return;
		}
	}
	if (i == to)
		return;
	if (s->is_open) {
		read_continued(s, line, from, to);
		return;
	}
	s->file->line_kinds[line - 1] = BOB_LINE_START;
	bob_fortran_begin(s, line);
	s->is_after_semicolon = false;
	i = read_label(s, i, to);
	read_code(s, line, i, to);
}
