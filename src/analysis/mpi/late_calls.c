/* SPDX-License-Identifier: BSD-3-Clause */
/* Interprets MPI calls for the analysis of wait states: which messages a call sends, posts receives
 * for, or completes, and which requests it creates, starts, cancels and frees. */
#include "analysis/mpi/late_calls.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/call_bytes.h"

/* Numbers in functions.txt; large-count functions have numbers higher by 1024. */
enum {
	RECV = 5,
	SENDRECV = 6,
	SENDRECV_REPLACE = 7,
	MPROBE = 10,
	IMPROBE = 11,
	MRECV = 12,
	IRECV = 20,
	ISENDRECV = 21,
	ISENDRECV_REPLACE = 22,
	IMRECV = 23,
	RECV_INIT = 28,
	WAIT = 31,
	TEST,
	WAITANY,
	TESTANY,
	WAITALL,
	TESTALL,
	WAITSOME,
	TESTSOME,
	REQUEST_FREE = 40,
	CANCEL = 41,
	PRECV_INIT = 46,
	PCONTROL = 238,
	LARGE = 1024
};

#define MESSAGE (1ull << 63)	/* flag of ids in `requests`: a probed message */

/* A posted receive, or a persistent operation. */
struct request {
	struct bob_late_receive *receive; /* NULL: none is pending */
	int is_persistent, sends, is_cancelled;
	const struct bob_late_comm *comm; /* of a receive */
	uint64_t peer;		/* of a send: rank in its communicator; otherwise in
				 * MPI_COMM_WORLD */
	uint64_t tag;
	uint64_t source;	/* of a receive: rank in `comm` */
	uint64_t number;	/* of a send: the process's number of its communicator */
};

void bob_late_request_free(void *request)
{
	free(((struct request *)request)->receive);
	free(request);
}

int bob_mpi_has_calls_of(const struct bob_trace *t, uint32_t process)
{
	const struct bob_process_info *p = bob_trace_process(t, process);
	struct bob_value_cursor *c;

	for (uint32_t i = 0; i < p->thread_count; i++)
		if (bob_value_cursor_open(t, p->first_thread + i, BOB_VALUES_MPI, &c, NULL) ==
		    BOB_OK) {
			bob_value_cursor_close(c);
			return 1;
		}
	return 0;
}

/* --- words --- */

static uint64_t named(const struct bob_mpi_call *c, const char *name, const char *other)
{
	const struct bob_mpi_param *p = bob_mpi_param_named(c->function, name);

	return bob_mpi_in(c, p ? p : bob_mpi_param_named(c->function, other));
}

static const struct bob_value_vector *vector(const struct bob_mpi_call *c, const char *name,
					     int after)
{
	static const struct bob_value_vector none;
	const struct bob_mpi_param *p = bob_mpi_param_named(c->function, name);
	uint32_t i = !p	   ? BOB_MPI_NO_VECTOR :
		     after ? bob_mpi_vector_after(c->function, p) :
			     bob_mpi_vector_of(c->function, p);

	return i < c->event.vectors ? &c->event.vector[i] : &none;
}

static uint64_t out_word(const struct bob_mpi_call *c, const char *name)
{
	return bob_mpi_out(c, bob_mpi_param_named(c->function, name));
}

/* --- sending --- */

/* Sends a message to rank `to` of the process's communicator `number`. */
static void send_to(struct bob_mpi_late *l, const struct bob_late_event *e, uint64_t number,
		    uint64_t to, uint64_t tag)
{
	const struct bob_mpi_comm *own;
	const struct bob_late_comm *const comm =
		bob_late_comm_of(l, e->at.site.process, number, &own);
	const uint32_t process = comm ? bob_late_peer(l, comm, to) : ~0u;

	if ((int64_t)to < 0)
		return; /* MPI_PROC_NULL */
	l->sum.sent++;
	if (l->process[e->at.site.process].doubtful)
		l->sum.not_followed++;
	else if (!comm)
		l->sum.unknown_groups++;
	else if (process == ~0u || l->process[process].deaf)
		l->sum.not_followed++;
	else
		bob_late_send(l, &e->at, comm->number, comm->member[to], tag);
}

