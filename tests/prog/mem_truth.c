/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels with known accesses: mem_truth KERNEL. Volatile accesses are those of the source at any
 * optimisation; instructions that compilers do not generate are in assembly. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem_truth.h"

#define N 12

/* --- matrix product, triad --- */

static volatile double a[N][N], b[N][N], c[N][N];

static NOINLINE void multiply(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double s = 0;

			for (int k = 0; k < N; k++)
				s += a[i][k] * b[k][j];
			c[i][j] = s;
		}
}

static void matmul(void)
{
	truth_register("a", a, sizeof(a));
	truth_register("b", b, sizeof(b));
	truth_register("c", c, sizeof(c));
	multiply();
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			for (int k = 0; k < N; k++) {
				LOADS(&a[i][k], 8);
				LOADS(&b[k][j], 8);
			}
			STORES(&c[i][j], 8);
		}
}

static NOINLINE void add(volatile float *x, volatile const float *y, volatile const float *z, int n)
{
	for (int i = 0; i < n; i++)
		x[i] = y[i] + 3 * z[i];
}

static void triad(void)
{
	static volatile float x[1000], y[1000], z[1000];

	truth_register("x", x, sizeof(x));
	truth_register("y", y, sizeof(y));
	truth_register("z", z, sizeof(z));
	add(x, y, z, 1000);
	for (int i = 0; i < 1000; i++) {
		LOADS(&y[i], 4);
		LOADS(&z[i], 4);
		STORES(&x[i], 4);
	}
}

/* --- irregular: rows of random length, random columns; a list in random order --- */

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static volatile int row[201], column[2000];
static volatile double value[2000], vector[300], result[200];

static NOINLINE void spmv(void)
{
	for (int i = 0; i < 200; i++) {
		int end = row[i + 1];
		double s = 0;

		for (int k = row[i]; k < end; k++)
			s += value[k] * vector[column[k]];
		result[i] = s;
	}
}

static void csr(void)
{
	unsigned seed = 5, at = 0;

	for (int i = 0; i < 200; i++) {
		row[i] = (int)at;
		for (unsigned k = next_random(&seed) % 10; k; k--)
			column[at++] = (int)(next_random(&seed) % 300);
	}
	row[200] = (int)at;
	int rows[201], columns[2000];
	for (int i = 0; i < 201; i++)
		rows[i] = row[i];
	for (unsigned k = 0; k < at; k++)
		columns[k] = column[k];
	truth_register("value", value, sizeof(value));
	truth_register("vector", vector, sizeof(vector));
	truth_register("result", result, sizeof(result));
	spmv();
	for (int i = 0; i < 200; i++) {
		for (int k = rows[i]; k < rows[i + 1]; k++) {
			LOADS(&value[k], 8);
			LOADS(&vector[columns[k]], 8);
		}
		STORES(&result[i], 8);
	}
}

struct node {
	struct node *volatile next;
	volatile short key;
};
static struct node nodes[500];

static NOINLINE long walk(struct node *n)
{
	long sum = 0;

	for (; n; n = n->next)
		sum += n->key;
	return sum;
}

static void chase(void)
{
	struct node *order[500];
	unsigned seed = 9;

	for (int i = 0; i < 500; i++)
		order[i] = &nodes[i];
	for (int i = 499; i > 0; i--) {
		unsigned k = next_random(&seed) % (unsigned)(i + 1);
		struct node *t = order[i];

		order[i] = order[k];
		order[k] = t;
	}
	for (int i = 0; i < 499; i++)
		order[i]->next = order[i + 1];
	struct node *first = order[0];
	truth_register("nodes", nodes, sizeof(nodes));
	walk(first);
	for (int i = 0; i < 500; i++) {
		LOADS(&order[i]->key, 2);
		LOADS(&order[i]->next, 8);
	}
}

/* --- instructions --- */

static _Alignas(64) char bytes[8192];

