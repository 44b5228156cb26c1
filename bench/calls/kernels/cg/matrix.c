/* SPDX-License-Identifier: BSD-3-Clause */
/* The random matrix. Edge k of row i joins i to a random column with a random weight and occurs
 * twice in the matrix, so it is symmetric; the diagonal exceeds the sum of its row by a little,
 * so it is positive definite. Every rank draws all edges and keeps its own rows. */
#include "cg.h"

#include "frame/frame.h"

#include <math.h>
#include <stdlib.h>

#define SEED 271828183ull
#define EXCESS 0.05

struct edge {
	int column;
	double weight;
};

static struct edge edge_at(uint64_t *state, int n)
{
	struct edge e;

	*state = frame_random_next(*state);
	e.column = (int)((*state >> 33) % (uint64_t)n);
	*state = frame_random_next(*state);
	e.weight = 2.0 * frame_random_unit(*state) - 1.0;
	return e;
}

static int is_own(const struct cg_matrix *a, int row)
{
	return row >= a->first && row < a->first + a->rows;
}

static void count_entries(struct cg_matrix *a, int edges_per_row)
{
	uint64_t state = SEED;

	for (int i = 0; i < a->n; i++)
		for (int k = 0; k < edges_per_row; k++) {
			struct edge e = edge_at(&state, a->n);

			if (is_own(a, i))
				a->start[i - a->first + 1]++;
			if (is_own(a, e.column))
				a->start[e.column - a->first + 1]++;
		}
	for (int i = 0; i < a->rows; i++)
		a->start[i + 1] += a->start[i] + 1;	/* 1: the diagonal, first in its row */
}

static void put_entry(struct cg_matrix *a, int *fill, int row, int column, double weight)
{
	int r = row - a->first;
	int at = a->start[r] + 1 + fill[r]++;

	a->column[at] = column;
	a->value[at] = weight;
	a->value[a->start[r]] += fabs(weight);
}

static void fill_entries(struct cg_matrix *a, int edges_per_row)
{
	int *fill = frame_alloc((uint64_t)a->rows, sizeof(*fill));
	uint64_t state = SEED;

	for (int r = 0; r < a->rows; r++) {
		a->column[a->start[r]] = a->first + r;
		a->value[a->start[r]] = EXCESS;
	}
	for (int i = 0; i < a->n; i++)
		for (int k = 0; k < edges_per_row; k++) {
			struct edge e = edge_at(&state, a->n);

			if (is_own(a, i))
				put_entry(a, fill, i, e.column, e.weight);
			if (is_own(a, e.column))
				put_entry(a, fill, e.column, i, e.weight);
		}
	free(fill);
}

void cg_matrix_create(struct cg_matrix *a, int n, int first, int rows, int edges_per_row)
{
	a->n = n;
	a->first = first;
	a->rows = rows;
	a->start = frame_alloc((uint64_t)rows + 1, sizeof(*a->start));
	count_entries(a, edges_per_row);
	a->column = frame_alloc((uint64_t)a->start[rows], sizeof(*a->column));
	a->value = frame_alloc((uint64_t)a->start[rows], sizeof(*a->value));
	fill_entries(a, edges_per_row);
}

void cg_matrix_destroy(struct cg_matrix *a)
{
	free(a->start);
	free(a->column);
	free(a->value);
}
