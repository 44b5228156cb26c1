/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects synchronisation marks. The object of a mark is its first word. If that word's column
 * consists of pieces, these are counted, and loops that do not change the object in one step;
 * otherwise all events of the thread are read. */
#include "analysis/memory/syncs.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/memory/sync_rows.h"
#include "bobbin/fold.h"
#include "mem/sync.h"

#define WALK_MAX (1u << 20) /* steps per leaf; if exceeded, all events are read */
#define CRITICAL_PREFIX ".gomp_critical_user_" /* GCC: named critical section */
#define NO_IMAGE 0xffffffffu

/* The kind of object that the operation uses. */
static const char *what_of(uint32_t kind)
{
	switch ((enum bob_sync_kind)kind) {
	case BOB_SYNC_CREATE:
	case BOB_SYNC_BEGIN:
	case BOB_SYNC_JOIN:
		return "thread";
	case BOB_SYNC_LOCK:
	case BOB_SYNC_UNLOCK:
		return "mutex";
	case BOB_SYNC_READ_LOCK:
	case BOB_SYNC_WRITE_LOCK:
	case BOB_SYNC_RW_UNLOCK:
		return "rwlock";
	case BOB_SYNC_SPIN_LOCK:
	case BOB_SYNC_SPIN_UNLOCK:
		return "spin lock";
	case BOB_SYNC_COND_WAIT:
	case BOB_SYNC_COND_WOKEN:
	case BOB_SYNC_COND_SIGNAL:
	case BOB_SYNC_COND_BROADCAST:
		return "condition";
	case BOB_SYNC_SEM_WAIT:
	case BOB_SYNC_SEM_POST:
		return "semaphore";
	case BOB_SYNC_ARRIVE:
	case BOB_SYNC_LEAVE:
	case BOB_SYNC_ARRIVED:
	case BOB_SYNC_LEFT:
		return "barrier";
	case BOB_SYNC_FUTEX_WAIT:
	case BOB_SYNC_FUTEX_WAKE:
		return "futex";
	case BOB_SYNC_CRITICAL_BEGIN:
	case BOB_SYNC_CRITICAL_END:
		return "critical";
	case BOB_SYNC_ATOMIC_BEGIN:
	case BOB_SYNC_ATOMIC_END:
		return "atomic";
	default:
		return "team";
	}
}

static int has_address(uint32_t kind, uint64_t object)
{
	const char *what = what_of(kind);

	/* 1 is the unnamed critical section */
	return strcmp(what, "thread") && strcmp(what, "team") && strcmp(what, "atomic") &&
	       (strcmp(what, "critical") || object != 1);
}

/* --- marks --- */

/* Marks of one kind at one place. */
struct marks {
	struct bob_sync_table *s;
	uint32_t thread, process;
	struct bob_sync_entry site;
	uint64_t budget;	/* remaining steps */
	int dry;		/* dry run: nothing is added */
};

static int on_stack(const struct marks *m, uint64_t address)
{
	for (uint32_t i = 0; i < bob_trace_thread_count(m->s->trace); i++)
		if (bob_trace_thread(m->s->trace, i)->process == m->process &&
		    address >= m->s->stack[i].lo && address < m->s->stack[i].hi)
			return 1;
	return 0;
}

static void name_object(const struct marks *m, uint64_t object, struct bob_sync_row *r)
{
	struct bob_object o;

	r->where = BOB_SYNC_NOWHERE;
	if (!has_address(r->kind, object))
		return;
	if (bob_trace_object(m->s->trace, m->process, object, &o) == BOB_OK) {
		r->where = o.is_section ? BOB_SYNC_SECTION : BOB_SYNC_VARIABLE;
		r->name = o.name;
		if (!strncmp(o.name, CRITICAL_PREFIX, strlen(CRITICAL_PREFIX)))
			r->name += strlen(CRITICAL_PREFIX);
		r->image = bob_trace_image(m->s->trace, m->process, o.image)->soname;
	} else {
		r->where = on_stack(m, object) ? BOB_SYNC_STACK : BOB_SYNC_ELSEWHERE;
	}
}

static void add_marks(struct marks *m, uint64_t object, uint64_t times)
{
	struct bob_sync_entry e = m->site;

	name_object(m, object, &e.pub);
	bob_sync_table_add(m->s, &e, m->thread, object, times);
}

