/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the analysis of arrays: variables and their sites while accesses are counted. */
#ifndef BOB_ANALYSIS_ARRAYS_ROWS_H
#define BOB_ANALYSIS_ARRAYS_ROWS_H

#include "analysis/arrays/arrays.h"
#include "base/host/vec.h"

#define BOB_ARRAY_MOVES_KEPT 256u /* distinct moves kept; further ones are only counted */

struct bob_array_site_row {
	struct bob_array_site pub;
	uint32_t process, image;
	uint64_t pc;		/* of one instruction on its line */
	struct bob_array_move *move; /* hash table of BOB_ARRAY_MOVES_KEPT; NULL: empty */
	struct bob_array_move *newest;
	int has_before;		/* `before` is valid, for the current thread */
	int64_t before[BOB_SHAPE_DIMENSIONS_MAX];
};

struct bob_array_row {
	struct bob_array pub;
	uint64_t *touched;	/* bit set of cells */
	uint32_t *read, *written;
	BOB_VEC(struct bob_array_site_row) sites;
	struct bob_array_site *sorted;
	int is_touched;		/* pub.first is set */
	int binned;		/* some bins have several elements */
	int wanted;
	int has_box;
	int64_t box[BOB_SHAPE_DIMENSIONS_MAX][2]; /* of subscripts, fastest dimension first */
};

/* Chooses cells, box and memory of a new row. Errors: BOB_ERR_NOMEM. */
bob_status bob_array_row_begin(struct bob_array_row *r, const struct bob_shape *s,
			       const char *source, const struct bob_arrays_wanted *w);
void bob_array_row_free(struct bob_array_row *r);
/* Index of the site of an access, created if new; ~0: no memory. */
size_t bob_array_site_of(struct bob_array_row *r, const struct bob_trace *t, uint32_t process,
			 const struct bob_access *a);
/* Records the site's next access, to the element with these subscripts. */
void bob_array_site_move(struct bob_array_site_row *s, uint32_t rank, const int64_t *subscript);
/* Completes `pub`. Errors: BOB_ERR_NOMEM. */
bob_status bob_array_row_finish(struct bob_array_row *r);

#endif
