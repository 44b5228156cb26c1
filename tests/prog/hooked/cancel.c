/* Threads that are cancelled at any moment (PTHREAD_CANCEL_ASYNCHRONOUS), in hooked functions and
 * in the code that records them. argv: how many. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sum;

__attribute__((noinline)) int h_down(int n);

int h_down(int n)
{
	int r = n ? h_down(n - 1) + 1 : 0;

	__asm__ volatile("" : "+r"(r));
	return r;
}

static void *loop(void *unused)
{
	int old;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	for (;;)
		sum += h_down(5);
	return unused;
}

int main(int argc, char **argv)
{
	const int threads = argc > 1 ? atoi(argv[1]) : 10;
	int cancelled = 0;

	for (int i = 0; i < threads; i++) {
		pthread_t t;
		void *result;

		pthread_create(&t, NULL, loop, NULL);
		usleep(500 + (unsigned)i % 700);
		pthread_cancel(t);
		pthread_join(t, &result);
		cancelled += result == PTHREAD_CANCELED;
	}
	printf("%d\n", cancelled);
	return 0;
}
