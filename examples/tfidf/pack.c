/* SPDX-License-Identifier: BSD-3-Clause */
#include "pack.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

char *terms_serialise(const struct terms *t, size_t *bytes)
{
	size_t len = 0;
	char *all, *p;

	for (size_t i = 0; i < t->slots; i++)
		if (t->slot[i].word)
			len += strlen(t->slot[i].word) + 1 + sizeof(int64_t);
	p = all = malloc(len + 1);
	for (size_t i = 0; all && i < t->slots; i++)
		if (t->slot[i].word) {
			p = stpcpy(p, t->slot[i].word) + 1;
			memcpy(p, &t->slot[i].count, sizeof(int64_t));
			p += sizeof(int64_t);
		}
	*bytes = len;
	return all;
}

int terms_deserialise(struct terms *t, const char *bytes, size_t len)
{
	const char *end = bytes + len;

	while (bytes < end) {
		const char *zero = memchr(bytes, 0, (size_t)(end - bytes));
		int64_t count;

		if (!zero || end - zero - 1 < (ptrdiff_t)sizeof(count))
			return -1;
		memcpy(&count, zero + 1, sizeof(count));
		if (terms_add(t, bytes, (size_t)(zero - bytes), count))
			return -1;
		bytes = zero + 1 + sizeof(count);
	}
	return 0;
}

int terms_spread(struct terms *t)
{
	uint64_t len = 0;
	size_t own = 0;
	char *bytes = NULL;
	int rank, bad = 0;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		bytes = terms_serialise(t, &own);
	len = own;
	MPI_Bcast(&len, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	if (rank)
		bytes = malloc(len + 1);
	if (!bytes)
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Bcast(bytes, (int)len, MPI_BYTE, 0, MPI_COMM_WORLD);
	if (rank) {
		terms_free(t);
		bad = terms_deserialise(t, bytes, len);
	}
	free(bytes);
	return bad;
}
