/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh of square cells of several sizes over the unit square. A cell of level l has sides of 1 /
 * 2^l. Cells are in the order of a space-filling curve (Z), and each rank has a contiguous part of
 * it. All ranks know all cells; their contents (height, and momentum in x and y) are only on the
 * cell's rank and on those of its neighbours. Adjacent cells differ by at most one level, and cells
 * that can be joined to one parent are on one rank, so results do not depend on the number of
 * ranks. */
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
	uint32_t *code;		/* of each: its lower left smallest cell, in Z order */
	uint8_t *level;
	int *first;		/* of each rank, and the end */
	struct state
		*own; /* first[rank + 1] - first[rank], then those of other ranks that they touch */
	int owned, ghosts;
	int (*near)
		[SIDES]
		/* neighbours at both halves of each side of own cells: index in `own`, or WALL */
		[2];
	int *ghost, *needed;	/* cells of others; own ones that others need, by rank */
	int *ghosts_of, *needed_by; /* number of ghosts of, and of cells needed by, each rank */
};

/* All cells of the lowest level, evenly distributed; all values zero. */
void mesh_create(struct mesh *m);
void mesh_destroy(struct mesh *m);

double mesh_size(const struct mesh *m, int own);	/* of a side */
void mesh_corner(const struct mesh *m, int cell, double *x,
		 double *y); /* lower left; by number on all ranks */

/* Copies contents of cells to the ghosts. */
void mesh_exchange(struct mesh *m);

/* Must be called after mesh_create, and after refining and balancing. */
void mesh_connect(struct mesh *m);

/* Further queries: the number of smallest cells in a cell of this level; the cells at the two
 * halves of a side (equal unless they are smaller); the first cell of each rank in an even
 * distribution. */
uint32_t mesh_span(int level);
void mesh_beside(const struct mesh *m, int cell, enum side side, int beside[2]);
void mesh_deal(const struct mesh *m, int *first);

/* Zeroed memory; exhausted memory ends all ranks. */
void *mesh_get(size_t count, size_t size);

#endif
