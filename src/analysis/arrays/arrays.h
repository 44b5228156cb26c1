/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to the variables of instrumented sources (docs/source.md): reads and writes per element,
 * statements and strides, the first and the last access. Threads are expanded one by one; memory
 * does not depend on the number of accesses. Threads: one object, one thread. Texts live as long as
 * the trace. */
#ifndef BOB_ANALYSIS_ARRAYS_H
#define BOB_ANALYSIS_ARRAYS_H

#include "analysis/analysis.h"

#define BOB_ARRAY_CELLS_MAX (1u << 26) /* per variable, times windows; more are binned */
#define BOB_ARRAY_WINDOWS_MAX 64u
#define BOB_ARRAY_MOVES 4u

/* Change of each subscript from one access of a site to its next in the same thread; the fastest
 * dimension is first. */
struct bob_array_move {
	int64_t by[BOB_SHAPE_DIMENSIONS_MAX];
	uint64_t count;		/* 0: unused */
};

/* Accesses of one type by one statement. */
struct bob_array_site {
	const char *file, *function; /* "" if unknown */
	uint32_t line;
	int store;
	uint64_t accesses;
	uint64_t moves;		/* total number; one less than accesses in each thread */
	struct bob_array_move move
		/* the most frequent ones of the first 200 or so distinct ones */
		[BOB_ARRAY_MOVES];
};

struct bob_array_touch {
	uint32_t thread;
	uint64_t position;	/* index among the thread's accesses, from 0 */
	uint64_t number;	/* index of the first element accessed */
	const char *file;
	uint32_t line;
	int store;
};

/* `first` is the first access of the first thread, `last` the last access of the last thread. */
struct bob_array {
	struct bob_shape shape;	/* of the first process that has the variable */
	const char *source;	/* name of its image */
	uint64_t loads, stores;
	uint64_t before,
		/* of these, accesses before or after its elements, in storage that it shares */
		after;
	uint64_t touched;	/* number of accessed cells */
	uint64_t cells;		/* number of elements, or of bins */
	uint64_t bin[BOB_SHAPE_DIMENSIONS_MAX]; /* elements per cell in each dimension */
	uint64_t extent
		[BOB_SHAPE_DIMENSIONS_MAX]; /* cells in each dimension; fastest first, like bin */
	struct bob_array_touch first, last;
	const struct bob_array_site *site; /* most accesses first */
	size_t sites;
	/* Only with `count`: counts of window w of cell c at index w * cells + c; saturating. */
	const uint32_t *read, *written;
	uint32_t windows;
};

/* Selection. All zero: all variables and elements, one window, no counts by element. */
struct bob_arrays_wanted {
	/* its name, the name without " in f", or a shell pattern */
	const char *variable;
	/* dimensions of `box`; 0: all elements. Only variables of this rank are selected */
	uint32_t rank;
	int64_t box[BOB_SHAPE_DIMENSIONS_MAX]
		   [2]; /* first and last subscript in source order: slowest dimension first if the
		      * variable's rows come first; first > last: all */
	uint32_t windows;	/* number of equal shares of each thread's accesses; 0: 1 */
	uint32_t window;	/* 1..windows: only this one; 0: all */
	int count;		/* count by element */
};

/* Does the name match `pattern` (see `variable` above)? NULL matches all names. */
int bob_array_name_fits(const char *name, const char *pattern);

struct bob_arrays;

/* BOB_ERR_NOMEM; BOB_ERR_CORRUPT: the readable accesses are counted and *out is set. */
bob_status bob_arrays_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
			     const struct bob_arrays_wanted *w, const struct bob_progress *progress,
			     struct bob_arrays **out, struct bob_error *err);
void bob_arrays_destroy(struct bob_arrays *a); /* NULL is allowed */
/* Accessed variables, most accesses first. Borrowed. */
const struct bob_array *bob_arrays_all(const struct bob_arrays *a, size_t *count);
/* Number of accesses of the selected threads to the selected variables in the selected windows. */
uint64_t bob_arrays_accesses(const struct bob_arrays *a);

/* Subscripts of the first element of a cell, fastest dimension first. */
void bob_array_cell(const struct bob_array *a, uint64_t cell, int64_t *subscript);

/* --- as in the source language --- */

#define BOB_SUBSCRIPTS_MAX 512u

/* "a[3][4]", "a(1,1)", "s". A suffix " +4" is an offset in bytes in the element. "a{17}": the
 * variable's bounds varied; element 17, from 0. Accesses after its elements are "a{100, after}",
 * before them "a{3 before}". Returns 0 and sets `text` to "" if no variable with known bounds is
 * there. */
int bob_subscripts_text(const struct bob_trace *t, uint32_t process, uint64_t address,
			char text[BOB_SUBSCRIPTS_MAX]);
/* Only the subscripts, "[3][4]" or "(1,1)", fastest first; with `last` a box, "[0..3][4]". */
void bob_subscripts_of(const struct bob_shape *s, const int64_t *first, const int64_t *last,
		       char *text, size_t size);

struct bob_piece;
/* The smallest box that contains all addresses of the piece: "a[0..99][0..49]". Returns 0 unless
 * they are certainly within one variable. */
int bob_box_text(const struct bob_trace *t, uint32_t process, const struct bob_piece *p,
		 uint64_t offset, char text[BOB_SUBSCRIPTS_MAX]);

#endif