static NOINLINE void atomics_run(long *p, int *q)
{
	long expect = -1;

	__atomic_fetch_add(p, 3, __ATOMIC_SEQ_CST);
	__atomic_exchange_n(p + 1, 9, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(p + 2, &expect, 7, 0, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST); /* fails */
	expect = 0;
	__atomic_compare_exchange_n(p + 2, &expect, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	__asm__ volatile("lock; orl $1, %0\n\tlock; btsl $5, %0\n\tlock; incl %0\n\tlock; negl %0"
			 : "+m"(*q)::"cc");
	__asm__ volatile("xchgw %%ax, %0" : "+m"(*(short *)(q + 1))::"ax");
	__asm__ volatile("xorl %%eax, %%eax\n\txorl %%edx, %%edx\n\txorl %%ebx, %%ebx\n\t"
			 "xorl %%ecx, %%ecx\n\tlock; cmpxchg16b %0"
			 : "+m"(*(__int128 *)(void *)(bytes + 64))::"rax", "rbx", "rcx", "rdx",
			   "cc");
	__asm__ volatile("addl $5, %0\n\tincl %0" : "+m"(q[2])::"cc"); /* no lock: load, store */
}

static void atomics(void)
{
	long *p = (void *)bytes;
	int *q = (void *)(bytes + 128);

	truth_register("bytes", bytes, sizeof(bytes));
	atomics_run(p, q);
	ATOMIC(p, 8);
	ATOMIC(p + 1, 8);
	ATOMIC(p + 2, 8);
	ATOMIC(p + 2, 8);
	for (int i = 0; i < 4; i++)
		ATOMIC(q, 4);
	ATOMIC(q + 1, 2);
	ATOMIC(bytes + 64, 16);
	for (int i = 0; i < 2; i++) {
		LOADS(q + 2, 4);
		STORES(q + 2, 4);
	}
}

static NOINLINE void strings_run(char *p)
{
	void *d, *s;
	long n;

	d = p + 4096, s = p, n = 77;
	__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n)::"memory");
	d = p + 4096, n = 9;
	__asm__ volatile("rep stosq" : "+D"(d), "+c"(n) : "a"(1L) : "memory");
	d = p + 4096, n = 0;
	__asm__ volatile("rep stosl" : "+D"(d), "+c"(n) : "a"(1) : "memory"); /* nothing */
	d = p + 4096, n = 100; /* byte 1 is 0 */
	__asm__ volatile("repne scasb" : "+D"(d), "+c"(n) : "a"(0) : "memory", "cc");
	d = p + 4096 + 63, s = p + 63, n = 5;
	__asm__ volatile("std\n\trep movsb\n\tcld" : "+D"(d), "+S"(s), "+c"(n)::"memory");
	d = p + 300, s = p + 200;
	__asm__ volatile("movsq\n\tlodsb\n\tstosw" : "+D"(d), "+S"(s)::"memory", "rax");
	d = p + 500, s = p + 600, n = 3;
	__asm__ volatile("repe cmpsw" : "+D"(d), "+S"(s), "+c"(n)::"memory", "cc");
}

static void strings(void)
{
	char *p = bytes;

	truth_register("bytes", bytes, sizeof(bytes));
	strings_run(p);
	for (int i = 0; i < 77; i++) {
		LOADS(p + i, 1);
		STORES(p + 4096 + i, 1);
	}
	for (int i = 0; i < 9; i++)
		STORES(p + 4096 + 8 * i, 8);
	LOADS(p + 4096, 1);
	LOADS(p + 4097, 1);
	for (int i = 0; i < 5; i++) {
		LOADS(p + 63 - i, 1);
		STORES(p + 4096 + 63 - i, 1);
	}
	LOADS(p + 200, 8);
	STORES(p + 300, 8);
	LOADS(p + 208, 1);
	STORES(p + 308, 2);
	for (int i = 0; i < 3; i++) {
		LOADS(p + 600 + 2 * i, 2);
		LOADS(p + 500 + 2 * i, 2);
	}
}

static NOINLINE void vectors_run(char *p)
{
	__asm__ volatile(
		"movups 1(%0), %%xmm0\n\tmovaps %%xmm0, 64(%0)\n\tmovss 8(%0), %%xmm1\n\t"
		"addpd 16(%0), %%xmm0\n\tmovlps %%xmm0, 40(%0)\n\tmovq %%xmm1, 48(%0)\n\t"
		"fldt 128(%0)\n\tfstpt 160(%0)\n\tfldl 192(%0)\n\tfistpl 200(%0)\n\t"
		"cmpl $1, %%esp\n\tcmovel 204(%0), %%eax\n\tcmovnel 208(%0), %%eax\n\t"
		"pushq 216(%0)\n\tpopq 224(%0)\n\tmovl 232(%0), %%eax\n\tmovl 232(%0), %%eax" ::"r"(
			p)
		: "xmm0", "xmm1", "rax", "memory", "cc");
}

