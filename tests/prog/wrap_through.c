/* SPDX-License-Identifier: BSD-3-Clause */
/* A library for wrap_throw.cc. */
int through(int n, int (*f)(void *), void *p, ...);

int through(int n, int (*f)(void *), void *p, ...)
{
	return n + f(p);
}
