/* SPDX-License-Identifier: BSD-3-Clause */
/* Encodes and decodes descriptors, and enumerates and counts the accesses of one record.
 * docs/format.md, "Memory descriptors", specifies the bytes. */
#include "mem/record.h"

#include "base/reader.h"
#include "mem/sync.h"

/* Bits of the byte that precedes each access. */
#define TAG_TYPE 3u
#define TAG_GUARD 4u
#define TAG_SIZE_SHIFT 3	/* 3 bits: 1 + log2 of the size; 0 if the size follows */
#define TAG_SAME_WORD 64u	/* same word as the previous access; for the first: word 0 */
/* same pc as the previous access; for the first: the descriptor's */
#define TAG_SAME_PC 128u

/* --- writing --- */

static size_t put_signed(uint8_t *p, int64_t v)
{
	return bob_varint_put(p, bob_zigzag(v));
}

static unsigned size_code(uint16_t size)
{
	for (unsigned code = 1; code <= 7; code++)
		if (size == 1u << (code - 1))
			return code;
	return 0;
}

static size_t put_access(const struct bob_mem_access *a, uint32_t pc, uint8_t word, uint8_t *p)
{
	unsigned code = size_code(a->size);
	size_t n = 1;

	p[0] = (uint8_t)(a->type | code << TAG_SIZE_SHIFT);
	if (a->pc == pc)
		p[0] |= TAG_SAME_PC;
	else
		n += put_signed(p + n, (int64_t)a->pc - (int64_t)pc);
	if (!code)
		n += bob_varint_put(p + n, a->size);
	if (a->word == word)
		p[0] |= TAG_SAME_WORD;
	else
		p[n++] = a->word;
	n += put_signed(p + n, a->offset);
	if (a->guard != BOB_MEM_NO_WORD) {
		p[0] |= TAG_GUARD;
		p[n++] = a->guard;
		p[n++] = a->guard_bit;
	}
	return n;
}

static size_t put_loop(const struct bob_mem_desc *d, uint8_t *p)
{
	size_t n = 0;

	p[n++] = d->payload;
	if (!d->payload)
		p[n++] = d->counter;
	for (unsigned i = 0; i < d->words; i++) {
		n += put_signed(p + n, d->step[i].constant);
		p[n++] = d->step[i].word;
		if (d->step[i].word != BOB_MEM_NO_WORD)
			p[n++] = d->step[i].scale;
	}
	return n;
}

size_t bob_mem_desc_put(const struct bob_mem_desc *d, uint8_t *p)
{
	uint32_t pc = 0;
	uint8_t word = 0;
	size_t n = 0;

	p[n++] = d->kind;
	n += bob_varint_put(p + n, d->image == BOB_MEM_NO_IMAGE ? 0 : (uint64_t)d->image + 1);
	n += bob_varint_put(p + n, d->pc);
	p[n++] = d->words;
	if (d->kind == BOB_MEM_MARK) {
		p[n++] = d->mark;
		if (d->mark == BOB_MEM_SYNC)
			p[n++] = d->sync;
		return n;
	}
	p[n++] = d->flow;
	p[n++] = d->sp_word;
	if (d->sp_word != BOB_MEM_NO_WORD) {
		n += put_signed(p + n, d->sp_begin);
		n += put_signed(p + n, d->sp_end);
	}
	n += bob_varint_put(p + n, d->last);
	if (d->kind == BOB_MEM_LOOP)
		n += put_loop(d, p + n);
	n += bob_varint_put(p + n, d->access_count);
	for (uint32_t i = 0; i < d->access_count; i++) {
		n += put_access(&d->access[i], pc, word, p + n);
		pc = d->access[i].pc;
		word = d->access[i].word;
	}
	return n;
}

/* --- reading --- */

static int32_t get_signed32(struct bob_reader *in)
{
	int64_t v = bob_reader_signed(in);

	if (v < INT32_MIN || v > INT32_MAX)
		in->bad = 1;
	return (int32_t)v;
}

