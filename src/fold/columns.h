/* SPDX-License-Identifier: BSD-3-Clause */
/* All columns (column.h) of one folder, numbered in the order in which they were added.
 *
 * Most columns of a program get few values, and most others are affine. So a column starts as four
 * values in its slot of 64 bytes. The fifth value allocates a folding column of 1.4 KB, if one is
 * free. A column with final pieces gets a window, if one is free, which finds periodic pieces
 * (pattern.h). A column that is neither affine nor periodic, or gets no folding column, is *given
 * up*. Its further values go to the thread's value stream (values.h). If the column is `in_line`,
 * they follow its own pieces instead (trips.h). Trip counts are in line, because readers need them
 * before the values inside the loop, which were recorded earlier.
 *
 *     bytes of a column:  pieces (piece.h), the base of each relative to that of the previous one;
 *                         patterns: the structure, then the numbers, zigzag (group.h), the first
 *                         one relative likewise;
 *                         if given up: a byte BOB_COLUMN_GIVEN_UP; in line: trips.h
 *     The first difference after the mark is relative to the base of the last piece before it, with
 *     patterns expanded.
 *
 * Owner: the caller, also of the memory. Threads: one. Freestanding, no allocation. Budget: <= 4 ns
 * for a predicted value, <= 45 ns for another (bench/fold/bench_folder.c). */
#ifndef BOB_FOLD_COLUMNS_H
#define BOB_FOLD_COLUMNS_H

#include "fold/column.h"
#include "fold/pattern.h"
#include "fold/trips.h"
#include "fold/values.h"

#define BOB_COLUMN_GIVEN_UP 7u	/* never the first byte of a piece */
#define BOB_COLUMN_FIRST 4u	/* values stored in the slot */
#define BOB_COLUMNS_NONE UINT32_MAX
#define BOB_COLUMNS_WINDOWS 256u

/* `bytes` are borrowed. */
typedef void (*bob_column_bytes_fn)(void *ctx, uint32_t number, const uint8_t *bytes, size_t len);

struct bob_column_slot {
	struct bob_column *full;	/* NULL: not yet allocated, or given up */
	/* first number of the newest element that went to the sink; if given up: the last value */
	uint64_t last;
	union {
		uint64_t first[BOB_COLUMN_FIRST];
		uint8_t bytes[8 *
			      /* given up and in line without `trips`: pending bytes */
			      BOB_COLUMN_FIRST];
	} u;
	struct bob_trips_enc *trips;	/* given up and in line, if a history was free */
	uint8_t used;			/* numbers in `first`, or bytes in `bytes` */
	uint8_t given_up;
	uint8_t in_line;
	uint8_t leaves;			/* give up after this value */
};

struct bob_column_full {
	struct bob_column column;
	struct bob_columns *owner;
	struct bob_pattern_window *window; /* receives the pieces; NULL: not yet allocated, or none
					    * free */
	uint64_t newest;		/* base of the newest piece */
	uint32_t number;
	uint32_t given;			/* weight of the elements that went to the sink */
	uint32_t next_free;		/* index + 1; 0: none */
};

/* Pool of windows. */
struct bob_columns_windows {
	uint32_t count, free_count;	/* windows ever used; how many of these are free */
	uint32_t free[BOB_COLUMNS_WINDOWS];
	struct bob_pattern_window window[BOB_COLUMNS_WINDOWS];
};

struct bob_columns {
	struct bob_column_slot *slot;
	struct bob_column_full *full;
	struct bob_values_enc *values;
	struct bob_trips *trips;
	uint32_t count, capacity;		/* slots */
	uint32_t full_count, full_capacity;	/* folding columns ever used */
	uint32_t full_free;		/* free list: index + 1, 0: none */
	struct bob_columns_windows *windows;
	bob_column_bytes_fn sink;
	void *ctx;
	struct bob_column_full scratch;
};

/* `slot` has `capacity` elements, `full` has `full_capacity`. These, `windows` and `trips` are
 * zeroed. `windows` may be NULL. */
void bob_columns_init(struct bob_columns *c, struct bob_column_slot *slot, uint32_t capacity,
		      struct bob_column_full *full, uint32_t full_capacity,
		      struct bob_columns_windows *windows, struct bob_values_enc *values,
		      struct bob_trips *trips, bob_column_bytes_fn sink, void *ctx);
/* Adds `n` columns. Returns the number of the first, or BOB_COLUMNS_NONE if none is free. */
uint32_t bob_columns_add(struct bob_columns *c, uint32_t n, int in_line);
/* Sends the bytes that complete the column to `sink`, and the value *more if it is not NULL.
 * Changes only the scratch column. */
void bob_columns_rest(struct bob_columns *c, uint32_t number, const uint64_t *more,
		      bob_column_bytes_fn sink, void *ctx);

/* Slow path of bob_columns_put. */
void bob_columns_surprise(struct bob_columns *c, uint32_t number, uint64_t v);

/* Puts `n` values into one column. */
void bob_columns_put_row(struct bob_columns *c, uint32_t number, const uint64_t *v, size_t n);
/* Puts `n` equal values. */
void bob_columns_put_same(struct bob_columns *c, uint32_t number, uint64_t v, uint64_t n);
static inline void bob_columns_put(struct bob_columns *c, uint32_t number, uint64_t v)
{
	struct bob_column *full = c->slot[number].full;

	if (__builtin_expect(full && full->predicts && v == full->walk.value, 1)) {
		full->values++;
		bob_column_accept(full);
	} else {
		bob_columns_surprise(c, number, v);
	}
}

/* Puts a value into an in-line column. */
static inline void bob_columns_put_in_line(struct bob_columns *c, uint32_t number, uint64_t v)
{
	struct bob_column_slot *s = &c->slot[number];

	if (s->trips)
		bob_trips_put(s->trips, &s->last, v);
	else
		bob_columns_put(c, number, v);
}

/* Does the column predict the values v, v + step, ..., `n` > 0 of them? */
static inline int bob_columns_expect(const struct bob_columns *c, uint32_t number, uint64_t v,
				     uint64_t step, uint64_t n)
{
	const struct bob_column *full = c->slot[number].full;

	return full && full->predicts && v == full->walk.value &&
	       (n == 1 || (full->walk.left >= n && full->open.step[0] == step));
}

/* Accepts `n` values that bob_columns_expect has confirmed. */
static inline void bob_columns_accept(struct bob_columns *c, uint32_t number, uint64_t n)
{
	struct bob_column *full = c->slot[number].full;

	full->values += n;
	full->walk.left -= n - 1;
	full->walk.value += (n - 1) * full->open.step[0];
	bob_column_accept(full);
}

#endif
