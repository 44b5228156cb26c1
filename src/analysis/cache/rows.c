/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of cache counts: maps sites to places and combines equal places. */
#include "analysis/cache/rows.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

uint64_t bob_cache_misses(const struct bob_cache_counts *c)
{
	uint64_t sum = 0;

	for (int w = 0; w < 2; w++)
		for (int i = 0; i < BOB_CACHE_CAUSES; i++)
			sum += c->misses[w][i];
	return sum;
}

BOB_COMPARE(by_place, struct bob_cache_row,
	    BOB_UP(number) BOB_TEXT(image) BOB_TEXT(variable.name) BOB_UP(variable.kind)
		    BOB_TEXT(file) BOB_UP(line) BOB_UP(pc))

static void unite(struct bob_cache_rows *r)
{
	size_t n = 0;

	if (!r->count)
		return;
	qsort(r->row, r->count, sizeof(*r->row), by_place);
	for (size_t i = 1; i < r->count; i++)
		if (by_place(&r->row[n], &r->row[i]) == 0)
			bob_cache_add(&r->row[n].c, &r->row[i].c);
		else
			r->row[++n] = r->row[i];
	r->count = n + 1;
}

/* Accesses without a known line form one row per function. */
static void set_line(const struct bob_trace *t, uint32_t process, const struct bob_cache_place *p,
		     struct bob_cache_row *row)
{
	struct bob_source_line line;

	row->pc = 0;
	if (bob_trace_source(t, process, p->image, p->pc, &line) != BOB_OK || !line.line)
		return;
	row->file = line.file;
	row->line = line.line;
}

static int set_variable(const struct bob_cache_replay *r, const struct bob_cache_place *p,
			struct bob_cache_row *row)
{
	if (p->variable == ~0u)
		return 0;
	row->variable = r->variables[p->variable];
	row->image = row->variable.image;
	row->pc = 0;
	if (!*row->variable.function) { /* the same in all functions */
		row->known = 0;
		row->number = ~0u;
	}
	return 1;
}

bob_status bob_cache_rows_add(struct bob_cache_rows *r, const struct bob_cache_replay *replay,
			      uint32_t process)
{
	struct bob_cache_site total;

	if (r->count + replay->sites > r->cap) {
		const size_t cap = r->count + replay->sites;
		struct bob_cache_row *row = realloc(r->row, cap * sizeof(*row));

		if (!row)
			return BOB_ERR_NOMEM;
		r->row = row;
		r->cap = cap;
	}
	for (uint32_t i = 0; i < replay->sites; i++) {
		const struct bob_cache_place *p = &replay->places[i];
		const struct bob_image_info *im = bob_trace_image(r->trace, process, p->image);
		struct bob_cache_row *row = &r->row[r->count++];

		*row = (struct bob_cache_row){ .number = p->number,
					       .known = p->id != ~0u,
					       .image = im ? im->soname : "",
					       .pc = p->pc,
					       .file = "",
					       .variable = { .name = "", .function = "" } };
		bob_cache_site(replay->cache, i, &row->c);
		if (r->by == BOB_CACHE_BY_LINE)
			set_line(r->trace, process, p, row);
		if (r->by == BOB_CACHE_BY_VARIABLE && !set_variable(replay, p, row))
			r->count--; /* no accesses without a variable */
	}
	unite(r);		/* combines an instruction of several processes */
	bob_cache_total(replay->cache, &total);
	bob_cache_add(&r->total, &total);
	return BOB_OK;
}

void bob_cache_rows_finish(struct bob_cache_rows *r)
{
	int known = 0;

	for (size_t i = 0; i < r->count; i++)
		known |= r->row[i].known;
	if (r->by == BOB_CACHE_BY_ANY)
		r->by = known ? BOB_CACHE_BY_FUNCTION : BOB_CACHE_BY_INSTRUCTION;
	for (size_t i = 0; i < r->count && r->by == BOB_CACHE_BY_FUNCTION; i++)
		r->row[i].pc = 0;
	unite(r);
}

void bob_cache_rows_fini(struct bob_cache_rows *r)
{
	free(r->row);
}
