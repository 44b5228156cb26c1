/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the analysis of arrays: binning of large variables, sites, and hash tables of moves. */
#include "analysis/arrays/rows.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/order.h"

#define PROBES 16u		/* of a table of moves */

/* --- variables --- */

int bob_array_name_fits(const char *name, const char *pattern)
{
	const char *in = strstr(name, " in ");
	const size_t len = in ? (size_t)(in - name) : strlen(name);

	if (!pattern || !strcmp(name, pattern) || !fnmatch(pattern, name, 0))
		return 1;
	return in && strlen(pattern) == len && !memcmp(pattern, name, len);
}

/* Chooses the smallest bins: halves the largest dimension until there are few enough cells. */
static void choose_cells(struct bob_array_row *r, uint64_t most)
{
	struct bob_array *p = &r->pub;

	p->cells = 1;
	for (uint32_t d = 0; d < p->shape.rank; d++) {
		p->bin[d] = 1;
		p->extent[d] = (uint64_t)p->shape.bounds[d][1];
		p->cells *= p->extent[d];
	}
	while (p->cells > most) {
		uint32_t largest = 0;

		for (uint32_t d = 1; d < p->shape.rank; d++)
			if (p->extent[d] > p->extent[largest])
				largest = d;
		p->bin[largest] *= 2;
		p->extent[largest] =
			((uint64_t)p->shape.bounds[largest][1] - 1) / p->bin[largest] + 1;
		p->cells = 1;
		for (uint32_t d = 0; d < p->shape.rank; d++)
			p->cells *= p->extent[d];
		r->binned = 1;
	}
}

/* Converts the box from source order to fastest dimension first. */
static void turn_box(struct bob_array_row *r, const struct bob_arrays_wanted *w)
{
	const uint32_t rank = r->pub.shape.rank;

	r->has_box = w->rank != 0;
	for (uint32_t d = 0; d < w->rank; d++) {
		uint32_t from = r->pub.shape.rows_first ? rank - 1 - d : d;
		int all = w->box[from][0] > w->box[from][1];

		r->box[d][0] = all ? INT64_MIN : w->box[from][0];
		r->box[d][1] = all ? INT64_MAX : w->box[from][1];
	}
}

bob_status bob_array_row_begin(struct bob_array_row *r, const struct bob_shape *s,
			       const char *source, const struct bob_arrays_wanted *w)
{
	const uint32_t windows = w->windows && !w->window ? w->windows : 1;
	uint64_t cells;

	memset(r, 0, sizeof(*r));
	r->pub.shape = *s;
	r->pub.source = source;
	r->pub.windows = windows;
	r->wanted = bob_array_name_fits(s->name, w->variable) && (!w->rank || w->rank == s->rank);
	if (!r->wanted)
		return BOB_OK;
	choose_cells(r, BOB_ARRAY_CELLS_MAX / windows);
	turn_box(r, w);
	cells = r->pub.cells;
	r->touched = calloc(cells / 64 + 1, sizeof(*r->touched));
	if (w->count) {
		r->read = calloc(cells * windows, sizeof(*r->read));
		r->written = calloc(cells * windows, sizeof(*r->written));
	}
	return r->touched && (!w->count || (r->read && r->written)) ? BOB_OK : BOB_ERR_NOMEM;
}

void bob_array_row_free(struct bob_array_row *r)
{
	free(r->touched);
	free(r->read);
	free(r->written);
	for (size_t i = 0; i < r->sites.count; i++)
		free(r->sites.at[i].move);
	BOB_VEC_FREE(&r->sites);
	free(r->sorted);
}

void bob_array_cell(const struct bob_array *a, uint64_t cell, int64_t *subscript)
{
	for (uint32_t d = 0; d < a->shape.rank; d++) {
		subscript[d] = a->shape.bounds[d][0] + (int64_t)(cell % a->extent[d] * a->bin[d]);
		cell /= a->extent[d];
	}
}

