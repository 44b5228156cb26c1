/* SPDX-License-Identifier: BSD-3-Clause */
/* Libraries of this machine, translated and put to work, against the same work single-stepped
 * (memrun.h). Those that are not installed are passed over. libcrypto hands flags from function to
 * function. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "memrun.h"

#define BYTES 16384

/* Their allocators give other addresses each time. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SAME_HEAP 0
#else
#define SAME_HEAP 1
#endif

static uint8_t memory[BYTES];
static struct memrun subject;

/* The function of the library; the work is called with its own stack, so this was looked up
 * before. */
static void *function[8];

static long work_zlib(void)
{
	int (*compress)(uint8_t *, unsigned long *, const uint8_t *, unsigned long) = function[0];
	int (*uncompress)(uint8_t *, unsigned long *, const uint8_t *, unsigned long) = function[1];
	unsigned long n = 4000, m = 2000;

	if (compress(memory + 4096, &n, memory, 120) != 0)
		return -1;
	return uncompress(memory + 8192, &m, memory + 4096, n) + (long)n;
}

static long work_zstd(void)
{
	size_t (*compress)(void *, size_t, const void *, size_t, int) = function[0];
	size_t (*decompress)(void *, size_t, const void *, size_t) = function[1];
	size_t n = compress(memory + 4096, 4000, memory, 250, 1);

	return (long)(n + decompress(memory + 8192, 4000, memory + 4096, n));
}

static long work_bzip2(void)
{
	int (*compress)(char *, unsigned *, char *, unsigned, int, int, int) = function[0];
	unsigned n = 4000;

	return compress((char *)memory + 4096, &n, (char *)memory, 20, 1, 0, 0) + (long)n;
}

static long work_lzma(void)
{
	uint32_t (*crc32)(const uint8_t *, size_t, uint32_t) = function[0];
	uint64_t (*crc64)(const uint8_t *, size_t, uint64_t) = function[1];

	return (long)(crc32(memory, 3000, 0) + crc64(memory + 1, 3001, 1));
}

static long work_libm(void)
{
	double (*sine)(double) = function[0], (*power)(double, double) = function[1];
	double (*logarithm)(double) = function[2], (*gamma)(double) = function[3], s = 0;

	for (int i = 1; i < 40; i++)
		s += sine(i * 3.7) + power(i, 1.3) + logarithm(i * 0.01) + gamma(i * 0.3);
	return (long)(s * 1e6);
}

static long work_blas(void)
{
	void (*gemm)(const char *, const char *, const int *, const int *, const int *,
		     const double *, const double *, const int *, const double *, const int *,
		     const double *, double *, const int *) = function[0];
	double *a = (double *)memory, *b = a + 200, *c = a + 400, one = 1;
	long result;
	int n = 9;

	for (int i = 0; i < 200; i++)
		a[i] = b[i] = i % 7;
	gemm("N", "T", &n, &n, &n, &one, a, &n, b, &n, &one, c, &n);
	memcpy(&result, &c[5], sizeof(result));
	return result;
}

/* The old interface: the new one blocks signals, and with them the stepper. */
static long work_crypto(void)
{
	int (*init)(void *) = function[0], (*update)(void *, const void *, size_t) = function[1];
	int (*final)(uint8_t *, void *) = function[2];
	int (*expand)(const uint8_t *, int, void *) = function[3];
	void (*encrypt)(const uint8_t *, uint8_t *, const void *) = function[4];

	init(memory + 8192);
	update(memory + 8192, memory, 1000);
	final(memory + 4096, memory + 8192);
	expand(memory, 256, memory + 9000);
	for (int i = 0; i < 10; i++)
		encrypt(memory + 16 * i, memory + 4200 + 16 * i, memory + 9000);
	return memory[4096];
}

static long work_gmp(void)
{
	uint64_t (*multiply)(uint64_t *, const uint64_t *, long, const uint64_t *, long) =
		function[0];
	uint64_t (*divide)(uint64_t *, long, uint64_t *, long, const uint64_t *, long) =
		function[1];
	uint64_t *a = (uint64_t *)memory, *b = a + 100, *c = a + 200;

	for (int i = 0; i < 60; i++)
		a[i] = b[i] = 0x123456789abcdefull * (uint64_t)(i + 1) | 1ull << 63;
	multiply(c, a, 40, b, 30);
	return (long)divide(a + 800, 0, c, 70, b, 25);
}

/* Memory for sqlite: always the same addresses. */
static uint8_t heap[4u << 20] __attribute__((aligned(16)));
static size_t heap_used;

static void *heap_malloc(int n)
{
	uint64_t *p = (uint64_t *)(void *)(heap + heap_used);

	heap_used += ((size_t)n + 31) & ~15ull;
	p[0] = (uint64_t)n;
	return p + 2;
}

static void heap_free(void *p)
{
	(void)p;
}

static int heap_size(void *p)
{
	return (int)((uint64_t *)p)[-2];
}

