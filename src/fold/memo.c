/* SPDX-License-Identifier: BSD-3-Clause */
/* Memoisation: a hash table with chaining from sequences of 64-bit words to numbers. */
#include "fold/memo.h"

#include <string.h>

#include "base/hash.h"

static uint64_t hash_of(const uint64_t *row, uint32_t len)
{
	return bob_hash64(len, row, len * sizeof(*row));
}

int bob_memo_find(const struct bob_memo *m, const uint64_t *row, uint32_t len, uint32_t *number)
{
	uint64_t hash = hash_of(row, len);
	uint32_t i = m->slots ? m->slot[hash & (m->slots - 1)] : 0;

	for (; i; i = m->entry[i - 1].next) {
		const struct bob_memo_entry *e = &m->entry[i - 1];

		if (e->hash == hash && e->len == len &&
		    !memcmp(m->word + e->begin, row, len * sizeof(*row))) {
			*number = e->number;
			return 1;
		}
	}
	return 0;
}

static int make_slots(struct bob_memo *m)
{
	uint32_t slots = m->slots ? m->slots * 2 : 64;
	uint32_t *slot;

	if (m->entry_count < m->slots)
		return 1;
	slot = m->alloc.resize(m->alloc.ctx, NULL, 0, slots * sizeof(*slot));
	if (!slot)
		return 0;
	memset(slot, 0, slots * sizeof(*slot));
	for (uint32_t i = 0; i < m->entry_count; i++) {
		uint32_t *at = &slot[m->entry[i].hash & (slots - 1)];

		m->entry[i].next = *at;
		*at = i + 1;
	}
	bob_array_free(&m->alloc, m->slot, m->slots, sizeof(*m->slot));
	m->slot = slot;
	m->slots = slots;
	return 1;
}

bob_status bob_memo_add(struct bob_memo *m, const uint64_t *row, uint32_t len, uint32_t number)
{
	uint64_t hash = hash_of(row, len);
	uint32_t *slot;

	if (!bob_array_grow(&m->alloc, &m->word, &m->word_capacity, m->word_count, len,
			    sizeof(*m->word)) ||
	    !bob_array_grow(&m->alloc, &m->entry, &m->entry_capacity, m->entry_count, 1,
			    sizeof(*m->entry)) ||
	    !make_slots(m))
		return BOB_ERR_NOMEM;
	memcpy(m->word + m->word_count, row, len * sizeof(*row));
	slot = &m->slot[hash & (m->slots - 1)];
	m->entry[m->entry_count++] =
		(struct bob_memo_entry){ hash, m->word_count, len, *slot, number };
	*slot = m->entry_count;
	m->word_count += len;
	return BOB_OK;
}

void bob_memo_free(struct bob_memo *m)
{
	bob_array_free(&m->alloc, m->word, m->word_capacity, sizeof(*m->word));
	bob_array_free(&m->alloc, m->entry, m->entry_capacity, sizeof(*m->entry));
	bob_array_free(&m->alloc, m->slot, m->slots, sizeof(*m->slot));
	*m = (struct bob_memo){ .alloc = m->alloc };
}
