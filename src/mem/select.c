/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters records by the addresses of their accesses. Hot path: a record without a selected access;
 * it costs a look-up of its piece by number, a comparison for each of its words and two for the
 * calls. A *piece* is a descriptor prepared for selection, created at its first record. Its *parts*
 * are the descriptors derived from it. Pieces and parts are looked up without a lock. */
#include "mem/select.h"

#include <string.h>

#include "mem/select_parts.h"

/* --- the open calls, followed as in fold.c --- */

static void pop(struct bob_mem_selector *s)
{
	uint64_t sp = s->call[--s->depth].sp;

	if (s->depth >= s->recorded)
		return;
	s->recorded = s->depth;
	s->over_sp = s->over && s->over_sp > sp ? s->over_sp : sp;
	s->over = 1;
}

static void leave(struct bob_mem_selector *s, uint64_t sp)
{
	while (s->depth && s->call[s->depth - 1].sp <= sp) {
		pop(s);
		s->returned = 1;
	}
}

/* Whether this piece follows the innermost call, whose callee was not recorded. */
static int goes_on(const struct bob_mem_selector *s, const struct bob_mem_desc *d)
{
	const struct bob_mem_desc *site = &s->call[s->depth - 1].piece->desc;

	return !s->returned && !(d->flow & BOB_MEM_ENTERS) && d->image == site->image &&
	       d->pc - (site->pc + site->last) - 1 < BOB_MEM_INSN_MAX;
}

static void follow(struct bob_mem_selector *s, const struct bob_mem_desc *d, const uint64_t *word)
{
	if (d->sp_word != BOB_MEM_NO_WORD)
		leave(s, word[d->sp_word] + (uint64_t)(int64_t)d->sp_begin);
	if (s->depth && goes_on(s, d))
		pop(s);
	s->returned = 0;
}

static void end_piece(struct bob_mem_selector *s, struct bob_mem_piece *p, const uint64_t *word)
{
	const struct bob_mem_desc *d = &p->desc;
	uint64_t sp;

	if (!(d->flow & (BOB_MEM_CALLS | BOB_MEM_RETURNS)))
		return;
	sp = word[d->sp_word] + (uint64_t)(int64_t)d->sp_end;
	if (!(d->flow & BOB_MEM_CALLS)) {
		leave(s, sp + 8);
	} else if (s->depth < BOB_MEM_FOLD_DEPTH) {
		s->call[s->depth].sp = sp;
		s->call[s->depth++].piece = p;
	}
}

/* --- selecting accesses --- */

static int happens(const struct bob_mem_access *a, const uint64_t *word)
{
	return a->guard == BOB_MEM_NO_WORD || word[a->guard] >> a->guard_bit & 1;
}

static uint64_t address(const struct bob_mem_piece *p, const struct bob_mem_access *a,
			const uint64_t *word)
{
	return (uint64_t)a->offset + (a->word == BOB_MEM_NO_WORD ? p->bias : word[a->word]);
}

static uint64_t count_happening(const struct bob_mem_piece *p, const uint64_t *word)
{
	uint64_t n = 0;

	if (!p->guarded)
		return p->desc.access_count;
	for (uint32_t i = 0; i < p->desc.access_count; i++)
		n += (uint64_t)happens(&p->desc.access[i], word);
	return n;
}

/* Whether any access may touch a box. */
static int may_touch(const struct bob_mem_piece *p, const struct bob_mem_boxes *b,
		     const uint64_t *word)
{
	for (uint32_t i = 0; i < p->groups; i++) {
		const struct bob_mem_group *g = &p->group[i];
		uint64_t lo = g->lo + (g->word == BOB_MEM_NO_WORD ? p->bias : word[g->word]);

		if (!bob_mem_boxes_miss(b, lo, lo + g->span))
			return 1;
	}
	return 0;
}

