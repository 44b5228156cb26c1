/* All ranks but one do the same. argv: the rank that differs, and how: probe (it sometimes calls
 * another function), more (it sends messages to itself more often), none; or master (it distributes
 * work to all others). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/hooks.h>

#define STEPS 300

static int me, ranks;

__attribute__((noinline)) static void exchange(void)
{
	int a = me, b = 0;

	MPI_Sendrecv(&a, 1, MPI_INT, (me + 1) % ranks, 5, &b, 1, MPI_INT, (me + ranks - 1) % ranks,
		     5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void slow(void)
{
	int flag;

	MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void to_itself(int times)
{
	int a = 1, b;

	for (int i = 0; i < times; i++)
		MPI_Sendrecv(&a, 1, MPI_INT, 0, 3, &b, 1, MPI_INT, 0, 3, MPI_COMM_SELF,
			     MPI_STATUS_IGNORE);
}

/* Numbers, so that the compiler makes no copy of the loop for ranks that differ. */
__attribute__((noinline)) static void steps(int times, int probe_every)
{
	int in = 1, out;

	for (int i = 0; i < STEPS; i++) {
		exchange();
		to_itself(times);
		if (i % probe_every == probe_every - 1)
			slow();
		if (i % 10 == 9)
			MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
}

static void master(int of)
{
	int work = 1;

	for (int i = 0; i < STEPS; i++)
		if (me != of)
			MPI_Recv(&work, 1, MPI_INT, of, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else
			for (int r = 0; r < ranks; r++)
				if (r != me)
					MPI_Send(&work, 1, MPI_INT, r, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	const int odd = argc > 1 ? atoi(argv[1]) : -1;
	const char *how = argc > 2 ? argv[2] : "none";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!strcmp(how, "master")) {
		master(odd);
	} else {
		MPI_Barrier(MPI_COMM_WORLD);
		steps(2, STEPS + 1);
		MPI_Barrier(MPI_COMM_WORLD);
		steps(me == odd && !strcmp(how, "more") ? 3 : 2,
		      me == odd && !strcmp(how, "probe") ? 100 : STEPS + 1);
	}
	MPI_Finalize();
	return 0;
}
