/* SPDX-License-Identifier: BSD-3-Clause */
/* 100,000 open frames, ended by one longjmp and by returning: more pops between two entries than
 * an ordinary symbol can hold. Once on the main stack (fewer frames), once on a large thread's. */
#include <pthread.h>
#include <setjmp.h>

#include "truth.h"

static __thread jmp_buf env;

TFN int t_down(int n, int jump)
{
	int r;

	ENTER(t_down);
	if (n == 0 && jump)
		longjmp(env, 1);
	r = n ? t_down(n - 1, jump) + 1 : 0;
	LEAVE;
	return r;
}

TFN int t_try(int n)
{
	long d;
	int r = 0;

	ENTER(t_try);
	d = DEPTH_NOW();
	if (setjmp(env) == 0)
		r = t_down(n, 1);
	else
		RESTORE(d);
	r += t_down(3, 0);
	LEAVE;
	return r;
}

TFN int t_all(int n)
{
	int r;

	ENTER(t_all);
	r = t_try(n);
	r += t_down(n, 0);
	r += t_down(1, 0);
	r += t_try(1021) + t_try(1022) + t_try(1023) + t_try(1024) + t_try(2046);
	LEAVE;
	return r;
}

static void *thread(void *arg)
{
	int *ok = (int *)arg;

	truth_begin(1, 1 << 18);
	*ok = t_all(100000) == 100019;
	return NULL;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t id;
	int ok = 0, mine;

	truth_begin(0, 1 << 18);
	mine = t_all(20000) == 20019;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256u << 20);
	if (pthread_create(&id, &attr, thread, &ok) || pthread_join(id, NULL))
		return 97;
	return truth_end(2 * (20001 + 100001) + 2 * (1 + 6 + 24 + 2 + 6141), ok && mine);
}
