/* SPDX-License-Identifier: BSD-3-Clause */
/* Start, clock, verdict and end of a kernel. */
#include "frame.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void stop_with(const struct frame *f, const char *text)
{
	if (f->rank == 0)
		fprintf(stderr, "%s: %s\n", f->name, text);
	MPI_Finalize();
	exit(2);
}

void frame_begin(struct frame *f, const char *name, int *argc, char ***argv)
{
	int got;

	MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &got);
	f->name = name;
	f->failed_count = 0;
	f->started_s = 0;
	f->elapsed_s = 0;
	MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &f->ranks);
	f->size = *argc == 2 ? (*argv)[1][0] : '?';
	if (*argc != 2 || (*argv)[1][1] != '\0' || (f->size != 'S' && f->size != 'L'))
		stop_with(f, "usage: one argument, the problem size S or L");
	if (got < MPI_THREAD_FUNNELED)
		stop_with(f, "this MPI library does not allow threads");
}

int frame_share(const struct frame *f, int n)
{
	if (n % f->ranks != 0)
		stop_with(f, "the number of ranks must divide the problem (use a power of two)");
	return n / f->ranks;
}

void frame_start(struct frame *f)
{
	MPI_Barrier(MPI_COMM_WORLD);
	f->started_s = MPI_Wtime();
}

void frame_stop(struct frame *f)
{
	MPI_Barrier(MPI_COMM_WORLD);
	f->elapsed_s = MPI_Wtime() - f->started_s;
}

void frame_check(struct frame *f, const char *what, double value, double want, double tol)
{
	double scale = fmax(fabs(want), 1e-300);
	int good = fabs(value - want) <= tol * scale;

	if (!good)
		f->failed_count++;
	if (f->rank != 0)
		return;
	if (good)
		printf("%s %c %s %.7e ok\n", f->name, f->size, what, want);
	else
		printf("%s %c %s %.15e WRONG, expected %.15e\n", f->name, f->size, what, value,
		       want);
}

void frame_check_below(struct frame *f, const char *what, double value, double limit)
{
	int good = value <= limit;

	if (!good)
		f->failed_count++;
	if (f->rank != 0)
		return;
	if (good)
		printf("%s %c %s below %.1e ok\n", f->name, f->size, what, limit);
	else
		printf("%s %c %s %.6e WRONG, limit %.1e\n", f->name, f->size, what, value, limit);
}

int frame_end(struct frame *f)
{
	int failed = 0;

	MPI_Allreduce(&f->failed_count, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (f->rank == 0) {
		printf("%s %c %s\n", f->name, f->size, failed ? "FAILED" : "verified");
		fflush(stdout);
		fprintf(stderr, "time_s %.6f\n", f->elapsed_s);
	}
	MPI_Finalize();
	return failed != 0;
}

double frame_sum(double x)
{
	double sum = 0;

	MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

void *frame_alloc(uint64_t count, uint64_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p) {
		fprintf(stderr, "out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return p;
}
