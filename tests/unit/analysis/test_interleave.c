/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which threads are replayed: scripts of steps, and the order that must come out. A
 * script is a word a thread: a letter is an access; ! ends the turn; tX5 is after turn 4 of X; gX
 * gives one to X; wX2 waits for two of X; the end of thread n gives one to n. What comes out:
 * thread numbers. */
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

/* An access, or a synchronisation point. */
struct step {
	int is_access;
	enum bob_interleave_what what;
	uint64_t object, value;
};

static void next(struct play *p, uint32_t thread, struct step *step)
{
	const char **at = &p->script[thread];

	*step = (struct step){ 0 };
	switch (**at) {
	case 0:
		step->what = BOB_INTERLEAVE_END;
		step->object = '0' + thread;
		break;
	case '!':
		step->what = BOB_INTERLEAVE_POINT;
		++*at;
		break;
	case 't':
	case 'w':
		step->what = **at == 't' ? BOB_INTERLEAVE_TURN : BOB_INTERLEAVE_AWAIT;
		step->object = (uint64_t)(*at)[1];
		step->value = (uint64_t)((*at)[2] - '0');
		*at += 3;
		break;
	case 'g':
		step->what = BOB_INTERLEAVE_GIVE;
		step->object = (uint64_t)(*at)[1];
		*at += 2;
		break;
	default:
		step->is_access = 1;
		++*at;
		break;
	}
}

/* Until all threads have ended. */
static void run(struct bob_interleave *v, struct play *p)
{
	uint64_t accesses;
	uint32_t thread;
	struct step step;
	bob_status st;

	while ((st = bob_interleave_turn(v, &thread, &accesses)) == BOB_OK) {
		next(p, thread, &step);
		if (step.is_access) {
			assert_true(p->count + 1 < sizeof(p->order));
			p->order[p->count++] = (char)('0' + thread);
			assert_int_equal(bob_interleave_ran(v, 1), BOB_OK);
		} else {
			assert_int_equal(bob_interleave_sync(v, step.what, step.object, step.value),
					 BOB_OK);
		}
	}
	assert_int_equal(st, BOB_END);
}

static void expect(const char *order, uint64_t forced, uint64_t quantum, uint32_t threads,
		   const char *const *scripts)
{
	struct play p = { 0 };
	struct bob_interleave *v;

	for (uint32_t i = 0; i < threads; i++)
		p.script[i] = scripts[i];
	assert_int_equal(bob_interleave_create(threads, quantum, &v), BOB_OK);
	run(v, &p);
	assert_string_equal(p.order, order);
	assert_int_equal(bob_interleave_forced(v), forced);
	bob_interleave_destroy(v);
}

#define EXPECT(order, forced, quantum, ...)                                                        \
	expect(order, forced, quantum, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *),   \
	       (const char *[]){ __VA_ARGS__ })

static void turns(void **state)
{
	(void)state;
	EXPECT("010101", 0, 1, "aaa", "bbb");
	EXPECT("001101", 0, 2, "aaa", "bbb");
	EXPECT("000111", 0, 100, "aaa", "bbb");
	EXPECT("01112", 0, 3, "a", "bbb", "c"); /* threads end at different times */
	EXPECT("011100", 0, 100, "a!aa", "bbb"); /* a point ends the turn */
	EXPECT("", 0, 1, "", "", "");
}

static void locks(void **state)
{
	(void)state;
	/* no other thread is inside the lock, whatever the quantum; the first one that waited comes
	 * first */
	EXPECT("000111", 0, 1, "tx0aaatx1", "tx2bbbtx3");
	EXPECT("111000", 0, 1, "tx2aaatx3", "tx0bbbtx1");
	EXPECT("010101", 0, 1, "tx0aaatx1", "ty0bbbty1");
	EXPECT("110022", 0, 2, "tx2aatx3", "tx0bbtx1", "tx4cctx5");
	EXPECT("0101", 0, 9, "tx0atx1tx4atx5", "tx2btx3tx6btx7"); /* turn about */
}

/* A turn that no thread takes: the next one, not the first thread; and then all others in their
 * order. */
static void holes(void **state)
{
	(void)state;
	EXPECT("210", 1, 9, "tx5atx6", "tx3btx4", "tx1ctx2");
	EXPECT("10", 2, 9, "tx9a", "tx2b");
	EXPECT("01", 2, 9, "tx1a", "ty5b!ty6"); /* the nearest first */
	EXPECT("01", 0, 9, "tx0atx0tx0", "tx1b"); /* a count that was already reached */
}

static void barriers(void **state)
{
	(void)state;
	EXPECT("00111001", 0, 2, "aagxwx2aa", "bbbgxwx2b");
	EXPECT("012012", 0, 5, "agxwx3a", "bgxwx3b", "cgxwx3c");
	/* two rounds: who is through waits for the second of all */
	EXPECT("010101", 0, 5, "agxwx2agxwx4a", "bgxwx2bgxwx4b");
	EXPECT("011100", 1, 1, "agxwx2aa", "bbb"); /* the second never comes */
	EXPECT("0101", 1, 1, "agxwx3a", "bgxwx3b");
}

static void creation(void **state)
{
	(void)state;
	EXPECT("000110", 0, 5, "aaagxw11a", "wx1bb");
	EXPECT("000100", 0, 1, "aaagxaa", "wx1b");
	EXPECT("001", 1, 1, "aa", "wx1b"); /* no thread creates it */
	EXPECT("01120", 0, 1, "agxw11w21a", "wx1bbgy", "wy1c");
	EXPECT("20001", 2, 1, "w31aaa", "wx1b", "c"); /* of a thread that is not there */
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
	assert_int_equal(bob_interleave_sync(v, BOB_INTERLEAVE_END, 0, 0), BOB_ERR_INVAL);
	assert_int_equal(bob_interleave_turn(v, &t, &n), BOB_OK);
	assert_int_equal(n, 3);
	assert_int_equal(bob_interleave_ran(v, 4), BOB_ERR_INVAL);
	assert_int_equal(bob_interleave_ran(v, 2), BOB_OK);
	assert_int_equal(bob_interleave_turn(v, &t, &n), BOB_OK);
	assert_int_equal(t, 0);
	assert_int_equal(n, 1);
	assert_int_equal(bob_interleave_sync(v, (enum bob_interleave_what)99, 0, 0), BOB_ERR_INVAL);
	bob_interleave_destroy(v);
	bob_interleave_destroy(NULL);
}

/* Many objects, and steps at random: it ends, and every access of every thread comes once, in
 * order. */
static void random_scripts(void **state)
{
	static const char *const words[] = { "a", "a", "aa", "!", "tx0", "tx1", "tx3", "ty2", "gx",
					     "gz", "wz1", "wz3", "w31", "w11", "ty0" };
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
		run(v, &p);
		assert_int_equal(p.count, accesses);
		bob_interleave_destroy(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns),	cmocka_unit_test(locks),
		cmocka_unit_test(holes),	cmocka_unit_test(barriers),
		cmocka_unit_test(creation),	cmocka_unit_test(refusals),
		cmocka_unit_test(random_scripts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
