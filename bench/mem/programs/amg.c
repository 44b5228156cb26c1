/* SPDX-License-Identifier: BSD-3-Clause */
/* Algebraic multigrid: conjugate gradients, preconditioned by a V-cycle, on the 7-point Laplacian
 * of a cube. amg N [STEPS]: N x N x N points, for any number of ranks.
 *
 * The set-up derives the levels from the matrix alone: neighbours become aggregates, and the matrix
 * of the aggregates is the Galerkin product with piecewise constant interpolation. Status 1 if the
 * residual does not decrease. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "csr.h"

#define LEVELS 12
#define SWEEPS 2
#define COARSE_SWEEPS 12
#define DAMPING 0.7

struct level {
	struct matrix a;
	double *x, *b, *r;
	int *aggregate;		/* of each row: row of the next level */
	int coarse;		/* rows of the next level that are this rank's */
};

/* --- the matrix --- */

static void make_laplacian(struct matrix *m, long n)
{
	long all = n * n * n, low = all * comm_rank / comm_size;
	int rows = (int)(all * (comm_rank + 1) / comm_size - low), at = 0;
	int *row = need((size_t)rows + 1, sizeof(*row));
	long *global = need((size_t)rows * 7, sizeof(*global));
	double *value = need((size_t)rows * 7, sizeof(*value));

	for (int i = 0; i < rows; i++) {
		long g = low + i, x = g % n, y = g / n % n, z = g / (n * n);
		long to[7] = { z > 0 ? g - n * n : -1, y > 0 ? g - n : -1,
			       x > 0 ? g - 1 : -1, g, x < n - 1 ? g + 1 : -1,
			       y < n - 1 ? g + n : -1, z < n - 1 ? g + n * n : -1 };

		for (int k = 0; k < 7; k++) {
			if (to[k] < 0)
				continue;
			global[at] = to[k];
			value[at++] = to[k] == g ? 6 : -1;
		}
		row[i + 1] = at;
	}
	matrix_make(m, rows, row, global, value, deal_rows(rows));
}

/* --- set-up --- */

/* Is no neighbour in an aggregate? */
static int is_free(const struct matrix *m, const int *aggregate, int i)
{
	for (int k = m->row[i]; k < m->row[i + 1]; k++)
		if (m->column[k] < m->rows && aggregate[m->column[k]] >= 0)
			return 0;
	return 1;
}

static void make_aggregates(struct level *l)
{
	const struct matrix *m = &l->a;

	l->aggregate = need((size_t)m->rows, sizeof(int));
	l->coarse = 0;
	for (int i = 0; i < m->rows; i++)
		l->aggregate[i] = -1;
	for (int i = 0; i < m->rows; i++) {
		if (!is_free(m, l->aggregate, i))
			continue;
		for (int k = m->row[i]; k < m->row[i + 1]; k++)
			if (m->column[k] < m->rows)
				l->aggregate[m->column[k]] = l->coarse;
		l->coarse++;
	}
	for (int i = 0; i < m->rows; i++) { /* the remaining rows join a neighbour */
		for (int k = m->row[i]; k < m->row[i + 1] && l->aggregate[i] < 0; k++)
			if (m->column[k] < m->rows)
				l->aggregate[i] = l->aggregate[m->column[k]];
		if (l->aggregate[i] < 0)
			l->aggregate[i] = l->coarse++;
	}
}

/* The rows of each aggregate: list[at[I]] to list[at[I + 1] - 1]. */
static void list_rows(const struct level *l, int *at, int *list)
{
	for (int i = 0; i < l->a.rows; i++)
		at[l->aggregate[i] + 1]++;
	for (int c = 0; c < l->coarse; c++)
		at[c + 1] += at[c];
	for (int i = 0; i < l->a.rows; i++)
		list[at[l->aggregate[i]]++] = i;
	for (int c = l->coarse; c > 0; c--)
		at[c] = at[c - 1];
	at[0] = 0;
}

/* Appends the row of the aggregate of these `count` rows after entry `from`; returns the end.
 * seen[label] is the index of the newest entry of that column. */
static int multiply_row(const struct matrix *m, const int *rows, int count, const int *label,
			int *seen, int from, int *column, double *value)
{
	int to = from;

	for (int n = 0; n < count; n++)
		for (int k = m->row[rows[n]]; k < m->row[rows[n] + 1]; k++) {
			int c = label[m->column[k]];

			if (seen[c] < from) {
				seen[c] = to;
				column[to] = c;
				value[to++] = 0;
			}
			value[seen[c]] += m->value[k];
		}
	return to;
}

/* Numbers the columns of the next level: own ones by aggregate, others after them. number[label] is
 * the global number; the caller owns the returned list. */
static long *label_columns(const struct level *l, long first, int *label)
{
	const struct matrix *m = &l->a;
	double *number = vector_make(m);
	long *all = need((size_t)(l->coarse + m->ghosts), sizeof(*all)), *other = all + l->coarse;
	int others;

	for (int i = 0; i < m->rows; i++)
		number[i] = (double)(first + l->aggregate[i]);
	comm_exchange(&m->halo, number, m->rows);
	for (int g = 0; g < m->ghosts; g++)
		other[g] = (long)number[m->rows + g];
	others = list_unique(other, m->ghosts);
	for (int i = 0; i < m->rows; i++)
		label[i] = l->aggregate[i];
	for (int g = m->rows; g < m->rows + m->ghosts; g++)
		label[g] = l->coarse + list_find(other, others, (long)number[g]);
	for (int c = 0; c < l->coarse; c++)
		all[c] = first + c;
	free(number);
	return all;
}

