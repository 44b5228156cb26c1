/* A hook ends the process. argv: where (callback, end, or thread: a callback in a thread); the
 * number of the call that does it, from 0; and how: exit, _exit or abort */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bobbin/hooks.h>

static bob_event_id step;
static int calls, last;
static const char *how;

static void count_down(void)
{
	if (calls++ != last)
		return;
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "_exit"))
		_exit(4);
	abort();
}

static void callback(void *ctx, const struct bob_hook_event *e)
{
	const struct bob_so_far *s; /* it is borrowed when the process ends */

	(void)ctx;
	(void)e;
	if (bob_hook_so_far(0, &s) != BOB_OK && calls)
		puts("there is none");
	count_down();
}

static int end(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	(void)ctx;
	(void)e;
	count_down();
	data->d = 1;
	return phase == BOB_PHASE_EVENT;
}

static const struct bob_hook calling = { .size = sizeof(calling),
					 .flags = BOB_HOOK_CALLBACK_ONLY,
					 .callback = callback };
static const struct bob_hook ending = { .size = sizeof(ending), .name = "ones", .end = end };

static void *run(void *arg)
{
	(void)arg;
	for (int i = 0; i < 10; i++) {
		BOB_EVENT_BEGIN(step, bob_int(i));
		bob_event_end(step);
	}
	return NULL;
}

static void at_exit(void)
{
	puts("at exit");
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc < 4)
		return 1;
	last = atoi(argv[2]);
	how = argv[3];
	atexit(at_exit);
	step = bob_event_register("step", 0, "int n");
	bob_hook_add(strcmp(argv[1], "end") ? &calling : &ending);
	if (strcmp(argv[1], "thread")) {
		run(NULL);
	} else {
		pthread_create(&t, NULL, run, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
