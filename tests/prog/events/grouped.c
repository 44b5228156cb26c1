/* Ranks are compared while they run, at each of four MPI_Barrier or events `phase`. One rank
 * differs from the second one on. Each rank prints the result that it gets.
 * argv: that rank, how:
 *   barrier   the event is MPI_Barrier       phase    it is one of the program's own
 *   skips     that rank has no `phase`       late     it has one after the others gave up waiting
 *   quiet     after the third one only one rank of each cluster is recorded; the last step before
 *             each is left out
 *   thread    `phase` is in a thread that may not call MPI
 *   twice     that rank, 0, also has the last `phase` in another thread, while it waits
 * NO_MPI: the ranks are forked processes; their number is the third argument. How: phase, skips,
 * twice; dies: that rank is killed at the third event. */
#ifndef NO_MPI
#include <mpi.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bobbin/hooks.h>
#include <bobbin/ranks.h>

#define PHASES 4
#define STEPS 100

static int me, ranks, odd;
static const char *how;
static bob_event_id phase, step, other;
static char seen[PHASES * 2][128];
static int seen_count;

static void report(const char *who, int n)
{
	struct bob_cluster c;

	if (!bob_cluster_here(&c))
		printf("%s %d.%d: not known\n", who, me, n);
	else
		printf("%s %d.%d: comparison %u, rank %u of %u, cluster %u of %u, %u like %u\n",
		       who, me, n, c.comparison, c.rank, c.ranks, c.cluster, c.clusters, c.members,
		       c.like);
	fflush(stdout);
}

/* A hook of the program's own at the same event knows it there. */
static void at_event(void *ctx, const struct bob_hook_event *e)
{
	struct bob_cluster c = { 0 };

	(void)ctx;
	if (!e->at_end && bob_cluster_here(&c) && seen_count < PHASES * 2)
		snprintf(seen[seen_count++], sizeof(seen[0]), "%u:%u", c.comparison, c.cluster);
}

static const struct bob_hook watch = { .size = sizeof(watch), .flags = BOB_HOOK_CALLBACK_ONLY,
				       .name = "watch", .events = "MPI_Barrier:phase",
				       .callback = at_event };

__attribute__((noinline)) static void steps(int every)
{
	for (int i = 0; i < STEPS; i++) {
		BOB_EVENT_INSTANT(step, bob_int(i));
		if (i % every == every - 1)
			BOB_EVENT_INSTANT(other, bob_int(i));
	}
}

__attribute__((noinline)) static void one_phase(int n)
{
	BOB_EVENT_BEGIN(phase, bob_int(n));
	bob_event_end(phase);
}

static void *in_thread(void *n)
{
	steps(STEPS + 1);
	one_phase(*(int *)n);
	return NULL;
}

static void *in_thread_later(void *n)
{
	usleep(200000);
	one_phase(*(int *)n);
	return NULL;
}

static void meet_twice(int n)
{
	pthread_t t;

	if (me == odd)
		pthread_create(&t, NULL, in_thread_later, &n);
	else
		usleep(600000);
	one_phase(n);
	if (me == odd)
		pthread_join(t, NULL);
}

static void meet(int n)
{
	pthread_t t;

	if (me == odd && n == 3 && !strcmp(how, "dies"))
		_exit(0);
	if (!strcmp(how, "thread")) {
		pthread_create(&t, NULL, in_thread, &n);
		pthread_join(t, NULL);
	} else if (!strcmp(how, "twice") && n == PHASES) {
		meet_twice(n);
	} else if (strcmp(how, "barrier") && strcmp(how, "quiet") &&
		   !(me == odd && (!strcmp(how, "skips") || !strcmp(how, "late")))) {
		one_phase(n);
	}
#ifndef NO_MPI
	if (!strcmp(how, "barrier") || !strcmp(how, "quiet"))
		MPI_Barrier(MPI_COMM_WORLD);
#endif
	report("rank", n);
}

static void prepare(void)
{
	phase = bob_event_register("phase", 0, "int n");
	step = bob_event_register("step", 0, "int i");
	other = bob_event_register("other", 0, "int i");
	if (!strcmp(how, "quiet"))
		bob_event_when(step, "i < 99");
	bob_hook_add(&watch);
}

static void run(void)
{
	struct bob_cluster c;

	for (int n = 1; n <= PHASES; n++) {
		steps(me == odd && n > 2 ? 25 : STEPS + 1);
		meet(n);
#ifndef NO_MPI
		if (n == 3 && !strcmp(how, "quiet") && bob_cluster_here(&c) && c.like != c.rank)
			MPI_Pcontrol(0);
#else
		(void)c;
#endif
	}
	for (int i = 0; i < seen_count; i++)
		printf("saw %d %s\n", me, seen[i]);
	fflush(stdout);
}

#ifdef NO_MPI
/* All are ranks before anybody goes on: each says so, then gets leave. */
static void meet_first(int number, const int ready[2], const int go[2])
{
	char c = 0;
	int ok = 1;

	if (number) {
		ok = write(ready[1], &c, 1) == 1 && read(go[0], &c, 1) == 1;
	} else {
		for (int i = 1; i < ranks; i++)
			ok &= read(ready[0], &c, 1) == 1;
		for (int i = 1; i < ranks; i++)
			ok &= write(go[1], &c, 1) == 1;
	}
	if (!ok)
		_exit(1);
}

int main(int argc, char **argv)
{
	int go[2], ready[2], number = 0;
	uint32_t rank = 0;

	odd = argc > 1 ? atoi(argv[1]) : -1;
	how = argc > 2 ? argv[2] : "phase";
	ranks = argc > 3 ? atoi(argv[3]) : 5;
	prepare();
	if (pipe(go) || pipe(ready))
		return 1;
	bob_ranks_init(NULL);
	for (int i = 1; i < ranks && !number; i++)
		number = fork() ? 0 : i;
	if (number)
		bob_ranks_init(NULL); /* numbered as they come */
	bob_hook_rank(&rank);
	me = (int)rank;
	meet_first(number, ready, go);
	run();
	bob_ranks_finalize();
	if (number)
		_exit(0);
	while (wait(NULL) > 0)
		;
	return 0;
}
#else
int main(int argc, char **argv)
{
	odd = argc > 1 ? atoi(argv[1]) : -1;
	how = argc > 2 ? argv[2] : "barrier";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	prepare();
	run();
	if (me == odd && !strcmp(how, "late")) {
		MPI_Barrier(MPI_COMM_WORLD); /* the others have waited for it, as long as they do */
		one_phase(1);
		report("late", 1);
	} else if (!strcmp(how, "late")) {
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (!strcmp(how, "quiet"))
		MPI_Pcontrol(1);
	MPI_Finalize();
	return 0;
}
#endif
