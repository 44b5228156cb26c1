/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls every function of MPI that can be called without harm, at least once. Two ranks. With -DLARGE and names that stand for their
 * large-count variants (a header that the test writes) these are called. What an MPI has not is left out: HAVE_NAME is defined for
 * what it has. What is not called, and why, is in test_mpi_functions.py. */
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
	TO(Send) TO(Bsend) TO(Ssend) TO(Rsend)
#define ITO(name)                                                                                  \
	T(MPI_Irecv(b, 4, MPI_INT, 0, 1, S, &r[0]));                                               \
	T(MPI_##name(a, 4, MPI_INT, 0, 1, S, &r[1]));                                              \
	T(MPI_Waitall(2, r, several));
	ITO(Isend) ITO(Ibsend) ITO(Issend) ITO(Irsend)
#define PTO(name)                                                                                  \
	T(MPI_Recv_init(b, 4, MPI_INT, 0, 1, S, &r[0]));                                           \
	T(MPI_##name(a, 4, MPI_INT, 0, 1, S, &r[1]));                                              \
	T(MPI_Startall(2, r));                                                                     \
	T(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));                                                 \
	T(MPI_Request_free(&r[0]));                                                                \
	T(MPI_Request_free(&r[1]));
	PTO(Send_init) PTO(Bsend_init) PTO(Ssend_init) PTO(Rsend_init)
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
	SOON do T(MPI_Test(&r[0], &flag, &s)); while (!flag);
	SOON do T(MPI_Testany(1, r, &n, &flag, &s)); while (!flag);
	SOON do T(MPI_Testall(1, r, &flag, several)); while (!flag);
	SOON do T(MPI_Testsome(1, r, &n, &k, several)); while (!n);
	SOON T(MPI_Waitany(1, r, &n, &s));
	SOON T(MPI_Waitsome(1, r, &n, &k, several));
	SOON do T(MPI_Request_get_status(r[0], &flag, &s)); while (!flag);
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
	int integers[8], distribs[2] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE }, dargs[2] = { MPI_DISTRIBUTE_DFLT_DARG,
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
	int dims[1] = { 0 }, periods[1] = { 1 }, index[1] = { 1 }, edges[1] = { 0 }, zero[1] = { 0 }, w[1] = { 1 }, in, out;
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

#ifdef LARGE
static void add(void *x, void *y, MPI_Count *c, MPI_Datatype *t)
#else
static void add(void *x, void *y, int *c, MPI_Datatype *t)
#endif
{
}

static void on_comm(MPI_Comm *c, int *code, ...)
{
}

static void on_win(MPI_Win *c, int *code, ...)
{
}

static void on_file(MPI_File *c, int *code, ...)
{
}

static void groups(void)
{
	MPI_Group g, h, u;
	MPI_Comm c, d, inter;
	MPI_Op op;
	MPI_Errhandler e;
	MPI_Info info;
	int zero = 0, range[1][3] = { { 0, 0, 1 } }, key;
	void *p;

	T(MPI_Op_create(add, 1, &op));
	T(MPI_Op_commutative(op, &flag));
	T(MPI_Op_free(&op));
	T(MPI_Comm_group(W, &g));
	T(MPI_Group_size(g, &n));
	T(MPI_Group_rank(g, &n));
	T(MPI_Group_incl(g, 1, &zero, &h));
	T(MPI_Group_translate_ranks(g, 1, &zero, h, &n));
	T(MPI_Group_compare(g, h, &n));
#define G(call)                                                                                    \
	T(call);                                                                                   \
	T(MPI_Group_free(&u));
	G(MPI_Group_union(g, h, &u))
	G(MPI_Group_intersection(g, h, &u))
	G(MPI_Group_difference(g, h, &u))
	G(MPI_Group_excl(g, 1, &zero, &u))
	G(MPI_Group_range_incl(g, 1, range, &u))
	G(MPI_Group_range_excl(g, 1, range, &u))
	T(MPI_Comm_size(W, &n));
	T(MPI_Comm_rank(W, &n));
	T(MPI_Comm_compare(W, S, &n));
	T(MPI_Comm_dup(W, &c));
	T(MPI_Comm_free(&c));
	T(MPI_Comm_dup_with_info(W, MPI_INFO_NULL, &c));
	T(MPI_Comm_disconnect(&c));
	Q(MPI_Comm_idup(W, &c, &q));
	T(MPI_Comm_free(&c));
#ifdef HAVE_Comm_idup_with_info
	Q(MPI_Comm_idup_with_info(W, MPI_INFO_NULL, &c, &q));
	T(MPI_Comm_free(&c));
#endif
	T(MPI_Comm_create(W, g, &c));
	T(MPI_Comm_free(&c));
	T(MPI_Comm_create_group(W, g, 3, &c));
	T(MPI_Comm_free(&c));
	T(MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c));
	T(MPI_Comm_free(&c));
	T(MPI_Comm_split(W, me, 0, &c));
	T(MPI_Info_create(&info));
	T(MPI_Comm_set_info(c, info));
	T(MPI_Info_free(&info));
	T(MPI_Comm_get_info(c, &info));
	T(MPI_Info_free(&info));
	T(MPI_Intercomm_create(c, 0, W, other, 4, &inter));
	T(MPI_Comm_test_inter(inter, &flag));
	T(MPI_Comm_remote_size(inter, &n));
	T(MPI_Comm_remote_group(inter, &u));
	T(MPI_Group_free(&u));
	T(MPI_Intercomm_merge(inter, me, &d));
	T(MPI_Comm_free(&d));
	T(MPI_Comm_free(&inter));
	T(MPI_Comm_create_errhandler(on_comm, &e));
	T(MPI_Comm_set_errhandler(c, e));
	T(MPI_Comm_call_errhandler(c, MPI_ERR_OTHER));
	T(MPI_Errhandler_free(&e));
	T(MPI_Comm_get_errhandler(c, &e));
	T(MPI_Errhandler_free(&e));
	T(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
	T(MPI_Comm_set_attr(c, key, a));
	T(MPI_Comm_get_attr(c, key, &p, &flag));
	T(MPI_Comm_delete_attr(c, key));
	T(MPI_Comm_free_keyval(&key));
	T(MPI_Comm_set_name(c, "mine"));
	T(MPI_Comm_get_name(c, text, &n));
	T(MPI_Comm_free(&c));
	T(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
	{
		MPI_Datatype t;

		T(MPI_Type_dup(MPI_INT, &t));
		T(MPI_Type_set_attr(t, key, a));
		T(MPI_Type_get_attr(t, key, &p, &flag));
		T(MPI_Type_delete_attr(t, key));
		T(MPI_Type_set_name(t, "ours"));
		T(MPI_Type_get_name(t, text, &n));
		T(MPI_Type_free(&t));
	}
	T(MPI_Type_free_keyval(&key));
#ifdef HAVE_Comm_create_from_group
	T(MPI_Comm_create_from_group(g, "a tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	T(MPI_Comm_free(&c));
	{
		MPI_Group local, remote;

		T(MPI_Group_incl(g, 1, &me, &local));
		T(MPI_Group_incl(g, 1, &other, &remote));
		T(MPI_Intercomm_create_from_groups(local, 0, remote, 0, "another tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
		if (c != MPI_COMM_NULL)
			T(MPI_Comm_free(&c));
		T(MPI_Group_free(&local));
		T(MPI_Group_free(&remote));
	}
#endif
	T(MPI_Group_free(&h));
	T(MPI_Group_free(&g));
}

static int query(void *x, MPI_Status *st)
{
	MPI_Status_set_elements(st, MPI_INT, 1);
	MPI_Status_set_cancelled(st, 0);
	return MPI_SUCCESS;
}

static int nothing(void *x)
{
	return MPI_SUCCESS;
}

static int no_cancel(void *x, int c)
{
	return MPI_SUCCESS;
}

static void environment(void)
{
	MPI_Info info, i2;
	char key[MPI_MAX_INFO_KEY + 1], port[MPI_MAX_PORT_NAME];
	void *p;
	int code, len = 20;

	T(MPI_Initialized(&flag));
	T(MPI_Finalized(&flag));
	T(MPI_Is_thread_main(&flag));
	T(MPI_Query_thread(&n));
	{
		MPI_Comm parent;

		T(MPI_Comm_get_parent(&parent));
	}
	if (getenv("EVERY_PORT")) {
		T(MPI_Open_port(MPI_INFO_NULL, port));
		T(MPI_Close_port(port));
	}
	T(MPI_Pcontrol(1));
	T(MPI_Get_version(&n, &k));
	T(MPI_Get_library_version(text, &n));
	T(MPI_Get_processor_name(text, &n));
	T(MPI_Alloc_mem(64, MPI_INFO_NULL, &p));
	T(MPI_Free_mem(p));
	T(MPI_Error_class(MPI_ERR_RANK, &n));
	T(MPI_Error_string(MPI_ERR_RANK, text, &n));
	T(MPI_Add_error_class(&code));
	T(MPI_Add_error_code(code, &k));
	T(MPI_Add_error_string(k, "an error of mine"));
	T(MPI_Info_create(&info));
	T(MPI_Info_set(info, "key", "value"));
	T(MPI_Info_get(info, "key", 20, text, &flag));
#ifdef HAVE_Info_get_string
	T(MPI_Info_get_string(info, "key", &len, text, &flag));
#endif
#ifdef HAVE_Info_create_env
	T(MPI_Info_create_env(0, NULL, &i2));
	T(MPI_Info_free(&i2));
#endif
	T(MPI_Info_get_valuelen(info, "key", &n, &flag));
	T(MPI_Info_get_nkeys(info, &n));
	T(MPI_Info_get_nthkey(info, 0, key));
	T(MPI_Info_dup(info, &i2));
	T(MPI_Info_delete(i2, "key"));
	T(MPI_Info_free(&i2));
	T(MPI_Info_free(&info));
	T(MPI_Grequest_start(query, nothing, no_cancel, NULL, &q));
	T(MPI_Grequest_complete(q));
	T(MPI_Wait(&q, &s));
	T(MPI_Status_set_elements_x(&s, MPI_INT, 1));
#ifdef HAVE_Session_init
	{
		MPI_Session session;
		MPI_Group g;
		MPI_Errhandler e;

		T(MPI_Session_create_errhandler((void *)on_comm, &e));
		T(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
		T(MPI_Session_set_errhandler(session, e));
		T(MPI_Errhandler_free(&e));
		T(MPI_Session_get_errhandler(session, &e));
		T(MPI_Errhandler_free(&e));
		T(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
		len = sizeof(text);
		T(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &len, text));
		T(MPI_Session_get_pset_info(session, text, &info));
		if (info != MPI_INFO_NULL)
			T(MPI_Info_free(&info));
		T(MPI_Group_from_session_pset(session, "mpi://WORLD", &g));
		T(MPI_Group_free(&g));
		T(MPI_Session_get_info(session, &info));
		T(MPI_Info_free(&info));
		T(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
		T(MPI_Session_finalize(&session));
	}
#endif
}

static void windows(void)
{
	static char memory[4096];
	MPI_Win w;
	MPI_Group g, h;
	MPI_Info info;
	MPI_Errhandler e;
	MPI_Aint size;
	D unit;
	void *p;
	int key;

#define TARGET other, 0, 1, MPI_INT, w
	T(MPI_Win_create(memory, 4096, 1, MPI_INFO_NULL, W, &w));
	T(MPI_Win_get_group(w, &g));
	T(MPI_Group_incl(g, 1, &other, &h));
	T(MPI_Info_create(&info));
	T(MPI_Win_set_info(w, info));
	T(MPI_Info_free(&info));
	T(MPI_Win_get_info(w, &info));
	T(MPI_Info_free(&info));
	T(MPI_Win_fence(0, w));
	T(MPI_Put(a, 1, MPI_INT, TARGET));
	T(MPI_Win_fence(0, w));
	T(MPI_Get(a, 1, MPI_INT, TARGET));
	T(MPI_Win_fence(0, w));
	T(MPI_Win_post(h, 0, w));
	T(MPI_Win_start(h, 0, w));
	T(MPI_Win_complete(w));
	T(MPI_Win_wait(w));
	T(MPI_Win_post(h, 0, w));
	T(MPI_Win_start(h, 0, w));
	T(MPI_Win_complete(w));
	do
		T(MPI_Win_test(w, &flag));
	while (!flag);
	T(MPI_Group_free(&g));
	T(MPI_Group_free(&h));
	T(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, w));
	T(MPI_Accumulate(a, 1, MPI_INT, other, 8, 1, MPI_INT, MPI_SUM, w));
	T(MPI_Get_accumulate(a, 1, MPI_INT, b, 1, MPI_INT, other, 8, 1, MPI_INT, MPI_SUM, w));
	T(MPI_Fetch_and_op(a, b, MPI_INT, other, 8, MPI_SUM, w));
	T(MPI_Compare_and_swap(a, b, b + 8, MPI_INT, other, 16, w));
	T(MPI_Win_flush(other, w));
	T(MPI_Win_flush_local(other, w));
	T(MPI_Win_sync(w));
	Q(MPI_Rput(a, 1, MPI_INT, other, 24, 1, MPI_INT, w, &q));
	Q(MPI_Rget(b, 1, MPI_INT, other, 24, 1, MPI_INT, w, &q));
	Q(MPI_Raccumulate(a, 1, MPI_INT, other, 8, 1, MPI_INT, MPI_SUM, w, &q));
	Q(MPI_Rget_accumulate(a, 1, MPI_INT, b, 1, MPI_INT, other, 8, 1, MPI_INT, MPI_SUM, w, &q));
	T(MPI_Win_unlock(other, w));
	T(MPI_Win_lock_all(0, w));
	T(MPI_Win_flush_all(w));
	T(MPI_Win_flush_local_all(w));
	T(MPI_Win_unlock_all(w));
	T(MPI_Win_create_errhandler(on_win, &e));
	T(MPI_Win_set_errhandler(w, e));
	T(MPI_Win_call_errhandler(w, MPI_ERR_OTHER));
	T(MPI_Errhandler_free(&e));
	T(MPI_Win_get_errhandler(w, &e));
	T(MPI_Errhandler_free(&e));
	T(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL));
	T(MPI_Win_set_attr(w, key, a));
	T(MPI_Win_get_attr(w, key, &p, &flag));
	T(MPI_Win_delete_attr(w, key));
	T(MPI_Win_free_keyval(&key));
	T(MPI_Win_set_name(w, "window"));
	T(MPI_Win_get_name(w, text, &n));
	T(MPI_Win_free(&w));
	T(MPI_Win_allocate(64, 1, MPI_INFO_NULL, W, &p, &w));
	T(MPI_Win_free(&w));
	T(MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, W, &p, &w));
	T(MPI_Win_shared_query(w, other, &size, &unit, &p));
	T(MPI_Win_free(&w));
	T(MPI_Win_create_dynamic(MPI_INFO_NULL, W, &w));
	T(MPI_Win_attach(w, memory, 64));
	T(MPI_Win_detach(w, memory));
	T(MPI_Win_free(&w));
}

static void files(void)
{
	const char *name = getenv("EVERY_FILE");
	char view[MPI_MAX_DATAREP_STRING];
	MPI_File f;
	MPI_Offset o;
	MPI_Group g;
	MPI_Info info;
	MPI_Datatype e, t;
	MPI_Errhandler h;

	T(MPI_File_open(W, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	T(MPI_File_set_size(f, 4096));
	T(MPI_File_preallocate(f, 4096));
	T(MPI_File_get_size(f, &o));
	T(MPI_File_get_group(f, &g));
	T(MPI_Group_free(&g));
	T(MPI_File_get_amode(f, &n));
	T(MPI_Info_create(&info));
	T(MPI_File_set_info(f, info));
	T(MPI_Info_free(&info));
	T(MPI_File_get_info(f, &info));
	if (info != MPI_INFO_NULL)
		T(MPI_Info_free(&info));
	T(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	T(MPI_File_get_view(f, &o, &e, &t, view));
#define V a, 1, MPI_INT
	T(MPI_File_write_at(f, me, V, &s));
	T(MPI_File_read_at(f, me, V, &s));
	T(MPI_File_write_at_all(f, me, V, &s));
	T(MPI_File_read_at_all(f, me, V, &s));
	Q(MPI_File_iwrite_at(f, me, V, &q));
	Q(MPI_File_iread_at(f, me, V, &q));
	Q(MPI_File_iwrite_at_all(f, me, V, &q));
	Q(MPI_File_iread_at_all(f, me, V, &q));
	T(MPI_File_write(f, V, &s));
	T(MPI_File_read(f, V, &s));
	T(MPI_File_write_all(f, V, &s));
	T(MPI_File_read_all(f, V, &s));
	Q(MPI_File_iwrite(f, V, &q));
	Q(MPI_File_iread(f, V, &q));
	Q(MPI_File_iwrite_all(f, V, &q));
	Q(MPI_File_iread_all(f, V, &q));
	T(MPI_File_seek(f, 0, MPI_SEEK_SET));
	T(MPI_File_get_position(f, &o));
	T(MPI_File_get_byte_offset(f, 1, &o));
	T(MPI_File_write_shared(f, V, &s));
	T(MPI_File_read_shared(f, V, &s));
	Q(MPI_File_iwrite_shared(f, V, &q));
	Q(MPI_File_iread_shared(f, V, &q));
	T(MPI_Barrier(W));
	T(MPI_File_write_ordered(f, V, &s));
	T(MPI_File_read_ordered(f, V, &s));
	T(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	T(MPI_File_get_position_shared(f, &o));
#define SPLIT(what, ...)                                                                           \
	T(MPI_File_##what##_begin(f, __VA_ARGS__));                                                \
	T(MPI_File_##what##_end(f, a, &s));
	SPLIT(write_at_all, me, V)
	SPLIT(read_at_all, me, V)
	SPLIT(write_all, V)
	SPLIT(read_all, V)
	SPLIT(write_ordered, V)
	SPLIT(read_ordered, V)
	T(MPI_File_get_type_extent(f, MPI_INT, &extent));
	T(MPI_File_set_atomicity(f, 0));
	T(MPI_File_get_atomicity(f, &flag));
	T(MPI_File_sync(f));
	T(MPI_File_create_errhandler(on_file, &h));
	T(MPI_File_set_errhandler(f, h));
	T(MPI_File_call_errhandler(f, MPI_ERR_OTHER));
	T(MPI_Errhandler_free(&h));
	T(MPI_File_get_errhandler(f, &h));
	T(MPI_Errhandler_free(&h));
	T(MPI_File_close(&f));
	T(MPI_Barrier(W));
	if (!me)
		T(MPI_File_delete(name, MPI_INFO_NULL));
	MPI_Register_datarep("mine", NULL, NULL, NULL, NULL); /* may be refused */
}

/* MPI-1's, of which an MPI may have all or none. */
static void removed(void)
{
	int key, bl[2] = { 1, 1 };
	MPI_Aint x, di[2] = { 0, 16 };
	MPI_Errhandler e;
	MPI_Datatype t;
	void *p;

	T(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL));
	T(MPI_Attr_put(S, key, a));
	T(MPI_Attr_get(S, key, &p, &flag));
	T(MPI_Attr_delete(S, key));
	T(MPI_Keyval_free(&key));
	T(MPI_Address(a, &x));
	T(MPI_Errhandler_create(on_comm, &e));
	T(MPI_Errhandler_set(S, e));
	T(MPI_Errhandler_free(&e));
	T(MPI_Errhandler_get(S, &e));
	T(MPI_Errhandler_set(S, MPI_ERRORS_RETURN));
	T(MPI_Errhandler_free(&e));
	T(MPI_Type_extent(MPI_INT, &x));
	T(MPI_Type_lb(MPI_INT, &x));
	T(MPI_Type_ub(MPI_INT, &x));
	M(MPI_Type_hindexed(2, bl, di, MPI_INT, &t))
	M(MPI_Type_hvector(2, 1, 16, MPI_INT, &t))
	M(MPI_Type_struct(2, bl, di, ints, &t))
}

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
