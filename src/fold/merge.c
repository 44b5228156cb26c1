/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging, a pure function of the inputs. The tables are the union of what the parts use, in the
 * order of the parts and, within a part, of its own tables: an order that does not depend on the
 * order of merges. Then spines, values and each column are rebuilt: the data of all parts is
 * compared, and equal data, or columns of equal structure, are shared.
 *
 * Consecutive parts of a source remain consecutive, and what they share is processed as a unit: a
 * row that is affine on both sides is examined twice, for any number of participants. Only profiles
 * and sets are processed member by member, once each. */
#include <string.h>

#include "fold/merge.h"

/* --- columns --- */

/* Inverts the maps: for each source, its columns by columns of `out`. */
static bob_status invert_columns(struct bob_merge *m)
{
	uint32_t n = m->out->tables.column_count;

	for (uint32_t i = 0; i < m->source_count; i++) {
		struct bob_merge_source *s = &m->source[i];

		if (!bob_array_grow(&m->alloc, &s->column, &s->column_capacity, 0, (size_t)n + 1,
				    sizeof(*s->column)))
			return BOB_ERR_NOMEM;
		memset(s->column, 0xff, n * sizeof(*s->column));
		for (uint32_t k = 0; k < s->maps.column_count; k++)
			if (s->maps.column[k] != BOB_TABLES_NONE)
				s->column[s->maps.column[k]] = k;
	}
	return BOB_OK;
}

static bob_status share_columns(struct bob_merge *m)
{
	const struct bob_tables *loops = &m->out->tables;
	bob_status st = invert_columns(m);

	for (uint32_t c = 0; c < m->out->column_count && st == BOB_OK; c++) {
		m->profiles.of_trips = loops->loop_count && c >= loops->loop[0].column;
		for (uint32_t i = 0; i < m->source_count; i++) {
			struct bob_merge_source *s = &m->source[i];
			uint32_t k = s->column[c];

			s->list = k == BOB_TABLES_NONE ? 0 : s->f->column[k];
		}
		st = bob_merge_list(m, BOB_MERGE_COLUMNS, &m->out->column[c]);
	}
	return st;
}

static bob_status unite(struct bob_merge *m)
{
	bob_status st = bob_merge_parts(m);

	for (uint32_t i = 0; i < m->source_count; i++)
		m->source[i].list = m->source[i].f->spines;
	if (st == BOB_OK)
		st = bob_merge_tables(m);
	if (st == BOB_OK)
		st = bob_merge_join(m);
	if (st == BOB_OK)
		st = bob_merge_list(m, BOB_MERGE_SPINES, &m->out->spines);
	for (uint32_t i = 0; i < m->source_count; i++)
		m->source[i].list = m->source[i].f->values;
	if (st == BOB_OK)
		st = bob_merge_list(m, BOB_MERGE_VALUES, &m->out->values);
	return st != BOB_OK ? st : share_columns(m);
}

static void free_merge(struct bob_merge *m)
{
	const struct bob_alloc *a = &m->alloc;

	for (uint32_t i = 0; i < m->source_count; i++) {
		bob_maps_free(&m->source[i].maps);
		bob_array_free(a, m->source[i].column, m->source[i].column_capacity,
			       sizeof(uint32_t));
	}
	bob_array_free(a, m->source, m->source_capacity, sizeof(*m->source));
	bob_array_free(a, m->heap, m->heap_capacity, sizeof(*m->heap));
	bob_array_free(a, m->run, m->run_capacity, sizeof(*m->run));
	bob_array_free(a, m->joined, m->joined_capacity, sizeof(*m->joined));
	bob_array_free(a, m->stretch, m->stretch_capacity, sizeof(*m->stretch));
	bob_array_free(a, m->group, m->group_capacity, sizeof(*m->group));
	bob_array_free(a, m->slot, m->slot_capacity, sizeof(*m->slot));
	bob_array_free(a, m->item, m->item_capacity, sizeof(*m->item));
	bob_array_free(a, m->key, m->key_capacity, sizeof(*m->key));
	bob_array_free(a, m->value, m->value_capacity, sizeof(*m->value));
	bob_blocks_free(&m->ids);
	bob_blocks_free(&m->passing);
	bob_memo_free(&m->sets);
	bob_memo_free(&m->rows);
	bob_folded_end_making(m->out);
	bob_buffer_free(&m->buffer);
	bob_profiles_free(&m->profiles);
}

static bob_status add_sources(struct bob_merge *m, const struct bob_fold_source *from,
			      uint32_t count)
{
	if (!bob_array_grow(&m->alloc, &m->source, &m->source_capacity, 0, (size_t)count + 1,
			    sizeof(*m->source)))
		return BOB_ERR_NOMEM;
	memset(m->source, 0, m->source_capacity * sizeof(*m->source));
	for (uint32_t i = 0; i < count; i++) {
		m->source[i].f = from[i].folded;
		m->source[i].rename = from[i].rename;
		m->source[i].skip = from[i].skip;
		m->source[i].goes_on = from[i].goes_on;
		m->source[i].maps.alloc = m->alloc;
	}
	m->source_count = count;
	return BOB_OK;
}

bob_status bob_folded_merge_all(const struct bob_fold_source *from, uint32_t count,
				const struct bob_alloc *alloc, struct bob_folded **out)
{
	struct bob_merge m = { .alloc = *alloc };
	bob_status st = bob_folded_init(alloc, &m.out);

	if (st != BOB_OK)
		return st;
	m.buffer.alloc = m.ids.alloc = m.passing.alloc = m.sets.alloc = m.rows.alloc = *alloc;
	bob_profiles_init(&m.profiles, alloc, m.out);
	st = add_sources(&m, from, count);
	if (st == BOB_OK)
		st = unite(&m);
	free_merge(&m);
	if (st != BOB_OK) {
		bob_folded_close(m.out);
		return st;
	}
	m.out->is_merged = m.out->has_own_groups = 1;
	*out = m.out;
	return BOB_OK;
}

bob_status bob_folded_merge(const struct bob_folded *a, const struct bob_folded *b,
			    const struct bob_alloc *alloc, struct bob_folded **out)
{
	const struct bob_fold_source from[2] = { { .folded = a }, { .folded = b } };

	return bob_folded_merge_all(from, 2, alloc, out);
}

bob_status bob_folded_rename(const struct bob_folded *f, const struct bob_fold_rename *rename,
			     const struct bob_alloc *alloc, struct bob_folded **out)
{
	const struct bob_fold_source from = { .folded = f, .rename = rename };

	return bob_folded_merge_all(&from, 1, alloc, out);
}

static uint64_t id_of(void *ctx, uint64_t id)
{
	(void)id;
	return *(const uint64_t *)ctx;
}

bob_status bob_folded_copy(const struct bob_folded *f, uint64_t id, const struct bob_alloc *alloc,
			   struct bob_folded **out)
{
	const struct bob_fold_rename rename = { .id = id_of, .ctx = &id };

	return f->first_count > 1 ? BOB_ERR_INVAL : bob_folded_rename(f, &rename, alloc, out);
}
