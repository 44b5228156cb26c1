/* SPDX-License-Identifier: BSD-3-Clause */
/* One column of several participants. What a folder wrote is split into its *structure* (dimensions
 * of the pieces) and its *numbers* (bases, counts, steps). Participants with the same structure
 * form a *group*: each number is a row over them, and an affine row takes the space of one number
 * for any number of participants.
 *
 *     group:     varint length of the structure, structure, varint numbers, kinds, rows
 *     structure: elements; then, if the column was given up, BOB_COLUMN_GIVEN_UP and, in line, its
 *                differences
 *     element:   a piece: dims, | 8 and a varint mask if counts grow (piece.h); or a pattern:
 *                16 + n, and n elements that are repeated
 *     numbers:   of each element; its first one is relative to that of the previous element
 *                piece:    base, then per loop count and step, then grow by the mask
 *                pattern:  those of its elements, the first of each, except the first element, is
 *                          relative to the pattern's first; repetitions; then the step of each of
 *                          these numbers from one repetition to the next
 *     kinds:     2 bits per row, the first one lowest: 0 constant, 1 affine, 2 a profile
 *     row:       0: zigzag; 1: zigzag first, zigzag step from one part of the trace to the next,
 *                whether member or not; 2: varint number of the profile, zigzag first
 *
 * Profiles: profiles.h.
 *
 * Members of a group are numbered from 0, in the order of the participants. Freestanding; memory
 * comes from the caller or its allocator. */
#ifndef BOB_FOLD_GROUP_H
#define BOB_FOLD_GROUP_H

#include "fold/buffer.h"
#include "fold/piece.h"

#define BOB_PATTERN_DEPTH 6u
#define BOB_PATTERN_MAX 64u	/* elements */
#define BOB_PATTERN_MARK 16u

enum bob_row_kind { BOB_ROW_SAME = 0, BOB_ROW_AFFINE = 1, BOB_ROW_PROFILE = 2 };

/* One column of one participant, split. */
struct bob_content {
	struct bob_buffer structure;
	uint64_t *number;
	uint32_t count, capacity;
};

void bob_content_clear(struct bob_content *c);
/* Appends a number. Returns 0 and marks the structure as failed if memory is exhausted. */
int bob_content_add(struct bob_content *c, uint64_t number);
void bob_content_free(struct bob_content *c);
/* Replaces *c by the column whose bytes a folder wrote. */
bob_status bob_content_read(struct bob_content *c, const struct bob_fold_bytes *bytes, int in_line);
/* Finds patterns of at most `most` elements (pattern.h). Errors: BOB_ERR_NOMEM. */
bob_status bob_content_fold(struct bob_content *c, uint32_t most);
/* Replaces patterns of at most BOB_PATTERN_MAX values by these values (plain.c). Errors:
 * BOB_ERR_NOMEM. */
bob_status bob_content_plain(struct bob_content *c);
/* group_read.c: skips the element at *at and counts its numbers. BOB_ERR_CORRUPT, also if patterns
 * are nested deeper than BOB_PATTERN_DEPTH. */
bob_status bob_element_skip(const uint8_t **at, const uint8_t *end, uint32_t *numbers);

/* Encodes a piece as an element with an absolute base. Returns the size of its structure. */
#define BOB_ELEMENT_BYTES_MAX 4u
#define BOB_ELEMENT_NUMBERS_MAX (1u + 2 * BOB_PIECE_DIMS + BOB_PIECE_PAIRS)
uint32_t bob_element_make(const struct bob_piece *p, uint8_t *structure, uint64_t *number,
			  uint32_t *numbers);

/* The inverse; the structure must be a piece's. */
void bob_element_piece(const uint8_t *structure, size_t len, const uint64_t *number,
		       struct bob_piece *p);

/* Writes a group of one member. */
bob_status bob_group_put_alone(struct bob_buffer *b, const struct bob_content *c);

/* --- rows --- */

/* One number over all members: the first member's, and the step from one part of the trace to the
 * next. */
struct bob_row {
	enum bob_row_kind kind;
	uint32_t profile;	/* BOB_ROW_PROFILE: its number */
	uint64_t first, step;
};

struct bob_row_reader {
	const uint8_t *kind;	/* of the next row */
	const uint8_t *row, *end;
	uint32_t left;
	uint32_t shift;		/* bit position in *kind */
};

/* BOB_ERR_CORRUPT: no more rows, or invalid. The number of a profile is not checked. */
bob_status bob_row_next(struct bob_row_reader *r, struct bob_row *row);
/* Splits a group into its structure and a reader of the rows. Errors: BOB_ERR_CORRUPT. */
bob_status bob_group_split(const struct bob_fold_bytes *group, struct bob_fold_bytes *structure,
			   struct bob_row_reader *rows);

/* A pattern under expansion. */
struct bob_pattern_frame {
	const uint8_t *structure;	/* its first element */
	const uint8_t *at;		/* the next element */
	uint32_t vector;		/* offset of its numbers in the reader's vector */
	uint32_t half;			/* numbers before the repetitions */
	uint32_t next;			/* index of the next element's numbers, in that half */
	uint32_t children, child;
	uint64_t index, left;		/* repetitions, including the current one */
};

/* Reads one member's column, piece by piece. */
struct bob_group_reader {
	struct bob_alloc alloc;
	const struct bob_folded *folded; /* for profiles */
	uint32_t set;
	const uint8_t *structure, *structure_end;
	struct bob_row_reader rows;
	uint32_t member, place;		/* place: parts of the trace from the first member to this
					 * one */
	uint64_t base;			/* first number of the newest element */
	uint64_t last;			/* base of the newest piece */
	uint64_t *vector;		/* stack of numbers of the elements under expansion */
	uint32_t vector_count, vector_capacity;
	uint32_t depth;
	struct bob_pattern_frame frame[BOB_PATTERN_DEPTH];
};

struct bob_folded;
struct bob_fold_sharing;
/* Opens one member of a sharing. BOB_ERR_CORRUPT: the bytes are no group. bob_group_close frees the
 * memory. */
bob_status bob_group_open(struct bob_group_reader *r, const struct bob_folded *f,
			  const struct bob_fold_sharing *group, uint32_t member);
void bob_group_close(struct bob_group_reader *r);
/* Opens a group of one member, without profiles. */
bob_status bob_group_open_alone(struct bob_group_reader *r, const struct bob_alloc *alloc,
				const struct bob_fold_bytes *group);
/* BOB_END: no more pieces. If *given_up, the rest of the structure follows. */
bob_status bob_group_piece(struct bob_group_reader *r, struct bob_piece *p, int *given_up);
#endif
