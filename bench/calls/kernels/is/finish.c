/* SPDX-License-Identifier: BSD-3-Clause */
/* The full sort from the ranks, and the proof that it is one. */
#include "is.h"

#include "frame/frame.h"

#include <mpi.h>
#include <stdlib.h>

static void place_keys(struct is_sort *s, uint32_t *sorted)
{
	for (int i = 0; i < s->got_count; i++)
		sorted[s->below[s->got[i] - s->low]++] = s->got[i];
}

static uint64_t count_disorder(const uint32_t *key, int count)
{
	uint64_t bad = 0;

	for (int i = 1; i < count; i++)
		bad += key[i - 1] > key[i];
	return bad;
}

uint64_t is_sort_finish(struct is_sort *s)
{
	uint32_t *sorted = frame_alloc((uint64_t)s->got_count, sizeof(*sorted));
	uint32_t last, last_before = 0;
	uint64_t bad, all = 0;

	place_keys(s, sorted);
	bad = count_disorder(sorted, s->got_count);
	last = s->got_count ? sorted[s->got_count - 1] : 0;
	MPI_Exscan(&last, &last_before, 1, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
	if (s->rank > 0 && s->got_count && sorted[0] < last_before)
		bad++;
	MPI_Allreduce(&bad, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	free(sorted);
	return all;
}
