/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes, pieces and parts of a selection. A new piece or part is published by one store when it is
 * complete. Creation is serialised by the lock: if two threads need the same one, the second finds
 * it created. */
#include "mem/select_parts.h"

#include <string.h>

#define PARTS_MOST 64u	 /* parts of one piece; beyond that, each access is put separately */
/* bytes; wider groups would touch boxes too often without a selected access */
#define GROUP_SPAN 256u
#define BLOCK (1u << BOB_MEM_SELECT_BITS)

/* --- boxes --- */

static void sift(struct bob_mem_box *box, uint32_t at, uint32_t count)
{
	for (uint32_t k = 2 * at + 1; k < count; at = k, k = 2 * at + 1) {
		struct bob_mem_box b = box[at];

		if (k + 1 < count && box[k + 1].lo > box[k].lo)
			k++;
		if (b.lo >= box[k].lo)
			return;
		box[at] = box[k];
		box[k] = b;
	}
}

uint32_t bob_mem_boxes_sort(struct bob_mem_box *box, uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = count / 2; i-- > 0;)
		sift(box, i, count);
	for (uint32_t left = count; left > 1;) {
		struct bob_mem_box b = box[0];

		box[0] = box[--left];
		box[left] = b;
		sift(box, 0, left);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct bob_mem_box b = box[i];

		if (b.lo >= b.hi)
			continue;
		if (n && b.lo <= box[n - 1].hi)
			box[n - 1].hi = b.hi > box[n - 1].hi ? b.hi : box[n - 1].hi;
		else
			box[n++] = b;
	}
	return n;
}

/* --- pieces --- */

/* Extend group `g` by an access if it has the same word and is near. */
static int joins(struct bob_mem_group *g, uint8_t word, uint64_t lo, uint16_t size)
{
	uint64_t from, to;

	if (g->word != word)
		return 0;
	from = (int64_t)(lo - g->lo) < 0 ? lo : g->lo;
	to = (int64_t)(lo + size - (g->lo + g->span)) > 0 ? lo + size : g->lo + g->span;
	if (to - from > GROUP_SPAN)
		return 0;
	g->lo = from;
	g->span = to - from;
	return 1;
}

/* Group the accesses that depend on payload, or those that do not. */
static void group_accesses(struct bob_mem_piece *p, int payload)
{
	uint32_t first = p->groups;

	for (uint32_t i = 0; i < p->desc.access_count; i++) {
		const struct bob_mem_access *a = &p->desc.access[i];
		uint32_t k = first;

		if ((a->word != BOB_MEM_NO_WORD && a->word >= p->desc.words) != payload)
			continue;
		while (k < p->groups && !joins(&p->group[k], a->word, (uint64_t)a->offset, a->size))
			k++;
		if (k == p->groups)
			p->group[p->groups++] = (struct bob_mem_group){ (uint64_t)a->offset,
									a->size, a->word };
		p->guarded |= a->guard != BOB_MEM_NO_WORD;
	}
}

static void measure_step(struct bob_mem_piece *p)
{
	const struct bob_mem_desc *d = &p->desc;
	int64_t step;

	if (d->kind != BOB_MEM_LOOP || d->payload)
		return;
	step = d->step[d->counter].constant;
	p->unit = step < 0 ? -(uint64_t)step : (uint64_t)step;
	p->shift = p->unit & (p->unit - 1) ? 64 : (uint32_t)__builtin_ctzll(p->unit);
}

static bob_status make_piece(struct bob_mem_selection *s, uint32_t number,
			     struct bob_mem_piece **out)
{
	size_t accesses, steps, groups;
	struct bob_mem_desc d;
	struct bob_mem_piece *p;
	uint8_t *more;
	uint64_t bias;
	bob_status st = s->io.desc(s->io.ctx, number, &d, &bias);

