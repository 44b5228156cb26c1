/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of synchronising functions, and the marks that come of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "mem/sync.h"

#define MARKS_MAX 64
#define THREADS 4

static struct marks {
	enum bob_sync_kind kind[MARKS_MAX];
	uint64_t word[MARKS_MAX][2];
	unsigned count;
} marks[THREADS];

static struct bob_syncs *all;
static struct bob_sync_thread thread[THREADS];

static void put(void *ctx, enum bob_sync_kind kind, const uint64_t *word, uint32_t words)
{
	struct marks *m = ctx;

	assert_true(m->count < MARKS_MAX);
	assert_true(kind > 0 && kind < BOB_SYNC_KIND_COUNT);
	assert_int_equal(words, bob_sync_kinds[kind].words);
	m->kind[m->count] = kind;
	memcpy(m->word[m->count++], word, words * sizeof(*word));
}

static struct bob_sync of(unsigned t)
{
	return (struct bob_sync){ all, &thread[t], put, &marks[t] };
}

static int begin(void **state)
{
	(void)state;
	all = calloc(1, sizeof(*all));
	memset(thread, 0, sizeof(thread));
	memset(marks, 0, sizeof(marks));
	for (unsigned t = 0; t < THREADS; t++)
		thread[t].number = t;
	return !all;
}

static int end(void **state)
{
	(void)state;
	free(all);
	return 0;
}

static int enter(unsigned t, enum bob_sync_hook hook, uint64_t a, uint64_t b, uint64_t c,
		 struct bob_sync_call *call)
{
	const uint64_t arg[3] = { a, b, c };
	struct bob_sync s = of(t);

	return bob_sync_enter(&s, hook, arg, call);
}

static void leave(unsigned t, const struct bob_sync_call *call, uint64_t result)
{
	struct bob_sync s = of(t);

	bob_sync_leave(&s, call, result);
}

/* A call from end to end. */
static void called(unsigned t, enum bob_sync_hook hook, uint64_t a, uint64_t b, uint64_t c,
		   uint64_t result)
{
	struct bob_sync_call call;

	if (enter(t, hook, a, b, c, &call))
		leave(t, &call, result);
}

#define MARK(t, i, k, first, second)                                                               \
	do {                                                                                       \
		assert_true((i) < marks[t].count);                                                 \
		assert_int_equal(marks[t].kind[i], BOB_SYNC_##k);                                  \
		assert_int_equal(marks[t].word[i][0], first);                                      \
		assert_int_equal(marks[t].word[i][1], second);                                     \
	} while (0)

static void locks(void **state)
{
	(void)state;
	called(0, BOB_HOOK_LOCK, 0x1000, 0, 0, 0);
	called(1, BOB_HOOK_LOCK, 0x1000, 0, 0, 16); /* EBUSY: no lock, no turn */
	called(0, BOB_HOOK_UNLOCK, 0x1000, 0, 0, 0);
	called(1, BOB_HOOK_LOCK, 0x1000, 0, 0, 130); /* its owner has died */
	called(1, BOB_HOOK_LOCK, 0x2000, 0, 0, 0xffffffff00000000); /* an int is 32 bits */
	MARK(0, 0, LOCK, 0x1000, 0);
	MARK(0, 1, UNLOCK, 0x1000, 1);
	MARK(1, 0, LOCK, 0x1000, 2);
	MARK(1, 1, LOCK, 0x2000, 0);
	assert_int_equal(marks[1].count, 2);
	assert_int_not_equal(bob_sync_place(0x1000), bob_sync_place(0x2000));
}

static void conditions(void **state)
{
	struct bob_sync_call call;

	(void)state;
	called(0, BOB_HOOK_LOCK, 0x1000, 0, 0, 0);
	assert_true(enter(0, BOB_HOOK_COND_WAIT, 0x3000, 0x1000, 0, &call));
	called(1, BOB_HOOK_LOCK, 0x1000, 0, 0, 0);
	called(1, BOB_HOOK_COND_SIGNAL, 0x3000, 0, 0, 0);
	called(1, BOB_HOOK_UNLOCK, 0x1000, 0, 0, 0);
	leave(0, &call, 0);
	MARK(0, 1, COND_WAIT, 0x3000, 0);
	MARK(0, 2, UNLOCK, 0x1000, 1);
	MARK(1, 1, COND_SIGNAL, 0x3000, 1);
	MARK(0, 3, COND_WOKEN, 0x3000, 2);
	MARK(0, 4, LOCK, 0x1000, 4);
	called(0, BOB_HOOK_COND_WAIT, 0x3000, 0x1000, 0,
	       110); /* too late: the mutex all the same */
	MARK(0, 7, LOCK, 0x1000, 6);
	assert_int_equal(marks[0].count, 8);
	called(0, BOB_HOOK_COND_WAIT, 0x3000, 0x1000, 0, 22);
	assert_int_equal(marks[0].count, 10);
}

static void barriers(void **state)
{
	struct bob_sync_call call[THREADS];

	(void)state;
	called(0, BOB_HOOK_BARRIER_INIT, 0x1000, 0, 3, 0);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned t = 0; t < 3; t++)
			assert_true(enter(t, BOB_HOOK_BARRIER_WAIT, 0x1000, 0, 0, &call[t]));
		for (unsigned t = 0; t < 3; t++)
			leave(t, &call[t], t ? 0 : 0xffffffff);
	}
	for (unsigned t = 0; t < 3; t++) {
		MARK(t, 0, ARRIVE, 0x1000, 0);
		MARK(t, 1, LEAVE, 0x1000, 3);
		MARK(t, 3, LEAVE, 0x1000, 6);
	}
	/* the same memory, another barrier */
	called(0, BOB_HOOK_BARRIER_INIT, 0x1000, 0, 1, 0);
	called(3, BOB_HOOK_BARRIER_WAIT, 0x1000, 0, 0, 0);
	called(3, BOB_HOOK_BARRIER_WAIT, 0x1000, 0, 0, 0);
	MARK(3, 1, LEAVE, 0x1000, 7);
	MARK(3, 3, LEAVE, 0x1000, 8);
	/* one whose beginning was not seen */
	called(3, BOB_HOOK_BARRIER_WAIT, 0x2000, 0, 0, 0);
	MARK(3, 4, ARRIVED, 0x2000, 0);
	MARK(3, 5, LEFT, 0x2000, 1);
}

