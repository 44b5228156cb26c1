/* SPDX-License-Identifier: BSD-3-Clause */
/* A Fortran source file as a list of statements; each character of a statement has its byte offset
 * in the file. Nothing is preprocessed: preprocessor lines are separate statements, and both
 * branches of an #if are parsed. Owner: the arena owns everything. The bytes of the file are
 * borrowed and must live as long as it. Threads: one file, one thread. Units: bytes, lines and
 * columns from 1, statements from 0. */
#ifndef BOB_SOURCE_FORTRAN_LINES_H
#define BOB_SOURCE_FORTRAN_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/host/arena.h"
#include "bobbin/status.h"
#include "source/fortran/kinds.h"

#define BOB_FORTRAN_BYTES_MAX (64u << 20)
#define BOB_FORTRAN_NO UINT32_MAX /* no such place, statement, unit, ... */

enum bob_fortran_form { BOB_FORTRAN_AUTO, BOB_FORTRAN_FIXED, BOB_FORTRAN_FREE };

/* All zero: form and width are determined from the text. */
struct bob_fortran_options {
	enum bob_fortran_form form;
	enum bob_fortran_form likely; /* used if the text may be either; AUTO: fixed */
	uint32_t width;		/* of fixed form: 72, 132, ...; 0: determined from the text */
	bool is_openmp;		/* lines that begin with the sentinel `!$` are code */
};

struct bob_fortran_symbols;

/* One statement. `text` is the normalized statement: lower case, without comments, continuation
 * marks and the label; a run of blanks becomes one blank in free form and is removed in fixed form.
 * Character and Hollerith constants are as in the file (in fixed form padded with blanks up to the
 * last column). */
struct bob_fortran_statement {
	const char *text;	/* `len` characters and a zero */
	/* offset in the file of each character, ascending; at[len]: after the last one */
	const uint32_t *at;
	uint32_t len;
	uint32_t first,
		end; /* bytes [first, end): from the label or first character to after the last */
	uint32_t line, line_last; /* its first and last line, including continuation lines */
	uint32_t label;		/* 0: none */
	uint32_t label_at, label_len; /* its digits in the file */
	bool shares_line;	/* another statement begins or ends on one of its lines (`;`) */

	/* set by classify.c: */
	enum bob_fortran_kind kind;
	uint32_t name_len;	/* length of a construct name at the beginning of `text`; 0: none */
	uint32_t from;		/* in `text`: after the construct's name and its colon */
	/* IF, WHERE, FORALL of one line: kind of the controlled statement */
	enum bob_fortran_kind body_kind;
	uint32_t body;		/* its position in `text`; 0: none */
	uint32_t target;	/* DO with a label: that label; 0: none */

	/* set by units.c: */
	uint32_t unit;		/* index; BOB_FORTRAN_NO: in none */
	/* the innermost construct around it (for its first and last statement: itself) */
	uint32_t construct;
	uint32_t ends_loops;	/* number of labelled DO loops that end with this statement */
	bool is_executable;
	bool is_branch_target;	/* its label is used other than by a DO */
	bool is_in_workshare;	/* in `omp workshare`, where no calls are allowed */

	/* set by unit_tables.c: */
	bool includes_code,
		includes_names; /* INCLUDE, #include: of executable statements, of declarations */
	/* names in effect there: of the innermost BLOCK, ..., or of the unit; NULL: in no unit */
	struct bob_fortran_symbols *names;
};

/* Kind of one line of the file. */
enum bob_fortran_line {
	BOB_LINE_COMMENT,	/* or blank */
	BOB_LINE_START,		/* a statement begins on it */
	BOB_LINE_CONTINUED,	/* continues one */
	BOB_LINE_CPP
};

struct bob_fortran_unit;
struct bob_fortran_construct;

struct bob_fortran_file {
	struct bob_arena *arena;
	const char *bytes;
	uint32_t len;
	enum bob_fortran_form form; /* never AUTO */
	uint32_t width;		/* last column of fixed form; 0 in free form */
	uint32_t *line_at;	/* line n begins at line_at[n - 1]; line_at[line_count] = len */
	uint8_t *line_kinds;	/* enum bob_fortran_line of line n at index n - 1 */
	uint32_t line_count;
	struct bob_fortran_statement *statements; /* in the order of the file */
	uint32_t count;
	uint32_t unknown_count;	/* of kind BOB_F_UNKNOWN */
	struct bob_fortran_unit *units; /* units.h, in the order of their first statements */
	uint32_t unit_count;
	struct bob_fortran_construct *constructs;
	uint32_t construct_count;
};

/* Splits and classifies; all bytes are valid input. On BOB_OK *out is in the arena. options may be
 * NULL. Errors: BOB_ERR_NOMEM; BOB_ERR_FULL (longer than BOB_FORTRAN_BYTES_MAX). */
bob_status bob_fortran_split(struct bob_arena *arena, const char *bytes, size_t len,
			     const struct bob_fortran_options *options,
			     struct bob_fortran_file **out);

/* The usual form of files with this suffix: .f, .for, .F77 ... fixed, .f90 ... free; else AUTO. */
enum bob_fortran_form bob_fortran_form_of_name(const char *path);

/* The line and column of a byte. Offsets at or after the end of the file are after the last byte of
 * the last line. */
struct bob_fortran_position {
	uint32_t line, column;
};
struct bob_fortran_position bob_fortran_position(const struct bob_fortran_file *f, uint32_t byte);

/* The offset of line `line`; after the last line: the end of the file. */
uint32_t bob_fortran_line_at(const struct bob_fortran_file *f, uint32_t line);

#endif
