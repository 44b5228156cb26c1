/* SPDX-License-Identifier: BSD-3-Clause */
/* Request numbers: each thread numbers the requests that it creates. A word names a request by the
 * number of requests that the thread has created since, so that all iterations of a loop that
 * creates requests and waits for them have the same words.
 *
 *     0                  MPI_REQUEST_NULL
 *     2 n + 2            created by this thread, which has created n since
 *     2 n + 1 (n > 0)    created by thread (n >> 32) - 1, as its number n mod 2^32
 *     1                  not created by a recorded call, or a handle that several requests share:
 *                        MPI's handles of requests that complete at once
 *
 * is_common recognises MPI's own handles for requests that complete at once. Other handles that
 * several active requests share are marked SHARED when the second request appears. */
#include "mpi/real.h"
#include "mpi/recorder.h"

#define UNKNOWN 1u
#define RECEIVES (1ull << 63)
#define SHARED (1ull << 62)

static uint64_t bits(MPI_Request h)
{
	return (uint64_t)(uintptr_t)h;
}

/* Whether it is one of MPI's predefined completed requests, which any number of calls return. */
#ifdef OPEN_MPI
static bool is_common(MPI_Request h)
{
	static const char *const names[] = { "ompi_request_empty", "ompi_request_empty_send" };
	static uint64_t common[2];
	static bool known; /* a race is harmless: all threads store the same */

	if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
		for (int i = 0; i < 2; i++)
			__atomic_store_n(&common[i], (uint64_t)(uintptr_t)bob_mpi_symbol(names[i]),
					 __ATOMIC_RELAXED);
		__atomic_store_n(&known, true, __ATOMIC_RELEASE);
	}
	return h && (bits(h) == __atomic_load_n(&common[0], __ATOMIC_RELAXED) ||
		     bits(h) == __atomic_load_n(&common[1], __ATOMIC_RELAXED));
}
#else
#define BUILTIN 1u /* class, in the upper two bits of a handle: static object of MPICH */

static bool is_common(MPI_Request h)
{
	return (uint32_t)h >> 30 == BUILTIN;
}
#endif

static uint64_t word_of(uint64_t number)
{
	const struct bob_ev_thread *t = bob_ev_thread();

	if (!number)
		return 0;
	if (number & SHARED)
		return UNKNOWN;
	number &= ~RECEIVES;
	if (number >> 32 == t->number + 1)
		return 2ull * (uint32_t)(t->requests - 1 - (uint32_t)number) + 2;
	return 2 * number + 1;
}

uint64_t bob_mpi_request(MPI_Request h)
{
	uint64_t number;

	return !is_common(h) && bob_mpi_numbers_get(BOB_MPI_KIND_REQUEST, bits(h), &number) ?
		       word_of(number) :
		       UNKNOWN;
}

uint64_t bob_mpi_new_request(MPI_Request h, bool receives)
{
	struct bob_ev_thread *t = bob_ev_thread();
	uint64_t number = (uint64_t)(t->number + 1) << 32 | t->requests | (receives ? RECEIVES : 0);

	if (is_common(h)) {
		t->requests++;
		return UNKNOWN;
	}
	if (!bob_mpi_numbers_add(BOB_MPI_KIND_REQUEST, bits(h), &number, SHARED) && !number)
		return 0; /* null handle */
	t->requests++;
	return number & SHARED ? UNKNOWN : 2;
}

struct bob_mpi_was bob_mpi_take_request(MPI_Request h)
{
	struct bob_mpi_was was = { .request = h, .word = UNKNOWN };

	if (!is_common(h) && bob_mpi_numbers_take(BOB_MPI_KIND_REQUEST, bits(h), &was.number)) {
		was.word = word_of(was.number);
		was.receives = (was.number & (RECEIVES | SHARED)) == RECEIVES;
	}
	return was;
}

void bob_mpi_left_request(const struct bob_mpi_was *was, MPI_Request now)
{
	uint64_t number = was->number;

	if (number && bits(was->request) == bits(now))
		bob_mpi_numbers_add(BOB_MPI_KIND_REQUEST, bits(now), &number, SHARED);
}

bool bob_mpi_receives(MPI_Request h)
{
	uint64_t number;

	return !is_common(h) && bob_mpi_numbers_get(BOB_MPI_KIND_REQUEST, bits(h), &number) &&
	       (number & (RECEIVES | SHARED)) == RECEIVES;
}