/* A word number less than `count`, or BOB_MEM_NO_WORD. */
static uint8_t get_word(struct bob_reader *in, unsigned count)
{
	uint8_t w = bob_reader_byte(in);

	if (w >= count && w != BOB_MEM_NO_WORD)
		in->bad = 1;
	return w;
}

static uint32_t get_image(struct bob_reader *in)
{
	uint64_t v = bob_reader_up_to(in, BOB_MEM_NO_IMAGE);

	return v ? (uint32_t)(v - 1) : BOB_MEM_NO_IMAGE;
}

static void get_step(struct bob_reader *in, unsigned words, struct bob_mem_step *s)
{
	s->constant = bob_reader_signed(in);
	s->word = get_word(in, words);
	s->scale = s->word == BOB_MEM_NO_WORD ? 0 : bob_reader_byte(in);
}

static int is_constant(const struct bob_mem_step *s)
{
	return !s->constant && s->word == BOB_MEM_NO_WORD;
}

static void get_loop(struct bob_reader *in, struct bob_mem_desc *d, struct bob_mem_step *step)
{
	d->payload = bob_reader_byte(in);
	if (d->payload > BOB_MEM_WORDS_MAX - d->words)
		in->bad = 1;
	if (!d->payload) {
		d->counter = bob_reader_byte(in);
		if (d->counter >= d->words)
			in->bad = 1;
	}
	for (unsigned i = 0; i < d->words && !in->bad; i++)
		get_step(in, d->words, &step[i]);
	for (unsigned i = 0; i < d->words && !in->bad; i++)
		if (step[i].word != BOB_MEM_NO_WORD && !is_constant(&step[step[i].word]))
			in->bad = 1;
	if (!in->bad && !d->payload &&
	    (!step[d->counter].constant || step[d->counter].word != BOB_MEM_NO_WORD))
		in->bad = 1;
}

static void get_access(struct bob_reader *in, unsigned words, uint32_t pc, uint8_t word,
		       struct bob_mem_access *a)
{
	uint8_t tag = bob_reader_byte(in);
	unsigned code = tag >> TAG_SIZE_SHIFT & 7;
	int64_t delta = tag & TAG_SAME_PC ? 0 : bob_reader_signed(in);

	a->type = tag & TAG_TYPE;
	if (a->type > BOB_MEM_ATOMIC || delta < -(int64_t)pc || delta > (int64_t)UINT32_MAX - pc)
		in->bad = 1;
	else
		a->pc = (uint32_t)((int64_t)pc + delta);
	a->size = code ? (uint16_t)(1u << (code - 1)) : (uint16_t)bob_reader_up_to(in, UINT16_MAX);
	a->word = tag & TAG_SAME_WORD ? word : get_word(in, words);
	if (!a->size || (a->word >= words && a->word != BOB_MEM_NO_WORD))
		in->bad = 1;
	a->offset = bob_reader_signed(in);
	a->guard = BOB_MEM_NO_WORD;
	a->guard_bit = 0;
	if (tag & TAG_GUARD) {
		a->guard = bob_reader_byte(in);
		a->guard_bit = bob_reader_byte(in);
		if (a->guard >= words || a->guard_bit > 63)
			in->bad = 1;
	}
}

static void get_flow(struct bob_reader *in, struct bob_mem_desc *d)
{
	d->flow = bob_reader_byte(in);
	d->sp_word = get_word(in, d->words);
	if (d->sp_word != BOB_MEM_NO_WORD) {
		d->sp_begin = get_signed32(in);
		d->sp_end = get_signed32(in);
	} else if (d->flow & ~BOB_MEM_PART) {
		in->bad = 1;
	}
	if (d->flow & ~(BOB_MEM_ENTERS | BOB_MEM_CALLS | BOB_MEM_RETURNS | BOB_MEM_PART))
		in->bad = 1;
	d->last = (uint32_t)bob_reader_up_to(in, UINT32_MAX);
}

const uint8_t bob_mem_mark_words[BOB_MEM_MARKS] = { 0, 2, 0, 1, 1, 1, 0, 0, 0, 1 };

