/* SPDX-License-Identifier: BSD-3-Clause */
/* A communication matrix as a picture: a square for each pair, the darker the more. */
#ifndef BOB_CLI_MATRIX_SVG_H
#define BOB_CLI_MATRIX_SVG_H

#include <stdio.h>

#include "analysis/mpi/matrix.h"

/* `count` cells by sender, then by receiver. More than 512 ranks are drawn together, several to a
 * square. */
void cli_matrix_svg(const struct bob_mpi_cell *cell, size_t count, uint32_t ranks, int messages,
		    const char *title, FILE *out);

#endif
