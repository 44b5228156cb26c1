/* SPDX-License-Identifier: BSD-3-Clause */
/* One column of several participants. What a folder wrote of a column is taken apart into its
 * *structure* (the pieces' dimensions) and its *numbers* (bases, counts, steps). Participants with the same
 * structure are a *group*: each number is a row over them, and a row that is affine takes the room of
 * one number, however many they are.
 *
 *     group:     varint length of the structure, structure, varint numbers, kinds, rows
 *     structure: per piece: dims, | 8 and a varint mask if counts grow (piece.h); then, if the column was
 *                given up, BOB_COLUMN_GIVEN_UP and, in line, its differences
 *     numbers:   per piece: base - base of the piece before, then per loop count and step, then grow by the mask
 *     kinds:     2 bits a row, the first one lowest: 0 all the same, 1 affine, 2 pieces
 *     row:       0: zigzag; 1: zigzag first, zigzag step; 2: varint pieces, pieces (piece.h)
 *
 * Members of a group are counted from 0, in the order of the participants. Freestanding; memory is the
 * caller's or from his allocator. */
#ifndef BOB_FOLD_GROUP_H
#define BOB_FOLD_GROUP_H

#include "fold/block.h"
#include "fold/piece.h"

struct bob_fold_bytes {
	const uint8_t *at;
	size_t len;
};

/* Bytes that grow; zeroed but for `alloc` it is empty. */
struct bob_buffer {
	struct bob_alloc alloc;
	uint8_t *at;
	uint32_t len, room;
	int failed;		/* there was no memory: what is there is not all */
};

void bob_buffer_put(struct bob_buffer *b, const void *bytes, size_t len);
void bob_buffer_varint(struct bob_buffer *b, uint64_t v);
void bob_buffer_signed(struct bob_buffer *b, uint64_t v);
void bob_buffer_free(struct bob_buffer *b);
/* A copy in `blocks`. */
bob_status bob_buffer_keep(const struct bob_buffer *b, struct bob_blocks *blocks,
			   struct bob_fold_bytes *out);

/* One column of one participant. */
struct bob_content {
	struct bob_buffer structure;
	uint64_t *number;
	uint32_t count, room;
};

void bob_content_clear(struct bob_content *c);
void bob_content_free(struct bob_content *c);
/* From what a folder wrote of the column; *c is emptied first. */
bob_status bob_content_read(struct bob_content *c, const struct bob_fold_bytes *bytes, int in_line);

/* `n` numbers as pieces: varint pieces, pieces. */
void bob_series_put(struct bob_buffer *b, const uint64_t *value, uint32_t n);
/* Reads at *at; *at moves only on BOB_OK. BOB_ERR_CORRUPT: there are not just `n`. */
bob_status bob_series_get(const uint8_t **at, const uint8_t *end, uint64_t *value, uint32_t n);

/* The group of `n` members of the same structure. */
bob_status bob_group_put(struct bob_buffer *b, const struct bob_content *const *member, uint32_t n);

/* Reads one member's content, piece by piece. */
struct bob_group_reader {
	const uint8_t *structure, *structure_end;
	const uint8_t *kind;		/* of the next row ... */
	const uint8_t *row, *end;
	uint32_t rows_left;
	uint32_t shift;			/* ... and its place in the byte */
	uint32_t member;
	uint64_t base;			/* of the newest piece */
};

/* BOB_ERR_CORRUPT: these bytes are no group. */
bob_status bob_group_open(struct bob_group_reader *r, const struct bob_fold_bytes *group,
			  uint32_t member);
/* BOB_END: no more pieces; what is left of the structure is behind it, if *given_up. */
bob_status bob_group_piece(struct bob_group_reader *r, struct bob_piece *p, int *given_up);
/* A member's content, all of it. */
bob_status bob_group_content(const struct bob_fold_bytes *group, uint32_t member,
			     struct bob_content *c);

#endif
