/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the splitter: the statement that is being put together, and the two readers of lines. */
#ifndef BOB_SOURCE_FORTRAN_SPLIT_H
#define BOB_SOURCE_FORTRAN_SPLIT_H

#include "source/fortran/lines.h"
#include "base/ascii.h"

struct bob_fortran_splitter {
	struct bob_fortran_file *file;
	struct bob_arena *arena;
	bool is_openmp, failed;	/* no memory */

	/* the statement so far */
	char *text;
	uint32_t *at;
	uint32_t len, capacity;
	uint32_t first, line, line_last;
	uint32_t label, label_at, label_len;
	bool is_open;		/* there is one */
	bool is_continued;	/* free form: its line ended in & */
	bool is_blank_due;	/* free form: a blank comes before the next character */
	bool is_after_semicolon;

	/* what the next character is part of */
	char quote;		/* character constant: what ends it; else 0 */
	uint32_t hollerith;	/* characters of one to come */
	uint32_t unfilled, unfilled_at; /* fixed form: columns that the last line did not fill */

	/* fixed form: the next line of code after the requested one, and whether it is continued */
	uint32_t peeked;
	bool peeked_continues;

	uint32_t statement_capacity;
	uint32_t unbalanced;	/* statements whose brackets or quotes do not come out even */
};

void bob_fortran_begin(struct bob_fortran_splitter *s, uint32_t line);
/* One character of the statement, small if it is no part of a constant. */
void bob_fortran_put(struct bob_fortran_splitter *s, char c, uint32_t at);
/* As it is, for constants. */
void bob_fortran_put_raw(struct bob_fortran_splitter *s, char c, uint32_t at);
/* The statement is complete; an empty one without a label is dropped. */
void bob_fortran_finish(struct bob_fortran_splitter *s);
/* A whole line of the kind CPP, or a directive, whose text is bytes [from, to). */
void bob_fortran_line(struct bob_fortran_splitter *s, enum bob_fortran_kind kind, uint32_t line,
		      uint32_t from, uint32_t to);
/* Just put: is it the H of a Hollerith constant? Then how many characters it has, else 0. */
uint32_t bob_fortran_hollerith(const struct bob_fortran_splitter *s);
/* bytes[from, to) begins with a sentinel of directives, after its comment character. */
bool bob_fortran_sentinel(const char *bytes, uint32_t from, uint32_t to);

/* One line [from, to), newline left out; the line's number. They set the line's kind. */
void bob_fortran_fixed_line(struct bob_fortran_splitter *s, uint32_t line, uint32_t from,
			    uint32_t to);
void bob_fortran_free_line(struct bob_fortran_splitter *s, uint32_t line, uint32_t from,
			   uint32_t to);

/* Fixed form: does the open statement continue after this line, which is not code? */
bool bob_fortran_fixed_continues(struct bob_fortran_splitter *s, uint32_t line);

/* form.c: what the text says of its form: FIXED, FREE, or AUTO if it says neither or both. */
enum bob_fortran_form bob_fortran_guess_form(const char *bytes, uint32_t len);

/* classify.c: kind and what goes with it, from the text. is_fixed: words need no blanks between
 * them. */
void bob_fortran_classify(struct bob_fortran_statement *s, bool is_fixed);

static inline bool bob_fortran_is_quote(char c)
{
	return c == '\'' || c == '"';
}

static inline bool bob_fortran_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f' || c == '\r';
}
/* Of a name; $ as compilers allow it. */
static inline bool bob_fortran_is_word(char c)
{
	return bob_is_word(c) || c == '$';
}
static inline char bob_fortran_small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

#endif