/* Select among the accesses of one block, or one iteration. */
static bob_status choose(struct bob_mem_selector *s, struct bob_mem_piece *p,
			 const struct bob_mem_boxes *b, const uint64_t *word)
{
	struct bob_mem_set set;

	bob_mem_set_clear(p, &set);
	for (uint32_t i = 0; i < p->desc.access_count; i++) {
		const struct bob_mem_access *a = &p->desc.access[i];
		uint64_t at;

		if (!happens(a, word))
			continue;
		if (s->again) {
			s->again--;
			continue;
		}
		at = address(p, a, word);
		if (bob_mem_boxes_touch(b, bob_mem_boxes_above(b, at), at, a->size))
			bob_mem_set_add(&set, i);
		else
			s->outside++;
	}
	return bob_mem_put_block(s, p, &set, word);
}

static bob_status take_once(struct bob_mem_selector *s, struct bob_mem_piece *p,
			    const struct bob_mem_boxes *b, const uint64_t *word)
{
	if (s->again || may_touch(p, b, word))
		return choose(s, p, b, word);
	s->outside += count_happening(p, word);
	return BOB_OK;
}

/* --- loops --- */

/* Whether an access whose word has a constant step may touch a box in one of n iterations. */
static int may_touch_stepping(const struct bob_mem_piece *p, const struct bob_mem_boxes *b,
			      const uint64_t *word, uint64_t n)
{
	for (uint32_t i = 0; i < p->even_groups; i++) {
		const struct bob_mem_group *g = &p->group[i];
		uint64_t lo, step, way;

		lo = g->lo + (g->word == BOB_MEM_NO_WORD ? p->bias : word[g->word]);
		step = g->word == BOB_MEM_NO_WORD ? 0 : bob_mem_step_of(&p->desc, g->word, word);
		if (__builtin_mul_overflow((int64_t)step, (int64_t)(n - 1), (int64_t *)&way))
			return 1;
		if ((int64_t)way < 0)
			lo += way, way = -way;
		if (!bob_mem_boxes_miss(b, lo, lo + way + g->span))
			return 1;
	}
	return 0;
}

/* The number of iterations until an access enters or leaves the boxes. `x` is its current address;
 * it moves by `step`, and n iterations are left. *in: whether it touches a box now. */
static uint64_t same_for(const struct bob_mem_boxes *b, uint64_t x, uint16_t size, uint64_t step,
			 uint64_t n, int *in)
{
	uint32_t k = bob_mem_boxes_above(b, x); /* the first box that ends after x */
	int up = (int64_t)step > 0;
	uint64_t by = up ? step : -step, way, last = (n - 1) * by;

	*in = bob_mem_boxes_touch(b, k, x, size);
	if (!step)
		return n;
	if ((int64_t)x < 0) /* not an address of a program; may wrap around */
		return 1;
	if (up) {
		if (!*in && k == b->count)
			return n;
		way = *in ? b->box[k].hi - x : b->box[k].lo - size + 1 - x;
	} else if (*in) {
		while (bob_mem_boxes_touch(b, k + 1, x, size))
			k++;	/* the last box that it touches */
		way = x - (b->box[k].lo - size);
	} else {
		if (!k)
			return n;
		way = x - (b->box[k - 1].hi - 1);
	}
	if (last < way) /* the usual case, without a division */
		return n;
	way = way / by + (way % by != 0);
	return way < n ? way : n;
}

/* Select the accesses of iteration `at`. Returns for how many iterations, at most n, the selection
 * is the same. */
static uint64_t choose_run(const struct bob_mem_piece *p, const struct bob_mem_boxes *b,
			   const uint64_t *word, uint64_t at, uint64_t n, struct bob_mem_set *set)
{
	bob_mem_set_clear(p, set);
	for (uint32_t i = 0; i < p->desc.access_count; i++) {
		const struct bob_mem_access *a = &p->desc.access[i];
		uint64_t step =
			a->word == BOB_MEM_NO_WORD ? 0 : bob_mem_step_of(&p->desc, a->word, word);
		int in;

		if (!happens(a, word)) /* guards of loops without payload are constant */
			continue;
		n = same_for(b, address(p, a, word) + at * step, a->size, step, n, &in);
		if (in)
			bob_mem_set_add(set, i);
	}
	return n;
}

