/* SPDX-License-Identifier: BSD-3-Clause */
/* One column of several participants. What a folder wrote of a column is taken apart into its
 * *structure* (the pieces' dimensions) and its *numbers* (bases, counts, steps). Participants with
 * the same structure are a *group*: each number is a row over them, and a row that is affine takes
 * the space of one number, however many they are.
 *
 *     group:     varint length of the structure, structure, varint numbers, kinds, rows
 *     structure: elements; then, if the column was given up, BOB_COLUMN_GIVEN_UP and, in line, its
 *                differences
 *     element:   a piece: dims, | 8 and a varint mask if counts grow (piece.h); or a pattern: 16 + n, and n
 *                elements that are repeated
 *     numbers:   of each element, but the first one of all is relative to that of the element before
 *                piece:    base, then per loop count and step, then grow by the mask
 *                pattern:  those of its elements, the first of each but the first relative to the pattern's
 *                          first; repetitions; then how each of these changes from one to the next
 *     kinds:     2 bits a row, the first one lowest: 0 all the same, 1 affine, 2 a profile
 *     row:       0: zigzag; 1: zigzag first, zigzag step from one part of the trace to the next, members or not; 2: varint
 *                number of the profile, zigzag first
 *
 * Profiles: profiles.h.
 *
 * Members of a group are counted from 0, in the order of the participants. Freestanding; memory
 * comes from the caller or its allocator. */
#ifndef BOB_FOLD_GROUP_H
#define BOB_FOLD_GROUP_H

#include "fold/buffer.h"
#include "fold/piece.h"

#define BOB_PATTERN_DEPTH 6u
#define BOB_PATTERN_MAX 64u	/* elements */
#define BOB_PATTERN_MARK 16u

enum bob_row_kind { BOB_ROW_SAME = 0, BOB_ROW_AFFINE = 1, BOB_ROW_PROFILE = 2 };

/* One column of one participant. */
struct bob_content {
	struct bob_buffer structure;
	uint64_t *number;
	uint32_t count, capacity;
};

void bob_content_clear(struct bob_content *c);
/* One number more; 0 if there is no memory, and the structure is marked failed. */
int bob_content_add(struct bob_content *c, uint64_t number);
void bob_content_free(struct bob_content *c);
/* From what a folder wrote of the column; *c is emptied first. */
bob_status bob_content_read(struct bob_content *c, const struct bob_fold_bytes *bytes, int in_line);
/* Finds patterns of at most `most` elements (pattern.h). BOB_ERR_NOMEM. */
bob_status bob_content_fold(struct bob_content *c, uint32_t most);
/* Patterns of at most BOB_PATTERN_MAX values as such; plain.c. BOB_ERR_NOMEM. */
bob_status bob_content_plain(struct bob_content *c);
/* group_read.c. How many numbers the element at *at has; *at moves to its end. BOB_ERR_CORRUPT,
 * also if patterns are nested deeper than BOB_PATTERN_DEPTH. */
bob_status bob_element_skip(const uint8_t **at, const uint8_t *end, uint32_t *numbers);

/* A piece as an element, its base absolute. Returns the bytes of its structure. */
#define BOB_ELEMENT_BYTES_MAX 4u
#define BOB_ELEMENT_NUMBERS_MAX (1u + 2 * BOB_PIECE_DIMS + BOB_PIECE_PAIRS)
uint32_t bob_element_make(const struct bob_piece *p, uint8_t *structure, uint64_t *number,
			  uint32_t *numbers);

/* And back: the structure is a piece's. */
void bob_element_piece(const uint8_t *structure, size_t len, const uint64_t *number,
		       struct bob_piece *p);

/* The group of one member. */
bob_status bob_group_put_alone(struct bob_buffer *b, const struct bob_content *c);

/* --- rows --- */

/* A number of all members: `first` is the first member's, `step` what it grows by from one part of
 * the trace to the next. */
struct bob_row {
	enum bob_row_kind kind;
	uint32_t profile;	/* BOB_ROW_PROFILE: its number */
	uint64_t first, step;
};

struct bob_row_reader {
	const uint8_t *kind;	/* of the next row ... */
	const uint8_t *row, *end;
	uint32_t left;
	uint32_t shift;		/* ... and its place in the byte */
};

/* BOB_ERR_CORRUPT: there is none, or it is damaged. Whether there is such a profile is not
 * asked. */
bob_status bob_row_next(struct bob_row_reader *r, struct bob_row *row);
/* The structure, and a reader of the rows. BOB_ERR_CORRUPT. */
bob_status bob_group_split(const struct bob_fold_bytes *group, struct bob_fold_bytes *structure,
			   struct bob_row_reader *rows);

/* A pattern that is being repeated. */
struct bob_pattern_frame {
	const uint8_t *structure;	/* its first element */
	const uint8_t *at;		/* the next one */
	uint32_t vector;		/* its numbers: offset in the reader's */
	uint32_t half;			/* how many before the repetitions */
	uint32_t next;			/* number of the next element, in the half */
	uint32_t children, child;
	uint64_t index, left;		/* repetitions, this one included */
};

/* Reads one member's content, piece by piece. */
struct bob_group_reader {
	struct bob_alloc alloc;
	const struct bob_folded *folded; /* for its profiles */
	uint32_t set;
	const uint8_t *structure, *structure_end;
	struct bob_row_reader rows;
	uint32_t member, place;		/* place: parts from the first member to this one */
	uint64_t base;			/* first number of the newest element */
	uint64_t last;			/* base of the newest piece */
	uint64_t *vector;		/* numbers of elements that are being read */
	uint32_t vector_count, vector_capacity;
	uint32_t depth;
	struct bob_pattern_frame frame[BOB_PATTERN_DEPTH];
};

struct bob_folded;
struct bob_fold_sharing;
/* A member of what is shared. BOB_ERR_CORRUPT: these bytes are no group. bob_group_close frees what
 * reading takes. */
bob_status bob_group_open(struct bob_group_reader *r, const struct bob_folded *f,
			  const struct bob_fold_sharing *group, uint32_t member);
void bob_group_close(struct bob_group_reader *r);
/* A group of one member, without profiles. */
bob_status bob_group_open_alone(struct bob_group_reader *r, const struct bob_alloc *alloc,
				const struct bob_fold_bytes *group);
/* BOB_END: no more pieces; the rest of the structure follows, if *given_up. */
bob_status bob_group_piece(struct bob_group_reader *r, struct bob_piece *p, int *given_up);
#endif
