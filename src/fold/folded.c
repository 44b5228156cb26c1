/* SPDX-License-Identifier: BSD-3-Clause */
/* Construction and queries of folded traces, shared by open.c, merge.c and unpack.c. */
#include "fold/folded.h"

#include <string.h>

bob_status bob_folded_init(const struct bob_alloc *alloc, struct bob_folded **out)
{
	struct bob_folded *f = alloc->resize(alloc->ctx, NULL, 0, sizeof(*f));
	bob_status st;

	if (!f)
		return BOB_ERR_NOMEM;
	memset(f, 0, sizeof(*f));
	st = bob_tables_init(&f->tables, alloc);
	if (st != BOB_OK) {
		bob_folded_close(f);
		return st;
	}
	*out = f;
	return BOB_OK;
}

void bob_folded_close(struct bob_folded *f)
{
	struct bob_alloc a;

	if (!f)
		return;
	a = f->tables.blocks.alloc;
	bob_folded_end_making(f);
	bob_array_free(&a, f->set, f->set_capacity, sizeof(*f->set));
	bob_array_free(&a, f->sharing, f->sharing_capacity, sizeof(*f->sharing));
	bob_array_free(&a, f->profile, f->profile_capacity, sizeof(*f->profile));
	bob_array_free(&a, f->column, f->column_capacity, sizeof(*f->column));
	bob_tables_free(&f->tables);
	a.resize(a.ctx, f, sizeof(*f), 0);
}

/* --- construction --- */

static const struct bob_alloc *alloc_of(const struct bob_folded *f)
{
	return &f->tables.blocks.alloc;
}

struct known_set {
	uint64_t hash;
	uint32_t next;			/* of the same hash slot, + 1 */
};

struct bob_folded_making {
	struct bob_lister id, segment, events, member;
	struct known_set *known;	/* sets passed to bob_folded_find_set, by number */
	uint32_t *slot;			/* hash table of `known`: number + 1 */
	uint32_t known_count, known_capacity, slots;
};

static struct bob_folded_making *making(struct bob_folded *f)
{
	const struct bob_alloc *a = alloc_of(f);

	if (f->making)
		return f->making;
	f->making = a->resize(a->ctx, NULL, 0, sizeof(*f->making));
	if (f->making) {
		memset(f->making, 0, sizeof(*f->making));
		f->making->id.alloc = f->making->segment.alloc = f->making->events.alloc =
			f->making->member.alloc = *a;
	}
	return f->making;
}

void bob_folded_end_making(struct bob_folded *f)
{
	const struct bob_alloc *a = alloc_of(f);
	struct bob_folded_making *m = f->making;

	if (!m)
		return;
	bob_lister_free(&m->id);
	bob_lister_free(&m->segment);
	bob_lister_free(&m->events);
	bob_lister_free(&m->member);
	bob_array_free(a, m->known, m->known_capacity, sizeof(*m->known));
	bob_array_free(a, m->slot, m->slots, sizeof(*m->slot));
	a->resize(a->ctx, m, sizeof(*m), 0);
	f->making = NULL;
}

bob_status bob_folded_add_part(struct bob_folded *f, uint64_t id, uint32_t segment, uint64_t events)
{
	struct bob_folded_making *m = making(f);

	if (!m || f->part_count == BOB_PARTS_MAX)
		return BOB_ERR_NOMEM;
	bob_lister_put(&m->id, id);
	bob_lister_put(&m->segment, segment);
	bob_lister_put(&m->events, events);
	f->part_count++;
	return BOB_OK;
}

static bob_status end_lists(struct bob_folded *f, struct bob_folded_making *m)
{
	struct bob_blocks *b = &f->tables.blocks;
	bob_status st = bob_lister_end(&m->id, b, &f->id);

	if (st == BOB_OK)
		st = bob_lister_end(&m->segment, b, &f->segment);
	return st == BOB_OK ? bob_lister_end(&m->events, b, &f->events) : st;
}

/* Builds `first` unless each participant has one part. */
static bob_status find_first(struct bob_folded *f)
{
	struct bob_lister l = { .alloc = *alloc_of(f) };
	struct bob_list_walk id, segment;
	uint64_t before = 0, segment_before = 0;
	bob_status st = BOB_OK;

	bob_list_begin(&id, &f->id, 0);
	bob_list_begin(&segment, &f->segment, 0);
	f->first_count = 0;
	for (uint32_t i = 0; i < f->part_count; i++) {
		uint64_t x = bob_list_next(&id), y = bob_list_next(&segment);

		if (i && (x < before || (x == before && y <= segment_before)))
			st = BOB_ERR_INVAL;
		if (!i || x != before) {
			bob_lister_put(&l, i);
			f->first_count++;
		}
		before = x;
		segment_before = y;
	}
	if (st == BOB_OK && f->first_count < f->part_count)
		st = bob_lister_end(&l, &f->tables.blocks, &f->first);
	bob_lister_free(&l);
	return st;
}

bob_status bob_folded_end_parts(struct bob_folded *f)
{
	struct bob_folded_making *m = f->making;
	bob_status st = m && f->part_count > f->id.count ? end_lists(f, m) : BOB_OK;

	return st == BOB_OK ? find_first(f) : st;
}

bob_status bob_folded_add_member(struct bob_folded *f, uint32_t part)
{
	struct bob_folded_making *m = making(f);

	if (!m)
		return BOB_ERR_NOMEM;
	bob_lister_put(&m->member, part);
	return BOB_OK;
}

