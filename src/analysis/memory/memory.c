/* SPDX-License-Identifier: BSD-3-Clause */
/* Every access of every leaf is looked at once: how often it comes is known from the loops' trip counts, where it
 * goes from its column's pieces. */
#include "analysis/memory/memory.h"

#include <stdlib.h>
#include <string.h>

#include "bobbin/fold.h"
#include "fold/piece.h"

#define PIECES_MAX 4096u	/* of a column that are looked at: more are irregular */
#define BATCH 4096u

struct span {
	uint64_t from, to;
	uint32_t row;
};

struct row {
	struct bob_memory_row pub;
	uint32_t next;		/* of the same slot, + 1 */
};

struct bob_memory {
	struct row *row;
	size_t count, room;
	uint32_t *slot;
	size_t slots;
	struct span *span;
	size_t span_count, span_room;
	struct bob_memory_row *sorted;
	const struct bob_trace *trace;
	enum bob_memory_by by;
	uint32_t process;	/* of the thread under way */
	int failed;
};

/* --- rows --- */

static uint64_t hash_of(const char *image, uint64_t addr)
{
	uint64_t h = addr * 0x9e3779b97f4a7c15u;

	for (; *image; image++)
		h = (h ^ (uint8_t)*image) * 0x100000001b3u;
	return h ^ h >> 32;
}

static void make_slots(struct bob_memory *m)
{
	size_t slots = m->slots ? m->slots * 2 : 1024;
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (!slot) {
		m->failed = 1;
		return;
	}
	free(m->slot);
	m->slot = slot;
	m->slots = slots;
	for (size_t i = 0; i < m->count; i++) {
		struct row *r = &m->row[i];
		uint32_t *s = &slot[hash_of(r->pub.image, r->pub.addr) & (slots - 1)];

		r->next = *s;
		*s = (uint32_t)i + 1;
	}
}

static void *grow(struct bob_memory *m, void *array, size_t count, size_t *room, size_t size)
{
	void *p;

	if (count < *room)
		return array;
	p = realloc(array, (*room * 2 + 64) * size);
	if (!p) {
		m->failed = 1;
		return NULL;
	}
	*room = *room * 2 + 64;
	return p;
}

/* The row of an instruction; ~0: no memory. */
static uint32_t row_of(struct bob_memory *m, uint32_t image, uint64_t pc)
{
	const struct bob_image_info *im = bob_trace_image(m->trace, m->process, image);
	struct bob_memory_row r = { .image = im ? im->soname : "", .function = "", .addr = pc };
	struct bob_function_info f;
	uint32_t i;
	void *p;

	if (im && bob_trace_function_at(m->trace, m->process, image, pc, &f) == BOB_OK) {
		r.function = f.name;
		r.addr = m->by == BOB_MEMORY_FUNCTION ? f.addr : pc;
		r.offset = r.addr - f.addr;
	} else if (m->by == BOB_MEMORY_FUNCTION) {
		r.addr = 0;
	}
	if (m->count >= m->slots)
		make_slots(m);
	if (m->failed)
		return ~0u;
	uint32_t *slot = &m->slot[hash_of(r.image, r.addr) & (m->slots - 1)];
	for (i = *slot; i; i = m->row[i - 1].next)
		if (m->row[i - 1].pub.addr == r.addr && !strcmp(m->row[i - 1].pub.image, r.image))
			return i - 1;
	p = grow(m, m->row, m->count, &m->room, sizeof(*m->row));
	if (!p)
		return ~0u;
	m->row = p;
	m->row[m->count] = (struct row){ r, *slot };
	*slot = (uint32_t)++m->count;
	return *slot - 1;
}

static void count(struct bob_memory_row *r, unsigned type, uint64_t times, unsigned size)
{
	if (type == BOB_ACCESS_LOAD)
		r->loads += times;
	else if (type == BOB_ACCESS_STORE)
		r->stores += times;
	else
		r->atomics += times;
	r->bytes += times * size;
}

