/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of places against a list that is searched linearly: variables are declared and
 * unregistered at random, overlapping, with boxes, some of them again at their old address; rows
 * against their elements; and untraced ranges, in which nothing may be traced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

/* The recorder is in no library that tests are linked with. */
#include "probe/asleep.c"
#include "probe/subscript_range.c"
#include "probe/negative_cache.c"
#include "probe/places.c"

const struct bob_agent_streams *bob_pr_agent;

#define CAPACITY 4000u
#define NAIVE 40u

static struct naive {
	struct bob_probe_variable v;
	int64_t bounds[3][2], wanted[3][2];
	uintptr_t lo, hi;
	uint64_t name, address;
} list[NAIVE], /* oldest first */
	gone[NAIVE]; /* the last ones that were taken away */
static unsigned list_count, gone_count, woken, left;
static uint64_t state_of_draw, names;
static uint8_t storage[CAPACITY];

static int64_t draw(int64_t n)
{
	state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((state_of_draw >> 33) % (uint64_t)n);
}

static void point_to_own(struct naive *n, bool wants)
{
	n->v.bounds = n->bounds;
	n->v.wanted = wants ? n->wanted : NULL;
}

static void draw_one(struct naive *n)
{
	uint64_t bytes;

	memset(n, 0, sizeof(*n));
	n->v.element = (uint32_t)(1 + draw(9));
	n->v.rank = (uint32_t)draw(4);
	bytes = n->v.element;
	for (uint32_t d = 0; d < n->v.rank; d++) {
		n->bounds[d][0] = draw(9) - 4;
		n->bounds[d][1] = 1 + draw(6);
		n->wanted[d][0] = draw(9) - 4;
		n->wanted[d][1] = draw(5) ? n->wanted[d][0] + draw(6) - 1 : INT64_MAX;
		bytes *= (uint64_t)n->bounds[d][1];
	}
	n->v.own = (uint32_t)draw(3);
	point_to_own(n, draw(2));
	n->lo = (uintptr_t)storage + (uintptr_t)draw(CAPACITY - (int64_t)bytes);
	n->hi = n->lo + bytes;
	n->name = ++names << 40;
}

/* One that was there, as it was or with other lower bounds. */
static void draw_again(struct naive *n)
{
	const struct naive *was = &gone[draw(gone_count < NAIVE ? gone_count : NAIVE)];

	*n = *was;
	point_to_own(n, was->v.wanted != NULL);
	if (n->v.rank && !draw(4))
		n->bounds[0][0] = draw(9) - 4;
}

static bool is_listed(uint64_t name)
{
	for (unsigned i = 0; i < list_count; i++)
		if (list[i].name == name)
			return true;
	return false;
}

static void drop(unsigned i);

/* What begins to live ends what lies there and was another's own, or was named as another. */
static struct naive *take_over(struct naive n)
{
	struct naive *to;

	for (unsigned i = list_count; n.v.own == BOB_PROBE_OWN && i-- > 0;)
		if (list[i].lo < n.hi && n.lo < list[i].hi &&
		    (list[i].v.own || list[i].address != list[i].name)) {
			drop(i);
			left++;
		}
	to = &list[list_count];
	*to = n;
	point_to_own(to, n.v.wanted != NULL);
	return to;
}

static void add_one(void)
{
	struct naive *n = &list[list_count];

	if (list_count == NAIVE)
		return;
	if (gone_count && draw(2))
		draw_again(n);
	else
		draw_one(n);
	if (is_listed(n->name))
		return;
	n = take_over(*n);
	n->address = n->name;
	for (unsigned i = list_count; i-- > 0;)
		if (list[i].lo < n->hi && n->lo < list[i].hi)
			n->address = list[i].address + (n->lo - list[i].lo);
	if (bob_pr_wake(&n->v, (const void *)n->lo, n->v.bounds, n->name))
		woken++;
	else
		bob_pr_declare(&n->v, (const void *)n->lo, n->v.bounds, n->name);
	list_count++;
}

