/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that are put into the source: where they go, and in which order. Owner of all: struct
 * bob_weave. One thread. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_LINES_H
#define BOB_SOURCE_FORTRAN_WEAVE_LINES_H

#include "source/fortran/weave/weave.h"

/* --- blocks.c --- */
/* Is the BLOCK left at its end, or by RETURN, EXIT and CYCLE alone? */
bool bob_weave_is_left_in_order(const struct bob_weave *w, uint32_t construct);
/* Does the statement leave the BLOCK? */
bool bob_weave_leaves_block(const struct bob_weave *w, uint32_t construct, uint32_t statement);
/* The first statement in it that runs: its END, if there is none. */
uint32_t bob_weave_first_in_block(const struct bob_weave *w, uint32_t construct);

/* --- branches.c --- */
/* The lines `text`, which name the variable by what the unit of the statement calls it, as they are
 * valid at that byte: under the conditions of the branches that declare it, or use its module. */
const char *bob_weave_under(struct bob_weave *w, const struct bob_weave_variable *v,
			    const struct bob_fortran_symbol *y, uint32_t statement, uint32_t at,
			    const char *text);

/* Does a branch of an #if in the unit have declarations and what runs, so that nothing can be
 * inserted between them that is there in any case? */
bool bob_weave_mixes_branches(const struct bob_weave *w, uint32_t unit);

/* --- lines.c --- */
/* The order of lines that are inserted at the same byte. */
enum bob_weave_rank {
	BOB_RANK_USE,
	BOB_RANK_INTERFACE,	/* declarations */
	/* of an IF that ends here and was one line: before what it controls ... */
	BOB_RANK_BODY_BEFORE,
	BOB_RANK_BODY,		/* ... that itself ... */
	/* ... after the statement that ends here, or that is controlled ... */
	BOB_RANK_AFTER,
	BOB_RANK_MOVED,		/* ... what it wrote where it may be elsewhere now ... */
	BOB_RANK_END_IF,	/* ... the end of that IF, and ... */
	BOB_RANK_END_HOISTED,	/* ... of where names for functions are known ... */
	BOB_RANK_AFTER_LOOP,	/* ... after the loop that does, inner ones first ... */
	BOB_RANK_INSIDE,	/* ... at the beginning of the block that does ... */
	BOB_RANK_CLOSE,		/* ... of IFs that were ELSE IF, inner ones first ... */
	BOB_RANK_ENTRY,		/* ... of the unit ... */
	BOB_RANK_BEFORE,	/* ... and before the statement that does ... */
	BOB_RANK_NEST,		/* ... and before the loops that do, when their bounds were read */
	BOB_RANK_TURN,		/* ... the ELSE or DO that replaces that statement, and ... */
	BOB_RANK_CONDITION,	/* ... before its condition */
	BOB_RANK_EXIT		/* the unit is about to be left */
};
/* The line (NULL: none), and `instead` in place of bytes of the file. */
void bob_weave_put_instead(struct bob_weave *w, uint32_t at, enum bob_weave_rank rank,
			   uint32_t statement, const char *text, uint32_t first, uint32_t last,
			   const char *instead);
/* One line, or several. */
void bob_weave_put(struct bob_weave *w, uint32_t at, enum bob_weave_rank rank, uint32_t statement,
		   const char *text);
/* ... about a variable: in an IF if it may be absent (declare.c). */
void bob_weave_put_of(struct bob_weave *w, const struct bob_fortran_symbol *s, uint32_t at,
		      enum bob_weave_rank rank, uint32_t statement, const char *text);
/* Lines before the statement are put there; its label, if something jumps to it, moves to before
 * them. False: that cannot be done, and was refused. *at is where. */
bool bob_weave_before(struct bob_weave *w, uint32_t statement, uint32_t *at);
/* An IF of one line becomes one of several, once: lines of the ranks BODY_BEFORE, AFTER and MOVED
 * at *at are under its condition. False: it cannot, as where it ends a loop, or what it controls is
 * on several lines. */
bool bob_weave_expand(struct bob_weave *w, uint32_t statement, uint32_t *at);
/* Could it? */
bool bob_weave_expands(const struct bob_weave *w, uint32_t statement);
/* Did it? */
bool bob_weave_is_expanded(const struct bob_weave *w, uint32_t statement);
/* All that were put while `in` was this. */
bob_status bob_weave_lines(struct bob_weave *w, uint32_t in, struct bob_fortran_patches *p);
/* Do lines that were put stand for these bytes? */
bool bob_weave_is_replaced(const struct bob_weave *w, uint32_t in, uint32_t byte);
/* The byte where lines before a specification statement go: after a `;` directly before it. */
uint32_t bob_weave_line_of(const struct bob_weave *w, uint32_t statement);

#endif
