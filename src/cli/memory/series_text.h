/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns as text: addresses with the loops over them, (count x step), the outermost first, as in
 * the tuples of ScalaMemTrace:
 *
 *     0x4a4e040 (100 x +800)(100 x +8)
 *
 * Addresses in variables of instrumented sources are elements: a[0][0] (100 x +8). A step from one
 * variable to another is given as the element: a[0] (2 x to b[0])(6 x +8). Threads: any. */
#ifndef BOB_CLI_SERIES_TEXT_H
#define BOB_CLI_SERIES_TEXT_H

#include <stdio.h>

#include "analysis/memory/series.h"

/* The process whose addresses are printed. */
struct cli_space {
	const struct bob_trace *trace;
	uint32_t process;
};

/* The trip count of loop `d` of a piece: 10, or 1+2i, where i is the outermost loop, j the next. */
void cli_count_print(const struct bob_piece *p, uint32_t d, FILE *out);
/* The loops of a piece. */
void cli_steps_print(const struct cli_space *s, const struct bob_piece *p, FILE *out);
/* Addresses, with their loops; of many pieces the first ones. */
void cli_series_print(const struct cli_space *s, const struct bob_series *x, FILE *out);
/* The same; a value that is the same everywhere is printed without loops. */
void cli_value_print(const struct cli_space *s, const struct bob_series *x, FILE *out);

#endif
