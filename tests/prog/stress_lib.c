/* SPDX-License-Identifier: BSD-3-Clause */
/* The library that stress.c loads and unloads; its constructor and destructor call too. */
static volatile long alive;

__attribute__((noinline)) long stress_step(long n)
{
	alive += n;
	return n;
}

__attribute__((constructor)) static void begin(void)
{
	stress_step(1);
}

__attribute__((destructor)) static void end(void)
{
	stress_step(-1);
}

long stress_call(long n, long (*back)(long));
long stress_call(long n, long (*back)(long))
{
	return back(n) + stress_step(n);
}
