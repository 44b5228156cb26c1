/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of each kind of call. Functions are identified by their numbers, which never change
 * (src/mpi/functions.txt). */
#include "analysis/mpi/call_bytes.h"

#include <string.h>

/* Numbers of the first and last function of each kind; large-count functions have numbers higher by
 * 1024. */
enum {
	SEND_FIRST = 1,
	SEND_LAST = 4,
	SENDRECV = 6,
	SENDRECV_REPLACE = 7,
	ISEND_FIRST = 16,
	ISEND_LAST = 19,
	ISENDRECV = 21,
	ISENDRECV_REPLACE = 22,
	SEND_INIT_FIRST = 24,
	SEND_INIT_LAST = 27,
	START = 29,
	STARTALL = 30,
	PSEND_INIT = 45,
	BARRIER = 84,
	BCAST,
	GATHER,
	GATHERV,
	SCATTER,
	SCATTERV,
	ALLGATHER,
	ALLGATHERV,
	ALLTOALL,
	ALLTOALLV,
	ALLTOALLW,
	REDUCE,
	ALLREDUCE,
	REDUCE_SCATTER_BLOCK,
	REDUCE_SCATTER,
	SCAN,
	EXSCAN,
	IBCAST = 102,
	IBARRIER,
	IGATHER,
	BCAST_INIT = 119,
	BARRIER_INIT,
	GATHER_INIT,
	NEIGHBOR_ALLGATHER = 136,
	NEIGHBOR_ALLGATHERV,
	NEIGHBOR_ALLTOALL,
	NEIGHBOR_ALLTOALLV,
	NEIGHBOR_ALLTOALLW,
	INEIGHBOR_ALLGATHER,
	NEIGHBOR_ALLGATHER_INIT = 146,
	NEIGHBOR_LAST = 150,
	PUT = 306,
	GET = 307,
	GET_ACCUMULATE = 309,
	FETCH_AND_OP = 310,
	COMPARE_AND_SWAP = 311,
	RGET = 313,
	RGET_ACCUMULATE = 315,
	ONE_SIDED_LAST = RGET_ACCUMULATE,
	FILE_FIRST = 348,
	FILE_LAST = 386,
	LARGE = 1024,
};

#define NO_OP 14u		/* MPI_NO_OP in functions.txt */

static uint32_t base_of(const struct bob_mpi_function *f)
{
	return f->number >= LARGE ? f->number - LARGE : f->number;
}

/* The blocking form of a collective operation; 0: not collective. */
static uint32_t collective_of(uint32_t n)
{
	if (n >= BARRIER && n <= EXSCAN)
		return n;
	if (n == IBARRIER || n == BARRIER_INIT)
		return BARRIER;
	if (n == IBCAST || n == BCAST_INIT)
		return BCAST;
	if (n >= IGATHER && n < BCAST_INIT)
		return n - IGATHER + GATHER;
	if (n >= GATHER_INIT && n < NEIGHBOR_ALLGATHER)
		return n - GATHER_INIT + GATHER;
	if (n >= NEIGHBOR_ALLGATHER && n < INEIGHBOR_ALLGATHER)
		return n;
	if (n >= INEIGHBOR_ALLGATHER && n < NEIGHBOR_ALLGATHER_INIT)
		return n - INEIGHBOR_ALLGATHER + NEIGHBOR_ALLGATHER;
	if (n >= NEIGHBOR_ALLGATHER_INIT && n <= NEIGHBOR_LAST)
		return n - NEIGHBOR_ALLGATHER_INIT + NEIGHBOR_ALLGATHER;
	return 0;
}

enum bob_mpi_class bob_mpi_class_of(const struct bob_mpi_function *f)
{
	uint32_t n = base_of(f);

	if ((n >= SEND_FIRST && n <= SEND_LAST) || n == SENDRECV || n == SENDRECV_REPLACE ||
	    (n >= ISEND_FIRST && n <= ISEND_LAST) || n == ISENDRECV || n == ISENDRECV_REPLACE)
		return BOB_MPI_CLASS_SEND;
	if ((n >= SEND_INIT_FIRST && n <= SEND_INIT_LAST) || n == PSEND_INIT)
		return BOB_MPI_CLASS_SEND_INIT;
	if (n == START || n == STARTALL)
		return BOB_MPI_CLASS_START;
	if ((n >= BCAST_INIT && n < NEIGHBOR_ALLGATHER) ||
	    (n >= NEIGHBOR_ALLGATHER_INIT && n <= NEIGHBOR_LAST))
		return BOB_MPI_CLASS_COLLECTIVE_INIT;
	if (collective_of(n))
		return BOB_MPI_CLASS_COLLECTIVE;
	if (n >= PUT && n <= ONE_SIDED_LAST)
		return BOB_MPI_CLASS_ONE_SIDED;
	return n >= FILE_FIRST && n <= FILE_LAST ? BOB_MPI_CLASS_FILE : BOB_MPI_CLASS_OTHER;
}

