/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost and size of a value that is not affine, by kind: ns, the best of PASSES, and bytes per
 * value.
 *
 *     tools/build.sh release
 *     gcc -O2 -Isrc -Iinclude bench/fold/bench_values.c -Lbuild/release/lib -lbob_mem -lbob_fold \
 *         -lbob_base -o bench_values && ./bench_values */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "fold/values.h"

#define PASSES 5
#define VALUES 10000000u
#define BITS 20

static void take(void *ctx, const uint8_t *bytes, size_t len)
{
	(void)ctx, (void)bytes, (void)len;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Random differences of `bits` bits, repeated after `period` values. */
static void measure(const char *name, unsigned period, unsigned bits)
{
	double best = 1e18, bytes = 0;

	for (int pass = 0; pass < PASSES; pass++) {
		struct bob_values_enc e;
		uint64_t s = 1, last = 0;
		void *mem = mmap(NULL, bob_values_size(BITS), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (mem == MAP_FAILED)
			return;
		bob_values_enc_init(&e, mem, BITS, take, NULL);
		double t = now_ns();
		for (unsigned i = 0, k = 0; i < VALUES; i++, k++) {
			if (k == period) {
				k = 0;
				s = 1;
			}
			s = s * 6364136223846793005u + 1442695040888963407u;
			bob_values_put(&e, &last, s >> (64 - bits));
		}
		t = (now_ns() - t) / VALUES;
		bob_values_flush(&e);
		if (t < best)
			best = t;
		bytes = (double)e.bytes / VALUES;
		munmap(mem, bob_values_size(BITS));
	}
	printf("%-34s %2u bits %6.2f ns %8.5f bytes\n", name, bits, best, bytes);
}

int main(void)
{
	printf("%u values, history of 2^%d (%zu bytes)\n", VALUES, BITS, bob_values_size(BITS));
	measure("random", VALUES, 4);
	measure("random", VALUES, 12);
	measure("random", VALUES, 20);
	measure("random", VALUES, 48);
	measure("random, repeated after 1000", 1000, 20);
	measure("random, repeated after 100000", 100000, 20);
	measure("random, repeated after 200000", 200000, 20);
	return 0;
}
