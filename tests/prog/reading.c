/* SPDX-License-Identifier: BSD-3-Clause */
/* A small call tree, known line by line, for the verbs that read: repeats of one call and of a
 * group, recursion, two threads one after the other. tests/e2e/test_reading.py has the texts. */
#include <pthread.h>

static volatile int sink;

#define FN __attribute__((noinline, noclone))

FN void t_leaf(void)
{
	sink++;
}

FN void t_other(void)
{
	sink--;
}

FN void t_step(void)
{
	t_leaf();
	t_other();
	t_leaf();
	t_leaf();
	sink++;
}

FN int t_down(int n)
{
	int r;

	t_leaf();
	r = n ? t_down(n - 1) : 0;
	return r + sink;
}

FN void *t_thread(void *arg)
{
	for (int i = 0; i < 4; i++)
		t_leaf();
	sink++;
	return arg;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 1500; i++)
		t_leaf();
	for (int i = 0; i < 3; i++)
		t_step();
	for (int i = 0; i < 5; i++) {
		t_leaf();
		t_other();
	}
	t_down(2);
	if (pthread_create(&thread, NULL, t_thread, NULL) || pthread_join(thread, NULL))
		return 1;
	t_other();
	return 0;
}
