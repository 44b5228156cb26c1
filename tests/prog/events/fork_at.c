/* A process is forked while a thread merges its values with those of another thread. The child adds
 * values, too, and ends. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bobbin/hooks.h>

#include "counting.h"

static bob_event_id step;
static int in[2], go[2];
static pid_t first;

static int merge(void *ctx, void *into, const void *from)
{
	static int times;
	char c = 0;

	(void)ctx;
	if (getpid() == first && !times++ && (write(in[1], &c, 1) != 1 || read(go[0], &c, 1) != 1))
		return 0;
	*(long *)into += *(const long *)from;
	return 1;
}

static void *unpack(void *ctx, const void *bytes, size_t len)
{
	long *set = len == sizeof(long) ? create(ctx) : NULL;

	if (set)
		memcpy(set, bytes, sizeof(long));
	return set;
}

static void result(void *ctx, const char *event, uint32_t phase, const void *set)
{
	(void)ctx;
	printf("%s %u %ld\n", event, phase, *(const long *)set);
}

static const struct bob_value_set sets = { .size = sizeof(sets), .create = create, .add = add,
					   .merge = merge, .pack = pack, .unpack = unpack,
					   .destroy = destroy, .result = result };
static const struct bob_hook hook = { .size = sizeof(hook), .name = "ones", .events = "step",
				      .end = give_one, .set = &sets };

static void *work(void *arg)
{
	for (int i = 0; i < 10; i++)
		bob_event_instant(step);
	return arg;
}

int main(void)
{
	pthread_t t;
	char c = 0;

	first = getpid();
	step = bob_event_register("step", 0, NULL);
	if (!bob_hook_add(&hook) || pipe(in) || pipe(go))
		return 1;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, work, NULL);
	if (read(in[0], &c, 1) != 1)
		return 1;
	if (!fork()) {
		work(NULL);
		return 0;
	}
	wait(NULL);
	if (write(go[1], &c, 1) != 1)
		return 1;
	pthread_join(t, NULL);
	return 0;
}
