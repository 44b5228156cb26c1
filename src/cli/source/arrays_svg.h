/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws arrays as pictures: a square per element, darker for more reads and writes. */
#ifndef BOB_CLI_ARRAYS_SVG_H
#define BOB_CLI_ARRAYS_SVG_H

#include <stdio.h>

#include "analysis/arrays/arrays.h"

/* Draws `count` variables, counted by element. Two dimensions are drawn as a matrix, the first
 * subscript downwards; of more, each slice of the two fastest, side by side; one dimension as a
 * strip. One picture per window. A square stands for several elements if there are too many. */
void cli_arrays_svg(const struct bob_array *a, size_t count, const char *title, FILE *out);

#endif
