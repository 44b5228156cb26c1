/* SPDX-License-Identifier: BSD-3-Clause */
/* Interning of vectors: equal vectors have equal numbers. Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_VECTORS_H
#define BOB_ANALYSIS_MPI_VECTORS_H

#include <stdint.h>

/* Values stored of all vectors: 256 MB. Further new vectors get no number. */
#define BOB_MPI_VECTORS_VALUES_MAX (32u << 20)
#define BOB_MPI_VECTOR_NONE UINT64_MAX

struct bob_mpi_vectors;

struct bob_mpi_vectors *bob_mpi_vectors_create(void); /* NULL: no memory */
void bob_mpi_vectors_destroy(struct bob_mpi_vectors *v); /* NULL is allowed */
uint64_t bob_mpi_vectors_number(struct bob_mpi_vectors *v, const uint64_t *value, uint64_t count);
/* NULL: unknown number. Borrowed until the next bob_mpi_vectors_number. */
const uint64_t *bob_mpi_vectors_get(const struct bob_mpi_vectors *v, uint64_t number,
				    uint64_t *count);

#endif
