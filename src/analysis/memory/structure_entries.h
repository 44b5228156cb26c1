/* SPDX-License-Identifier: BSD-3-Clause */
/* What is listed as nodes of the tree of structure.h: the loops, accesses and marks of a home
 * (analysis/homes.h), with their frames. Of structure.c and structure_entries.c only. */
#ifndef BOB_ANALYSIS_STRUCTURE_ENTRIES_H
#define BOB_ANALYSIS_STRUCTURE_ENTRIES_H

#include "analysis/homes.h"
#include "analysis/memory/call_frames.h"
#include "analysis/memory/structure.h"

#define ACCESSES_MAX 4096u	/* of a leaf */

/* A node before it is listed. */
struct entry {
	uint32_t kind, frame;
	uint32_t item;		/* shape or loop, as bob_home_of takes it */
	uint32_t index;		/* ACCESS */
	uint32_t image;
	uint64_t pc, count;
	size_t rank;		/* in its list */
};

BOB_VEC_OF(entries, struct entry);

struct bob_structure {
	const struct bob_trace *trace;
	const struct bob_folded *folded;
	uint32_t thread, participant, part;
	BOB_VEC(struct bob_structure_node) nodes;
	int is_inexact;
};

/* While a part is read. */
struct building {
	struct bob_structure *s;
	struct bob_homes *homes;
	struct bob_call_frames frames;
	BOB_VEC(uint32_t) loop_frame;	/* by loop: its frame + 1; 0: not known yet */
	BOB_VEC(size_t) first;		/* by frame: rank of the first entry in it + 1 */
	uint32_t nesting;		/* loops that are being read */
	BOB_VEC(uint64_t) expanded;	/* by shape: its accesses, if they had to be counted */
	struct bob_leaf_access access[ACCESSES_MAX];
};

static inline struct bob_series_source source_of(const struct bob_structure *s, uint32_t part)
{
	return (struct bob_series_source){ s->trace, s->folded, s->thread, s->participant, part };
}

/* Reads a leaf and its accesses into b->access. */
bob_status bob_entries_leaf(struct building *b, uint32_t shape, struct bob_leaf *leaf);
/* Adds the accesses of a leaf, which each happened `count` times. */
bob_status bob_entries_of_leaf(struct building *b, uint32_t item, const struct bob_leaf *leaf,
			       uint64_t count, struct entries *to);
/* Adds the items of a home, of which `first` is the first. */
bob_status bob_entries_of_home(struct building *b, uint32_t first, struct entries *to);

#endif
