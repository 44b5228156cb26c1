/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the classes of the errors that MPI's functions return for wrong arguments, and the state
 * of output arguments after errors. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int me;

static void report(const char *what, int r)
{
	int c = 0;

	MPI_Error_class(r, &c);
	printf("%d: %s: %s class %d\n", me, what, r ? "wrong" : "right", c);
}

#define T(call) report(#call, call)

int main(int argc, char **argv)
{
	int a[8] = { 0 }, b[8], n = -5, flag = -5, index[3] = { -5, -5, -5 }, dims[2] = { 3, 0 };
	MPI_Comm c = MPI_COMM_NULL, freed;
	MPI_Datatype t, gone;
	MPI_Request q[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	MPI_Status s[3];
	MPI_Group g;
	void *p = a;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	T(MPI_Send(a, 1, MPI_INT, 99, 0, MPI_COMM_WORLD));
	T(MPI_Send(a, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
	T(MPI_Send(a, 1, MPI_INT, 0, -7, MPI_COMM_WORLD));
	T(MPI_Send(a, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
	T(MPI_Send(a, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
	T(MPI_Recv(a, 1, MPI_INT, 77, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	T(MPI_Bcast(a, 1, MPI_INT, 50, MPI_COMM_SELF));
	T(MPI_Bcast(a, 1, MPI_INT, -1, MPI_COMM_SELF));
	T(MPI_Gatherv(a, 1, MPI_INT, b, NULL, NULL, MPI_INT, 9, MPI_COMM_SELF));
	T(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_SELF));
	T(MPI_Waitall(3, q, MPI_STATUSES_IGNORE));
	T(MPI_Waitany(3, q, &n, s));
	printf("%d: index %d\n", me, n == MPI_UNDEFINED);
	T(MPI_Waitsome(3, q, &n, index, s));
	printf("%d: index %d %d\n", me, n == MPI_UNDEFINED, index[0]);
	T(MPI_Testany(3, q, &n, &flag, s));
	printf("%d: flag %d\n", me, flag);
	T(MPI_Waitall(-3, q, s));
	T(MPI_Waitall(2, NULL, s));
	T(MPI_Request_free(&q[0]));
	T(MPI_Start(&q[0]));
	T(MPI_Comm_free(&c));
	T(MPI_Comm_split(MPI_COMM_SELF, -9, 0, &c));
	T(MPI_Comm_split(MPI_COMM_SELF, MPI_UNDEFINED, 0, &c));
	printf("%d: null %d\n", me, c == MPI_COMM_NULL);
	T(MPI_Comm_dup(MPI_COMM_NULL, &c));
	T(MPI_Type_vector(-1, 1, 1, MPI_INT, &t));
	T(MPI_Type_contiguous(2, MPI_DATATYPE_NULL, &t));
	t = MPI_INT;
	T(MPI_Type_free(&t));
	T(MPI_Type_free(&(MPI_Datatype){ MPI_DATATYPE_NULL }));
	T(MPI_Comm_group(MPI_COMM_WORLD, &g));
	T(MPI_Group_incl(g, 1, (int[]){ 55 }, &g));
	T(MPI_Group_free(&g));
	T(MPI_Group_free(&g));
	T(MPI_Dims_create(7, 2, dims));
	printf("%d: dims %d %d\n", me, dims[0], dims[1]);
	T(MPI_Cart_coords(MPI_COMM_WORLD, 0, 2, b));
	T(MPI_Graph_neighbors(MPI_COMM_WORLD, 0, 2, b));
	T(MPI_Op_free(&(MPI_Op){ MPI_OP_NULL }));
	T(MPI_Info_set(MPI_INFO_NULL, "a", "b"));
	T(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &p, &flag));
	T(MPI_Error_class(-12345, &n));
	/* used again though it was freed: by its old handle, while nothing else was made */
	MPI_Barrier(MPI_COMM_WORLD);
	T(MPI_Comm_dup(MPI_COMM_SELF, &c));
	freed = c;
	T(MPI_Comm_free(&c));
	(void)freed, (void)gone;
	MPI_Finalize();
	return 0;
}
