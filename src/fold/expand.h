/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of an expansion, event by event (cursor.c) or nest by nest (nests.c): a participant's
 * place in its parts, in the spine, in the running loops and in each column.
 *
 * The bytes are not trusted: every iteration must have an event, so that the work between two
 * events is bounded by what the tables hold. Owner: the caller; bob_expand_close. One thread. */
#ifndef BOB_FOLD_EXPAND_H
#define BOB_FOLD_EXPAND_H

#include "fold/folded.h"
#include "fold/piece.h"
#include "fold/trips.h"
#include "fold/values.h"

struct bob_expand_column {
	struct bob_piece piece;
	struct bob_piece_walk walk; /* at the next value, if `ready` */
	struct bob_group_reader reader;
	uint64_t last;		/* difference is to this, if given up */
	struct bob_trips_dec trips; /* given up and in line */
	bob_status failed;	/* there are no more pieces */
	int ready, given_up, in_line;
	uint32_t nest;		/* nests.c: number of the newest nest it was looked at for */
	struct bob_expand_column *before; /* opened before, of the same part */
};

struct bob_expand_frame {
	const struct bob_table_loop *loop;
	uint64_t left, trips;	/* iterations, this one included; all */
	uint32_t number, at;
	uint32_t has_event;	/* in this iteration */
};

struct bob_expand {
	const struct bob_folded *folded;
	uint32_t part, parts_end;	/* index */
	uint32_t capacity;			/* of `column` */
	struct bob_expand_column **column; /* by number; NULL: not read yet */
	struct bob_expand_column *newest;
	struct bob_expand_frame *frame;
	uint32_t depth, frame_capacity;
	struct bob_values_dec spine, values;
	uint64_t item;			/* the newest of the spine */
	uint64_t events;		/* of this part */
	size_t trips_budget;		/* of this part */
	uint8_t *spine_mem, *values_mem;
	bob_status failed;		/* for the caller: what it said last */
	struct bob_blocks blocks;	/* of this part's columns */
};

/* *x is the caller's, in any state before. On failure nothing is left to close. BOB_ERR_INVAL: no
 * such participant. */
bob_status bob_expand_open(struct bob_expand *x, const struct bob_folded *f, uint32_t participant);
void bob_expand_close(struct bob_expand *x);

/* Moves column `number` to its next value, or to where it is given up; `in_line`: it is one of trip
 * counts. */
bob_status bob_expand_column(struct bob_expand *x, uint32_t number, int in_line,
			     struct bob_expand_column **out);
/* The next value of a column that is given up. */
bob_status bob_expand_difference(struct bob_expand *x, struct bob_expand_column *c,
				 uint64_t *value);

static inline bob_status bob_expand_value(struct bob_expand *x, uint32_t number, int in_line,
					  uint64_t *value)
{
	struct bob_expand_column *c = x->column[number];

	if (__builtin_expect(!c || !c->ready, 0)) {
		bob_status st = bob_expand_column(x, number, in_line, &c);

		if (st != BOB_OK)
			return st;
		if (c->given_up)
			return bob_expand_difference(x, c, value);
	}
	*value = c->walk.value;
	c->ready = bob_piece_next(&c->piece, 0, &c->walk) == BOB_OK;
	return BOB_OK;
}

/* The next event's shape: from the newest loop, or from the spine. BOB_NONE: a loop has been
 * entered, or has run not at all. BOB_END: the parts are over; `part` may have become another
 * one. */
bob_status bob_expand_item(struct bob_expand *x, uint32_t *shape);
/* The words of an event of this shape. */
bob_status bob_expand_event(struct bob_expand *x, uint32_t shape, uint64_t *word);
/* `count` iterations of the newest loop are over, which had events. */
void bob_expand_iterated(struct bob_expand *x, uint64_t count);
/* Its body has been gone through once. BOB_ERR_CORRUPT: without an event. */
static inline bob_status bob_expand_end_of_body(struct bob_expand *x)
{
	if (!x->frame[x->depth - 1].has_event)
		return BOB_ERR_CORRUPT;
	bob_expand_iterated(x, 1);
	return BOB_OK;
}

/* Has the newest loop come to the end of its body? */
static inline int bob_expand_at_end(const struct bob_expand *x)
{
	return x->depth && x->frame[x->depth - 1].at == x->frame[x->depth - 1].loop->len;
}

#endif
