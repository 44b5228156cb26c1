/* Steps of nested events, to be flushed. argv: ranks, steps, ns to sleep in each step, "kill": all
 * ranks are killed after the last one, "threads": ranks are threads of one process */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bobbin/hooks.h>
#include <bobbin/ranks.h>

static bob_event_id step, part;
static int steps;
static long ns;

static int give_one(void *ctx, const struct bob_hook_event *e, uint32_t phase,
		    union bob_datum *data)
{
	(void)ctx;
	(void)e;
	data->d = 1;
	return phase == BOB_PHASE_EVENT;
}

static const struct bob_hook hook = {
	.size = sizeof(hook), .name = "ones", .events = "step", .end = give_one
};

static void *work(void *arg)
{
	const struct timespec t = { 0, ns };

	for (int i = 0; i < steps; i++) {
		BOB_EVENT_BEGIN(step, bob_int(i));
		for (int k = 0; k < i % 3; k++) {
			BOB_EVENT_BEGIN(part, bob_int(k * i));
			bob_event_end(part);
		}
		if (ns)
			nanosleep(&t, NULL);
		bob_event_end(step);
	}
	return arg;
}

static void work_in_threads(int threads)
{
	pthread_t t[64];

	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 4 ? argv[4] : "";
	const int ranks = atoi(argv[1]);
	pid_t worker[64];

	steps = atoi(argv[2]);
	ns = atol(argv[3]);
	step = bob_event_register("step", 0, "int n");
	part = bob_event_register("part", 0, "int k");
	bob_hook_add(&hook);
	if (!strcmp(how, "threads")) {
		work_in_threads(ranks);
		return 0;
	}
	bob_ranks_init(NULL);
	for (int i = 1; i < ranks; i++) {
		worker[i] = fork();
		if (worker[i])
			continue;
		bob_ranks_init(NULL);
		kill(getpid(), SIGSTOP); /* until all are there */
		work(NULL);
		if (!strcmp(how, "kill"))
			kill(getpid(), SIGKILL);
		bob_ranks_finalize();
		_exit(0);
	}
	for (int i = 1; i < ranks; i++)
		waitpid(worker[i], NULL, WUNTRACED);
	for (int i = 1; i < ranks; i++)
		kill(worker[i], SIGCONT);
	work(NULL);
	while (!strcmp(how, "kill") && wait(NULL) > 0)
		;
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	bob_ranks_finalize();
	while (wait(NULL) > 0)
		;
	return 0;
}