/* Iterations until `again` is used up: all of them whole except the last. *done is their number. */
static bob_status take_again(struct bob_mem_selector *s, struct bob_mem_piece *p,
			     const struct bob_mem_boxes *b, const uint64_t *word, uint64_t each,
			     uint64_t n, uint64_t *done)
{
	uint64_t at[BOB_MEM_WORDS_MAX], whole = s->again / each;
	bob_status st = BOB_OK;

	if (whole > n)
		whole = n;
	s->again -= whole * each;
	*done = whole;
	if (s->again && whole < n) {
		bob_mem_words_at(p, word, whole, at);
		st = choose(s, p, b, at);
		++*done;
	}
	return st;
}

/* The trip count of the loop. */
static bob_status count_trips(const struct bob_mem_piece *p, const uint64_t *word, uint64_t *n)
{
	const struct bob_mem_desc *d = &p->desc;
	uint64_t way = word[d->words] - word[d->counter];

	if (d->step[d->counter].constant < 0)
		way = -way;
	if (p->shift < 64) {
		*n = way >> p->shift;
		way &= (1ull << p->shift) - 1;
	} else {
		*n = way / p->unit;
		way %= p->unit;
	}
	return way || *n > BOB_MEM_TRIPS_MAX ? BOB_ERR_CORRUPT : BOB_OK;
}

static bob_status take_loop(struct bob_mem_selector *s, struct bob_mem_piece *p,
			    const struct bob_mem_boxes *b, const uint64_t *word)
{
	struct bob_mem_set set[2];
	uint64_t each = count_happening(p, word), at = 0, first, from, inside, n;
	bob_status st = count_trips(p, word, &n);
	int now = 0;

	if (st != BOB_OK || !n || !each)
		return st;
	if (s->again)
		st = take_again(s, p, b, word, each, n, &at);
	if (at == n || st != BOB_OK)
		return st;
	first = from = at;
	inside = s->inside;
	if (!may_touch_stepping(p, b, word, n))
		at = from = n;
	while (at < n && st == BOB_OK) {
		uint64_t same = choose_run(p, b, word, at, n - at, &set[now]);

		if (at != from && !bob_mem_set_equal(p, &set[now], &set[!now])) {
			st = bob_mem_put_loop(s, p, &set[!now], word, from, at - from);
			from = at;
		}
		at += same;
		now = !now;
	}
	if (from != at && st == BOB_OK)
		st = bob_mem_put_loop(s, p, &set[!now], word, from, at - from);
	s->outside += (at - first) * each - (s->inside - inside);
	return st;
}

/* Whether an access that depends on this iteration's payload may touch a box. */
static int payload_may_touch(const struct bob_mem_piece *p, const struct bob_mem_boxes *b,
			     const uint64_t *payload)
{
	for (uint32_t i = p->even_groups; i < p->groups; i++) {
		const struct bob_mem_group *g = &p->group[i];
		uint64_t lo = g->lo + payload[g->word - p->desc.words];

		if (!bob_mem_boxes_miss(b, lo, lo + g->span))
			return 1;
	}
	return 0;
}