/* The matrix of the next level. */
static void make_coarse(const struct level *l, struct matrix *next)
{
	const struct matrix *m = &l->a;
	size_t columns = (size_t)(m->rows + m->ghosts), entries = (size_t)m->row[m->rows];
	int *label = need(columns, sizeof(int)), *seen = need(columns, sizeof(int));
	int *at = need((size_t)l->coarse + 2, sizeof(int)),
	    *list = need((size_t)m->rows, sizeof(int));
	int *row = need((size_t)l->coarse + 1, sizeof(int)), *column = need(entries, sizeof(int));
	double *value = need(entries, sizeof(*value));
	long *first = deal_rows(l->coarse), *number = label_columns(l, first[comm_rank], label);
	long *global = need(entries, sizeof(*global));

	for (size_t i = 0; i < columns; i++)
		seen[i] = -1;
	list_rows(l, at, list);
	for (int c = 0; c < l->coarse; c++)
		row[c + 1] = multiply_row(m, list + at[c], at[c + 1] - at[c], label, seen, row[c],
					  column, value);
	for (int k = 0; k < row[l->coarse]; k++)
		global[k] = number[column[k]];
	free(label);
	free(seen);
	free(at);
	free(list);
	free(column);
	free(number);
	matrix_make(next, l->coarse, row, global, value, first);
}

static int make_levels(struct level *l)
{
	int n = 0;

	for (;; n++) {
		long rows = l[n].a.first[comm_size];

		l[n].x = vector_make(&l[n].a);
		l[n].b = vector_make(&l[n].a);
		l[n].r = vector_make(&l[n].a);
		if (n + 1 == LEVELS || rows <= 8 * comm_size)
			return n + 1;
		make_aggregates(&l[n]);
		make_coarse(&l[n], &l[n + 1].a);
	}
}

/* --- V-cycle --- */

/* Jacobi sweeps on a x = b. */
static void smooth(struct level *l, int sweeps)
{
	for (int s = 0; s < sweeps; s++) {
		multiply(&l->a, l->x, l->r);
#pragma omp parallel for schedule(static)
		for (int i = 0; i < l->a.rows; i++)
			l->x[i] += DAMPING * (l->b[i] - l->r[i]) / l->a.diagonal[i];
	}
}

static void restrict_residual(const struct level *l, struct level *next)
{
	for (int c = 0; c < next->a.rows; c++)
		next->b[c] = next->x[c] = 0;
	for (int i = 0; i < l->a.rows; i++)
		next->b[l->aggregate[i]] += l->b[i] - l->r[i];
}

static void cycle(struct level *l, int levels)
{
	if (levels == 1) {
		smooth(l, COARSE_SWEEPS);
		return;
	}
	smooth(l, SWEEPS);
	multiply(&l->a, l->x, l->r);
	restrict_residual(l, l + 1);
	cycle(l + 1, levels - 1);
#pragma omp parallel for schedule(static)
	for (int i = 0; i < l->a.rows; i++)
		l->x[i] += l[1].x[l->aggregate[i]];
	smooth(l, SWEEPS);
}

/* z = V-cycle on r */
static void precondition(struct level *l, int levels, const double *r, double *z)
{
	for (int i = 0; i < l->a.rows; i++) {
		l->b[i] = r[i];
		l->x[i] = 0;
	}
	cycle(l, levels);
	for (int i = 0; i < l->a.rows; i++)
		z[i] = l->x[i];
}

/* Returns the factor by which the residual decreased. */
static double solve(struct level *l, int levels, int steps)
{
	const struct matrix *m = &l->a;
	double *r = vector_make(m), *z = vector_make(m), *p = vector_make(m), *q = vector_make(m);
	double *x = vector_make(m), start, rz, new_rz;

	for (int i = 0; i < m->rows; i++)
		r[i] = 1 + (double)((i + m->first[comm_rank]) % 7) / 7;
	start = sqrt(dot(m->rows, r, r));
	precondition(l, levels, r, z);
	rz = dot(m->rows, r, z);
	for (int i = 0; i < m->rows; i++)
		p[i] = z[i];
	for (int s = 0; s < steps; s++) {
		double alpha;

		multiply(m, p, q);
		alpha = rz / dot(m->rows, p, q);
		add_scaled(m->rows, x, alpha, p);
		add_scaled(m->rows, r, -alpha, q);
		precondition(l, levels, r, z);
		new_rz = dot(m->rows, r, z);
		for (int i = 0; i < m->rows; i++)
			p[i] = z[i] + new_rz / rz * p[i];
		rz = new_rz;
	}
	multiply(m, x, q); /* the true residual, not that of the recurrence */
	for (int i = 0; i < m->rows; i++)
		r[i] = 1 + (double)((i + m->first[comm_rank]) % 7) / 7 - q[i];
	start = sqrt(dot(m->rows, r, r)) / start;
	free(r);
	free(z);
	free(p);
	free(q);
	free(x);
	return start;
}

int main(int argc, char **argv)
{
	static struct level level[LEVELS];
	long n = argument(argc, argv, 1, 12);
	int steps = (int)argument(argc, argv, 2, 8), levels;
	double fell;

	comm_begin(&argc, &argv);
	make_laplacian(&level[0].a, n);
	levels = make_levels(level);
	fell = solve(level, levels, steps);
	if (!comm_rank)
		printf("amg %ld: %d levels, residual times %.1e\n", n, levels, fell);
	for (int i = 0; i < levels; i++) {
		matrix_free(&level[i].a);
		free(level[i].x);
		free(level[i].b);
		free(level[i].r);
		free(level[i].aggregate);
	}
	comm_end();
	return !(fell < 0.01);
}
