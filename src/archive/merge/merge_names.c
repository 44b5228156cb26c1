/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps the numbers in the records of one struct bob_common (descriptors, images, participants) to
 * the numbers of the merged file. */
#include <stdlib.h>

#include "archive/merge/merge_trace.h"
#include "base/order.h"
#include "base/varint.h"

const struct bob_process *bob_process_before(const struct bob_process *p)
{
	return p->head ? p->head : p->before;
}

static bob_status new_key(void *ctx, const uint8_t *key, size_t len, uint8_t *to, size_t *to_len)
{
	const struct bob_names *n = ctx;
	uint32_t number;

	if (bob_mem_leaf_key(key, len, &number) != BOB_OK || number >= n->of->desc_count ||
	    !n->of->desc[number])
		return BOB_ERR_CORRUPT;
	*to_len = bob_varint_put(to, n->of->desc[number] - 1);
	return BOB_OK;
}

static uint64_t new_place(void *ctx, uint64_t place)
{
	const struct bob_names *n = ctx;
	uint64_t image = place >> 48;

	if (image >= n->of->image_count || n->of->image[image] == BOB_MEM_NO_IMAGE)
		return place;
	return (place & ~(0xffffull << 48)) | (uint64_t)n->of->image[image] << 48;
}

static uint64_t new_id(void *ctx, uint64_t id)
{
	const struct bob_names *n = ctx;
	const uint64_t *found = n->id_count ? bsearch(&id, n->id, n->id_count, 2 * sizeof(*n->id),
						      bob_compare_u64) :
					      NULL;

	return found ? found[1] : BOB_FOLD_OMIT; /* of a process that is not merged */
}

static bob_status add_id(struct bob_names *n, uint64_t old, uint64_t new)
{
	while (n->id_cap < 2 * n->id_count + 2)
		if (bob_array_reserve(&n->id, n->id_cap, &n->id_cap, sizeof(*n->id)))
			return BOB_ERR_NOMEM;
	n->id[2 * n->id_count] = old;
	n->id[2 * n->id_count++ + 1] = new;
	return BOB_OK;
}

/* Finds stream `s` in `p`, which is its process or the same process in an earlier part. NULL:
 * none. */
static const struct bob_stream *stream_in(const struct bob_process *p, const struct bob_stream *s)
{
	for (size_t i = 0; i < p->stream_count; i++)
		if (p->streams[i]->number == s->number)
			return p->streams[i];
	return NULL;
}

/* Adds the participants of `q` as those of process `number`. `q` is the process `p` or the same
 * process in an earlier part. */
static bob_status add_ids(struct bob_names *n, const struct bob_process *p,
			  const struct bob_process *q, uint32_t number, enum bob_content content)
{
	bob_status st = BOB_OK;

	for (size_t i = 0; i < p->stream_count && st == BOB_OK; i++) {
		const struct bob_stream *s = q == p ? p->streams[i] : stream_in(q, p->streams[i]);

		if (s && !s->is_apart[content])
			st = add_id(n, bob_merged_id(q, s->info.number),
				    bob_trace_id(p, i, number));
	}
	return st;
}

bob_status bob_names_find(const struct bob_merging *m, int events, struct bob_names *names)
{
	uint32_t number = 0;
	bob_status st = BOB_OK;

	for (size_t i = 0; i < m->t->process_count && st == BOB_OK; i++) {
		const struct bob_process *p = m->t->processes[i];

		for (const struct bob_process *q = p; m->is_in[i] && q && st == BOB_OK;
		     q = bob_process_before(q))
			st = add_ids(&names[q->common->number], p, q, number,
				     events ? BOB_CONTENT_MPI : BOB_CONTENT_MEM);
		number += m->is_in[i];
	}
	for (size_t i = 0; i < m->t->common_count; i++) {
		struct bob_names *n = &names[i];

		n->of = &m->unified.of[i];
		n->rename = (struct bob_fold_rename){ new_id, events ? NULL : new_key, new_place,
						      n };
		if (n->id_count)
			qsort(n->id, n->id_count, 2 * sizeof(*n->id), bob_compare_u64);
	}
	return st;
}
