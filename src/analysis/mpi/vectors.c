/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/mpi/vectors.h"

#include <stdlib.h>
#include <string.h>

struct vector {
	uint64_t hash, at, count;
	uint32_t next;		/* of the same hash, + 1 */
};

struct bob_mpi_vectors {
	struct vector *vector;
	uint32_t count, room;
	uint32_t *first;	/* by hash, + 1; twice as many as `room` */
	uint64_t *value;
	uint64_t values, value_room;
};

struct bob_mpi_vectors *bob_mpi_vectors_create(void)
{
	struct bob_mpi_vectors *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->room = 64;
	v->value_room = 1024;
	v->vector = calloc(v->room, sizeof(*v->vector));
	v->first = calloc(2u * v->room, sizeof(*v->first));
	v->value = calloc(v->value_room, sizeof(*v->value));
	if (v->vector && v->first && v->value)
		return v;
	bob_mpi_vectors_destroy(v);
	return NULL;
}

void bob_mpi_vectors_destroy(struct bob_mpi_vectors *v)
{
	if (!v)
		return;
	free(v->vector);
	free(v->first);
	free(v->value);
	free(v);
}

static uint64_t hash_of(const uint64_t *value, uint64_t count)
{
	uint64_t h = count + 1;

	for (uint64_t i = 0; i < count; i++) {
		h = (h ^ value[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h * 0xd1b54a32d192ed03u;
}

static uint32_t *slot_of(const struct bob_mpi_vectors *v, uint64_t hash)
{
	return &v->first[(hash >> 32) & (2 * v->room - 1)];
}

static int grow(struct bob_mpi_vectors *v)
{
	struct vector *vector = realloc(v->vector, 2 * sizeof(*vector) * v->room);
	uint32_t *first;

	if (!vector)
		return -1;
	v->vector = vector;
	first = calloc(4ull * v->room, sizeof(*first));
	if (!first)
		return -1;
	free(v->first);
	v->first = first;
	v->room *= 2;
	for (uint32_t i = 0; i < v->count; i++) {
		uint32_t *at = slot_of(v, v->vector[i].hash);

		v->vector[i].next = *at;
		*at = i + 1;
	}
	return 0;
}

static int make_room(struct bob_mpi_vectors *v, uint64_t count)
{
	uint64_t room = v->value_room;
	uint64_t *value;

	if (count > BOB_MPI_VECTORS_VALUES_MAX - v->values)
		return -1;
	if (v->count == v->room && (v->room >= 1u << 26 || grow(v)))
		return -1;
	while (room - v->values < count)
		room *= 2;
	if (room == v->value_room)
		return 0;
	value = realloc(v->value, room * sizeof(*value));
	if (!value)
		return -1;
	v->value = value;
	v->value_room = room;
	return 0;
}

uint64_t bob_mpi_vectors_number(struct bob_mpi_vectors *v, const uint64_t *value, uint64_t count)
{
	uint64_t hash = hash_of(value, count);
	struct vector *to;
	uint32_t *at;

	for (uint32_t i = *slot_of(v, hash); i; i = v->vector[i - 1].next) {
		const struct vector *x = &v->vector[i - 1];

		if (x->hash == hash && x->count == count &&
		    (!count || !memcmp(v->value + x->at, value, count * sizeof(*value))))
			return i - 1;
	}
	if (make_room(v, count))
		return BOB_MPI_VECTOR_NONE;
	at = slot_of(v, hash);
	to = &v->vector[v->count++];
	*to = (struct vector){ hash, v->values, count, *at };
	*at = v->count;
	if (count)
		memcpy(v->value + v->values, value, count * sizeof(*value));
	v->values += count;
	return v->count - 1;
}

const uint64_t *bob_mpi_vectors_get(const struct bob_mpi_vectors *v, uint64_t number,
				    uint64_t *count)
{
	if (number >= v->count)
		return NULL;
	*count = v->vector[number].count;
	return v->value + v->vector[number].at;
}
