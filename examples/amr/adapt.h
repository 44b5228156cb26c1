/* SPDX-License-Identifier: BSD-3-Clause */
/* Refines a mesh on request, and distributes it evenly. mesh_connect must follow. */
#ifndef AMR_ADAPT_H
#define AMR_ADAPT_H

#include "mesh.h"

/* `want` of each own cell: -1 coarser, 0, 1 finer. Returns the number of changed cells, on all
 * ranks. */
int mesh_refine(struct mesh *m, const int8_t *want);

/* The largest number of cells on a rank, divided by the mean. */
double mesh_imbalance(const struct mesh *m);
/* Distributes the cells evenly. */
void mesh_balance(struct mesh *m);

#endif
