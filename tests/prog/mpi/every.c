/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls every function of MPI that can be called without harm, at least once. Two ranks. With
 * -DLARGE it calls the large-count variants (a header that the test writes renames the functions).
 * Functions that an MPI does not have are left out: HAVE_NAME is defined for those that it has.
 * test_mpi_functions.py lists what is not called, and why. */
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "have.h"

#ifdef LARGE
typedef MPI_Count N;		/* counts */
typedef MPI_Aint D;		/* displacements of vectors */
typedef MPI_Count H;		/* what is wide in the others, too */
#else
typedef int N;
typedef int D;
typedef MPI_Aint H;
#endif

static int me, other, failed;
static MPI_Comm S = MPI_COMM_SELF, W = MPI_COMM_WORLD;
static char a[4096], b[4096], text[MPI_MAX_LIBRARY_VERSION_STRING];
static int flag, n, k, one = 1;
static N many;
static H lb, extent;
static MPI_Status s, several[4];
static MPI_Request q, r[4];
static N ones[4] = { 1, 1, 1, 1 };
static D zeros[4];
static MPI_Datatype ints[4] = { MPI_INT, MPI_INT, MPI_INT, MPI_INT };

/* Failing is no fault: the call is there. But it is said. */
#define T(call)                                                                                    \
	do {                                                                                       \
		if (call) {                                                                        \
			failed++;                                                                  \
			fprintf(stderr, "fails: %s\n", #call);                                     \
		}                                                                                  \
	} while (0)
#define Q(call)                                                                                    \
	do {                                                                                       \
		T(call);                                                                           \
		T(MPI_Wait(&q, &s));                                                               \
	} while (0)
/* A persistent one. */
#define P(call)                                                                                    \
	do {                                                                                       \
		T(call);                                                                           \
		T(MPI_Start(&q));                                                                  \
		T(MPI_Wait(&q, &s));                                                               \
		T(MPI_Request_free(&q));                                                           \
	} while (0)

static void p2p(void)
{
	MPI_Message m;
	void *p;

	T(MPI_Buffer_attach(malloc(65536), 65536));
#define TO(name)                                                                                   \
	T(MPI_Irecv(b, 4, MPI_INT, 0, 1, S, &r[0]));                                               \
	T(MPI_##name(a, 4, MPI_INT, 0, 1, S));                                                     \
	T(MPI_Wait(&r[0], &s));
	TO(Send)
	TO(Bsend)
	TO(Ssend)
	TO(Rsend)
#define ITO(name)                                                                                  \
	T(MPI_Irecv(b, 4, MPI_INT, 0, 1, S, &r[0]));                                               \
	T(MPI_##name(a, 4, MPI_INT, 0, 1, S, &r[1]));                                              \
	T(MPI_Waitall(2, r, several));
	ITO(Isend);
	ITO(Ibsend);
	ITO(Issend);
	ITO(Irsend);
#define PTO(name)                                                                                  \
	T(MPI_Recv_init(b, 4, MPI_INT, 0, 1, S, &r[0]));                                           \
	T(MPI_##name(a, 4, MPI_INT, 0, 1, S, &r[1]));                                              \
	T(MPI_Startall(2, r));                                                                     \
	T(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));                                                 \
	T(MPI_Request_free(&r[0]));                                                                \
	T(MPI_Request_free(&r[1]));
	PTO(Send_init);
	PTO(Bsend_init);
	PTO(Ssend_init);
	PTO(Rsend_init);
	T(MPI_Isend(a, 4, MPI_INT, 0, 2, S, &q));
	T(MPI_Probe(0, 2, S, &s));
	T(MPI_Iprobe(0, 2, S, &flag, &s));
	T(MPI_Recv(b, 4, MPI_INT, 0, 2, S, &s));
	T(MPI_Wait(&q, &s));
	T(MPI_Get_count(&s, MPI_INT, &many));
	T(MPI_Get_elements(&s, MPI_INT, &many));
	T(MPI_Get_elements_x(&s, MPI_INT, &(MPI_Count){ 0 }));
	T(MPI_Isend(a, 4, MPI_INT, 0, 2, S, &q));
	T(MPI_Mprobe(0, 2, S, &m, &s));
	T(MPI_Mrecv(b, 4, MPI_INT, &m, &s));
	T(MPI_Wait(&q, &s));
	T(MPI_Isend(a, 4, MPI_INT, 0, 2, S, &q));
	do
		T(MPI_Improbe(0, 2, S, &flag, &m, &s));
	while (!flag);
	T(MPI_Imrecv(b, 4, MPI_INT, &m, &r[0]));
	T(MPI_Wait(&r[0], &s));
	T(MPI_Wait(&q, &s));
	T(MPI_Sendrecv(a, 4, MPI_INT, 0, 3, b, 4, MPI_INT, 0, 3, S, &s));
	T(MPI_Sendrecv_replace(a, 4, MPI_INT, 0, 3, 0, 3, S, &s));
#ifdef HAVE_Isendrecv
	Q(MPI_Isendrecv(a, 4, MPI_INT, 0, 3, b, 4, MPI_INT, 0, 3, S, &q));
	Q(MPI_Isendrecv_replace(a, 4, MPI_INT, 0, 3, 0, 3, S, &q));
#endif
#define SOON                                                                                       \
	T(MPI_Irecv(b, 4, MPI_INT, 0, 1, S, &r[0]));                                               \
	T(MPI_Send(a, 4, MPI_INT, 0, 1, S));
	SOON do T(MPI_Test(&r[0], &flag, &s));
	while (!flag)
		;
	SOON do T(MPI_Testany(1, r, &n, &flag, &s));
	while (!flag)
		;
	SOON do T(MPI_Testall(1, r, &flag, several));
	while (!flag)
		;
	SOON do T(MPI_Testsome(1, r, &n, &k, several));
	while (!n)
		;
	SOON T(MPI_Waitany(1, r, &n, &s));
	SOON T(MPI_Waitsome(1, r, &n, &k, several));
	SOON do T(MPI_Request_get_status(r[0], &flag, &s));
	while (!flag)
		;
	T(MPI_Wait(&r[0], &s));
	P(MPI_Recv_init(b, 4, MPI_INT, MPI_PROC_NULL, 77, S, &q));
	T(MPI_Irecv(b, 4, MPI_INT, 0, 77, S, &q));
	T(MPI_Cancel(&q));
	T(MPI_Wait(&q, &s));
	T(MPI_Test_cancelled(&s, &flag));
#ifdef HAVE_Psend_init
	T(MPI_Psend_init(a, 2, 2, MPI_INT, other, 4, W, MPI_INFO_NULL, &r[0]));
	T(MPI_Precv_init(b, 2, 2, MPI_INT, other, 4, W, MPI_INFO_NULL, &r[1]));
	T(MPI_Startall(2, r));
	T(MPI_Pready(0, r[0]));
	T(MPI_Pready_range(1, 1, r[0]));
	T(MPI_Parrived(r[1], 0, &flag));
	T(MPI_Waitall(2, r, several));
	T(MPI_Startall(2, r));
	T(MPI_Pready_list(2, (int[]){ 0, 1 }, r[0]));
	T(MPI_Waitall(2, r, several));
	T(MPI_Request_free(&r[0]));
	T(MPI_Request_free(&r[1]));
#endif
	T(MPI_Buffer_detach(&p, &many));
}

static void types(void)
{
	MPI_Datatype t, u;
	N sizes[2] = { 4, 4 }, sub[2] = { 2, 2 }, start[2] = { 1, 1 }, bl[2] = { 1, 1 };
	int integers[8], distribs[2] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE },
			 dargs[2] = { MPI_DISTRIBUTE_DFLT_DARG,
	    MPI_DISTRIBUTE_DFLT_DARG }, psizes[2] = { 1, 1 }, na, nt, c;
	N di[2] = { 0, 3 };
	H hd[2] = { 0, 16 };
	MPI_Datatype two[2] = { MPI_INT, MPI_DOUBLE };
	MPI_Aint address, addresses[4];
	MPI_Count wide, wide2;
	N position = 0;
	H far = 0;

#define M(call)                                                                                    \
	T(call);                                                                                   \
	T(MPI_Type_free(&t));
	M(MPI_Type_contiguous(3, MPI_INT, &t))
	M(MPI_Type_vector(3, 1, 2, MPI_INT, &t))
	M(MPI_Type_create_hvector(3, 1, 16, MPI_INT, &t))
	M(MPI_Type_indexed(2, bl, di, MPI_INT, &t))
	M(MPI_Type_create_hindexed(2, bl, hd, MPI_INT, &t))
	M(MPI_Type_create_indexed_block(2, 1, di, MPI_INT, &t))
	M(MPI_Type_create_hindexed_block(2, 1, hd, MPI_INT, &t))
	M(MPI_Type_create_struct(2, bl, hd, two, &t))
	M(MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_INT, &t))
	M(MPI_Type_create_darray(1, 0, 2, sizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_INT, &t))
	M(MPI_Type_create_resized(MPI_INT, 0, 16, &t))
	T(MPI_Type_create_f90_integer(5, &t));
	T(MPI_Type_create_f90_real(6, 30, &t));
	T(MPI_Type_create_f90_complex(6, 30, &t));
	T(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &t));
	T(MPI_Type_dup(MPI_INT, &t));
	T(MPI_Type_commit(&t));
	T(MPI_Type_size(t, &many));
	T(MPI_Type_size_x(t, &wide));
	T(MPI_Type_get_extent(t, &lb, &extent));
	T(MPI_Type_get_extent_x(t, &wide, &wide2));
	T(MPI_Type_get_true_extent(t, &lb, &extent));
	T(MPI_Type_get_true_extent_x(t, &wide, &wide2));
	T(MPI_Type_free(&t));
	M(MPI_Type_contiguous(3, MPI_INT, &t))
	T(MPI_Type_vector(3, 1, 2, MPI_INT, &t));
#ifdef LARGE
	{
		MPI_Count ni, nx, nl, nd, counts[8];

		T(MPI_Type_get_envelope(t, &ni, &nx, &nl, &nd, &c));
		T(MPI_Type_get_contents(t, ni, nx, nl, nd, integers, addresses, counts, two));
	}
#else
	T(MPI_Type_get_envelope(t, &n, &na, &nt, &c));
	T(MPI_Type_get_contents(t, 3, 0, 1, integers, addresses, two));
#endif
	T(MPI_Type_free(&t));
	T(MPI_Get_address(a, &address));
	T(MPI_Pack(a, 2, MPI_INT, b, 64, &position, S));
	position = 0;
	T(MPI_Unpack(b, 64, &position, a, 2, MPI_INT, S));
	T(MPI_Pack_size(2, MPI_INT, S, &many));
	T(MPI_Pack_external("external32", a, 2, MPI_INT, b, 64, &far));
	far = 0;
	T(MPI_Unpack_external("external32", b, 64, &far, a, 2, MPI_INT));
	T(MPI_Pack_external_size("external32", 2, MPI_INT, &extent));
}