/* The call site is the innermost place of the path: the call of the synchronisation function. */
static void set_site(struct marks *m, const struct bob_folded *f, uint32_t path, uint32_t kind)
{
	struct bob_sync_row *r = &m->site.pub;
	const struct bob_image_info *im;
	struct bob_source_line line;
	struct bob_function_info fn;
	uint32_t parent;
	uint64_t place;

	m->site = (struct bob_sync_entry){ .pub = { .kind = kind, .what = what_of(kind), .name = "",
					   .image = "", .process = m->process,
					   .site_image = NO_IMAGE },
				  .site_name = "", .file = "" };
	if (!f || !bob_folded_path(f, path, &parent, &place))
		return;
	bob_trace_place(m->s->trace, m->process, place, &r->site_image, &r->site);
	im = bob_trace_image(m->s->trace, m->process, r->site_image);
	if (!im) {
		r->site_image = NO_IMAGE;
		return;
	}
	m->site.site_name = im->soname;
	m->site.address = r->site;
	if (bob_trace_source(m->s->trace, m->process, r->site_image, r->site, &line) != BOB_OK ||
	    !line.line ||
	    bob_trace_function_at(m->s->trace, m->process, r->site_image, r->site, &fn) != BOB_OK)
		return;
	m->site.address = fn.addr;
	m->site.file = line.file;
	m->site.line = line.line;
}

/* --- folded threads --- */

/* Do trip counts of inner loops depend on the index of loop `d`? */
static int is_used(const struct bob_piece *p, uint32_t d)
{
	for (uint32_t i = 0; i < d; i++)
		if (p->grow[bob_piece_pair(i, d)])
			return 1;
	return 0;
}

/* Walks loop d - 1 and its inner loops at the given outer indices. Returns 0 if the budget is
 * exhausted. */
static int walk(struct marks *m, const struct bob_piece *p, uint32_t d, uint64_t *index,
		uint64_t value, uint64_t times)
{
	int64_t n;

	if (!m->budget)
		return 0;
	m->budget--;
	if (!d) {
		if (times)
			add_marks(m, value, times);
		return 1;
	}
	d--;
	n = (int64_t)p->count[d];
	for (uint32_t e = d + 1; e < p->dims; e++)
		n += (int64_t)(p->grow[bob_piece_pair(d, e)] * index[e]);
	if (n > 0 && !p->step[d] && !is_used(p, d)) {
		index[d] = 0;
		return walk(m, p, d, index, value, times * (uint64_t)n);
	}
	for (index[d] = 0; (int64_t)index[d] < n; index[d]++)
		if (!walk(m, p, d, index, value + index[d] * p->step[d], times))
			return 0;
	return 1;
}

static int walk_piece(void *ctx, const struct bob_piece *p)
{
	uint64_t index[BOB_PIECE_DIMS] = { 0 };
	struct marks *m = ctx;

	return !walk(m, p, p->dims, index, p->base, m->dry ? 0 : 1);
}

struct folded_thread {
	const struct bob_folded *f;
	uint32_t participant;
	uint64_t *shape, *loop;	/* counts of the part */
	uint8_t *is_sync;	/* by shape */
	uint32_t *kind;
};

static void free_folded(struct folded_thread *x)
{
	free(x->shape);
	free(x->loop);
	free(x->is_sync);
	free(x->kind);
}

static bob_status begin_folded(const struct bob_trace *t, uint32_t thread, struct folded_thread *x)
{
	uint32_t shapes;

	memset(x, 0, sizeof(*x));
	x->f = bob_trace_folded(t, thread, &x->participant);
	shapes = bob_folded_shapes(x->f);
	x->shape = calloc(shapes + 1u, sizeof(*x->shape));
	x->loop = calloc(bob_folded_loops(x->f) + 1u, sizeof(*x->loop));
	x->is_sync = calloc(shapes + 1u, 1);
	x->kind = calloc(shapes + 1u, sizeof(*x->kind));
	if (!x->shape || !x->loop || !x->is_sync || !x->kind) {
		free_folded(x);
		return BOB_ERR_NOMEM;
	}
	for (uint32_t i = 0; i < shapes; i++) {
		struct bob_leaf leaf;

		if (bob_trace_leaf(t, thread, i, &leaf, NULL, 0) != BOB_OK ||
		    leaf.kind != BOB_LEAF_SYNC)
			continue;
		x->is_sync[i] = 1;
		x->kind[i] = leaf.sync;
	}
	return BOB_OK;
}

/* Processes one part. `dry`: returns BOB_NONE if the objects of a leaf are not pieces, or too
 * many. */
static bob_status walk_part(struct marks *m, const struct folded_thread *x, uint32_t part)
{
	bob_status st = bob_folded_counts(x->f, x->participant, part, x->shape, x->loop);

	for (uint32_t i = 0; i < bob_folded_shapes(x->f) && st == BOB_OK; i++) {
		struct bob_fold_shape shape;
		int left = 0;

		if (!x->is_sync[i] || !x->shape[i])
			continue;
		bob_folded_shape(x->f, i, &shape);
		set_site(m, x->f, shape.path, x->kind[i]);
		m->budget = m->dry ? WALK_MAX : ~0ull;
		(void)bob_folded_pieces(x->f, x->participant, part, 2 * i, 0, walk_piece, m, &left);
		if (left || !m->budget)
			st = BOB_NONE;
	}
	return st;
}

