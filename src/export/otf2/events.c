/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes events, location by location. Each call has an Enter and a Leave event. Operations that
 * the call starts are written at its begin, those that it completes at its end. A call that did not
 * return has no Leave. */
#include <string.h>

#include "export/otf2/archive.h"

struct writing {
	struct bob_otf2 *o;
	OTF2_EvtWriter *w;
	const struct bob_mpi_visited *visited;
	struct bob_mpi_act collective; /* of the current call; written at its end */
	OTF2_CommRef collective_comm;
	int has_collective;
};

static void check(struct bob_otf2 *o, OTF2_ErrorCode code)
{
	if (o->failed == OTF2_SUCCESS)
		o->failed = code;
}

/* --- collective operations --- */

static OTF2_CollectiveOp operation_of(const struct bob_mpi_function *f)
{
	static const struct {
		const char *name;
		OTF2_CollectiveOp op;
	} ops[] = {
		{ "Barrier", OTF2_COLLECTIVE_OP_BARRIER },
		{ "Bcast", OTF2_COLLECTIVE_OP_BCAST },
		{ "Gather", OTF2_COLLECTIVE_OP_GATHER },
		{ "Gatherv", OTF2_COLLECTIVE_OP_GATHERV },
		{ "Scatter", OTF2_COLLECTIVE_OP_SCATTER },
		{ "Scatterv", OTF2_COLLECTIVE_OP_SCATTERV },
		{ "Allgather", OTF2_COLLECTIVE_OP_ALLGATHER },
		{ "Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV },
		{ "Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL },
		{ "Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV },
		{ "Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW },
		{ "Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE },
		{ "Reduce", OTF2_COLLECTIVE_OP_REDUCE },
		{ "Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER },
		{ "Scan", OTF2_COLLECTIVE_OP_SCAN },
		{ "Exscan", OTF2_COLLECTIVE_OP_EXSCAN },
		{ "Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK },
		/* OTF2 has no neighbourhood collectives; these are the closest */
		{ "Neighbor_allgather", OTF2_COLLECTIVE_OP_ALLGATHER },
		{ "Neighbor_allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV },
		{ "Neighbor_alltoall", OTF2_COLLECTIVE_OP_ALLTOALL },
		{ "Neighbor_alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV },
		{ "Neighbor_alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW },
	};
	const struct bob_mpi_function *form = bob_mpi_collective_form(f);

	for (size_t i = 0; form && i < sizeof(ops) / sizeof(*ops); i++)
		if (!strcmp(ops[i].name, form->name))
			return ops[i].op;
	return OTF2_COLLECTIVE_OP_BARRIER;
}

static uint32_t root_of(const struct bob_mpi_act *a)
{
	return a->root < 0 ? OTF2_COLLECTIVE_ROOT_NONE : (uint32_t)a->root;
}

static uint64_t bytes_of(uint64_t n)
{
	return n == BOB_MPI_UNKNOWN ? 0 : n;
}

static void end_collective(struct writing *w)
{
	const struct bob_mpi_act *a = &w->collective;

	check(w->o, OTF2_EvtWriter_MpiCollectiveEnd(w->w, NULL, w->visited->span.end_ns,
						    operation_of(a->function), w->collective_comm,
						    root_of(a), bytes_of(a->sent),
						    bytes_of(a->received)));
}

/* --- operations that calls start and complete --- */

static OTF2_ErrorCode put_message(struct writing *w, const struct bob_mpi_act *a, OTF2_CommRef comm,
				  uint64_t ns)
{
	uint32_t peer = (uint32_t)a->peer, tag = (uint32_t)a->tag;
	/* a request of the program may belong to both a send and a receive */
	uint64_t sends = a->request << 1, receives = sends | 1;

	switch (a->kind) {
	case BOB_MPI_ACT_SEND:
		return OTF2_EvtWriter_MpiSend(w->w, NULL, ns, peer, comm, tag, bytes_of(a->sent));
	case BOB_MPI_ACT_RECV:
		return OTF2_EvtWriter_MpiRecv(w->w, NULL, ns, peer, comm, tag,
					      bytes_of(a->received));
	case BOB_MPI_ACT_ISEND:
		return OTF2_EvtWriter_MpiIsend(w->w, NULL, ns, peer, comm, tag, bytes_of(a->sent),
					       sends);
	case BOB_MPI_ACT_ISEND_DONE:
		return OTF2_EvtWriter_MpiIsendComplete(w->w, NULL, ns, sends);
	case BOB_MPI_ACT_IRECV:
		return OTF2_EvtWriter_MpiIrecvRequest(w->w, NULL, ns, receives);
	case BOB_MPI_ACT_IRECV_DONE:
		return OTF2_EvtWriter_MpiIrecv(w->w, NULL, ns, peer, comm, tag,
					       bytes_of(a->received), receives);
	case BOB_MPI_ACT_DROPPED:
		return a->request ? OTF2_EvtWriter_MpiRequestCancelled(w->w, NULL, ns, receives) :
				    OTF2_SUCCESS;
	case BOB_MPI_ACT_ICOLLECTIVE:
		return OTF2_EvtWriter_NonBlockingCollectiveRequest(w->w, NULL, ns, sends);
	case BOB_MPI_ACT_ICOLLECTIVE_DONE:
		return OTF2_EvtWriter_NonBlockingCollectiveComplete(w->w, NULL, ns,
								    operation_of(a->function), comm,
								    root_of(a), bytes_of(a->sent),
								    bytes_of(a->received), sends);
	default:
		return OTF2_SUCCESS;
	}
}

static bob_status put_act(void *ctx, const struct bob_mpi_act *a)
{
	struct writing *w = ctx;
	uint64_t ns = a->at_end ? w->visited->span.end_ns : w->visited->span.begin_ns;
	OTF2_CommRef comm;
	bob_status st = bob_otf2_comm(w->o, w->visited->objects, a->comm, &comm);

	if (st != BOB_OK)
		return st;
	if (comm == BOB_OTF2_NO_COMM) {
		w->o->x->lost_messages += !a->at_end;
		return BOB_OK;
	}
	if (a->kind != BOB_MPI_ACT_COLLECTIVE) {
		check(w->o, put_message(w, a, comm, ns));
		return BOB_OK;
	}
	check(w->o, OTF2_EvtWriter_MpiCollectiveBegin(w->w, NULL, ns));
	w->collective = *a;
	w->collective_comm = comm;
	w->has_collective = 1;
	return BOB_OK;
}

/* --- calls --- */

static uint32_t region_of(struct bob_otf2 *o, const struct bob_mpi_function *f)
{
	uint32_t *r = &o->region[bob_event_function_first(f)->number];

	if (!*r)
		*r = ++o->regions;
	return *r - 1;
}

static bob_status put_call(void *ctx, const struct bob_mpi_visited *visited)
{
	struct writing *w = ctx;
	const struct bob_mpi_call *c = visited->call;
	uint32_t region = region_of(w->o, c->function);
	bob_status st;

	w->visited = visited;
	w->has_collective = 0;
	if (visited->span.end_ns > w->o->last_ns)
		w->o->last_ns = visited->span.end_ns;
	if (!(c->function->flags & BOB_MPI_USER_END))
		check(w->o, OTF2_EvtWriter_Enter(w->w, NULL, visited->span.begin_ns, region));
	st = bob_mpi_messages_take(visited->messages, c, visited->number, visited->made, put_act,
				   w);
	if (c->event.open || c->function->flags & BOB_MPI_USER_BEGIN)
		return st;
	if (w->has_collective)
		end_collective(w);
	check(w->o, OTF2_EvtWriter_Leave(w->w, NULL, visited->span.end_ns, region));
	return st == BOB_OK ? bob_otf2_status(w->o) : st;
}

static bob_status begin_process(void *ctx, const struct bob_mpi_visited *visited)
{
	struct writing *w = ctx;

	if (visited->rank != ~0u && visited->rank >= w->o->world &&
	    visited->rank < BOB_OTF2_RANKS_MAX)
		w->o->world = visited->rank + 1;
	return bob_otf2_comms_begin(w->o, visited->objects);
}

static bob_status begin_thread(void *ctx, const struct bob_mpi_visited *visited)
{
	struct writing *w = ctx;

	w->w = OTF2_Archive_GetEvtWriter(w->o->archive, visited->thread);
	if (!w->w)
		check(w->o, OTF2_ERROR_INTEGRITY_FAULT);
	w->o->has_calls[visited->thread] = 1;
	return bob_otf2_status(w->o);
}

static bob_status end_thread(void *ctx, const struct bob_mpi_visited *visited)
{
	struct writing *w = ctx;

	check(w->o, OTF2_EvtWriter_GetNumberOfEvents(w->w, &w->o->events[visited->thread]));
	check(w->o, OTF2_Archive_CloseEvtWriter(w->o->archive, w->w));
	w->w = NULL;
	return bob_otf2_status(w->o);
}

static bob_status end_process(void *ctx, const struct bob_mpi_visited *visited)
{
	struct writing *w = ctx;

	w->o->x->lost_messages += bob_mpi_messages_unknown(visited->messages);
	return BOB_OK;
}

bob_status bob_otf2_events(struct bob_otf2 *o)
{
	struct writing w = { .o = o };
	const struct bob_mpi_visitor v = { .begin_process = begin_process,
					   .begin_thread = begin_thread,
					   .call = put_call,
					   .end_thread = end_thread,
					   .end_process = end_process,
					   .ctx = &w,
					   .budget = UINT64_MAX,
					   .exact = o->exact };
	bob_status st;

	check(o, OTF2_Archive_OpenEvtFiles(o->archive));
	st = bob_otf2_status(o);
	if (st == BOB_OK)
		st = bob_mpi_tour(o->x, &v);
	return st;
}
