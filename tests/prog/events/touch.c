/* An event in which memory grows by 32 MB, and an empty one; each ten times, in a thread. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include <bobbin/events.h>

#define BYTES (32u << 20)

static void *work(void *arg)
{
	const bob_event_id touch = bob_event_register("touch", 0, NULL),
			   idle = bob_event_register("idle", 0, NULL);

	for (int i = 0; i < 10; i++) {
		char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

		madvise(p, BYTES, MADV_NOHUGEPAGE);
		bob_event_begin(touch);
		for (unsigned k = 0; k < BYTES; k += 4096)
			p[k] = 1;
		bob_event_end(touch);
		munmap(p, BYTES);
		bob_event_begin(idle);
		bob_event_end(idle);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
