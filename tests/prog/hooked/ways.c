/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions (h_...) that are entered and left in every way. usage: ways LOG_FOLDER CASE... Each
 * thread logs its entries and exits in a file of LOG_FOLDER. Results go to stdout, the same with
 * and without recording. */
#include <errno.h>
#include <execinfo.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "log.h"

/* --- arguments, results, state --- */

struct big {
	long v[6];
};

HOOKED double h_many(int a, double b, long c, float d, short e, int f, long g, int h, double i)
{
	SAY_IN(r, double, a + b + (double)c + d + e + f + (double)g + h + i);
}

HOOKED long double h_long_double(long double x)
{
	SAY_IN(r, long double, x * 3);
}

HOOKED __int128 h_wide(__int128 x)
{
	SAY_IN(r, __int128, x *x);
}

HOOKED _Complex double h_complex(_Complex double z)
{
	SAY_IN(r, _Complex double, z *z);
}

HOOKED struct big h_struct(struct big s, long x)
{
	begins(__func__);
	for (int i = 0; i < 6; i++)
		s.v[i] += x;
	ends(__func__);
	return s;
}

HOOKED int h_varargs(int n, ...)
{
	va_list ap;
	int sum = 0;

	begins(__func__);
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		sum += i & 1 ? (int)va_arg(ap, double) : va_arg(ap, int);
	va_end(ap);
	ends(__func__);
	return sum;
}

#if defined(__AVX__)
#include <immintrin.h>
HOOKED __m256d h_vector(__m256d a, __m256d b)
{
	SAY_IN(r, __m256d, _mm256_add_pd(a, b));
}
#endif

#if defined(__AVX512F__)
HOOKED __m512d h_wide_vector(__m512d a, __m512d b)
{
	SAY_IN(r, __m512d, _mm512_add_pd(a, b));
}

__attribute__((noinline, noclone, used)) void h_touches_nothing(void);
void h_touches_nothing(void)
{
	__asm__ volatile("nop\nnop\nnop\nnop\nnop\nnop");
}

/* Registers that only these processors have. They are used after a hooked call, as by a compiler
 * that sees that the function does not touch them. */