static void send(struct bob_mpi_late *l, const struct bob_late_event *e)
{
	send_to(l, e, bob_mpi_comm_of(l->process[e->at.site.process].objects, e->call),
		bob_mpi_destination(e->call), named(e->call, "sendtag", "tag"));
}

/* --- receiving --- */

static struct bob_late_receive *post(struct bob_mpi_late *l, const struct bob_late_event *e,
				     const struct bob_late_comm *comm, uint64_t source,
				     uint64_t tag)
{
	return bob_late_post(l, e->at.site.process, comm->number, source, tag);
}

static int listens(const struct bob_mpi_late *l, uint32_t process)
{
	return !l->process[process].deaf && !l->process[process].doubtful;
}

/* Source and tag of a receiving call. Returns 0 if its message cannot be matched. */
static int asks_for(struct bob_mpi_late *l, const struct bob_late_event *e,
		    const struct bob_late_comm **comm, uint64_t *source, uint64_t *tag)
{
	const struct bob_mpi_comm *own;
	const struct bob_late_comm *c = bob_late_comm_of_call(l, e, &own);

	*source = named(e->call, "source", "");
	*tag = named(e->call, "recvtag", "tag");
	if (!c || !listens(l, e->at.site.process))
		return 0;
	*comm = c;
	if (*source == BOB_LATE_ANY)
		return 1;
	if (bob_late_peer(l, c, *source) == ~0u)
		return 0;
	*source = c->member[*source];
	return 1;
}

/* Completes a receive with its status, which has ranks in `comm`. Frees the receive. */
static void got(struct bob_mpi_late *l, struct bob_late_receive *r,
		const struct bob_late_comm *comm, const uint64_t *status, struct bob_late_wait *w)
{
	if (!status)
		bob_late_forget(l, r, 0);
	else if (bob_late_peer(l, comm, status[0]) == ~0u)
		bob_late_ignore(l, r);
	else
		bob_late_receive(l, r, comm->member[status[0]], status[1], w);
}

static struct bob_late_wait *begin_wait(struct bob_mpi_late *l, const struct bob_late_event *e)
{
	struct bob_late_wait *w = calloc(1, sizeof(*w));

	if (w) {
		w->call = e->at;
		w->pending = 1;
	} else {
		l->no_memory = 1;
	}
	return w;
}

/* The call's status, or NULL. */
static const uint64_t *status_of(const struct bob_mpi_call *c)
{
	const struct bob_mpi_param *p = bob_mpi_param_named(c->function, "status");

	return p && p->out != BOB_MPI_NOWHERE && p->out + 3u <= c->event.words ?
		       &c->event.word[p->out] :
		       NULL;
}

/* --- requests --- */

static struct request *request_of(const struct bob_mpi_late *l, uint32_t process, uint64_t id)
{
	return id ? bob_late_map_get(&l->requests, process, id) : NULL;
}

static void keep_request(struct bob_mpi_late *l, uint32_t process, uint64_t id,
			 const struct request *from)
{
	struct request *r = malloc(sizeof(*r));

	if (r)
		*r = *from;
	if (!r || !bob_late_map_put(&l->requests, process, id, r)) {
		free(r);
		l->no_memory = 1;
	}
}

static void drop_request(struct bob_mpi_late *l, uint32_t process, uint64_t id)
{
	free(bob_late_map_get(&l->requests, process, id));
	bob_late_map_drop(&l->requests, process, id);
}

/* Id of the call's new request; 0: unknown. */
static uint64_t new_request(const struct bob_late_event *e)
{
	const uint64_t word = out_word(e->call, "request");

	return word == 2 ? (uint64_t)(e->thread + 1) << 32 | (uint32_t)e->made : 0;
}

static void complete(struct bob_mpi_late *l, const struct bob_late_event *e, uint64_t word,
		     const uint64_t *status, struct bob_late_wait *w)
{
	const uint32_t process = e->at.site.process;
	const uint64_t id = bob_mpi_request_id(word, e->thread, e->made);
	struct request *r = request_of(l, process, id);

	if (!r)
		return;
	if (r->receive && r->is_cancelled && status &&
	    !bob_mpi_was_received(status, r->source, r->tag))
		bob_late_ignore(l, r->receive);
	else if (r->receive)
		got(l, r->receive, r->comm, status, w);
	r->receive = NULL;
	r->is_cancelled = 0;
	if (!r->is_persistent)
		drop_request(l, process, id);
}

