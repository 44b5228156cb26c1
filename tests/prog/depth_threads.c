/* SPDX-License-Identifier: BSD-3-Clause */
/* Four threads at once, each with its own pseudo-random call tree. */
#include <pthread.h>

#include "truth.h"

#define THREADS 4

struct work {
	unsigned seed;
	long sum;
	int number;
};

static unsigned next(unsigned *s)
{
	*s = *s * 1664525u + 1013904223u;
	return *s >> 16;
}

TFN long t_leaf(struct work *w)
{
	ENTER(t_leaf);
	LEAVE;
	return (long)(next(&w->seed) % 7);
}

TFN long t_node(struct work *w, int depth)
{
	long r = 0;
	unsigned n = next(&w->seed) % 4;

	ENTER(t_node);
	for (unsigned i = 0; i < n && depth; i++)
		r += next(&w->seed) % 3 ? t_node(w, depth - 1) : t_leaf(w);
	LEAVE;
	return r + 1;
}

TFN void t_thread(struct work *w)
{
	ENTER(t_thread);
	for (int i = 0; i < 200; i++)
		w->sum += t_node(w, 8);
	LEAVE;
}

static void *start(void *arg)
{
	struct work *w = (struct work *)arg;

	truth_begin(w->number, 1 << 16);
	t_thread(w);
	return NULL;
}

int main(void)
{
	static struct work w[THREADS];
	pthread_t id[THREADS];
	struct work check;
	int ok = 1;

	truth_begin(0, 1 << 16);
	for (int i = 0; i < THREADS; i++) {
		w[i].seed = 77u + (unsigned)i;
		w[i].number = i + 1;
		if (pthread_create(&id[i], NULL, start, &w[i]))
			return 97;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	check = (struct work){ .seed = 77u + 3 };
	t_thread(&check);
	ok = check.sum == w[3].sum && check.sum > 200;
	return truth_end(0, ok);
}
