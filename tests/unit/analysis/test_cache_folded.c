/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded memory records simulated by nests, against the same records one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../fold/events.h"
#include "analysis/cache/folded.h"
#include "cache_compare.h"

#define DESCS 12u
#define WORDS 4u
#define PER_DESC 4u		/* sites */
#define VALUES 400000u
#define BIAS 4096u

struct made_desc {
	struct bob_mem_desc d;
	struct bob_mem_access access[PER_DESC];
	struct bob_mem_step step[WORDS];
};

static struct made_desc made[DESCS];
static uint64_t raw[VALUES];
static size_t raw_count;

static const struct bob_mem_desc *find_desc(void *ctx, uint32_t number)
{
	(void)ctx;
	return number < DESCS ? &made[number].d : NULL;
}

static uint64_t bias_of(void *ctx, const struct bob_mem_desc *desc)
{
	(void)ctx;
	(void)desc;
	return BIAS;
}

static bob_status sites_of(void *ctx, uint32_t number, const struct bob_mem_desc *desc,
			   uint32_t *first)
{
	(void)ctx;
	(void)desc;
	*first = number * PER_DESC;
	return BOB_OK;
}

static void make_desc(struct made_desc *m, uint64_t *r)
{
	struct bob_mem_desc *d = &m->d;

	memset(m, 0, sizeof(*m));
	d->access = m->access;
	d->step = m->step;
	d->kind = cmp_random(r) % 4 ? BOB_MEM_BLOCK : BOB_MEM_LOOP;
	d->sp_word = BOB_MEM_NO_WORD;
	d->words = (uint8_t)(1 + cmp_random(r) % WORDS);
	if (cmp_random(r) % 10 == 0) {
		d->kind = BOB_MEM_MARK;
		d->mark = BOB_MEM_SYNC;
		d->sync = 1;
		d->words = 2;
		return;
	}
	d->access_count = (uint32_t)(cmp_random(r) % (PER_DESC + 1));
	for (uint32_t i = 0; i < d->access_count; i++)
		m->access[i] = (struct bob_mem_access){
			.offset = (int64_t)(cmp_random(r) % 512),
			.pc = i,
			.size = (uint16_t)(1u << cmp_random(r) % 5),
			.type = (uint8_t)(cmp_random(r) % 3),
			.word = (uint8_t)(cmp_random(r) % 5 ? cmp_random(r) % d->words :
							      BOB_MEM_NO_WORD),
			.guard = (uint8_t)(cmp_random(r) % 12 ? BOB_MEM_NO_WORD :
								cmp_random(r) % d->words),
			.guard_bit = 3,
		};
	for (uint32_t w = 0; w < d->words; w++)
		m->step[w] = (struct bob_mem_step){ .constant = 8 * (int64_t)(cmp_random(r) % 4),
						    .word = BOB_MEM_NO_WORD };
	if (d->kind != BOB_MEM_LOOP)
		return;
	d->counter = (uint8_t)(cmp_random(r) % d->words);
	m->step[d->counter].constant = cmp_random(r) % 2 ? 8 : -16;
	if (cmp_random(r) % 3 == 0) {
		d->payload = (uint8_t)(1 + cmp_random(r) % 2);
		for (uint32_t i = 0; i < d->access_count; i++)
			if (cmp_random(r) % 2 && m->access[i].word != BOB_MEM_NO_WORD)
				m->access[i].word =
					(uint8_t)(d->words + cmp_random(r) % d->payload);
	}
	if (d->words > 1 && cmp_random(r) % 2) {
		uint32_t w = (d->counter + 1u) % d->words;

		m->step[w] = (struct bob_mem_step){ 8, d->counter, 2 };
	}
	/* a word that others step by is constant, so it is no counter */
	for (uint32_t w = 0; w < d->words; w++)
		if (m->step[w].word != BOB_MEM_NO_WORD)
			m->step[w] = (struct bob_mem_step){ 8, BOB_MEM_NO_WORD, 0 };
	if (d->words > 2) {
		uint32_t still = (d->counter + 1u) % d->words, w = (d->counter + 2u) % d->words;

		m->step[still] = (struct bob_mem_step){ 0, BOB_MEM_NO_WORD, 0 };
		m->step[w] = (struct bob_mem_step){ 8, (uint8_t)still, 1 };
	}
}

struct program {
	uint32_t number[4];
	uint64_t base[4][WORDS], steps[4][WORDS][3], trips[4];
	int strange[4];
	uint32_t count;
	uint64_t loops[3];
};

static void put_record(const struct program *p, uint32_t i, const uint64_t *idx, uint64_t *r)
{
	const struct bob_mem_desc *d = &made[p->number[i]].d;
	uint64_t *word = &raw[raw_count + 1];

	if (raw_count + WORDS + 2 + 2 * 12 > VALUES)
		return;
	raw[raw_count] = BOB_MEM_HEADER | p->number[i];
	for (uint32_t w = 0; w < d->words; w++) {
		word[w] = p->base[i][w];
		for (uint32_t l = 0; l < 3; l++)
			word[w] += p->steps[i][w][l] * idx[l];
	}
	if (p->strange[i] && cmp_random(r) % 8 == 0)
		word[0] += cmp_random(r) % 1000;
	raw_count += 1u + d->words;
	if (d->kind == BOB_MEM_LOOP && !d->payload)
		raw[raw_count++] =
			word[d->counter] + (uint64_t)d->step[d->counter].constant * p->trips[i];
	for (uint64_t k = 0; k < p->trips[i] * d->payload; k++)
		raw[raw_count++] = p->base[i][0] + (p->strange[i] ? cmp_random(r) % 4096 : 8 * k);
}

