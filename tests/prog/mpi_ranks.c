/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program whose ranks make a known number of calls of mpi_step, and do what job scripts and
 * applications do to a recorder. Rank 0 prints; the sums prove that all ranks took part.
 *     mpi_ranks plain    STEPS * (rank + 1) calls in each rank
 *     mpi_ranks mixed    rank 1 also runs a command with system(), rank 2 executes itself before
 *                        MPI_Init, rank 3 forks a child that makes calls and ends
 *     mpi_ranks killed   rank 1 kills itself with SIGKILL after its calls, others wait for it
 *     mpi_ranks late     as plain, but all ranks but 0 make as many calls again after MPI_Finalize
 *     mpi_ranks status   as plain, and every rank ends with status 3 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS 1000

static volatile long total;

__attribute__((noinline)) void mpi_step(long n)
{
	total = total + n;
	__asm__ volatile("" : : : "memory");
}

/* What the launchers say before MPI_Init. */
static int rank_by_environment(void)
{
	const char *v = getenv("OMPI_COMM_WORLD_RANK");

	if (!v)
		v = getenv("PMI_RANK");
	return v ? atoi(v) : -1;
}

static int helpers(int rank)
{
	int st = 0;

	if (rank == 1)
		return system("test \"$(echo one two | wc -w)\" -eq 2") != 0;
	if (rank == 3) {
		pid_t pid = fork();

		if (pid == 0) {
			for (int i = 0; i < 17; i++)
				mpi_step(0);
			_exit(5);
		}
		return pid < 0 || waitpid(pid, &st, 0) != pid || WEXITSTATUS(st) != 5;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";
	int mixed = !strcmp(mode, "mixed");
	int rank, size, bad = 0, all_bad = 0;
	long sum = 0, mine;

	if (mixed && argc == 2 && rank_by_environment() == 2) {
		char *again[] = { argv[0], argv[1], (char *)"again", NULL };

		mpi_step(0);
		execv("/proc/self/exe", again);
		return 98;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < STEPS * (rank + 1); i++)
		mpi_step(1);
	if (!strcmp(mode, "killed") && rank == 1)
		kill(getpid(), SIGKILL);
	if (mixed)
		bad = helpers(rank);
	mine = total;
	MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(&bad, &all_bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d ranks, %ld steps, %d wrong\n", size, sum, all_bad);
	MPI_Finalize();
	if (!strcmp(mode, "late") && rank > 0) {
		usleep(300000);
		for (int i = 0; i < STEPS * (rank + 1); i++)
			mpi_step(1);
	}
	return strcmp(mode, "status") ? all_bad != 0 : 3;
}
