/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of a program's own events: processor time of the thread, ns, the best of ROUNDS rounds; one
 * line for each: name, ns. A pair is a beginning and an end. With -DLTTNG the pairs are LTTng
 * tracepoints. Measured at a call depth that programs have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng.h"
#else
#include <bobbin/events.h>
static bob_event_id bare, nowhere, full, nowhere_full, text, nested, value;
#endif

#define ROUNDS 300
#define TIMES 2000
#define DEPTH 6

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#ifdef LTTNG
static void pair(int i)
{
	(void)i;
	lttng_ust_tracepoint(bench, begin);
	lttng_ust_tracepoint(bench, end);
}

static void pair_full(int i)
{
	lttng_ust_tracepoint(bench, begin_with, i, 0.5 * i);
	lttng_ust_tracepoint(bench, end_with, i);
}

static void pair_text(int i)
{
	(void)i;
	lttng_ust_tracepoint(bench, begin_text, "mesh.dat");
	lttng_ust_tracepoint(bench, end);
}
#else
/* The minimum for statistics of times: the counter is read at both ends. */
static void read_counter(int i)
{
	static volatile unsigned long long sum;

	(void)i;
	sum += __builtin_ia32_rdtsc();
	sum += __builtin_ia32_rdtsc();
}

static void pair(int i)
{
	(void)i;
	bob_event_begin(bare);
	bob_event_end(bare);
}

static void pair_nowhere(int i)
{
	(void)i;
	bob_event_begin(nowhere);
	bob_event_end(nowhere);
}

static void pair_full(int i)
{
	BOB_EVENT_BEGIN(full, bob_int(i), bob_real(0.5 * i));
	BOB_EVENT_END(full, bob_int(i));
}

static void pair_nowhere_full(int i)
{
	BOB_EVENT_BEGIN(nowhere_full, bob_int(i), bob_real(0.5 * i));
	BOB_EVENT_END(nowhere_full, bob_int(i));
}

static void pair_text(int i)
{
	(void)i;
	BOB_EVENT_BEGIN(text, bob_text("mesh.dat"));
	bob_event_end(text);
}

static void around(int i)
{
	bob_event_begin(nested);
	pair(i);
	bob_event_end(nested);
}

static void count(int i)
{
	bob_counter_set(value, i);
}
#endif

__attribute__((noinline)) static void measure(const char *name, void (*body)(int), int depth)
{
	double best = 1e18;

	if (depth) {
		measure(name, body, depth - 1);
		__asm__ volatile("");
		return;
	}
	for (int r = 0; r < ROUNDS; r++) {
		double begin = now(), ns;

		for (int i = 0; i < TIMES; i++)
			body(i);
		ns = (now() - begin) / TIMES;
		best = ns < best ? ns : best;
	}
	printf("%s,%.1f\n", name, best);
}

int main(void)
{
#ifndef LTTNG
	bare = bob_event_register("bare", 0, NULL);
	nowhere = bob_event_register("nowhere", BOB_EVENT_NO_SIGNATURE, NULL);
	full = bob_event_register("full", 0, "int n, double x -> int m");
	nowhere_full = bob_event_register("nowhere full", BOB_EVENT_NO_SIGNATURE,
					  "int n, double x -> int m");
	text = bob_event_register("text", 0, "string file");
	nested = bob_event_register("nested", 0, NULL);
	value = bob_counter_register("value", 0);
	measure("time-stamp counter, read twice", read_counter, DEPTH);
	measure("pair without signature", pair_nowhere, DEPTH);
	measure("pair without signature, 3 parameters", pair_nowhere_full, DEPTH);
	measure("pair around a pair", around, DEPTH);
	measure("counter", count, DEPTH);
#endif
	measure("pair", pair, DEPTH);
	measure("pair, 3 parameters", pair_full, DEPTH);
	measure("pair, a string", pair_text, DEPTH);
	return 0;
}
