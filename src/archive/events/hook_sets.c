/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the value sets of all processes of a trace, in tables or of version 1, and reads them in a
 * common order. */
#include "archive/events/hook_sets.h"

#include <stdlib.h>
#include <string.h>

#include "archive/events/sets_table.h"
#include "archive/reader.h"
#include "base/host/vec.h"
#include "base/order.h"

struct part {
	const uint8_t *at, *end;	/* sets of version 1 */
	struct bob_set_row *row;	/* sets in tables; these three are malloc'ed */
	size_t rows;
	struct bob_set_call *call;
	size_t calls;
	uint64_t *names;
	uint64_t own, times;
	uint32_t count;			/* number of names; 0: the chunk has none and is always
					 * valid */
	uint32_t process;
};

struct parts {
	BOB_VEC(struct part);
	uint64_t *inner;		/* names contained in other chunks, ascending */
	size_t inners;
	bob_status worst;
};

static void free_part(struct part *p)
{
	free(p->row);
	free(p->call);
	free(p->names);
}

/* Reads an optional table. */
static bob_status read_rows(const struct part *p, const struct bob_schema *t, void *rows,
			    size_t *count)
{
	void *found = NULL;
	const bob_status st = bob_rows_read(p->at, (size_t)(p->end - p->at), t, &found, count);

	memcpy(rows, &found, sizeof(found));
	return st == BOB_NONE ? BOB_OK : st;
}

static bob_status open_tables(struct part *p)
{
	struct bob_set_name *name = NULL;
	size_t count = 0;
	bob_status st = read_rows(p, &bob_sets_table, &p->row, &p->rows);

	if (st == BOB_OK)
		st = read_rows(p, &bob_set_calls_table, &p->call, &p->calls);
	if (st == BOB_OK)
		st = read_rows(p, &bob_set_names_table, &name, &count);
	p->count = (uint32_t)count;
	p->times = count ? name[0].times : 0;
	p->names = malloc((count + 1) * sizeof(*p->names));
	if (!p->names)
		st = BOB_ERR_NOMEM;
	for (size_t i = 0; i < count && p->names; i++)
		p->names[i] = name[i].name;
	free(name);
	return st;
}

static bob_status open_v1(struct part *p)
{
	const uint8_t *names;

	if (bob_sets_open(&p->at, p->end, &names, &p->count, &p->times) != BOB_OK)
		return BOB_ERR_CORRUPT;
	p->names = malloc((p->count + 1ull) * sizeof(*p->names));
	if (!p->names)
		return BOB_ERR_NOMEM;
	if (p->count)
		memcpy(p->names, names, p->count * sizeof(*p->names));
	return BOB_OK;
}

static bob_status add_chunk(struct parts *all, const struct bob_file *f,
			    const struct bob_chunk_ref *c, uint32_t process)
{
	struct part p = { .at = f->bytes + c->off, .process = process };
	bob_status st;

	p.end = p.at + bob_chunk_len(c);
	if (p.at == p.end)
		return BOB_OK;
	st = c->head.kind == BOB_CHUNK_SETS ? open_v1(&p) : open_tables(&p);
	p.own = st == BOB_OK && p.count ? p.names[0] : 0;
	if (st == BOB_OK)
		st = BOB_VEC_ADD(all, p);
	if (st == BOB_OK)
		return BOB_OK;
	free_part(&p);
	all->worst = BOB_ERR_CORRUPT;
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

static bob_status find_parts(const struct bob_trace *t, struct parts *all)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < t->process_count && st == BOB_OK; i++) {
		const struct bob_file *f = t->processes[i]->file;

		for (size_t k = 0; k < f->chunk_count && st == BOB_OK; k++)
			if (f->chunks[k].head.kind == BOB_CHUNK_SETS ||
			    f->chunks[k].head.kind == BOB_CHUNK_TABLE_SETS)
				st = add_chunk(all, f, &f->chunks[k], i);
	}
	return st;
}

static bob_status find_inner(struct parts *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->count; i++)
		n += all->at[i].count; /* bounded by the size of the files */
	all->inner = malloc((n + 1) * sizeof(*all->inner));
	if (!all->inner)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < all->count; i++)
		for (uint32_t k = 1; k < all->at[i].count; k++)
			all->inner[all->inners++] = all->at[i].names[k];
	qsort(all->inner, all->inners, sizeof(*all->inner), bob_compare_u64);
	return BOB_OK;
}

/* Orders chunks by name, the latest version first. */
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
	return !bsearch(&p->own, all->inner, all->inners, sizeof(*all->inner), bob_compare_u64);
}

static int visit_rows(struct parts *all, const struct part *p,
		      int (*visit)(void *ctx, uint32_t process, const struct bob_set *s), void *ctx)
{
	const struct bob_set_call *call = p->call;
	size_t left = p->calls;
	struct bob_set s;

	for (size_t i = 0; i < p->rows; i++) {
		if (!bob_set_of_row(&p->row[i], call, left, &s)) {
			all->worst = BOB_ERR_CORRUPT;
			return 0;
		}
		call = call ? call + s.depth : NULL;
		left -= s.depth;
		if (visit(ctx, p->process, &s))
			return 1;
	}
	return 0;
}

static int visit_part(struct parts *all, const struct part *p,
		      int (*visit)(void *ctx, uint32_t process, const struct bob_set *s), void *ctx)
{
	const uint8_t *at = p->at;
	struct bob_set s;
	bob_status st;

	if (p->row)
		return visit_rows(all, p, visit, ctx);
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
	for (size_t i = 0; i < all.count; i++)
		free_part(&all.at[i]);
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
