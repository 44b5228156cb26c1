/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which threads are replayed: scripts of steps, and the order that must come out. A script is
 * a word a thread: a letter is an access; ! ends the turn; (x takes lock x, )x gives it; |n a barrier of n
 * threads (0: all); +n creates thread n, -n waits for its end. What comes out: thread numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/interleave/interleave.h"

#define THREADS 4

struct play {
	const char *script[THREADS];
	char order[256];
	size_t count;
};

static bob_status next(void *ctx, uint32_t thread, struct bob_interleave_step *step)
{
	struct play *p = ctx;
	const char **at = &p->script[thread];

	*step = (struct bob_interleave_step){ 0 };
	switch (**at) {
	case 0:
		step->what = BOB_SYNC_END;
		return BOB_OK;
	case '!':
		step->what = BOB_SYNC_POINT;
		++*at;
		return BOB_OK;
	case '(':
	case ')':
		step->what = **at == '(' ? BOB_SYNC_ACQUIRE : BOB_SYNC_RELEASE;
		step->object = (uint64_t)(*at)[1];
		*at += 2;
		return BOB_OK;
	case '|':
	case '+':
	case '-':
		step->what = **at == '|' ? BOB_SYNC_BARRIER :
			     **at == '+' ? BOB_SYNC_CREATE :
					   BOB_SYNC_JOIN;
		step->value = (uint64_t)((*at)[1] - '0');
		*at += 2;
		return BOB_OK;
	default:
		step->is_access = 1;
		++*at;
		return BOB_OK;
	}
}

static bob_status access_of(void *ctx, uint32_t thread)
{
	struct play *p = ctx;

	if (p->count + 1 >= sizeof(p->order))
		return BOB_ERR_FULL;
	p->order[p->count++] = (char)('0' + thread);
	return BOB_OK;
}

/* Threads named in `held` start when they are created. */
static void expect(const char *order, uint64_t forced, uint64_t quantum, const char *held,
		   uint32_t threads, const char *const *scripts)
{
	struct play p = { 0 };
	struct bob_interleave *v;

	for (uint32_t i = 0; i < threads; i++)
		p.script[i] = scripts[i];
	assert_int_equal(bob_interleave_create(threads, quantum, &v), BOB_OK);
	for (; *held; held++)
		assert_int_equal(bob_interleave_hold(v, (uint32_t)(*held - '0')), BOB_OK);
	assert_int_equal(bob_interleave_run(v, next, access_of, &p), BOB_OK);
	assert_string_equal(p.order, order);
	assert_int_equal(bob_interleave_forced(v), forced);
	bob_interleave_destroy(v);
}

#define EXPECT(order, forced, quantum, held, ...)                                                  \
	expect(order, forced, quantum, held,                                                       \
	       sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *),                           \
	       (const char *[]){ __VA_ARGS__ })

static void turns(void **state)
{
	(void)state;
	EXPECT("010101", 0, 1, "", "aaa", "bbb");
	EXPECT("001101", 0, 2, "", "aaa", "bbb");
	EXPECT("000111", 0, 100, "", "aaa", "bbb");
	EXPECT("01112", 0, 3, "", "a", "bbb", "c"); /* threads end at different times */
	EXPECT("011100", 0, 100, "", "a!aa", "bbb"); /* a point ends the turn */
	EXPECT("", 0, 1, "", "", "");
}

static void locks(void **state)
{
	(void)state;
	/* inside the lock nobody else is, whatever the quantum */
	EXPECT("000111", 0, 1, "", "(xaaa)x", "(xbbb)x");
	EXPECT("010101", 0, 1, "", "(xaaa)x", "(ybbb)y");
	EXPECT("0000111", 0, 1, "", "(xa(xaa)xa)x", "(xbbb)x"); /* taken twice */
	EXPECT("00112200", 0, 2, "", "(xaa)x(xaa)x", "(xbb)x", "(xcc)x"); /* first come */
	EXPECT("001", 1, 1, "", "(xaa", "(xb"); /* never given back: goes on, counted */
	EXPECT("10", 0, 1, "", ")xa", "b");
}