const struct bob_mpi_function *bob_mpi_collective_form(const struct bob_mpi_function *f)
{
	uint32_t n = collective_of(base_of(f));

	return n ? bob_mpi_function_of(n) : NULL;
}

/* --- arithmetic that propagates BOB_MPI_UNKNOWN --- */

static uint64_t times(uint64_t a, uint64_t b)
{
	if (!a || !b)
		return 0;
	return a == BOB_MPI_UNKNOWN || b == BOB_MPI_UNKNOWN || a > (BOB_MPI_UNKNOWN - 1) / b ?
		       BOB_MPI_UNKNOWN :
		       a * b;
}

uint64_t bob_mpi_plus(uint64_t a, uint64_t b)
{
	return a == BOB_MPI_UNKNOWN || b >= BOB_MPI_UNKNOWN - a ? BOB_MPI_UNKNOWN : a + b;
}

/* A negative count is an error of the program and counts as 0. */
static uint64_t positive(uint64_t n)
{
	return (int64_t)n > 0 ? n : 0;
}

static uint64_t named(const struct bob_mpi_call *c, const char *name)
{
	return bob_mpi_in(c, bob_mpi_param_named(c->function, name));
}

static uint64_t size_named(const struct bob_mpi_objects *o, const struct bob_mpi_call *c,
			   const char *name)
{
	const struct bob_mpi_param *p = bob_mpi_param_named(c->function, name);

	/* the null type counts as 0 bytes */
	return !p || !bob_mpi_in(c, p) ? 0 : bob_mpi_objects_size(o, bob_mpi_in(c, p));
}

/* Bytes of `count` elements of a type. */
static uint64_t amount(const struct bob_mpi_objects *o, const struct bob_mpi_call *c,
		       const char *count, const char *type)
{
	return times(positive(named(c, count)), size_named(o, c, type));
}

static const struct bob_value_vector *vector_named(const struct bob_mpi_call *c, const char *name)
{
	static const struct bob_value_vector none;
	const struct bob_mpi_param *p = bob_mpi_param_named(c->function, name);
	uint32_t i = p ? bob_mpi_vector_of(c->function, p) : BOB_MPI_NO_VECTOR;

	return i < c->event.vectors ? &c->event.vector[i] : &none;
}

/* Was the vector truncated? */
static int is_cut(const struct bob_value_vector *v)
{
	uint64_t length;

	return v->words == 1 && bob_mpi_is_cut(v->at, v->count, &length);
}

static uint64_t sum_of(const struct bob_value_vector *v)
{
	uint64_t n = 0;

	if (is_cut(v))
		return BOB_MPI_UNKNOWN;
	for (uint64_t i = 0; i < v->count; i++)
		n = bob_mpi_plus(n, positive(v->at[i]));
	return n;
}

/* --- collective operations --- */

static int is_in_place(const struct bob_mpi_call *c, const char *buffer)
{
	return named(c, buffer) == 1;
}

static uint64_t members_of(const struct bob_mpi_comm *comm)
{
	return comm && comm->members ? comm->members : BOB_MPI_UNKNOWN;
}

/* Is the process the root? In an intercommunicator, the root passes MPI_ROOT. */
static int is_root(const struct bob_mpi_call *c, const struct bob_mpi_comm *comm)
{
	int64_t root = (int64_t)named(c, "root");

	return root == -3 || (comm && comm->me != ~0u && root == (int64_t)comm->me);
}

static uint64_t one_by_one(const struct bob_mpi_objects *o, const struct bob_mpi_call *c,
			   const char *counts, const char *types)
{
	const struct bob_value_vector *n = vector_named(c, counts), *type = vector_named(c, types);
	uint64_t sum = 0;

	if (is_cut(n) || is_cut(type))
		return BOB_MPI_UNKNOWN;
	for (uint64_t i = 0; i < n->count && i < type->count; i++)
		sum = bob_mpi_plus(sum,
				   times(positive(n->at[i]),
					 type->at[i] ? bob_mpi_objects_size(o, type->at[i]) : 0));
	return sum;
}

