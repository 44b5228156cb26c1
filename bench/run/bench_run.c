/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_run FILE.sym...: size and cost of the codecs on recorded symbols (32-bit words). Per codec:
 * bytes, ns per symbol as the agent would see it, and for RUN the mean of symbols that put out
 * nothing, a bit, or a miss, and p99.99 and the maximum (the timer's own cost is subtracted
 * from the means). Every stream is decoded and compared; a difference fails. */
#include <stdio.h>
#include <time.h>
#include <zstd.h>

#include "../../tests/unit/run/rig.h"

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* One pass with a clock around every symbol. */
static void classes(const uint32_t *sym, size_t n)
{
	uint32_t *ns = malloc(n * sizeof(*ns)), misses = 0;
	uint64_t sum[3] = { 0 }, count[3] = { 0 }, timer = UINT64_MAX;
	struct rig r;

	for (int i = 0; i < 1000; i++) {
		uint64_t t = now_ns();

		t = now_ns() - t;
		timer = t < timer ? t : timer;
	}
	rig_init(&r, 1 << 20);
	if (!ns || rig_open(&r, BOB_CODEC_RUN) != BOB_OK)
		exit(1);
	for (size_t i = 0; i < n; i++) {
		uint32_t cur = r.head.cur, kind;
		uint64_t t = now_ns();

		if (rig_entry(r.enc, sym[i]) != BOB_OK)
			exit(1);
		t = now_ns() - t;
		ns[i] = t > UINT32_MAX ? UINT32_MAX : (uint32_t)t;
		kind = cur == r.head.cur ? 0 : r.enc->u.model.misses == misses ? 1 : 2;
		misses = r.enc->u.model.misses;
		sum[kind] += t > timer ? t - timer : 0;
		count[kind]++;
	}
	qsort(ns, n, sizeof(*ns), by_value);
	for (int k = 0; k < 3; k++)
		printf("    %-8s %9llu symbols, mean %6.1f ns\n",
		       k == 0 ? "silent" : k == 1 ? "bit" : "miss", (unsigned long long)count[k],
		       count[k] ? (double)sum[k] / (double)count[k] : 0.0);
	printf("    p99.99 %u ns, max %u ns, timer %u ns included\n", ns[n - 1 - n / 10000],
	       ns[n - 1], (unsigned)timer);
	rig_fini(&r);
	free(ns);
}

/* Best of three passes; returns the stream's bytes. */
static uint64_t codec(enum bob_codec which, const char *name, const uint32_t *sym, size_t n)
{
	double best = 1e9, dec = 1e9;
	uint64_t bytes = 0;

	for (int pass = 0; pass < 3; pass++) {
		struct rig r;
		uint64_t t, count;
		uint32_t *out;

		rig_init(&r, 1 << 20);
		if (rig_open(&r, which) != BOB_OK)
			exit(1);
		t = now_ns();
		for (size_t i = 0; i < n; i++)
			if (rig_entry(r.enc, sym[i]) != BOB_OK)
				exit(1);
		t = now_ns() - t;
		best = (double)t / (double)n < best ? (double)t / (double)n : best;
		bytes = r.head.slot[r.head.cur & 1].out_len;
		t = now_ns();
		out = rig_read(&r.head, &r, 65536, &count);
		t = now_ns() - t;
		dec = (double)t / (double)n < dec ? (double)t / (double)n : dec;
		if (!out || count != n || memcmp(out, sym, n * sizeof(*sym))) {
			fprintf(stderr, "%s: decoded symbols differ\n", name);
			exit(1);
		}
		free(out);
		rig_fini(&r);
	}
	printf("  %-7s %10llu bytes  encode %5.1f ns/symbol  decode %5.1f\n", name,
	       (unsigned long long)bytes, best, dec);
	return bytes;
}

static void zstd(const uint32_t *sym, size_t n, int level)
{
	size_t room = ZSTD_compressBound(n * 4);
	void *to = malloc(room);

	if (to)
		printf("  zstd-%-2d %10zu bytes\n", level, ZSTD_compress(to, room, sym, n * 4, level));
	free(to);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		uint32_t *sym = NULL;
		size_t n = 0, room = 0, got;
		uint64_t run, parlot;

		if (!f) {
			perror(argv[i]);
			return 1;
		}
		do {
			room = room ? room * 2 : 1 << 20;
			sym = realloc(sym, room * sizeof(*sym));
			if (!sym)
				return 1;
			got = fread(sym + n, sizeof(*sym), room - n, f);
			n += got;
		} while (n == room);
		fclose(f);
		if (!n)
			continue;
		printf("%s: %zu symbols\n", argv[i], n);
		run = codec(BOB_CODEC_RUN, "run", sym, n);
		parlot = codec(BOB_CODEC_PARLOT, "parlot", sym, n);
		codec(BOB_CODEC_NONE, "none", sym, n);
		zstd(sym, n, 3);
		zstd(sym, n, 19);
		printf("  run is %.1f times smaller than parlot\n", (double)parlot / (double)run);
		classes(sym, n);
		free(sym);
	}
	return 0;
}
