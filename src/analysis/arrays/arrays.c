/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts accesses one by one. The accesses of one site are mostly to one variable, so each site
 * caches its last variable (struct slot). An element costs one division per dimension. */
#include "analysis/arrays/arrays.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/arrays/rows.h"
#include "base/order.h"

#define SLOTS 1024u
#define BATCH 1024u
#define TICK 1000000u

/* Cache entry: addresses lo <= address < hi are elements of the variable `row`. */
struct slot {
	uint64_t lo, hi, pc;
	uint32_t image;
	uint8_t type;
	size_t row, site;
};

struct bob_arrays {
	const struct bob_trace *trace;
	const struct bob_arrays_wanted *wanted;
	BOB_VEC(struct bob_array_row) rows;
	struct bob_array *sorted;
	size_t found;		/* length of `sorted` */
	uint64_t accesses;
	/* state of the current thread: */
	struct slot slot[SLOTS];
	uint32_t thread, process;
	uint64_t position, all;
	bob_status st;
};

static int same_variable(const struct bob_array_row *r, const struct bob_shape *s,
			 const char *source)
{
	const struct bob_shape *own = &r->pub.shape;

	return !strcmp(own->name, s->name) && !strcmp(r->pub.source, source) &&
	       own->element == s->element && own->rank == s->rank &&
	       own->rows_first == s->rows_first &&
	       (!s->rank || !memcmp(own->bounds, s->bounds, s->rank * sizeof(*s->bounds)));
}

/* Index of the variable's row, created if new; SIZE_MAX: no memory. */
static size_t row_of(struct bob_arrays *a, const struct bob_shape *s)
{
	const struct bob_image_info *im = bob_trace_image(a->trace, a->process, s->image);
	const char *source = im ? im->path : "";
	size_t i = 0;

	while (i < a->rows.count && !same_variable(&a->rows.at[i], s, source))
		i++;
	if (i < a->rows.count)
		return i;
	if (!BOB_VEC_PUSH(&a->rows))
		return SIZE_MAX;
	a->st = bob_array_row_begin(&a->rows.at[i], s, source, a->wanted);
	return a->st == BOB_OK ? i : SIZE_MAX;
}

/* Looks up the variable of an access. Returns 0 if there is none or it is not selected. */
static int find(struct bob_arrays *a, const struct bob_access *x, struct slot *slot)
{
	struct bob_shape s;

	*slot = (struct slot){ .pc = x->pc, .image = x->image, .type = x->type };
	if (bob_trace_shape(a->trace, a->process, x->address, &s) != BOB_OK)
		return 0;
	slot->row = row_of(a, &s);
	if (slot->row == SIZE_MAX) {
		a->st = BOB_ERR_NOMEM;
		return 0;
	}
	if (!a->rows.at[slot->row].wanted)
		return 0;
	if (!s.inside) {
		struct bob_array *p = &a->rows.at[slot->row].pub;

		if (a->rows.at[slot->row].has_box)
			return 0;
		*(s.before ? &p->before : &p->after) += 1;
		*(x->type == BOB_ACCESS_LOAD ? &p->loads : &p->stores) += 1;
		return 0;
	}
	slot->site = bob_array_site_of(&a->rows.at[slot->row], a->trace, a->process, x);
	if (slot->site == SIZE_MAX) {
		a->st = BOB_ERR_NOMEM;
		return 0;
	}
	slot->lo = s.address;
	slot->hi = s.address + s.elements * s.element;
	return 1;
}

/* Computes an element's subscripts and cell. Returns 0 if it is outside the box. */
static int place(const struct bob_array_row *r, uint64_t number, int64_t *subscript, uint64_t *cell)
{
	const struct bob_array *p = &r->pub;
	uint64_t rest = number, times = 1;

	*cell = 0;
	for (uint32_t d = 0; d < p->shape.rank; d++) {
		const uint64_t extent = (uint64_t)p->shape.bounds[d][1], at = rest % extent;

		subscript[d] = p->shape.bounds[d][0] + (int64_t)at;
		rest /= extent;
		if (r->has_box && (subscript[d] < r->box[d][0] || subscript[d] > r->box[d][1]))
			return 0;
		*cell += (r->binned ? at / p->bin[d] : at) * times;
		times *= p->extent[d];
	}
	return 1;
}