bob_status bob_folded_end_set(struct bob_folded *f, uint32_t *number)
{
	struct bob_folded_making *m = making(f);

	if (!m || !bob_array_grow(alloc_of(f), &f->set, &f->set_capacity, f->set_count, 1,
				  sizeof(*f->set)))
		return BOB_ERR_NOMEM;
	*number = f->set_count;
	return bob_lister_end(&m->member, &f->tables.blocks, &f->set[f->set_count++]);
}

static int make_slots(const struct bob_alloc *a, struct bob_folded_making *m)
{
	uint32_t slots = m->slots ? m->slots * 2 : 64;
	uint32_t *slot;

	if (m->known_count < m->slots)
		return 1;
	slot = a->resize(a->ctx, NULL, 0, slots * sizeof(*slot));
	if (!slot)
		return 0;
	memset(slot, 0, slots * sizeof(*slot));
	for (uint32_t i = 0; i < m->known_count; i++) {
		uint32_t *at = &slot[m->known[i].hash & (slots - 1)];

		m->known[i].next = *at;
		*at = i + 1;
	}
	bob_array_free(a, m->slot, m->slots, sizeof(*m->slot));
	m->slot = slot;
	m->slots = slots;
	return 1;
}

bob_status bob_folded_find_set(struct bob_folded *f, uint32_t *number)
{
	bob_status st = bob_folded_end_set(f, number);
	struct bob_folded_making *m = f->making;
	uint32_t *slot, i;

	if (st != BOB_OK)
		return st;
	if (!bob_array_grow(alloc_of(f), &m->known, &m->known_capacity, m->known_count, 1,
			    sizeof(*m->known)) ||
	    !make_slots(alloc_of(f), m))
		return BOB_ERR_NOMEM;
	const struct bob_list *set = &f->set[*number];
	uint64_t hash = bob_list_hash(set);
	slot = &m->slot[hash & (m->slots - 1)];
	for (i = *slot; i; i = m->known[i - 1].next)
		if (m->known[i - 1].hash == hash && bob_list_same(&f->set[i - 1], set))
			break;
	if (i) {
		f->set_count--;
		*number = i - 1;
		return BOB_OK;
	}
	m->known[m->known_count++] = (struct known_set){ hash, *slot };
	*slot = m->known_count;
	return BOB_OK;
}

bob_status bob_folded_add_profile(struct bob_folded *f, const struct bob_fold_profile *profile)
{
	if (!bob_array_grow(alloc_of(f), &f->profile, &f->profile_capacity, f->profile_count, 1,
			    sizeof(*f->profile)))
		return BOB_ERR_NOMEM;
	f->profile[f->profile_count++] = *profile;
	return BOB_OK;
}

bob_status bob_folded_add_columns(struct bob_folded *f)
{
	uint32_t n = f->tables.column_count;

	if (!bob_array_grow(alloc_of(f), &f->column, &f->column_capacity, 0, (size_t)n + 1,
			    sizeof(*f->column)))
		return BOB_ERR_NOMEM;
	memset(f->column + f->column_count, 0, (n - f->column_count) * sizeof(*f->column));
	f->column_count = n;
	return BOB_OK;
}

bob_status bob_folded_share(struct bob_folded *f, uint32_t *list, struct bob_fold_bytes bytes,
			    uint32_t set)
{
	if (!bob_array_grow(alloc_of(f), &f->sharing, &f->sharing_capacity, f->sharing_count, 1,
			    sizeof(*f->sharing)))
		return BOB_ERR_NOMEM;
	f->sharing[f->sharing_count] = (struct bob_fold_sharing){ bytes, set, *list };
	*list = ++f->sharing_count;
	return BOB_OK;
}

/* --- queries --- */

int bob_set_find(const struct bob_list *s, uint32_t part, uint32_t *member)
{
	*member = bob_list_below(s, part);
	return *member < s->count && bob_list_at(s, *member) == part;
}

const struct bob_fold_sharing *bob_folded_find(const struct bob_folded *f, uint32_t list,
					       uint32_t part, uint32_t *member)
{
	for (; list; list = f->sharing[list - 1].next)
		if (bob_set_find(&f->set[f->sharing[list - 1].set], part, member))
			return &f->sharing[list - 1];
	return NULL;
}

uint32_t bob_folded_count(const struct bob_folded *f)
{
	return f->first_count;
}

uint32_t bob_folded_first(const struct bob_folded *f, uint32_t participant)
{
	if (participant >= f->first_count)
		return f->part_count;
	return f->first.count ? (uint32_t)bob_list_at(&f->first, participant) : participant;
}

uint64_t bob_folded_id(const struct bob_folded *f, uint32_t participant)
{
	return bob_list_at(&f->id, bob_folded_first(f, participant));
}

uint64_t bob_folded_events(const struct bob_folded *f, uint32_t participant)
{
	uint32_t end = bob_folded_first(f, participant + 1);
	uint64_t events = 0;

	for (uint32_t i = bob_folded_first(f, participant); i < end; i++)
		events += bob_list_at(&f->events, i);
	return events;
}

uint32_t bob_folded_shapes(const struct bob_folded *f)
{
	return f->tables.shape_count;
}

void bob_folded_shape(const struct bob_folded *f, uint32_t shape, struct bob_fold_shape *out)
{
	const struct bob_table_shape *s = &f->tables.shape[shape];

	*out = (struct bob_fold_shape){ s->key, s->key_len, s->path, s->words };
}

int bob_folded_path(const struct bob_folded *f, uint32_t path, uint32_t *parent, uint64_t *place)
{
	if (!path || path >= f->tables.path_count)
		return 0;
	*parent = f->tables.path[path].parent;
	*place = f->tables.path[path].place;
	return 1;
}
