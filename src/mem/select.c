/* SPDX-License-Identifier: BSD-3-Clause */
/* Records through a selection. The hot path is a record of which nothing is chosen: its piece by number, a comparison for each of
 * its words, two for the calls. A *piece* is a descriptor as it is needed here, made when its first record comes;
 * its *parts* are the descriptors that records of it became. Pieces and parts are found without a lock. */
#include "mem/select.h"

#include <string.h>

#include "mem/select_parts.h"

/* --- calls: as fold.c follows them --- */

static void pop(struct bob_mem_selector *s)
{
	uint64_t sp = s->call[--s->depth].sp;

	if (s->depth >= s->told)
		return;
	s->told = s->depth;
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

/* The newest call was to code that is not recorded, and this is what comes behind it. */
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

/* --- writing --- */

static bob_status write_header(uint64_t *to, uint32_t number)
{
	/* the header comes last: with it the record is there */
	__atomic_store_n(to, BOB_MEM_HEADER | number, __ATOMIC_RELEASE);
	return BOB_OK;
}

static bob_status put_one(struct bob_mem_selector *s, uint32_t number, uint64_t word)
{
	uint64_t *to = number ? s->room(s->ctx, 2) : NULL;

	if (!to)
		return BOB_ERR_FULL;
	to[1] = word;
	return write_header(to, number);
}

/* Calls that have come and gone since they were told last. */
static bob_status tell_calls(struct bob_mem_selector *s)
{
	bob_status st = BOB_OK;

	if (s->over)
		st = put_one(s, bob_mem_select_back(s->of), s->over_sp);
	s->over = 0;
	for (; s->told < s->depth && st == BOB_OK; s->told++)
		st = put_one(s, bob_mem_select_call(s->of, s->call[s->told].piece),
			     s->call[s->told].sp);
	return st;
}

static bob_status put_mark(struct bob_mem_selector *s, const struct bob_mem_desc *d,
			   uint32_t number, const uint64_t *word)
{
	bob_status st;
	uint64_t *to;

	if (d->mark == BOB_MEM_AGAIN) {
		s->again += word[0];
		return BOB_OK;
	}
	st = tell_calls(s);
	if (st != BOB_OK)
		return st;
	to = s->room(s->ctx, 1u + d->words);
	if (!to)
		return BOB_ERR_FULL;
	memcpy(to + 1, word, d->words * sizeof(*word));
	return write_header(to, number);
}

static uint64_t step_of(const struct bob_mem_desc *d, uint32_t w, const uint64_t *word)
{
	const struct bob_mem_step *s = &d->step[w];
	uint64_t step = (uint64_t)s->constant;

	return s->word == BOB_MEM_NO_WORD ? step : step + s->scale * word[s->word];
}

/* `word`: those of the iteration. */
static bob_status put_part(struct bob_mem_selector *s, const struct bob_mem_part *part,
			   const uint64_t *word)
{
	bob_status st = tell_calls(s);
	uint64_t *to = st == BOB_OK ? s->room(s->ctx, 1u + part->words) : NULL;

	if (!to)
		return BOB_ERR_FULL;
	for (uint32_t i = 0; i < part->words; i++)
		to[1 + i] = word[part->from[i]];
	return write_header(to, part->number);
}

/* Each by itself: where there are too many sets of accesses. */
static bob_status put_apart(struct bob_mem_selector *s, struct bob_mem_piece *p,
			    const struct bob_mem_set *set, const uint64_t *word)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < p->desc.access_count && st == BOB_OK; i++) {
		const struct bob_mem_part *part;
		struct bob_mem_set one;

		if (!bob_mem_set_has(set, i))
			continue;
		bob_mem_set_clear(p, &one);
		bob_mem_set_add(&one, i);
		part = bob_mem_select_part(s->of, p, BOB_MEM_BLOCK, &one, 1);
		st = part ? put_part(s, part, word) : BOB_ERR_FULL;
	}
	return st;
}

/* These accesses once. */
static bob_status put_block(struct bob_mem_selector *s, struct bob_mem_piece *p,
			    const struct bob_mem_set *set, const uint64_t *word)
{
	const struct bob_mem_part *part;

	if (!set->count)
		return BOB_OK;
	s->inside += set->count;
	part = bob_mem_select_part(s->of, p, BOB_MEM_BLOCK, set, 0);
	return part ? put_part(s, part, word) : put_apart(s, p, set, word);
}