static void keep_wide(void)
{
	__m512d v = h_wide_vector(_mm512_set1_pd(1.5), _mm512_set_pd(8, 7, 6, 5, 4, 3, 2, 1));
	double out[8], high[8], in[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	unsigned mask = 0;

	_mm512_storeu_pd(out, v);
	for (int i = 0; i < 8; i++)
		printf("%g ", out[i]);
	begins("h_touches_nothing");
	__asm__ volatile(
		"vmovupd %2, %%zmm31\nkmovw %3, %%k5\nsubq $128, %%rsp\ncall h_touches_nothing\n"
		"subq $-128, %%rsp\nvmovupd %%zmm31, %0\nkmovw %%k5, %1\n"
		: "=m"(high), "=r"(mask)
		: "m"(in), "r"(0x5a5a)
		: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc",
		  "xmm0", "xmm1", "xmm31", "k5");
	ends("h_touches_nothing");
	for (int i = 0; i < 8; i++)
		printf("%g ", high[i]);
	printf("%x\n", mask);
}
#endif

HOOKED int h_errno(int x)
{
	begins(__func__);
	errno = x;
	ends(__func__);
	return x;
}

static void state(void)
{
	struct big s = { { 1, 2, 3, 4, 5, 6 } };

	fesetround(FE_UPWARD);
	printf("%.17g %.20Lg %d\n", h_many(1, 2.5, 3, 4.25f, 5, 6, 7, 8, 1.0 / 3),
	       h_long_double(1.0L / 3), fegetround() == FE_UPWARD);
	fesetround(FE_TONEAREST);
	printf("%lld %g %ld %d\n", (long long)h_wide(1 << 20), __imag__ h_complex(1 + 2i),
	       h_struct(s, 10).v[5], h_varargs(5, 1, 2.0, 3, 4.0, 5));
#if defined(__AVX__)
	if (__builtin_cpu_supports("avx")) {
		__m256d v = h_vector(_mm256_set1_pd(1.5), _mm256_set_pd(4, 3, 2, 1));

		printf("%g %g %g %g\n", v[0], v[1], v[2], v[3]);
	}
#endif
#if defined(__AVX512F__)
	keep_wide();
#endif
	errno = 5;
	h_many(1, 2, 3, 4, 5, 6, 7, 8, 9);
	printf("%d ", errno);
	printf("%d %d\n", h_errno(7), errno);
}

/* --- recursion, jumps --- */

HOOKED int h_deep(int n)
{
	SAY_IN(r, int, n ? h_deep(n - 1) + 1 : 0);
}

static jmp_buf back;
static sigjmp_buf back_with_mask;

HOOKED void h_jumps(int n)
{
	begins(__func__);
	if (!n)
		longjmp(back, 1);
	h_jumps(n - 1);
	abort();
}

HOOKED int h_lands(int n)
{
	begins(__func__);
	if (!setjmp(back))
		h_jumps(n);
	left("h_jumps", n + 1);
	h_deep(1);
	ends(__func__);
	return n;
}

static void jumps(void)
{
	int sum = 0;

	for (int i = 0; i < 50; i++)
		sum += h_lands(i % 7);
	printf("%d %d\n", sum, h_deep(3000));
}

/* --- signals --- */

HOOKED void h_handler(int sig)
{
	begins(__func__);
	h_deep(sig == SIGUSR1);
	ends(__func__);
}

HOOKED void h_leaving_handler(int sig)
{
	begins(__func__);
	h_deep(2);
	(void)sig;
	siglongjmp(back_with_mask, 1);
}

HOOKED void h_raises(int sig)
{
	begins(__func__);
	raise(sig);
	ends(__func__);
}

static void on_stack(int sig, void (*fn)(int), int flags)
{
	struct sigaction a = { .sa_handler = fn, .sa_flags = flags };

	sigaction(sig, &a, NULL);
}

static void signals(void)
{
	static char alternate[65536];
	stack_t s = { .ss_sp = alternate, .ss_size = sizeof(alternate) };

	sigaltstack(&s, NULL);
	on_stack(SIGUSR1, h_handler, 0);
	on_stack(SIGUSR2, h_handler, SA_ONSTACK);
	for (int i = 0; i < 20; i++)
		h_raises(i & 1 ? SIGUSR1 : SIGUSR2);
	on_stack(SIGUSR1, h_leaving_handler, 0);
	for (int i = 0; i < 5; i++) {
		if (!sigsetjmp(back_with_mask, 1))
			h_raises(SIGUSR1);
		left("h_leaving_handler", 1);
		left("h_raises", 1);
		h_deep(0);
	}
	puts("signals");
}

/* --- threads --- */

static void say_cleanup(void *p)
{
	h_deep(*(int *)p);
}

HOOKED void h_waits(int n)
{
	begins(__func__);
	pthread_cleanup_push(say_cleanup, &n);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
}

HOOKED void h_exits(int n)
{
	begins(__func__);
	if (!n)
		pthread_exit((void *)5);
	h_exits(n - 1);
	abort();
}

static void *thread(void *p)
{
	const long n = (long)p;

	log_begin();
	for (int i = 0; i < 200; i++)
		h_deep((int)(n + i) % 5);
	h_exits((int)n);
	return p;
}

static int waits;

HOOKED void *h_cancelled(void *p)
{
	log_begin();
	begins(__func__);
	h_deep(1);
	__atomic_store_n(&waits, 1, __ATOMIC_SEQ_CST);
	h_waits(2);
	return p;
}

static void threads(void)
{
	pthread_t t[4];
	void *r;

	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, thread, (void *)i);
	for (long i = 0; i < 4; i++) {
		pthread_join(t[i], &r);
		printf("%ld ", (long)r);
	}
	pthread_create(&t[0], NULL, h_cancelled, NULL);
	while (!__atomic_load_n(&waits, __ATOMIC_SEQ_CST))
		usleep(1000);
	pthread_cancel(t[0]);
	pthread_join(t[0], &r);
	printf("%d\n", r == PTHREAD_CANCELED);
}