static void get_mark(struct bob_reader *in, struct bob_mem_desc *d)
{
	d->mark = bob_reader_byte(in);
	if (!d->mark || d->mark >= BOB_MEM_MARKS || d->words < bob_mem_mark_words[d->mark])
		in->bad = 1;
	if ((d->mark == BOB_MEM_EVENT || d->mark == BOB_MEM_EVENT_BEGIN) && d->pc > UINT32_MAX)
		in->bad = 1;
	if (d->mark != BOB_MEM_SYNC)
		return;
	d->sync = bob_reader_byte(in);
	if (!d->sync || d->sync >= BOB_SYNC_KIND_COUNT || d->words < bob_sync_kinds[d->sync].words)
		in->bad = 1;
}

bob_status bob_mem_desc_get(const uint8_t **at, const uint8_t *end, struct bob_mem_desc *d,
			    struct bob_mem_access *access, struct bob_mem_step *step)
{
	struct bob_reader in = { *at, end, 0 };
	uint32_t pc = 0;
	uint8_t word = 0;

	*d = (struct bob_mem_desc){ .access = access, .step = step, .sp_word = BOB_MEM_NO_WORD };
	d->kind = bob_reader_byte(&in);
	d->image = get_image(&in);
	d->pc = bob_reader_up_to(&in, UINT64_MAX);
	d->words = bob_reader_byte(&in);
	if (d->kind < BOB_MEM_BLOCK || d->kind > BOB_MEM_MARK || d->words > BOB_MEM_WORDS_MAX)
		return BOB_ERR_CORRUPT;
	if (d->kind == BOB_MEM_MARK) {
		get_mark(&in, d);
	} else {
		get_flow(&in, d);
		if (d->kind == BOB_MEM_LOOP)
			get_loop(&in, d, step);
		d->access_count = (uint32_t)bob_reader_up_to(&in, BOB_MEM_ACCESSES_MAX);
	}
	for (uint32_t i = 0; i < d->access_count && !in.bad; i++) {
		get_access(&in, (unsigned)d->words + d->payload, pc, word, &access[i]);
		/* in a loop, a guard must be payload or constant */
		if (!in.bad && d->kind == BOB_MEM_LOOP && access[i].guard < d->words &&
		    !is_constant(&step[access[i].guard]))
			in.bad = 1;
		pc = access[i].pc;
		word = access[i].word;
	}
	if (in.bad)
		return BOB_ERR_CORRUPT;
	*at = in.at;
	return BOB_OK;
}

/* --- records --- */

static int is_payload(const uint64_t *word, unsigned n, int open)
{
	for (unsigned i = 0; i < n; i++)
		if (word[i] & BOB_MEM_HEADER || (open && !word[i]))
			return 0;
	return 1;
}

bob_status bob_mem_record_count(const struct bob_mem_desc *d, const uint64_t *word, size_t capacity,
				int open, size_t *count)
{
	size_t n = d->words;

	if (d->kind == BOB_MEM_LOOP && !d->payload)
		n++;
	if (n > capacity)
		return BOB_ERR_CORRUPT;
	if (d->kind == BOB_MEM_LOOP && d->payload)
		while (capacity - n >= d->payload && is_payload(word + n, d->payload, open))
			n += d->payload;
	*count = n;
	return BOB_OK;
}

size_t bob_mem_payload_count(const uint64_t *word, size_t capacity)
{
	size_t n = 0;

	/* rows are short and of irregular length: avoid a branch per word */
	for (; capacity - n >= 8; n += 8) {
		uint64_t headers = 0;

		for (unsigned i = 0; i < 8; i++)
			headers |= word[n + i] >> 63 << i;
		if (headers)
			return n + (size_t)__builtin_ctzll(headers);
	}
	while (n < capacity && !(word[n] & BOB_MEM_HEADER))
		n++;
	return n;
}

