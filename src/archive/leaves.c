/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded memory records for those who look at them without expanding. */
#include "archive/reader.h"
#include "bobbin/fold.h"

const struct bob_folded *bob_trace_folded(const struct bob_trace *t, uint32_t thread,
					  uint32_t *participant)
{
	if (thread >= t->thread_count)
		return NULL;
	*participant = t->threads[thread]->participant;
	return t->threads[thread]->folded;
}

int bob_trace_all_folded(const struct bob_trace *t, uint32_t thread)
{
	return thread < t->thread_count && t->threads[thread]->folded &&
	       !bob_stream_has_raw(t->threads[thread]);
}

static enum bob_leaf_kind kind_of(const struct bob_mem_desc *d, int is_payload)
{
	if (d->kind == BOB_MEM_MARK)
		return d->mark == BOB_MEM_AGAIN ? BOB_LEAF_AGAIN : BOB_LEAF_MARK;
	if (d->kind == BOB_MEM_BLOCK)
		return BOB_LEAF_BLOCK;
	if (is_payload)
		return BOB_LEAF_ITERATION;
	return d->payload ? BOB_LEAF_LOOP_BEGIN : BOB_LEAF_LOOP;
}

static struct bob_leaf_access access_of(const struct bob_mem_desc *d,
					const struct bob_mem_access *a)
{
	struct bob_leaf_access x = { .offset = a->offset, .pc = d->pc + a->pc, .size = a->size,
				     .type = a->type, .word = a->word,
				     .guarded = a->guard != BOB_MEM_NO_WORD,
				     .step_word = BOB_LEAF_NO_WORD };

	if (d->kind == BOB_MEM_LOOP && a->word < d->words) {
		x.step = d->step[a->word].constant;
		x.step_word = d->step[a->word].word;
		x.step_scale = d->step[a->word].scale;
	}
	return x;
}

bob_status bob_trace_leaf(const struct bob_trace *t, uint32_t thread, uint32_t shape,
			  struct bob_leaf *leaf, struct bob_leaf_access *to, size_t room)
{
	uint32_t number, participant;
	const struct bob_folded *f = bob_trace_folded(t, thread, &participant);
	const struct bob_mem_desc *d;
	struct bob_fold_shape s;
	int is_payload;

	if (!f || shape >= bob_folded_shapes(f))
		return BOB_NONE;
	bob_folded_shape(f, shape, &s);
	if (bob_mem_leaf_key(s.key, s.key_len, &number, &is_payload) != BOB_OK)
		return BOB_NONE;
	d = bob_desc_find(t->processes[t->threads[thread]->info.process], number);
	if (!d || s.words != bob_mem_leaf_words(d, is_payload))
		return BOB_NONE;
	*leaf = (struct bob_leaf){ .image = d->image, .kind = kind_of(d, is_payload),
				   .words = d->words, .counter = d->counter, .pc = d->pc,
				   .accesses = d->access_count };
	if (leaf->kind == BOB_LEAF_LOOP)
		leaf->counter_step = d->step[d->counter].constant;
	for (uint32_t i = 0; to && i < d->access_count && i < room; i++)
		to[i] = access_of(d, &d->access[i]);
	return BOB_OK;
}
