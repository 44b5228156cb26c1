/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads that take turns with a mutex. For tests/fuzz/trace_corpus.py. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum, part[2][8];
static void *work(void *p)
{
	int *q = p;
	for (int i = 0; i < 8; i++) {
		q[i] += i;
		pthread_mutex_lock(&m);
		sum += q[i];
		pthread_mutex_unlock(&m);
	}
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, part[0]);
	work(part[1]);
	pthread_join(t, 0);
	return sum < 0;
}
