/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI: every rank accesses its own part, and row `rank` of a table: ranks SIZE. See oracle.h. */
#define ORACLE_MAIN
#include <mpi.h>

#include "oracle.h"

enum { WRITE, READ, ROW, SITES };
static double part[1000], row[64][8];
static const int64_t bounds_part[][2] = { { 1, 1000 } }, bounds_row[][2] = { { 0, 8 }, { 0, 64 } };
static const struct bob_probe_variable variables[] = {
	{ .name = "part", .element = 8, .rank = 1, .bounds = bounds_part },
	{ .name = "row", .element = 8, .rank = 2, .bounds = bounds_row },
};
static const char *const units[] = { "main" };
static const struct bob_probe_site sites[] = {
	[WRITE] = { .line = 1, .kind = BOB_PROBE_WRITE, .size = 8 },
	[READ] = { .line = 2, .kind = BOB_PROBE_READ, .size = 8 },
	[ROW] = { .line = 3, .kind = BOB_PROBE_UPDATE, .size = 8 },
};
static struct bob_probe_file bob_probe_here = {
	.size = sizeof(bob_probe_here), .path = "ranks.c", .digest = 3, .unit = units,
	.variable = variables, .site = sites, .units = 1, .variables = 2, .sites = SITES,
};

__attribute__((constructor)) static void begin(void)
{
	bob_probe_begin(&bob_probe_here);
	bob_probe_declare(&bob_probe_here, 0, part, NULL);
	bob_probe_declare(&bob_probe_here, 1, row, NULL);
}

int main(int argc, char **argv)
{
	int rank, n = argc > 1 ? atoi(argv[1]) : 100;
	char suffix[20];
	double sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	oracle_thread();
	for (int turn = 0; turn < 5; turn++) {
		for (unsigned i = 0; i < (unsigned)n; i++) {
			oracle_want(0, sites, 0, 8 * i, WRITE);
			BOB_PROBE_X(WRITE, part[i]) = i;
			oracle_want(0, sites, 0, 8 * (i / 2), READ);
			sum += BOB_PROBE_X(READ, part[i / 2]);
		}
		for (unsigned k = 0; k < 8; k++) {
			oracle_want(0, sites, 1, 64u * (unsigned)rank + 8 * k, ROW);
			BOB_PROBE_X(ROW, row[rank][k]) += sum;
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	snprintf(suffix, sizeof(suffix), ".%d", rank);
	oracle_write(suffix);
	return 0;
}
