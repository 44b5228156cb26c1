/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of an event's place in the order, by kind of program: ns, the best of PASSES, and the
 * result.
 *
 *     tools/build.sh release
 *     gcc -O2 -Isrc -Iinclude bench/fold/bench_control.c -Lbuild/release/lib -lbob_mem -lbob_fold \
 *         -lbob_base -o bench_control && ./bench_control */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "fold/control.h"

#define PASSES 5
#define EVENTS 20000000u
#define CAPACITY 4096u		/* columns: one for each loop */

struct out {
	unsigned long items, loops, trips; /* trips: bytes of trip counts */
};

static void item(void *ctx, uint32_t i)
{
	(void)i;
	((struct out *)ctx)->items++;
}

static void loop(void *ctx, uint32_t column, const uint32_t *body, uint32_t len)
{
	(void)column, (void)body, (void)len;
	((struct out *)ctx)->loops++;
}

static void trips(void *ctx, uint32_t number, const uint8_t *bytes, size_t len)
{
	(void)number, (void)bytes;
	((struct out *)ctx)->trips += len;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t draw(uint64_t *s, uint64_t n)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (*s >> 33) % n;
}

static unsigned nest(struct bob_control *c, unsigned inner)
{
	unsigned n = 0;

	while (n < EVENTS) {
		bob_control_put(c, 1);
		for (unsigned j = 0; j < inner; j++) {
			bob_control_put(c, 2);
			bob_control_put(c, 3);
		}
		bob_control_put(c, 4);
		n += 2 + 2 * inner;
	}
	return n;
}

static unsigned random_trips(struct bob_control *c, unsigned most)
{
	uint64_t s = 1;
	unsigned n = 0;

	while (n < EVENTS) {
		unsigned inner = (unsigned)draw(&s, most);

		bob_control_put(c, 1);
		for (unsigned j = 0; j < inner; j++)
			bob_control_put(c, 2);
		bob_control_put(c, 3);
		n += 2 + inner;
	}
	return n;
}

static unsigned branch(struct bob_control *c, unsigned ways)
{
	uint64_t s = 1;

	for (unsigned n = 0; n < EVENTS; n += 3) {
		bob_control_put(c, 1);
		bob_control_put(c, 10 + (uint32_t)draw(&s, ways));
		bob_control_put(c, 3);
	}
	return EVENTS;
}

static unsigned random_shapes(struct bob_control *c, unsigned kinds)
{
	uint64_t s = 1;

	for (unsigned n = 0; n < EVENTS; n++)
		bob_control_put(c, (uint32_t)draw(&s, kinds));
	return EVENTS;
}

static void measure(const char *name, unsigned (*make)(struct bob_control *, unsigned),
		    unsigned arg)
{
	struct out out = { 0 };
	double best = 1e18;

	for (int pass = 0; pass < PASSES; pass++) {
		struct bob_control_sink sink = { item, loop, &out };
		struct bob_column_slot *slot = calloc(CAPACITY, sizeof(*slot));
		struct bob_column_full *full = calloc(CAPACITY, sizeof(*full));
		struct bob_trips *histories = calloc(1, sizeof(*histories));
		struct bob_columns columns;
		void *mem = mmap(NULL, bob_control_size(), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (mem == MAP_FAILED || !slot || !full || !histories)
			return;
		out = (struct out){ 0 };
		/* trip counts stay in their columns: no stream of values */
		bob_columns_init(&columns, slot, CAPACITY, full, CAPACITY, NULL, NULL, histories,
				 trips, &out);
		struct bob_control *c = bob_control_init(mem, &sink, &columns);
		double t = now_ns();
		unsigned n = make(c, arg);
		t = (now_ns() - t) / n;
		if (t < best)
			best = t;
		munmap(mem, bob_control_size());
		free(slot);
		free(full);
		free(histories);
	}
	printf("%-26s %4u %7.2f ns %9lu items %6lu loops %9lu bytes of trip counts\n", name, arg,
	       best, out.items, out.loops, out.trips);
}

int main(void)
{
	printf("%u events each, %zu bytes of address space\n", EVENTS, bob_control_size());
	measure("loop in a loop, trips", nest, 3);
	measure("loop in a loop, trips", nest, 15);
	measure("loop in a loop, trips", nest, 1000);
	measure("random trips below", random_trips, 20);
	measure("random branch, ways", branch, 2);
	measure("random branch, ways", branch, 8);
	measure("random shapes", random_shapes, 2);
	measure("random shapes", random_shapes, 16);
	measure("random shapes", random_shapes, 1000);
	return 0;
}
