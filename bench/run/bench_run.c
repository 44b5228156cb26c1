/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_run [-s | -t] FILE.sym...: size (-s) and cost (-t) of the codecs on recorded symbols,
 * 32-bit words. Sizes in bytes, including zstd's (of the words). Costs in ns per symbol as in the
 * agent, the best of PASSES; for RUN also the mean cost of symbols without output, with a bit, with
 * a miss, in the best pass, without the timer's own time; p99.99 and the maximum are of each
 * symbol's shortest time. Every stream is decoded and compared; a difference is an error. The size
 * table also has the resident KB of the encoder after 999 symbols and at the end. */
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <zstd.h>

#include "../../tests/unit/run/rig.h"

#define PASSES 5
#define INTERRUPTED_NS 20000u	/* longer: interrupted by other work */

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

struct class
{
	uint64_t count;
	double mean;		/* ns, without interruptions, in the best pass */
};

/* One pass with a clock around every symbol. */
static void time_symbols(const uint32_t *sym, size_t n, uint32_t *ns, struct class class[3],
			 uint64_t timer)
{
	uint64_t sum[3] = { 0 }, count[3] = { 0 };
	uint32_t misses = 0;
	struct rig r;

	rig_init(&r, 1 << 20);
	if (rig_open(&r, BOB_CODEC_RUN) != BOB_OK)
		exit(1);
	for (size_t i = 0; i < n; i++) {
		uint32_t cur = r.head.cur, kind;
		uint64_t t = now_ns();

		if (rig_entry(r.enc, sym[i]) != BOB_OK)
			exit(1);
		t = now_ns() - t;
		if (t < ns[i])
			ns[i] = (uint32_t)t;
		kind = cur == r.head.cur ? 0 : r.enc->u.model.misses == misses ? 1 : 2;
		misses = r.enc->u.model.misses;
		if (t < INTERRUPTED_NS) {
			sum[kind] += t > timer ? t - timer : 0;
			count[kind]++;
		}
	}
	for (int k = 0; k < 3; k++)
		if (count[k]) {
			class[k].count = count[k];
			class[k].mean = fmin(class[k].mean, (double)sum[k] / (double)count[k]);
		}
	rig_fini(&r);
}

static void classes(const uint32_t *sym, size_t n)
{
	static const char *const name[] = { "silent", "bit", "miss" };
	struct class class[3] = { { 0, 1e9 }, { 0, 1e9 }, { 0, 1e9 } };
	uint32_t *ns = malloc(n * sizeof(*ns));
	uint64_t timer = UINT64_MAX;

	for (int i = 0; i < 10000; i++) {
		uint64_t t = now_ns();

		t = now_ns() - t;
		timer = t < timer ? t : timer;
	}
	if (!ns)
		exit(1);
	memset(ns, 255, n * sizeof(*ns));
	for (int pass = 0; pass < PASSES; pass++)
		time_symbols(sym, n, ns, class, timer);
	for (int k = 0; k < 3; k++)
		if (class[k].count)
			printf("    %-8s %9llu symbols, mean %6.1f ns\n", name[k],
			       (unsigned long long)class[k].count, class[k].mean);
	qsort(ns, n, sizeof(*ns), by_value);
	printf("    p99.99 %u ns, max %u ns, timer %u ns included\n", ns[n - 1 - n / 10000],
	       ns[n - 1], (unsigned)timer);
	free(ns);
}

/* Resident KB of an encoder after `n` symbols; its tables have a separate mapping, as in the
 * agent. */
