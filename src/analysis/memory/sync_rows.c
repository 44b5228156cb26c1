/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash tables of synchronisation rows and their objects. Rows of different processes are equal if
 * their texts and call sites are. */
#include "analysis/memory/sync_rows.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

static uint64_t row_hash(const struct bob_sync_entry *e)
{
	uint64_t h = bob_hash_text(e->address + e->pub.kind, e->pub.name);

	h = bob_hash_text(bob_hash_text(h + e->line, e->pub.image), e->site_name);
	return bob_hash_mix(h + e->pub.where);
}

static int same_row(const struct bob_sync_entry *a, const struct bob_sync_entry *b)
{
	return a->pub.kind == b->pub.kind && a->pub.where == b->pub.where &&
	       a->address == b->address && a->line == b->line &&
	       !strcmp(a->pub.name, b->pub.name) && !strcmp(a->pub.image, b->pub.image) &&
	       !strcmp(a->site_name, b->site_name) && !strcmp(a->file, b->file);
}

static uint32_t find_row(struct bob_sync_table *s, const struct bob_sync_entry *e)
{
	const uint64_t hash = row_hash(e);
	struct bob_probe p = bob_probe_of(hash);
	struct bob_sync_entry *row;

	while (bob_index_next(&s->rows.index, &p))
		if (same_row(&s->rows.at[p.number], e))
			return p.number;
	row = BOB_MAP_ADD(&s->rows, hash);
	if (!row) {
		s->failed = 1;
		return 0;
	}
	*row = *e;
	return (uint32_t)s->rows.count - 1;
}

static void note_object(struct bob_sync_table *s, const struct bob_sync_object *o)
{
	if (BOB_MAP_FIND(&s->objects, o))
		return;
	if (!BOB_MAP_PUT(&s->objects, o))
		s->failed = 1;
	else
		s->rows.at[o->row].pub.objects++;
}

void bob_sync_table_add(struct bob_sync_table *s, const struct bob_sync_entry *e, uint32_t thread,
			uint64_t object, uint64_t times)
{
	const struct bob_sync_object o = { object, e->pub.process, find_row(s, e) };
	struct bob_sync_entry *row;

	if (s->failed)
		return;
	row = &s->rows.at[o.row];
	row->pub.count += times;
	if (row->thread != thread + 1) {
		row->thread = thread + 1;
		row->pub.threads++;
	}
	note_object(s, &o);
}

/* --- the result --- */

BOB_COMPARE(by_use, struct bob_sync_row,
	    BOB_DOWN(total) BOB_TEXT(what) BOB_TEXT(name) BOB_TEXT(image) BOB_UP(where)
		    BOB_DOWN(count) BOB_UP(kind) BOB_UP(site))

static int same_variable(const struct bob_sync_row *a, const struct bob_sync_row *b)
{
	return a->where == b->where && !strcmp(a->what, b->what) && !strcmp(a->name, b->name) &&
	       !strcmp(a->image, b->image);
}

bob_status bob_sync_table_finish(struct bob_sync_table *s)
{
	size_t n = s->rows.count;

	s->sorted = calloc(n + 1, sizeof(*s->sorted));
	if (!s->sorted)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		s->sorted[i] = s->rows.at[i].pub;
	if (n)
		qsort(s->sorted, n, sizeof(*s->sorted), by_use);
	for (size_t i = 0, end = 0; i < n;
	     i = end) { /* totals are 0 so far; rows of a variable are adjacent */
		uint64_t total = 0;

		for (end = i; end < n && same_variable(&s->sorted[i], &s->sorted[end]); end++)
			total += s->sorted[end].count;
		for (size_t k = i; k < end; k++)
			s->sorted[k].total = total;
	}
	if (n)
		qsort(s->sorted, n, sizeof(*s->sorted), by_use);
	return BOB_OK;
}
