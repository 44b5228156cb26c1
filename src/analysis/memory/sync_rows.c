/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of marks and their objects, found by hashes; a row is the same in all processes if its texts
 * and its call site are. */
#include "analysis/memory/sync_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* --- hashes --- */

static uint64_t text_hash(uint64_t seed, const char *text)
{
	return bob_hash64(seed, text, strlen(text));
}

static uint64_t row_hash(const struct bob_sync_entry *e)
{
	uint64_t h = text_hash(e->address + e->pub.kind, e->pub.name);

	h = text_hash(text_hash(h + e->line, e->pub.image), e->site_name);
	return bob_hash_mix(h + e->pub.where);
}

static int same_row(const struct bob_sync_entry *a, const struct bob_sync_entry *b)
{
	return a->pub.kind == b->pub.kind && a->pub.where == b->pub.where &&
	       a->address == b->address && a->line == b->line &&
	       !strcmp(a->pub.name, b->pub.name) && !strcmp(a->pub.image, b->pub.image) &&
	       !strcmp(a->site_name, b->site_name) && !strcmp(a->file, b->file);
}

static uint64_t object_hash(const struct bob_sync_object *o)
{
	return bob_hash_mix(o->address + bob_hash_mix((uint64_t)o->process << 32 | o->row));
}

static int same_object(const struct bob_sync_object *a, const struct bob_sync_object *b)
{
	return a->address == b->address && a->process == b->process && a->row == b->row;
}

/* Room for one element more. */
static void *grow(struct bob_sync_table *s, void *array, size_t count, size_t *room, size_t size)
{
	void *more;

	if (count < *room)
		return array;
	more = count < UINT32_MAX / 4 ? realloc(array, (2 * *room + 64) * size) : NULL;
	if (!more) {
		s->failed = 1;
		return array;
	}
	*room = 2 * *room + 64;
	return more;
}

static void insert(struct bob_sync_index *x, uint64_t hash, size_t number)
{
	size_t at = hash & (x->slots - 1);

	while (x->slot[at])
		at = (at + 1) & (x->slots - 1);
	x->slot[at] = (uint32_t)number + 1;
}

/* Nothing is in there then; 0 if it is large enough as it is. */
static int enlarge(struct bob_sync_table *s, struct bob_sync_index *x, size_t count)
{
	size_t slots = x->slots ? x->slots : 256;
	uint32_t *slot;

	while (slots < 2 * count + 2)
		slots *= 2;
	if (slots == x->slots)
		return 0;
	slot = calloc(slots, sizeof(*slot));
	if (!slot) {
		s->failed = 1;
		return 0;
	}
	free(x->slot);
	*x = (struct bob_sync_index){ slot, slots };
	return 1;
}

static uint32_t find_row(struct bob_sync_table *s, const struct bob_sync_entry *e)
{
	size_t at;

	if (enlarge(s, &s->rows, s->count + 1))
		for (size_t i = 0; i < s->count; i++)
			insert(&s->rows, row_hash(&s->row[i]), i);
	s->row = grow(s, s->row, s->count, &s->room, sizeof(*s->row));
	if (s->failed)
		return 0;
	for (at = row_hash(e) & (s->rows.slots - 1); s->rows.slot[at];
	     at = (at + 1) & (s->rows.slots - 1))
		if (same_row(&s->row[s->rows.slot[at] - 1], e))
			return s->rows.slot[at] - 1;
	s->row[s->count] = *e;
	s->rows.slot[at] = (uint32_t)++s->count;
	return (uint32_t)s->count - 1;
}

static void note_object(struct bob_sync_table *s, const struct bob_sync_object *o)
{
	size_t at;

	if (enlarge(s, &s->known, s->objects + 1))
		for (size_t i = 0; i < s->objects; i++)
			insert(&s->known, object_hash(&s->object[i]), i);
	s->object = grow(s, s->object, s->objects, &s->object_room, sizeof(*s->object));
	if (s->failed)
		return;
	for (at = object_hash(o) & (s->known.slots - 1); s->known.slot[at];
	     at = (at + 1) & (s->known.slots - 1))
		if (same_object(&s->object[s->known.slot[at] - 1], o))
			return;
	s->object[s->objects] = *o;
	s->known.slot[at] = (uint32_t)++s->objects;
	s->row[o->row].pub.objects++;
}

void bob_sync_table_add(struct bob_sync_table *s, const struct bob_sync_entry *e, uint32_t thread,
			uint64_t object, uint64_t times)
{
	struct bob_sync_object o = { object, e->pub.process, find_row(s, e) };
	struct bob_sync_entry *row = &s->row[o.row];

	if (s->failed)
		return;
	row->pub.count += times;
	if (row->thread != thread + 1) {
		row->thread = thread + 1;
		row->pub.threads++;
	}
	note_object(s, &o);
}

/* --- the result --- */

static int by_use(const void *a, const void *b)
{
	const struct bob_sync_row *x = a, *y = b;
	int text = strcmp(x->what, y->what);

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	text = text ? text : strcmp(x->name, y->name);
	text = text ? text : strcmp(x->image, y->image);
	if (text)
		return text;
	if (x->where != y->where)
		return x->where < y->where ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

static int same_variable(const struct bob_sync_row *a, const struct bob_sync_row *b)
{
	return a->where == b->where && !strcmp(a->what, b->what) && !strcmp(a->name, b->name) &&
	       !strcmp(a->image, b->image);
}

bob_status bob_sync_table_finish(struct bob_sync_table *s)
{
	size_t n = s->count;

	s->sorted = calloc(n + 1, sizeof(*s->sorted));
	if (!s->sorted)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		s->sorted[i] = s->row[i].pub;
	if (n)
		qsort(s->sorted, n, sizeof(*s->sorted), by_use);
	for (size_t i = 0, end = 0; i < n;
	     i = end) { /* totals are 0 until here: rows of a variable lie together */
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
