/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of copies: small programs with what must come of them, and programs at random that are
 * run: whatever is passed through their calls, the procedure or copy that a call goes to knows of
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "source/copies.h"

#define PROCEDURES 6u
#define CALLS 24u
#define NO BOB_COPIES_NO

struct program {
	struct bob_copies_procedure procedures[PROCEDURES];
	struct bob_copies_call calls[CALLS];
	struct bob_copies_pass passes[2 * CALLS];
	struct bob_copies plan;
	size_t pass_count;
};

static void begin(struct program *p)
{
	memset(p, 0, sizeof(*p));
	p->plan = (struct bob_copies){ .procedures = p->procedures, .calls = p->calls,
				       .passes = p->passes };
}

static void add_procedure(struct program *p, uint64_t all, const char *why)
{
	p->procedures[p->plan.procedure_count++] =
		(struct bob_copies_procedure){ .all = all, .why = why };
}

static void add_pass(struct program *p, uint64_t when, uint64_t gives)
{
	p->passes[p->pass_count++] = (struct bob_copies_pass){ when, gives };
	p->calls[p->plan.call_count - 1].pass_count++;
}

static void add_call(struct program *p, uint32_t from, uint32_t to)
{
	p->calls[p->plan.call_count++] = (struct bob_copies_call){ from, to, p->pass_count, 0 };
}

static void test_one_of_two_calls(void **state)
{
	struct program p;

	(void)state;
	begin(&p);
	add_procedure(&p, 3, NULL);
	add_call(&p, NO, 0);
	add_call(&p, NO, 0);
	add_pass(&p, 0, 2);
	bob_copies_plan(&p.plan);
	assert_true(bob_copies_has(&p.procedures[0]));
	assert_int_equal(p.procedures[0].set_count, 1);
	assert_int_equal(p.procedures[0].sets[0], 2);
	assert_int_equal(bob_copies_target(&p.plan, &p.calls[0], 0), NO);
	assert_int_equal(bob_copies_target(&p.plan, &p.calls[1], 0), 0);
}

static void test_all_calls_the_same(void **state)
{
	struct program p;

	(void)state;
	begin(&p);
	add_procedure(&p, 1, NULL);
	add_procedure(&p, 1, NULL);
	add_call(&p, NO, 0);
	add_pass(&p, 0, 1);
	add_call(&p, NO, 0);
	add_pass(&p, 0, 1);
	add_call(&p, 0, 1);
	add_pass(&p, 1, 1);
	bob_copies_plan(&p.plan);
	for (uint32_t i = 0; i < 2; i++)
		assert_true(p.procedures[i].is_needless && !bob_copies_has(&p.procedures[i]));
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(bob_copies_target(&p.plan, &p.calls[i], 1), NO);
}

/* The second procedure gets what the first one got, which can have no copies: it is as if all of
 * its arguments were traced, and so is each call in it. */
static void test_in_place(void **state)
{
	struct program p;

	(void)state;
	begin(&p);
	add_procedure(&p, 1, "for a test");
	add_procedure(&p, 1, NULL);
	add_call(&p, NO, 0);
	add_call(&p, NO, 1);
	add_call(&p, 0, 1);
	add_pass(&p, 1, 1);
	bob_copies_plan(&p.plan);
	assert_false(bob_copies_has(&p.procedures[0]));
	assert_true(p.procedures[0].has_plain);
	assert_int_equal(bob_copies_target(&p.plan, &p.calls[1], 0), NO);
	assert_int_equal(bob_copies_target(&p.plan, &p.calls[2], 1), 0);
}

static void test_too_many_sets(void **state)
{
	struct program p;

	(void)state;
	begin(&p);
	add_procedure(&p, 7, NULL);
	for (uint32_t set = 0; set < 6; set++) {
		add_call(&p, NO, 0);
		if (set)
			add_pass(&p, 0, set);
	}
	bob_copies_plan(&p.plan);
	assert_true(bob_copies_has(&p.procedures[0]) && p.procedures[0].is_united);
	assert_int_equal(p.procedures[0].set_count, 1);
	assert_int_equal(p.procedures[0].sets[0], 7);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(bob_copies_target(&p.plan, &p.calls[i], 0), i ? 0 : NO);
}