static void touch(struct bob_arrays *a, struct bob_array_row *r, uint64_t number,
		  const struct bob_array_site_row *site)
{
	const struct bob_array_touch t = { .thread = a->thread, .position = a->position,
					   .number = number,	.file = site->pub.file,
					   .line = site->pub.line, .store = site->pub.store };

	if (!r->is_touched)
		r->pub.first = t;
	r->is_touched = 1;
	r->pub.last = t;
}

/* Index of the element with the access's last byte. Bytes after the last element are in no
 * element. */
static uint64_t last_of(const struct slot *slot, const struct bob_access *x, uint32_t element)
{
	const uint64_t more = slot->hi - 1 - x->address, size = x->size ? x->size : 1;

	return (x->address - slot->lo + (size - 1 < more ? size - 1 : more)) / element;
}

/* Counts the elements *number to `last` once each, in `n` if that is not NULL. Returns 0 if none is
 * in the box; otherwise *number becomes the first that is. */
static int count_cells(struct bob_array_row *r, uint32_t *n, uint64_t *number, uint64_t last,
		       int64_t *subscript)
{
	int64_t other[BOB_SHAPE_DIMENSIONS_MAX];
	uint64_t cell;
	int any = 0;

	for (uint64_t i = *number; i <= last; i++) {
		if (!place(r, i, any ? other : subscript, &cell))
			continue;
		if (!any++)
			*number = i;
		r->touched[cell / 64] |= 1ull << cell % 64;
		if (n && n[cell] != UINT32_MAX)
			n[cell]++;
	}
	return any;
}

static void count(struct bob_arrays *a, const struct bob_access *x, uint32_t window)
{
	struct slot *slot = &a->slot[(2 * x->pc + x->type) % SLOTS];
	int64_t subscript[BOB_SHAPE_DIMENSIONS_MAX];
	struct bob_array_site_row *site;
	struct bob_array_row *r;
	uint64_t number;
	uint32_t *n;

	if ((slot->pc != x->pc || slot->image != x->image || slot->type != x->type ||
	     x->address - slot->lo >= slot->hi - slot->lo) &&
	    !find(a, x, slot))
		return;
	r = &a->rows.at[slot->row];
	site = &r->sites.at[slot->site];
	n = site->pub.store ? r->written : r->read;
	number = (x->address - slot->lo) / r->pub.shape.element;
	if (!count_cells(r, n ? n + window * r->pub.cells : NULL, &number,
			 last_of(slot, x, r->pub.shape.element), subscript))
		return;
	*(site->pub.store ? &r->pub.stores : &r->pub.loads) += 1;
	site->pub.accesses++;
	bob_array_site_move(site, r->pub.shape.rank, subscript);
	touch(a, r, number, site);
}

/* Window of the thread's next access. Returns 0 if it is not selected. */
static int window_of(const struct bob_arrays *a, uint32_t *window)
{
	const uint32_t windows = a->wanted->windows ? a->wanted->windows : 1;
	uint32_t in = windows == 1 || !a->all ?
			      0 :
			      (uint32_t)((unsigned __int128)a->position * windows / a->all);

	in = in < windows ? in : windows - 1;
	*window = a->wanted->window ? 0 : in;
	return !a->wanted->window || a->wanted->window == in + 1;
}

