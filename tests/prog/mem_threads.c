/* 900 threads start and end; with an argument some stay, and the process executes another
 * program. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static long a[1000];
static int started;

static void touch(long *x, int n)
{
	for (int i = 0; i < n; i++)
		x[i] += i;
}

static void *short_life(void *number)
{
	touch(a + (long)number, 7);
	return NULL;
}

static void *stays(void *number)
{
	touch(a + 10 * (long)number, 10);
	__atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[3];

	touch(a, 1000);
	for (long k = 0; k < 900; k += 3) {
		for (long i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, short_life, (void *)(k + i));
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
	}
	if (argc > 1) {
		for (long i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, stays, (void *)i);
		while (__atomic_load_n(&started, __ATOMIC_SEQ_CST) < 3)
			usleep(1000);
		execl("/bin/echo", "echo", "another", (char *)NULL);
	}
	printf("%ld\n", a[5]);
	(void)argv;
	return 0;
}