/* --- where the accesses go --- */

struct spanning {
	struct bob_memory *m;
	const struct bob_leaf_access *a;
	uint32_t row, pieces;
};

/* From the lowest to the highest value. Counts that depend on other loops are taken at both ends of these. */
static int add_span(void *ctx, const struct bob_piece *p)
{
	struct spanning *s = ctx;
	struct bob_memory *m = s->m;
	uint64_t lo = p->base + (uint64_t)s->a->offset, hi = lo, last[BOB_PIECE_DIMS] = { 0 };

	for (uint32_t d = p->dims; d-- > 0;) {
		uint64_t n = p->count[d], most;

		for (uint32_t e = d + 1; e < p->dims; e++)
			if ((int64_t)p->grow[bob_piece_pair(d, e)] > 0)
				n += p->grow[bob_piece_pair(d, e)] * last[e];
		if ((int64_t)n <= 0)
			n = 1;
		last[d] = n - 1;
		most = p->step[d] * (n - 1);
		if ((int64_t)most < 0)
			lo += most;
		else
			hi += most;
	}
	void *spans = grow(m, m->span, m->span_count, &m->span_room, sizeof(*m->span));
	if (!spans)
		return 1;
	m->span = spans;
	m->span[m->span_count++] = (struct span){ lo, hi + s->a->size, s->row };
	return ++s->pieces == PIECES_MAX;
}

/* --- leaves --- */

struct thread {
	struct bob_memory *m;
	const struct bob_folded *folded;
	uint32_t thread, participant, part;
	uint64_t *shape, *loop;
};

static void add_access(struct thread *t, uint32_t shape, const struct bob_leaf *leaf,
		       const struct bob_leaf_access *a, uint64_t times)
{
	struct bob_memory *m = t->m;
	struct spanning s = { .m = m, .a = a, .row = row_of(m, leaf->image, a->pc) };
	int left = 0;

	if (s.row == ~0u)
		return;
	count(&m->row[s.row].pub, a->type, times, a->size);
	if (a->word == BOB_LEAF_NO_WORD) {
		const struct bob_piece at = { .base = 0 };

		add_span(&s, &at);
		return;
	}
	(void)bob_folded_pieces(t->folded, t->participant, t->part, shape * 2, a->word, add_span,
				&s, &left);
	if (left || s.pieces == PIECES_MAX)
		m->row[s.row].pub.irregular += times;
}

/* --- leaves that are loops --- */

/* A column: its only piece, and the sum of all values of regular ones. */
struct column {
	struct bob_piece piece;
	uint32_t pieces;
	int left;		/* there are irregular ones, too */
	uint64_t sum;
};

static int add_values(void *ctx, const struct bob_piece *p)
{
	struct column *c = ctx;
	struct bob_piece_walk w;
	bob_status st = bob_piece_begin(p, 0, 0, &w);

	for (; st == BOB_OK; st = bob_piece_next(p, 0, &w))
		c->sum += w.value;
	c->piece = *p;
	c->pieces++;
	return 0;
}

static void read_column(const struct thread *t, uint32_t shape, uint32_t word, struct column *c)
{
	memset(c, 0, sizeof(*c));
	(void)bob_folded_pieces(t->folded, t->participant, t->part, shape * 2, word, add_values, c,
				&c->left);
}

/* The addresses of an access of a loop, as one piece. 0: there is no such piece. */
static int add_loop_span(const struct thread *t, uint32_t shape, const struct bob_leaf *leaf,
			 const struct bob_leaf_access *a, const struct column *begin,
			 const struct column *end, struct spanning *s)
{
	struct column word, by = { .pieces = 1 };
	struct bob_piece all;

	read_column(t, shape, a->word, &word);
	if (a->step_word != BOB_LEAF_NO_WORD)
		read_column(t, shape, a->step_word, &by);
	if (word.pieces != 1 || begin->pieces != 1 || end->pieces != 1 || by.pieces != 1 ||
	    word.left || by.left ||
	    !bob_leaf_iterations(leaf, a, &word.piece, &begin->piece, &end->piece,
				 a->step_word == BOB_LEAF_NO_WORD ? NULL : &by.piece, &all))
		return 0;
	add_span(s, &all);
	return 1;
}

