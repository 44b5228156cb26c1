/* SPDX-License-Identifier: BSD-3-Clause */
/* Insertion points of probes before and after a statement, and their prerequisites, as data. The
 * rules are in docs/source-fortran.md. Pure functions of a file with units. Any thread. */
#ifndef BOB_SOURCE_FORTRAN_INSERTION_H
#define BOB_SOURCE_FORTRAN_INSERTION_H

#include "source/fortran/use.h"

/* one-line IF: probes of the body need IF (...) THEN, body, END IF */
#define BOB_NEED_EXPAND 1u
#define BOB_NEED_TERMINAL 2u	/* ends labelled loops: see `label` */
/* is a branch target: lines before it must take its label, see `label` */
#define BOB_NEED_LABEL 4u
#define BOB_NEED_WRAPPER 8u	/* no lines can go before it: probes are within the expression */
#define BOB_NEED_BACK_EDGE                                                                         \
	0x10u /* DO WHILE: read in each iteration: also before the END DO and each CYCLE */
#define BOB_NEED_LOOP_BODY                                                                         \
	0x20u /* DO: the variable is written at the beginning of the body and after the loop */
#define BOB_NEED_SPLIT 0x40u /* shares its line with others: rewrite.h removes the `;` */
#define BOB_NEED_NO_CALL                                                                           \
	0x80u /* no impure procedure may be called here: pure unit, DO CONCURRENT */
#define BOB_NEED_SAVE 0x100u	/* subscripts may change during the statement: save them before */
#define BOB_NEED_ONE_SECTION                                                                       \
	0x200u /* masked: the whole array is reported, before and after the construct */
#define BOB_NEED_IMPLIED_DO 0x400u /* the probe of the list needs the same loops around it */
#define BOB_NEED_EARLY                                                                             \
	0x800u /* may leave early (END=, ERR=, alternate return): following probes may not run */
/* the variable must be registered again after it: ALLOCATE, =>, allocatable left side */
#define BOB_NEED_REGISTER 0x1000u
#define BOB_NEED_TIGHT 0x4000u /* within loops that a directive combines: no lines between them */
#define BOB_NEED_UNREGISTER 0x2000u /* ... and must be unregistered before it */

struct bob_fortran_place {
	uint32_t needs;		/* BOB_NEED_*; for a use: those of its statement and its own */
	/* Offset for lines before the statement: the beginning of its first line, or of the
	 * directives that must directly precede it, or of the #if around these; for a statement
	 * after a `;` its first byte. For masked statements (ONE_SECTION) it is before the
	 * outermost masking construct. BOB_FORTRAN_NO: there is none (ELSE IF, CASE, FORMAT,
	 * non-executable statements). */
	uint32_t before;
	/* Offset for lines after the statement: the beginning of the line after its last one, or
	 * after the directives that end there; before a `;` the first byte of the next statement.
	 * BOB_FORTRAN_NO: there is none (GO TO, RETURN, STOP, beginnings of constructs: see
	 * `inside`). */
	uint32_t after;
	/* For the beginning of a construct or branch (IF THEN, ELSE IF, ELSE, DO, CASE): offset of
	 * the beginning of its block. */
	uint32_t inside;
	/* DO: offset after the loop (after the nest, if it shares its terminal statement). */
	uint32_t after_loop;
	/* EXPAND: offsets of `if (...)` and of the body. */
	uint32_t header, header_end, body, body_end;
	/* LABEL: the label moves to a CONTINUE before the probes that precede the statement.
	 * TERMINAL: the statement keeps its label. A CONTINUE with a new label follows it and its
	 * probes, and every DO that ends here (constructs with this `last`) gets the new label
	 * instead of the old one, at its `target_at`. */
	uint32_t label, label_at, label_len;
	uint32_t target_at, target_len; /* DO with a label: the offset of its digits */
};

/* The insertion points and needs of the statement. Errors: BOB_ERR_INVAL (no such statement). */
bob_status bob_fortran_place(const struct bob_fortran_file *f, uint32_t statement,
			     struct bob_fortran_place *out);
/* ... with the additional needs of this use. */
bob_status bob_fortran_place_use(const struct bob_fortran_file *f, uint32_t statement,
				 const struct bob_fortran_use *u, struct bob_fortran_place *out);

#endif
