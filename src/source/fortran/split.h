/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the splitter: the open statement, and the readers of lines of both forms. One
 * thread. */
#ifndef BOB_SOURCE_FORTRAN_SPLIT_H
#define BOB_SOURCE_FORTRAN_SPLIT_H

#include "source/fortran/lines.h"
#include "base/ascii.h"

struct bob_fortran_splitter {
	struct bob_fortran_file *file;
	struct bob_arena *arena;
	bool is_openmp, failed;	/* no memory */

	/* the open statement */
	char *text;
	uint32_t *at;
	uint32_t len, capacity;
	uint32_t first, line, line_last;
	uint32_t label, label_at, label_len;
	bool is_open;		/* there is an open statement */
	bool is_continued;	/* free form: its line ended in & */
	bool is_blank_due;	/* free form: a blank precedes the next character */
	bool is_after_semicolon;

	/* context of the next character */
	char quote;		/* in a character constant: its quote; else 0 */
	uint32_t hollerith;	/* remaining characters of a Hollerith constant */
	uint32_t unfilled, unfilled_at; /* fixed form: unused columns of the last line */

	/* fixed form: the next line of code after the requested one, and whether it is continued */
	uint32_t peeked;
	bool peeked_continues;

	uint32_t statement_capacity;
	uint32_t unbalanced;	/* number of statements with unbalanced brackets or quotes */
};

void bob_fortran_begin(struct bob_fortran_splitter *s, uint32_t line);
/* Appends a character to the statement, in lower case outside of constants. */
void bob_fortran_put(struct bob_fortran_splitter *s, char c, uint32_t at);
/* Appends it unchanged, for constants. */
void bob_fortran_put_raw(struct bob_fortran_splitter *s, char c, uint32_t at);
/* Ends the statement; an empty one without a label is dropped. */
void bob_fortran_finish(struct bob_fortran_splitter *s);
/* Adds a whole line of kind CPP, or a directive, whose text is bytes [from, to). */
void bob_fortran_line(struct bob_fortran_splitter *s, enum bob_fortran_kind kind, uint32_t line,
		      uint32_t from, uint32_t to);
/* Was the last character the H of a Hollerith constant? Returns the constant's length, else 0. */
uint32_t bob_fortran_hollerith(const struct bob_fortran_splitter *s);
/* True if bytes[from, to), after a comment character, begin with a sentinel of directives. */
bool bob_fortran_sentinel(const char *bytes, uint32_t from, uint32_t to);

/* Reads one line [from, to), without its newline, and sets its kind. `line` is its number. */
void bob_fortran_fixed_line(struct bob_fortran_splitter *s, uint32_t line, uint32_t from,
			    uint32_t to);
void bob_fortran_free_line(struct bob_fortran_splitter *s, uint32_t line, uint32_t from,
			   uint32_t to);

/* Fixed form: is the open statement continued after this line, which is not code? */
bool bob_fortran_fixed_continues(struct bob_fortran_splitter *s, uint32_t line);

/* form.c: the form that the text shows: FIXED, FREE, or AUTO if it shows neither or both. */
enum bob_fortran_form bob_fortran_guess_form(const char *bytes, uint32_t len);

/* classify.c: determines the kind and the parts of the statement. is_fixed: words need no blanks
 * between them. */
void bob_fortran_classify(struct bob_fortran_statement *s, bool is_fixed);

static inline bool bob_fortran_is_quote(char c)
{
	return c == '\'' || c == '"';
}

static inline bool bob_fortran_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f' || c == '\r';
}
/* Is it a character of a name? Compilers allow $. */
static inline bool bob_fortran_is_word(char c)
{
	return bob_is_word(c) || c == '$';
}
static inline char bob_fortran_small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

#endif
