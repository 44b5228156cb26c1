/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of times: a hash table of pairs with open addressing, addition of rows, and validation
 * of rows from files. */
#include "archive/merge/merging.h"
#include "archive/events/times.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* --- addition --- */

static size_t home(const struct bob_time_rows *r, uint32_t from, uint32_t to)
{
	return (size_t)((((uint64_t)from << 32 | to) + 1) * 0x9e3779b97f4a7c15u >> 20) &
	       (r->slots - 1);
}

static uint32_t *find(const struct bob_time_rows *r, uint32_t from, uint32_t to)
{
	size_t at = home(r, from, to);

	while (r->slot[at] &&
	       (r->row[r->slot[at] - 1].from != from || r->row[r->slot[at] - 1].to != to))
		at = (at + 1) & (r->slots - 1);
	return &r->slot[at];
}

static bob_status grow(struct bob_time_rows *r)
{
	if (2 * (r->count + 1) <= r->slots)
		return BOB_OK;
	free(r->slot);
	r->slots = r->slots ? 2 * r->slots : 256;
	r->slot = calloc(r->slots, sizeof(*r->slot));
	if (!r->slot)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < r->count; i++)
		*find(r, r->row[i].from, r->row[i].to) = (uint32_t)i + 1;
	return BOB_OK;
}

/* Of equal extremes the smaller participant wins, so the result does not depend on the order. */
static void add_sums(struct bob_time_sums *a, struct bob_time_extremes *a_of, uint64_t a_count,
		     const struct bob_time_sums *b, const struct bob_time_extremes *b_of)
{
	if (!a_count || b->min < a->min || (b->min == a->min && b_of->min < a_of->min))
		a_of->min = b_of->min;
	if (!a_count || b->max > a->max || (b->max == a->max && b_of->max < a_of->max))
		a_of->max = b_of->max;
	bob_time_sums_add(a, a_count, b);
}

bob_status bob_time_rows_add(struct bob_time_rows *r, const struct bob_time_row *x)
{
	struct bob_time_row *to;
	uint32_t *slot;

	if (!x->count)
		return BOB_OK;
	if (grow(r) != BOB_OK)
		return BOB_ERR_NOMEM;
	slot = find(r, x->from, x->to);
	if (!*slot && r->count == BOB_TIME_ROWS_MAX)
		return BOB_OK;
	if (!*slot) {
		if (bob_array_reserve(&r->row, r->count, &r->cap, sizeof(*r->row)))
			return BOB_ERR_NOMEM;
		memset(&r->row[r->count], 0, sizeof(*r->row));
		r->row[r->count].from = x->from;
		r->row[r->count].to = x->to;
		*slot = (uint32_t)++r->count;
	}
	to = &r->row[*slot - 1];
	add_sums(&to->interval, &to->interval_of, to->count, &x->interval, &x->interval_of);
	add_sums(&to->duration, &to->duration_of, to->count, &x->duration, &x->duration_of);
	to->count += x->count;
	return BOB_OK;
}

BOB_COMPARE(by_pair, struct bob_time_row, BOB_UP(to) BOB_UP(from))

void bob_time_rows_finish(struct bob_time_rows *r)
{
	free(r->slot);
	r->slot = NULL;
	r->slots = 0;
	if (r->count)
		qsort(r->row, r->count, sizeof(*r->row), by_pair);
}

void bob_time_rows_free(struct bob_time_rows *r)
{
	free(r->row);
	free(r->slot);
	memset(r, 0, sizeof(*r));
}

/* --- rows in process files --- */

/* A killed process may have added an event to a bin without counting it. It is removed from the
 * fullest bin, because in sums over many processes such events would accumulate. Returns 0 if the
 * sums do not fit `count` otherwise. */
static int mend_sums(struct bob_time_sums *s, uint64_t count)
{
	uint64_t n = 0, most = 0;

	for (uint32_t i = 0; i < BOB_TIME_BINS; i++) {
		if (s->bin[i] > count + 1 - n)
			return 0;
		n += s->bin[i];
		most = s->bin[i] > s->bin[most] ? i : most;
	}
	s->bin[most] -= n > count;
	return n >= count && s->min <= s->max;
}

static void mend_slot(struct bob_time_slot *s)
{
	if (s->count >> 62 || !mend_sums(&s->interval, s->count) ||
	    !mend_sums(&s->duration, s->count))
		s->count = 0;
}

int bob_time_slot_at(const struct bob_stream *s, size_t k, struct bob_time_slot *out)
{
	const uint32_t number = s->number | (uint32_t)BOB_CONTENT_MPI << BOB_CONTENT_SHIFT;
	const struct bob_chunk_ref *c;
	size_t i = bob_chunks_first(s->file, number);

	while ((c = bob_chunks_next(s->file, number, &i))) {
		size_t n = (size_t)(bob_chunk_len(c) / sizeof(*out));

		if (c->head.kind != BOB_CHUNK_TIMES)
			continue;
		if (k < n) {
			memcpy(out, s->file->bytes + c->off + k * sizeof(*out), sizeof(*out));
			mend_slot(out);
			return 1;
		}
		k -= n;
	}
	return 0;
}
