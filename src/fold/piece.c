/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking, comparing and joining pieces. The walk keeps one value per loop, so that a carry adds
 * one step and does not multiply; counts are recomputed only where an outer loop moved. */
#include "fold/piece.h"

#include <string.h>

#include "base/varint.h"

#define SUM_ROWS_MAX (1u << 28)

static uint64_t count_at(const struct bob_piece *p, unsigned d, const uint64_t *idx)
{
	uint64_t n = p->count[d];

	for (unsigned e = d + 1; e < p->dims; e++)
		n += p->grow[bob_piece_pair(d, e)] * idx[e];
	return n;
}

static int is_empty(uint64_t count)
{
	return (int64_t)count <= 0;
}

/* Starts all loops inside `from`. Returns the outermost one that is empty, or -1. */
static int enter(const struct bob_piece *p, unsigned from, struct bob_piece_walk *w)
{
	for (unsigned d = from; d-- > 0;) {
		w->idx[d] = 0;
		w->at[d] = w->at[d + 1];
		w->limit[d] = count_at(p, d, w->idx);
		if (is_empty(w->limit[d]))
			return (int)d;
	}
	w->value = w->at[0];
	w->left = w->limit[0];
	return -1;
}

/* Advances loop `d`, not the innermost, or an outer loop if it has ended. */
static bob_status move(const struct bob_piece *p, unsigned d, int open, struct bob_piece_walk *w)
{
	for (unsigned empty = 0; empty <= BOB_PIECE_EMPTY_MAX; empty++) {
		for (;; d++) {
			if (d == p->dims)
				return BOB_END;
			w->idx[d]++;
			w->at[d] += p->step[d];
			if (w->idx[d] < w->limit[d] || (open && d == p->dims - 1))
				break;
		}
		int stuck = enter(p, d, w);
		if (stuck < 0)
			return BOB_OK;
		w->empty++;
		d = (unsigned)stuck + 1;
	}
	return BOB_END;
}

bob_status bob_piece_begin(const struct bob_piece *p, uint64_t from, int open,
			   struct bob_piece_walk *w)
{
	unsigned top = p->dims - 1;

	w->empty = 0;
	if (!p->dims) {
		w->value = p->base;
		w->left = 1;
		return from || open ? BOB_END : BOB_OK;
	}
	w->limit[top] = p->count[top];
	w->idx[top] = from;
	w->at[top] = p->base + from * p->step[top];
	if (!open && (is_empty(w->limit[top]) || from >= w->limit[top]))
		return BOB_END;
	if (!top) {
		w->value = w->at[0];
		if (open)
			w->limit[0] = UINT64_MAX;
		w->left = w->limit[0] - from;
		return BOB_OK;
	}
	int stuck = enter(p, top, w);
	if (stuck < 0)
		return BOB_OK;
	w->empty++;
	return move(p, (unsigned)stuck + 1, open, w);
}

bob_status bob_piece_carry(const struct bob_piece *p, int open, struct bob_piece_walk *w)
{
	return p->dims > 1 ? move(p, 1, open, w) : BOB_END;
}

void bob_piece_iteration(const struct bob_piece *p, uint64_t idx, struct bob_piece *out)
{
	unsigned top = p->dims - 1;

	*out = *p;
	out->dims = top;
	out->base += idx * p->step[top];
	for (unsigned d = 0; d < top; d++)
		out->count[d] += p->grow[bob_piece_pair(d, top)] * idx;
}

static int is_single(const struct bob_piece *p, unsigned d)
{
	uint64_t grows = 0;

	for (unsigned e = d + 1; e < p->dims; e++)
		grows |= p->grow[bob_piece_pair(d, e)];
	return p->count[d] == 1 && !grows;
}

static void remove_loop(struct bob_piece *p, unsigned d)
{
	p->dims--;
	for (unsigned e = d; e < p->dims; e++) {
		p->count[e] = p->count[e + 1];
		p->step[e] = p->step[e + 1];
	}
	for (unsigned e = d; e < p->dims; e++)
		for (unsigned f = 0; f < e; f++)
			p->grow[bob_piece_pair(f, e)] =
				p->grow[bob_piece_pair(f < d ? f : f + 1, e + 1)];
}

void bob_piece_squeeze(struct bob_piece *p)
{
	for (unsigned d = p->dims; d-- > 0;)
		if (is_single(p, d))
			remove_loop(p, d);
}

static int same_steps(const struct bob_piece *a, const struct bob_piece *b)
{
	unsigned n = a->dims;

	return n == b->dims && !memcmp(a->step, b->step, n * sizeof(a->step[0])) &&
	       !memcmp(a->grow, b->grow, bob_piece_pair(0, n) * sizeof(a->grow[0]));
}

int bob_piece_equal(const struct bob_piece *a, const struct bob_piece *b)
{
	return a->base == b->base && same_steps(a, b) &&
	       !memcmp(a->count, b->count, a->dims * sizeof(a->count[0]));
}

int bob_piece_join(const struct bob_piece *a, const struct bob_piece *b, const struct bob_piece *c,
		   struct bob_piece *out)
{
	unsigned n = a->dims;