/* Others may call it: who gives nothing calls a copy. */
static void test_open(void **state)
{
	struct program p;

	(void)state;
	begin(&p);
	add_procedure(&p, 3, NULL);
	p.procedures[0].is_open = true;
	for (uint32_t set = 0; set < 4; set++) {
		add_call(&p, NO, 0);
		if (set)
			add_pass(&p, 0, set);
	}
	bob_copies_plan(&p.plan);
	assert_int_equal(p.procedures[0].set_count, 3);
	assert_int_equal(bob_copies_own_set(&p.procedures[0]), 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(p.procedures[0].sets[i], i);
		assert_int_equal(bob_copies_target(&p.plan, &p.calls[i], 0), i);
	}
	assert_int_equal(bob_copies_target(&p.plan, &p.calls[3], 0), NO);
}

/* --- at random --- */

static uint32_t next(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

static void make(struct program *p, uint64_t seed)
{
	uint32_t n = 0;

	begin(p);
	for (uint32_t i = 0; i < PROCEDURES; i++) {
		add_procedure(p, next(&seed, 8), next(&seed, 5) ? NULL : "for a test");
		p->procedures[i].is_open = !p->procedures[i].why && !next(&seed, 4);
	}
	for (uint32_t from = 0; from <= PROCEDURES; from++)
		for (n = next(&seed, 4); n && p->plan.call_count < CALLS; n--) {
			add_call(p, from < PROCEDURES ? from : NO, next(&seed, PROCEDURES));
			for (uint32_t k = next(&seed, 3); k; k--)
				add_pass(p, from < PROCEDURES ? next(&seed, 8) : 0,
					 1 + next(&seed, 7));
		}
}

/* What is given indeed, where the calling procedure got `got`. */
static uint64_t gives(const struct program *p, const struct bob_copies_call *call, uint64_t got)
{
	uint64_t set = 0;

	for (uint32_t i = 0; i < call->pass_count; i++) {
		const struct bob_copies_pass *pass = &p->passes[call->first_pass + i];

		if (!pass->when || pass->when & got)
			set |= pass->gives;
	}
	return set & p->procedures[call->to].all;
}

struct run {
	const struct program *p;
	bool seen[PROCEDURES][8][BOB_COPIES_MAX + 1];
};

/* The procedure `i`, or its k-th copy, runs, and got `got`. */
static void run_procedure(struct run *r, uint32_t i, uint64_t got, uint32_t k)
{
	const struct program *p = r->p;
	const struct bob_copies_procedure *f = &p->procedures[i];
	const bool is_plain = k == NO;
	uint64_t known = f->all;

	if (bob_copies_has(f))
		known = is_plain ? bob_copies_own_set(f) : f->sets[k];
	else
		assert_true(is_plain);
	assert_int_equal(got & ~known, 0);
	if (r->seen[i][got][is_plain ? BOB_COPIES_MAX : k])
		return;
	r->seen[i][got][is_plain ? BOB_COPIES_MAX : k] = true;
	for (size_t c = 0; c < f->call_count; c++) {
		const struct bob_copies_call *call = &p->calls[f->first_call + c];

		assert_int_equal(call->from, i);
		run_procedure(r, call->to, gives(p, call, got),
			      bob_copies_target(&p->plan, call, known));
	}
}

static void test_at_random(void **state)
{
	uint32_t copies = 0, needless = 0, united = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20000; seed++) {
		struct program p;
		struct run r = { .p = &p };

		make(&p, seed);
		bob_copies_plan(&p.plan);
		for (size_t i = 0; i < p.plan.call_count; i++)
			if (p.calls[i].from == NO)
				run_procedure(&r, p.calls[i].to, gives(&p, &p.calls[i], 0),
					      bob_copies_target(&p.plan, &p.calls[i], 0));
		/* Who is not seen calls the procedure itself, with anything. */
		for (uint32_t i = 0; i < PROCEDURES; i++)
			for (uint64_t set = 0; p.procedures[i].is_open && set < 8; set++)
				run_procedure(&r, i, set & p.procedures[i].all, NO);
		for (size_t i = 0; i < PROCEDURES; i++) {
			copies += bob_copies_has(&p.procedures[i]) ? p.procedures[i].set_count : 0;
			needless += p.procedures[i].is_needless;
			united += p.procedures[i].is_united;
		}
	}
	assert_true(copies > 1000 && needless > 1000 && united > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_of_two_calls),
		cmocka_unit_test(test_all_calls_the_same),
		cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_too_many_sets),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
