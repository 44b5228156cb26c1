/* SPDX-License-Identifier: BSD-3-Clause */
/* Lookup in the generated tables, and lengths of vectors. */
#include "archive/events/mpi_functions.h"
#include "base/search.h"

const struct bob_mpi_function *bob_mpi_function_of(uint32_t number)
{
	size_t low;

	BOB_PARTITION_POINT(low, bob_mpi_function_count, mid,
			    bob_mpi_functions[mid].number < number);
	return low < bob_mpi_function_count && bob_mpi_functions[low].number == number ?
		       &bob_mpi_functions[low] :
		       NULL;
}

const struct bob_mpi_name *bob_mpi_name_of(enum bob_mpi_role role, uint64_t number)
{
	for (uint32_t i = 0; i < bob_mpi_name_count; i++)
		if (bob_mpi_names[i].role == (uint8_t)role && bob_mpi_names[i].number == number)
			return &bob_mpi_names[i];
	return NULL;
}

int bob_mpi_is_cut(const uint64_t *at, uint64_t count, uint64_t *length)
{
	if (count < 2 || at[count - 2] >> 48 != BOB_MPI_CUT >> 48)
		return 0;
	*length = at[count - 2] & ~(0xffffull << 48);
	return 1;
}

static int is_new(const struct bob_mpi_param *p, enum bob_mpi_role role)
{
	return p->role == (uint8_t)role && (p->flags & (BOB_MPI_GOES_IN | BOB_MPI_COMES_OUT |
							BOB_MPI_VECTOR)) == BOB_MPI_COMES_OUT;
}

int bob_mpi_has_members(const struct bob_mpi_param *p)
{
	return is_new(p, BOB_MPI_ROLE_COMM);
}

int bob_mpi_has_size(const struct bob_mpi_param *p)
{
	return is_new(p, BOB_MPI_ROLE_TYPE);
}

uint64_t bob_mpi_element_words(const struct bob_mpi_param *p, uint64_t length)
{
	switch (p->role) {
	case BOB_MPI_ROLE_STRING:
	case BOB_MPI_ROLE_STRINGS:
	case BOB_MPI_ROLE_ARGVS:
		return length / 8 + (length % 8 != 0);
	case BOB_MPI_ROLE_STATUS:
		return length < UINT64_MAX / 3 ? 3 * length : UINT64_MAX;
	default:
		return length;
	}
}
