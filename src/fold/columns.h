/* SPDX-License-Identifier: BSD-3-Clause */
/* All columns (column.h) of one folder: a number each, in the order in which they were added.
 *
 * Most columns of a program get a few values and most of the others are affine, so a column begins
 * as four values in its slot of 64 bytes and gets its 1.4 KB when the fifth comes, if space is
 * left. One that gives pieces gets a window for them, where those that take turns become patterns
 * (pattern.h), if space is left. One that is neither affine nor periodic, or for which no space is
 * left, is *given up*: its values go to the thread's stream of values (values.h), or, where the
 * column is `in_line`, after its own pieces (trips.h). Trip counts are in line, because readers
 * need them before the values of the loop, which come before them.
 *
 *     bytes of a column:  pieces (piece.h), the base of each relative to that of the one before;
 *                         patterns: the structure, then the numbers, zigzag (group.h), the first one relative likewise;
 *                         if given up: a byte BOB_COLUMN_GIVEN_UP; in line: trips.h
 *     the base of the last piece before the mark, patterns expanded, is what the first difference is to.
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
#define BOB_COLUMN_FIRST 4u	/* values that need no more than the slot */
#define BOB_COLUMNS_NONE UINT32_MAX
#define BOB_COLUMNS_WINDOWS 256u

/* `bytes` are borrowed. */
typedef void (*bob_column_bytes_fn)(void *ctx, uint32_t number, const uint8_t *bytes, size_t len);

struct bob_column_slot {
	struct bob_column *full;	/* NULL: not yet, or given up */
	/* first number of the newest element given away; given up: the last value */
	uint64_t last;
	union {
		uint64_t first[BOB_COLUMN_FIRST];
		uint8_t bytes[8 *
			      /* given up and in line, no `trips`: not given away yet */
			      BOB_COLUMN_FIRST];
	} u;
	struct bob_trips_enc *trips;	/* given up and in line, if space is left */
	uint8_t used;			/* of `first` or `bytes` */
	uint8_t given_up;
	uint8_t in_line;
	uint8_t leaves;			/* to be given up after this value */
};

struct bob_column_full {
	struct bob_column column;
	struct bob_columns *owner;
	struct bob_pattern_window *window; /* where its pieces go; NULL: none yet, or no space */
	uint64_t newest;		/* base of the newest piece */
	uint32_t number;
	uint32_t given;			/* elements that went out, by their weight */
	uint32_t next_free;		/* index + 1 */
};

/* Windows that columns have or had. */
struct bob_columns_windows {
	uint32_t count, free_count;	/* ever used, and of them in no use now */
	uint32_t free[BOB_COLUMNS_WINDOWS];
	struct bob_pattern_window window[BOB_COLUMNS_WINDOWS];
};

struct bob_columns {
	struct bob_column_slot *slot;
	struct bob_column_full *full;
	struct bob_values_enc *values;
	struct bob_trips *trips;
	uint32_t count, capacity;		/* slots */
	uint32_t full_count, full_capacity;	/* ever used */
	uint32_t full_free;		/* index + 1, 0: none */
	struct bob_columns_windows *windows;
	bob_column_bytes_fn sink;
	void *ctx;
	struct bob_column_full scratch;
};

/* `slot` has `capacity` elements, `full` has `full_capacity`; these, `windows` and `trips` are
 * zeroed. `windows` may be NULL. */
void bob_columns_init(struct bob_columns *c, struct bob_column_slot *slot, uint32_t capacity,
		      struct bob_column_full *full, uint32_t full_capacity,
		      struct bob_columns_windows *windows, struct bob_values_enc *values,
		      struct bob_trips *trips, bob_column_bytes_fn sink, void *ctx);
/* `n` more; the number of the first, BOB_COLUMNS_NONE if no space is left. */
uint32_t bob_columns_add(struct bob_columns *c, uint32_t n, int in_line);
/* The bytes that complete those given so far, and the value `more` if it is not NULL, go to `sink`.
 * Nothing changes (but the scratch). */
void bob_columns_rest(struct bob_columns *c, uint32_t number, const uint64_t *more,
		      bob_column_bytes_fn sink, void *ctx);

/* The cold half of bob_columns_put. */
void bob_columns_surprise(struct bob_columns *c, uint32_t number, uint64_t v);

/* `n` values of one column, one after the other. */
void bob_columns_put_row(struct bob_columns *c, uint32_t number, const uint64_t *v, size_t n);
/* `n` times the same. */
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

/* A value of a column that is in line. */
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

/* They have come. */
static inline void bob_columns_accept(struct bob_columns *c, uint32_t number, uint64_t n)
{
	struct bob_column *full = c->slot[number].full;

	full->values += n;
	full->walk.left -= n - 1;
	full->walk.value += (n - 1) * full->open.step[0];
	bob_column_accept(full);
}

#endif