/* The trip count of a loop with a counter. */
static bob_status count_trips(const struct bob_mem_desc *d, const uint64_t *word, uint64_t *n)
{
	int64_t step = d->step[d->counter].constant;
	uint64_t way = word[d->words] - word[d->counter];
	uint64_t unit = step < 0 ? -(uint64_t)step : (uint64_t)step;

	if (step < 0)
		way = -way;
	if (way % unit)
		return BOB_ERR_CORRUPT;
	*n = way / unit;
	return *n > BOB_MEM_TRIPS_MAX ? BOB_ERR_CORRUPT : BOB_OK;
}

/* The value of word `k` in the current iteration. */
static uint64_t value(const struct bob_mem_walk *w, unsigned k)
{
	const struct bob_mem_desc *d = w->desc;
	const struct bob_mem_step *s;
	uint64_t step;

	if (k >= d->words)
		return w->word[w->iteration * d->payload + k];
	if (d->kind != BOB_MEM_LOOP)
		return w->word[k];
	s = &d->step[k];
	step = (uint64_t)s->constant;
	if (s->word != BOB_MEM_NO_WORD)
		step += s->scale * w->word[s->word];
	return w->word[k] + w->iteration * step;
}

static int happens(const struct bob_mem_walk *w, const struct bob_mem_access *a)
{
	return a->guard == BOB_MEM_NO_WORD || value(w, a->guard) >> a->guard_bit & 1;
}

/* Whether any access of a block, or of a loop's first iteration, happens. */
static int any_happens(const struct bob_mem_walk *w)
{
	for (uint32_t i = 0; i < w->desc->access_count; i++)
		if (happens(w, &w->desc->access[i]))
			return 1;
	return 0;
}

/* A loop without payload in which no access happens is skipped as a whole. So every iteration that
 * is walked has an access, and the reader's work is proportional to its output. */
bob_status bob_mem_walk_begin(struct bob_mem_walk *w, const struct bob_mem_desc *d,
			      const uint64_t *word, size_t count, uint64_t bias)
{
	bob_status st;

	*w = (struct bob_mem_walk){ .desc = d, .word = word, .bias = bias, .iterations = 1 };
	if (d->kind != BOB_MEM_LOOP)
		return count == d->words ? BOB_OK : BOB_ERR_CORRUPT;
	if (!d->payload) {
		st = count == d->words + 1u ? count_trips(d, word, &w->iterations) :
					      BOB_ERR_CORRUPT;
		if (st == BOB_OK && !any_happens(w))
			w->iterations = 0;
		return st;
	}
	if (count < d->words || (count - d->words) % d->payload)
		return BOB_ERR_CORRUPT;
	w->iterations = (count - d->words) / d->payload;
	return BOB_OK;
}

bob_status bob_mem_walk_next(struct bob_mem_walk *w, struct bob_mem_event *e)
{
	const struct bob_mem_desc *d = w->desc;

	if (w->iteration >= w->iterations || !d->access_count)
		return BOB_END;
	while (w->next < d->access_count) {
		const struct bob_mem_access *a = &d->access[w->next++];

		if (!happens(w, a))
			continue;
		e->address = (uint64_t)a->offset +
			     (a->word == BOB_MEM_NO_WORD ? w->bias : value(w, a->word));
		e->pc = d->pc + a->pc;
		e->image = d->image;
		e->size = a->size;
		e->type = a->type;
		return BOB_OK;
	}
	w->next = 0;
	w->iteration++;
	return BOB_NONE;
}

uint64_t bob_mem_walk_count(const struct bob_mem_walk *begun)
{
	struct bob_mem_walk w = *begun;
	struct bob_mem_event e;
	uint64_t n = 0;
	bob_status st;

	if (w.desc->kind == BOB_MEM_LOOP && !w.desc->payload) {
		for (uint32_t i = 0; i < w.desc->access_count && w.iterations; i++)
			n += (uint64_t)happens(&w, &w.desc->access[i]);
		return n * w.iterations;
	}
	for (uint32_t i = 0; i < w.desc->access_count; i++)
		if (w.desc->access[i].guard != BOB_MEM_NO_WORD)
			goto one_by_one;
	return w.iterations * w.desc->access_count;
one_by_one:
	while ((st = bob_mem_walk_next(&w, &e)) != BOB_END)
		n += st == BOB_OK;
	return n;
}