static void vectors(void)
{
	char *p = bytes;

	truth_register("bytes", bytes, sizeof(bytes));
	vectors_run(p);
	LOADS(p + 1, 16), STORES(p + 64, 16), LOADS(p + 8, 4), LOADS(p + 16, 16), STORES(p + 40, 8);
	STORES(p + 48, 8), LOADS(p + 128, 10), STORES(p + 160, 10), LOADS(p + 192, 8),
		STORES(p + 200, 4);
	LOADS(p + 204, 4), LOADS(p + 208, 4), LOADS(p + 216, 8), STORES(p + 224, 8);
	LOADS(p + 232, 4), LOADS(p + 232, 4); /* the first one's value is never used */
}

static int indices[8] = { 40, 8, 9, 700, 3, 100, 12, 5 }, mask[8] = { -1, 0, -1, -1, 0, 0, -1, 0 };

/* The stack pointer is in the registered bytes: accesses there that the program did not make
 * show. */
static NOINLINE void lanes_run(char *p)
{
	__asm__ volatile(
		"movq %%rsp, %%rbx\n\tleaq 6000(%0), %%rsp\n\t"
		"vmovdqu indices(%%rip), %%ymm1\n\tvmovdqu mask(%%rip), %%ymm2\n\t"
		"vmovdqa %%ymm2, %%ymm4\n\tvpgatherdd %%ymm4, (%0,%%ymm1,4), %%ymm3\n\t"
		"vmovdqa %%ymm2, %%ymm4\n\tvgatherdpd %%ymm4, 8(%0,%%xmm1,8), %%ymm3\n\t"
		"vpmaskmovd 4000(%0), %%ymm2, %%ymm5\n\tvmaskmovps %%ymm5, %%ymm2, 4100(%0)\n\t"
		"vmovups 1(%0), %%ymm6\n\tvzeroupper\n\t"
		"btsq %%rax, %%rcx\n\tbtl %%eax, %%ecx\n\tmovq %%rbx, %%rsp" ::"r"(p)
		: "rbx", "rcx", "memory", "cc", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6");
}

static void lanes(void)
{
	char *p = bytes;

	truth_register("bytes", bytes, sizeof(bytes));
	lanes_run(p);
	for (int i = 0; i < 8; i++)
		if (mask[i])
			LOADS(p + 4 * indices[i], 4);
	for (int i = 0; i < 4; i++) /* of 64-bit lanes the upper half decides */
		if (mask[2 * i + 1])
			LOADS(p + 8 + 8 * indices[i], 8);
	for (int i = 0; i < 8; i++)
		if (mask[i])
			LOADS(p + 4000 + 4 * i, 4);
	for (int i = 0; i < 8; i++)
		if (mask[i])
			STORES(p + 4100 + 4 * i, 4);
	LOADS(p + 1, 32);
}

/* --- control that leaves the straight way --- */

static volatile int words[64];
static jmp_buf out;

static NOINLINE void dive(int depth)
{
	words[depth] = depth;
	if (!depth)
		longjmp(out, 1);
	dive(depth - 1);
	words[depth] = 0; /* never */
}

static void jump(void)
{
	truth_register("words", words, sizeof(words));
	for (volatile int i = 0; i < 3; i++)
		if (!setjmp(out))
			dive(20);
		else
			words[63] = 1;
	for (int i = 0; i < 3; i++) {
		for (int k = 20; k >= 0; k--)
			STORES(&words[k], 4);
		STORES(&words[63], 4);
	}
}

static void on_signal(int sig)
{
	words[32] = sig;
	if (sig == SIGUSR1)
		raise(SIGUSR2);
	words[33] = sig;
}

static NOINLINE void signals_run(void)
{
	for (int i = 0; i < 3; i++) {
		words[i] = 1;
		raise(SIGUSR1);
		words[i + 8] = 2;
	}
}

static void signals(void)
{
	truth_register("words", words, sizeof(words));
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	signals_run();
	for (int i = 0; i < 3; i++) {
		STORES(&words[i], 4);
		STORES(&words[32], 4), STORES(&words[32], 4), STORES(&words[33], 4),
			STORES(&words[33], 4);
		STORES(&words[i + 8], 4);
	}
}

static char *page;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	words[40] = 1;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void on_fault_jump(int sig)
{
	(void)sig;
	words[41] = 1;
	siglongjmp(out, 1);
}

/* Three accesses before the one that faults, which happens once, when the page is there. */
static NOINLINE void fault_run(volatile int *p, volatile int *q)
{
	p[0] = p[1];
	p[2] = 5;
	q[3] = 6;
	p[3] = 7;
	q[4] = p[0];
}

#define FAULTS 400 /* more than a record buffer holds */

static void faults(void)
{
	struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	volatile int *q;

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	q = (volatile int *)(void *)page;
	truth_register("words", words, sizeof(words));
	truth_register("page", page, 4096);
	sigaction(SIGSEGV, &sa, NULL);
	for (int i = 0; i < FAULTS; i++) {
		fault_run(words, q);
		mprotect(page, 4096, PROT_NONE);
	}
	signal(SIGSEGV, on_fault_jump);
	for (volatile int i = 0; i < FAULTS; i++)
		if (!sigsetjmp(out, 1))
			fault_run(words, q);
	for (int i = 0; i < FAULTS; i++) {
		LOADS(&words[1], 4), STORES(&words[0], 4), STORES(&words[2], 4);
		STORES(&words[40], 4);
		STORES(&q[3], 4), STORES(&words[3], 4), LOADS(&words[0], 4), STORES(&q[4], 4);
	}
	for (int i = 0; i < FAULTS; i++) {
		LOADS(&words[1], 4), STORES(&words[0], 4), STORES(&words[2], 4);
		STORES(&words[41], 4);
	}
}

/* Signals at any moment: the accesses of the program to x and of the handler to words are known,
 * but not their order; so the handler's accesses are noted as those of another thread. */
static volatile long ticks;

static void on_tick(int sig)
{
	(void)sig;
	words[50] += 1;
	ticks++;
}

static NOINLINE void storm_run(volatile float *x, int n)
{
	for (int pass = 0; pass < 40; pass++)
		for (int i = 1; i < n; i++)
			x[i] = x[i - 1] + 1;
}

static void storm(void)
{
	static volatile float x[100];
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };

	truth_register("x", x, sizeof(x));
	truth_register("words", words, sizeof(words));
	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &often, NULL);
	storm_run(x, 100);
	while (ticks < 8)
		pause();
	setitimer(ITIMER_REAL, &never, NULL);
	for (int pass = 0; pass < 40; pass++)
		for (int i = 1; i < 100; i++) {
			LOADS(&x[i - 1], 4);
			STORES(&x[i], 4);
		}
	for (long i = ticks; i > 0; i--) {
		truth_in(1, 'L', &words[50], 4);
		truth_in(1, 'S', &words[50], 4);
	}
}

