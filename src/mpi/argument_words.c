/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of texts, vectors, requests and statuses, for the generated wrappers. */
#include "mpi/argument_words.h"

#include <string.h>

#include "archive/events/mpi_functions.h"

uint64_t bob_mpi_sum(const int *v, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += bob_mpi_count(v[i]);
	return sum;
}

uint64_t bob_mpi_last(const int *v, uint64_t count)
{
	return count ? bob_mpi_count(v[count - 1]) : 0;
}

/* --- texts --- */

uint64_t bob_mpi_text(const char *s)
{
	return strlen(s);
}

uint64_t bob_mpi_text_within(const char *s, uint64_t capacity)
{
	return capacity == BOB_MPI_TO_NULL ? strlen(s) : strnlen(s, capacity);
}

/* Packs bytes into words. */
struct packing {
	struct bob_mpi_call *c; /* NULL: counts only */
	uint64_t word;
	uint64_t bytes;
};

static void pack(struct packing *p, const char *s, uint64_t bytes)
{
	if (!p->c) {
		p->bytes += bytes;
		return;
	}
	for (uint64_t i = 0; i < bytes; i++) {
		p->word |= (uint64_t)(unsigned char)s[i] << p->bytes++ % 8 * 8;
		if (p->bytes % 8 == 0) {
			bob_mpi_put(p->c, p->word);
			p->word = 0;
		}
	}
}

static void end_packing(const struct packing *p)
{
	if (p->c && p->bytes % 8)
		bob_mpi_put(p->c, p->word);
}

static void pack_texts(struct packing *p, char *const *list, uint64_t count)
{
	for (uint64_t i = 0; i < count && list[i]; i++)
		pack(p, list[i], strlen(list[i]) + 1);
}

static uint64_t length_of(char *const *list)
{
	uint64_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static void pack_number(struct packing *p, uint64_t n)
{
	char digits[21];
	size_t at = sizeof(digits);

	digits[--at] = 0;
	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	pack(p, digits + at, sizeof(digits) - at);
}

static void pack_argvs(struct packing *p, char **const *lists, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t n = length_of(lists[i]);

		pack_number(p, n);
		pack_texts(p, lists[i], n);
	}
}

uint64_t bob_mpi_texts(char *const *list, uint64_t count)
{
	struct packing p = { NULL, 0, 0 };

	pack_texts(&p, list, count);
	return p.bytes;
}

uint64_t bob_mpi_argvs(char **const *lists, uint64_t count)
{
	struct packing p = { NULL, 0, 0 };

	pack_argvs(&p, lists, count);
	return p.bytes;
}

void bob_mpi_put_text(struct bob_mpi_call *c, const char *s, uint64_t bytes)
{
	struct packing p = { c, 0, 0 };

	pack(&p, s, bytes);
	end_packing(&p);
}

void bob_mpi_put_texts(struct bob_mpi_call *c, char *const *list, uint64_t count)
{
	struct packing p = { c, 0, 0 };

	pack_texts(&p, list, count);
	end_packing(&p);
}

void bob_mpi_put_argvs(struct bob_mpi_call *c, char **const *lists, uint64_t count)
{
	struct packing p = { c, 0, 0 };

	pack_argvs(&p, lists, count);
	end_packing(&p);
}

/* --- vectors --- */

uint64_t bob_mpi_most = UINT64_MAX;
bool bob_mpi_hashes = true;

/* State while a vector is put: elements beyond the limit go into a hash. */
struct putting {
	struct bob_mpi_call *c;
	uint64_t left, hash;
};

static inline struct putting begin_putting(struct bob_mpi_call *c, uint64_t most)
{
	return (struct putting){ c, most, 1 };
}

static inline void put_one(struct putting *p, uint64_t word)
{
	if (p->left) {
		p->left--;
		bob_mpi_put(p->c, word);
	} else {
		p->hash = (p->hash ^ word) * 0x9e3779b97f4a7c15u;
		p->hash ^= p->hash >> 29;
	}
}

static void end_putting(const struct putting *p, uint64_t count)
{
	if (count > bob_mpi_most) {
		bob_mpi_put(p->c, BOB_MPI_CUT | count);
		bob_mpi_put(p->c, bob_mpi_hashes ? p->hash : 0);
	}
}

