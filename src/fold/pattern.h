/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns: periodic sequences of pieces. A column folds one loop nest. If rows of different kinds
 * alternate -- 1 2 3 .. n, 0, 1 2 3 .. n + 1, 0 -- or a few numbers repeat, it outputs many pieces,
 * which progress affinely again. Pieces arrive as *elements* with numbers (group.h). If n elements
 * are followed by the same n twice, and each of their numbers changes by a constant step, they
 * become one element, a pattern. It grows as long as the next n elements are its next repetition.
 * Patterns are elements, too.
 *
 * Elements that may still become part of a pattern are kept: online in a *window* of fixed capacity
 * (columns.h); for a complete column in that column's own memory.
 *
 * Owner: the caller, also of the memory. Threads: one. Freestanding, no allocation. Work: for an
 * element that does not match the open pattern, `most` comparisons, most of which fail at once. */
#ifndef BOB_FOLD_PATTERN_H
#define BOB_FOLD_PATTERN_H

#include "fold/group.h"

/* offsets of its bytes and numbers; the first number is absolute */
struct bob_element {
	uint32_t structure, number;
	/* hash of the structure */
	uint32_t mark;
	uint32_t depth;			/* nesting depth of patterns; 0: a piece */
};

/* Three arrays. Each has the processed elements at its front and the pending ones at its end. */
struct bob_patterns {
	struct bob_element *element;
	uint64_t *number;
	uint8_t *structure;
	uint32_t capacity, number_capacity, structure_capacity;
	uint32_t count, number_count, structure_count;	/* processed */
	uint32_t next, number_next, structure_next;	/* offsets of the pending ones */
	uint32_t most;			/* maximal number of elements of a pattern */
	int has_depth;			/* a pattern may be among the processed elements */
	/* the newest processed element is a pattern that may grow */
	int is_open;
	/* matched elements of its next repetition, which are not stored */
	uint32_t matched;
	uint32_t child,
		/* expected next: offsets of bytes and numbers in the pattern's */
		child_number;
};

/* Capacity of a window: three repetitions of a pattern of 64 rows. */
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

/* A borrowed element; its first number is absolute. */
struct bob_element_view {
	const uint8_t *structure;
	const uint64_t *number;
	uint32_t structure_len, number_count;
};

typedef void (*bob_element_fn)(void *ctx, const struct bob_element_view *v);

void bob_patterns_begin(struct bob_pattern_window *w);
/* Puts a piece. Elements that do not fit go to the sink, oldest first. */
void bob_patterns_put(struct bob_patterns *t, const struct bob_piece *p, bob_element_fn sink,
		      void *ctx);
/* Sends all stored elements to the sink. Changes only unused memory. */
void bob_patterns_rest(struct bob_patterns *t, bob_element_fn sink, void *ctx);
/* Is there a pattern? Or did the newest `len` elements occur before in this order, all shifted by
 * the same amount, with one exception? */
int bob_patterns_return(const struct bob_patterns *t, uint32_t len);
/* Cost of the window's contents, in pieces. Elements after a pattern that may become its next
 * repetition cost nothing. */
uint32_t bob_patterns_weight(const struct bob_patterns *t);
/* Cost of one element. */
uint32_t bob_element_weight(const struct bob_element_view *v);

/* --- shared by pattern.c and window.c --- */

/* Processes all pending elements. */
void bob_patterns_run(struct bob_patterns *t);
/* Closes the open pattern. The matched elements of its next repetition become pending again. */
void bob_patterns_close(struct bob_patterns *t);
/* Computes the child of a pattern's next repetition at these offsets and advances them. `number`
 * has capacity for its numbers. */
void bob_element_child(const struct bob_element_view *pattern, struct bob_element_view *v,
		       uint32_t *structure, uint32_t *at, uint64_t *number);

static inline uint32_t bob_element_mark(const uint8_t *structure, uint32_t len)
{
	uint32_t mark = len;

	for (uint32_t i = 0; i < len && i < 8; i++)
		mark = mark * 31 + structure[i];
	return mark;
}

/* Processed element `i`. */
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
