/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the analysis of arrays: variables and their sites while accesses are counted. */
#ifndef BOB_ANALYSIS_ARRAYS_ROWS_H
#define BOB_ANALYSIS_ARRAYS_ROWS_H

#include "analysis/arrays/arrays.h"
#include "base/host/vec.h"

#define BOB_ARRAY_MOVES_KEPT 256u /* different ones; more are only counted */

struct bob_array_site_row {
	struct bob_array_site pub;
	uint32_t process, image;
	uint64_t pc;		/* of one with its line */
	struct bob_array_move *move; /* by hash, BOB_ARRAY_MOVES_KEPT; NULL: none yet */
	struct bob_array_move *newest;
	int has_before;		/* of this thread */
	int64_t before[BOB_SHAPE_DIMENSIONS_MAX];
};

struct bob_array_row {
	struct bob_array pub;
	uint64_t *touched;	/* a bit for each cell */
	uint32_t *read, *written;
	BOB_VEC(struct bob_array_site_row) sites;
	struct bob_array_site *sorted;
	int is_touched;		/* pub.first is known */
	int binned;		/* some bin is not 1 */
	int wanted;
	int has_box;
	int64_t box[BOB_SHAPE_DIMENSIONS_MAX][2]; /* of subscripts, fastest dimension first */
};

/* Cells that are not too many, the box and the memory. BOB_ERR_NOMEM. */
bob_status bob_array_row_begin(struct bob_array_row *r, const struct bob_shape *s,
			       const char *source, const struct bob_arrays_wanted *w);
void bob_array_row_free(struct bob_array_row *r);
/* The site of this place, which may be new; its number, or ~0: no memory. */
size_t bob_array_site_of(struct bob_array_row *r, const struct bob_trace *t, uint32_t process,
			 const struct bob_access *a);
/* Its next access, to the element with these subscripts. */
void bob_array_site_move(struct bob_array_site_row *s, uint32_t rank, const int64_t *subscript);
/* What readers see. BOB_ERR_NOMEM. */
bob_status bob_array_row_finish(struct bob_array_row *r);

#endif