static void *heap_realloc(void *p, int n)
{
	return p ? memcpy(heap_malloc(n), p, (size_t)(heap_size(p) < n ? heap_size(p) : n)) :
		   heap_malloc(n);
}

static int heap_round(int n)
{
	return (n + 15) & ~15;
}

static int heap_init(void *ctx)
{
	(void)ctx;
	return 0;
}

static void heap_end(void *ctx)
{
	(void)ctx;
}

static const struct {
	void *(*malloc)(int);
	void (*free)(void *);
	void *(*realloc)(void *, int);
	int (*size)(void *);
	int (*round)(int);
	int (*init)(void *);
	void (*end)(void *);
	void *ctx;
} sqlite_heap = { heap_malloc, heap_free, heap_realloc, heap_size,
		  heap_round,  heap_init, heap_end,	NULL };

static int sqlite_row(void *sum, int n, char **values, char **names)
{
	(void)names;
	for (int i = 0; i < n; i++)
		*(long *)sum = *(long *)sum * 31 + (values[i] ? atol(values[i]) : 7);
	return 0;
}

static long work_sqlite(void)
{
	int (*config)(int, ...) = function[0], (*open)(const char *, void **) = function[1];
	int (*exec)(void *, const char *, int (*)(void *, int, char **, char **), void *, char **) =
		function[2];
	int (*close)(void *) = function[3];
	long sum = 0;
	void *db;

	heap_used = 0;
	if (config(4, &sqlite_heap) != 0 || open(":memory:", &db) != 0)
		return -1;
	exec(db,
	     "with recursive n(i) as (select 1 union all select i + 1 from n where i < 4)"
	     " select sum(i / 3.0) * 100, max('x' || i) from n where i % 2;",
	     sqlite_row, &sum, NULL);
	close(db);
	return sum;
}

static const struct library {
	const char *path;
	long (*work)(void);
	const char *function[5];
	bool allocates;
	bool draws;		/* random numbers, into its data */
} libraries[] = {
	{ "libz.so.1", work_zlib, { "compress", "uncompress" }, true, false },
	{ "libzstd.so.1", work_zstd, { "ZSTD_compress", "ZSTD_decompress" }, true, false },
	{ "libbz2.so.1.0", work_bzip2, { "BZ2_bzBuffToBuffCompress" }, true, false },
	{ "liblzma.so.5", work_lzma, { "lzma_crc32", "lzma_crc64" }, false, false },
	{ "libm.so.6", work_libm, { "sin", "pow", "log", "tgamma" }, false, false },
	{ "libblas.so.3", work_blas, { "dgemm_" }, false, false },
	{ "libcrypto.so.3",
	  work_crypto,
	  { "SHA512_Init", "SHA512_Update", "SHA512_Final", "AES_set_encrypt_key", "AES_encrypt" },
	  false,
	  false },
	{ "libgmp.so.10", work_gmp, { "__gmpn_mul", "__gmpn_divrem" }, false, false },
	{ "libsqlite3.so.0",
	  work_sqlite,
	  { "sqlite3_config", "sqlite3_open", "sqlite3_exec", "sqlite3_close" },
	  false,
	  true },
};

static unsigned run_library(const struct library *l)
{
	struct memrun *m = &subject;
	struct memrun_call c = { 0 };
	char path[256];
	bool ok;

	snprintf(path, sizeof(path), "/usr/lib/x86_64-linux-gnu/%s", l->path);
	if (access(path, R_OK) != 0) {
		printf("%s: not here\n", l->path);
		return 0;
	}
	if (l->allocates && !SAME_HEAP) {
		printf("%s: allocates\n", l->path);
		return 0;
	}
	memrun_limit = 200;
	memrun_open(m, path);
	for (int i = 0; i < 5 && l->function[i]; i++) {
		function[i] = dlsym(m->handle, l->function[i]);
		assert_non_null(function[i]);
	}
	for (size_t i = 0; i < BYTES; i++)
		memory[i] = (uint8_t)("a trace of "[i % 11] + (i * i >> 9) % 5);
	c.fn = (uint64_t)(uintptr_t)l->work;
	m->data_varies = l->draws;
	ok = memrun_both(m, l->path, &c, memory, sizeof(memory));
	printf("%-18s result %lx, %zu accesses, %lu records, %lu drains, %lu traps%s\n", l->path,
	       (unsigned long)memrun_out.reg[0], m->stepped.count, (unsigned long)m->records,
	       (unsigned long)m->drains, (unsigned long)m->traps, ok ? "" : "  WRONG");
	ok &= m->stepped.count > 1000 && m->records > 10; /* a loop is one */
	memrun_close(m);
	return !ok;
}

static void test_libraries(void **state)
{
	const char *only = getenv("BOB_LIBRARY");
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (!only || strstr(libraries[i].path, only))
			wrong += run_library(&libraries[i]);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),
	};

#ifdef __SANITIZE_THREAD__
	(void)tests;
	printf("skipped: the thread sanitizer delays signals, and the stepper waits for ever\n");
	return 77;
#else
	return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