	if (st != BOB_OK)
		return st;
	accesses = d.access_count * sizeof(*d.access);
	steps = d.kind == BOB_MEM_LOOP ? d.words * sizeof(*d.step) : 0;
	groups = d.access_count * sizeof(struct bob_mem_group);
	p = s->io.alloc(s->io.ctx, sizeof(*p) + accesses + steps + groups);
	if (!p)
		return BOB_ERR_NOMEM;
	more = (uint8_t *)(p + 1);
	p->desc = d;
	p->bias = bias;
	p->group = (void *)more;
	more += groups;
	if (accesses)
		p->desc.access = memcpy(more, d.access, accesses);
	if (steps)
		p->desc.step = memcpy(more + accesses, d.step, steps);
	p->set_words = (d.access_count + 63) / 64;
	group_accesses(p, 0);
	p->even_groups = p->groups;
	group_accesses(p, 1);
	measure_step(p);
	p->plain = d.kind == BOB_MEM_BLOCK && !p->guarded &&
		   !(d.flow & (BOB_MEM_CALLS | BOB_MEM_RETURNS));
	*out = p;
	return BOB_OK;
}

static bob_status add_piece(struct bob_mem_selection *s, uint32_t number,
			    struct bob_mem_piece **out)
{
	struct bob_mem_piece ***block = &s->block[number >> BOB_MEM_SELECT_BITS], **in = *block;
	bob_status st = BOB_OK;

	if (!in) {
		in = s->io.alloc(s->io.ctx, BLOCK * sizeof(*in));
		if (!in)
			return BOB_ERR_NOMEM;
		__atomic_store_n(block, in, __ATOMIC_RELEASE);
	}
	in += number & (BLOCK - 1);
	*out = *in;
	if (!*out)
		st = make_piece(s, number, out);
	if (st == BOB_OK)
		__atomic_store_n(in, *out, __ATOMIC_RELEASE);
	return st;
}

bob_status bob_mem_select_piece(struct bob_mem_selection *s, uint32_t number,
				struct bob_mem_piece **out)
{
	bob_status st;

	*out = bob_mem_select_known(s, number);
	if (__builtin_expect(*out != NULL, 1))
		return BOB_OK;
	if (number >> BOB_MEM_SELECT_BITS >= BOB_MEM_SELECT_BLOCKS)
		return BOB_ERR_CORRUPT;
	s->io.lock(s->io.ctx);
	st = add_piece(s, number, out);
	s->io.unlock(s->io.ctx);
	return st;
}

void bob_mem_selection_forget(struct bob_mem_selection *s, uint32_t first, uint32_t count)
{
	for (uint32_t n = first; n - first < count; n++) {
		struct bob_mem_piece **in = n >> BOB_MEM_SELECT_BITS < BOB_MEM_SELECT_BLOCKS ?
						    s->block[n >> BOB_MEM_SELECT_BITS] :
						    NULL;

		if (in)
			in[n & (BLOCK - 1)] = NULL;
	}
}

void bob_mem_selection_anew(struct bob_mem_selection *s)
{
	s->back = 0;
	for (uint32_t i = 0; i < BOB_MEM_SELECT_BLOCKS; i++)
		for (uint32_t k = 0; s->block[i] && k < BLOCK; k++)
			s->block[i][k] = NULL;
}

/* --- parts --- */

static struct bob_mem_part *find_part(const struct bob_mem_piece *p, enum bob_mem_kind kind,
				      const struct bob_mem_set *set)
{
	struct bob_mem_part *part = __atomic_load_n(&p->part, __ATOMIC_ACQUIRE);

	for (; part; part = part->next) {
		uint32_t i = 0;

		while (i < p->set_words && part->bits[i] == set->bits[i])
			i++;
		if (i == p->set_words && part->kind == kind)
			return part;
	}
	return NULL;
}

struct maker {
	const struct bob_mem_piece *p;
	struct bob_mem_part *part;
	uint8_t to[BOB_MEM_WORDS_MAX]; /* maps words of the piece to words of the part */
};

static uint8_t word_of(struct maker *m, uint8_t word)
{
	if (word == BOB_MEM_NO_WORD)
		return word;
	if (m->to[word] == BOB_MEM_NO_WORD) {
		m->part->from[m->part->words] = word;
		m->to[word] = m->part->words++;
	}
	return m->to[word];
}

