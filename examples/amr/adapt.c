/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks know all cells, so each computes the new mesh itself; only requests and contents are
 * sent. */
#include "adapt.h"

#include <mpi.h>
#include <stdlib.h>

/* --- refining --- */

/* Raises requests so that neighbours differ by at most one level. Returns the number of raised
 * ones. */
static int raise_wants(const struct mesh *m, int8_t *want)
{
	int rose = 0;

	for (int i = 0; i < m->cells; i++)
		for (int side = 0; side < SIDES; side++) {
			int beside[2];

			mesh_beside(m, i, (enum side)side, beside);
			for (int half = 0; half < 2; half++) {
				int b = beside[half], least = m->level[i] + want[i] - 1;

				if (b == WALL || m->level[b] + want[b] >= least)
					continue;
				want[b] = (int8_t)(least - m->level[b]);
				rose++;
			}
		}
	return rose;
}

/* Are cells i .. i + 3 the children of one parent, and all requested coarser? */
static int is_family(const struct mesh *m, const int8_t *want, int i)
{
	if (m->level[i] == 0 || m->code[i] % mesh_span(m->level[i] - 1) || i + 4 > m->cells)
		return 0;
	for (int k = 0; k < 4; k++)
		if (m->level[i + k] != m->level[i] || want[i + k] != -1)
			return 0;
	return 1;
}

/* Drops requests for coarser cells that cannot be fulfilled. Returns their number. */
static int drop_wants(const struct mesh *m, int8_t *want)
{
	int dropped = 0;

	for (int i = 0; i < m->cells; i++) {
		if (want[i] != -1)
			continue;
		if (is_family(m, want, i)) {
			i += 3;
		} else {
			want[i] = 0;
			dropped++;
		}
	}
	return dropped;
}

/* The requests of all ranks, after limiting those for own cells. */
static int8_t *all_wants(const struct mesh *m, const int8_t *want)
{
	int8_t *all = mesh_get((size_t)m->cells, sizeof(*all));
	int *count = mesh_get((size_t)m->ranks, sizeof(int));

	for (int r = 0; r < m->ranks; r++)
		count[r] = m->first[r + 1] - m->first[r];
	MPI_Allgatherv(want, m->owned, MPI_INT8_T, all, count, m->first, MPI_INT8_T,
		       MPI_COMM_WORLD);
	free(count);
	for (int i = 0; i < m->cells; i++) {
		if (m->level[i] + all[i] < MESH_LEVEL_MIN || m->level[i] + all[i] > MESH_LEVEL_MAX)
			all[i] = 0;
	}
	do
		raise_wants(m, all);
	while (drop_wants(m, all));
	while (raise_wants(m, all))
		drop_wants(m, all);
	return all;
}

static struct state mean_of(const struct state *s)
{
	struct state mean = { 0, 0, 0 };

	for (int k = 0; k < 4; k++) {
		mean.h += s[k].h / 4;
		mean.hu += s[k].hu / 4;
		mean.hv += s[k].hv / 4;
	}
	return mean;
}

/* Builds the new mesh. An own cell gets the parent's values, or the mean of the children. */
static int rebuild(struct mesh *m, const int8_t *want)
{
	struct mesh new = *m;
	int begin = m->first[m->rank], end = m->first[m->rank + 1], r = 0, n = 0, changed = 0;

	new.code = mesh_get(4 * (size_t)m->cells, sizeof(*new.code));
	new.level = mesh_get(4 * (size_t)m->cells, sizeof(*new.level));
	new.first = mesh_get((size_t)m->ranks + 1, sizeof(int));
	new.own = mesh_get(4 * (size_t)m->owned, sizeof(*new.own));
	new.owned = 0;
	for (int i = 0; i < m->cells; i++) {
		int own = i >= begin && i < end, parts = want[i] == 1 ? 4 : 1;

		while (r < m->ranks && m->first[r] <= i)
			new.first[r++] = n;
		for (int k = 0; k < parts; k++, n++) {
			new.level[n] = (uint8_t)(m->level[i] + want[i]);
			new.code[n] = m->code[i] + (uint32_t)k *mesh_span(new.level[n]);
			if (own)
				new.own[new.owned++] = want[i] == -1 ? mean_of(m->own + i - begin) :
								       m->own[i - begin];
		}
		changed += want[i] != 0;
		i += want[i] == -1 ? 3 : 0;
	}
	while (r <= m->ranks)
		new.first[r++] = n;
	new.cells = n;
	free(m->code);
	free(m->level);
	free(m->first);
	free(m->own);
	*m = new;
	return changed;
}

int mesh_refine(struct mesh *m, const int8_t *want)
{
	int8_t *all = all_wants(m, want);
	int changed = rebuild(m, all);

	free(all);
	return changed;
}

/* --- balancing --- */

double mesh_imbalance(const struct mesh *m)
{
	int most = 0;

	for (int r = 0; r < m->ranks; r++)
		if (m->first[r + 1] - m->first[r] > most)
			most = m->first[r + 1] - m->first[r];
	return (double)most * m->ranks / m->cells;
}

/* The number of doubles of cells from..to in each rank's part of `first`, and their offset from
 * `from`. */
static void overlap(const struct mesh *m, int from, int to, const int *first, int *count, int *at)
{
	for (int r = 0; r < m->ranks; r++) {
		int low = first[r] > from ? first[r] : from;
		int high = first[r + 1] < to ? first[r + 1] : to;

		count[r] = high > low ? (high - low) * STATE_DOUBLES : 0;
		at[r] = high > low ? (low - from) * STATE_DOUBLES : 0;
	}
}

void mesh_balance(struct mesh *m)
{
	int *first = mesh_get((size_t)m->ranks + 1, sizeof(int));
	int *lists = mesh_get(4 * (size_t)m->ranks, sizeof(int));
	int *send = lists, *send_at = send + m->ranks, *take = send_at + m->ranks;
	int *take_at = take + m->ranks, owned;
	struct state *own;

	mesh_deal(m, first);
	owned = first[m->rank + 1] - first[m->rank];
	own = mesh_get((size_t)owned, sizeof(*own));
	overlap(m, m->first[m->rank], m->first[m->rank + 1], first, send, send_at);
	overlap(m, first[m->rank], first[m->rank + 1], m->first, take, take_at);
	MPI_Alltoallv(m->own, send, send_at, MPI_DOUBLE, own, take, take_at, MPI_DOUBLE,
		      MPI_COMM_WORLD);
	free(lists);
	free(m->own);
	free(m->first);
	m->own = own;
	m->first = first;
	m->owned = owned;
}
