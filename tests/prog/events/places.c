/* Sets of each place. argv: threads */
#include <pthread.h>
#include <stdlib.h>

#include <bobbin/hooks.h>

static bob_event_id step, flat;
static volatile int deep = 3;

static int give_n(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	(void)ctx;
	data->d = e->count ? (double)e->value[0].i : -1;
	return phase == BOB_PHASE_EVENT;
}

static const struct bob_hook by_place = { .size = sizeof(by_place), .flags = BOB_HOOK_BY_PLACE,
					  .name = "there", .end = give_n };
static const struct bob_hook by_name = { .size = sizeof(by_name), .name = "all", .end = give_n };

__attribute__((noinline)) static void one(int n)
{
	BOB_EVENT_BEGIN(step, bob_int(n));
	BOB_EVENT_INSTANT(flat, bob_int(n));
	BOB_EVENT_END(step, bob_int(n));
}

__attribute__((noinline)) static void left(int n)
{
	one(n);
	__asm__ volatile("");
}

__attribute__((noinline)) static void right(int n)
{
	one(10 * n);
	__asm__ volatile("");
}

/* However deep it is called from, it is one place. */
__attribute__((noinline)) static void again(int n)
{
	if (n)
		again(n - 1);
	else
		right(7);
	__asm__ volatile("");
}

static void *run(void *arg)
{
	for (int i = 0; i < 10; i++) {
		left(i);
		right(i);
		again(1 + i % deep);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[8];
	const int threads = argc > 1 ? atoi(argv[1]) : 1;

	step = bob_event_register("step", 0, "int n -> int m");
	flat = bob_event_register("flat", BOB_EVENT_NO_SIGNATURE, "int n");
	bob_hook_add(&by_place);
	bob_hook_add(&by_name);
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
