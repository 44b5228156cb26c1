/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the accesses of threads one by one: on the folded form where possible (leaves.c),
 * otherwise expanded. */
#include "analysis/memory/memory.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/memory/rows.h"
#include "base/order.h"

#define BATCH 4096u

BOB_COMPARE(by_pc, struct bob_memory_pc, BOB_UP(image) BOB_UP(pc))

static void add_expanded(struct bob_memory *m, const struct bob_access *x)
{
	struct bob_variable_access a = { .image = x->image, .pc = x->pc, .type = x->type,
					 .placed = 1, .lo = x->address,
					 .hi = x->address + x->size };
	struct bob_memory_entry *r = bob_memory_row_of(m, &a);

	if (!r)
		return;
	bob_memory_count(&r->pub, x->type, 1, x->size);
	r->pub.unknown++;
}

/* Expands all accesses, or those of the instructions in `only`. */
static bob_status expand(struct bob_memory *m, uint32_t thread, struct bob_memory_skipped *only,
			 struct bob_error *err)
{
	struct bob_access_cursor *c;
	struct bob_access *a = malloc(BATCH * sizeof(*a));
	bob_status st;
	size_t n;

	if (!a)
		return BOB_ERR_NOMEM;
	st = bob_access_cursor_open(m->trace, thread, &c, err);
	if (st != BOB_OK) {
		free(a);
		return st == BOB_NONE ? BOB_OK : st;
	}
	if (only)
		qsort(only->at, only->count, sizeof(*only->at), by_pc);
	else
		bob_access_cursor_stop_at_syncs(c, 0);
	while (((st = bob_access_cursor_read(c, a, BATCH, &n, err)) == BOB_OK || st == BOB_NONE) &&
	       !m->failed) {
		m->syncs += st == BOB_NONE;
		for (size_t i = 0; i < n; i++) {
			struct bob_memory_pc key = { a[i].pc, a[i].image };

			if (!only || bsearch(&key, only->at, only->count, sizeof(*only->at), by_pc))
				add_expanded(m, &a[i]);
		}
	}
	bob_access_cursor_close(c);
	free(a);
	return m->failed ? BOB_ERR_NOMEM : st == BOB_END ? BOB_OK : st;
}

static bob_status add_thread(struct bob_memory *m, uint32_t thread, struct bob_error *err)
{
	struct bob_memory_skipped skip = { 0 };
	bob_status st = BOB_NONE;

	m->process = bob_trace_thread(m->trace, thread)->process;
	bob_stack_range_of(m->trace, thread, &m->stack);
	if (bob_trace_all_folded(m->trace, thread))
		st = bob_memory_add_folded(m, thread, &skip);
	if (st == BOB_NONE)
		st = expand(m, thread, NULL, err);
	else if (st == BOB_OK && skip.count)
		st = expand(m, thread, &skip, err);
	BOB_VEC_FREE(&skip);
	return m->failed ? BOB_ERR_NOMEM : st;
}

bob_status bob_memory_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
			     enum bob_memory_by by, struct bob_memory **out, struct bob_error *err)
{
	struct bob_memory *m = calloc(1, sizeof(*m));
	bob_status st = m ? BOB_OK : BOB_ERR_NOMEM;

	if (m) {
		m->trace = t;
		m->by = by;
	}
	for (uint32_t i = 0; i < count && st == BOB_OK; i++)
		st = add_thread(m, threads[i], err);
	if (st == BOB_OK)
		st = bob_memory_finish(m);
	if (st != BOB_OK) {
		bob_memory_destroy(m);
		return st;
	}
	*out = m;
	return BOB_OK;
}

void bob_memory_destroy(struct bob_memory *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->rows.count; i++)
		bob_footprint_free(&m->rows.at[i].footprint);
	BOB_MAP_FREE(&m->rows);
	BOB_VEC_FREE(&m->unfolded);
	free(m->sorted);
	free(m);
}

const struct bob_memory_row *bob_memory_rows(const struct bob_memory *m, size_t *count)
{
	*count = m->rows.count;
	return m->sorted;
}

uint64_t bob_memory_syncs(const struct bob_memory *m)
{
	return m->syncs;
}

const struct bob_memory_unfolded *bob_memory_unfolded(const struct bob_memory *m, size_t *count)
{
	*count = m->unfolded.count;
	return m->unfolded.at;
}
