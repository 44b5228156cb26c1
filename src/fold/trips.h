/* SPDX-License-Identifier: BSD-3-Clause */
/* Trip counts that are not affine: those of one loop, in the order of its executions. The coding is
 * that of values (values.h), but each loop has its own history: readers need the counts of a loop
 * before those of inner loops, which were recorded earlier, so a common history is impossible.
 *
 *     u8 bits      0: no history was free; zigzag differences up to the end
 *     tokens       of values.h; the history has 2^bits differences
 *     u8 bits      after 2^bits values: 0: it stays the same; otherwise a new, empty history, and
 *                  its tokens, and so on
 *
 * Histories are small at first, because most loops have few counts. The number of histories of each
 * size is fixed. Trip counts are small numbers and often equal, so with a long period more of them
 * are needed as context to find the position in it.
 *
 * Owner: the caller, also of the memory. Threads: one. Freestanding. Budget: that of values.h. */
#ifndef BOB_FOLD_TRIPS_H
#define BOB_FOLD_TRIPS_H

#include "fold/values.h"

#define BOB_TRIPS_SIZES 3u
#define BOB_TRIPS_COLUMNS 32u	/* maximal number of loops with a history */
#define BOB_TRIPS_BITS_MAX 16u
#define BOB_TRIPS_HISTORY(bits) ((4u << (bits)) + (1u << (bits))) /* bob_values_size */
#define BOB_TRIPS_BYTES                                                                            \
	(BOB_TRIPS_COLUMNS * BOB_TRIPS_HISTORY(10) + 6 * BOB_TRIPS_HISTORY(13) +                   \
	 BOB_TRIPS_HISTORY(16))

/* `bytes` are borrowed. */
typedef void (*bob_trips_sink_fn)(void *ctx, uint32_t number, const uint8_t *bytes, size_t len);

struct bob_trips;

struct bob_trips_enc {
	struct bob_values_enc enc;
	struct bob_trips *owner;
	uint64_t left;		/* values until the next choice of a history */
	uint32_t number;
};

/* All coders of a folder. */
struct bob_trips {
	struct bob_trips_enc enc[BOB_TRIPS_COLUMNS];
	uint32_t used[BOB_TRIPS_SIZES];
	bob_trips_sink_fn sink;
	void *ctx;
	uint64_t mem[BOB_TRIPS_BYTES / 8];
};

int bob_trips_have_space(const struct bob_trips *t);
/* The coder of column `number`, or NULL if no history is free. `t` must be zeroed first, with sink
 * and ctx set. */
struct bob_trips_enc *bob_trips_begin(struct bob_trips *t, uint32_t number);
/* Slow path of bob_trips_put: chooses the next history. */
void bob_trips_choose(struct bob_trips_enc *e);
/* `last` is the previous value; it becomes `value`. */
static inline void bob_trips_put(struct bob_trips_enc *e, uint64_t *last, uint64_t value)
{
	if (__builtin_expect(!e->left, 0))
		bob_trips_choose(e);
	e->left--;
	bob_values_put(&e->enc, last, value);
}

/* Codes the pending counts of all columns. */
void bob_trips_settle(struct bob_trips *t);
/* Puts `n` equal counts. */
void bob_trips_put_same(struct bob_trips_enc *e, uint64_t *last, uint64_t value, uint64_t n);
/* Writes what completes the output so far, and the count *more if it is not NULL; at most
 * BOB_TRIPS_REST_MAX bytes. Does not change the state. */
#define BOB_TRIPS_REST_MAX (BOB_VALUES_REST_MAX + 1u + 10u)
size_t bob_trips_rest(const struct bob_trips_enc *e, uint64_t last, const uint64_t *more,
		      uint8_t *bytes);

struct bob_trips_dec {
	struct bob_values_dec dec;
	uint64_t left;
	int begun, is_plain;
	/* Returns zeroed memory, aligned to 8; NULL: BOB_ERR_NOMEM */
	void *(*allocate)(void *ctx, size_t bytes);
	void *ctx;
	/* memory for all columns of a part: BOB_TRIPS_BYTES at first; if exceeded:
	 * BOB_ERR_CORRUPT */
	size_t *budget;
};

void bob_trips_dec_init(struct bob_trips_dec *d, const uint8_t *bytes, size_t len,
			void *(*allocate)(void *ctx, size_t bytes), void *ctx, size_t *budget);
/* Decodes the next count; *last is the previous one. Returns BOB_END at the end. Errors:
 * BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_trips_get(struct bob_trips_dec *d, uint64_t *last);

#endif
