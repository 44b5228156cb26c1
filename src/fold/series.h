/* SPDX-License-Identifier: BSD-3-Clause */
/* A sequence of numbers in the shortest of five codings: as pieces, as a group of one member
 * (group.h), which may have patterns, by halves (halves.h), narrow (narrow.h), or by the bits of
 * the index (bits.h):
 *     series:   varint pieces, pieces; or 0, varint bytes, group; or 0, 0, varint bytes, halves;
 *               or 0, 0, 0, varint bytes, narrow; or 0, 0, 0, 0, varint bytes, bits
 * Written and read sequentially, so that a million numbers need no buffer. */
#ifndef BOB_FOLD_SERIES_H
#define BOB_FOLD_SERIES_H

#include "fold/bits.h"
#include "fold/buffer.h"
#include "fold/column.h"
#include "fold/group.h"
#include "fold/narrow.h"

/* --- writing --- */

struct bob_series_writer {
	struct bob_column column;
	struct bob_buffer pieces;	/* final pieces */
	uint64_t before, count;
};

void bob_series_begin(struct bob_series_writer *w, const struct bob_alloc *alloc);
static inline void bob_series_add(struct bob_series_writer *w, uint64_t v)
{
	bob_column_put(&w->column, v);
}
/* Appends the series to `b`, or discards it (NULL). w->pieces is valid until the writer is
 * freed. */
void bob_series_end(struct bob_series_writer *w, struct bob_buffer *b);
/* The same, but only as pieces or a group. */
void bob_series_end_plain(struct bob_series_writer *w, struct bob_buffer *b);
void bob_series_free(struct bob_series_writer *w);

/* --- reading --- */

enum bob_series_kind {
	BOB_SERIES_PIECES,
	BOB_SERIES_GROUP,
	BOB_SERIES_HALVES,
	BOB_SERIES_NARROW,
	BOB_SERIES_BITS
};

struct bob_series_reader {
	const uint8_t *at, *end;
	uint64_t left, before;		/* of pieces */
	enum bob_series_kind kind;
	int has_piece;
	struct bob_piece piece;
	struct bob_piece_walk walk;
	struct bob_group_reader group;
	struct bob_halves *halves;
	struct bob_narrow_reader narrow;
	struct bob_bits_reader bits;
};

/* Opens a series of at least one number. Close it in any case. Errors: BOB_ERR_CORRUPT,
 * BOB_ERR_NOMEM. */
bob_status bob_series_open(struct bob_series_reader *r, const struct bob_alloc *alloc,
			   const uint8_t *at, const uint8_t *end);
/* Opens bytes that consist of one series, as pieces or a group; `pieces`: without the leading
 * count. */
bob_status bob_series_open_whole(struct bob_series_reader *r, const struct bob_alloc *alloc,
				 const uint8_t *at, const uint8_t *end);
void bob_series_open_pieces(struct bob_series_reader *r, const struct bob_buffer *pieces,
			    uint64_t count);
bob_status bob_series_turn(struct bob_series_reader *r, uint64_t *value);
void bob_series_close(struct bob_series_reader *r);

/* The next number. BOB_END: no more; the series ends at r->at. Errors: BOB_ERR_CORRUPT,
 * BOB_ERR_NOMEM. */
static inline bob_status bob_series_next(struct bob_series_reader *r, uint64_t *value)
{
	if (!r->has_piece || r->walk.left <= 1)
		return bob_series_turn(r, value);
	r->walk.left--;
	*value = r->walk.value += r->piece.step[0];
	return BOB_OK;
}

#endif