/* --- sites --- */

size_t bob_array_site_of(struct bob_array_row *r, const struct bob_trace *t, uint32_t process,
			 const struct bob_access *a)
{
	const int store = a->type != BOB_ACCESS_LOAD;
	struct bob_array_site_row *s;
	struct bob_source_line line;
	struct bob_function_info f = { .name = "" };

	(void)bob_trace_source(t, process, a->image, a->pc, &line);
	for (size_t i = 0; i < r->sites.count; i++) {
		s = &r->sites.at[i];
		if (s->pub.store == store && s->pub.line == line.line &&
		    !strcmp(s->pub.file, line.file) && (line.line || s->pc == a->pc))
			return i;
	}
	s = BOB_VEC_PUSH(&r->sites);
	if (!s)
		return SIZE_MAX;
	(void)bob_trace_function_at(t, process, a->image, a->pc, &f);
	s->pub.file = line.file;
	s->pub.line = line.line;
	s->pub.function = f.name;
	s->pub.store = store;
	s->process = process;
	s->image = a->image;
	s->pc = a->pc;
	return r->sites.count - 1;
}

/* NULL: the table is full. */
static struct bob_array_move *move_of(struct bob_array_site_row *s, uint32_t rank,
				      const int64_t *by)
{
	const size_t bytes = rank * sizeof(*by);
	uint64_t at;

	if (s->newest && !memcmp(s->newest->by, by, bytes))
		return s->newest;
	if (!s->move)
		s->move = calloc(BOB_ARRAY_MOVES_KEPT, sizeof(*s->move));
	if (!s->move)
		return NULL;
	at = bob_hash64(0, by, bytes);
	for (uint32_t i = 0; i < PROBES; i++, at++) {
		struct bob_array_move *m = &s->move[at % BOB_ARRAY_MOVES_KEPT];

		if (!m->count)
			memcpy(m->by, by, bytes);
		if (!memcmp(m->by, by, bytes)) {
			s->newest = m;
			return m;
		}
	}
	return NULL;
}

void bob_array_site_move(struct bob_array_site_row *s, uint32_t rank, const int64_t *subscript)
{
	int64_t by[BOB_SHAPE_DIMENSIONS_MAX];
	struct bob_array_move *m;

	if (s->has_before) {
		for (uint32_t d = 0; d < rank; d++)
			by[d] = subscript[d] - s->before[d];
		m = move_of(s, rank, by);
		if (m)
			m->count++;
		s->pub.moves++;
	}
	s->has_before = 1;
	memcpy(s->before, subscript, rank * sizeof(*subscript));
}

/* --- the result --- */

BOB_COMPARE(by_moves, struct bob_array_move, BOB_DOWN(count) BOB_BYTES(by))

BOB_COMPARE(by_accesses, struct bob_array_site,
	    BOB_DOWN(accesses) BOB_UP(line) BOB_UP(store) BOB_TEXT(file))

bob_status bob_array_row_finish(struct bob_array_row *r)
{
	r->sorted = calloc(r->sites.count + 1, sizeof(*r->sorted));
	if (!r->sorted)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < r->sites.count; i++) {
		struct bob_array_site_row *s = &r->sites.at[i];

		if (s->move) {
			qsort(s->move, BOB_ARRAY_MOVES_KEPT, sizeof(*s->move), by_moves);
			memcpy(s->pub.move, s->move, sizeof(s->pub.move));
		}
		r->sorted[i] = s->pub;
	}
	qsort(r->sorted, r->sites.count, sizeof(*r->sorted), by_accesses);
	for (uint64_t i = 0; i <= r->pub.cells / 64 && r->touched; i++)
		r->pub.touched += (uint64_t)__builtin_popcountll(r->touched[i]);
	r->pub.site = r->sorted;
	r->pub.sites = r->sites.count;
	r->pub.read = r->read;
	r->pub.written = r->written;
	return BOB_OK;
}
