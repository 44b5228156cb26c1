/* SPDX-License-Identifier: BSD-3-Clause */
/* Random descriptors that an engine could have made, from a row of bytes or a generator. */
#ifndef BOB_TESTS_MEM_DESCS_H
#define BOB_TESTS_MEM_DESCS_H

#include <stdint.h>
#include <string.h>

#include "mem/record.h"
#include "mem/sync.h"

struct desc_capacity {
	struct bob_mem_desc d;
	struct bob_mem_access access[BOB_MEM_ACCESSES_MAX];
	struct bob_mem_step step[BOB_MEM_WORDS_MAX];
};

static inline uint64_t desc_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static inline uint64_t desc_below(uint64_t *seed, uint64_t n)
{
	return desc_random(seed) % n;
}

/* Mostly small, sometimes any. */
static inline int64_t desc_number(uint64_t *seed)
{
	uint64_t v = desc_random(seed);

	return (int64_t)v >> (v & 63);
}

static inline void desc_make(struct desc_capacity *r, uint64_t *seed)
{
	static const uint16_t sizes[] = { 1, 2, 4, 8, 16, 32, 64, 10, 28, 512, 65535 };
	struct bob_mem_desc *d = &r->d;
	unsigned all;

	memset(r, 0, sizeof(*r));
	d->access = r->access;
	d->step = r->step;
	d->kind = (uint8_t)(1 + desc_below(seed, 3));
	d->image = desc_below(seed, 8) ? (uint32_t)desc_below(seed, 9) : BOB_MEM_NO_IMAGE;
	d->pc = (uint64_t)desc_number(seed) >> 1;
	d->words = (uint8_t)desc_below(seed, desc_below(seed, 4) ? 6 : BOB_MEM_WORDS_MAX + 1);
	d->sp_word = BOB_MEM_NO_WORD;
	if (d->kind == BOB_MEM_MARK) {
		d->mark = (uint8_t)(1 + desc_below(seed, BOB_MEM_MARKS - 1));
		if (d->mark == BOB_MEM_SYNC)
			d->sync = (uint8_t)(1 + desc_below(seed, BOB_SYNC_KIND_COUNT - 1));
		if (d->mark == BOB_MEM_EVENT || d->mark == BOB_MEM_EVENT_BEGIN)
			d->pc &= UINT32_MAX;
		d->words = (uint8_t)(d->words < 2 ? 2 : d->words);
		return;
	}
	if (d->words && desc_below(seed, 2)) {
		d->sp_word = (uint8_t)desc_below(seed, d->words);
		d->sp_begin = (int32_t)desc_number(seed);
		d->sp_end = (int32_t)desc_number(seed);
		d->flow = (uint8_t)desc_below(seed, 8);
	} else if (!desc_below(seed, 16)) {
		d->flow = BOB_MEM_PART;
	}
	d->last = (uint32_t)desc_number(seed);
	if (d->kind == BOB_MEM_LOOP) {
		if (!d->words)
			d->words = 1;
		if (d->words < BOB_MEM_WORDS_MAX && desc_below(seed, 2))
			d->payload = (uint8_t)(1 + desc_below(seed, BOB_MEM_WORDS_MAX - d->words));
		else
			d->counter = (uint8_t)desc_below(seed, d->words);
		for (unsigned i = 0; i < d->words; i++) {
			r->step[i].constant = desc_number(seed);
			r->step[i].word = BOB_MEM_NO_WORD;
		}
		if (!d->payload) /* counters do not wrap */
			r->step[d->counter].constant >>= 16;
		if (!d->payload && !r->step[d->counter].constant)
			r->step[d->counter].constant = -8;
		for (unsigned i = 0; i < d->words; i++) {
			unsigned k = (unsigned)desc_below(seed, d->words);

			if (i == k || (i == d->counter && !d->payload) || r->step[k].constant ||
			    r->step[k].word != BOB_MEM_NO_WORD)
				continue;
			r->step[i].word = (uint8_t)k;
			r->step[i].scale = (uint8_t)(1 + desc_below(seed, 255));
		}
		/* a word that others step by must be constant itself */
		for (unsigned i = 0; i < d->words; i++)
			if (r->step[i].word != BOB_MEM_NO_WORD &&
			    (r->step[r->step[i].word].constant ||
			     r->step[r->step[i].word].word != BOB_MEM_NO_WORD))
				r->step[i] = (struct bob_mem_step){ r->step[i].constant,
								    BOB_MEM_NO_WORD, 0 };
	}
	all = (unsigned)d->words + d->payload;
	d->access_count =
		(uint32_t)desc_below(seed, desc_below(seed, 64) ? 9 : BOB_MEM_ACCESSES_MAX + 1);
	for (uint32_t i = 0; i < d->access_count; i++) {
		struct bob_mem_access *a = &r->access[i];

		a->offset = desc_number(seed);
		a->pc = (uint32_t)desc_number(seed);
		a->size = sizes[desc_below(seed, sizeof(sizes) / sizeof(*sizes))];
		a->type = (uint8_t)desc_below(seed, 3);
		a->word = all && desc_below(seed, 8) ? (uint8_t)desc_below(seed, all) :
						       BOB_MEM_NO_WORD;
		a->guard = BOB_MEM_NO_WORD;
		if (all && !desc_below(seed, 8)) {
			a->guard = (uint8_t)desc_below(seed, all);
			if (d->kind == BOB_MEM_LOOP && a->guard < d->words &&
			    (r->step[a->guard].constant ||
			     r->step[a->guard].word != BOB_MEM_NO_WORD)) {
				a->guard = BOB_MEM_NO_WORD;
				continue;
			}
			a->guard_bit = (uint8_t)desc_below(seed, 64);
		}
	}
}

/* Field by field: padding does not count. */
static inline int desc_equal(const struct bob_mem_desc *a, const struct bob_mem_desc *b)
{
	if (a->pc != b->pc || a->image != b->image || a->kind != b->kind || a->mark != b->mark ||
	    a->sync != b->sync || a->words != b->words || a->payload != b->payload ||
	    a->flow != b->flow || a->sp_word != b->sp_word || a->counter != b->counter ||
	    a->sp_begin != b->sp_begin || a->sp_end != b->sp_end || a->last != b->last ||
	    a->access_count != b->access_count)
		return 0;
	for (unsigned i = 0; a->kind == BOB_MEM_LOOP && i < a->words; i++)
		if (a->step[i].constant != b->step[i].constant ||
		    a->step[i].word != b->step[i].word || a->step[i].scale != b->step[i].scale)
			return 0;
	for (uint32_t i = 0; i < a->access_count; i++) {
		const struct bob_mem_access *x = &a->access[i], *y = &b->access[i];

		if (x->offset != y->offset || x->pc != y->pc || x->size != y->size ||
		    x->type != y->type || x->word != y->word || x->guard != y->guard ||
		    x->guard_bit != y->guard_bit)
			return 0;
	}
	return 1;
}

#endif
