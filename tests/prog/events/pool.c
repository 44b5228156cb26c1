/* A pool of worker processes without MPI, which are ranks. argv: how, workers. How:
 *   calls    bob_ranks_init, bob_ranks_finalize      named   its own functions replace them
 *   dies     the last worker is killed               never   ... does not finalize; the others wait
 *   exec     workers are other programs              lonely  rank 0 is killed after these ended
 *   rank     one process alone: RANK and RANKS say which */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bobbin/hooks.h>
#include <bobbin/ranks.h>

#include "counting.h"

#define JOBS 20

static const char *how;
static bob_event_id job;

/* --- what hooks bring: a number, and a set of our own --- */

static int merge(void *ctx, void *into, const void *from)
{
	(void)ctx;
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
	fflush(stdout);
}

static const struct bob_value_set sets = { .size = sizeof(sets), .create = create, .add = add,
					   .merge = merge, .pack = pack, .unpack = unpack,
					   .destroy = destroy, .result = result };
static const struct bob_hook ones = {
	.size = sizeof(ones), .name = "ones", .events = "job", .end = give_one
};
static const struct bob_hook often = { .size = sizeof(often), .name = "often", .events = "job",
				       .end = give_one, .set = &sets };

/* --- Init and Finalize --- */

__attribute__((noinline)) void pool_begins(void)
{
	if (strcmp(how, "named"))
		bob_ranks_init(NULL);
	__asm__ volatile("");
}

__attribute__((noinline)) void pool_ends(void)
{
	if (strcmp(how, "named"))
		bob_ranks_finalize();
	__asm__ volatile("");
}

/* --- work --- */

static void prepare(void)
{
	job = bob_event_register("job", 0, "int n");
	bob_hook_add(&ones);
	bob_hook_add(&often);
}

static void work(int jobs)
{
	for (int i = 0; i < jobs; i++) {
		BOB_EVENT_BEGIN(job, bob_int(i));
		bob_event_end(job);
	}
}

static void be_worker(int is_last)
{
	pool_begins();
	work(JOBS);
	if (is_last && !strcmp(how, "dies"))
		kill(getpid(), SIGKILL);
	if (is_last && !strcmp(how, "never"))
		for (;;)
			pause();
	pool_ends();
}

int main(int argc, char **argv)
{
	const int workers = argc > 2 ? atoi(argv[2]) : 4;
	pid_t last = 0;

	how = argc > 1 ? argv[1] : "calls";
	prepare();
	if (!strcmp(how, "worker") || !strcmp(how, "rank")) {
		be_worker(0);
		return 0;
	}
	pool_begins();
	for (int i = 0; i < workers; i++) {
		last = fork();
		if (last)
			continue;
		if (!strcmp(how, "exec"))
			execl(argv[0], argv[0], "worker", (char *)NULL);
		be_worker(i == workers - 1);
		_exit(0);
	}
	work(1);
	for (int i = 0; i < workers - !strcmp(how, "never"); i++)
		wait(NULL);
	if (!strcmp(how, "lonely"))
		kill(getpid(), SIGKILL);
	pool_ends();
	if (!strcmp(how, "never"))
		kill(last, SIGKILL);
	while (wait(NULL) > 0)
		;
	work(1); /* what follows is this process's own */
	return 0;
}