static void barriers(void **state)
{
	(void)state;
	EXPECT("00111001", 0, 2, "", "aa|2aa", "bbb|2b");
	EXPECT("00111001", 0, 2, "", "aa|0aa", "bbb|0b");
	EXPECT("011100", 0, 1, "", "a|0aa", "bbb"); /* the others have ended */
	EXPECT("011100", 1, 1, "", "a|2aa", "bbb"); /* the second never comes */
	EXPECT("0101", 1, 1, "", "a|3a", "b|3b");
	EXPECT("012012", 0, 5, "", "a|3a", "b|3b", "c|3c");
}

static void creation(void **state)
{
	(void)state;
	EXPECT("000110", 0, 5, "1", "aaa+1-1a", "bb");
	EXPECT("000101", 0, 1, "1", "aaa+1a", "bb");
	EXPECT("001", 1, 1, "1", "aa", "b"); /* nobody creates it */
	EXPECT("01120", 0, 1, "12", "a+1-1-2a", "bb+2", "c");
	EXPECT("00", 0, 1, "", "-1aa", "");
}

static void refusals(void **state)
{
	struct bob_interleave *v = NULL;
	uint64_t n;
	uint32_t t;

	(void)state;
	assert_int_equal(bob_interleave_create(0, 1, &v), BOB_ERR_INVAL);
	assert_int_equal(bob_interleave_create(BOB_INTERLEAVE_THREADS_MAX + 1, 1, &v),
			 BOB_ERR_INVAL);
	assert_int_equal(bob_interleave_create(2, 3, &v), BOB_OK);
	assert_int_equal(bob_interleave_hold(v, 2), BOB_ERR_INVAL);
	assert_int_equal(bob_interleave_sync(v, BOB_SYNC_END, 0, 0), BOB_ERR_INVAL);
	assert_int_equal(bob_interleave_turn(v, &t, &n), BOB_OK);
	assert_int_equal(n, 3);
	assert_int_equal(bob_interleave_hold(v, 1), BOB_ERR_INVAL);
	assert_int_equal(bob_interleave_ran(v, 4), BOB_ERR_INVAL);
	assert_int_equal(bob_interleave_ran(v, 2), BOB_OK);
	assert_int_equal(bob_interleave_turn(v, &t, &n), BOB_OK);
	assert_int_equal(t, 0);
	assert_int_equal(n, 1);
	assert_int_equal(bob_interleave_sync(v, BOB_SYNC_JOIN, 0, 2), BOB_ERR_INVAL);
	assert_int_equal(bob_interleave_sync(v, BOB_SYNC_CREATE, 0, 2), BOB_ERR_INVAL);
	assert_int_equal(bob_interleave_sync(v, (enum bob_sync)99, 0, 0), BOB_ERR_INVAL);
	bob_interleave_destroy(v);
	bob_interleave_destroy(NULL);
}

/* Many objects, and steps at random: it ends, and every access of every thread comes once, in order. */
static void random_scripts(void **state)
{
	static const char *const words[] = { "a", "a", "aa", "!", "(x", ")x", "(y", ")y", "|0", "|2", "|4",
					     "+1", "+2", "-3", "-1" };
	uint64_t r = 1;

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		char text[THREADS][128];
		struct play p = { 0 };
		struct bob_interleave *v;
		size_t accesses = 0;

		for (int i = 0; i < THREADS; i++) {
			text[i][0] = 0;
			for (int k = 0; k < 20; k++) {
				const char *w;

				r = r * 6364136223846793005u + 1442695040888963407u;
				w = words[(r >> 33) % (sizeof(words) / sizeof(*words))];
				strcat(text[i], w);
				accesses += w[0] == 'a' ? strlen(w) : 0;
			}
			p.script[i] = text[i];
		}
		assert_int_equal(bob_interleave_create(THREADS, r >> 60, &v), BOB_OK);
		assert_int_equal(bob_interleave_hold(v, 1 + (uint32_t)(r >> 40) % 3), BOB_OK);
		assert_int_equal(bob_interleave_run(v, next, access_of, &p), BOB_OK);
		assert_int_equal(p.count, accesses);
		bob_interleave_destroy(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns),	cmocka_unit_test(locks),
		cmocka_unit_test(barriers),	cmocka_unit_test(creation),
		cmocka_unit_test(refusals),	cmocka_unit_test(random_scripts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