static void take_accesses(struct maker *m, const struct bob_mem_set *set, struct bob_mem_access *to)
{
	for (uint32_t i = 0; i < m->p->desc.access_count; i++) {
		if (!bob_mem_set_has(set, i))
			continue;
		*to = m->p->desc.access[i];
		to->word = word_of(m, to->word);
		to->guard = BOB_MEM_NO_WORD;
		to->guard_bit = 0;
		to++;
	}
}

static void take_steps(struct maker *m, struct bob_mem_desc *d, struct bob_mem_step *to)
{
	d->counter = word_of(m, m->p->desc.counter);
	/* word_of may add words that steps use, which extends this loop */
	for (uint32_t i = 0; i < m->part->words; i++) {
		to[i] = m->p->desc.step[m->part->from[i]];
		to[i].word = word_of(m, to[i].word);
	}
}

static uint32_t write_part(struct bob_mem_selection *s, struct maker *m,
			   const struct bob_mem_set *set)
{
	struct bob_mem_desc d = { .pc = m->p->desc.pc, .image = m->p->desc.image,
				  .kind = m->part->kind, .flow = BOB_MEM_PART,
				  .sp_word = BOB_MEM_NO_WORD, .last = m->p->desc.last,
				  .access_count = set->count, .access = s->access,
				  .step = s->step };

	memset(m->to, BOB_MEM_NO_WORD, sizeof(m->to));
	take_accesses(m, set, s->access);
	if (d.kind == BOB_MEM_LOOP)
		take_steps(m, &d, s->step);
	d.words = m->part->words;
	return s->io.make(s->io.ctx, &d);
}

static struct bob_mem_part *make_part(struct bob_mem_selection *s, struct bob_mem_piece *p,
				      enum bob_mem_kind kind, const struct bob_mem_set *set)
{
	size_t bits = p->set_words * sizeof(*set->bits);
	struct maker m = { .p = p, .part = s->io.alloc(s->io.ctx, sizeof(*m.part) + bits) };

	if (!m.part)
		return NULL;
	m.part->kind = (uint8_t)kind;
	memcpy(m.part->bits, set->bits, bits);
	m.part->number = write_part(s, &m, set);
	if (!m.part->number)
		return NULL;
	m.part->next = p->part;
	p->parts++;
	__atomic_store_n(&p->part, m.part, __ATOMIC_RELEASE);
	return m.part;
}

const struct bob_mem_part *bob_mem_select_part(struct bob_mem_selection *s, struct bob_mem_piece *p,
					       enum bob_mem_kind kind,
					       const struct bob_mem_set *set, int needed)
{
	struct bob_mem_part *part = find_part(p, kind, set);

	if (part)
		return part;
	s->io.lock(s->io.ctx);
	part = find_part(p, kind, set);
	if (!part && (needed || p->parts < PARTS_MOST))
		part = make_part(s, p, kind, set);
	s->io.unlock(s->io.ctx);
	return part;
}

/* --- calls --- */

static uint32_t make_once(struct bob_mem_selection *s, uint32_t *number,
			  const struct bob_mem_desc *d)
{
	uint32_t n = __atomic_load_n(number, __ATOMIC_ACQUIRE);

	if (n)
		return n;
	s->io.lock(s->io.ctx);
	n = *number ? *number : s->io.make(s->io.ctx, d);
	__atomic_store_n(number, n, __ATOMIC_RELEASE);
	s->io.unlock(s->io.ctx);
	return n;
}

uint32_t bob_mem_select_call(struct bob_mem_selection *s, struct bob_mem_piece *p)
{
	const struct bob_mem_desc d = { .pc = p->desc.pc + p->desc.last,
					.image = p->desc.image,
					.kind = BOB_MEM_BLOCK,
					.words = 1,
					.flow = BOB_MEM_PART | BOB_MEM_CALLS };

	return make_once(s, &p->call, &d);
}

uint32_t bob_mem_select_back(struct bob_mem_selection *s)
{
	const struct bob_mem_desc d = { .image = BOB_MEM_NO_IMAGE,
					.kind = BOB_MEM_BLOCK,
					.words = 1,
					.flow = BOB_MEM_PART };

	return make_once(s, &s->back, &d);
}
