/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to selection (select.h): boxes, pieces (descriptors prepared for selection), and the
 * parts derived from them. Freestanding. */
#ifndef BOB_MEM_SELECT_PARTS_H
#define BOB_MEM_SELECT_PARTS_H

#include "base/search.h"
#include "mem/select.h"

/* A set of accesses of a descriptor. Only the first set_words words of `bits` are used. */
struct bob_mem_set {
	uint32_t count;
	uint64_t bits[BOB_MEM_ACCESSES_MAX / 64];
};

/* Accesses by one word that are close to each other: within `span` bytes from word + lo. */
struct bob_mem_group {
	uint64_t lo, span;
	uint8_t word;		/* BOB_MEM_NO_WORD: relative to the bias */
};

/* A descriptor derived from a piece. */
struct bob_mem_part {
	struct bob_mem_part *next;
	uint32_t number;
	uint8_t kind, words;
	uint8_t from[BOB_MEM_WORDS_MAX]; /* the corresponding word of the piece */
	uint64_t bits[];		 /* set of its accesses */
};

struct bob_mem_piece {
	struct bob_mem_desc desc;
	uint64_t bias;
	int guarded;		/* some accesses may not happen */
	int plain;		/* a block that is not guarded and neither calls nor returns */
	uint64_t unit;		/* step of a loop's counter; 1 << shift, or shift is 64 */
	uint32_t shift;
	uint32_t set_words;	/* length of a set of its accesses */
	uint32_t groups, even_groups; /* those that do not depend on payload come first */
	struct bob_mem_group *group;
	struct bob_mem_part *part; /* most recent first; read without a lock */
	uint32_t parts;
	/* number of the descriptor that reports a call by it; 0: not created yet */
	uint32_t call;
};

/* Look up or create the piece with this number; it is never freed. Errors: BOB_ERR_CORRUPT (no such
 * descriptor), BOB_ERR_NOMEM. */
bob_status bob_mem_select_piece(struct bob_mem_selection *s, uint32_t number,
				struct bob_mem_piece **out);
/* The piece if it exists, else NULL. */
static inline struct bob_mem_piece *bob_mem_select_known(const struct bob_mem_selection *s,
							 uint32_t number)
{
	struct bob_mem_piece **in =
		number >> BOB_MEM_SELECT_BITS < BOB_MEM_SELECT_BLOCKS ?
			__atomic_load_n(&s->block[number >> BOB_MEM_SELECT_BITS],
					__ATOMIC_ACQUIRE) :
			NULL;

	return in ? __atomic_load_n(&in[number & ((1u << BOB_MEM_SELECT_BITS) - 1)],
				    __ATOMIC_ACQUIRE) :
		    NULL;
}
/* Look up or create a part. BOB_MEM_BLOCK: for one iteration; BOB_MEM_LOOP: for several. NULL: it
 * cannot be created, or the piece has too many and it is not `needed`. */
const struct bob_mem_part *bob_mem_select_part(struct bob_mem_selection *s, struct bob_mem_piece *p,
					       enum bob_mem_kind kind,
					       const struct bob_mem_set *set, int needed);
/* Descriptors without accesses and with one word, the stack pointer. _call: the piece has made a
 * call. _back: calls whose stack pointer is not above it have ended. 0: cannot be created. */
uint32_t bob_mem_select_call(struct bob_mem_selection *s, struct bob_mem_piece *p);
uint32_t bob_mem_select_back(struct bob_mem_selection *s);

/* --- select_put.c: output --- */
/* Errors of all: BOB_ERR_FULL (no space, or no descriptor), BOB_ERR_NOMEM. */
bob_status bob_mem_put_mark(struct bob_mem_selector *s, const struct bob_mem_desc *d,
			    uint32_t number, const uint64_t *word);
/* Put these accesses once. */
bob_status bob_mem_put_block(struct bob_mem_selector *s, struct bob_mem_piece *p,
			     const struct bob_mem_set *set, const uint64_t *word);
/* Put these accesses in `count` iterations, beginning with iteration `first`. */
bob_status bob_mem_put_loop(struct bob_mem_selector *s, struct bob_mem_piece *p,
			    const struct bob_mem_set *set, const uint64_t *word, uint64_t first,
			    uint64_t count);

/* The step of a loop's word. */
static inline uint64_t bob_mem_step_of(const struct bob_mem_desc *d, uint32_t w,
				       const uint64_t *word)
{
	const struct bob_mem_step *s = &d->step[w];
	uint64_t step = (uint64_t)s->constant;

	return s->word == BOB_MEM_NO_WORD ? step : step + s->scale * word[s->word];
}

/* All words of iteration i. */
static inline void bob_mem_words_at(const struct bob_mem_piece *p, const uint64_t *word, uint64_t i,
				    uint64_t *to)
{
	for (uint32_t w = 0; w < p->desc.words; w++)
		to[w] = word[w] + i * bob_mem_step_of(&p->desc, w, word);
}

/* --- sets --- */

static inline void bob_mem_set_clear(const struct bob_mem_piece *p, struct bob_mem_set *set)
{
	set->count = 0;
	for (uint32_t i = 0; i < p->set_words; i++)
		set->bits[i] = 0;
}

static inline void bob_mem_set_add(struct bob_mem_set *set, uint32_t access)
{
	set->bits[access / 64] |= 1ull << access % 64;
	set->count++;
}

static inline int bob_mem_set_has(const struct bob_mem_set *set, uint32_t access)
{
	return (int)(set->bits[access / 64] >> access % 64 & 1);
}

static inline int bob_mem_set_equal(const struct bob_mem_piece *p, const struct bob_mem_set *a,
				    const struct bob_mem_set *b)
{
	for (uint32_t i = 0; i < p->set_words; i++)
		if (a->bits[i] != b->bits[i])
			return 0;
	return 1;
}

/* --- boxes --- */

/* The first box that ends above `x`. */
static inline uint32_t bob_mem_boxes_above(const struct bob_mem_boxes *b, uint64_t x)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, b->count, mid, b->box[mid].hi <= x);
	return (uint32_t)lo;
}

/* Whether an access at `x` touches box k, the first that ends above x. */
static inline int bob_mem_boxes_touch(const struct bob_mem_boxes *b, uint32_t k, uint64_t x,
				      uint16_t size)
{
	return k < b->count && b->box[k].lo < x + size;
}

/* Whether no byte of [lo, hi) is in a box. Returns 0 for ranges that wrap around the end of the
 * address space. */
static inline int bob_mem_boxes_miss(const struct bob_mem_boxes *b, uint64_t lo, uint64_t hi)
{
	uint32_t k;

	if (__builtin_expect(hi < lo, 0))
		return 0;
	if (!b->count || hi <= b->box[0].lo || lo >= b->box[b->count - 1].hi)
		return 1;
	k = bob_mem_boxes_above(b, lo);
	return b->box[k].lo >= hi;
}

#endif