static void words_at(const struct bob_mem_piece *p, const uint64_t *word, uint64_t i, uint64_t *to)
{
	for (uint32_t w = 0; w < p->desc.words; w++)
		to[w] = word[w] + i * step_of(&p->desc, w, word);
}

/* These accesses in `count` iterations from `first` on. */
static bob_status put_loop(struct bob_mem_selector *s, struct bob_mem_piece *p,
			   const struct bob_mem_set *set, const uint64_t *word, uint64_t first,
			   uint64_t count)
{
	const struct bob_mem_part *part;
	uint64_t at[BOB_MEM_WORDS_MAX];
	bob_status st;
	uint64_t *to;

	if (!set->count || !count)
		return BOB_OK;
	part = bob_mem_select_part(s->of, p, BOB_MEM_LOOP, set, 0);
	if (!part) {
		st = BOB_OK;
		for (uint64_t i = 0; i < count && st == BOB_OK; i++) {
			words_at(p, word, first + i, at);
			s->inside += set->count;
			st = put_apart(s, p, set, at);
		}
		return st;
	}
	st = tell_calls(s);
	to = st == BOB_OK ? s->room(s->ctx, 2u + part->words) : NULL;
	if (!to)
		return BOB_ERR_FULL;
	s->inside += count * set->count;
	for (uint32_t i = 0; i < part->words; i++) {
		uint64_t step = step_of(&p->desc, part->from[i], word);

		to[1 + i] = word[part->from[i]] + first * step;
	}
	to[1 + part->words] =
		word[p->desc.counter] + (first + count) * step_of(&p->desc, p->desc.counter, word);
	return write_header(to, part->number);
}

/* --- what is chosen --- */

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

/* May any access be in a box? */
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

/* One block, or one iteration, in which not all is outside. */
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
	return put_block(s, p, &set, word);
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

/* May any access of the words that step evenly be in a box in one of n iterations? */
static int may_touch_stepping(const struct bob_mem_piece *p, const struct bob_mem_boxes *b,
			      const uint64_t *word, uint64_t n)
{
	for (uint32_t i = 0; i < p->even_groups; i++) {
		const struct bob_mem_group *g = &p->group[i];
		uint64_t lo, step, way;

		lo = g->lo + (g->word == BOB_MEM_NO_WORD ? p->bias : word[g->word]);
		step = g->word == BOB_MEM_NO_WORD ? 0 : step_of(&p->desc, g->word, word);
		if (__builtin_mul_overflow((int64_t)step, (int64_t)(n - 1), (int64_t *)&way))
			return 1;
		if ((int64_t)way < 0)
			lo += way, way = -way;
		if (!bob_mem_boxes_miss(b, lo, lo + way + g->span))
			return 1;
	}
	return 0;
}

/* In how many iterations is it otherwise? `x`: where the access is now, stepping by `step`, n iterations from the end. */
static uint64_t same_for(const struct bob_mem_boxes *b, uint64_t x, uint16_t size, uint64_t step,
			 uint64_t n, int *in)
{
	uint32_t k = bob_mem_boxes_above(b, x); /* the first that ends behind x */
	int up = (int64_t)step > 0;
	uint64_t by = up ? step : -step, way;

	*in = bob_mem_boxes_touch(b, k, x, size);
	if (!step)
		return n;
	if ((int64_t)x < 0) /* no program's; it may wrap around */
		return 1;
	if (up) {
		if (!*in && k == b->count)
			return n;
		way = *in ? b->box[k].hi - x : b->box[k].lo - size + 1 - x;
	} else if (*in) {
		while (bob_mem_boxes_touch(b, k + 1, x, size))
			k++;	/* the last one it touches */
		way = x - (b->box[k].lo - size);
	} else {
		if (!k)
			return n;
		way = x - (b->box[k - 1].hi - 1);
	}
	way = way / by + (way % by != 0);
	return way < n ? way : n;
}