static void *map_zeroed(void *ctx, size_t size)
{
	(void)ctx;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static size_t resident(const void *p, size_t size)
{
	unsigned char page[512];
	size_t n = 0;

	if (mincore((void *)(uintptr_t)p, size, page))
		exit(1);
	for (size_t i = 0; i < (size + 4095) / 4096; i++)
		n += page[i] & 1;
	return n * 4;
}

static size_t touched(const uint32_t *sym, size_t n)
{
	struct rig r;
	size_t kb;

	rig_init(&r, 1 << 20);
	free(r.enc);
	r.enc = map_zeroed(NULL, bob_run_enc_size());
	r.io.alloc = map_zeroed;
	if (rig_open(&r, BOB_CODEC_RUN) != BOB_OK)
		exit(1);
	for (size_t i = 0; i < n; i++)
		if (rig_entry(r.enc, sym[i]) != BOB_OK)
			exit(1);
	kb = resident(r.enc, bob_run_enc_size()) + resident(r.enc->mem, r.enc->mem_bytes);
	munmap(r.enc->mem, r.enc->mem_bytes);
	munmap(r.enc, bob_run_enc_size());
	r.enc = calloc(1, bob_run_enc_size());
	rig_fini(&r);
	return kb;
}

struct cost {
	uint64_t bytes;
	double encode, decode;	/* ns per symbol, the best of the passes */
};

static struct cost codec(enum bob_codec which, const char *name, const uint32_t *sym, size_t n,
			 int passes)
{
	struct cost cost = { 0, 1e9, 1e9 };

	for (int pass = 0; pass < passes; pass++) {
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
		cost.encode = fmin(cost.encode, (double)t / (double)n);
		cost.bytes = r.head.slot[r.head.cur & 1].out_len;
		t = now_ns();
		out = rig_read(&r.head, &r, 65536, &count);
		t = now_ns() - t;
		cost.decode = fmin(cost.decode, (double)t / (double)n);
		if (!out || count != n || memcmp(out, sym, n * sizeof(*sym))) {
			fprintf(stderr, "%s: decoded symbols differ\n", name);
			exit(1);
		}
		free(out);
		rig_fini(&r);
	}
	return cost;
}

static size_t zstd(const uint32_t *sym, size_t n, int level)
{
	size_t capacity = ZSTD_compressBound(n * 4);
	void *to = malloc(capacity);
	size_t bytes = to ? ZSTD_compress(to, capacity, sym, n * 4, level) : 0;

	free(to);
	return bytes;
}

static uint32_t *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	uint32_t *sym = NULL;
	size_t capacity = 0, got;

	if (!f) {
		perror(path);
		exit(1);
	}
	*n = 0;
	do {
		capacity = capacity ? capacity * 2 : 1 << 20;
		sym = realloc(sym, capacity * sizeof(*sym));
		if (!sym)
			exit(1);
		got = fread(sym + *n, sizeof(*sym), capacity - *n, f);
		*n += got;
	} while (*n == capacity);
	fclose(f);
	return sym;
}

/* FILE's name without folder and ending. */
static void print_name(const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	printf("| %.*s ", (int)strcspn(base, " ") - (strlen(base) > 4 ? 4 : 0), base);
}

static void sizes(const char *path, const uint32_t *sym, size_t n, double *log_sum)
{
	uint64_t run = codec(BOB_CODEC_RUN, "run", sym, n, 1).bytes;
	uint64_t parlot = codec(BOB_CODEC_PARLOT, "parlot", sym, n, 1).bytes;
	uint64_t none = codec(BOB_CODEC_NONE, "none", sym, n, 1).bytes;
	size_t z3 = zstd(sym, n, 3), z19 = zstd(sym, n, 19);

	print_name(path);
	printf("| %zu | %llu | %llu | %zu | %zu | %llu | %.1f | %zu | %zu |\n", n,
	       (unsigned long long)none, (unsigned long long)parlot, z3, z19,
	       (unsigned long long)run, (double)parlot / (double)run,
	       touched(sym, n < 999 ? n : 999), touched(sym, n));
	*log_sum += log((double)parlot / (double)run);
}

static void times(const char *path, const uint32_t *sym, size_t n)
{
	struct cost run = codec(BOB_CODEC_RUN, "run", sym, n, PASSES);
	struct cost parlot = codec(BOB_CODEC_PARLOT, "parlot", sym, n, PASSES);
	struct cost none = codec(BOB_CODEC_NONE, "none", sym, n, PASSES);

	print_name(path);
	printf("| run %.1f parlot %.1f none %.1f ns/symbol, run/parlot %.2f, decode %.1f\n",
	       run.encode, parlot.encode, none.encode, run.encode / parlot.encode, run.decode);
	classes(sym, n);
}

int main(int argc, char **argv)
{
	int want_sizes = 1, want_times = 1, first = 1, files = 0;
	double log_sum = 0;

	if (argc > 1 && argv[1][0] == '-') {
		want_sizes = argv[1][1] == 's';
		want_times = argv[1][1] == 't';
		first = 2;
	}
	if (want_sizes)
		printf("| stream | symbols | none | parlot | zstd -3 | zstd -19 | run | "
		       "parlot / run | KB at 999 | KB |\n|--|--|--|--|--|--|--|--|--|--|\n");
	for (int i = first; i < argc; i++) {
		size_t n;
		uint32_t *sym = read_file(argv[i], &n);

		if (n) {
			files++;
			if (want_sizes)
				sizes(argv[i], sym, n, &log_sum);
			if (want_times)
				times(argv[i], sym, n);
			fflush(stdout);
		}
		free(sym);
	}
	if (want_sizes && files)
		printf("geometric mean of parlot / run: %.2f (%d streams)\n", exp(log_sum / files),
		       files);
	return 0;
}
