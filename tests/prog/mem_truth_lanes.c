/* SPDX-License-Identifier: BSD-3-Clause */
/* As mem_truth.c: gathers, scatters, masked moves. In loops that compilers generate from C only
 * indirect or conditional accesses are registered; the order of the other loads is up to the
 * compiler. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "mem_truth.h"

#define N 1003

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* --- loops --- */

/* Not static: the compiler shall not know what is in them. */
int column[N], chosen[N];
long wide[N];
double value[N], vector[300], out[N];
volatile double result;
float weight[N], sum[N], source[N];

static void fill(void)
{
	unsigned seed = 3;

	for (int i = 0; i < N; i++) {
		column[i] = (int)(next_random(&seed) % 300);
		wide[i] = (long)(next_random(&seed) % 300);
		chosen[i] = (int)(next_random(&seed) % 3);
		value[i] = i;
		source[i] = (float)i;
	}
}

static NOINLINE double multiply(const int *begin, int rows)
{
	double all = 0;

	for (int i = 0; i < rows; i++) {
		double s = 0;

		for (int k = begin[i]; k < begin[i + 1]; k++)
			s += value[k] * vector[column[k]];
		all += s;
	}
	return all;
}

static void csr(void)
{
	int begin[60];
	unsigned seed = 8;

	begin[0] = 0;
	for (int i = 1; i < 60; i++)
		begin[i] = begin[i - 1] + (int)(next_random(&seed) % 33);
	for (int i = 0; i < 60; i++)
		begin[i] = begin[i] < N ? begin[i] : N;
	truth_register("vector", vector, sizeof(vector));
	result = multiply(begin, 59);
	for (int k = begin[0]; k < begin[59]; k++)
		LOADS(&vector[column[k]], 8);
}

static NOINLINE void take(int n)
{
	for (int i = 0; i < n; i++)
		out[i] = vector[wide[i]];
}

static void indirect(void)
{
	truth_register("vector", vector, sizeof(vector));
	take(N);
	for (int k = 0; k < N; k++)
		LOADS(&vector[wide[k]], 8);
}

static NOINLINE void choose(int n)
{
	for (int i = 0; i < n; i++)
		if (chosen[i])
			sum[i] = weight[i] + source[i];
}

/* The compiler may blend, and then loads all; what it stores are the chosen ones. */
static void conditional(void)
{
	truth_register("sum", sum, sizeof(sum));
	choose(N);
	for (int i = 0; i < N; i++)
		if (chosen[i])
			STORES(&sum[i], 4);
}

/* --- instructions --- */

static _Alignas(64) char bytes[8192];
static int index4[16] = { 40, 8, 9, 700, 3, 100, 12, 5, -7, 8, 8, 8, 1000, 77, 0, 1 };
static long index8[8] = { 40, -8, 9, 7, 3, 100, 12, 5 };
#define MASK 0xa5c3u		/* bits 0 1 6 7 8 10 13 15 */
#define BYTES_MASK 0x8000000180000003ul

static int is_set(unsigned long mask, int bit)
{
	return mask >> bit & 1;
}

static int ones(unsigned long mask)
{
	return __builtin_popcountl(mask);
}

__attribute__((target("avx512f,avx512bw"))) static NOINLINE void wide_run(char *p)
{
	__asm__ volatile(
		"vmovdqu32 index4(%%rip), %%zmm17\n\tvmovdqu64 index8(%%rip), %%zmm30\n\t"
		"kmovd %1, %%k1\n\tvpgatherdd (%0,%%zmm17,4), %%zmm18%{%%k1%}\n\t"
		"kmovd %1, %%k2\n\tvgatherqpd -8(%0,%%zmm30,8), %%zmm19%{%%k2%}\n\t"
		"kmovd %1, %%k2\n\tvpgatherqd (%0,%%zmm30,2), %%ymm20%{%%k2%}\n\t"
		"kmovd %1, %%k2\n\tvpscatterdq %%zmm30, 512(%0,%%ymm17,1)%{%%k2%}\n\t"
		"kxorw %%k3, %%k3, %%k3\n\tvpscatterdd %%zmm30, (%0,%%zmm17,4)%{%%k3%}\n\t"
		"kmovd %1, %%k1\n\tvmovdqu32 1000(%0), %%zmm18%{%%k1%}%{z%}\n\t"
		"vmovdqu32 %%zmm18, 1100(%0)%{%%k1%}\n\t"
		"vpcompressd %%zmm18, 1200(%0)%{%%k1%}\n\t"
		"vexpandpd 1300(%0), %%zmm18%{%%k1%}\n\t"
		"vaddpd 1400(%0)%{1to8%}, %%zmm18, %%zmm19%{%%k1%}\n\t"
		"vaddpd 1400(%0)%{1to8%}, %%zmm18, %%zmm19%{%%k3%}\n\t"
		"vpmovqb %%zmm18, 1500(%0)%{%%k1%}\n\t"
		/* its operand is loaded whatever the mask is */
		"vpermd 1600(%0), %%zmm17, %%zmm19%{%%k3%}\n\t"
		"kmovq %2, %%k4\n\tvmovdqu8 %%zmm18, 1700(%0)%{%%k4%}\n\tvzeroupper" ::"r"(p),
		"r"(MASK), "r"(BYTES_MASK)
		: "memory", "xmm1", "xmm2", "xmm3");
}