static void drop(unsigned i)
{
	struct naive *to = &gone[gone_count % NAIVE];

	*to = list[i];
	point_to_own(to, list[i].v.wanted != NULL);
	gone_count++;
	list_count--;
	memmove(list + i, list + i + 1, (list_count - i) * sizeof(*list));
	for (; i < list_count; i++) /* they have moved */
		point_to_own(&list[i], list[i].v.wanted != NULL);
}

static void remove_one(void)
{
	unsigned i = list_count ? (unsigned)draw(list_count) : 0;

	if (!list_count)
		return;
	bob_pr_forget((const void *)list[i].lo, list[i].name);
	drop(i);
}

/* Memory is freed: what begins there, if anything does. */
static void release(void)
{
	const uintptr_t at = list_count && draw(3) ? list[draw(list_count)].lo :
						     (uintptr_t)storage + (uintptr_t)draw(CAPACITY);

	bob_pr_forget((const void *)at, BOB_PR_ANY);
	for (unsigned i = list_count; i-- > 0;)
		if (list[i].lo == at)
			drop(i);
}

static bool naive_wants(const struct naive *n, uintptr_t at)
{
	uint64_t e = (at - n->lo) / n->v.element;

	for (uint32_t d = 0; d < n->v.rank && n->v.wanted; d++) {
		int64_t s = (int64_t)(e % (uint64_t)n->bounds[d][1]) + n->bounds[d][0];

		if (s < n->wanted[d][0] || s > n->wanted[d][1])
			return false;
		e /= (uint64_t)n->bounds[d][1];
	}
	return true;
}

/* Its address in the trace; 0: it is not wanted. */
static uint64_t naive_find(uintptr_t at)
{
	uint64_t address = 0;
	bool wanted = false;

	for (unsigned i = list_count; i-- > 0;)
		if (at >= list[i].lo && at < list[i].hi) {
			address = list[i].address + (at - list[i].lo);
			wanted |= naive_wants(&list[i], at);
		}
	return wanted ? address : 0;
}

/* A stretch says the same of all that lies in it. */
static void check_stretch(void)
{
	uintptr_t at = (uintptr_t)storage + (uintptr_t)draw(CAPACITY);
	struct bob_pr_stretch s = bob_pr_find(at);

	assert_true(at >= s.lo && at < s.hi);
	assert_true(s.version == bob_pr_version);
	for (uintptr_t i = (uintptr_t)storage; i < (uintptr_t)storage + CAPACITY; i++)
		if (i >= s.lo && i < s.hi)
			assert_int_equal(s.wanted ? i + s.shift : 0, naive_find(i));
}

/* What can be said of the first ones of a row is so; of all, of some, that they are wanted or
 * not. */
static void check_row(unsigned found[4])
{
	uint64_t trips = 1 + (uint64_t)draw(20), address, same;
	int64_t at = draw(CAPACITY), step = draw(60) - 30, last = at + step * (int64_t)(trips - 1);
	bool wanted;

	if (last < 0 || last >= (int64_t)CAPACITY)
		return;
	at += (int64_t)(uintptr_t)storage;
	same = bob_pr_find_row((uintptr_t)at, step, trips, &address, &wanted);
	assert_true(same >= 1 && same <= trips);
	found[wanted + 2 * (same < trips)]++;
	for (uint64_t i = 0; i < same; i++)
		assert_int_equal(naive_find((uintptr_t)(at + (int64_t)i * step)),
				 wanted ? address + (uint64_t)((int64_t)i * step) : 0);
}

#define SITES 6u
static struct bob_pr_untraced sites;

static bool is_in_untraced(uint32_t site, uintptr_t at)
{
	const struct bob_probe_untraced *g =
		__atomic_load_n(&sites.untraced[site], __ATOMIC_RELAXED);

	return at - g->lo < g->size;
}

/* Nothing is traced in the untraced range of any site, whatever happened since it was set. Returns
 * the number of sites that have one. */
static unsigned check_untraced(void)
{
	unsigned open = 0;

	for (uint32_t k = 0; k < SITES; k++) {
		open += sites.untraced[k]->size != 0;
		for (uintptr_t i = (uintptr_t)storage; i < (uintptr_t)storage + CAPACITY; i++)
			if (is_in_untraced(k, i))
				assert_int_equal(naive_find(i), 0);
	}
	return open;
}

