/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh of square cells of several sizes over the unit square. A cell of level l has sides of 1 / 2^l; cells are in the order of a space-filling
 * curve (Z), and each rank has a stretch of it. Where the cells are is known to all ranks; what is in them (height, and momentum
 * in x and y) only to the cell's own rank, and for its neighbours' sake to theirs.
 * Cells that touch differ by one level at most, and cells of one parent that could become it again are on one rank, so what is
 * computed does not depend on how many ranks there are. */
#ifndef AMR_MESH_H
#define AMR_MESH_H

#include <stddef.h>
#include <stdint.h>

#define MESH_LEVEL_MIN 3
#define MESH_LEVEL_MAX 6

struct state {
	double h, hu, hv;
};

enum side { WEST, EAST, SOUTH, NORTH };
#define SIDES 4
#define WALL (-1)
#define STATE_DOUBLES ((int)(sizeof(struct state) / sizeof(double)))

struct mesh {
	int rank, ranks;
	int cells;		/* of all ranks */
	uint32_t *code;		/* of each: the smallest cell in its lower left corner, in Z order */
	uint8_t *level;
	int *first;		/* of each rank, and the end */
	struct state
		*own; /* first[rank + 1] - first[rank], then those of other ranks that they touch */
	int owned, ghosts;
	int (*near)
		[SIDES]
		[2]; /* what is at the two halves of each side of own cells: places in `own`, or WALL */
	int *ghost, *needed;	/* cells of others; own ones that others need, by rank */
	int *ghosts_of, *needed_by; /* how many of, and by, each rank */
};

/* All cells of the lowest level, evenly on the ranks; all zero. */
void mesh_create(struct mesh *m);
void mesh_destroy(struct mesh *m);

double mesh_size(const struct mesh *m, int own);	/* of a side */
void mesh_corner(const struct mesh *m, int cell, double *x,
		 double *y); /* lower left; by number on all ranks */

/* What is in ghosts becomes what is in the cells. */
void mesh_exchange(struct mesh *m);

/* To be done after mesh_create, and after refining and balancing. */
void mesh_connect(struct mesh *m);

/* What else there is to know of it. The smallest cells in a cell of this level; the cells at the two halves of a side, the same one
 * twice unless they are smaller; where each rank's stretch should begin. */
uint32_t mesh_span(int level);
void mesh_beside(const struct mesh *m, int cell, enum side side, int beside[2]);
void mesh_deal(const struct mesh *m, int *first);

/* Zeroed memory; no memory ends all ranks. */
void *mesh_get(size_t count, size_t size);

#endif
