/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of a selection: selected accesses as records of parts. Calls that have begun or ended
 * since the previous output are emitted before a part or a mark. */
#include <string.h>

#include "mem/select_parts.h"

static bob_status write_header(uint64_t *to, uint32_t number)
{
	/* the header is stored last and makes the record valid */
	__atomic_store_n(to, BOB_MEM_HEADER | number, __ATOMIC_RELEASE);
	return BOB_OK;
}

static bob_status put_one(struct bob_mem_selector *s, uint32_t number, uint64_t word)
{
	uint64_t *to = number ? s->reserve(s->ctx, 2) : NULL;

	if (!to)
		return BOB_ERR_FULL;
	to[1] = word;
	return write_header(to, number);
}

/* Emit the calls that have begun, and the end of emitted calls. */
static bob_status report_calls(struct bob_mem_selector *s)
{
	bob_status st = BOB_OK;

	if (s->over)
		st = put_one(s, bob_mem_select_back(s->of), s->over_sp);
	s->over = 0;
	for (; s->recorded < s->depth && st == BOB_OK; s->recorded++)
		st = put_one(s, bob_mem_select_call(s->of, s->call[s->recorded].piece),
			     s->call[s->recorded].sp);
	return st;
}

bob_status bob_mem_put_mark(struct bob_mem_selector *s, const struct bob_mem_desc *d,
			    uint32_t number, const uint64_t *word)
{
	bob_status st;
	uint64_t *to;

	if (d->mark == BOB_MEM_AGAIN) {
		s->again += word[0];
		return BOB_OK;
	}
	st = report_calls(s);
	if (st != BOB_OK)
		return st;
	to = s->reserve(s->ctx, 1u + d->words);
	if (!to)
		return BOB_ERR_FULL;
	memcpy(to + 1, word, d->words * sizeof(*word));
	return write_header(to, number);
}

/* `word`: the words of the iteration. */
static bob_status put_part(struct bob_mem_selector *s, const struct bob_mem_part *part,
			   const uint64_t *word)
{
	bob_status st = report_calls(s);
	uint64_t *to = st == BOB_OK ? s->reserve(s->ctx, 1u + part->words) : NULL;

	if (!to)
		return BOB_ERR_FULL;
	for (uint32_t i = 0; i < part->words; i++)
		to[1 + i] = word[part->from[i]];
	return write_header(to, part->number);
}

/* Put each access separately, if there are too many sets of accesses. */
static bob_status put_apart(struct bob_mem_selector *s, struct bob_mem_piece *p,
			    const struct bob_mem_set *set, const uint64_t *word)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < p->desc.access_count && st == BOB_OK; i++) {
		const struct bob_mem_part *part;
		struct bob_mem_set one;

		if (!bob_mem_set_has(set, i))
			continue;
		bob_mem_set_clear(p, &one);
		bob_mem_set_add(&one, i);
		part = bob_mem_select_part(s->of, p, BOB_MEM_BLOCK, &one, 1);
		st = part ? put_part(s, part, word) : BOB_ERR_FULL;
	}
	return st;
}

bob_status bob_mem_put_block(struct bob_mem_selector *s, struct bob_mem_piece *p,
			     const struct bob_mem_set *set, const uint64_t *word)
{
	const struct bob_mem_part *part;

	if (!set->count)
		return BOB_OK;
	s->inside += set->count;
	part = bob_mem_select_part(s->of, p, BOB_MEM_BLOCK, set, 0);
	return part ? put_part(s, part, word) : put_apart(s, p, set, word);
}

bob_status bob_mem_put_loop(struct bob_mem_selector *s, struct bob_mem_piece *p,
			    const struct bob_mem_set *set, const uint64_t *word, uint64_t first,
			    uint64_t count)
{
	const struct bob_mem_part *part;
	uint64_t at[BOB_MEM_WORDS_MAX];
	bob_status st;
	uint64_t *to;

	if (!set->count || !count)
		return BOB_OK;
	part = bob_mem_select_part(s->of, p, BOB_MEM_LOOP, set, 0);
	if (!part) {
		st = BOB_OK;
		for (uint64_t i = 0; i < count && st == BOB_OK; i++) {
			bob_mem_words_at(p, word, first + i, at);
			s->inside += set->count;
			st = put_apart(s, p, set, at);
		}
		return st;
	}
	st = report_calls(s);
	to = st == BOB_OK ? s->reserve(s->ctx, 2u + part->words) : NULL;
	if (!to)
		return BOB_ERR_FULL;
	s->inside += count * set->count;
	for (uint32_t i = 0; i < part->words; i++) {
		uint64_t step = bob_mem_step_of(&p->desc, part->from[i], word);

		to[1 + i] = word[part->from[i]] + first * step;
	}
	to[1 + part->words] = word[p->desc.counter] +
			      (first + count) * bob_mem_step_of(&p->desc, p->desc.counter, word);
	return write_header(to, part->number);
}