static void run_program(uint64_t *r)
{
	static const uint64_t steps[] = { 0, 0, 8, 8, 64, 512, 4096, (uint64_t)-8 };
	struct program p = { .count = 1 + (uint32_t)cmp_random(r) % 4 };
	uint64_t idx[3];

	for (uint32_t i = 0; i < p.count; i++) {
		p.number[i] = (uint32_t)cmp_random(r) % DESCS;
		p.trips[i] = cmp_random(r) % 12;
		p.strange[i] = cmp_random(r) % 8 == 0;
		for (uint32_t w = 0; w < WORDS; w++) {
			p.base[i][w] = cmp_random(r) % 4096;
			for (uint32_t l = 0; l < 3; l++)
				p.steps[i][w][l] = steps[cmp_random(r) % 8];
		}
	}
	for (uint32_t l = 0; l < 3; l++)
		p.loops[l] = 1 + cmp_random(r) % 12;
	for (idx[0] = 0; idx[0] < p.loops[0]; idx[0]++)
		for (idx[1] = 0; idx[1] < p.loops[1]; idx[1]++) {
			if (p.count > 1)
				put_record(&p, p.count - 1, idx, r);
			for (idx[2] = 0; idx[2] < p.loops[2]; idx[2]++)
				for (uint32_t i = 0; i + 1 < p.count || i == 0; i++)
					put_record(&p, i, idx, r);
		}
}

static void one_by_one(struct bob_cache *sim)
{
	for (size_t at = 0, n; at < raw_count; at += 1 + n) {
		uint32_t number = (uint32_t)raw[at];
		const struct bob_mem_desc *d = &made[number].d;
		struct bob_mem_event e;
		struct bob_mem_walk w;
		bob_status st;

		assert_int_equal(bob_mem_record_count(d, raw + at + 1, raw_count - at - 1, 0, &n),
				 BOB_OK);
		if (d->kind == BOB_MEM_MARK)
			continue;
		assert_int_equal(bob_mem_walk_begin(&w, d, raw + at + 1, n, BIAS), BOB_OK);
		while ((st = bob_mem_walk_next(&w, &e)) != BOB_END) {
			struct bob_cache_access a = { e.address, 0, number * PER_DESC + w.next - 1,
						      e.size, e.type };

			if (st == BOB_OK)
				assert_int_equal(bob_cache_access(sim, &a), BOB_OK);
		}
	}
}

static void folded(struct bob_cache *sim)
{
	const struct bob_cache_records from = { find_desc, bias_of, sites_of, NULL, NULL };
	size_t size = bob_mem_fold_size(), folder_size = bob_folder_size(), used;
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *folder_mem =
		mmap(NULL, folder_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct events_bytes out = { 0 };
	struct bob_folder *folder;
	struct bob_mem_fold *m;
	struct bob_folded *f;
	uint64_t lost;

	assert_true(mem != MAP_FAILED && folder_mem != MAP_FAILED);
	folder = bob_folder_begin(folder_mem, events_write, &out);
	m = bob_mem_fold_begin(mem, folder, find_desc, NULL);
	assert_int_equal(bob_mem_fold_put(m, raw, raw_count, 0, &used), BOB_OK);
	assert_int_equal(used, raw_count);
	bob_folder_end(folder);
	assert_int_equal(bob_folded_open(out.at, out.len, 1, &events_alloc, &f), BOB_OK);
	assert_int_equal(bob_cache_folded(sim, 0, f, 0, &from, &lost), BOB_OK);
	assert_int_equal(lost, 0);
	bob_folded_close(f);
	free(out.at);
	munmap(mem, size);
	munmap(folder_mem, folder_size);
}

static void random_records(void **state)
{
	uint64_t r = 17, skipped = 0, all = 0;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		struct bob_cache_options o = { .size = sizeof(o), .sites = DESCS * PER_DESC };
		struct bob_cache_config c = cmp_machine(&r);
		struct bob_cache *one, *fast;
		struct bob_cache_site s, t;

		for (uint32_t i = 0; i < DESCS; i++)
			make_desc(&made[i], &r);
		raw_count = 0;
		for (uint64_t n = 1 + cmp_random(&r) % 4; n; n--)
			run_program(&r);
		assert_int_equal(bob_cache_create(&c, &o, &one), BOB_OK);
		assert_int_equal(bob_cache_create(&c, &o, &fast), BOB_OK);
		one_by_one(one);
		folded(fast);
		for (uint32_t i = 0; i < o.sites; i++) {
			bob_cache_site(one, i, &s);
			bob_cache_site(fast, i, &t);
			if (cmp_sites(&s, &t, i, c.levels))
				fail_msg("round %u", round);
		}
		bob_cache_total(one, &s);
		all += s.accesses[0] + s.accesses[1] + s.accesses[2];
		skipped += bob_cache_skipped(fast);
		bob_cache_destroy(one);
		bob_cache_destroy(fast);
	}
	assert_true(skipped > all / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_records) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
