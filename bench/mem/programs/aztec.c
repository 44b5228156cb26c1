/* SPDX-License-Identifier: BSD-3-Clause */
/* A Krylov solver as in Aztec: restarted GMRES with a diagonal preconditioner, on the matrix of
 * linear finite elements on triangles. aztec N [STEPS]: N x N nodes for each rank.
 *
 * The nodes of a rank are numbered randomly, as in meshes of some generators, so columns are
 * irregular. Each rank assembles the rows of its strip from the elements that touch it. Status 1 if
 * the residual does not decrease. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csr.h"

#define RESTART 20
#define ROW_MAX 8		/* entries of a row: six neighbours, itself, and one spare */
#define WIND 0.3		/* convection: it makes the matrix unsymmetric */
#define FLOOR 0.05		/* reaction, so that a few steps suffice */

/* --- mesh --- */

struct mesh {
	long n;			/* nodes of a row, and rows of a rank */
	long rows;		/* of all ranks */
	int *number;		/* of node (x, y) of a rank: the same on all ranks */
};

static void make_mesh(struct mesh *m, long n)
{
	unsigned seed = 12345;

	m->n = n;
	m->rows = n * comm_size;
	m->number = need((size_t)(n * n), sizeof(int));
	for (int i = 0; i < n * n; i++)
		m->number[i] = i;
	for (int i = (int)(n * n) - 1; i > 0; i--) {
		int k, t = m->number[i];

		seed = seed * 1103515245u + 12345;
		k = (int)(seed / 65536 % (unsigned)(i + 1));
		m->number[i] = m->number[k];
		m->number[k] = t;
	}
}

/* The global number of node (x, y). */
static long node(const struct mesh *m, long x, long y)
{
	return y / m->n * m->n * m->n + m->number[y % m->n * m->n + x];
}

/* --- assembly --- */

struct assembly {
	int rows;
	long first;
	int *count;		/* entries of each row */
	long *column;		/* ROW_MAX for each row */
	double *value;
};

static void add_entry(struct assembly *a, long row, long column, double value)
{
	long i = row - a->first;
	int k = 0;

	if (i < 0 || i >= a->rows)
		return;
	while (k < a->count[i] && a->column[i * ROW_MAX + k] != column)
		k++;
	if (k == a->count[i]) {
		a->column[i * ROW_MAX + k] = column;
		a->count[i]++;
	}
	a->value[i * ROW_MAX + k] += value;
}

/* The stiffness of one triangle: right-angled at its first node. */
static void add_element(struct assembly *a, const long *corner)
{
	static const double stiffness[3][3] = { { 1, -0.5, -0.5 },
						{ -0.5, 0.5, 0 },
						{ -0.5, 0, 0.5 } };
	static const double wind[3] = { -WIND / 6, WIND / 6, 0 };

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			add_entry(a, corner[i], corner[j],
				  stiffness[i][j] + wind[j] + (i == j ? FLOOR / 3 : 0));
}

static void assemble(const struct mesh *m, struct assembly *a)
{
	long low = m->n * comm_rank - 1, high = m->n * (comm_rank + 1);

	for (long y = low < 0 ? 0 : low; y < high && y + 1 < m->rows; y++)
		for (long x = 0; x + 1 < m->n; x++) {
			long a0 = node(m, x, y), b0 = node(m, x + 1, y), c0 = node(m, x, y + 1),
			     d0 = node(m, x + 1, y + 1);
			long lower[3] = { a0, b0, c0 }, upper[3] = { d0, c0, b0 };

			add_element(a, lower);
			add_element(a, upper);
		}
}

/* Consecutive rows of varying length. */
static void make_matrix(struct matrix *out, const struct mesh *m)
{
	struct assembly a = { .rows = (int)(m->n * m->n), .first = m->n * m->n * comm_rank };
	size_t rows = (size_t)a.rows;
	int *row = need(rows + 1, sizeof(int));
	long *global = need(rows * ROW_MAX, sizeof(long));
	double *value = need(rows * ROW_MAX, sizeof(double));
	int at = 0;

	a.count = need(rows, sizeof(int));
	a.column = need(rows * ROW_MAX, sizeof(long));
	a.value = need(rows * ROW_MAX, sizeof(double));
	assemble(m, &a);
	for (int i = 0; i < a.rows; i++) {
		for (int k = 0; k < a.count[i]; k++) {
			global[at] = a.column[i * ROW_MAX + k];
			value[at++] = a.value[i * ROW_MAX + k];
		}
		row[i + 1] = at;
	}
	free(a.count);
	free(a.column);
	free(a.value);
	matrix_make(out, a.rows, row, global, value, deal_rows(a.rows));
}

