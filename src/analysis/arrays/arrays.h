/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to the variables of instrumented sources (docs/source.md): reads and writes of each
 * element, the statements and strides, the first and the last access. Threads are expanded one
 * after the other; memory does not depend on the number of accesses. Threads: one object, one
 * thread. Texts live as long as the trace. */
#ifndef BOB_ANALYSIS_ARRAYS_H
#define BOB_ANALYSIS_ARRAYS_H

#include "analysis/analysis.h"

#define BOB_ARRAY_CELLS_MAX (1u << 26) /* of a variable, windows included; larger ones are binned */
#define BOB_ARRAY_WINDOWS_MAX 64u
#define BOB_ARRAY_MOVES 4u

/* From one access of a site to its next, in the same thread: by how much each subscript moves,
 * fastest dimension first. */
struct bob_array_move {
	int64_t by[BOB_SHAPE_DIMENSIONS_MAX];
	uint64_t count;		/* 0: no such move */
};

/* Accesses of one kind by one statement. */
struct bob_array_site {
	const char *file, *function; /* "" if not known */
	uint32_t line;
	int store;
	uint64_t accesses;
	uint64_t moves;		/* all of them: one less for each thread */
	struct bob_array_move move
		/* the most frequent ones first, of the first 200 or so different ones */
		[BOB_ARRAY_MOVES];
};

struct bob_array_touch {
	uint32_t thread;
	uint64_t position;	/* among the thread's accesses, from 0 */
	uint64_t number;	/* element, the first one of the access */
	const char *file;
	uint32_t line;
	int store;
};

/* The first one of the first thread that has one; the last one of the last. */
struct bob_array {
	struct bob_shape shape;	/* of the first process that has it */
	const char *source;	/* its image */
	uint64_t loads, stores;
	uint64_t before,
		/* of these, those before or after its elements, in storage that it shares */
		after;
	uint64_t touched;	/* cells */
	uint64_t cells;		/* elements, or bins of them */
	uint64_t bin[BOB_SHAPE_DIMENSIONS_MAX]; /* elements of a cell in each dimension */
	uint64_t extent
		[BOB_SHAPE_DIMENSIONS_MAX]; /* cells in each dimension; fastest first, as bin */
	struct bob_array_touch first, last;
	const struct bob_array_site *site; /* most accesses first */
	size_t sites;
	/* With `count`: window w of cell c is at w * cells + c; more than UINT32_MAX is
	 * UINT32_MAX. */
	const uint32_t *read, *written;
	uint32_t windows;
};

/* All zero: all variables, all elements, one window, nothing counted by element. */
struct bob_arrays_wanted {
	/* its name, the name without " in f", or a pattern as of the shell */
	const char *variable;
	/* of `box`; 0: all elements. Other variables than those of this rank are not wanted */
	uint32_t rank;
	int64_t box
		[BOB_SHAPE_DIMENSIONS_MAX]
		[2]; /* first and last subscript, as people write them: slowest first if the variable's
					* rows come first; first > last: all */
	uint32_t windows;	/* equal shares of each thread's accesses; 0: 1 */
	uint32_t window;	/* 1..windows: only what is in this one; 0: all */
	int count;		/* by element */
};

/* Is a variable of this name wanted? `pattern`: as `variable` above; NULL: all are. */
int bob_array_name_fits(const char *name, const char *pattern);

struct bob_arrays;

/* BOB_ERR_NOMEM; BOB_ERR_CORRUPT: what could be read is counted, *out is set all the same. */
bob_status bob_arrays_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
			     const struct bob_arrays_wanted *w, const struct bob_progress *progress,
			     struct bob_arrays **out, struct bob_error *err);
void bob_arrays_destroy(struct bob_arrays *a); /* NULL is allowed */
/* Variables that were accessed, most accesses first. Borrowed. */
const struct bob_array *bob_arrays_all(const struct bob_arrays *a, size_t *count);
/* Accesses of the chosen threads, all of them; those in the window, of the variables that are
 * wanted. */
uint64_t bob_arrays_accesses(const struct bob_arrays *a);

/* Subscripts of the first element of a cell, fastest dimension first. */
void bob_array_cell(const struct bob_array *a, uint64_t cell, int64_t *subscript);

/* --- as people write it --- */

#define BOB_SUBSCRIPTS_MAX 512u

/* "a[3][4]", "a(1,1)", "s". A following " +4" is an offset in bytes into the element. "a{17}": its
 * bounds varied; the 17th element, from 0. An access after its elements is "a{100, after}", one
 * before them "a{3 before}". 0: no variable whose bounds are known is there; `text` is then "". */
int bob_subscripts_text(const struct bob_trace *t, uint32_t process, uint64_t address,
			char text[BOB_SUBSCRIPTS_MAX]);
/* Only "[3][4]" or "(1,1)" of these subscripts, fastest first; with `last` a box, "[0..3][4]". */
void bob_subscripts_of(const struct bob_shape *s, const int64_t *first, const int64_t *last,
		       char *text, size_t size);

struct bob_piece;
/* The smallest box that holds all addresses of the piece: "a[0..99][0..49]". 0: it is not known to
 * be within one variable. */
int bob_box_text(const struct bob_trace *t, uint32_t process, const struct bob_piece *p,
		 uint64_t offset, char text[BOB_SUBSCRIPTS_MAX]);

#endif
