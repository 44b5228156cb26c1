/* SPDX-License-Identifier: BSD-3-Clause */
/* The mesh: codes along the Z curve, neighbours of cells, and the exchange of ghosts by MPI. */
#include "mesh.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH (1 << MESH_LEVEL_MAX)	/* in smallest cells */

void *mesh_get(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		MPI_Abort(MPI_COMM_WORLD, 2);
	return p;
}

/* --- the curve --- */

static uint32_t spread(uint32_t x)
{
	uint32_t code = 0;

	for (int b = 0; b < MESH_LEVEL_MAX; b++)
		code |= (x >> b & 1) << 2 * b;
	return code;
}

static int gather_bits(uint32_t code)
{
	int x = 0;

	for (int b = 0; b < MESH_LEVEL_MAX; b++)
		x |= (int)(code >> 2 * b & 1) << b;
	return x;
}

uint32_t mesh_span(int level)
{
	return 1u << 2 * (MESH_LEVEL_MAX - level);
}

static int width(int level)
{
	return 1 << (MESH_LEVEL_MAX - level);
}

/* The cell that contains the smallest cell x, y. */
static int cell_at(const struct mesh *m, int x, int y)
{
	uint32_t code = spread((uint32_t)x) | spread((uint32_t)y) << 1;
	int low = 0, high = m->cells;

	if (x < 0 || y < 0 || x >= WIDTH || y >= WIDTH)
		return WALL;
	while (high - low > 1) {
		int mid = (low + high) / 2;

		if (m->code[mid] <= code)
			low = mid;
		else
			high = mid;
	}
	return low;
}

void mesh_beside(const struct mesh *m, int cell, enum side side, int beside[2])
{
	int x = gather_bits(m->code[cell]), y = gather_bits(m->code[cell] >> 1);
	int w = width(m->level[cell]);

	for (int half = 0; half < 2; half++) {
		int along = half * (w / 2);

		if (side == WEST || side == EAST)
			beside[half] = cell_at(m, side == WEST ? x - 1 : x + w, y + along);
		else
			beside[half] = cell_at(m, x + along, side == SOUTH ? y - 1 : y + w);
	}
}

/* --- contents --- */

void mesh_deal(const struct mesh *m, int *first)
{
	for (int r = 0; r <= m->ranks; r++) {
		int at = (int)((int64_t)m->cells * r / m->ranks);

		/* not between two cells of one parent */
		while (at > 0 && at < m->cells && m->level[at] == m->level[at - 1] &&
		       m->code[at] / mesh_span(m->level[at] - 1) ==
			       m->code[at - 1] / mesh_span(m->level[at] - 1))
			at--;
		first[r] = at;
	}
}

void mesh_create(struct mesh *m)
{
	memset(m, 0, sizeof(*m));
	MPI_Comm_rank(MPI_COMM_WORLD, &m->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &m->ranks);
	m->cells = 1 << 2 * MESH_LEVEL_MIN;
	m->code = mesh_get((size_t)m->cells, sizeof(*m->code));
	m->level = mesh_get((size_t)m->cells, sizeof(*m->level));
	for (int i = 0; i < m->cells; i++) {
		m->code[i] = (uint32_t)i * mesh_span(MESH_LEVEL_MIN);
		m->level[i] = MESH_LEVEL_MIN;
	}
	m->first = mesh_get((size_t)m->ranks + 1, sizeof(int));
	m->ghosts_of = mesh_get((size_t)m->ranks, sizeof(int));
	m->needed_by = mesh_get((size_t)m->ranks, sizeof(int));
	mesh_deal(m, m->first);
	m->owned = m->first[m->rank + 1] - m->first[m->rank];
	m->own = mesh_get((size_t)m->owned, sizeof(*m->own));
}

void mesh_destroy(struct mesh *m)
{
	free(m->code);
	free(m->level);
	free(m->first);
	free(m->own);
	free(m->near);
	free(m->ghost);
	free(m->needed);
	free(m->ghosts_of);
	free(m->needed_by);
}

double mesh_size(const struct mesh *m, int own)
{
	return 1.0 / (1 << m->level[m->first[m->rank] + own]);
}

void mesh_corner(const struct mesh *m, int cell, double *x, double *y)
{
	*x = (double)gather_bits(m->code[cell]) / WIDTH;
	*y = (double)gather_bits(m->code[cell] >> 1) / WIDTH;
}

/* --- neighbours --- */