static uint64_t sent_all(const struct bob_mpi_objects *o, const struct bob_mpi_call *c,
			 uint32_t what, const struct bob_mpi_comm *comm)
{
	int in_place = is_in_place(c, "sendbuf");

	switch (what) {
	case ALLGATHER:
		return in_place ? amount(o, c, "recvcount", "recvtype") :
				  amount(o, c, "sendcount", "sendtype");
	case ALLGATHERV: {
		const struct bob_value_vector *v = vector_named(c, "recvcounts");

		if (!in_place)
			return amount(o, c, "sendcount", "sendtype");
		return comm && comm->me < v->count && !is_cut(v) ?
			       times(positive(v->at[comm->me]), size_named(o, c, "recvtype")) :
			       BOB_MPI_UNKNOWN;
	}
	case ALLTOALL:
		return times(in_place ? amount(o, c, "recvcount", "recvtype") :
					amount(o, c, "sendcount", "sendtype"),
			     members_of(comm));
	case ALLTOALLV:
		return in_place ? times(sum_of(vector_named(c, "recvcounts")),
					size_named(o, c, "recvtype")) :
				  times(sum_of(vector_named(c, "sendcounts")),
					size_named(o, c, "sendtype"));
	default: /* ALLTOALLW */
		return in_place ? one_by_one(o, c, "recvcounts", "recvtypes") :
				  one_by_one(o, c, "sendcounts", "sendtypes");
	}
}

static uint64_t sent_collectively(const struct bob_mpi_objects *o, const struct bob_mpi_call *c,
				  uint32_t what)
{
	const struct bob_mpi_comm *comm = bob_mpi_objects_comm(o, bob_mpi_comm_of(o, c));

	switch (what) {
	case BARRIER:
		return 0;
	case BCAST:
		return is_root(c, comm) ? amount(o, c, "count", "datatype") : 0;
	case SCATTER:
		return times(amount(o, c, "sendcount", "sendtype"), members_of(comm));
	case SCATTERV:
	case NEIGHBOR_ALLTOALLV:
		return times(sum_of(vector_named(c, "sendcounts")), size_named(o, c, "sendtype"));
	case GATHER:
	case GATHERV:
		return amount(o, c, "sendcount", "sendtype");
	case ALLGATHER:
	case ALLGATHERV:
	case ALLTOALL:
	case ALLTOALLV:
	case ALLTOALLW:
		return sent_all(o, c, what, comm);
	case REDUCE_SCATTER_BLOCK:
		return times(amount(o, c, "recvcount", "datatype"), members_of(comm));
	case REDUCE_SCATTER:
		return times(sum_of(vector_named(c, "recvcounts")), size_named(o, c, "datatype"));
	case NEIGHBOR_ALLGATHER:
	case NEIGHBOR_ALLGATHERV:
	case NEIGHBOR_ALLTOALL:
		return times(amount(o, c, "sendcount", "sendtype"),
			     comm && comm->neighbours != ~0u ? comm->neighbours : BOB_MPI_UNKNOWN);
	case NEIGHBOR_ALLTOALLW:
		return one_by_one(o, c, "sendcounts", "sendtypes");
	default: /* reductions and scans */
		return amount(o, c, "count", "datatype");
	}
}

/* --- all functions --- */

/* Does the call send nothing to its target? MPI_NO_OP ignores the origin buffer. */
static int has_no_operand(const struct bob_mpi_call *c, uint32_t n)
{
	return n == GET || n == RGET ||
	       ((n == GET_ACCUMULATE || n == RGET_ACCUMULATE || n == FETCH_AND_OP) &&
		named(c, "op") == NO_OP);
}

static uint64_t sent_one_sided(const struct bob_mpi_objects *o, const struct bob_mpi_call *c,
			       uint32_t n)
{
	if (has_no_operand(c, n))
		return 0;
	if (n == FETCH_AND_OP || n == COMPARE_AND_SWAP)
		return size_named(o, c, "datatype");
	return amount(o, c, "origin_count", "origin_datatype");
}

static uint64_t sent_to_file(const struct bob_mpi_objects *o, const struct bob_mpi_call *c)
{
	const char *end = strstr(c->function->name, "_end");

	return strstr(c->function->name, "write") && !end ? amount(o, c, "count", "datatype") : 0;
}

