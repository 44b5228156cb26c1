/* Hooks of all kinds, and what they bring. argv: threads */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/hooks.h>

static bob_event_id step, inner, far;
static int printed;
static jmp_buf back;

/* --- numbers: what was begun with, and how often --- */

static __thread int64_t n;

static void keep_n(void *ctx, const struct bob_hook_event *e, uint32_t phase)
{
	(void)ctx;
	if (phase == BOB_PHASE_EVENT && e->count)
		n = e->value[0].i;
}

static int give_n(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	(void)ctx;
	(void)e;
	data->d = (double)n;
	return phase == BOB_PHASE_EVENT;
}

static const struct bob_hook numbers = { .size = sizeof(numbers), .name = "n", .events = "step",
					 .start = keep_n, .end = give_n };

/* --- a callback: of some only; it has an event itself, which no hook is called for --- */

static void report(void *ctx, const struct bob_hook_event *e)
{
	(void)ctx;
	errno = 77;
	if (__atomic_fetch_add(&printed, 1, __ATOMIC_RELAXED) >= 4)
		return;
	printf("%s %s", e->name, e->at_end ? "ends" : "begins");
	for (uint32_t i = 0; i < e->count; i++)
		printf(" %s=%lld", e->parameter[i].name, (long long)e->value[i].i);
	puts("");
	bob_event_instant(inner);
}

static const struct bob_hook callback = { .size = sizeof(callback), .flags = BOB_HOOK_CALLBACK_ONLY,
					  .kinds = BOB_HOOK_CUSTOM, .events = "x:st[e]p",
					  .when = "n >= 7 && n != 8", .callback = report };

/* --- a set of its own --- */

struct set {
	long count, sum;
};

static void *create(void *ctx)
{
	(void)ctx;
	return calloc(1, sizeof(struct set));
}

static int add(void *ctx, void *set, const union bob_datum *data)
{
	struct set *s = set;

	(void)ctx;
	s->count++;
	s->sum += (long)(intptr_t)data->p;
	return 1;
}

static int merge(void *ctx, void *into, const void *from)
{
	struct set *a = into;
	const struct set *b = from;

	(void)ctx;
	a->count += b->count;
	a->sum += b->sum;
	return 1;
}

static size_t pack(void *ctx, const void *set, void *to, size_t capacity)
{
	(void)ctx;
	if (capacity >= sizeof(struct set))
		memcpy(to, set, sizeof(struct set));
	return sizeof(struct set);
}

static void *unpack(void *ctx, const void *bytes, size_t len)
{
	void *s = len == sizeof(struct set) ? create(ctx) : NULL;

	if (s)
		memcpy(s, bytes, len);
	return s;
}

static size_t print(void *ctx, const void *set, char *to, size_t capacity)
{
	const struct set *s = set;

	(void)ctx;
	return (size_t)snprintf(to, capacity, "%ld times, %ld", s->count, s->sum);
}

static void destroy(void *ctx, void *set)
{
	(void)ctx;
	free(set);
}

static void result(void *ctx, const char *event, uint32_t phase, const void *set)
{
	const struct set *s = set;

	(void)ctx;
	printf("result %s %u: %ld times, %ld\n", event, phase, s->count, s->sum);
}

static const struct bob_value_set own = { .size = sizeof(own), .create = create, .add = add,
					  .merge = merge, .pack = pack, .unpack = unpack,
					  .print = print, .destroy = destroy, .result = result };

static int give(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	(void)ctx;
	(void)e;
	data->p = (void *)(intptr_t)(phase == BOB_PHASE_EVENT ? 10 : 1);
	return 1;
}

static const struct bob_hook with_set = { .size = sizeof(with_set), .name = "set",
					  .events = "step:inner", .end = give, .set = &own };

/* --- one that is left --- */

static void leave(void *ctx, const struct bob_hook_event *e)
{
	(void)ctx;
	if (e->at_end)
		longjmp(back, 1);
}

static const struct bob_hook leaving = { .size = sizeof(leaving), .flags = BOB_HOOK_CALLBACK_ONLY,
					 .events = "far", .callback = leave };

static const struct bob_hook bad_when = {
	.size = sizeof(bad_when), .name = "bad", .when = "n >> 2", .end = give
};
static const struct bob_hook no_function = { .size = sizeof(no_function), .name = "none" };
static const struct bob_hook old = { .size = 8, .name = "old", .end = give };

static void *work(void *arg)
{
	(void)arg;
	for (int i = 0; i < 10; i++) {
		BOB_EVENT_BEGIN(step, bob_int(i));
		if (i % 2)
			bob_event_instant(inner);
		errno = 5;
		BOB_EVENT_END(step, bob_int(i * 2));
		if (errno != 5)
			puts("errno has changed");
	}
	return NULL;
}

static void jump(void)
{
	bob_event_begin(far);
	if (!setjmp(back))
		bob_event_end(far);
	else
		puts("left");
}

int main(int argc, char **argv)
{
	pthread_t t[16];
	const int threads = argc > 1 ? atoi(argv[1]) : 1;

	step = bob_event_register("step", 0, "int n -> int r");
	inner = bob_event_register("inner", 0, NULL);
	far = bob_event_register("far", 0, NULL);
	printf("%d%d%d%d", bob_hook_add(&numbers), bob_hook_add(&callback), bob_hook_add(&with_set),
	       bob_hook_add(&leaving));
	printf("%d%d%d%d\n", bob_hook_add(&bad_when), bob_hook_add(&no_function),
	       bob_hook_add(&old), bob_hook_add(NULL));
	jump();
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