static void begin_thread(struct bob_arrays *a, uint32_t thread)
{
	memset(a->slot, 0, sizeof(a->slot));
	a->thread = thread;
	a->process = bob_trace_thread(a->trace, thread)->process;
	a->position = 0;
	a->all = a->wanted->windows > 1 ? bob_trace_accesses(a->trace, thread) : 0;
	for (size_t i = 0; i < a->rows.count; i++)
		for (size_t k = 0; k < a->rows.at[i].sites.count; k++)
			a->rows.at[i].sites.at[k].has_before = 0;
}

static bob_status count_thread(struct bob_arrays *a, uint32_t thread,
			       const struct bob_progress *progress, struct bob_error *err)
{
	struct bob_access_cursor *c;
	struct bob_access batch[BATCH];
	bob_status st = bob_access_cursor_open(a->trace, thread, &c, err), result = BOB_OK;
	uint64_t due = TICK;
	uint32_t window;
	size_t n;

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	begin_thread(a, thread);
	while ((st = bob_access_cursor_read(c, batch, BATCH, &n, err)) == BOB_OK ||
	       st == BOB_ERR_CORRUPT) {
		if (st == BOB_ERR_CORRUPT) {
			result = st;
			continue;
		}
		for (size_t i = 0; i < n && a->st == BOB_OK; i++, a->position++)
			if (window_of(a, &window))
				count(a, &batch[i], window);
		if (a->st != BOB_OK)
			break;
		if (progress && progress->tick && a->position >= due) {
			progress->tick(progress->ctx, TICK);
			due += TICK;
		}
	}
	a->accesses += a->position;
	bob_access_cursor_close(c);
	if (a->st != BOB_OK)
		return a->st;
	return st == BOB_END ? result : st;
}

/* --- the result --- */

static uint64_t accesses(const struct bob_array *a)
{
	return a->loads + a->stores;
}

BOB_COMPARE(by_accesses, struct bob_array,
	    BOB_DOWN_BY(accesses) BOB_TEXT(shape.name) BOB_TEXT(source) BOB_UP(shape.address))

static bob_status finish(struct bob_arrays *a)
{
	bob_status st = BOB_OK;
	size_t n = 0;

	a->sorted = calloc(a->rows.count + 1, sizeof(*a->sorted));
	if (!a->sorted)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < a->rows.count && st == BOB_OK; i++) {
		st = bob_array_row_finish(&a->rows.at[i]);
		if (a->rows.at[i].pub.loads + a->rows.at[i].pub.stores)
			a->sorted[n++] = a->rows.at[i].pub;
	}
	qsort(a->sorted, n, sizeof(*a->sorted), by_accesses);
	a->found = n;
	return st;
}

bob_status bob_arrays_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
			     const struct bob_arrays_wanted *w, const struct bob_progress *progress,
			     struct bob_arrays **out, struct bob_error *err)
{
	struct bob_arrays *a = calloc(1, sizeof(*a));
	bob_status st = BOB_OK, result = BOB_OK;

	if (!a)
		return BOB_ERR_NOMEM;
	a->trace = t;
	a->wanted = w;
	for (uint32_t i = 0; i < count && (st == BOB_OK || st == BOB_ERR_CORRUPT); i++) {
		st = count_thread(a, threads[i], progress, err);
		result = st == BOB_OK ? result : st;
	}
	if (st == BOB_OK || st == BOB_ERR_CORRUPT)
		st = finish(a);
	a->wanted = NULL; /* owned by the caller, no longer needed */
	if (st != BOB_OK) {
		bob_arrays_destroy(a);
		return st;
	}
	*out = a;
	return result;
}

void bob_arrays_destroy(struct bob_arrays *a)
{
	for (size_t i = 0; a && i < a->rows.count; i++)
		bob_array_row_free(&a->rows.at[i]);
	if (a) {
		BOB_VEC_FREE(&a->rows);
		free(a->sorted);
	}
	free(a);
}

const struct bob_array *bob_arrays_all(const struct bob_arrays *a, size_t *count)
{
	*count = a->found;
	return a->sorted;
}

uint64_t bob_arrays_accesses(const struct bob_arrays *a)
{
	return a->accesses;
}
