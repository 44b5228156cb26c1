/* Cost of a hook's access to the trace so far (docs/hooks.md): processor time and folded bytes, for
 * a regular program and for one with random values, after increasing numbers of events.
 *
 *     gcc -O2 -Iinclude bench/events/so_far.c -o so_far
 *     build/release/bin/bobbin record -q --events -o so_far.bobbin -- ./so_far
 *
 * One line each: values, events so far, folded bytes, microseconds of the first access and of
 * counting its leaves and loops. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <bobbin/hooks.h>

static bob_event_id step, inner, check;
static const char *values;
static uint64_t events;

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void look(void *ctx, const struct bob_hook_event *e)
{
	static uint64_t shape[256], loop[65536];
	const double begin = now_us();
	const struct bob_so_far *s;
	double opened;

	(void)ctx;
	if (e->at_end || bob_hook_so_far(1ull << 30, &s) != BOB_OK)
		return;
	opened = now_us();
	if (s->read->shapes(s->folded) <= 256 && s->read->loops(s->folded) <= 65536)
		s->read->counts(s->folded, 0, 0, shape, loop);
	printf("%s, %llu, %llu, %.0f, %.0f\n", values, (unsigned long long)events,
	       (unsigned long long)s->bytes, opened - begin, now_us() - opened);
}

static const struct bob_hook hook = { .size = sizeof(hook), .flags = BOB_HOOK_CALLBACK_ONLY,
				      .events = "check", .callback = look };

static void run(const char *name, int is_random)
{
	uint64_t seed = 1, next = 1000;

	values = name;
	for (events = 0; events < 1000000;) {
		BOB_EVENT_BEGIN(step, bob_int(is_random ? (int64_t)(seed >> 33) : (int64_t)events));
		for (int i = 0; i < 3; i++)
			bob_event_instant(inner);
		bob_event_end(step);
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		events += 5;
		if (events >= next) {
			bob_event_instant(check);
			next *= 10;
		}
	}
}

int main(void)
{
	step = bob_event_register("step", 0, "int n");
	inner = bob_event_register("inner", 0, NULL);
	check = bob_event_register("check", 0, NULL);
	bob_hook_add(&hook);
	run("regular", 0);
	run("random", 1);
	return 0;
}