uint64_t bob_mpi_sent(const struct bob_mpi_objects *o, const struct bob_mpi_call *c)
{
	uint32_t n = base_of(c->function);

	switch (bob_mpi_class_of(c->function)) {
	case BOB_MPI_CLASS_SEND:
	case BOB_MPI_CLASS_SEND_INIT:
		if ((int64_t)bob_mpi_destination(c) < 0)
			return 0;
		if (n == SENDRECV || n == ISENDRECV)
			return amount(o, c, "sendcount", "sendtype");
		return times(n == PSEND_INIT ? positive(named(c, "partitions")) : 1,
			     amount(o, c, "count", "datatype"));
	case BOB_MPI_CLASS_COLLECTIVE:
	case BOB_MPI_CLASS_COLLECTIVE_INIT:
		return sent_collectively(o, c, collective_of(n));
	case BOB_MPI_CLASS_ONE_SIDED:
		return (int64_t)named(c, "target_rank") < 0 ? 0 : sent_one_sided(o, c, n);
	case BOB_MPI_CLASS_FILE:
		return sent_to_file(o, c);
	default:
		return 0;
	}
}

uint64_t bob_mpi_received(const struct bob_mpi_call *c)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < c->function->count; i++) {
		const struct bob_mpi_param *p = &c->function->params[i];

		if (p->role == BOB_MPI_ROLE_IOSTATUS && strstr(c->function->name, "read"))
			n = bob_mpi_plus(n, bob_mpi_out(c, p));
		if (p->role != BOB_MPI_ROLE_STATUS || !strcmp(p->name, "message") ||
		    strstr(c->function->name, "robe") ||
		    !strcmp(c->function->name, "Request_get_status"))
			continue;
		if (!(p->flags & BOB_MPI_VECTOR)) {
			if (p->out != BOB_MPI_NOWHERE && p->out + 2u < c->event.words)
				n = bob_mpi_plus(n, c->event.word[p->out + 2]);
			continue;
		}
		uint32_t v = bob_mpi_vector_of(c->function, p);

		for (uint64_t k = 0; v < c->event.vectors && k < c->event.vector[v].count &&
				     c->event.vector[v].words == 3;
		     k++)
			n = bob_mpi_plus(n, c->event.vector[v].at[3 * k + 2]);
	}
	return n;
}

int bob_mpi_was_received(const uint64_t *status, uint64_t source, uint64_t tag)
{
	return (int64_t)status[0] >= 0 && (status[0] || status[1] || status[2]) &&
	       ((int64_t)source < 0 || source == status[0]) &&
	       ((int64_t)tag < 0 || tag == status[1]);
}

uint64_t bob_mpi_fetched(const struct bob_mpi_objects *o, const struct bob_mpi_call *c)
{
	const uint32_t n = base_of(c->function);

	if (bob_mpi_class_of(c->function) != BOB_MPI_CLASS_ONE_SIDED ||
	    (int64_t)named(c, "target_rank") < 0 || bob_mpi_result(c))
		return 0;
	if (n == GET || n == RGET)
		return amount(o, c, "origin_count", "origin_datatype");
	if (n == FETCH_AND_OP || n == COMPARE_AND_SWAP)
		return size_named(o, c, "datatype");
	return amount(o, c, "result_count", "result_datatype");
}

uint64_t bob_mpi_destination(const struct bob_mpi_call *c)
{
	const struct bob_mpi_param *p = bob_mpi_param_named(c->function, "dest");

	return p ? bob_mpi_in(c, p) : BOB_MPI_UNKNOWN;
}

uint64_t bob_mpi_comm_of(const struct bob_mpi_objects *o, const struct bob_mpi_call *c)
{
	const struct bob_mpi_param *p = bob_mpi_param_of(c->function, BOB_MPI_ROLE_COMM);

	if (p)
		return bob_mpi_in(c, p) ? bob_mpi_in(c, p) : BOB_MPI_UNKNOWN;
	p = bob_mpi_param_of(c->function, BOB_MPI_ROLE_WIN);
	return p ? bob_mpi_objects_window_comm(o, bob_mpi_in(c, p)) : BOB_MPI_UNKNOWN;
}

/* Counts in the order of ranks; for Alltoallv and Alltoallw rotated, starting with the process
 * itself. */