/* Defines the put function of one element type. `first` rotates the vector: the element at `first`
 * is recorded first. */
#define PUT(name, type, word, most)                                                                \
	void name(struct bob_mpi_call *c, const type *v, uint64_t count, uint64_t first)           \
	{                                                                                          \
		struct putting p = begin_putting(c, most);                                         \
		const uint64_t begin = first < count ? first : 0;                                  \
		for (uint64_t i = begin; i < count; i++)                                           \
			put_one(&p, word(v[i]));                                                   \
		for (uint64_t i = 0; i < begin; i++)                                               \
			put_one(&p, word(v[i]));                                                   \
		if (most != UINT64_MAX)                                                            \
			end_putting(&p, count);                                                    \
	}

PUT(bob_mpi_put_ints, int, bob_mpi_int, bob_mpi_most)
PUT(bob_mpi_put_ranks, int, bob_mpi_rank, bob_mpi_most)
PUT(bob_mpi_put_flags, int, bob_mpi_flag, bob_mpi_most)
PUT(bob_mpi_put_types, MPI_Datatype, bob_mpi_type, bob_mpi_most)
PUT(bob_mpi_put_new_types, MPI_Datatype, bob_mpi_new_type, UINT64_MAX)
PUT(bob_mpi_put_infos, MPI_Info, bob_mpi_info, UINT64_MAX)
static PUT(put_wides, int64_t, bob_mpi_int, bob_mpi_most)

	_Static_assert(sizeof(MPI_Aint) == 8 && sizeof(MPI_Count) == 8 && sizeof(MPI_Offset) == 8,
		       "wide integers");

void bob_mpi_put_wides(struct bob_mpi_call *c, const void *v, uint64_t count, uint64_t first)
{
	put_wides(c, v, count, first);
}

void bob_mpi_put_codes(struct bob_mpi_call *c, const int *v, uint64_t count, uint32_t role)
{
	struct putting p = begin_putting(c, bob_mpi_most);

	for (uint64_t i = 0; i < count; i++)
		put_one(&p, bob_mpi_code(role, v[i]));
	end_putting(&p, count);
}

void bob_mpi_put_words(struct bob_mpi_call *c, const uint64_t *v, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		bob_mpi_put(c, v[i]);
}

uint64_t *bob_mpi_keep_ints(struct bob_mpi_call *c, const int *v, uint64_t count)
{
	uint64_t *kept = v && count ? bob_mpi_keep(c, count, sizeof(*kept)) : NULL;

	for (uint64_t i = 0; kept && i < count; i++)
		kept[i] = bob_mpi_int(v[i]);
	return kept;
}

/* --- requests and statuses --- */

struct bob_mpi_was *bob_mpi_keep_requests(struct bob_mpi_call *c, const MPI_Request *v,
					  uint64_t count)
{
	struct bob_mpi_was *was = v && count ? bob_mpi_keep(c, count, sizeof(*was)) : NULL;

	for (uint64_t i = 0; was && i < count; i++)
		was[i] = bob_mpi_take_request(v[i]);
	return was;
}

void bob_mpi_put_was(struct bob_mpi_call *c, const struct bob_mpi_was *was, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		bob_mpi_put(c, was[i].word);
}

void bob_mpi_left_requests(const struct bob_mpi_was *was, const MPI_Request *now, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		bob_mpi_left_request(&was[i], now[i]);
}

bool bob_mpi_was_receives(const struct bob_mpi_was *was, uint64_t count, int index)
{
	return index >= 0 && (uint64_t)index < count && was[index].receives;
}

MPI_Status *bob_mpi_statuses(struct bob_mpi_call *c, MPI_Status *given, uint64_t count)
{
	MPI_Status *ours = given == MPI_STATUSES_IGNORE && count ?
				   bob_mpi_keep(c, count, sizeof(*ours)) :
				   NULL;

	return ours ? ours : given;
}

void bob_mpi_put_statuses(struct bob_mpi_call *c, const MPI_Status *s, uint64_t count,
			  const struct bob_mpi_was *was, uint64_t requests, const int *indices)
{
	for (uint64_t i = 0; i < count; i++)
		bob_mpi_request_status(c, &s[i],
				       bob_mpi_was_receives(was, requests,
							    indices ? indices[i] : (int)i));
}