static bob_status take_payload(struct bob_mem_selector *s, struct bob_mem_piece *p,
			       const struct bob_mem_boxes *b, const uint64_t *word, size_t count)
{
	const uint64_t *payload = word + p->desc.words;
	uint64_t at[BOB_MEM_WORDS_MAX], n = (count - p->desc.words) / p->desc.payload;
	int even = n && !p->guarded && !s->again && !may_touch_stepping(p, b, word, n);
	bob_status st = BOB_OK;

	for (uint64_t i = 0; i < n && st == BOB_OK; i++, payload += p->desc.payload) {
		if (even && !payload_may_touch(p, b, payload)) {
			s->outside += p->desc.access_count;
			continue;
		}
		bob_mem_words_at(p, word, i, at);
		memcpy(at + p->desc.words, payload, p->desc.payload * sizeof(*payload));
		st = take_once(s, p, b, at);
	}
	return st;
}

/* --- records --- */

static bob_status take(struct bob_mem_selector *s, struct bob_mem_piece *p,
		       const struct bob_mem_boxes *b, uint32_t number, const uint64_t *word,
		       size_t count)
{
	bob_status st;

	if (p->desc.kind == BOB_MEM_MARK) {
		s->returned = 0;
		return bob_mem_put_mark(s, &p->desc, number, word);
	}
	follow(s, &p->desc, word);
	st = p->desc.kind == BOB_MEM_BLOCK ? take_once(s, p, b, word) :
	     p->desc.payload		   ? take_payload(s, p, b, word, count) :
					     take_loop(s, p, b, word);
	end_piece(s, p, word);
	return st;
}

/* Skip a block that touches no box and does not change the open calls. Returns the words of its
 * record, header included, or 0 if it must take the slow path. */
static size_t pass_block(struct bob_mem_selector *s, const struct bob_mem_boxes *b,
			 const uint64_t *at, const uint64_t *end)
{
	const uint32_t number = (uint32_t)*at & BOB_MEM_NUMBER;
	const struct bob_mem_piece *p = bob_mem_select_known(s->of, number);
	const uint64_t *word = at + 1;

	if (!(*at & BOB_MEM_HEADER) || !p || !p->plain || (size_t)(end - at) <= p->desc.words)
		return 0;
	for (uint32_t i = 0; i < p->groups; i++) {
		const struct bob_mem_group *g = &p->group[i];
		uint64_t lo = g->lo + (g->word == BOB_MEM_NO_WORD ? p->bias : word[g->word]);

		if (b->count && lo - b->box[0].lo + g->span - 1 <
					b->box[b->count - 1].hi - b->box[0].lo + g->span - 1)
			return 0; /* between the first box and the last one */
	}
	if (s->depth && (goes_on(s, &p->desc) ||
			 (p->desc.sp_word != BOB_MEM_NO_WORD &&
			  s->call[s->depth - 1].sp <=
				  word[p->desc.sp_word] + (uint64_t)(int64_t)p->desc.sp_begin)))
		return 0;
	s->returned = 0;
	s->outside += p->desc.access_count;
	return 1u + p->desc.words;
}

bob_status bob_mem_select_put(struct bob_mem_selector *s, const uint64_t *record, size_t count,
			      int open, size_t *used)
{
	const struct bob_mem_boxes *b = __atomic_load_n(&s->of->boxes, __ATOMIC_ACQUIRE);
	const uint64_t *at = record, *end = record + count;
	bob_status st = BOB_OK;

	for (;;) {
		uint32_t number;
		struct bob_mem_piece *p;
		size_t words = 1;

		while (at != end && !s->again && words && st == BOB_OK) {
			words = pass_block(s, b, at, end);
			at += words;
		}
		*used = (size_t)(at - record);
		if (st != BOB_OK || at == end || (open && !*at))
			return st;
		if (!(*at & BOB_MEM_HEADER))
			return BOB_ERR_CORRUPT;
		number = (uint32_t)*at & BOB_MEM_NUMBER;
		st = bob_mem_select_piece(s->of, number, &p);
		if (st != BOB_OK)
			return st;
		st = bob_mem_record_count(&p->desc, at + 1, (size_t)(end - at) - 1, open, &words);
		if (st != BOB_OK)
			return st;
		st = take(s, p, b, number, at + 1, words);
		at += 1 + words;
	}
}