/* --- processes --- */

HOOKED int h_forks(int n)
{
	int status = 0;
	pid_t pid;

	begins(__func__);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		log_begin_child();
		printf("child %d\n", h_deep(n));
		return -1; /* through a frame that was hooked in the parent */
	}
	waitpid(pid, &status, 0);
	printf("status %d\n", WEXITSTATUS(status));
	ends(__func__);
	return WEXITSTATUS(status);
}

HOOKED int h_vforks(void)
{
	int status;
	pid_t pid;

	begins(__func__);
	fflush(stdout);
	pid = vfork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", "exit 4", NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	ends(__func__);
	return WEXITSTATUS(status);
}

static void processes(void)
{
	int r = h_forks(3);

	if (r < 0) {
		log_write();
		fflush(stdout);
		_exit(9);
	}
	printf("%d\n", h_vforks());
}

/* --- stacks that are looked at, and changed --- */

HOOKED void h_shows(int n)
{
	void *at[64];
	char **names;
	int k;

	begins(__func__);
	if (n) {
		h_shows(n - 1);
	} else {
		k = backtrace(at, 64);
		names = backtrace_symbols(at, k);
		for (int i = 0; i < k; i++) /* without addresses */
			printf("%.*s\n", (int)strcspn(names[i], "["), names[i]);
		free(names);
	}
	ends(__func__);
}

static void shown_by_handler(int sig)
{
	(void)sig;
	h_shows(1);
}

static void backtraces(void)
{
	h_shows(4);
	on_stack(SIGUSR1, shown_by_handler, 0);
	h_raises(SIGUSR1);
}

static ucontext_t main_context, other[3];

HOOKED void h_step(int n)
{
	h_deep(n);
	swapcontext(&other[n], &main_context);
	h_deep(n);
}

HOOKED void h_coroutine(int n)
{
	for (int i = 0; i < 3; i++)
		h_step(n);
}

HOOKED void h_resume(int n)
{
	swapcontext(&main_context, &other[n]);
}

static void coroutines(void)
{
	static char stack[3][65536];

	for (int i = 0; i < 3; i++) {
		getcontext(&other[i]);
		other[i].uc_stack.ss_sp = stack[i];
		other[i].uc_stack.ss_size = sizeof(stack[i]);
		other[i].uc_link = &main_context;
		makecontext(&other[i], (void (*)(void))h_coroutine, 1, i);
	}
	for (int i = 0; i < 12; i++)
		h_resume(i % 3);
	puts("coroutines");
}

/* --- calls in place of returns; only with optimisation --- */

HOOKED int h_last(int n)
{
	SAY_IN(r, int, n * 2);
}

HOOKED int h_middle(int n)
{
	begins(__func__);
	return h_last(n + 1);
}

HOOKED int h_first(int n)
{
	begins(__func__);
	return h_middle(n + 1);
}

static void tails(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++) {
		sum += h_first(i);
		ends("h_middle");
		ends("h_first");
	}
	printf("%d\n", sum);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = { { "state", state },	    { "jumps", jumps },
		      { "signals", signals },	    { "threads", threads },
		      { "processes", processes },   { "backtraces", backtraces },
		      { "coroutines", coroutines }, { "tails", tails } };

	log_folder = argv[1];
	log_begin();
	for (int a = 2; a < argc; a++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			if (!strcmp(argv[a], cases[i].name))
				cases[i].run();
	log_write();
	return argc;
}
