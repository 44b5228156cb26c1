/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns: pieces that take turns. A column folds one loop nest. Where rows of different kinds
 * alternate -- 1 2 3 .. n, 0, 1 2 3 .. n + 1, 0 -- or a few numbers repeat, it gives many pieces,
 * and these progress affinely again. Pieces come in as *elements* with numbers (group.h). Where n
 * elements are followed by the same n twice, and each of their numbers by the same step, they are
 * one element, a pattern, and that goes on as long as the next n are its next time. Patterns are
 * elements too.
 *
 * Elements that may still become a pattern wait: while events come in, in a *window* of fixed
 * capacity (columns.h); of a complete column, in that column's own memory.
 *
 * Owner: the caller, also of the memory. Threads: one. Freestanding, no allocation. Work: for an
 * element that does not go on with the open pattern, `most` tries that mostly fail at once. */
#ifndef BOB_FOLD_PATTERN_H
#define BOB_FOLD_PATTERN_H

#include "fold/group.h"

/* where its bytes and numbers begin; the first number is absolute */
struct bob_element {
	uint32_t structure, number;
	/* of the structure: that of others is another one if this is */
	uint32_t mark;
	uint32_t depth;			/* patterns in each other; 0: a piece */
};

/* Elements that have been looked at are in front, those to come at the end, of all three. */
struct bob_patterns {
	struct bob_element *element;
	uint64_t *number;
	uint8_t *structure;
	uint32_t capacity, number_capacity, structure_capacity;
	uint32_t count, number_count, structure_count;	/* in front */
	uint32_t next, number_next, structure_next;	/* where those to come begin */
	uint32_t most;			/* elements of a pattern */
	int has_depth;			/* a pattern may be in front */
	/* the newest element in front is a pattern that may go on, and ... */
	int is_open;
	/* ... so many elements of its next time have come, and are not in front; */
	uint32_t matched;
	uint32_t child,
		/* what is expected now: bytes and numbers after the pattern's first ones */
		child_number;
};

/* Those of a window. Its numbers are a pattern of 64 rows, three times. */
#define BOB_WINDOW_ELEMENTS 224u
#define BOB_WINDOW_NUMBERS 768u
#define BOB_WINDOW_BYTES 768u
#define BOB_WINDOW_PATTERN 64u

struct bob_pattern_window {
	struct bob_patterns patterns;
	struct bob_element element[BOB_WINDOW_ELEMENTS];
	uint64_t number[BOB_WINDOW_NUMBERS];
	uint8_t structure[BOB_WINDOW_BYTES];
};

/* A borrowed element: its first number is absolute. */
struct bob_element_view {
	const uint8_t *structure;
	const uint64_t *number;
	uint32_t structure_len, number_count;
};

typedef void (*bob_element_fn)(void *ctx, const struct bob_element_view *v);

void bob_patterns_begin(struct bob_pattern_window *w);
/* What does not fit goes to the sink, the oldest first. */
void bob_patterns_put(struct bob_patterns *t, const struct bob_piece *p, bob_element_fn sink,
		      void *ctx);
/* All that has come and did not go to the sink; nothing changes but what is in no use. */
void bob_patterns_rest(struct bob_patterns *t, bob_element_fn sink, void *ctx);
/* Is there a pattern, or have the newest `len` elements come before, in this order, all of them
 * moved by as much, but for one? */
int bob_patterns_return(const struct bob_patterns *t, uint32_t len);
/* How many pieces would cost what is in the window. Those after a pattern that may become its next
 * repetition cost nothing. */
uint32_t bob_patterns_weight(const struct bob_patterns *t);
/* Of one element. */
uint32_t bob_element_weight(const struct bob_element_view *v);

/* --- between pattern.c and window.c --- */

/* Until nothing is to come. */
void bob_patterns_run(struct bob_patterns *t);
/* The open pattern is not open any more, unless it is once more; what has been counted of its next
 * time is to come. */
void bob_patterns_close(struct bob_patterns *t);
/* The child of a pattern's next time whose bytes and numbers begin at these places of it, which
 * become its end. `number` has capacity for its numbers. */
void bob_element_child(const struct bob_element_view *pattern, struct bob_element_view *v,
		       uint32_t *structure, uint32_t *at, uint64_t *number);

static inline uint32_t bob_element_mark(const uint8_t *structure, uint32_t len)
{
	uint32_t mark = len;

	for (uint32_t i = 0; i < len && i < 8; i++)
		mark = mark * 31 + structure[i];
	return mark;
}

/* Number `i` of those in front. */
static inline struct bob_element_view bob_patterns_at(const struct bob_patterns *t, uint32_t i)
{
	const struct bob_element *x = &t->element[i];
	int newest = i + 1 == t->count;

	return (struct bob_element_view){
		.structure = t->structure + x->structure,
		.number = t->number + x->number,
		.structure_len = (newest ? t->structure_count : x[1].structure) - x->structure,
		.number_count = (newest ? t->number_count : x[1].number) - x->number,
	};
}

#endif