/* --- solvers --- */

static void right_hand_side(const struct matrix *m, double *b)
{
	for (int i = 0; i < m->rows; i++)
		b[i] = 1 + (double)((i + m->first[comm_rank]) % 5) / 5;
}

/* r = b - a x; its norm. */
static double residual(const struct matrix *m, const double *b, double *x, double *r)
{
	multiply(m, x, r);
	for (int i = 0; i < m->rows; i++)
		r[i] = b[i] - r[i];
	return sqrt(dot(m->rows, r, r));
}

struct gmres {
	double *v[RESTART + 1];		/* the basis */
	double h[RESTART + 1][RESTART];	/* becomes triangular by rotations */
	double c[RESTART], s[RESTART], g[RESTART + 1];
};

/* Column j of the Hessenberg matrix, by modified Gram-Schmidt. */
static void next_vector(struct gmres *k, const struct matrix *m, double *work, int j)
{
	double *w = k->v[j + 1];

	for (int i = 0; i < m->rows; i++)
		work[i] = k->v[j][i] / m->diagonal[i];
	multiply(m, work, w);
	for (int i = 0; i <= j; i++) {
		k->h[i][j] = dot(m->rows, w, k->v[i]);
		add_scaled(m->rows, w, -k->h[i][j], k->v[i]);
	}
	k->h[j + 1][j] = sqrt(dot(m->rows, w, w));
	for (int i = 0; i < m->rows; i++)
		w[i] /= k->h[j + 1][j];
}

static void rotate(struct gmres *k, int j)
{
	double length, t;

	for (int i = 0; i < j; i++) {
		t = k->c[i] * k->h[i][j] + k->s[i] * k->h[i + 1][j];
		k->h[i + 1][j] = k->c[i] * k->h[i + 1][j] - k->s[i] * k->h[i][j];
		k->h[i][j] = t;
	}
	length = hypot(k->h[j][j], k->h[j + 1][j]);
	k->c[j] = k->h[j][j] / length;
	k->s[j] = k->h[j + 1][j] / length;
	k->h[j][j] = length;
	k->h[j + 1][j] = 0;
	k->g[j + 1] = -k->s[j] * k->g[j];
	k->g[j] *= k->c[j];
}

/* x += the correction by the basis after `n` steps. */
static void update(struct gmres *k, const struct matrix *m, double *x, int n)
{
	double y[RESTART];

	for (int i = n - 1; i >= 0; i--) {
		y[i] = k->g[i];
		for (int j = i + 1; j < n; j++)
			y[i] -= k->h[i][j] * y[j];
		y[i] /= k->h[i][i];
	}
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m->rows; i++)
			x[i] += y[j] * k->v[j][i] / m->diagonal[i];
}

static double solve(const struct matrix *m, int steps)
{
	static struct gmres k;
	double *x = vector_make(m), *b = vector_make(m), *work = vector_make(m), start, now;

	for (int j = 0; j <= RESTART; j++)
		k.v[j] = vector_make(m);
	right_hand_side(m, b);
	start = now = residual(m, b, x, k.v[0]);
	for (int done = 0; done < steps;) {
		int j = 0;

		memset(k.g, 0, sizeof(k.g));
		k.g[0] = now;
		for (int i = 0; i < m->rows; i++)
			k.v[0][i] /= now;
		for (; j < RESTART && done < steps; j++, done++) {
			next_vector(&k, m, work, j);
			rotate(&k, j);
		}
		update(&k, m, x, j);
		now = residual(m, b, x, k.v[0]);
	}
	for (int j = 0; j <= RESTART; j++)
		free(k.v[j]);
	free(x);
	free(b);
	free(work);
	return now / start;
}

int main(int argc, char **argv)
{
	long n = argument(argc, argv, 1, 24);
	int steps = (int)argument(argc, argv, 2, 30);
	struct matrix matrix;
	struct mesh mesh;
	double fell;

	comm_begin(&argc, &argv);
	make_mesh(&mesh, n);
	make_matrix(&matrix, &mesh);
	fell = solve(&matrix, steps);
	if (!comm_rank)
		printf("aztec %ld: residual times %.1e\n", n, fell);
	matrix_free(&matrix);
	free(mesh.number);
	comm_end();
	return !(fell < 0.01);
}