static void complete_some(struct bob_mpi_late *l, const struct bob_late_event *e,
			  struct bob_late_wait *w)
{
	const struct bob_value_vector *request = vector(e->call, "array_of_requests", 0),
				      *status = vector(e->call, "array_of_statuses", 1),
				      *index = vector(e->call, "array_of_indices", 1);
	const int all = !bob_mpi_param_named(e->call->function, "array_of_indices");
	const uint64_t n = all ? request->count : index->count;

	for (uint64_t i = 0; i < n; i++) {
		const uint64_t at = all ? i : index->at[i];

		if (at < request->count)
			complete(l, e, request->at[at],
				 i < status->count && status->words == 3 ? &status->at[3 * i] :
									   NULL,
				 w);
	}
}

static void wait(struct bob_mpi_late *l, const struct bob_late_event *e, uint32_t n)
{
	const struct bob_value_vector *request = vector(e->call, "array_of_requests", 0);
	const int tests = n == TEST || n == TESTANY || n == TESTALL;
	struct bob_late_wait *w;
	uint64_t at;

	if (tests && !out_word(e->call, "flag"))
		return;
	w = begin_wait(l, e);
	if (!w)
		return;
	if (n == WAIT || n == TEST) {
		complete(l, e, named(e->call, "request", ""), status_of(e->call), w);
	} else if (n == WAITANY || n == TESTANY) {
		at = out_word(e->call, "index");
		if (at < request->count)
			complete(l, e, request->at[at], status_of(e->call), w);
	} else {
		complete_some(l, e, w);
	}
	bob_late_waited(l, w);
}

static void start(struct bob_mpi_late *l, const struct bob_late_event *e)
{
	const struct bob_value_vector *all = vector(e->call, "array_of_requests", 0);
	const uint64_t one = named(e->call, "request", "");
	const uint64_t n = all->count ? all->count : 1;
	const uint32_t p = e->at.site.process;

	for (uint64_t i = 0; i < n; i++) {
		const uint64_t word = all->count ? all->at[i] : one;
		struct request *r = request_of(l, p, bob_mpi_request_id(word, e->thread, e->made));

		if (r && r->sends)
			send_to(l, e, r->number, r->peer, r->tag);
		else if (r && r->is_persistent && !r->receive && listens(l, p))
			r->receive = post(l, e, r->comm, r->peer, r->tag);
	}
}

/* --- calls that receive --- */

static void receive_now(struct bob_mpi_late *l, const struct bob_late_event *e)
{
	struct bob_late_receive *r;
	struct bob_late_wait *w;
	const struct bob_late_comm *comm;
	uint64_t source, tag;

	if (!asks_for(l, e, &comm, &source, &tag))
		return;
	r = post(l, e, comm, source, tag);
	if (r && e->call->event.open)
		bob_late_forget(l, r, 1); /* it waits forever */
	if (!r || e->call->event.open)
		return;
	w = begin_wait(l, e);
	if (w) {
		got(l, r, comm, status_of(e->call), w);
		bob_late_waited(l, w);
	}
}

static void receive_later(struct bob_mpi_late *l, const struct bob_late_event *e, int persistent)
{
	struct request r = { .is_persistent = persistent };
	const uint64_t id = new_request(e);

	if (!asks_for(l, e, &r.comm, &r.peer, &r.tag))
		return;
	r.source = named(e->call, "source", "");
	if (!persistent)
		r.receive = post(l, e, r.comm, r.peer, r.tag);
	if (id && (r.receive || persistent))
		keep_request(l, e->at.site.process, id, &r);
	else if (r.receive)
		bob_late_forget(l, r.receive, 0);
}

static void send_later(struct bob_mpi_late *l, const struct bob_late_event *e)
{
	const uint32_t p = e->at.site.process;
	const uint64_t id = new_request(e);

	if (!id)
		return;
	keep_request(l, p, id,
		     &(struct request){ .is_persistent = 1, .sends = 1,
					.number = bob_mpi_comm_of(l->process[p].objects, e->call),
					.peer = bob_mpi_destination(e->call),
					.tag = named(e->call, "tag", "") });
}

