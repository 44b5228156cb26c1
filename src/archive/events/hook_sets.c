/* SPDX-License-Identifier: BSD-3-Clause */
#include "archive/events/hook_sets.h"

#include <stdlib.h>
#include <string.h>

#include "archive/reader.h"
#include "base/host/vec.h"

struct part {
	const uint8_t *at, *end;	/* its sets */
	const uint8_t *names;
	uint64_t own, times;
	uint32_t count;			/* names; 0: it counts in any case */
	uint32_t process;
};

struct parts {
	BOB_VEC(struct part);
	uint64_t *inner;		/* names that are in others', ascending */
	size_t inners;
	bob_status worst;
};

static uint64_t name_at(const uint8_t *names, uint64_t i)
{
	uint64_t v;

	memcpy(&v, names + 8 * i, sizeof(v));
	return v;
}

static bob_status add_chunk(struct parts *all, const struct bob_file *f,
			    const struct bob_chunk_ref *c, uint32_t process)
{
	struct part p = { .at = f->bytes + c->off, .process = process };

	p.end = p.at + bob_chunk_len(c);
	if (p.at == p.end)
		return BOB_OK;
	if (bob_sets_open(&p.at, p.end, &p.names, &p.count, &p.times) != BOB_OK) {
		all->worst = BOB_ERR_CORRUPT;
		return BOB_OK;
	}
	p.own = p.count ? name_at(p.names, 0) : 0;
	return BOB_VEC_ADD(all, p);
}

static bob_status find_parts(const struct bob_trace *t, struct parts *all)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < t->process_count && st == BOB_OK; i++) {
		const struct bob_file *f = t->processes[i]->file;

		for (size_t k = 0; k < f->chunk_count && st == BOB_OK; k++)
			if (f->chunks[k].head.kind == BOB_CHUNK_SETS)
				st = add_chunk(all, f, &f->chunks[k], i);
	}
	return st;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bob_status find_inner(struct parts *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->count; i++)
		n += all->at[i].count; /* no more than the files have */
	all->inner = malloc((n + 1) * sizeof(*all->inner));
	if (!all->inner)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < all->count; i++)
		for (uint32_t k = 1; k < all->at[i].count; k++)
			all->inner[all->inners++] = name_at(all->at[i].names, k);
	qsort(all->inner, all->inners, sizeof(*all->inner), by_value);
	return BOB_OK;
}

/* Chunks of one name, the one that was written last first. */
static int by_name(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (!x->count != !y->count)
		return !x->count ? -1 : 1;
	if (x->own != y->own)
		return x->own < y->own ? -1 : 1;
	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	return x->process < y->process ? -1 : x->process > y->process;
}

static int counts(const struct parts *all, size_t i)
{
	const struct part *p = &all->at[i];

	if (!p->count)
		return 1;
	if (i && all->at[i - 1].count && all->at[i - 1].own == p->own)
		return 0;
	return !bsearch(&p->own, all->inner, all->inners, sizeof(*all->inner), by_value);
}

static int visit_part(struct parts *all, const struct part *p,
		      int (*visit)(void *ctx, uint32_t process, const struct bob_set *s), void *ctx)
{
	const uint8_t *at = p->at;
	struct bob_set s;
	bob_status st;

	while ((st = bob_set_next(&at, p->end, &s)) == BOB_OK)
		if (visit(ctx, p->process, &s))
			return 1;
	if (st != BOB_END)
		all->worst = BOB_ERR_CORRUPT;
	return 0;
}

bob_status bob_hook_sets_visit(const struct bob_trace *t,
			       int (*visit)(void *ctx, uint32_t process, const struct bob_set *s),
			       void *ctx)
{
	struct parts all = { .worst = BOB_OK };
	bob_status st = find_parts(t, &all);
	int stop = 0;

	if (st == BOB_OK)
		st = find_inner(&all);
	if (st == BOB_OK && all.count)
		qsort(all.at, all.count, sizeof(*all.at), by_name);
	for (size_t i = 0; i < all.count && st == BOB_OK && !stop; i++)
		if (counts(&all, i))
			stop = visit_part(&all, &all.at[i], visit, ctx);
	BOB_VEC_FREE(&all);
	free(all.inner);
	return st == BOB_OK ? all.worst : st;
}

uint32_t bob_hook_image(const struct bob_trace *t, uint32_t process, uint64_t key)
{
	const struct bob_process *p = t->processes[process];

	for (uint32_t i = 0; i < p->image_count; i++)
		if (p->images[i].key == key)
			return i;
	return BOB_SET_NO_IMAGE;
}