static void lanes512(void)
{
	char *p = bytes + 2048;

	truth_register("bytes", bytes, sizeof(bytes));
	wide_run(p);
	for (int i = 0; i < 16; i++)
		if (is_set(MASK, i))
			LOADS(p + 4 * index4[i], 4);
	for (int i = 0; i < 8; i++)
		if (is_set(MASK, i))
			LOADS(p - 8 + 8 * index8[i], 8);
	for (int i = 0; i < 8; i++)
		if (is_set(MASK, i))
			LOADS(p + 2 * index8[i], 4);
	for (int i = 0; i < 8; i++)
		if (is_set(MASK, i))
			STORES(p + 512 + index4[i], 8);
	for (int i = 0; i < 16; i++)
		if (is_set(MASK, i))
			LOADS(p + 1000 + 4 * i, 4);
	for (int i = 0; i < 16; i++)
		if (is_set(MASK, i))
			STORES(p + 1100 + 4 * i, 4);
	for (int i = 0; i < ones(MASK); i++)
		STORES(p + 1200 + 4 * i, 4);
	for (int i = 0; i < ones(MASK & 255); i++)
		LOADS(p + 1300 + 8 * i, 8);
	LOADS(p + 1400, 8);
	for (int i = 0; i < 8; i++)
		if (is_set(MASK, i))
			STORES(p + 1500 + i, 1);
	LOADS(p + 1600, 64);
	for (int i = 0; i < 64; i++)
		if (is_set(BYTES_MASK, i))
			STORES(p + 1700 + i, 1);
}

/* --- faults --- */

static volatile int words[64];
static char *page;
static sigjmp_buf back;

static void on_fault(int sig)
{
	words[40] = sig;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void on_fault_jump(int sig)
{
	words[41] = sig;
	siglongjmp(back, 1);
}

/* Lane 3 is in a page that is not there. */
static NOINLINE void fault_run(char *p, volatile int *q)
{
	q[0] = 1;
	__asm__ volatile("vmovdqu index4(%%rip), %%ymm1\n\tvpcmpeqd %%ymm2, %%ymm2, %%ymm2\n\t"
			 "vpgatherdd %%ymm2, (%0,%%ymm1,4), %%ymm3\n\tvzeroupper" ::"r"(p)
			 : "memory", "xmm1", "xmm2", "xmm3");
	q[1] = 2;
}

/* All lanes are reported when the instruction is over, after the accesses of its handler. */
static void faults(void)
{
	char *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	page = two + 4096;
	index4[3] = 1024 + 7;
	truth_register("words", words, sizeof(words));
	truth_register("pages", two, 8192);
	for (int round = 0; round < 2; round++) {
		mprotect(page, 4096, PROT_NONE);
		signal(SIGSEGV, round ? on_fault_jump : on_fault);
		if (!sigsetjmp(back, 1))
			fault_run(two, words);
		STORES(&words[0], 4);
		STORES(&words[40 + round], 4);
		for (int i = 0; i < 8 && !round; i++)
			LOADS(two + 4 * index4[i], 4);
		if (!round)
			STORES(&words[1], 4);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kernels[] = {
		{ "csr", csr },		  { "indirect", indirect }, { "conditional", conditional },
		{ "lanes512", lanes512 }, { "faults", faults },
	};

	fill();
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (argc > 1 && !strcmp(argv[1], kernels[i].name)) {
			kernels[i].run();
			truth_write();
			return 0;
		}
	return 2;
}
