/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of vectors and texts for the generated wrappers, in addition to shim.h. functions.txt
 * defines them.
 *
 * Nothing here allocates, locks or fails: a vector for which there is no memory is recorded as an
 * empty one. */
#ifndef BOB_MPI_ARGUMENT_WORDS_H
#define BOB_MPI_ARGUMENT_WORDS_H

#include <stddef.h>

#include "archive/events/mpi_functions.h"
#include "mpi/shim.h"

#define BOB_MPI_EXPORT __attribute__((visibility("default")))

/* Type of a handle as the program passes it. It may belong to another MPI than this mpi.h
 * (bob_mpi_next): Open MPI's handles are pointers. MPICH's have 32 bits, so the whole register is
 * passed on. */
#ifdef OPEN_MPI
#define BOB_MPI_WHOLE(type) type
#else
#define BOB_MPI_WHOLE(type) int64_t
#endif

/* The next definition of a function, looked up once; concurrent lookups find the same one. */
#define BOB_MPI_NEXT(place, name)                                                                  \
	({                                                                                         \
		__typeof__(place) found_ = __atomic_load_n(&(place), __ATOMIC_RELAXED);            \
		if (__builtin_expect(!found_, 0)) {                                                \
			found_ = (__typeof__(place))bob_mpi_next(name);                            \
			__atomic_store_n(&(place), found_, __ATOMIC_RELAXED);                      \
		}                                                                                  \
		found_;                                                                            \
	})

/* Count of a list of texts that ends with a null pointer. */
#define BOB_MPI_TO_NULL UINT64_MAX

static inline uint64_t bob_mpi_int(int64_t value)
{
	return (uint64_t)value;
}

static inline uint64_t bob_mpi_flag(int value)
{
	return value != 0;
}

/* A length from the program or MPI; negative ones (MPI_UNDEFINED) become 0. */
static inline uint64_t bob_mpi_count(int64_t value)
{
	return value > 0 ? (uint64_t)value : 0;
}

static inline uint64_t bob_mpi_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t bob_mpi_sum(const int *v, uint64_t count);
uint64_t bob_mpi_last(const int *v, uint64_t count); /* 0 for an empty vector */

/* --- texts: lengths in bytes, without the last zero, and their words --- */

uint64_t bob_mpi_text(const char *s);
uint64_t bob_mpi_text_within(const char *s, uint64_t capacity);
uint64_t bob_mpi_texts(char *const *list, uint64_t count);
uint64_t bob_mpi_argvs(char **const *lists, uint64_t count);
void bob_mpi_put_text(struct bob_mpi_call *c, const char *s, uint64_t bytes);
void bob_mpi_put_texts(struct bob_mpi_call *c, char *const *list, uint64_t count);
void bob_mpi_put_argvs(struct bob_mpi_call *c, char **const *lists, uint64_t count);

/* Limit of recorded elements per vector (--mpi-vectors). */
extern uint64_t bob_mpi_most;
extern bool bob_mpi_hashes;	/* whether omitted elements are hashed; else 0 is recorded */

/* Length word of a vector with n elements that --mpi-vectors may shorten. */
static inline uint64_t bob_mpi_length(uint64_t n)
{
	return __builtin_expect(n > bob_mpi_most, 0) ? bob_mpi_most + 2 : n;
}

/* --- elements of vectors, rotated so that the one at `first` is recorded first --- */

void bob_mpi_put_ints(struct bob_mpi_call *c, const int *v, uint64_t count, uint64_t first);
/* MPI_Aint, MPI_Count, MPI_Offset: 64 bits each. */
void bob_mpi_put_wides(struct bob_mpi_call *c, const void *v, uint64_t count, uint64_t first);
void bob_mpi_put_ranks(struct bob_mpi_call *c, const int *v, uint64_t count, uint64_t first);
void bob_mpi_put_flags(struct bob_mpi_call *c, const int *v, uint64_t count, uint64_t first);
void bob_mpi_put_types(struct bob_mpi_call *c, const MPI_Datatype *v, uint64_t count,
		       uint64_t first);
void bob_mpi_put_new_types(struct bob_mpi_call *c, const MPI_Datatype *v, uint64_t count,
			   uint64_t first);
void bob_mpi_put_infos(struct bob_mpi_call *c, const MPI_Info *v, uint64_t count, uint64_t first);
void bob_mpi_put_codes(struct bob_mpi_call *c, const int *v, uint64_t count, uint32_t role);
void bob_mpi_put_words(struct bob_mpi_call *c, const uint64_t *v, uint64_t count);

/* Words of a vector before the call; NULL: out of memory. */
uint64_t *bob_mpi_keep_ints(struct bob_mpi_call *c, const int *v, uint64_t count);

/* --- requests and statuses --- */

/* Removed from the table. */
struct bob_mpi_was *bob_mpi_keep_requests(struct bob_mpi_call *c, const MPI_Request *v,
					  uint64_t count);
void bob_mpi_put_was(struct bob_mpi_call *c, const struct bob_mpi_was *was, uint64_t count);
void bob_mpi_left_requests(const struct bob_mpi_was *was, const MPI_Request *now, uint64_t count);
bool bob_mpi_was_receives(const struct bob_mpi_was *was, uint64_t count, int index);

/* The program's statuses, or scratch memory if the program ignores them; MPI_STATUSES_IGNORE if
 * there is no memory. */
MPI_Status *bob_mpi_statuses(struct bob_mpi_call *c, MPI_Status *given, uint64_t count);
/* `indices`: which requests the statuses belong to; NULL: all, in order. */
void bob_mpi_put_statuses(struct bob_mpi_call *c, const MPI_Status *s, uint64_t count,
			  const struct bob_mpi_was *was, uint64_t requests, const int *indices);

#endif
