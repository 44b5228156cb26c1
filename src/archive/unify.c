/* SPDX-License-Identifier: BSD-3-Clause */
/* Unifies the numbers of images and descriptors of all processes: numbers of the trace are assigned
 * in the order in which processes first use them. */
#include <stdlib.h>
#include <string.h>

#include "archive/merge/merging.h"
#include "base/host/map.h"

/* A numbered object. If a common has several equal objects, its n-th one gets the n-th number. */
struct entry {
	size_t off, len;	/* descriptors: position of their bytes */
	const struct bob_image *image;
	size_t taken;		/* newest common that uses it, + 1 */
};

struct table {
	BOB_MAP(struct entry);	/* descriptors by a hash of their bytes */
};

/* --- images --- */

static int same_image(const struct bob_image *a, const struct bob_image *b)
{
	return a->key == b->key && a->info.build_id_len == b->info.build_id_len &&
	       !memcmp(a->info.build_id, b->info.build_id, a->info.build_id_len) &&
	       !strcmp(a->info.path, b->info.path);
}

/* Processes of the trace, followed by heads. */
static const struct bob_process *member(const struct bob_trace *t, size_t i)
{
	return i < t->process_count ? t->processes[i] : t->heads[i - t->process_count];
}

/* Members grouped by common, in order within a group. */
struct members {
	const struct bob_trace *t;
	size_t *begin;		/* index of each group, and the end of the last one */
	size_t *member;
};

static bob_status find_members(struct members *m)
{
	const struct bob_trace *t = m->t;
	size_t n = t->process_count + t->head_count;

	m->begin = calloc(t->common_count + 2, sizeof(*m->begin));
	m->member = calloc(n + 1, sizeof(*m->member));
	if (!m->begin || !m->member)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		m->begin[member(t, i)->common->number + 2]++;
	for (size_t i = 2; i < t->common_count + 2; i++)
		m->begin[i] += m->begin[i - 1];
	/* counting sort: begin[c + 1] is advanced to the end of group c */
	for (size_t i = 0; i < n; i++)
		m->member[m->begin[member(t, i)->common->number + 1]++] = i;
	return BOB_OK;
}

static void free_members(struct members *m)
{
	free(m->begin);
	free(m->member);
}

/* Image `number` of a common, from the first process that has it. */
static const struct bob_image *image_of(const struct members *m, size_t common, uint32_t number)
{
	for (size_t i = m->begin[common]; i < m->begin[common + 1]; i++) {
		const struct bob_process *p = member(m->t, m->member[i]);
		uint32_t own = number;

		if (p->image_of_count)
			own = number < p->image_of_count ? p->image_of[number] : BOB_IMAGES_MAX;
		if (own < p->image_count)
			return &p->images[own];
	}
	return NULL;
}

static size_t images_of(const struct members *m, size_t common)
{
	size_t n = 0;

	for (size_t i = m->begin[common]; i < m->begin[common + 1]; i++) {
		const struct bob_process *p = member(m->t, m->member[i]);
		size_t has = p->image_of_count ? p->image_of_count : p->image_count;

		n = has > n ? has : n;
	}
	return n;
}

static bob_status add_image(struct table *images, const struct bob_image *im, size_t common,
			    uint32_t *number)
{
	size_t i = 0;

	while (i < images->count &&
	       (images->at[i].taken == common + 1 || !same_image(images->at[i].image, im)))
		i++;
	if (i == images->count) {
		if (BOB_VEC_ADD(images, (struct entry){ .image = im }))
			return BOB_ERR_NOMEM;
	}
	images->at[i].taken = common + 1;
	*number = (uint32_t)i;
	return BOB_OK;
}

static bob_status unify_images(const struct members *m, size_t common, struct table *images,
			       struct bob_unified_of *of)
{
	size_t n = images_of(m, common);
	bob_status st = BOB_OK;

	of->image = malloc((n + 1) * sizeof(*of->image));
	if (!of->image)
		return BOB_ERR_NOMEM;
	for (of->image_count = 0; of->image_count < n && st == BOB_OK; of->image_count++) {
		const struct bob_image *im = image_of(m, common, of->image_count);

		of->image[of->image_count] = BOB_MEM_NO_IMAGE;
		if (im)
			st = add_image(images, im, common, &of->image[of->image_count]);
	}
	return st;
}

uint32_t bob_unified_image(const struct bob_unified_of *of, const struct bob_process *p,
			   uint32_t own)
{
	for (uint32_t i = 0; i < of->image_count; i++)
		if (p->image_of_count ? i < p->image_of_count && p->image_of[i] == own : i == own)
			return of->image[i];
	return BOB_MEM_NO_IMAGE;
}

