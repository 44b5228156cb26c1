/* SPDX-License-Identifier: BSD-3-Clause */
/* The communication patterns: calls of one rank, by its number and the number of ranks. */
#include "patterns.h"

#include <stdlib.h>

#include "synth.h"

#define STEPS 10u	/* of a loop; more have no effect */

/* --- rings and halos --- */

static void ring(struct rank *r)
{
	uint64_t n = r->ranks;

	for (unsigned i = 0; i < STEPS; i++) {
		rank_irecv(r, 0, 1, (r->rank + n - 1) % n, 7);
		rank_isend(r, 1, 1, (r->rank + 1) % n, 7);
		rank_waitall(r, 2, 2);
		rank_allreduce(r, 3, 1);
	}
}

/* A box of ranks of so many dimensions, as equal as powers of two can be. */
struct box {
	unsigned dims;
	uint64_t size[3], at[3], stride[3];
};

static void find_box(const struct rank *r, unsigned dims, struct box *b)
{
	uint64_t left = r->ranks, stride = 1;

	b->dims = dims;
	for (unsigned d = 0; d < dims; d++) {
		unsigned log = 0;

		while (left >> log > 1)
			log++;
		b->size[d] = 1ull << (log + dims - d - 1) / (dims - d);
		b->at[d] = r->rank / stride % b->size[d];
		b->stride[d] = stride;
		stride *= b->size[d];
		left /= b->size[d];
	}
}

enum border { AROUND, EDGE, SKIPPED }; /* periodic; MPI_PROC_NULL; calls that are not made */

static uint64_t neighbour(const struct rank *r, const struct box *b, unsigned d, int up,
			  enum border border)
{
	uint64_t at = b->at[d], to = up ? at + 1 : at + b->size[d] - 1;

	if (border != AROUND && (up ? at + 1 == b->size[d] : !at))
		return PROC_NULL;
	return r->rank - at * b->stride[d] + to % b->size[d] * b->stride[d];
}

static void halo(struct rank *r, unsigned dims, enum border border)
{
	struct box b;

	find_box(r, dims, &b);
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t n = 0;

		for (unsigned k = 0; k < 2 * dims; k++) {
			uint64_t peer = neighbour(r, &b, k / 2, k & 1, border);

			if (border == SKIPPED && peer == PROC_NULL)
				continue;
			rank_irecv(r, 2 * k, 64 + k / 2, peer, k ^ 1);
			rank_isend(r, 2 * k + 1, 64 + k / 2, peer, k);
			n += 2;
		}
		if (n)
			rank_waitall(r, 20, n);
		if (i % 5 == 4)
			rank_allreduce(r, 21, 1);
	}
}

static void halo_1d(struct rank *r)
{
	halo(r, 1, SKIPPED);
}

static void halo_2d_around(struct rank *r)
{
	halo(r, 2, AROUND);
}

static void halo_2d_null(struct rank *r)
{
	halo(r, 2, EDGE);
}

static void halo_2d(struct rank *r)
{
	halo(r, 2, SKIPPED);
}

static void halo_3d_null(struct rank *r)
{
	halo(r, 3, EDGE);
}

static void halo_3d(struct rank *r)
{
	halo(r, 3, SKIPPED);
}

/* --- sweeps --- */

/* Two sweeps over a plane of ranks, from one corner and back. */
static void wavefront(struct rank *r)
{
	struct box b;

	find_box(r, 2, &b);
	for (unsigned i = 0; i < STEPS; i++) {
		for (int back = 0; back < 2; back++)
			for (uint64_t k = 1; k <= 24; k++) {
				for (unsigned d = 0; d < 2; d++) {
					uint64_t from = neighbour(r, &b, d, back, SKIPPED);

					if (from != PROC_NULL)
						rank_recv(r, 4u * back + d, 250, from, from, k);
				}
				for (unsigned d = 0; d < 2; d++) {
					uint64_t to = neighbour(r, &b, d, !back, SKIPPED);

					if (to != PROC_NULL)
						rank_send(r, 4u * back + 2 + d, 250, to, k);
				}
			}
		rank_allreduce(r, 8, 5);
	}
}

/* --- partners by bits of the rank --- */

/* NPB CG: rows and columns of a square; sums by halves, and the transpose. */
static void butterfly(struct rank *r)
{
	struct box b;

	find_box(r, 2, &b);
	for (unsigned i = 0; i < STEPS; i++) {
		for (uint64_t bit = 1; bit < b.size[0]; bit *= 2) {
			rank_irecv(r, 0, 1400, r->rank ^ bit, 1);
			rank_send(r, 1, 1400, r->rank ^ bit, 1);
			rank_waitall(r, 2, 1);
		}
		uint64_t peer =
			b.size[0] == b.size[1] ?
				b.at[0] * b.size[0] + b.at[1] :
				(b.at[0] / 2 + b.at[1] * (b.size[0] / 2)) % b.size[1] * b.size[0] +
					b.at[0] % 2 + b.at[1] * 2 % b.size[0];
		rank_irecv(r, 3, 1400, peer, 1);
		rank_send(r, 4, 1400, peer, 1);
		rank_waitall(r, 5, 1);
		rank_allreduce(r, 6, 1);
	}
}

/* A user's own broadcast and sum over a binomial tree: a rank has a child for each low zero bit. */
static void tree(struct rank *r)
{
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t bit = 1;

		for (; bit < r->ranks && !(r->rank & bit); bit *= 2)
			if (r->rank + bit < r->ranks)
				rank_recv(r, 0, 8, r->rank + bit, r->rank + bit, 3);
		if (r->rank)
			rank_send(r, 1, 8, r->rank - bit, 3);
		if (r->rank)
			rank_recv(r, 2, 8, r->rank - bit, r->rank - bit, 4);
		for (bit /= 2; bit; bit /= 2)
			if (r->rank + bit < r->ranks)
				rank_send(r, 3, 8, r->rank + bit, 4);
	}
}

