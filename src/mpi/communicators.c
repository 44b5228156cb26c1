/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries about communicators and types: lengths of vectors, topologies, contents of types. All MPI
 * calls here are local. */
#include "mpi/real.h"
#include "mpi/recorder.h"

bool bob_mpi_is_inter(MPI_Comm comm)
{
	int inter = 0;

	return BOB_MPI_REAL(Comm_test_inter)(comm, &inter) == MPI_SUCCESS && inter;
}

/* Null handles are not passed to MPI: it would call the program's error handler. */
static bool is_null(MPI_Comm comm)
{
	return !bob_mpi_comm(comm);
}

static uint64_t positive(int n)
{
	return n > 0 ? (uint64_t)n : 0;
}

uint64_t bob_mpi_ranks(MPI_Comm comm)
{
	int n = 0;

	if (!is_null(comm))
		BOB_MPI_REAL(Comm_size)(comm, &n);
	return positive(n);
}

uint64_t bob_mpi_peers(MPI_Comm comm)
{
	int n = 0;

	if (is_null(comm) || !bob_mpi_is_inter(comm))
		return bob_mpi_ranks(comm);
	BOB_MPI_REAL(Comm_remote_size)(comm, &n);
	return positive(n);
}

uint64_t bob_mpi_me(MPI_Comm comm)
{
	int n = 0;

	if (!is_null(comm))
		BOB_MPI_REAL(Comm_rank)(comm, &n);
	return positive(n);
}

bool bob_mpi_at(MPI_Comm comm, int root)
{
	if (is_null(comm))
		return false;
	return bob_mpi_is_inter(comm) ? root == MPI_ROOT :
					root >= 0 && bob_mpi_me(comm) == (uint64_t)root;
}

/* --- topologies --- */

static int topology(MPI_Comm comm)
{
	int kind = MPI_UNDEFINED;

	if (!is_null(comm) && !bob_mpi_is_inter(comm))
		BOB_MPI_REAL(Topo_test)(comm, &kind);
	return kind;
}

uint64_t bob_mpi_dims(MPI_Comm comm)
{
	int n = 0;

	if (topology(comm) == MPI_CART)
		BOB_MPI_REAL(Cartdim_get)(comm, &n);
	return positive(n);
}

struct graph_size {
	int nodes, edges;
};

static struct graph_size graph_size(MPI_Comm comm)
{
	struct graph_size s = { 0, 0 };

	if (topology(comm) == MPI_GRAPH)
		BOB_MPI_REAL(Graphdims_get)(comm, &s.nodes, &s.edges);
	return s;
}

uint64_t bob_mpi_nodes(MPI_Comm comm)
{
	return positive(graph_size(comm).nodes);
}

uint64_t bob_mpi_edges(MPI_Comm comm)
{
	return positive(graph_size(comm).edges);
}

uint64_t bob_mpi_neighbors(MPI_Comm comm, int rank)
{
	int n = 0;

	if (topology(comm) == MPI_GRAPH && rank >= 0 && (uint64_t)rank < bob_mpi_ranks(comm))
		BOB_MPI_REAL(Graph_neighbors_count)(comm, rank, &n);
	return positive(n);
}

struct neighbours {
	int in, out;
};

static struct neighbours count_neighbours(MPI_Comm comm)
{
	struct neighbours n = { 0, 0 };
	int weighted;

	switch (topology(comm)) {
	case MPI_CART:
		n.in = n.out = (int)(2 * bob_mpi_dims(comm));
		break;
	case MPI_GRAPH:
		n.in = n.out = (int)bob_mpi_neighbors(comm, (int)bob_mpi_me(comm));
		break;
	case MPI_DIST_GRAPH:
		BOB_MPI_REAL(Dist_graph_neighbors_count)(comm, &n.in, &n.out, &weighted);
		break;
	}
	return n;
}

uint64_t bob_mpi_sources(MPI_Comm comm)
{
	return positive(count_neighbours(comm).in);
}

uint64_t bob_mpi_destinations(MPI_Comm comm)
{
	return positive(count_neighbours(comm).out);
}

/* In MPICH, MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are variables of the library. */
#ifdef OPEN_MPI
bool bob_mpi_weighted(const int *weights)
{
	return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
}
#else
static bool is_value_of(const int *weights, const char *symbol)
{
	const int *const *at = bob_mpi_symbol(symbol);

	return at && *at == weights;
}

bool bob_mpi_weighted(const int *weights)
{
	return !is_value_of(weights, "MPI_UNWEIGHTED") &&
	       !is_value_of(weights, "MPI_WEIGHTS_EMPTY");
}
#endif

/* --- MPI_COMM_WORLD --- */

/* In Open MPI, MPI_COMM_WORLD is the address of a variable of the library, which the shim does not
 * link. */
MPI_Comm bob_mpi_world(void)
{
	static uint64_t found;

	if (!found)
		found = bob_mpi_predefined_handle(BOB_MPI_KIND_COMM, 1);
	return (MPI_Comm)found;
}

/* --- types --- */

uint64_t bob_mpi_type_size(MPI_Datatype h)
{
	MPI_Count size = 0;

	if (!bob_mpi_type(h) || BOB_MPI_REAL(Type_size_x)(h, &size) != MPI_SUCCESS)
		return 0;
	return (uint64_t)size;
}

struct envelope {
	int integers, addresses, types, combiner;
};

static struct envelope envelope(MPI_Datatype h)
{
	struct envelope e = { 0 };

	if (bob_mpi_type(h))
		BOB_MPI_REAL(Type_get_envelope)
	(h, &e.integers, &e.addresses, &e.types, &e.combiner);
	return e;
}

uint64_t bob_mpi_integers(MPI_Datatype h)
{
	return positive(envelope(h).integers);
}

uint64_t bob_mpi_addresses(MPI_Datatype h)
{
	return positive(envelope(h).addresses);
}

uint64_t bob_mpi_datatypes(MPI_Datatype h)
{
	return positive(envelope(h).types);
}

#if MPI_VERSION >= 4
struct envelope_c {
	MPI_Count integers, addresses, counts, types;
	int combiner;
};

static struct envelope_c envelope_c(MPI_Datatype h)
{
	struct envelope_c e = { 0 };

	if (bob_mpi_type(h))
		BOB_MPI_REAL(Type_get_envelope_c)
	(h, &e.integers, &e.addresses, &e.counts, &e.types, &e.combiner);
	return e;
}

uint64_t bob_mpi_integers_c(MPI_Datatype h)
{
	return (uint64_t)envelope_c(h).integers;
}

uint64_t bob_mpi_addresses_c(MPI_Datatype h)
{
	return (uint64_t)envelope_c(h).addresses;
}

uint64_t bob_mpi_large_counts_c(MPI_Datatype h)
{
	return (uint64_t)envelope_c(h).counts;
}

uint64_t bob_mpi_datatypes_c(MPI_Datatype h)
{
	return (uint64_t)envelope_c(h).types;
}
#endif