/* --- descriptors --- */

/* The first equal descriptor that this common does not use yet, or NULL. */
static struct entry *find_desc(const struct table *d, const struct bob_bytes *bytes, uint64_t hash,
			       const uint8_t *at, size_t len, size_t common)
{
	struct bob_probe p = bob_probe_of(hash);

	while (bob_index_next(&d->index, &p)) {
		struct entry *e = &d->at[p.number];

		if (e->len == len && e->taken != common + 1 && !memcmp(bytes->at + e->off, at, len))
			return e;
	}
	return NULL;
}

/* Returns the number + 1 of the descriptor at the end of u->descs. It is kept there if it is new,
 * and removed otherwise. */
static bob_status add_desc(struct bob_unified *u, struct table *d, size_t off, size_t common,
			   uint32_t *number)
{
	const uint8_t *at = u->descs.at + off;
	size_t len = u->descs.len - off;
	uint64_t hash = bob_hash64(len, at, len);
	struct entry *e = find_desc(d, &u->descs, hash, at, len, common);

	if (e) {
		u->descs.len = off;
	} else {
		e = BOB_MAP_ADD(d, hash);
		if (!e)
			return BOB_ERR_NOMEM;
		*e = (struct entry){ .off = off, .len = len };
	}
	e->taken = common + 1;
	*number = (uint32_t)(e - d->at) + 1;
	return BOB_OK;
}

static bob_status put_desc(struct bob_unified *u, const struct bob_unified_of *of,
			   const struct bob_mem_desc *desc)
{
	struct bob_mem_desc d = *desc;
	uint8_t *bytes = malloc(BOB_MEM_DESC_BYTES(d.access_count));

	if (!bytes)
		return BOB_ERR_NOMEM;
	if (d.image != BOB_MEM_NO_IMAGE)
		d.image = d.image < of->image_count ? of->image[d.image] : BOB_MEM_NO_IMAGE - 1;
	bob_bytes_take(&u->descs, bytes, bob_mem_desc_put(&d, bytes));
	free(bytes);
	return u->descs.failed ? BOB_ERR_NOMEM : BOB_OK;
}

static bob_status unify_descs(const struct bob_common *c, const struct bob_folded *merged,
			      size_t common, struct bob_unified *u, struct table *d)
{
	struct bob_unified_of *of = &u->of[common];
	struct bob_used used = { 0 };
	bob_status st = bob_used_find(c, merged, &used);

	of->desc_count = used.count;
	of->desc = st == BOB_OK ? calloc(used.count + 1, sizeof(*of->desc)) : NULL;
	if (st == BOB_OK && !of->desc)
		st = BOB_ERR_NOMEM;
	for (uint64_t n = 0; n < used.count && st == BOB_OK; n++) {
		const struct bob_mem_desc *desc = bob_is_used(&used, n) ? bob_common_desc(c, n) :
									  NULL;
		size_t off = u->descs.len;

		if (!desc)
			continue;
		st = put_desc(u, of, desc);
		if (st == BOB_OK)
			st = add_desc(u, d, off, common, &of->desc[n]);
	}
	free(used.bits);
	return st;
}

/* --- images and descriptors --- */

bob_status bob_unify(const struct bob_trace *t, struct bob_folded *const *merged,
		     struct bob_unified *u)
{
	struct table images = { 0 }, descs = { 0 };
	struct members m = { .t = t };
	bob_status st;

	memset(u, 0, sizeof(*u));
	u->of = calloc(t->common_count + 1, sizeof(*u->of));
	if (!u->of)
		return BOB_ERR_NOMEM;
	u->count = t->common_count;
	st = find_members(&m);
	/* processes and heads are in order; commons are in the order of files */
	for (size_t k = 0; k < t->process_count + t->head_count && st == BOB_OK; k++) {
		size_t i = member(t, k)->common->number;

		if (u->of[i].image)
			continue;
		st = unify_images(&m, i, &images, &u->of[i]);
		if (st == BOB_OK && merged[i])
			st = unify_descs(t->commons[i], merged[i], i, u, &descs);
	}
	u->desc_count = (uint32_t)descs.count;
	free_members(&m);
	BOB_MAP_FREE(&images);
	BOB_MAP_FREE(&descs);
	return st;
}

void bob_unified_free(struct bob_unified *u)
{
	for (size_t i = 0; i < u->count; i++) {
		free(u->of[i].image);
		free(u->of[i].desc);
	}
	free(u->of);
	free(u->descs.at);
	memset(u, 0, sizeof(*u));
}
