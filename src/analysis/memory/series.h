/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a word of a folded leaf, or the addresses of one of its accesses, as affine pieces
 * (struct bob_piece, bobbin/fold.h), without expansion. Owner: the caller, by value. */
#ifndef BOB_ANALYSIS_SERIES_H
#define BOB_ANALYSIS_SERIES_H

#include "bobbin/fold.h"
#include "bobbin/trace.h"

#define BOB_SERIES_PIECES 3u

struct bob_series {
	struct bob_piece piece[BOB_SERIES_PIECES]; /* the first ones */
	uint32_t count;		/* pieces; more than BOB_SERIES_PIECES: at least so many */
	int left;		/* it has values that are not affine */
	/* The values are the first addresses of each run of a loop; each iteration adds the
	 * access's `step`, and perhaps more. */
	int is_of_runs;
};

/* A part of a thread's folded accesses. */
struct bob_series_source {
	const struct bob_trace *trace;
	const struct bob_folded *folded;
	uint32_t thread, participant, part;
};

/* Word `word` of `item` (bob_folded_pieces). */
bob_status bob_series_of_word(const struct bob_series_source *s, uint32_t item, uint32_t word,
			      struct bob_series *out);
/* The iterations of a leaf of the kind LOOP, over all its runs. Returns 0 if the values of its
 * counter are not all affine. */
int bob_series_iterations(const struct bob_series_source *s, uint32_t shape,
			  const struct bob_leaf *leaf, uint64_t *sum);
/* The addresses of an access, without its offset. Of an access without a word, which has its
 * address in the image, a piece of `events` zeros. */
bob_status bob_series_of_access(const struct bob_series_source *s, uint32_t shape,
				const struct bob_leaf *leaf, const struct bob_leaf_access *a,
				uint64_t events, struct bob_series *out);

/* True if all its values are one piece. */
static inline int bob_series_is_one(const struct bob_series *s)
{
	return s->count == 1 && !s->left && !s->is_of_runs;
}

/* True if its values are not all equal. */
int bob_series_varies(const struct bob_series *s);
/* The number of values; 0: unknown, or they are of runs. */
uint64_t bob_series_values(const struct bob_series *s);

#endif