/* What is chosen in iteration `at`; how many iterations it is the same, `n` at most. */
static uint64_t choose_run(const struct bob_mem_piece *p, const struct bob_mem_boxes *b,
			   const uint64_t *word, uint64_t at, uint64_t n, struct bob_mem_set *set)
{
	bob_mem_set_clear(p, set);
	for (uint32_t i = 0; i < p->desc.access_count; i++) {
		const struct bob_mem_access *a = &p->desc.access[i];
		uint64_t step = a->word == BOB_MEM_NO_WORD ? 0 : step_of(&p->desc, a->word, word);
		int in;

		if (!happens(a, word)) /* guards of such loops stand still */
			continue;
		n = same_for(b, address(p, a, word) + at * step, a->size, step, n, &in);
		if (in)
			bob_mem_set_add(set, i);
	}
	return n;
}

/* Iterations up to where `again` is over: all but the last of them as a whole. Returns how many. */
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
		words_at(p, word, whole, at);
		st = choose(s, p, b, at);
		++*done;
	}
	return st;
}

static bob_status take_loop(struct bob_mem_selector *s, struct bob_mem_piece *p,
			    const struct bob_mem_boxes *b, const uint64_t *word, size_t count)
{
	struct bob_mem_set set[2];
	uint64_t each = count_happening(p, word), at = 0, first, from, inside;
	struct bob_mem_walk w;
	bob_status st = bob_mem_walk_begin(&w, &p->desc, word, count, p->bias);
	int now = 0;

	if (st != BOB_OK || !w.iterations || !each)
		return st;
	if (s->again)
		st = take_again(s, p, b, word, each, w.iterations, &at);
	if (at == w.iterations || st != BOB_OK)
		return st;
	first = from = at;
	inside = s->inside;
	if (!may_touch_stepping(p, b, word, w.iterations))
		at = from = w.iterations;
	while (at < w.iterations && st == BOB_OK) {
		uint64_t same = choose_run(p, b, word, at, w.iterations - at, &set[now]);

		if (at != from && !bob_mem_set_equal(p, &set[now], &set[!now])) {
			st = put_loop(s, p, &set[!now], word, from, at - from);
			from = at;
		}
		at += same;
		now = !now;
	}
	if (from != at && st == BOB_OK)
		st = put_loop(s, p, &set[!now], word, from, at - from);
	s->outside += (at - first) * each - (s->inside - inside);
	return st;
}

/* May an access of this iteration's payload be in a box? */
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
		words_at(p, word, i, at);
		memcpy(at + p->desc.words, payload, p->desc.payload * sizeof(*payload));
		st = take_once(s, p, b, at);
	}
	return st;
}

/* --- records --- */

static bob_status take(struct bob_mem_selector *s, struct bob_mem_piece *p, uint32_t number,
		       const uint64_t *word, size_t count)
{
	const struct bob_mem_boxes *b = __atomic_load_n(&s->of->boxes, __ATOMIC_ACQUIRE);
	bob_status st;

	if (p->desc.kind == BOB_MEM_MARK) {
		s->returned = 0;
		return put_mark(s, &p->desc, number, word);
	}
	follow(s, &p->desc, word);
	st = p->desc.kind == BOB_MEM_BLOCK ? take_once(s, p, b, word) :
	     p->desc.payload		   ? take_payload(s, p, b, word, count) :
					     take_loop(s, p, b, word, count);
	end_piece(s, p, word);
	return st;
}

bob_status bob_mem_select_put(struct bob_mem_selector *s, const uint64_t *record, size_t count,
			      int open, size_t *used)
{
	const uint64_t *at = record, *behind = record + count;
	bob_status st = BOB_OK;

	for (;;) {
		uint32_t number;
		struct bob_mem_piece *p;
		size_t words;

		*used = (size_t)(at - record);
		if (st != BOB_OK || at == behind || (open && !*at))
			return st;
		if (!(*at & BOB_MEM_HEADER))
			return BOB_ERR_CORRUPT;
		number = (uint32_t)*at & BOB_MEM_NUMBER;
		st = bob_mem_select_piece(s->of, number, &p);
		if (st != BOB_OK)
			return st;
		st = bob_mem_record_count(&p->desc, at + 1, (size_t)(behind - at) - 1, open,
					  &words);
		if (st != BOB_OK)
			return st;
		st = take(s, p, number, at + 1, words);
		at += 1 + words;
	}
}
