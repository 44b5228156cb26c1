/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory descriptors, decoded once. Each MEM_DESC chunk has ranges of consecutive numbers. After
 * damage in a chunk, its remaining descriptors and the records that refer to them are lost. */
#include <stdlib.h>
#include <string.h>

#include "archive/reader.h"
#include "base/host/vec.h"
#include "base/order.h"
#include "base/search.h"
#include "base/varint.h"

/* Buffer for one descriptor, which is then copied in its actual size. */
struct scratch {
	struct bob_mem_access access[BOB_MEM_ACCESSES_MAX];
	struct bob_mem_step step[BOB_MEM_WORDS_MAX];
};

struct list {
	BOB_VEC(struct bob_mem_desc);
	uint64_t first;		/* number of the first */
};

static bob_status keep(struct bob_trace *t, struct list *l, const struct bob_mem_desc *d)
{
	size_t bytes = d->access_count * sizeof(*d->access);
	size_t steps = d->kind == BOB_MEM_LOOP ? d->words * sizeof(*d->step) : 0;
	struct bob_mem_access *access = bob_arena_alloc(&t->arena, bytes + 1);
	struct bob_mem_step *step = bob_arena_alloc(&t->arena, steps + 1);

	if (!access || !step || BOB_VEC_ADD(l, *d))
		return BOB_ERR_NOMEM;
	memcpy(access, d->access, bytes);
	memcpy(step, d->step, steps);
	l->at[l->count - 1].access = access;
	l->at[l->count - 1].step = step;
	return BOB_OK;
}

/* Makes a run of the descriptors read so far. */
static bob_status end_run(struct bob_trace *t, struct bob_common *c, struct list *l)
{
	struct bob_mem_desc *desc;

	if (!l->count)
		return BOB_OK;
	desc = bob_arena_alloc(&t->arena, l->count * sizeof(*desc));
	if (!desc ||
	    bob_array_reserve(&c->descs, c->desc_run_count, &c->desc_run_cap, sizeof(*c->descs)))
		return BOB_ERR_NOMEM;
	memcpy(desc, l->at, l->count * sizeof(*desc));
	c->descs[c->desc_run_count++] = (struct bob_desc_run){ l->first, l->count, desc };
	l->first += l->count;
	l->count = 0;
	return BOB_OK;
}

int bob_desc_skip(const uint8_t **at, const uint8_t *end, uint64_t *count)
{
	const uint8_t *next = *at + 1;

	if (**at || bob_varint_get(&next, end, count) != BOB_OK || *count > UINT32_MAX)
		return 0;
	*at = next;
	return 1;
}

static bob_status read_descs(struct bob_trace *t, struct bob_common *common,
			     const struct bob_chunk_ref *c, const struct bob_payload *p,
			     struct scratch *scratch)
{
	const uint8_t *at = p->at, *end = at + p->len;
	struct list l = { .first = c->head.aux };
	struct bob_mem_desc d;
	bob_status st = BOB_OK;
	uint64_t skipped;

	while (at < end && st == BOB_OK) {
		if (bob_desc_skip(&at, end, &skipped)) {
			st = end_run(t, common, &l);
			l.first += skipped;
			continue;
		}
		if (bob_mem_desc_get(&at, end, &d, scratch->access, scratch->step) != BOB_OK) {
			bob_problem_add(t, common->file,
					c->off + (p->owned ? 0 : (uint64_t)(at - p->at)),
					"a memory descriptor that cannot be", 1);
			break;
		}
		st = keep(t, &l, &d);
	}
	common->desc_bytes += p->owned ? bob_chunk_len(c) : (uint64_t)(at - p->at);
	if (st == BOB_OK)
		st = end_run(t, common, &l);
	BOB_VEC_FREE(&l);
	return st;
}

static bob_status read_chunk(struct bob_trace *t, struct bob_common *common,
			     const struct bob_chunk_ref *c, struct scratch *scratch)
{
	struct bob_payload p;
	bob_status st;

	st = bob_payload_open(t, common->file, c, &p);
	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	st = read_descs(t, common, c, &p, scratch);
	bob_payload_close(&p);
	return st;
}

BOB_COMPARE(by_first, struct bob_desc_run, BOB_UP(first) BOB_UP(desc))

bob_status bob_descs_build(struct bob_trace *t, struct bob_common *c)
{
	const struct bob_file *f = c->file;
	struct scratch *scratch = NULL;
	bob_status st = BOB_OK;
	size_t n = 0;

	for (size_t i = 0; i < f->chunk_count; i++)
		n += f->chunks[i].head.kind == BOB_CHUNK_MEM_DESC;
	if (!n)
		return BOB_OK;
	scratch = malloc(sizeof(*scratch));
	if (!scratch)
		st = BOB_ERR_NOMEM;
	for (size_t i = 0; i < f->chunk_count && st == BOB_OK; i++)
		if (f->chunks[i].head.kind == BOB_CHUNK_MEM_DESC)
			st = read_chunk(t, c, &f->chunks[i], scratch);
	free(scratch);
	if (st == BOB_OK && c->desc_run_count)
		qsort(c->descs, c->desc_run_count, sizeof(*c->descs), by_first);
	return st;
}

const struct bob_mem_desc *bob_common_desc(const struct bob_common *c, uint64_t number)
{
	size_t n = BOB_COUNT_UP_TO(c->descs, c->desc_run_count, struct bob_desc_run, first, number);

	if (!n || number - c->descs[n - 1].first >= c->descs[n - 1].count)
		return NULL;
	return &c->descs[n - 1].desc[number - c->descs[n - 1].first];
}

const struct bob_mem_desc *bob_desc_finder(void *process, uint32_t number)
{
	return bob_desc_find(process, number);
}

const struct bob_mem_desc *bob_desc_find(const struct bob_process *p, uint64_t number)
{
	return bob_common_desc(p->common, number);
}

static uint32_t own_image(const struct bob_process *p, uint32_t image)
{
	if (!p->image_of_count)
		return image;
	return image < p->image_of_count ? p->image_of[image] : BOB_IMAGES_MAX;
}

uint32_t bob_desc_image(const struct bob_process *p, const struct bob_mem_desc *d)
{
	return d->image == BOB_MEM_NO_IMAGE ? d->image : own_image(p, d->image);
}

void bob_trace_place(const struct bob_trace *t, uint32_t process, uint64_t place, uint32_t *image,
		     uint64_t *pc)
{
	*image = (uint32_t)(place >> 48);
	*pc = place & ((1ull << 48) - 1);
	if (*image != 0xffff && process < t->process_count)
		*image = own_image(t->processes[process], *image);
}

uint64_t bob_desc_bias(const struct bob_process *p, const struct bob_mem_desc *d)
{
	uint32_t image = bob_desc_image(p, d);

	return image < p->image_count ? p->images[image].info.bias : 0;
}