	if (n == BOB_PIECE_DIMS || b->base - a->base != c->base - b->base || !same_steps(a, b) ||
	    !same_steps(b, c))
		return 0;
	for (unsigned d = 0; d < n; d++)
		if (b->count[d] - a->count[d] != c->count[d] - b->count[d])
			return 0;
	*out = *a;
	out->dims = n + 1;
	out->count[n] = 3;
	out->step[n] = b->base - a->base;
	for (unsigned d = 0; d < n; d++)
		out->grow[bob_piece_pair(d, n)] = b->count[d] - a->count[d];
	return 1;
}

int bob_piece_part(const struct bob_piece *p, const struct bob_piece_walk *w, unsigned d,
		   struct bob_piece *out)
{
	uint64_t count = d ? w->idx[d] : bob_piece_inner(p, w);
	struct bob_piece_walk first;

	if (!count)
		return 0;
	*out = *p;
	out->dims = count == 1 ? d : d + 1; /* one iteration needs no loop */
	out->base = w->at[d + 1];
	for (unsigned e = 0; e < d; e++)
		for (unsigned f = d + 1; f < p->dims; f++)
			out->count[e] += p->grow[bob_piece_pair(e, f)] * w->idx[f];
	out->count[d] = count;
	/* all inner loops may have been empty */
	return bob_piece_begin(out, 0, 0, &first) == BOB_OK;
}

/* --- sums --- */

/* n (n - 1) / 2, modulo 2^64 */
static uint64_t triangle(uint64_t n)
{
	return n & 1 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
}

struct summing {
	const struct bob_piece *p;
	uint64_t idx[BOB_PIECE_DIMS];
	uint64_t left;		/* budget of rows */
};

/* Sum of the values of all loops inside `d`. `base`: value at their first iteration. A loop on
 * which no inner count depends is summed in closed form. */
static uint64_t sum_below(struct summing *s, unsigned d, uint64_t base, uint64_t *values)
{
	const struct bob_piece *p = s->p;
	uint64_t n, sum = 0, inner, grows = 0;

	*values = 1;
	if (!d)
		return base;
	n = count_at(p, --d, s->idx);
	*values = 0;
	if (is_empty(n))
		return 0;
	for (unsigned e = 0; e < d; e++)
		grows |= p->grow[bob_piece_pair(e, d)];
	s->idx[d] = 0;
	if (!grows) {
		sum = sum_below(s, d, base, &inner);
		*values = inner * n;
		return sum * n + inner * p->step[d] * triangle(n);
	}
	for (; s->idx[d] < n && s->left; s->idx[d]++, s->left--) {
		sum += sum_below(s, d, base + s->idx[d] * p->step[d], &inner);
		*values += inner;
	}
	return sum;
}

bob_status bob_piece_sum(const struct bob_piece *p, uint64_t *sum)
{
	struct summing s = { .p = p, .left = SUM_ROWS_MAX };
	uint64_t values;

	*sum = sum_below(&s, p->dims, p->base, &values);
	return s.left ? BOB_OK : BOB_ERR_CORRUPT;
}

/* --- bytes --- */

size_t bob_piece_put(const struct bob_piece *p, uint64_t before, uint8_t *bytes)
{
	unsigned pairs = bob_piece_pair(0, p->dims);
	uint64_t triangular = 0;
	size_t n = 0;

	for (unsigned i = 0; i < pairs; i++)
		triangular |= (uint64_t)(p->grow[i] != 0) << i;
	bytes[n++] = (uint8_t)(p->dims | (triangular ? 8u : 0u));
	n += bob_varint_put(bytes + n, bob_zigzag((int64_t)(p->base - before)));
	for (unsigned d = 0; d < p->dims; d++) {
		n += bob_varint_put(bytes + n, bob_zigzag((int64_t)p->count[d]));
		n += bob_varint_put(bytes + n, bob_zigzag((int64_t)p->step[d]));
	}
	if (triangular)
		n += bob_varint_put(bytes + n, triangular);
	for (unsigned i = 0; i < pairs; i++)
		if (p->grow[i])
			n += bob_varint_put(bytes + n, bob_zigzag((int64_t)p->grow[i]));
	return n;
}

static bob_status get_signed(const uint8_t **at, const uint8_t *end, uint64_t *v)
{
	bob_status st = bob_varint_get(at, end, v);

	*v = (uint64_t)bob_unzigzag(*v);
	return st;
}

bob_status bob_piece_get(const uint8_t **at, const uint8_t *end, uint64_t before,
			 struct bob_piece *p)
{
	const uint8_t *q = *at;
	uint64_t triangular = 0;
	unsigned dims, pairs;

	if (q == end || *q > (8 | BOB_PIECE_DIMS) || (*q & 7) > BOB_PIECE_DIMS)
		return BOB_ERR_CORRUPT;
	dims = *q & 7;
	pairs = bob_piece_pair(0, dims);
	memset(p, 0, sizeof(*p));
	p->dims = dims;
	int has_grow = *q++ >> 3;
	if (get_signed(&q, end, &p->base))
		return BOB_ERR_CORRUPT;
	p->base += before;
	for (unsigned d = 0; d < dims; d++)
		if (get_signed(&q, end, &p->count[d]) || get_signed(&q, end, &p->step[d]))
			return BOB_ERR_CORRUPT;
	if (has_grow &&
	    (bob_varint_get(&q, end, &triangular) || !triangular || triangular >> pairs))
		return BOB_ERR_CORRUPT;
	for (unsigned i = 0; i < pairs; i++)
		if (triangular >> i & 1 && get_signed(&q, end, &p->grow[i]))
			return BOB_ERR_CORRUPT;
	*at = q;
	return BOB_OK;
}
