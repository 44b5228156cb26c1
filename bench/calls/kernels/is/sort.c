/* SPDX-License-Identifier: BSD-3-Clause */
/* Buckets are distributed so that each rank gets about as many keys; a rank counts its keys. */
#include "is.h"

#include "frame/frame.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

void is_sort_create(struct is_sort *s, uint32_t key_limit, int own_count, int rank, int ranks)
{
	memset(s, 0, sizeof(*s));
	s->rank = rank;
	s->ranks = ranks;
	s->key_limit = key_limit;
	while ((key_limit >> s->shift) > IS_BUCKETS)
		s->shift++;
	s->got_capacity = 2 * own_count + 4096;
	s->packed = frame_alloc((uint64_t)own_count, sizeof(*s->packed));
	s->got = frame_alloc((uint64_t)s->got_capacity, sizeof(*s->got));
	s->below = frame_alloc((uint64_t)key_limit + 1, sizeof(*s->below));
}

void is_sort_destroy(struct is_sort *s)
{
	free(s->packed);
	free(s->got);
	free(s->below);
}

static int block_at(int i, int count)
{
	return count - i < IS_BLOCK ? count - i : IS_BLOCK;
}

static void bucket_keys(struct is_sort *s, const struct is_keys *keys, int *size)
{
	int next[IS_BUCKETS];

	memset(size, 0, IS_BUCKETS * sizeof(*size));
	for (int i = 0; i < keys->count; i += IS_BLOCK)
		is_count_buckets(keys->key + i, block_at(i, keys->count), s->shift, size);
	next[0] = 0;
	for (int b = 1; b < IS_BUCKETS; b++)
		next[b] = next[b - 1] + size[b - 1];
	for (int i = 0; i < keys->count; i += IS_BLOCK)
		is_pack(keys->key + i, block_at(i, keys->count), s->shift, next, s->packed);
}

/* first[r] is the first bucket of rank r; first[ranks] is IS_BUCKETS. */
static void deal_buckets(const struct is_sort *s, const int *size, int *first)
{
	int all[IS_BUCKETS];
	uint64_t total = 0, seen = 0;
	int r = 0;

	MPI_Allreduce(size, all, IS_BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int b = 0; b < IS_BUCKETS; b++)
		total += (uint64_t)all[b];
	for (int b = 0; b < IS_BUCKETS; b++) {
		while (r < s->ranks && seen * (uint64_t)s->ranks >= total * (uint64_t)r)
			first[r++] = b;
		seen += (uint64_t)all[b];
	}
	while (r <= s->ranks)
		first[r++] = IS_BUCKETS;
}

static void exchange(struct is_sort *s, const int *size, const int *first)
{
	int *part = frame_alloc(4 * (uint64_t)s->ranks, sizeof(*part));
	int *at = part + s->ranks, *from = at + s->ranks, *from_at = from + s->ranks;
	int offset = 0;

	for (int r = 0; r < s->ranks; r++) {
		at[r] = offset;
		for (int b = first[r]; b < first[r + 1]; b++)
			part[r] += size[b];
		offset += part[r];
	}
	MPI_Alltoall(part, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD);
	s->got_count = 0;
	for (int r = 0; r < s->ranks; r++) {
		from_at[r] = s->got_count;
		s->got_count += from[r];
	}
	if (s->got_count > s->got_capacity)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Alltoallv(s->packed, part, at, MPI_UINT32_T, s->got, from, from_at, MPI_UINT32_T,
		      MPI_COMM_WORLD);
	free(part);
}

static void rank_keys(struct is_sort *s)
{
	uint32_t width = s->high - s->low;
	uint32_t sum = 0;
	uint64_t own = (uint64_t)s->got_count;

	memset(s->below, 0, ((size_t)width + 1) * sizeof(*s->below));
	for (int i = 0; i < s->got_count; i += IS_BLOCK)
		is_count_keys(s->got + i, block_at(i, s->got_count), s->low, s->below);
	for (uint32_t k = 0; k <= width; k++) {
		uint32_t number = s->below[k];

		s->below[k] = sum;
		sum += number;
	}
	s->before = 0;
	MPI_Exscan(&own, &s->before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (s->rank == 0)
		s->before = 0;
}

void is_sort_rank(struct is_sort *s, const struct is_keys *keys)
{
	int *first = frame_alloc((uint64_t)s->ranks + 1, sizeof(*first));
	int size[IS_BUCKETS];

	bucket_keys(s, keys, size);
	deal_buckets(s, size, first);
	s->low = (uint32_t)first[s->rank] << s->shift;
	s->high = (uint32_t)first[s->rank + 1] << s->shift;
	exchange(s, size, first);
	rank_keys(s);
	free(first);
}

uint64_t is_sort_below(const struct is_sort *s, uint32_t k)
{
	uint64_t own = 0, all = 0;

	if (k >= s->low && k < s->high)
		own = s->before + s->below[k - s->low];
	MPI_Allreduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	return all;
}
