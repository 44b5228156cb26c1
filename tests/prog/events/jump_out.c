/* Signal handlers that jump out of the recorder: the text of an event is in unreadable memory.
 * argv: how many times, in the main thread; another thread has events all the while. Prints how
 * many events hooks saw in each. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <bobbin/hooks.h>

static bob_event_id e, other;
static sigjmp_buf back;
static int seen[2];

static void jump(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static void see(void *ctx, const struct bob_hook_event *h)
{
	(void)ctx;
	seen[h->name[0] == 'o'] += h->at_end;
}

static const struct bob_hook hook = {
	.size = sizeof(hook), .flags = BOB_HOOK_CALLBACK_ONLY, .name = "see", .callback = see
};

static void events(const char *text)
{
	BOB_EVENT_BEGIN(e, bob_text(text));
	bob_event_end(e);
}

static void *others(void *unused)
{
	for (int i = 0; i < 50; i++)
		bob_event_instant(other);
	return unused;
}

int main(int argc, char **argv)
{
	const char *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int jumps = argc > 1 ? atoi(argv[1]) : 0;
	struct sigaction a = { .sa_handler = jump, .sa_flags = SA_ONSTACK };
	stack_t s = { .ss_size = 1 << 16 };
	pthread_t t;

	s.ss_sp = malloc(s.ss_size);
	sigaltstack(&s, NULL);
	sigaction(SIGSEGV, &a, NULL);
	e = bob_event_register("e", 0, "string text");
	other = bob_event_register("other", 0, NULL);
	bob_hook_add(&hook);
	pthread_create(&t, NULL, others, NULL);
	for (int i = 0; i < 10; i++)
		events("before");
	for (volatile int i = 0; i < jumps; i++)
		if (!sigsetjmp(back, 1))
			events(nowhere);
	for (int i = 0; i < 10; i++)
		events("after");
	pthread_join(t, NULL);
	printf("%d %d\n", seen[0], seen[1]);
	return 0;
}
