/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of folding whole leaves, by kind of program: ns per word, bytes per word, touched memory;
 * and of expanding them. Processor time, the best of PASSES.
 *
 *     tools/build.sh release
 *     gcc -O2 -Isrc -Iinclude bench/fold/bench_folder.c -Lbuild/release/lib -lbob_mem -lbob_fold \
 *         -lbob_base -o build/bench_folder && build/bench_folder */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "bobbin/fold.h"

#define PASSES 3
#define LEAVES 5000000u

struct bytes {
	uint8_t *at;
	size_t len, capacity;
};

static void take(void *ctx, const void *bytes, size_t len)
{
	struct bytes *b = ctx;

	if (b->len + len > b->capacity) {
		b->capacity = (b->len + len) * 2;
		b->at = realloc(b->at, b->capacity);
		if (!b->at)
			exit(1);
	}
	memcpy(b->at + b->len, bytes, len);
	b->len += len;
}

static void *resize(void *ctx, void *old, size_t old_size, size_t size)
{
	(void)ctx, (void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t state = 1;

static uint64_t draw(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % n;
}

/* --- programs: leaves of three words, unless stated otherwise --- */

static struct bob_folder *folder;
static uint32_t shape[4096], words_of[4096], shapes;
static uint64_t leaves, words;

static void put(uint32_t s, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t word[3] = { a, b, c };

	bob_folder_put(folder, shape[s], word);
	leaves++;
	words += words_of[s];
}

static void matmul(void)
{
	for (uint64_t n = 100, i = 0; leaves < LEAVES; i++)
		for (uint64_t j = 0; j < n; j++) {
			put(1, 8 * (i * n + j), i, j);
			for (uint64_t k = 0; k < n; k++)
				put(2, 8 * (i * n + k), 8 * (k * n + j), 8 * (i * n + j));
		}
}

static void triad(void)
{
	for (uint64_t i = 0; leaves < LEAVES; i++)
		put(1, 1000000 + 8 * i, 90000000 + 8 * i, 500000000 + 8 * i);
}

static void triangle(void)
{
	for (uint64_t n = 2000, i = 0; leaves < LEAVES; i = (i + 1) % n) {
		put(1, i, i * i, 0);
		for (uint64_t j = 0; j < i; j++)
			put(2, 8 * (i * n + j), 8 * j, 8 * i);
	}
}

/* Rows of random length, columns at random; the same matrix `sweeps` times. */
static void csr(uint64_t sweeps)
{
	for (uint64_t s = 0, seed = state; s < sweeps; s++) {
		uint64_t at = 0;

		state = seed;
		for (uint64_t row = 0; leaves < (s + 1) * (LEAVES / sweeps); row++) {
			put(1, 8 * row, at, row);
			for (uint64_t k = 5 + draw(20); k; k--, at++)
				put(2, 8 * at, 4 * at, 8 * draw(100000));
		}
	}
}

static void csr_once(void)
{
	csr(1);
}

static void csr_again(void)
{
	csr(40); /* of 125,000 values each: within the history */
}

static void all_random(void)
{
	while (leaves < LEAVES)
		put(1, draw(1u << 30), draw(1u << 30), draw(1u << 30));
}

static void random_branches(void)
{
	for (uint64_t i = 0; leaves < LEAVES; i++)
		put((uint32_t)draw(4), i, i * 8, 5);
}

/* Four thousand blocks in an order that repeats: many columns. */
static void large_body(void)
{
	for (uint64_t i = 0; leaves < LEAVES; i++)
		for (uint32_t s = 0; s < 4000; s++)
			put(s, i * 8, s, i * 64 + s);
}

/* --- measuring --- */

static void run(const char *name, void (*program)(void), uint32_t words_each)
{
	const struct bob_alloc alloc = { resize, NULL };
	double best = 1e99, open = 0, expand = 0;
	struct bytes out = { 0 };
	unsigned char touched[16384];
	size_t pages = 0;

	for (int pass = 0; pass < PASSES; pass++) {
		size_t size = bob_folder_size();
		void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);

		out.len = 0;
		state = 7;
		leaves = words = shapes = 0;
		folder = bob_folder_begin(mem, take, &out);
		for (; shapes < 4096; shapes++) {
			words_of[shapes] = words_each;
			if (bob_folder_shape(folder, &shapes, 4, 0, words_each, &shape[shapes]))
				exit(1);
		}
		double t = now_ns();
		program();
		t = now_ns() - t;
		if (t < best)
			best = t;
		bob_folder_end(folder);
		mincore(mem, size, touched);
		pages = 0;
		for (size_t i = 0; i < size / 4096; i++)
			pages += touched[i] & 1;
		munmap(mem, size);
	}

	struct bob_folded *f;
	struct bob_fold_cursor *k;
	struct bob_fold_event e;
	struct bytes packed = { 0 };
	double t = now_ns();
	if (bob_folded_open(out.at, out.len, 0, &alloc, &f) || bob_fold_cursor_open(f, 0, &k))
		exit(1);
	open = now_ns() - t;
	t = now_ns();
	while (bob_fold_cursor_next(k, &e) == BOB_OK)
		;
	expand = now_ns() - t;
	if (bob_folded_pack(f, take, &packed))
		exit(1);
	printf("%-26s %6.1f %6.1f %10zu %8.4f %8.1f %8.1f %6.1f\n", name, best / (double)words,
	       best / (double)leaves, packed.len, (double)packed.len / (double)words,
	       (double)pages / 256, open / 1e6, expand / (double)leaves);
	bob_fold_cursor_close(k);
	bob_folded_close(f);
	free(packed.at);
	free(out.at);
	fflush(stdout);
}

int main(void)
{
	printf("%-26s %6s %6s %10s %8s %8s %8s %6s\n", "program", "ns/wrd", "ns/leaf", "packed B",
	       "B/word", "MB", "open ms", "expand");
	run("matrix product", matmul, 3);
	run("triad", triad, 3);
	run("triangle", triangle, 3);
	run("sparse matrix, once", csr_once, 3);
	run("sparse matrix, 40 times", csr_again, 3);
	run("random values", all_random, 3);
	run("random branches", random_branches, 3);
	run("4000 blocks in a loop", large_body, 3);
	return 0;
}