/* All runs of the loop together: each ends its counter where it ends. */
static void add_loop(struct thread *t, uint32_t shape, const struct bob_leaf *leaf,
		     const struct bob_leaf_access *a)
{
	struct bob_memory *m = t->m;
	struct column begin, end;
	uint64_t trips;

	read_column(t, shape, leaf->counter, &begin);
	read_column(t, shape, leaf->words, &end);
	trips = (uint64_t)((int64_t)(end.sum - begin.sum) / leaf->counter_step);
	for (uint32_t i = 0; i < leaf->accesses; i++) {
		struct spanning s = { .m = m, .a = &a[i], .row = row_of(m, leaf->image, a[i].pc) };
		const struct bob_piece at = { .base = 0 };

		if (s.row == ~0u)
			return;
		count(&m->row[s.row].pub, a[i].type, trips, a[i].size);
		if (a[i].word == BOB_LEAF_NO_WORD)
			add_span(&s, &at);
		else if (!add_loop_span(t, shape, leaf, &a[i], &begin, &end, &s))
			m->row[s.row].pub.expanded = 1;
	}
}

/* Does no run of the loop have a number of iterations without rule? */
static int is_regular(struct thread *t, uint32_t shape, const struct bob_leaf *leaf)
{
	struct column begin, end;
	int regular = 1;

	for (t->part = 0; t->part < bob_folded_parts(t->folded, t->participant); t->part++) {
		read_column(t, shape, leaf->counter, &begin);
		read_column(t, shape, leaf->words, &end);
		regular &= !begin.left && !end.left;
	}
	t->part = 0;
	return regular;
}

static bob_status add_leaf(struct thread *t, uint32_t shape)
{
	struct bob_leaf_access *a;
	struct bob_leaf leaf;
	bob_status st = bob_trace_leaf(t->m->trace, t->thread, shape, &leaf, NULL, 0);

	if (st != BOB_OK)
		return BOB_ERR_CORRUPT;
	a = calloc(leaf.accesses + 1, sizeof(*a));
	if (!a)
		return BOB_ERR_NOMEM;
	(void)bob_trace_leaf(t->m->trace, t->thread, shape, &leaf, a, leaf.accesses);
	if (leaf.kind == BOB_LEAF_LOOP)
		add_loop(t, shape, &leaf, a);
	for (uint32_t i = 0; i < leaf.accesses && leaf.kind != BOB_LEAF_LOOP; i++)
		add_access(t, shape, &leaf, &a[i], t->shape[shape]);
	free(a);
	return t->m->failed ? BOB_ERR_NOMEM : BOB_OK;
}

static bob_status add_part(struct thread *t)
{
	bob_status st = bob_folded_counts(t->folded, t->participant, t->part, t->shape, t->loop);

	for (uint32_t i = 0; i < bob_folded_shapes(t->folded) && st == BOB_OK; i++)
		if (t->shape[i])
			st = add_leaf(t, i);
	return st;
}

static bob_status add_folded(struct thread *t)
{
	bob_status st = BOB_ERR_NOMEM;

	t->shape = calloc(bob_folded_shapes(t->folded) + 1u, sizeof(*t->shape));
	t->loop = calloc(bob_folded_loops(t->folded) + 1u, sizeof(*t->loop));
	if (t->shape && t->loop)
		st = BOB_OK;
	for (; st == BOB_OK && t->part < bob_folded_parts(t->folded, t->participant); t->part++)
		st = add_part(t);
	free(t->shape);
	free(t->loop);
	return st;
}