/* A probed message counts as received by some receive. */
static void probe(struct bob_mpi_late *l, const struct bob_late_event *e)
{
	const uint64_t message = out_word(e->call, "message");
	struct request r = { 0 };

	if (!message || !asks_for(l, e, &r.comm, &r.peer, &r.tag))
		return;
	r.receive = post(l, e, r.comm, r.peer, r.tag);
	if (r.receive && message != BOB_MPI_UNKNOWN &&
	    !request_of(l, e->at.site.process, MESSAGE | message))
		keep_request(l, e->at.site.process, MESSAGE | message, &r);
	else if (r.receive)
		bob_late_forget(l, r.receive, 0);
}

static void receive_probed(struct bob_mpi_late *l, const struct bob_late_event *e, int later)
{
	const uint32_t process = e->at.site.process;
	const uint64_t id = MESSAGE | named(e->call, "message", ""), request = new_request(e);
	struct request *r = request_of(l, process, id);
	struct bob_late_wait *w;

	if (!r)
		return;
	if (later && request) {
		keep_request(l, process, request, r);
	} else if (later) {
		bob_late_forget(l, r->receive, 0);
	} else if ((w = begin_wait(l, e))) {
		got(l, r->receive, r->comm, status_of(e->call), w);
		bob_late_waited(l, w);
	}
	drop_request(l, process, id);
}

static void end_request(struct bob_mpi_late *l, const struct bob_late_event *e, int cancelled)
{
	const uint64_t id = bob_mpi_request_id(named(e->call, "request", ""), e->thread, e->made);
	struct request *r = request_of(l, e->at.site.process, id);

	if (!r)
		return;
	if (cancelled) {
		r->is_cancelled = r->receive != NULL;
		if (r->receive)
			bob_late_cancel(l, r->receive);
		return;
	}
	if (r->receive)
		bob_late_forget(l, r->receive, 0);
	drop_request(l, e->at.site.process, id);
}

/* --- all calls --- */

static void receive(struct bob_mpi_late *l, const struct bob_late_event *e, uint32_t n)
{
	switch (n) {
	case RECV:
	case SENDRECV:
	case SENDRECV_REPLACE:
		receive_now(l, e);
		break;
	case IRECV:
	case ISENDRECV:
	case ISENDRECV_REPLACE:
		receive_later(l, e, 0);
		break;
	case RECV_INIT:
		receive_later(l, e, 1);
		break;
	case MPROBE:
	case IMPROBE:
		probe(l, e);
		break;
	case MRECV:
	case IMRECV:
		receive_probed(l, e, n == IMRECV);
		break;
	case REQUEST_FREE:
	case CANCEL:
		end_request(l, e, n == CANCEL);
		break;
	default:
		if (n >= WAIT && n <= TESTSOME && !e->call->event.open)
			wait(l, e, n);
	}
}

static int moves_messages(enum bob_mpi_class class, uint32_t n)
{
	return class == BOB_MPI_CLASS_SEND || class == BOB_MPI_CLASS_SEND_INIT ||
	       class == BOB_MPI_CLASS_START || class == BOB_MPI_CLASS_COLLECTIVE ||
	       (n >= RECV && n <= MRECV) || (n >= IRECV && n <= CANCEL);
}

void bob_late_take(struct bob_mpi_late *l, const struct bob_late_event *e)
{
	const struct bob_mpi_function *f = e->call->function;
	const uint32_t n = f->number >= LARGE ? f->number - LARGE : f->number;
	const enum bob_mpi_class class = bob_mpi_class_of(f);

	/* The effect of failed or unrecorded calls is unknown. */
	if ((bob_mpi_result(e->call) && moves_messages(class, n)) ||
	    (n == PCONTROL && !e->call->event.word[0]) || n == PRECV_INIT)
		l->process[e->at.site.process].doubtful = 1;
	if (bob_mpi_result(e->call))
		return;
	if (class == BOB_MPI_CLASS_SEND)
		send(l, e);
	else if (class == BOB_MPI_CLASS_SEND_INIT)
		send_later(l, e);
	else if (class == BOB_MPI_CLASS_START)
		start(l, e);
	if (l->process[e->at.site.process].doubtful)
		return;
	if (class == BOB_MPI_CLASS_COLLECTIVE)
		bob_late_collective(l, e, n);
	receive(l, e, n);
}
