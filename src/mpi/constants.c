/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of plain values. Constants whose values differ between MPIs have the same words
 * (docs/mpi.md). */
#include "mpi/recorder.h"

#define ANY_SOURCE (-1)
#define PROC_NULL (-2)
#define ROOT (-3)
#define UNDEFINED (-4)

/* In Open MPI, MPI_BOTTOM is a null pointer. */
uint64_t bob_mpi_buf(const void *p)
{
	return !p || p == MPI_BOTTOM ? 0 : p == MPI_IN_PLACE ? 1 : 2;
}

uint64_t bob_mpi_rank(int rank)
{
	if (rank >= 0)
		return (uint64_t)rank;
	return (uint64_t)(int64_t)(rank == MPI_ANY_SOURCE ? ANY_SOURCE :
				   rank == MPI_PROC_NULL  ? PROC_NULL :
				   rank == MPI_ROOT	  ? ROOT :
				   rank == MPI_UNDEFINED  ? UNDEFINED :
							    rank - 1000);
}

uint64_t bob_mpi_tag(int tag)
{
	return (uint64_t)(int64_t)tag; /* MPI_ANY_TAG is -1 everywhere */
}

/* Position of the code as in call paths; 1: in no chosen image (MPI's predefined functions). */
uint64_t bob_mpi_function(const void *f)
{
	uint64_t place = bob_ev_agent->place((uint64_t)(uintptr_t)f);

	return place == BOB_AGENT_NO_PLACE ? f != NULL : place;
}

uint64_t bob_mpi_pointer(const void *p)
{
	return p != NULL;
}

uint64_t bob_mpi_code(uint32_t role, int value)
{
	for (uint32_t i = 0; i < bob_mpi_code_count; i++)
		if (bob_mpi_codes[i].role == role && bob_mpi_codes[i].value == value)
			return bob_mpi_codes[i].number;
	return BOB_MPI_OTHER_CODE + (uint32_t)value;
}

uint64_t bob_mpi_bits(uint32_t role, int value)
{
	uint32_t left = (uint32_t)value;
	uint64_t word = 0;

	for (uint32_t i = 0; i < bob_mpi_code_count; i++) {
		const uint32_t bit = (uint32_t)bob_mpi_codes[i].value;

		if (bob_mpi_codes[i].role == role && bit && (left & bit) == bit) {
			word |= 1ull << (bob_mpi_codes[i].number - 1);
			left &= ~bit;
		}
	}
	return word | (uint64_t)left << 32;
}

#ifdef OPEN_MPI
uint64_t bob_mpi_status_bytes(const MPI_Status *s)
{
	return s->_ucount;
}

static bool is_cancelled(const MPI_Status *s)
{
	return s->_cancelled;
}
#else
uint64_t bob_mpi_status_bytes(const MPI_Status *s)
{
	return (uint64_t)(uint32_t)s->count_hi_and_cancelled >> 1 << 32 | (uint32_t)s->count_lo;
}

static bool is_cancelled(const MPI_Status *s)
{
	return s->count_hi_and_cancelled & 1;
}
#endif

void bob_mpi_status(struct bob_mpi_call *c, const MPI_Status *s, bool says_something)
{
	bob_mpi_put(c, says_something ? bob_mpi_rank(s->MPI_SOURCE) : 0);
	bob_mpi_put(c, says_something ? bob_mpi_tag(s->MPI_TAG) : 0);
	bob_mpi_put(c, says_something ? bob_mpi_status_bytes(s) : 0);
}

/* Only for requests: in other statuses MPICH keeps the bit as the program left it. */
void bob_mpi_request_status(struct bob_mpi_call *c, const MPI_Status *s, bool receives)
{
	if (!receives || !is_cancelled(s)) {
		bob_mpi_status(c, s, receives);
		return;
	}
	bob_mpi_put(c, (uint64_t)(int64_t)PROC_NULL);
	bob_mpi_put(c, bob_mpi_tag(MPI_ANY_TAG));
	bob_mpi_put(c, 0);
}
