/* SPDX-License-Identifier: BSD-3-Clause */
/* Insertion of lines into the source: their places and order. Owner: struct bob_weave. One
 * thread. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_LINES_H
#define BOB_SOURCE_FORTRAN_WEAVE_LINES_H

#include "source/fortran/weave/weave.h"

/* --- block_construct.c --- */
/* Is the BLOCK left only at its end, or by RETURN, EXIT and CYCLE? */
bool bob_weave_is_left_in_order(const struct bob_weave *w, uint32_t construct);
/* Does the statement leave the BLOCK? */
bool bob_weave_leaves_block(const struct bob_weave *w, uint32_t construct, uint32_t statement);
/* The first executable statement in it, or else its END. */
uint32_t bob_weave_first_in_block(const struct bob_weave *w, uint32_t construct);

/* --- branches.c --- */
/* The lines `text`, which use the unit's name of the variable, under the preprocessor conditions of
 * the branches that declare it, or use its module, as needed at that byte. */
const char *bob_weave_under(struct bob_weave *w, const struct bob_weave_variable *v,
			    const struct bob_fortran_symbol *y, uint32_t statement, uint32_t at,
			    const char *text);

/* Does a branch of an #if in the unit contain both declarations and executable statements? Then no
 * common place between them exists. */
bool bob_weave_mixes_branches(const struct bob_weave *w, uint32_t unit);

/* --- lines.c --- */
/* Order of the lines that are inserted at the same byte. */
enum bob_weave_rank {
	BOB_RANK_USE,
	BOB_RANK_INTERFACE,	/* declarations */
	/* for a one-line IF that ends here: before the controlled statement */
	BOB_RANK_BODY_BEFORE,
	BOB_RANK_BODY,		/* ... that statement */
	/* ... after the statement that ends here, or that is controlled */
	BOB_RANK_AFTER,
	BOB_RANK_MOVED,		/* ... registration of variables that it may have moved */
	BOB_RANK_END_IF,	/* ... the end of that IF */
	BOB_RANK_END_HOISTED,	/* ... the end of the ASSOCIATE of hoisted functions */
	BOB_RANK_AFTER_LOOP,	/* ... after the loop that ends here, inner ones first */
	BOB_RANK_INSIDE,	/* ... at the beginning of the block that begins here */
	BOB_RANK_CLOSE,		/* ... ends of IFs that replace ELSE IFs, inner ones first */
	BOB_RANK_ENTRY,		/* ... the entry of the unit */
	BOB_RANK_BEFORE,	/* ... before the statement that begins here */
	BOB_RANK_NEST, /* ... before the nest that begins here, after the reads of its bounds */
	BOB_RANK_TURN,		/* ... the ELSE or DO that replaces the statement */
	BOB_RANK_CONDITION,	/* ... before its condition */
	BOB_RANK_EXIT		/* ... before the unit is left */
};
/* Inserts a line (NULL: none), and replaces bytes of the file by `instead`. */
void bob_weave_put_instead(struct bob_weave *w, uint32_t at, enum bob_weave_rank rank,
			   uint32_t statement, const char *text, uint32_t first, uint32_t last,
			   const char *instead);
/* Inserts one or several lines. */
void bob_weave_put(struct bob_weave *w, uint32_t at, enum bob_weave_rank rank, uint32_t statement,
		   const char *text);
/* ... of a variable: in an IF if it may be absent (declare.c). */
void bob_weave_put_of(struct bob_weave *w, const struct bob_fortran_symbol *s, uint32_t at,
		      enum bob_weave_rank rank, uint32_t statement, const char *text);
/* Finds the place *at for lines before the statement; its label, if it is a branch target, moves
 * before them. False: impossible, and refused. */
bool bob_weave_before(struct bob_weave *w, uint32_t statement, uint32_t *at);
/* Converts a one-line IF to several lines, once. Lines of the ranks BODY_BEFORE, AFTER and MOVED at
 * *at are then under its condition. False: impossible if it ends a loop, or if its body is on
 * several lines. */
bool bob_weave_expand(struct bob_weave *w, uint32_t statement, uint32_t *at);
/* Is that possible? */
bool bob_weave_expands(const struct bob_weave *w, uint32_t statement);
/* Has it been done? */
bool bob_weave_is_expanded(const struct bob_weave *w, uint32_t statement);
/* Converts all lines of the text `in` to patches. */
bob_status bob_weave_lines(struct bob_weave *w, uint32_t in, struct bob_fortran_patches *p);
/* Do inserted lines replace these bytes? */
bool bob_weave_is_replaced(const struct bob_weave *w, uint32_t in, uint32_t byte);
/* The place for lines before a specification statement; after a `;` it is directly before the
 * statement. */
uint32_t bob_weave_line_of(const struct bob_weave *w, uint32_t statement);

#endif
