/* SPDX-License-Identifier: BSD-3-Clause */
/* The same loops with and without probes; prints "NAME,ns per access". -DPLAIN: without probes, for
 * --mem. */
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>

#include "bobbin/probe.h"

#define N 2000
#define ROUNDS 300

enum { OUTSIDE, BEYOND, TRACED, NEST_A, NEST_B, SITES };
static double outside[N], box[N], a[N], b[N];
static const char *const units[] = { "loop" };
#define SITE(k) [k] = { .line = 1 + (k), .kind = BOB_PROBE_WRITE, .size = 8 }
static const struct bob_probe_site sites[] = { SITE(OUTSIDE), SITE(BEYOND), SITE(TRACED),
					       SITE(NEST_A), SITE(NEST_B) };
static const struct bob_probe_nest nests[] = { { .first = NEST_A, .count = 2, .depth = 1 } };
static const int64_t bounds[][2] = { { 0, N } }, wanted[][2] = { { 0, 3 } };
static const struct bob_probe_variable variables[] = {
	{ .name = "a", .element = 8, .rank = 1, .bounds = bounds },
	{ .name = "b", .element = 8, .rank = 1, .bounds = bounds },
	{ .name = "box", .element = 8, .rank = 1, .bounds = bounds, .wanted = wanted },
};
static struct bob_probe_file bob_probe_here = {
	.size = sizeof(bob_probe_here), .path = "loops.c", .digest = 1, .unit = units,
	.variable = variables, .site = sites, .nest = nests,
	.units = 1, .variables = 3, .sites = SITES, .nests = 1,
};

__attribute__((constructor)) static void begin(void)
{
	bob_probe_begin(&bob_probe_here);
	bob_probe_declare(&bob_probe_here, 0, a, NULL);
	bob_probe_declare(&bob_probe_here, 1, b, NULL);
	bob_probe_declare(&bob_probe_here, 2, box, NULL);
}

#ifdef PLAIN
#define X(site, x) (*(volatile __typeof__(x) *)&(x))
#else
#define X(site, x) (*(volatile __typeof__(x) *)&BOB_PROBE_X(site, x))
#endif

#define LOOP(name, site, array, first)                                                             \
	__attribute__((noinline)) static void name(void)                                           \
	{                                                                                          \
		for (int i = first; i < N; i++)                                                    \
			X(site, array[i]) = i;                                                     \
	}
LOOP(beside, OUTSIDE, outside, 0)
LOOP(beyond, BEYOND, box, 4)
LOOP(traced, TRACED, a, 0)

__attribute__((noinline)) static void nest(void)
{
#ifndef PLAIN
	const int64_t trips[1] = { N }, step[2] = { 8, 8 };
	const volatile void *const at[2] = { a, b };

	bob_probe_nest(&bob_probe_here, 0, trips, at, step);
#endif
	for (int i = 0; i < N; i++) {
		((volatile double *)a)[i] = i;
		((volatile double *)b)[i] = i;
	}
}

/* A local variable that is registered and unregistered. */
__attribute__((noinline)) static void declared(void)
{
	for (int i = 0; i < N; i++) {
#ifndef PLAIN
		bob_probe_declare(&bob_probe_here, 0, outside, NULL);
		bob_probe_forget(&bob_probe_here, 0, outside);
#endif
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(void)
{
	static const struct {
		const char *name;
		void (*loop)(void);
		int accesses;
	} kernel[] = { { "outside of everything", beside, N },
		       { "outside the box", beyond, N - 4 },
		       { "traced", traced, N },
		       { "nest", nest, 2 * N },
		       { "declare, forget", declared, N } };

	for (unsigned k = 0; k < sizeof(kernel) / sizeof(kernel[0]); k++) {
		double best = 1e30;

		for (int round = 0; round < ROUNDS; round++) {
			double t = now();

			kernel[k].loop();
			t = now() - t;
			best = t < best ? t : best;
		}
		printf("%s,%.3f\n", kernel[k].name, best / kernel[k].accesses);
	}
	return 0;
}
