/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads synchronise by objects in all kinds of places, a known number of times. test_sync.py
 * has the expected table; it finds lines by the words in comments. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t gate;
static sem_t done;
static struct {
	long value;
	pthread_mutex_t lock;
} box[3];
static volatile long sum;

__attribute__((noinline)) static void add(long n)
{
	pthread_mutex_lock(&mutex);	/* add-lock */
	sum += n;
	pthread_mutex_unlock(&mutex);	/* add-unlock */
}

__attribute__((noinline)) static void put(int i)
{
	pthread_mutex_lock(&box[i].lock); /* put-lock */
	box[i].value++;
	pthread_mutex_unlock(&box[i].lock); /* put-unlock */
}

/* Pass the lock itself: only its address identifies it. */
__attribute__((noinline)) static void with(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);	/* with-lock */
	sum++;
	pthread_mutex_unlock(lock);	/* with-unlock */
}

static void *work(void *heap)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < 30; i++) {
		add(i);
		put(i % 3);
	}
	add(-1);
	with(&own);
	with(heap);
	pthread_rwlock_rdlock(&table);	/* read */
	sum++;
	pthread_rwlock_unlock(&table);	/* unread */
	pthread_barrier_wait(&gate);	/* wait */
	sem_post(&done);		/* post */
	return NULL;
}

int main(void)
{
	pthread_mutex_t *heap = calloc(2, sizeof(*heap));
	pthread_t t[2];

	pthread_barrier_init(&gate, NULL, 2);
	sem_init(&done, 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_mutex_init(&box[i].lock, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &heap[i]); /* create */
	for (int i = 0; i < 2; i++)
		sem_wait(&done);	/* take */
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL); /* join */
	with(&heap[0]);
	return 0;
}
