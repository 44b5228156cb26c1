// SPDX-License-Identifier: BSD-3-Clause
// Exceptions, longjmp and the end of a thread go through wrapped functions: called by qsort and
// bsearch (wrapped in C), and by functions of wrap_through.c with variable arguments (wrapped by a
// stub).
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>

extern "C" int through(int n, int (*f)(void *), void *p, ...);

static int destroyed;
struct Guard {
	~Guard()
	{
		destroyed++;
	}
};

static int throws(const void *, const void *)
{
	Guard g;
	throw std::runtime_error("thrown");
}

static int throws_too(void *p)
{
	Guard g;
	if (p)
		through(0, throws_too, nullptr, 1, 2, 3, 4, 5, 6, 7);
	throw 7;
}

static jmp_buf back;
static int jumps(void *)
{
	longjmp(back, 1);
}

static int jumps_too(const void *, const void *)
{
	longjmp(back, 2);
}

static int ends(void *)
{
	Guard g;
	pthread_exit(nullptr);
}

static void *thread(void *)
{
	Guard g;
	through(1, ends, nullptr);
	return nullptr;
}

static int counts(void *p)
{
	return ++*(int *)p;
}

static void here(int i)
{
	int v[4] = { 4, 3, 2, 1 }, n = i;

	try {
		qsort(v, 4, sizeof(int), throws);
	} catch (const std::exception &e) {
		std::printf("caught %s, %d\n", e.what(), destroyed);
	}
	try {
		Guard g;
		through(2, throws_too, &n, 1.5, 2.5, "x");
	} catch (int c) {
		std::printf("caught %d, %d\n", c, destroyed);
	}
	if (!setjmp(back))
		through(3, jumps, nullptr, 1, 2, 3);
	else
		std::printf("jumped\n");
	if (!setjmp(back))
		qsort(v, 4, sizeof(int), jumps_too);
	else
		std::printf("jumped\n");
	std::printf("%d", through(4, counts, &n, 1, 2, 3));
	std::printf(" %d\n", n);
}

int main()
{
	pthread_t t;

	for (int i = 0; i < 60; i++) // more frames left by longjmp than there are slots
		here(i);
	pthread_create(&t, nullptr, thread, nullptr);
	pthread_join(t, nullptr);
	std::printf("%d destroyed\n", destroyed);
}
