/* SPDX-License-Identifier: BSD-3-Clause */
/* setjmp/longjmp over many frames and through libc frames; sigsetjmp/siglongjmp out of handlers
 * of raised signals and of a real fault. */
#include <setjmp.h>
#include <signal.h>

#include "truth.h"

static jmp_buf env;
static sigjmp_buf sig_env;
static volatile int hits;
static char *volatile nowhere;

TFN void t_jump(int n)
{
	ENTER(t_jump);
	if (n == 0)
		longjmp(env, 1);
	t_jump(n - 1);
	LEAVE;
}

TFN int t_after(int n)
{
	int r;

	ENTER(t_after);
	r = n ? t_after(n - 1) + 1 : 0;
	LEAVE;
	return r;
}

TFN int t_try(int n)
{
	long d;

	ENTER(t_try);
	d = DEPTH_NOW();
	if (setjmp(env) == 0) {
		t_jump(n);
		hits = -1000;
	} else {
		RESTORE(d);
		hits++;
	}
	t_after(2);
	LEAVE;
	return hits;
}

TFN int t_compare_jump(const void *a, const void *b)
{
	static int count;

	ENTER(t_compare_jump);
	if (++count == 20)
		t_jump(3);
	LEAVE;
	return *(const char *)a - *(const char *)b;
}

TFN void t_out_of_qsort(void)
{
	char v[64];
	long d;

	ENTER(t_out_of_qsort);
	d = DEPTH_NOW();
	for (int i = 0; i < 64; i++)
		v[i] = (char)(i * 37 % 64);
	if (setjmp(env) == 0) {
		qsort(v, 64, 1, t_compare_jump);
		hits = -1000;
	} else {
		RESTORE(d);
		hits++;
	}
	t_after(1);
	LEAVE;
}

TFN void t_handler(int sig)
{
	ENTER(t_handler);
	t_after(1);
	siglongjmp(sig_env, sig);
}

TFN void t_raise(int n)
{
	ENTER(t_raise);
	if (n)
		t_raise(n - 1);
	else
		raise(SIGUSR1);
	hits = -1000;
	LEAVE;
}

TFN void t_fault(int n)
{
	ENTER(t_fault);
	if (n)
		t_fault(n - 1);
	else
		*nowhere = 1;
	hits = -1000;
	LEAVE;
}

TFN void t_try_signal(int fault, int n)
{
	long d;

	ENTER(t_try_signal);
	d = DEPTH_NOW();
	if (sigsetjmp(sig_env, 1) == 0) {
		if (fault)
			t_fault(n);
		else
			t_raise(n);
	} else {
		RESTORE(d);
		hits++;
	}
	t_after(1);
	LEAVE;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = t_handler };

	truth_begin(0, 1 << 16);
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	for (int i = 0; i < 10; i++)
		t_try(i * 3);
	t_out_of_qsort();
	for (int i = 0; i < 10; i++) {
		t_try_signal(0, i);
		t_try_signal(1, i * 2);
	}
	t_after(5);
	return truth_end(0, hits == 31);
}