static void many_barriers(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= BOB_SYNC_BARRIERS_MAX + 1; i++)
		called(0, BOB_HOOK_BARRIER_INIT, i << 6, 0, 2, 0);
	called(0, BOB_HOOK_BARRIER_WAIT, BOB_SYNC_BARRIERS_MAX << 6, 0, 0, 0);
	called(0, BOB_HOOK_BARRIER_WAIT, (BOB_SYNC_BARRIERS_MAX + 1ull) << 6, 0, 0, 0);
	assert_int_equal(marks[0].kind[0], BOB_SYNC_ARRIVE);
	assert_int_equal(marks[0].kind[2], BOB_SYNC_ARRIVED);
}

static void region(unsigned threads, unsigned rounds)
{
	struct bob_sync s = of(0);
	struct bob_sync_part before[THREADS];
	struct bob_sync_call call[THREADS];
	struct bob_sync_team *team = bob_sync_fork(&s);

	for (unsigned t = 0; t < threads; t++) {
		s = of(t);
		bob_sync_part_begins(&s, team, &before[t]);
	}
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned t = 0; t < threads; t++)
			assert_true(enter(t, BOB_HOOK_TEAM_BARRIER, 0, 0, 0, &call[t]));
		for (unsigned t = 0; t < threads; t++)
			leave(t, &call[t], 0);
	}
	for (unsigned t = 0; t < threads; t++) {
		s = of(t);
		bob_sync_part_ends(&s, &before[t]);
	}
	s = of(0);
	bob_sync_fork_ends(&s, team);
}

static void teams(void **state)
{
	(void)state;
	region(2, 1);
	region(3, 2);
	MARK(0, 0, FORK, 0, 0);
	MARK(0, 1, TEAM_BEGIN, 0, 1);
	MARK(0, 2, TEAM_ARRIVE, 0, 0);
	MARK(0, 3, TEAM_LEAVE, 0, 2);
	MARK(0, 4, TEAM_END, 0, 0);
	MARK(0, 5, TEAM_JOIN, 0, 2);
	MARK(0, 7, TEAM_BEGIN, 0, 2);
	MARK(0, 9, TEAM_LEAVE, 0, 5);
	MARK(0, 11, TEAM_LEAVE, 0, 8);
	MARK(0, 13, TEAM_JOIN, 0, 5);
	MARK(2, 0, TEAM_BEGIN, 0, 2);
	MARK(2, 2, TEAM_LEAVE, 0, 5);
	assert_int_equal(thread[0].depth, 0);
	assert_null(thread[2].now);
}

static void nested(void **state)
{
	struct bob_sync s = of(1);
	struct bob_sync_part outer, inner;
	struct bob_sync_team *team[BOB_SYNC_TEAMS], *in;

	(void)state;
	team[0] = bob_sync_fork(&s);
	bob_sync_part_begins(&s, team[0], &outer);
	in = bob_sync_fork(&s);
	bob_sync_part_begins(&s, in, &inner);
	MARK(1, 3, TEAM_BEGIN, BOB_SYNC_TEAMS + 1, 1);
	bob_sync_part_ends(&s, &inner);
	bob_sync_fork_ends(&s, in);
	assert_ptr_equal(thread[1].now, team[0]);
	for (unsigned i = 1; i < BOB_SYNC_TEAMS; i++)
		team[i] = bob_sync_fork(&s);
	assert_non_null(team[BOB_SYNC_TEAMS - 1]);
	assert_null(bob_sync_fork(&s));
	bob_sync_fork_ends(&s, team[0]); /* those within were left by a jump */
	assert_int_equal(thread[1].depth, 0);
}