static void aim_one(void)
{
	const struct bob_probe_untraced *last = NULL;
	const uint32_t site = (uint32_t)draw(SITES);
	const uintptr_t at = (uintptr_t)storage + (uintptr_t)draw(CAPACITY);

	if (!naive_find(at) && !bob_pr_untraced_aim(&sites, site, at, &last))
		assert_true(is_in_untraced(site, at));
}

static void test_random(void **state)
{
	unsigned found[4] = { 0 }, open = 0;

	(void)state;
	assert_true(bob_pr_untraced_open(&sites, SITES));
	for (int turn = 0; turn < 3000; turn++) {
		if (draw(40) == 0)
			while (list_count)
				remove_one();
		else if (draw(5) < 3)
			add_one();
		else if (draw(4))
			remove_one();
		else
			release();
		check_stretch();
		for (int k = 0; k < 20; k++)
			check_row(found);
		open += check_untraced();
		aim_one();
	}
	assert_true(open > 2000);
	for (int k = 0; k < 4; k++) /* each of them was tried */
		assert_true(found[k] > 500);
	assert_true(woken > 100 && left > 50);
}

/* Threads with a variable each, that come and go; one that reads all; and one that declares over
 * them. */
#define TURNS 20000
static uint8_t lanes[4][64];
static int running;

static void *come_and_go(void *arg)
{
	const unsigned lane = (unsigned)(uintptr_t)arg;
	const struct bob_probe_variable v = { .element = 64 };
	const uint64_t name = (uint64_t)(lane + 1) << 50;

	for (int i = 0; i < TURNS; i++) {
		bob_pr_declare(&v, lanes[lane], NULL, name);
		struct bob_pr_stretch s = bob_pr_find((uintptr_t)lanes[lane] + 5);

		/* its own name, or what lay over all of them before */
		if (!s.wanted || ((uintptr_t)lanes[lane] + 5 + s.shift) >> 50 == 0)
			__atomic_store_n(&running, -1000000, __ATOMIC_RELAXED);
		for (uint32_t k = 0; k < SITES; k++)
			if (is_in_untraced(k, (uintptr_t)lanes[lane] + 5))
				__atomic_store_n(&running, -1000000, __ATOMIC_RELAXED);
		bob_pr_forget(lanes[lane], name);
	}
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Untraced ranges at the lanes, if these are absent, and next to them. */
static void *aim(void *arg)
{
	static const uint8_t beside;
	unsigned *aims = arg, i = 0;

	do {
		const struct bob_probe_untraced *last = NULL;
		const unsigned where = i / SITES % 5;

		*aims += !bob_pr_untraced_aim(
			&sites, i % SITES,
			where < 4 ? (uintptr_t)lanes[where] + 5 : (uintptr_t)&beside, &last);
	} while (++i < 5 * SITES || __atomic_load_n(&running, __ATOMIC_RELAXED) > 0);
	return NULL;
}

static void test_threads(void **state)
{
	const struct bob_probe_variable all = { .element = sizeof(lanes) };
	pthread_t t[4], aimer;
	unsigned aims = 0;
	bool found = false;

	(void)state;
	running = 4;
	assert_int_equal(pthread_create(&aimer, NULL, aim, &aims), 0);
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, come_and_go, (void *)i), 0);
	for (int i = 0; !i || __atomic_load_n(&running, __ATOMIC_RELAXED) > 0; i++) {
		if (i % 8 == 0)
			bob_pr_declare(&all, lanes, NULL, 9ull << 50);
		found |= bob_pr_find((uintptr_t)lanes[i % 4] + 7).wanted;
		if (i % 8 == 0)
			bob_pr_forget(lanes, 9ull << 50);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	pthread_join(aimer, NULL);
	assert_int_equal(running, 0);
	assert_true(aims > 0);
	assert_true(found);
	for (int i = 0; i < 4; i++)
		assert_false(bob_pr_find((uintptr_t)lanes[i] + 7).wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random),
					    cmocka_unit_test(test_threads) };

	bob_pr_untraced_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
