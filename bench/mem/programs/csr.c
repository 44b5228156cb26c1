/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributed sparse matrices in compressed rows: set-up of ghosts and halos, products, vectors.
 * Rows are shared by OpenMP threads. */
#include "csr.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS 8

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

int list_unique(long *list, int n)
{
	int out = 0;

	qsort(list, (size_t)n, sizeof(*list), compare);
	for (int k = 0; k < n; k++)
		if (!out || list[out - 1] != list[k])
			list[out++] = list[k];
	return out;
}

int list_find(const long *list, int n, long wanted)
{
	int low = 0, high = n;

	while (high - low > 1) {
		int middle = (low + high) / 2;

		if (list[middle] <= wanted)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Converts columns to local numbers. Returns the list of ghosts. */
static long *number_columns(struct matrix *m, const long *global)
{
	long mine = m->first[comm_rank], next = m->first[comm_rank + 1];
	int entries = m->row[m->rows], n = 0;
	long *ghost = need((size_t)entries, sizeof(*ghost));

	for (int k = 0; k < entries; k++)
		if (global[k] < mine || global[k] >= next)
			ghost[n++] = global[k];
	m->ghosts = list_unique(ghost, n);
	m->column = need((size_t)entries, sizeof(*m->column));
	for (int k = 0; k < entries; k++) {
		if (global[k] >= mine && global[k] < next)
			m->column[k] = (int)(global[k] - mine);
		else
			m->column[k] = m->rows + list_find(ghost, m->ghosts, global[k]);
	}
	return ghost;
}

/* Finds the rows that each rank needs of others. Ghosts are sorted, so those of a rank are
 * adjacent. */
static void make_halo(struct matrix *m, const long *ghost)
{
	struct halo *h = &m->halo;
	size_t n = (size_t)comm_size;
	int *want = need(n, sizeof(int)), *give = need(n, sizeof(int)), total = 0;
	long *asked;

	for (int g = 0; g < m->ghosts; g++)
		want[list_find(m->first, comm_size + 1, ghost[g])]++;
	comm_counts(want, give);
	for (int r = 0; r < comm_size; r++)
		total += give[r];
	asked = need((size_t)total, sizeof(*asked));
	comm_lists(ghost, want, asked, give);
	h->peer = need(n, sizeof(int));
	h->send_at = need(n + 1, sizeof(int));
	h->recv_at = need(n + 1, sizeof(int));
	h->send = need((size_t)total, sizeof(int));
	h->buffer = need((size_t)total, sizeof(double));
	for (int k = 0; k < total; k++)
		h->send[k] = (int)(asked[k] - m->first[comm_rank]);
	for (int r = 0; r < comm_size; r++) {
		if (!give[r] && !want[r])
			continue;
		h->peer[h->peers] = r;
		h->send_at[h->peers + 1] = h->send_at[h->peers] + give[r];
		h->recv_at[h->peers + 1] = h->recv_at[h->peers] + want[r];
		h->peers++;
	}
	free(asked);
	free(want);
	free(give);
}

void matrix_make(struct matrix *m, int rows, int *row, long *global, double *value, long *first)
{
	long *ghost;

	memset(m, 0, sizeof(*m));
	m->rows = rows;
	m->row = row;
	m->value = value;
	m->first = first;
	ghost = number_columns(m, global);
	make_halo(m, ghost);
	free(ghost);
	free(global);
	m->diagonal = need((size_t)rows, sizeof(double));
	for (int i = 0; i < rows; i++)
		for (int k = row[i]; k < row[i + 1]; k++)
			if (m->column[k] == i)
				m->diagonal[i] = value[k];
}

void matrix_free(struct matrix *m)
{
	void *all[] = { m->first,     m->row,	       m->column,	m->value,     m->diagonal,
			m->halo.peer, m->halo.send_at, m->halo.recv_at, m->halo.send,
			m->halo.buffer };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		free(all[i]);
}

long *deal_rows(int rows)
{
	size_t n = (size_t)comm_size;
	long mine = rows, *first = need(n + 1, sizeof(*first));

	comm_gather(&mine, 1, first + 1);
	for (size_t r = 0; r < n; r++)
		first[r + 1] += first[r];
	return first;
}

double *vector_make(const struct matrix *m)
{
	return need((size_t)(m->rows + m->ghosts), sizeof(double));
}

void multiply(const struct matrix *m, double *x, double *y)
{
	comm_exchange(&m->halo, x, m->rows);
#pragma omp parallel for schedule(static)
	for (int i = 0; i < m->rows; i++) {
		double s = 0;

		for (int k = m->row[i]; k < m->row[i + 1]; k++)
			s += m->value[k] * x[m->column[k]];
		y[i] = s;
	}
}

/* Blocks are summed in a fixed order, so the sum does not depend on the threads, and they do not
 * race. */
double dot(int n, const double *x, const double *y)
{
	double part[BLOCKS], s = 0;

#pragma omp parallel for schedule(static)
	for (int b = 0; b < BLOCKS; b++) {
		double t = 0;

		for (int i = (int)((long)n * b / BLOCKS); i < (long)n * (b + 1) / BLOCKS; i++)
			t += x[i] * y[i];
		part[b] = t;
	}
	for (int b = 0; b < BLOCKS; b++)
		s += part[b];
	return comm_sum(s);
}

void add_scaled(int n, double *y, double a, const double *x)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < n; i++)
		y[i] += a * x[i];
}