static void collectives(void)
{
#define BOTH(name, ...)                                                                            \
	T(MPI_##name(__VA_ARGS__));                                                                \
	Q(MPI_I##name(__VA_ARGS__, &q));
	T(MPI_Barrier(S));
	Q(MPI_Ibarrier(S, &q));
	T(MPI_Bcast(b, 2, MPI_INT, 0, S));
	Q(MPI_Ibcast(b, 2, MPI_INT, 0, S, &q));
#define LOW(NAME, name, ...)                                                                       \
	T(MPI_##NAME(__VA_ARGS__, S));                                                             \
	Q(MPI_I##name(__VA_ARGS__, S, &q));
	LOW(Gather, gather, a, 1, MPI_INT, b, 1, MPI_INT, 0)
	LOW(Gatherv, gatherv, a, 1, MPI_INT, b, ones, zeros, MPI_INT, 0)
	LOW(Scatter, scatter, a, 1, MPI_INT, b, 1, MPI_INT, 0)
	LOW(Scatterv, scatterv, a, ones, zeros, MPI_INT, b, 1, MPI_INT, 0)
	LOW(Allgather, allgather, a, 1, MPI_INT, b, 1, MPI_INT)
	LOW(Allgatherv, allgatherv, a, 1, MPI_INT, b, ones, zeros, MPI_INT)
	LOW(Alltoall, alltoall, a, 1, MPI_INT, b, 1, MPI_INT)
	LOW(Alltoallv, alltoallv, a, ones, zeros, MPI_INT, b, ones, zeros, MPI_INT)
	LOW(Alltoallw, alltoallw, a, ones, zeros, ints, b, ones, zeros, ints)
	LOW(Reduce, reduce, a, b, 1, MPI_INT, MPI_SUM, 0)
	LOW(Allreduce, allreduce, a, b, 1, MPI_INT, MPI_SUM)
	LOW(Reduce_scatter_block, reduce_scatter_block, a, b, 1, MPI_INT, MPI_SUM)
	LOW(Reduce_scatter, reduce_scatter, a, b, ones, MPI_INT, MPI_SUM)
	LOW(Scan, scan, a, b, 1, MPI_INT, MPI_SUM)
	LOW(Exscan, exscan, a, b, 1, MPI_INT, MPI_SUM)
	T(MPI_Reduce_local(a, b, 1, MPI_INT, MPI_SUM));
#ifdef HAVE_Bcast_init
#define I S, MPI_INFO_NULL, &q
	P(MPI_Barrier_init(I));
	P(MPI_Bcast_init(b, 2, MPI_INT, 0, I));
	P(MPI_Gather_init(a, 1, MPI_INT, b, 1, MPI_INT, 0, I));
	P(MPI_Gatherv_init(a, 1, MPI_INT, b, ones, zeros, MPI_INT, 0, I));
	P(MPI_Scatter_init(a, 1, MPI_INT, b, 1, MPI_INT, 0, I));
	P(MPI_Scatterv_init(a, ones, zeros, MPI_INT, b, 1, MPI_INT, 0, I));
	P(MPI_Allgather_init(a, 1, MPI_INT, b, 1, MPI_INT, I));
	P(MPI_Allgatherv_init(a, 1, MPI_INT, b, ones, zeros, MPI_INT, I));
	P(MPI_Alltoall_init(a, 1, MPI_INT, b, 1, MPI_INT, I));
	P(MPI_Alltoallv_init(a, ones, zeros, MPI_INT, b, ones, zeros, MPI_INT, I));
	P(MPI_Alltoallw_init(a, ones, zeros, ints, b, ones, zeros, ints, I));
	P(MPI_Reduce_init(a, b, 1, MPI_INT, MPI_SUM, 0, I));
	P(MPI_Allreduce_init(a, b, 1, MPI_INT, MPI_SUM, I));
	P(MPI_Reduce_scatter_block_init(a, b, 1, MPI_INT, MPI_SUM, I));
	P(MPI_Reduce_scatter_init(a, b, ones, MPI_INT, MPI_SUM, I));
	P(MPI_Scan_init(a, b, 1, MPI_INT, MPI_SUM, I));
	P(MPI_Exscan_init(a, b, 1, MPI_INT, MPI_SUM, I));
#endif
}

static void topologies(void)
{
	int dims[1] = { 0 }, periods[1] = { 1 }, index[1] = { 1 }, edges[1] = { 0 },
	    zero[1] = { 0 }, w[1] = { 1 }, in, out;
	MPI_Comm cart, graph, dist, sub;
	MPI_Aint far[2] = { 0, 0 };

	T(MPI_Dims_create(1, 1, dims));
	T(MPI_Cart_create(S, 1, dims, periods, 0, &cart));
	T(MPI_Topo_test(cart, &k));
	T(MPI_Cartdim_get(cart, &k));
	T(MPI_Cart_get(cart, 1, dims, periods, zero));
	T(MPI_Cart_rank(cart, zero, &k));
	T(MPI_Cart_coords(cart, 0, 1, zero));
	T(MPI_Cart_shift(cart, 0, 1, &in, &out));
	T(MPI_Cart_sub(cart, &one, &sub));
	T(MPI_Comm_free(&sub));
	T(MPI_Cart_map(S, 1, dims, periods, &k));
	T(MPI_Graph_map(S, 1, index, edges, &k));
	T(MPI_Graph_create(S, 1, index, edges, 0, &graph));
	T(MPI_Graphdims_get(graph, &in, &out));
	T(MPI_Graph_get(graph, 1, 1, index, edges));
	T(MPI_Graph_neighbors_count(graph, 0, &k));
	T(MPI_Graph_neighbors(graph, 0, 1, edges));
	T(MPI_Comm_free(&graph));
	T(MPI_Dist_graph_create_adjacent(S, 1, zero, w, 1, zero, w, MPI_INFO_NULL, 0, &dist));
	T(MPI_Dist_graph_neighbors_count(dist, &in, &out, &k));
	T(MPI_Dist_graph_neighbors(dist, 1, zero, w, 1, zero, w));
	T(MPI_Comm_free(&dist));
	T(MPI_Dist_graph_create(S, 1, zero, &one, zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &dist));
#undef S2
#define NEAR(NAME, name, ...)                                                                      \
	T(MPI_Neighbor_##NAME(__VA_ARGS__, dist));                                                 \
	Q(MPI_Ineighbor_##NAME(__VA_ARGS__, dist, &q));
	NEAR(allgather, , a, 1, MPI_INT, b, 1, MPI_INT)
	NEAR(allgatherv, , a, 1, MPI_INT, b, ones, zeros, MPI_INT)
	NEAR(alltoall, , a, 1, MPI_INT, b, 1, MPI_INT)
	NEAR(alltoallv, , a, ones, zeros, MPI_INT, b, ones, zeros, MPI_INT)
	NEAR(alltoallw, , a, ones, far, ints, b, ones, far, ints)
#ifdef HAVE_Neighbor_allgather_init
#define J dist, MPI_INFO_NULL, &q
	P(MPI_Neighbor_allgather_init(a, 1, MPI_INT, b, 1, MPI_INT, J));
	P(MPI_Neighbor_allgatherv_init(a, 1, MPI_INT, b, ones, zeros, MPI_INT, J));
	P(MPI_Neighbor_alltoall_init(a, 1, MPI_INT, b, 1, MPI_INT, J));
	P(MPI_Neighbor_alltoallv_init(a, ones, zeros, MPI_INT, b, ones, zeros, MPI_INT, J));
	P(MPI_Neighbor_alltoallw_init(a, ones, far, ints, b, ones, far, ints, J));
#endif
	T(MPI_Comm_free(&dist));
	T(MPI_Comm_free(&cart));
}

#include "every_objects.h"

int main(int argc, char **argv)
{
	int all = 0;
#ifdef LARGE
	T(MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &n));
#else
	T(MPI_Init(&argc, &argv));
#endif
	T(MPI_Comm_rank(W, &me));
	other = !me;
	T(MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN));
	T(MPI_Comm_set_errhandler(S, MPI_ERRORS_RETURN));
	p2p();
	types();
	collectives();
	topologies();
	groups();
	environment();
	windows();
	files();
	removed();
	T(MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, W));
	if (!me)
		printf("%d calls failed\n", all);
	T(MPI_Finalize());
	return 0;
}
