/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and asking folded traces, however they came about: open.c, merge.c, pack.c. */
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
	bob_array_free(&a, f->part, f->part_room, sizeof(*f->part));
	bob_array_free(&a, f->first, f->first_room, sizeof(*f->first));
	bob_array_free(&a, f->set, f->set_room, sizeof(*f->set));
	bob_array_free(&a, f->sharing, f->sharing_room, sizeof(*f->sharing));
	bob_array_free(&a, f->profile, f->profile_room, sizeof(*f->profile));
	bob_array_free(&a, f->column, f->column_room, sizeof(*f->column));
	bob_tables_free(&f->tables);
	a.resize(a.ctx, f, sizeof(*f), 0);
}

/* --- making --- */

static const struct bob_alloc *alloc_of(const struct bob_folded *f)
{
	return &f->tables.blocks.alloc;
}

struct bob_fold_part *bob_folded_add_part(struct bob_folded *f)
{
	if (f->part_count == BOB_PARTS_MAX || !bob_array_grow(alloc_of(f), &f->part, &f->part_room,
							      f->part_count, 1, sizeof(*f->part)))
		return NULL;
	memset(&f->part[f->part_count], 0, sizeof(*f->part));
	return &f->part[f->part_count++];
}

static int goes_before(const struct bob_fold_part *a, const struct bob_fold_part *b)
{
	return a->id != b->id ? a->id < b->id : a->segment < b->segment;
}

bob_status bob_folded_end_parts(struct bob_folded *f)
{
	for (uint32_t i = 1; i < f->part_count; i++)
		if (!goes_before(&f->part[i - 1], &f->part[i]))
			return BOB_ERR_INVAL;
	for (uint32_t i = 0; i < f->part_count; i++) {
		if (i && f->part[i].id == f->part[i - 1].id)
			continue;
		if (!bob_array_grow(alloc_of(f), &f->first, &f->first_room, f->first_count, 1,
				    sizeof(*f->first)))
			return BOB_ERR_NOMEM;
		f->first[f->first_count++] = i;
	}
	return BOB_OK;
}

static int is_set(const struct bob_fold_set *s, const uint32_t *member, uint32_t count)
{
	return s->count == count && !memcmp(s->member, member, count * sizeof(*member));
}

bob_status bob_folded_add_set(struct bob_folded *f, const uint32_t *member, uint32_t count,
			      uint32_t *number)
{
	uint32_t *copy;

	/* most columns are shared by the same parts as one of the last few */
	for (uint32_t i = f->set_count; i-- > 0 && f->set_count - i <= 8;)
		if (is_set(&f->set[i], member, count)) {
			*number = i;
			return BOB_OK;
		}
	copy = bob_blocks_get(&f->tables.blocks, count * sizeof(*copy));
	if (!copy ||
	    !bob_array_grow(alloc_of(f), &f->set, &f->set_room, f->set_count, 1, sizeof(*f->set)))
		return BOB_ERR_NOMEM;
	memcpy(copy, member, count * sizeof(*copy));
	f->set[f->set_count] = (struct bob_fold_set){ copy, count };
	*number = f->set_count++;
	return BOB_OK;
}

bob_status bob_folded_add_profile(struct bob_folded *f, const struct bob_fold_profile *profile)
{
	if (!bob_array_grow(alloc_of(f), &f->profile, &f->profile_room, f->profile_count, 1,
			    sizeof(*f->profile)))
		return BOB_ERR_NOMEM;
	f->profile[f->profile_count++] = *profile;
	return BOB_OK;
}

bob_status bob_folded_add_columns(struct bob_folded *f)
{
	uint32_t n = f->tables.column_count;

	if (!bob_array_grow(alloc_of(f), &f->column, &f->column_room, 0, (size_t)n + 1,
			    sizeof(*f->column)))
		return BOB_ERR_NOMEM;
	memset(f->column + f->column_count, 0, (n - f->column_count) * sizeof(*f->column));
	f->column_count = n;
	return BOB_OK;
}

bob_status bob_folded_share(struct bob_folded *f, uint32_t *list, struct bob_fold_bytes bytes,
			    uint32_t set)
{
	if (!bob_array_grow(alloc_of(f), &f->sharing, &f->sharing_room, f->sharing_count, 1,
			    sizeof(*f->sharing)))
		return BOB_ERR_NOMEM;
	f->sharing[f->sharing_count] = (struct bob_fold_sharing){ bytes, set, *list };
	*list = ++f->sharing_count;
	return BOB_OK;
}

/* --- questions --- */

int bob_set_find(const struct bob_fold_set *s, uint32_t part, uint32_t *member)
{
	uint32_t low = 0, high = s->count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (s->member[mid] < part)
			low = mid + 1;
		else
			high = mid;
	}
	*member = low;
	return low < s->count && s->member[low] == part;
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

uint64_t bob_folded_id(const struct bob_folded *f, uint32_t participant)
{
	return f->part[f->first[participant]].id;
}

uint64_t bob_folded_events(const struct bob_folded *f, uint32_t participant)
{
	uint64_t id = bob_folded_id(f, participant), events = 0;

	for (uint32_t i = f->first[participant]; i < f->part_count && f->part[i].id == id; i++)
		events += f->part[i].events;
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
