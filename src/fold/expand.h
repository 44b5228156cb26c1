/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of an expansion, event by event (cursor.c) or nest by nest (nests.c): a participant's
 * position in its parts, in the spine, in the running loops and in each column.
 *
 * The bytes are not trusted. Every iteration must have an event, so the work between two events is
 * bounded by the size of the tables. Owner: the caller; bob_expand_close. One thread. */
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
	uint64_t last;		/* if given up: previous value */
	struct bob_trips_dec trips; /* if given up and in line */
	bob_status failed;	/* status at the end of the pieces */
	int ready, given_up, in_line;
	uint32_t nest;		/* nests.c: newest nest for which this column was examined */
	struct bob_expand_column *before; /* next in the list of open columns of the part */
};

struct bob_expand_frame {
	const struct bob_table_loop *loop;
	uint64_t left, trips;	/* iterations including the current one; total */
	uint32_t number, at;
	uint32_t has_event;	/* the current iteration had an event */
};

struct bob_expand {
	const struct bob_folded *folded;
	uint32_t part, parts_end;	/* index of the current part, and the end of the
					 * participant's parts */
	uint32_t capacity;			/* of `column` */
	struct bob_expand_column **column; /* by number; NULL: not open */
	struct bob_expand_column *newest;
	struct bob_expand_frame *frame;
	uint32_t depth, frame_capacity;
	struct bob_values_dec spine, values;
	uint64_t item;			/* newest item of the spine */
	uint64_t events;		/* expanded events of this part */
	size_t trips_budget;		/* remaining memory for histories of trip counts in this
					 * part */
	uint8_t *spine_mem, *values_mem;
	bob_status failed;		/* used by the caller: its last result */
	struct bob_blocks blocks;	/* memory of this part's columns */
};

/* Opens *x, which needs no initialisation. On failure there is nothing to close. BOB_ERR_INVAL: no
 * such participant. */
bob_status bob_expand_open(struct bob_expand *x, const struct bob_folded *f, uint32_t participant);
void bob_expand_close(struct bob_expand *x);

/* Moves column `number` to its next piece, or to its given-up mark. `in_line`: it has trip
 * counts. */
bob_status bob_expand_column(struct bob_expand *x, uint32_t number, int in_line,
			     struct bob_expand_column **out);
/* Decodes the next value of a given-up column. */
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

/* Returns the shape of the next event, from the innermost loop or the spine. BOB_NONE: a loop was
 * entered or skipped; call again. BOB_END: no more parts. `part` may have advanced. */
bob_status bob_expand_item(struct bob_expand *x, uint32_t *shape);
/* Decodes the words of the next event of this shape. */
bob_status bob_expand_event(struct bob_expand *x, uint32_t shape, uint64_t *word);
/* Ends `count` iterations, which had events, of the innermost loop. */
void bob_expand_iterated(struct bob_expand *x, uint64_t count);
/* Ends an iteration of the innermost loop. BOB_ERR_CORRUPT: it had no event. */
static inline bob_status bob_expand_end_of_body(struct bob_expand *x)
{
	if (!x->frame[x->depth - 1].has_event)
		return BOB_ERR_CORRUPT;
	bob_expand_iterated(x, 1);
	return BOB_OK;
}

/* Is the innermost loop at the end of its body? */
static inline int bob_expand_at_end(const struct bob_expand *x)
{
	return x->depth && x->frame[x->depth - 1].at == x->frame[x->depth - 1].loop->len;
}

#endif
