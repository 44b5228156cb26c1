/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of folding accesses of an instrumented source: ns per access, minimum of PASSES, processor
 * time, and the bytes of the folded trace. The records are those of bench/source/kernels with a
 * probe for each access; bench/source/figures measures the recording.
 *
 *     tools/build.sh release
 *     gcc -O2 -Isrc -Iinclude bench/fold/bench_records.c -Lbuild/release/lib -lbob_mem -lbob_fold \
 *         -lbob_base -o build/bench_records && build/bench_records [PATTERN [SWEEPS]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "mem/fold.h"

#define PASSES 3
#define N 200u
#define BUFFER_WORDS 65000u
#define RECORDS_MAX (1u << 20) /* per sweep */

static uint64_t record[2 * RECORDS_MAX];
static size_t words;

static void record_access(uint32_t site, uint64_t address)
{
	record[words++] = BOB_MEM_HEADER | site;
	record[words++] = address;
}

/* --- kernels/gather.c --- */

static uint32_t element[N * N];

static void gather(unsigned share)
{
	const uint32_t wanted = N * N / 100 * share;
	unsigned seed = 12345;

	for (uint32_t k = 0; k < N * N; k++) {
		seed = seed * 1103515245 + 12345;
		element[k] = (seed >> 8) % (N * N);
	}
	for (uint32_t k = 0; k < N * N; k++) {
		if (k < wanted)
			record_access(0, 0x100000 + 8 * k);
		if (element[k] < wanted)
			record_access(1, 0x1000000 + 8 * element[k]);
	}
}

/* --- kernels/move.c: rows of three --- */

static void move(unsigned share)
{
	const uint64_t turn = 0x100000, step = 0x1000000, place = 0x2000000;
	const uint32_t wanted = N / 100 * share;

	for (uint32_t m = 0; m < N; m++)
		for (uint32_t i = 0; i < 3; i++) {
			if (m < wanted)
				record_access(0, step + 24 * m + 8 * i);
			if (m + 1 < wanted || share == 100)
				record_access(1, place + 24 * (m + 1) + 8 * i);
			for (uint32_t j = 0; j < 3; j++) {
				if (m + 1 < wanted || share == 100)
					record_access(2, place + 24 * (m + 1) + 8 * i);
				if (m < wanted) {
					record_access(3, turn + 72 * m + 24 * i + 8 * j);
					record_access(4, place + 24 * m + 8 * j);
				}
				if (m + 1 < wanted || share == 100)
					record_access(5, place + 24 * (m + 1) + 8 * i);
			}
		}
}

/* --- kernels/smooth.c: six alternating references --- */

static void record_below(uint32_t site, uint64_t base, uint32_t i, uint32_t j, uint32_t rows)
{
	if (i < rows)
		record_access(site, base + 8 * (N * i + j));
}

static void smooth(unsigned share)
{
	const uint64_t a = 0x100000, b = 0x1000000;
	const uint32_t rows = N / 100 * share;

	for (uint32_t i = 1; i < N - 1; i++)
		for (uint32_t j = 1; j < N - 1; j++) {
			record_below(0, a, i, j, rows);
			record_below(1, a, i - 1, j, rows);
			record_below(2, a, i + 1, j, rows);
			record_below(3, a, i, j - 1, rows);
			record_below(4, a, i, j + 1, rows);
			record_below(5, b, i, j, rows);
		}
	for (uint32_t i = 1; i < N - 1; i++)
		for (uint32_t j = 1; j < N - 1; j++) {
			record_below(6, b, i, j, rows);
			record_below(7, a, i, j, rows);
		}
}

/* --- measuring --- */

static size_t bytes;

static void take(void *ctx, const void *at, size_t len)
{
	(void)ctx, (void)at;
	bytes += len;
}

static const struct bob_mem_desc *describe(void *ctx, uint32_t number)
{
	static struct bob_mem_access access = { .size = 8, .guard = BOB_MEM_NO_WORD };
	static struct bob_mem_desc desc;

	(void)ctx, (void)number;
	desc = (struct bob_mem_desc){ .words = 1,
				      .access_count = 1,
				      .access = &access,
				      .sp_word = BOB_MEM_NO_WORD };
	return &desc;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fold(struct bob_mem_fold *m)
{
	for (size_t at = 0, used; at < words; at += used) {
		const size_t left = words - at < BUFFER_WORDS ? words - at : BUFFER_WORDS;

		if (bob_mem_fold_put(m, record + at, left, 0, &used) != BOB_OK || !used)
			exit(1);
	}
}

/* ns per access. */
static double measure(unsigned sweeps)
{
	const size_t folder_bytes = (bob_folder_size() + 63) & ~(size_t)63;
	const size_t all = folder_bytes + bob_mem_fold_size();
	uint8_t *mem = mmap(NULL, all, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct bob_folder *f;
	struct bob_mem_fold *m;
	double begin;

	if (mem == MAP_FAILED)
		exit(1);
	bytes = 0;
	f = bob_folder_begin(mem, take, NULL);
	m = bob_mem_fold_begin(mem + folder_bytes, f, describe, NULL);
	begin = now_ns();
	for (unsigned i = 0; i < sweeps; i++)
		fold(m);
	begin = now_ns() - begin;
	bob_folder_end(f);
	munmap(mem, all);
	return begin / (double)(words / 2) / sweeps;
}

static const struct {
	const char *name;
	void (*make)(unsigned share);
	unsigned share;
} patterns[] = {
	{ "gather, 5 %", gather, 5 },	{ "gather, 35 %", gather, 35 },
	{ "gather, 65 %", gather, 65 }, { "gather, 100 %", gather, 100 },
	{ "move, 35 %", move, 35 },	{ "move, 100 %", move, 100 },
	{ "smooth, 35 %", smooth, 35 }, { "smooth, 100 %", smooth, 100 },
};

int main(int argc, char **argv)
{
	const unsigned sweeps = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		double best = 1e9;
		unsigned times;

		if (argc > 1 && !strstr(patterns[i].name, argv[1]))
			continue;
		words = 0;
		patterns[i].make(patterns[i].share);
		times = sweeps ? sweeps : 1 + (unsigned)(20000000 / words);
		for (unsigned pass = 0; pass < (sweeps ? 1 : PASSES); pass++) {
			double ns = measure(times);

			best = ns < best ? ns : best;
		}
		printf("%-15s %7zu accesses, %4u times: %5.1f ns each, %zu bytes\n",
		       patterns[i].name, words / 2, times, best, bytes);
	}
	return 0;
}