static int spread_vector(const struct bob_mpi_objects *o, const struct bob_mpi_call *c,
			 const char *counts, const char *type, uint64_t *to,
			 const struct bob_mpi_comm *comm)
{
	const struct bob_value_vector *n = vector_named(c, counts), *types = vector_named(c, type);
	const struct bob_mpi_param *p = bob_mpi_param_named(c->function, counts);
	uint32_t first = p->flags & BOB_MPI_ROTATED ? comm->me : 0;
	uint64_t size = types->count ? 0 : size_named(o, c, type);

	if (n->count != comm->members || (types->count && types->count != n->count) || is_cut(n) ||
	    is_cut(types))
		return 0;
	for (uint32_t i = 0; i < comm->members; i++) {
		if (types->count)
			size = types->at[i] ? bob_mpi_objects_size(o, types->at[i]) : 0;
		to[(first + (uint64_t)i) % comm->members] = times(positive(n->at[i]), size);
	}
	return 1;
}

static int spread_evenly(uint64_t *to, uint32_t members, uint64_t each)
{
	for (uint32_t i = 0; i < members; i++)
		to[i] = each;
	return 1;
}

static int send_to_root(const struct bob_mpi_objects *o, const struct bob_mpi_call *c, uint64_t *to,
			uint32_t members)
{
	uint64_t root = named(c, "root");

	if (root >= members)
		return 0;
	spread_evenly(to, members, 0);
	to[root] = bob_mpi_sent(o, c);
	return 1;
}

int bob_mpi_spread(const struct bob_mpi_objects *o, const struct bob_mpi_call *c, uint64_t *to,
		   uint32_t members)
{
	const struct bob_mpi_comm *comm = bob_mpi_objects_comm(o, bob_mpi_comm_of(o, c));
	uint32_t what = collective_of(base_of(c->function));
	int in_place = is_in_place(c, "sendbuf");

	if (!comm || !comm->member || comm->members != members || comm->me == ~0u)
		return 0;
	switch (what) {
	case BCAST:
		return is_root(c, comm) && spread_evenly(to, members, bob_mpi_sent(o, c));
	case SCATTER:
		return is_root(c, comm) &&
		       spread_evenly(to, members, amount(o, c, "sendcount", "sendtype"));
	case SCATTERV:
		return is_root(c, comm) && spread_vector(o, c, "sendcounts", "sendtype", to, comm);
	case GATHER:
	case GATHERV:
	case REDUCE:
		return send_to_root(o, c, to, members);
	case ALLGATHER:
	case ALLGATHERV:
		return spread_evenly(to, members, bob_mpi_sent(o, c));
	case ALLTOALL:
		return spread_evenly(to, members,
				     in_place ? amount(o, c, "recvcount", "recvtype") :
						amount(o, c, "sendcount", "sendtype"));
	case ALLTOALLV:
		return spread_vector(o, c, in_place ? "recvcounts" : "sendcounts",
				     in_place ? "recvtype" : "sendtype", to, comm);
	case ALLTOALLW:
		return spread_vector(o, c, in_place ? "recvcounts" : "sendcounts",
				     in_place ? "recvtypes" : "sendtypes", to, comm);
	default:
		return 0;
	}
}

/* The values that the functions above use: all roles, and these two ranks by name. */
enum bob_mpi_depends bob_mpi_bytes_depend(const struct bob_mpi_function *f,
					  const struct bob_mpi_param *p)
{
	switch (p->role) {
	case BOB_MPI_ROLE_COUNT:
	case BOB_MPI_ROLE_TYPE:
	case BOB_MPI_ROLE_COMM:
	case BOB_MPI_ROLE_WIN:
	case BOB_MPI_ROLE_ROOT:
	case BOB_MPI_ROLE_BUF:
	case BOB_MPI_ROLE_STATUS:
	case BOB_MPI_ROLE_IOSTATUS:
		return BOB_MPI_DEPENDS;
	case BOB_MPI_ROLE_RANK:
		return !strcmp(p->name, "dest") || !strcmp(p->name, "target_rank") ?
			       BOB_MPI_DEPENDS_ON_SIGN :
			       BOB_MPI_DEPENDS_NOT;
	case BOB_MPI_ROLE_REQUEST:
		return bob_mpi_class_of(f) == BOB_MPI_CLASS_START ? BOB_MPI_DEPENDS :
								    BOB_MPI_DEPENDS_NOT;
	case BOB_MPI_ROLE_OP:
		return bob_mpi_class_of(f) == BOB_MPI_CLASS_ONE_SIDED ? BOB_MPI_DEPENDS :
									BOB_MPI_DEPENDS_NOT;
	default:
		return BOB_MPI_DEPENDS_NOT;
	}
}
