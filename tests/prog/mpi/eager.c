/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of sends that MPI completes at once, waited for in every way. The last group of each round
 * is freed.
 *     eager ROUNDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define GROUP 4
#define WAYS 7
#define TAG 5

static MPI_Request request[GROUP];
static int numbers[GROUP];

static void send_group(int to)
{
	for (int i = 0; i < GROUP; i++)
		MPI_Isend(&numbers[i], 1, MPI_INT, to, TAG, MPI_COMM_WORLD, &request[i]);
}

static void wait_for_each(void)
{
	for (int i = 0; i < GROUP; i++)
		MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static void wait_for_any(void)
{
	int index;

	for (int i = 0; i < GROUP; i++)
		MPI_Waitany(GROUP, request, &index, MPI_STATUS_IGNORE);
}

static void test_for_any(void)
{
	int index, flag;

	for (int done = 0; done < GROUP; done += flag)
		MPI_Testany(GROUP, request, &index, &flag, MPI_STATUS_IGNORE);
}

static void wait_for_some(void)
{
	int index[GROUP], n;

	for (int done = 0; done < GROUP; done += n)
		MPI_Waitsome(GROUP, request, &n, index, MPI_STATUSES_IGNORE);
}

static void test_each(void)
{
	int flag;

	for (int i = 0; i < GROUP; i += flag)
		MPI_Test(&request[i], &flag, MPI_STATUS_IGNORE);
}

static void finish(int way)
{
	switch (way) {
	case 0:
		MPI_Waitall(GROUP, request, MPI_STATUSES_IGNORE);
		break;
	case 1:
		wait_for_each();
		break;
	case 2:
		wait_for_any();
		break;
	case 3:
		test_for_any();
		break;
	case 4:
		wait_for_some();
		break;
	case 5:
		test_each();
		break;
	default:
		for (int i = 0; i < GROUP; i++)
			MPI_Request_free(&request[i]);
	}
}

int main(int argc, char **argv)
{
	int me, ranks, x;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int round = 0; round < atoi(argv[1]); round++)
		for (int way = 0; way < WAYS; way++) {
			send_group((me + 1) % ranks);
			finish(way);
			for (int i = 0; i < GROUP; i++)
				MPI_Recv(&x, 1, MPI_INT, (me + ranks - 1) % ranks, TAG,
					 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	MPI_Finalize();
	if (!me)
		puts("ok");
	return 0;
}