/* BOB_NONE: the thread must be expanded; nothing was added. */
static bob_status add_folded(struct bob_sync_table *s, uint32_t thread,
			     const struct folded_thread *x)
{
	struct marks m = { .s = s, .thread = thread,
			   .process = bob_trace_thread(s->trace, thread)->process };
	uint32_t parts = bob_folded_parts(x->f, x->participant);
	bob_status st = BOB_OK;

	for (m.dry = 1; m.dry >= 0; m.dry--)
		for (uint32_t part = 0; part < parts && st == BOB_OK; part++)
			st = walk_part(&m, x, part);
	return st;
}

static bob_status expand_folded(struct bob_sync_table *s, uint32_t thread,
				const struct folded_thread *x)
{
	struct marks m = { .s = s, .thread = thread,
			   .process = bob_trace_thread(s->trace, thread)->process };
	struct bob_fold_event e;
	struct bob_fold_cursor *c;
	bob_status st = bob_fold_cursor_open(x->f, x->participant, &c);

	if (st != BOB_OK)
		return st;
	while ((st = bob_fold_cursor_next(c, &e)) == BOB_OK && !s->failed) {
		struct bob_fold_shape shape;

		if (!x->is_sync[e.shape])
			continue;
		bob_folded_shape(x->f, e.shape, &shape);
		set_site(&m, x->f, shape.path, x->kind[e.shape]);
		add_marks(&m, e.word[0], 1);
	}
	bob_fold_cursor_close(c);
	return st == BOB_END ? BOB_OK : st;
}

static bob_status add_raw(struct bob_sync_table *s, uint32_t thread, struct bob_error *err)
{
	struct marks m = { .s = s, .thread = thread,
			   .process = bob_trace_thread(s->trace, thread)->process };
	struct bob_access_cursor *c;
	struct bob_access none;
	bob_status st = bob_access_cursor_open(s->trace, thread, &c, err);
	size_t n;

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	bob_access_cursor_stop_at_syncs(c, 1);
	while ((st = bob_access_cursor_read(c, &none, 1, &n, err)) == BOB_NONE && !s->failed) {
		struct bob_sync_event e;

		bob_access_cursor_sync(c, &e);
		set_site(&m, NULL, 0, e.kind);
		add_marks(&m, e.object, 1);
	}
	bob_access_cursor_close(c);
	return st == BOB_END || s->failed ? BOB_OK : st;
}

static bob_status add_thread(struct bob_sync_table *s, uint32_t thread, struct bob_error *err)
{
	struct folded_thread x;
	bob_status st;

	if (!bob_trace_all_folded(s->trace, thread))
		return add_raw(s, thread, err);
	st = begin_folded(s->trace, thread, &x);
	if (st != BOB_OK)
		return st;
	st = add_folded(s, thread, &x);
	if (st == BOB_NONE)
		st = expand_folded(s, thread, &x);
	free_folded(&x);
	return st;
}

/* --- all threads --- */

bob_status bob_sync_table_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
				 struct bob_sync_table **out, struct bob_error *err)
{
	struct bob_sync_table *s = calloc(1, sizeof(*s));
	uint32_t all = bob_trace_thread_count(t);
	bob_status st = BOB_OK;

	if (!s)
		return BOB_ERR_NOMEM;
	s->trace = t;
	s->stack = calloc(all + 1u, sizeof(*s->stack));
	if (!s->stack)
		st = BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < all && st == BOB_OK; i++)
		bob_stack_range_of(t, i, &s->stack[i]);
	for (uint32_t i = 0; i < count && st == BOB_OK; i++) {
		st = add_thread(s, threads[i], err);
		st = s->failed ? BOB_ERR_NOMEM : st;
	}
	if (st == BOB_OK)
		st = bob_sync_table_finish(s);
	if (st != BOB_OK) {
		bob_sync_table_destroy(s);
		return st;
	}
	*out = s;
	return BOB_OK;
}

void bob_sync_table_destroy(struct bob_sync_table *s)
{
	if (!s)
		return;
	free(s->stack);
	BOB_MAP_FREE(&s->rows);
	BOB_MAP_FREE(&s->objects);
	free(s->sorted);
	free(s);
}

const struct bob_sync_row *bob_sync_table_rows(const struct bob_sync_table *s, size_t *count)
{
	*count = s->rows.count;
	return s->sorted;
}
