/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that start programs. Each message has a unique number of doubles, so each pair of
 * processes has a unique sum.
 *
 *   spawn all N       ranks in reverse order start N children, exchange messages, merge, and repeat
 *   spawn many        one call starts one child and two others, with arguments
 *   spawn missing     the command does not exist: MPI's error is printed
 *   spawn none        rank 0 sends to rank 1, and that is all */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 512

static double data[MOST];

static void send(int n, int to, MPI_Comm c)
{
	MPI_Send(data, n, MPI_DOUBLE, to, 0, c);
}

static void receive(int from, MPI_Comm c)
{
	MPI_Recv(data, MOST, MPI_DOUBLE, from, 0, c, MPI_STATUS_IGNORE);
}

static int rank_in(MPI_Comm c)
{
	int r;

	MPI_Comm_rank(c, &r);
	return r;
}

/* The two sides, of which one was started last, are merged: the first sends to the last, and
 * back. */
static void across(MPI_Comm inter, int late)
{
	MPI_Comm all;
	int n;

	MPI_Intercomm_merge(inter, late, &all);
	MPI_Comm_size(all, &n);
	if (!rank_in(all)) {
		send(100, n - 1, all);
		receive(n - 1, all);
	} else if (rank_in(all) == n - 1) {
		receive(0, all);
		send(200, 0, all);
	}
	MPI_Comm_free(&all);
}

static int child(int argc, char **argv, MPI_Comm parent)
{
	const int me = rank_in(MPI_COMM_WORLD);
	int size;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; !me && i < argc; i++)
		printf(i ? " [%s]" : "child", argv[i]);
	if (!me)
		printf("\n");
	fflush(stdout);
	send(10 + me, 0, parent);
	if (!me)
		receive(0, parent);
	if (me + 1 < size)
		send(30 + me, me + 1, MPI_COMM_WORLD);
	if (me)
		receive(me - 1, MPI_COMM_WORLD);
	across(parent, 1);
	MPI_Comm_disconnect(&parent);
	MPI_Finalize();
	return 0;
}

static void meet(MPI_Comm inter, int children)
{
	if (!rank_in(inter)) {
		for (int i = 0; i < children; i++)
			receive(i, inter);
		send(20, 0, inter);
	}
	across(inter, 0);
	MPI_Comm_disconnect(&inter);
}

static void all(char *self, int children)
{
	MPI_Comm back, inter;

	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD), &back);
	MPI_Comm_spawn(self, MPI_ARGV_NULL, children, MPI_INFO_NULL, 0, back, &inter,
		       MPI_ERRCODES_IGNORE);
	meet(inter, children);
	MPI_Comm_free(&back);
}

static void many(char *self)
{
	char *one[] = { "a b", "", "--c=$d", NULL }, *two[] = { "x", NULL };
	char *commands[] = { self, self }, **arguments[] = { one, two };
	MPI_Info infos[] = { MPI_INFO_NULL, MPI_INFO_NULL };
	int counts[] = { 1, 2 };
	MPI_Comm inter;

	MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 0, MPI_COMM_WORLD, &inter,
				MPI_ERRCODES_IGNORE);
	meet(inter, 3);
}

static void missing(void)
{
	char text[MPI_MAX_ERROR_STRING];
	int n, st;
	MPI_Comm inter;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	st = MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
			    &inter, MPI_ERRCODES_IGNORE);
	MPI_Error_string(st, text, &n);
	if (!rank_in(MPI_COMM_WORLD))
		printf("%s\n", text);
}

int main(int argc, char **argv)
{
	MPI_Comm parent;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL)
		return child(argc, argv, parent);
	if (!strcmp(argv[1], "all"))
		all(argv[0], atoi(argv[2]));
	else if (!strcmp(argv[1], "many"))
		many(argv[0]);
	else if (!strcmp(argv[1], "missing"))
		missing();
	else if (!rank_in(MPI_COMM_WORLD))
		send(5, 1, MPI_COMM_WORLD);
	else
		receive(0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