/* --- transposes --- */

static void transpose(struct rank *r)
{
	for (unsigned i = 0; i < STEPS; i++) {
		rank_alltoall(r, 0, (1u << 24) / r->ranks);
		rank_alltoall(r, 1, (1u << 24) / r->ranks);
		rank_allreduce(r, 2, 2);
	}
}

/* Rows of a matrix that are not divisible by the ranks: the first ranks have one more. */
static void transpose_rest(struct rank *r)
{
	uint64_t n = r->ranks, rest = n / 3, *counts = malloc(n * sizeof(*counts));

	if (!counts)
		abort();
	for (uint64_t i = 0; i < n; i++)
		counts[i] = (100 + (r->rank < rest)) * (100 + ((r->rank + i) % n < rest));
	for (unsigned i = 0; i < 3; i++)
		rank_alltoallv(r, 0, counts);
	free(counts);
}

/* Keys to buckets: all counts differ. */
static void buckets(struct rank *r)
{
	uint64_t *counts = malloc(r->ranks * sizeof(*counts));

	if (!counts)
		abort();
	for (unsigned i = 0; i < 3; i++) {
		for (uint64_t k = 0; k < r->ranks; k++)
			counts[k] = 1000 + rank_random(r, 64);
		rank_alltoallv(r, 0, counts);
	}
	free(counts);
}

/* --- master and workers --- */

/* Work items of a worker: eight, or an irregular number from four to twelve. */
static uint64_t share_of(uint64_t worker, int fair)
{
	uint64_t x = worker + 0x9e3779b97f4a7c15u;

	if (fair)
		return 8;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return 4 + (x >> 32) % 9;
}

/* The master answers each request: in turn, or in any order. */
static void master(struct rank *r, int fair)
{
	uint64_t n = 0;
	uint32_t *from = malloc(12 * r->ranks * sizeof(*from));

	if (!from)
		abort();
	for (uint64_t k = 0; k < 12; k++)
		for (uint64_t worker = 1; worker < r->ranks; worker++)
			if (k < share_of(worker, fair))
				from[n++] = (uint32_t)worker;
	for (uint64_t k = n; !fair && k > 1; k--) {
		uint64_t other = rank_random(r, k);
		uint32_t x = from[k - 1];

		from[k - 1] = from[other];
		from[other] = x;
	}
	for (uint64_t k = 0; k < n; k++) {
		rank_recv(r, 0, 4, (uint64_t)-1, from[k], 1);
		rank_send(r, 1, 4, from[k], 2);
	}
	free(from);
}

static void farm_of(struct rank *r, int fair)
{
	if (!r->rank)
		master(r, fair);
	else
		for (uint64_t k = share_of(r->rank, fair); k; k--) {
			rank_send(r, 2, 4, 0, 1);
			rank_recv(r, 3, 4, 0, 0, 2);
		}
}

static void farm_fair(struct rank *r)
{
	farm_of(r, 1);
}

static void farm(struct rank *r)
{
	farm_of(r, 0);
}

/* An unstructured mesh: six partners nearby, messages of any length. */
static void mesh(struct rank *r)
{
	uint64_t peer[6], count[6];

	for (unsigned k = 0; k < 6; k++) {
		peer[k] = (r->rank + r->ranks + 1 + rank_random(r, 64) - 32) % r->ranks;
		count[k] = 100 + rank_random(r, 400);
	}
	for (unsigned i = 0; i < STEPS; i++) {
		for (unsigned k = 0; k < 6; k++)
			rank_irecv(r, 0, count[k], peer[k], 9);
		for (unsigned k = 0; k < 6; k++)
			rank_isend(r, 1, count[k], peer[k], 9);
		rank_waitall(r, 2, 12);
		rank_allreduce(r, 3, 1);
	}
}

const struct pattern patterns[] = {
	{ "ring", "ring + Allreduce (README)", 4, 20, 0, ring },
	{ "halo-1d", "heat equation, calls skipped at the ends", 4, 20, 0, halo_1d },
	{ "halo-2d-torus", "periodic plane", 4, 20, 0, halo_2d_around },
	{ "halo-2d-null", "plane, MPI_PROC_NULL at the border", 4, 20, 0, halo_2d_null },
	{ "halo-2d", "plane, calls skipped at the border", 4, 20, 0, halo_2d },
	{ "halo-3d-null", "mg, HPCCG: space, MPI_PROC_NULL at the border", 4, 20, 0, halo_3d_null },
	{ "halo-3d", "LULESH: space, calls skipped at the border", 4, 20, 0, halo_3d },
	{ "wavefront", "lu, Sweep3D: two sweeps over a plane", 4, 20, 0, wavefront },
	{ "butterfly", "NPB CG: rank^k, and the transpose", 4, 20, 0, butterfly },
	{ "tree", "a binomial tree of the program's own", 4, 20, 0, tree },
	{ "alltoall", "ft", 4, 20, 0, transpose },
	{ "alltoallv-rest", "ft where ranks do not divide the rows", 4, 12, 0, transpose_rest },
	{ "alltoallv-any", "is: counts without a rule", 4, 10, 1, buckets },
	{ "farm-fair", "master and workers, equal shares", 4, 20, 0, farm_fair },
	{ "farm", "master and workers, shares without a rule", 4, 20, 1, farm },
	{ "mesh", "AMG, miniFE: partners and counts without a rule", 4, 20, 1, mesh },
};
const uint32_t pattern_count = sizeof(patterns) / sizeof(*patterns);