/* Are there only leaves whose accesses can be counted without their values? */
static int is_plain(struct thread *t)
{
	struct bob_leaf_access *a = calloc(4096, sizeof(*a)); /* a leaf has at most so many */
	int plain = a != NULL;

	for (uint32_t i = 0; plain && i < bob_folded_shapes(t->folded); i++) {
		struct bob_leaf leaf;

		if (bob_trace_leaf(t->m->trace, t->thread, i, &leaf, a, 4096) != BOB_OK)
			continue; /* said when it is used */
		plain = leaf.kind == BOB_LEAF_BLOCK || leaf.kind == BOB_LEAF_MARK ||
			(leaf.kind == BOB_LEAF_LOOP && is_regular(t, i, &leaf));
		for (uint32_t k = 0; k < leaf.accesses && k < 4096; k++)
			plain &= !a[k].guarded;
	}
	free(a);
	return plain;
}

/* --- threads --- */

static bob_status expand(struct bob_memory *m, uint32_t thread, struct bob_error *err)
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
	while ((st = bob_access_cursor_read(c, a, BATCH, &n, err)) == BOB_OK)
		for (size_t i = 0; i < n; i++) {
			uint32_t row = row_of(m, a[i].image, a[i].pc);

			if (row == ~0u)
				break;
			count(&m->row[row].pub, a[i].type, 1, a[i].size);
			m->row[row].pub.expanded = 1;
		}
	bob_access_cursor_close(c);
	free(a);
	return m->failed ? BOB_ERR_NOMEM : st == BOB_END ? BOB_OK : st;
}

static bob_status add_thread(struct bob_memory *m, uint32_t thread, struct bob_error *err)
{
	struct thread t = { .m = m, .thread = thread };

	m->process = bob_trace_thread(m->trace, thread)->process;
	t.folded = bob_trace_folded(m->trace, thread, &t.participant);
	if (!t.folded || !bob_trace_all_folded(m->trace, thread) || !is_plain(&t))
		return expand(m, thread, err);
	return add_folded(&t);
}

/* --- the result --- */

static int by_row(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

static void add_spans(struct bob_memory *m)
{
	uint64_t end = 0;

	if (m->span_count)
		qsort(m->span, m->span_count, sizeof(*m->span), by_row);
	for (size_t i = 0; i < m->span_count; i++) {
		const struct span *s = &m->span[i];
		uint64_t from = s->from;

		if (!i || m->span[i - 1].row != s->row)
			end = 0;
		if (from < end)
			from = end;
		if (s->to > from) {
			m->row[s->row].pub.span += s->to - from;
			end = s->to;
		}
	}
}

static uint64_t all(const struct bob_memory_row *r)
{
	return r->loads + r->stores + r->atomics;
}

static int by_accesses(const void *a, const void *b)
{
	const struct bob_memory_row *x = a, *y = b;

	if (all(x) != all(y))
		return all(x) > all(y) ? -1 : 1;
	if (strcmp(x->image, y->image))
		return strcmp(x->image, y->image);
	return (x->addr > y->addr) - (x->addr < y->addr);
}

static bob_status sort_rows(struct bob_memory *m)
{
	m->sorted = calloc(m->count + 1, sizeof(*m->sorted));
	if (!m->sorted)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < m->count; i++)
		m->sorted[i] = m->row[i].pub;
	if (m->count)
		qsort(m->sorted, m->count, sizeof(*m->sorted), by_accesses);
	return BOB_OK;
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
	if (st == BOB_OK) {
		add_spans(m);
		st = sort_rows(m);
	}
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
	free(m->row);
	free(m->slot);
	free(m->span);
	free(m->sorted);
	free(m);
}

const struct bob_memory_row *bob_memory_rows(const struct bob_memory *m, size_t *count)
{
	*count = m->count;
	return m->sorted;
}
