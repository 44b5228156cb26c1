/* SPDX-License-Identifier: BSD-3-Clause */
/* Where probes of a statement go, as data: bytes of the file at which whole lines may be inserted,
 * and what must be done so that they may. The rules are in docs/source-fortran.md. Pure functions
 * of a file that has units. */
#ifndef BOB_SOURCE_FORTRAN_PLACE_H
#define BOB_SOURCE_FORTRAN_PLACE_H

#include "source/fortran/use.h"

/* IF of one line: probes of the body need IF (...) THEN, body, END IF */
#define BOB_NEED_EXPAND 1u
#define BOB_NEED_TERMINAL 2u	/* ends labelled loops: see `label` */
/* is a branch target: lines before it take its label, see `label` */
#define BOB_NEED_LABEL 4u
#define BOB_NEED_WRAPPER 8u	/* no lines can go before: probes are within the expression */
#define BOB_NEED_BACK_EDGE                                                                         \
	0x10u /* DO WHILE: what is read is read on each trip: also before the END DO and each CYCLE */
#define BOB_NEED_LOOP_BODY                                                                         \
	0x20u /* DO: the variable is written at the beginning of the body and after the loop */
#define BOB_NEED_SPLIT 0x40u /* shares its line with others: patch.h takes the `;` away */
#define BOB_NEED_NO_CALL                                                                           \
	0x80u /* no impure procedure may be called here: pure unit, DO CONCURRENT */
#define BOB_NEED_SAVE 0x100u	/* subscripts may change while it runs: take them before */
#define BOB_NEED_ONE_SECTION                                                                       \
	0x200u /* masked: the whole array is reported, before and after the construct */
#define BOB_NEED_IMPLIED_DO 0x400u /* the probe of a list needs the same loops around it */
#define BOB_NEED_EARLY                                                                             \
	0x800u /* leaves early (END=, ERR=, alternate return): what follows may not run */
/* the interval must be registered anew after it: ALLOCATE, =>, allocatable on the left */
#define BOB_NEED_REGISTER 0x1000u
#define BOB_NEED_TIGHT                                                                             \
	0x4000u /* within loops that a directive takes together: no lines between them */
#define BOB_NEED_UNREGISTER 0x2000u /* ... and unregistered before it */

struct bob_fortran_place {
	uint32_t needs;		/* BOB_NEED_*; of a use: those of its statement and its own */
	/* Byte at which lines that run before the statement go: the beginning of its first line, or
	 * of the directives that must stay right before it, and of the #if around these; of a
	 * statement after a `;` its first byte. What is masked (ONE_SECTION) goes before the
	 * outermost construct that masks. BOB_FORTRAN_NO: there is none (ELSE IF, CASE, FORMAT,
	 * what does not run). */
	uint32_t before;
	/* Byte for lines that run after it: the beginning of the line after its last, or after the
	 * directives that end there; before a `;` the first byte of the next statement.
	 * BOB_FORTRAN_NO: there is none (GO TO, RETURN, STOP, beginnings of constructs: see
	 * `inside`). */
	uint32_t after;
	/* For the beginning of a construct or branch (IF THEN, ELSE IF, ELSE, DO, CASE): byte at
	 * which its block begins. */
	uint32_t inside;
	/* DO: byte after the loop (nest, if it shares its terminal). */
	uint32_t after_loop;
	/* EXPAND: bytes of `if (...)`, and of the body. */
	uint32_t header, header_end, body, body_end;
	/* LABEL: the label moves to a CONTINUE before the probes that run before. TERMINAL: the
	 * statement keeps its label; a CONTINUE with a new one follows it and its probes, and every
	 * DO that ends here (constructs whose `last` it is) gets the new label instead of the old,
	 * at its own `target_at`. */
	uint32_t label, label_at, label_len;
	uint32_t target_at, target_len; /* DO with a label: the digits of it in the file */
};

/* What the statement as a whole needs. Errors: BOB_ERR_INVAL (no such statement). */
bob_status bob_fortran_place(const struct bob_fortran_file *f, uint32_t statement,
			     struct bob_fortran_place *out);
/* ... and what this use of it needs in addition. */
bob_status bob_fortran_place_use(const struct bob_fortran_file *f, uint32_t statement,
				 const struct bob_fortran_use *u, struct bob_fortran_place *out);

#endif