static void outside_of_teams(void **state)
{
	(void)state;
	called(0, BOB_HOOK_TEAM_BARRIER, 0, 0, 0, 0);
	called(0, BOB_HOOK_ORDERED_BEGIN, 0, 0, 0, 0);
	called(0, BOB_HOOK_SHARE, 0, 0, 0, 0);
	called(0, BOB_HOOK_TASK, 0, 0, 0, 0);
	assert_int_equal(marks[0].count, 0);
	called(0, BOB_HOOK_CRITICAL_BEGIN, 0x5555, 0, 0, 0x7777);
	called(1, BOB_HOOK_CRITICAL_END, 0x6666, 0, 0, 0);
	MARK(0, 0, CRITICAL_BEGIN, 1, 0);
	MARK(1, 0, CRITICAL_END, 1, 1);
}

static void futexes(void **state)
{
	(void)state;
	called(0, BOB_HOOK_SYSCALL, 202, 0x1000, 1 | 128, 1); /* FUTEX_WAKE_PRIVATE */
	called(1, BOB_HOOK_SYSCALL, 202, 0x1000, 0 | 128, 0); /* FUTEX_WAIT_PRIVATE */
	called(1, BOB_HOOK_SYSCALL, 202, 0x1000, 9 | 256,
	       (uint64_t)-1); /* _BITSET, clock; EAGAIN */
	called(1, BOB_HOOK_SYSCALL, 39, 0x1000, 0, 0); /* getpid */
	called(1, BOB_HOOK_SYSCALL, 202, 0x1000, 2, 0); /* FUTEX_FD */
	MARK(0, 0, FUTEX_WAKE, 0x1000, 0);
	MARK(1, 0, FUTEX_WAIT, 0x1000, 1);
	MARK(1, 1, FUTEX_WAIT, 0x1000, 2);
	assert_int_equal(marks[1].count, 2);
}

static void threads(void **state)
{
	struct bob_sync s = of(0), child = of(3);

	(void)state;
	bob_sync_created(&s, 3);
	bob_sync_begins(&child);
	bob_sync_handle(all, 0x7000, 3);
	called(0, BOB_HOOK_JOIN, 0x7000, 0, 0, 0);
	called(0, BOB_HOOK_JOIN, 0x8000, 0, 0, 0); /* not known */
	called(0, BOB_HOOK_JOIN, 0x7000, 0, 0, 16); /* tryjoin: EBUSY */
	bob_sync_handle(all, 0x7000, 5); /* another one has it now */
	called(0, BOB_HOOK_JOIN, 0x7000, 0, 0, 0);
	MARK(0, 0, CREATE, 3, 0);
	MARK(3, 0, BEGIN, 3, 0);
	MARK(0, 1, JOIN, 3, 0);
	MARK(0, 2, JOIN, 5, 0);
	assert_int_equal(marks[0].count, 3);
	for (uint64_t i = 1; i <= 2 * BOB_SYNC_HANDLES; i++)
		bob_sync_handle(all, i << 12, i);
}

static void hooks(void **state)
{
	(void)state;
	assert_int_equal(bob_sync_hook_of("pthread_mutex_lock"), BOB_HOOK_LOCK);
	assert_int_equal(bob_sync_hook_of("pthread_mutex_lock2"), BOB_HOOK_NONE);
	assert_int_equal(bob_sync_hook_of("pthread_mutex"), BOB_HOOK_NONE);
	assert_int_equal(bob_sync_hook_of(""), BOB_HOOK_NONE);
	assert_int_equal(bob_sync_hook_of("GOMP_parallel"), BOB_HOOK_PARALLEL);
	assert_int_equal(bob_sync_hook_of("GOMP_parallel_loop_nonmonotonic_dynamic"),
			 BOB_HOOK_PARALLEL);
	assert_int_equal(bob_sync_hook_of("GOMP_parallel_reductions"), BOB_HOOK_REDUCTIONS);
	assert_int_equal(bob_sync_hook_of("GOMP_parallel_loop_dynamic_start"), BOB_HOOK_NONE);
	assert_int_equal(bob_sync_hook_of("GOMP_parallel_end"), BOB_HOOK_NONE);
	assert_int_equal(bob_sync_hook_of("GOMP_loop_ull_guided_next"), BOB_HOOK_SHARE);
	assert_int_equal(bob_sync_hook_of("GOMP_loop_end_nowait"), BOB_HOOK_NONE);
	assert_true(bob_sync_is_library("libc.so.6") && bob_sync_is_library("libgomp.so.1"));
	assert_false(bob_sync_is_library("libm.so.6") || bob_sync_is_library(""));
	for (unsigned i = 1; i < BOB_SYNC_KIND_COUNT; i++)
		assert_true(*bob_sync_kinds[i].name);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(locks),   CASE(conditions),	CASE(barriers), CASE(many_barriers),
		CASE(teams),   CASE(nested),		CASE(threads),	CASE(outside_of_teams),
		CASE(futexes), CASE(hooks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
