/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication matrix as a picture: a square per pair of ranks, darker for more messages or
 * bytes. */
#ifndef BOB_CLI_MATRIX_SVG_H
#define BOB_CLI_MATRIX_SVG_H

#include <stdio.h>

#include "analysis/mpi/matrix.h"

/* `count` cells, sorted by sender, then by receiver. For more than 512 ranks, a square stands for
 * several ranks. */
void cli_matrix_svg(const struct bob_mpi_cell *cell, size_t count, uint32_t ranks, int messages,
		    const char *title, FILE *out);

#endif
