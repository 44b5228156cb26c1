/* Threads that are alive when the process finalizes: values of hooks in them count, too. argv:
 * threads */
#include <pthread.h>
#include <stdlib.h>

#include <bobbin/hooks.h>
#include <bobbin/ranks.h>

static bob_event_id job;
static pthread_barrier_t worked, finalized;

static int give_one(void *ctx, const struct bob_hook_event *e, uint32_t phase,
		    union bob_datum *data)
{
	(void)ctx;
	(void)e;
	data->d = 1;
	return phase == BOB_PHASE_EVENT;
}

static const struct bob_hook hook = {
	.size = sizeof(hook), .name = "ones", .events = "job", .end = give_one
};

static void work(int jobs)
{
	for (int i = 0; i < jobs; i++)
		BOB_EVENT_INSTANT(job, bob_int(i));
}

static void *be_thread(void *arg)
{
	work(20);
	pthread_barrier_wait(&worked);
	pthread_barrier_wait(&finalized);
	work(3);
	return arg;
}

__attribute__((noinline)) void pool_ends(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void pool_begins(void)
{
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	const int threads = argc > 1 ? atoi(argv[1]) : 4;
	pthread_t t[64];

	job = bob_event_register("job", 0, "int n");
	bob_hook_add(&hook);
	pool_begins();
	pthread_barrier_init(&worked, NULL, (unsigned)threads + 1);
	pthread_barrier_init(&finalized, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, be_thread, NULL);
	pthread_barrier_wait(&worked);
	pool_ends();
	if (argc > 2) /* they live when the process ends */
		return 0;
	pthread_barrier_wait(&finalized);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
