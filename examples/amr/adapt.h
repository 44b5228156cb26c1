/* SPDX-License-Identifier: BSD-3-Clause */
/* Refining a mesh where that is wanted, and dealing it out evenly. mesh_connect must follow. */
#ifndef AMR_ADAPT_H
#define AMR_ADAPT_H

#include "mesh.h"

/* `want` is -1, 0 or 1 for each own cell: coarser, the same, finer. Returns how many cells changed, on all ranks. */
int mesh_refine(struct mesh *m, const int8_t *want);

/* The most cells on a rank, by their mean. */
double mesh_imbalance(const struct mesh *m);
/* Deals the cells out anew. */
void mesh_balance(struct mesh *m);

#endif