static int owner_of(const struct mesh *m, int cell)
{
	int r = (int)((int64_t)cell * m->ranks / m->cells);

	while (cell < m->first[r])
		r--;
	while (cell >= m->first[r + 1])
		r++;
	return r;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Sorted, each once. */
static int unique(int *list, int count)
{
	int n = 0;

	qsort(list, (size_t)count, sizeof(*list), by_number);
	for (int i = 0; i < count; i++)
		if (!n || list[i] != list[n - 1])
			list[n++] = list[i];
	return n;
}

/* A pair (rank, own cell) as one number, so that sorting groups by rank. */
struct pairs {
	int64_t *pair;
	int count;
};

static int by_pair(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Neighbourship is mutual: a rank with a cell next to an own one needs the own one. */
static void list_needed(struct mesh *m, struct pairs *p)
{
	int64_t last = -1;
	int n = 0;

	memset(m->needed_by, 0, (size_t)m->ranks * sizeof(int));
	free(m->needed);
	m->needed = mesh_get((size_t)p->count, sizeof(int));
	qsort(p->pair, (size_t)p->count, sizeof(*p->pair), by_pair);
	for (int i = 0; i < p->count; i++) {
		if (p->pair[i] == last)
			continue;
		last = p->pair[i];
		m->needed[n++] = (int)(last & 0xffffffff);
		m->needed_by[last >> 32]++;
	}
}

static void list_ghosts(struct mesh *m, int count)
{
	m->ghosts = unique(m->ghost, count);
	memset(m->ghosts_of, 0, (size_t)m->ranks * sizeof(int));
	for (int i = 0; i < m->ghosts; i++)
		m->ghosts_of[owner_of(m, m->ghost[i])]++;
}

/* The index in `own` of a cell, by its global number. */
static int place_of(const struct mesh *m, int cell)
{
	const int *found;

	if (cell == WALL)
		return WALL;
	if (cell >= m->first[m->rank] && cell < m->first[m->rank + 1])
		return cell - m->first[m->rank];
	found = bsearch(&cell, m->ghost, (size_t)m->ghosts, sizeof(int), by_number);
	return m->owned + (int)(found - m->ghost);
}

void mesh_connect(struct mesh *m)
{
	int begin = m->first[m->rank], foreign = 0;
	struct pairs p = { mesh_get((size_t)m->owned * SIDES * 2, sizeof(*p.pair)), 0 };
	struct state *own;

	free(m->near);
	free(m->ghost);
	m->near = mesh_get((size_t)m->owned, sizeof(*m->near));
	m->ghost = mesh_get((size_t)m->owned * SIDES * 2, sizeof(int));
	for (int i = 0; i < m->owned; i++)
		for (int side = 0; side < SIDES; side++) {
			int *near = m->near[i][side];

			mesh_beside(m, begin + i, (enum side)side, near);
			for (int half = 0; half < 2; half++) {
				if (near[half] == WALL ||
				    (near[half] >= begin && near[half] < begin + m->owned))
					continue;
				m->ghost[foreign++] = near[half];
				p.pair[p.count++] = (int64_t)owner_of(m, near[half]) << 32 | i;
			}
		}
	list_needed(m, &p);
	list_ghosts(m, foreign);
	free(p.pair);
	for (int i = 0; i < m->owned * SIDES * 2; i++)
		(&m->near[0][0][0])[i] = place_of(m, (&m->near[0][0][0])[i]);
	own = mesh_get((size_t)(m->owned + m->ghosts), sizeof(*own));
	memcpy(own, m->own, (size_t)m->owned * sizeof(*own));
	free(m->own);
	m->own = own;
}

void mesh_exchange(struct mesh *m)
{
	MPI_Request *request = mesh_get(2 * (size_t)m->ranks, sizeof(*request));
	int needed = 0, at = 0, n = 0, requests = 0;
	struct state *out;

	for (int r = 0; r < m->ranks; r++)
		needed += m->needed_by[r];
	out = mesh_get((size_t)needed, sizeof(*out));
	for (int i = 0; i < needed; i++)
		out[i] = m->own[m->needed[i]];
	for (int r = 0; r < m->ranks; at += m->ghosts_of[r++])
		if (m->ghosts_of[r])
			MPI_Irecv(m->own + m->owned + at, m->ghosts_of[r] * STATE_DOUBLES,
				  MPI_DOUBLE, r, 1, MPI_COMM_WORLD, &request[requests++]);
	for (int r = 0; r < m->ranks; n += m->needed_by[r++])
		if (m->needed_by[r])
			MPI_Isend(out + n, m->needed_by[r] * STATE_DOUBLES, MPI_DOUBLE, r, 1,
				  MPI_COMM_WORLD, &request[requests++]);
	MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
	free(out);
	free(request);
}
