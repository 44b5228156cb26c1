/* SPDX-License-Identifier: BSD-3-Clause */
/* Interning of vectors: a hash map by contents; the values are in one array. */
#include "analysis/mpi/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/host/map.h"

struct vector {
	uint64_t at, count;
};

struct bob_mpi_vectors {
	BOB_MAP(struct vector) vectors;
	BOB_VEC(uint64_t) values;
};

struct bob_mpi_vectors *bob_mpi_vectors_create(void)
{
	return calloc(1, sizeof(struct bob_mpi_vectors));
}

void bob_mpi_vectors_destroy(struct bob_mpi_vectors *v)
{
	if (!v)
		return;
	BOB_MAP_FREE(&v->vectors);
	BOB_VEC_FREE(&v->values);
	free(v);
}

uint64_t bob_mpi_vectors_number(struct bob_mpi_vectors *v, const uint64_t *value, uint64_t count)
{
	const uint64_t hash = bob_hash64(count, value, count * sizeof(*value));
	struct bob_probe p = bob_probe_of(hash);
	struct vector *to;

	while (bob_index_next(&v->vectors.index, &p)) {
		const struct vector *x = &v->vectors.at[p.number];

		if (x->count == count &&
		    (!count || !memcmp(v->values.at + x->at, value, count * sizeof(*value))))
			return p.number;
	}
	if (count > BOB_MPI_VECTORS_VALUES_MAX - v->values.count ||
	    BOB_VEC_RESERVE(&v->values, count + 1)) /* an empty vector has an address, too */
		return BOB_MPI_VECTOR_NONE;
	to = BOB_MAP_ADD(&v->vectors, hash);
	if (!to)
		return BOB_MPI_VECTOR_NONE;
	*to = (struct vector){ v->values.count, count };
	if (count)
		memcpy(v->values.at + v->values.count, value, count * sizeof(*value));
	v->values.count += count;
	return v->vectors.count - 1;
}

const uint64_t *bob_mpi_vectors_get(const struct bob_mpi_vectors *v, uint64_t number,
				    uint64_t *count)
{
	if (number >= v->vectors.count)
		return NULL;
	*count = v->vectors.at[number].count;
	return v->values.at + v->vectors.at[number].at;
}