/* --- several --- */

static volatile long part[8][100];

static void *work(void *arg)
{
	long t = (long)arg;

	for (int i = 0; i < 100; i++)
		part[t][i] = part[t][99 - i] + t;
	return NULL;
}

static void threads(void)
{
	pthread_t id[8];

	truth_register("part", part, sizeof(part));
	for (long t = 0; t < 8; t++)
		pthread_create(&id[t], NULL, work, (void *)t);
	for (int t = 0; t < 8; t++)
		pthread_join(id[t], NULL);
	for (int t = 0; t < 8; t++)
		for (int i = 0; i < 100; i++) {
			truth_in(1 + t, 'L', &part[t][99 - i], 8);
			truth_in(1 + t, 'S', &part[t][i], 8);
		}
}

/* The child's accesses are in a file of its own, thread 0 there; here they are thread 1. */
static void child(void)
{
	truth_register("words", words, sizeof(words));
	words[0] = 1;
	fflush(stdout);
	pid_t pid = fork();
	if (!pid) {
		words[1] = 2;
		_exit(words[0]);
	}
	waitpid(pid, NULL, 0);
	words[2] = 3;
	STORES(&words[0], 4), STORES(&words[2], 4);
	truth_in(1, 'S', &words[1], 4);
	truth_in(1, 'L', &words[0], 4);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kernels[] = {
		{ "matmul", matmul },	{ "triad", triad },	{ "csr", csr },
		{ "chase", chase },	{ "atomics", atomics }, { "strings", strings },
		{ "vectors", vectors }, { "lanes", lanes },	{ "jump", jump },
		{ "signals", signals }, { "faults", faults },	{ "threads", threads },
		{ "child", child },	{ "storm", storm },
	};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (argc > 1 && !strcmp(argv[1], kernels[i].name)) {
			kernels[i].run();
			truth_write();
			return 0;
		}
	return 2;
}
