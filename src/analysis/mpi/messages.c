/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions are classified by their parameters: one with a `dest` sends; one with a `source` that
 * is no probe receives; one with requests as input completes them. */
#include "analysis/mpi/messages.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/pending.h"

#define MESSAGES (1ull << 63)	/* flag of ids of probed messages */

struct bob_mpi_messages {
	const struct bob_mpi_objects *objects;
	struct bob_mpi_pendings pending;
	uint64_t unknown;
	/* the current call */
	const struct bob_mpi_call *call;
	uint32_t thread;
	uint64_t made;
	bob_mpi_act_fn act;
	void *ctx;
};

bob_status bob_mpi_messages_create(const struct bob_mpi_objects *o, struct bob_mpi_messages **out)
{
	struct bob_mpi_messages *m = calloc(1, sizeof(*m));

	if (!m)
		return BOB_ERR_NOMEM;
	m->objects = o;
	*out = m;
	return BOB_OK;
}

void bob_mpi_messages_destroy(struct bob_mpi_messages *m)
{
	if (!m)
		return;
	bob_mpi_pendings_free(&m->pending);
	free(m);
}

uint64_t bob_mpi_messages_unknown(const struct bob_mpi_messages *m)
{
	return m->unknown;
}

/* --- words of the call --- */

static const struct bob_mpi_param *param(const struct bob_mpi_messages *m, const char *name)
{
	return bob_mpi_param_named(m->call->function, name);
}

static uint64_t in(const struct bob_mpi_messages *m, const char *name)
{
	return bob_mpi_in(m->call, param(m, name));
}

/* Tag of the sent or received message. */
static int64_t tag_of(const struct bob_mpi_messages *m, const char *own)
{
	return (int64_t)in(m, param(m, own) ? own : "tag");
}

/* Source, tag, bytes; NULL: no status. */
static const uint64_t *status_of(const struct bob_mpi_messages *m)
{
	const struct bob_mpi_param *p = param(m, "status");
	const struct bob_value_event *e = &m->call->event;

	return p && p->role == BOB_MPI_ROLE_STATUS && p->out != BOB_MPI_NOWHERE &&
			       p->out + 2u < e->words ?
		       &e->word[p->out] :
		       NULL;
}

static uint64_t new_request(const struct bob_mpi_messages *m)
{
	return (uint64_t)(m->thread + 1) << 32 | (uint32_t)m->made;
}

/* --- starts --- */

static int is_collective(enum bob_mpi_class class)
{
	return class == BOB_MPI_CLASS_COLLECTIVE || class == BOB_MPI_CLASS_COLLECTIVE_INIT;
}

/* The operation of the call or of its new request; kind 0: none. */
static void describe(const struct bob_mpi_messages *m, struct bob_mpi_pending *x)
{
	const struct bob_mpi_function *f = m->call->function;
	enum bob_mpi_class class = bob_mpi_class_of(f);
	const struct bob_mpi_param *root = param(m, "root");
	const struct bob_mpi_pending *message = NULL;

	x->function = f;
	x->comm = bob_mpi_comm_of(m->objects, m->call);
	x->sent = bob_mpi_sent(m->objects, m->call);
	x->root = root ? (int64_t)bob_mpi_in(m->call, root) : -1;
	if (param(m, "message") && (param(m, "message")->flags & BOB_MPI_GOES_IN))
		message = bob_mpi_pendings_find(&m->pending, MESSAGES | in(m, "message"));
	if (is_collective(class)) {
		x->kind = BOB_MPI_PENDING_COLLECTIVE;
		return;
	}
	if (class == BOB_MPI_CLASS_SEND || class == BOB_MPI_CLASS_SEND_INIT) {
		x->peer = (int64_t)in(m, "dest");
		x->tag = tag_of(m, "sendtag");
		x->kind |= x->peer >= 0 ? BOB_MPI_PENDING_SEND : 0;
	}
	if (message) {
		x->comm = message->comm;
		x->source = message->source;
		x->receive_tag = message->receive_tag;
		x->probed = 1;
		x->kind |= BOB_MPI_PENDING_RECV;
	} else if (param(m, "source") && param(m, "source")->role == BOB_MPI_ROLE_RANK &&
		   !strstr(f->name, "robe")) {
		x->source = (int64_t)in(m, "source");
		x->receive_tag = tag_of(m, "recvtag");
		x->kind |= x->source == -1 || x->source >= 0 ? BOB_MPI_PENDING_RECV : 0;
	}
}

static bob_status report(struct bob_mpi_messages *m, const struct bob_mpi_pending *x,
			 enum bob_mpi_act_kind kind, int at_end)
{
	int sends = kind == BOB_MPI_ACT_SEND || kind == BOB_MPI_ACT_ISEND ||
		    kind == BOB_MPI_ACT_ISEND_DONE;
	const struct bob_mpi_act a = { .kind = kind,
				       .at_end = at_end,
				       .request = x->id,
				       .function = x->function,
				       .comm = x->comm,
				       .peer = sends ? x->peer : x->source,
				       .tag = sends ? x->tag : x->receive_tag,
				       .root = x->root,
				       .sent = x->sent,
				       .received = x->received,
				       .probed = x->probed };

	return m->act(m->ctx, &a);
}

static bob_status begin(struct bob_mpi_messages *m, struct bob_mpi_pending *x)
{
	bob_status st = BOB_OK;

	x->active = 1;
	if (x->kind & BOB_MPI_PENDING_SEND)
		st = report(m, x, BOB_MPI_ACT_ISEND, 0);
	if (st == BOB_OK && (x->kind & BOB_MPI_PENDING_RECV))
		st = report(m, x, BOB_MPI_ACT_IRECV, 0);
	if (st == BOB_OK && (x->kind & BOB_MPI_PENDING_COLLECTIVE))
		st = report(m, x, BOB_MPI_ACT_ICOLLECTIVE, 0);
	return st;
}

/* --- completions --- */

static bob_status end_receive(struct bob_mpi_messages *m, const struct bob_mpi_pending *x,
			      const uint64_t *status, enum bob_mpi_act_kind kind)
{
	struct bob_mpi_pending got = *x;
	int is_there = status && (int64_t)status[0] >= 0;

	if (x->cancelled && is_there)
		is_there =
			bob_mpi_was_received(status, (uint64_t)x->source, (uint64_t)x->receive_tag);
	if (!is_there)
		return report(m, x, BOB_MPI_ACT_DROPPED, 1);
	got.source = (int64_t)status[0];
	got.receive_tag = (int64_t)status[1];
	got.received = status[2];
	return report(m, &got, kind, 1);
}

/* Completes `x`, an element of the table, which may be removed. */
static bob_status end(struct bob_mpi_messages *m, struct bob_mpi_pending *x, const uint64_t *status)
{
	bob_status st = BOB_OK;

	if (x->active && (x->kind & BOB_MPI_PENDING_SEND))
		st = report(m, x, BOB_MPI_ACT_ISEND_DONE, 1);
	if (st == BOB_OK && x->active && (x->kind & BOB_MPI_PENDING_RECV))
		st = end_receive(m, x, status, BOB_MPI_ACT_IRECV_DONE);
	if (st == BOB_OK && x->active && (x->kind & BOB_MPI_PENDING_COLLECTIVE))
		st = report(m, x, BOB_MPI_ACT_ICOLLECTIVE_DONE, 1);
	x->active = 0;
	if (!x->persistent)
		bob_mpi_pendings_remove(&m->pending, x);
	return st;
}

static bob_status end_named(struct bob_mpi_messages *m, uint64_t word, const uint64_t *status)
{
	uint64_t id = bob_mpi_request_id(word, m->thread, m->made);
	struct bob_mpi_pending *x = bob_mpi_pendings_find(&m->pending, id);

	if (x)
		return end(m, x, status);
	m->unknown += id != 0;
	return BOB_OK;
}

/* --- kinds of calls --- */

static bob_status take_blocking(struct bob_mpi_messages *m, struct bob_mpi_pending *x)
{
	bob_status st = BOB_OK;

	if (x->kind & BOB_MPI_PENDING_COLLECTIVE)
		return report(m, x, BOB_MPI_ACT_COLLECTIVE, 0);
	if (x->kind & BOB_MPI_PENDING_SEND)
		st = report(m, x, BOB_MPI_ACT_SEND, 0);
	if (st == BOB_OK && (x->kind & BOB_MPI_PENDING_RECV) && !m->call->event.open)
		st = end_receive(m, x, status_of(m), BOB_MPI_ACT_RECV);
	return st;
}

static bob_status take_new(struct bob_mpi_messages *m, const struct bob_mpi_pending *about,
			   const struct bob_mpi_param *request)
{
	size_t n = strlen(m->call->function->name);
	const char *name = m->call->function->name;
	struct bob_mpi_pending *x, whole = *about;
	uint64_t word = bob_mpi_out(m->call, request);

	if (!word && !m->call->event.open)
		return BOB_OK;
	whole.id = new_request(m);
	whole.persistent = (n > 5 && !strcmp(name + n - 5, "_init")) ||
			   (n > 7 && !strcmp(name + n - 7, "_init_c"));
	if (word == 1) { /* complete immediately, without a handle of its own */
		bob_status st = begin(m, &whole);

		if (st == BOB_OK && (whole.kind & BOB_MPI_PENDING_SEND))
			st = report(m, &whole, BOB_MPI_ACT_ISEND_DONE, 1);
		if (st == BOB_OK && (whole.kind & BOB_MPI_PENDING_RECV))
			st = report(m, &whole, BOB_MPI_ACT_DROPPED, 1);
		if (st == BOB_OK && (whole.kind & BOB_MPI_PENDING_COLLECTIVE))
			st = report(m, &whole, BOB_MPI_ACT_ICOLLECTIVE_DONE, 1);
		return st;
	}
	x = bob_mpi_pendings_add(&m->pending, whole.id);
	if (!x)
		return BOB_ERR_NOMEM;
	*x = whole;
	return x->persistent ? BOB_OK : begin(m, x);
}

/* Mprobe and the like: the message leaves the queue, and the receiving call refers to it by
 * number. */
static bob_status take_probed(struct bob_mpi_messages *m, const struct bob_mpi_param *message)
{
	const uint64_t *status = status_of(m);
	uint64_t number = bob_mpi_out(m->call, message);
	struct bob_mpi_pending *x;

	if (!number || !status || (int64_t)status[0] < 0)
		return BOB_OK;
	x = bob_mpi_pendings_add(&m->pending, MESSAGES | number);
	if (!x)
		return BOB_ERR_NOMEM;
	x->kind = BOB_MPI_PENDING_MESSAGE;
	x->function = m->call->function;
	x->comm = bob_mpi_comm_of(m->objects, m->call);
	x->source = (int64_t)status[0];
	x->receive_tag = (int64_t)status[1];
	x->received = status[2];
	return report(m, x, BOB_MPI_ACT_MATCHED, 1);
}

static bob_status take_starts(struct bob_mpi_messages *m)
{
	const struct bob_value_event *e = &m->call->event;
	const struct bob_mpi_param *p = param(m, "request");
	const uint64_t *word = p ? &e->word[p->in] : e->vector[0].at;
	uint64_t n = p ? 1 : e->vector[0].count;
	bob_status st = BOB_OK;

	for (uint64_t i = 0; i < n && st == BOB_OK; i++) {
		struct bob_mpi_pending *x = bob_mpi_pendings_find(
			&m->pending, bob_mpi_request_id(word[i], m->thread, m->made));

		if (x)
			st = begin(m, x);
		else
			m->unknown++;
	}
	return st;
}

/* Wait, Waitall, ...: completed requests and their statuses. */
static bob_status take_completions(struct bob_mpi_messages *m, const struct bob_mpi_param *many)
{
	const struct bob_mpi_function *f = m->call->function;
	const struct bob_value_event *e = &m->call->event;
	const struct bob_mpi_param *flag = param(m, "flag"), *index = param(m, "index");
	const struct bob_mpi_param *indices = param(m, "array_of_indices");
	const struct bob_mpi_param *statuses = param(m, "array_of_statuses");
	const struct bob_value_vector none = { 0 }, *of = &none, *at = &none, *said = &none;
	bob_status st = BOB_OK;

	if (flag && !bob_mpi_out(m->call, flag))
		return BOB_OK;
	if (!many)
		return end_named(m, in(m, "request"), status_of(m));
	of = &e->vector[bob_mpi_vector_of(f, many)];
	if (statuses)
		said = &e->vector[bob_mpi_vector_of(f, statuses)];
	if (index) {
		uint64_t k = bob_mpi_out(m->call, index);

		return k < of->count ? end_named(m, of->at[k], status_of(m)) : BOB_OK;
	}
	if (indices)
		at = &e->vector[bob_mpi_vector_of(f, indices)];
	for (uint64_t i = 0; i < (indices ? at->count : of->count) && st == BOB_OK; i++) {
		uint64_t k = indices ? at->at[i] : i;

		if (k < of->count)
			st = end_named(m, of->at[k], i < said->count ? said->at + 3 * i : NULL);
	}
	return st;
}

/* Request_free and Cancel. */
static bob_status take_freed(struct bob_mpi_messages *m)
{
	struct bob_mpi_pending *x = bob_mpi_pendings_find(
		&m->pending, bob_mpi_request_id(in(m, "request"), m->thread, m->made));
	bob_status st = BOB_OK;

	if (!x)
		return BOB_OK;
	if (!strcmp(m->call->function->name, "Cancel")) {
		x->cancelled = 1;
		return BOB_OK;
	}
	if (x->active && (x->kind & BOB_MPI_PENDING_RECV))
		st = report(m, x, BOB_MPI_ACT_DROPPED, 1);
	bob_mpi_pendings_remove(&m->pending, x);
	return st;
}

/* An input parameter of that role, or one that is only output; NULL: none. */
static const struct bob_mpi_param *find(const struct bob_mpi_function *f, enum bob_mpi_role role,
					int goes_in)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (f->params[i].role == (uint8_t)role &&
		    !(f->params[i].flags & BOB_MPI_GOES_IN) == !goes_in)
			return &f->params[i];
	return NULL;
}

bob_status bob_mpi_messages_take(struct bob_mpi_messages *m, const struct bob_mpi_call *c,
				 uint32_t thread, uint64_t made, bob_mpi_act_fn act, void *ctx)
{
	const struct bob_mpi_function *f = c->function;
	const struct bob_mpi_param *p;
	struct bob_mpi_pending about = { 0 };

	m->call = c;
	m->thread = thread;
	m->made = made;
	m->act = act;
	m->ctx = ctx;
	if (bob_mpi_result(c))
		return BOB_OK;
	if (bob_mpi_class_of(f) == BOB_MPI_CLASS_START)
		return c->event.open ? BOB_OK : take_starts(m);
	p = find(f, BOB_MPI_ROLE_REQUEST, 1);
	if (p) {
		if (c->event.open)
			return BOB_OK;
		if (!strcmp(f->name, "Request_free") || !strcmp(f->name, "Cancel"))
			return take_freed(m);
		if (!(p->flags & BOB_MPI_COMES_OUT))
			return BOB_OK; /* Request_get_status, Pready, ... complete nothing */
		return take_completions(m, p->flags & BOB_MPI_VECTOR ? p : NULL);
	}
	p = find(f, BOB_MPI_ROLE_MESSAGE, 0);
	if (p)
		return c->event.open ? BOB_OK : take_probed(m, p);
	describe(m, &about);
	if (about.probed)
		bob_mpi_pendings_remove(&m->pending,
					bob_mpi_pendings_find(&m->pending,
							      MESSAGES | in(m, "message")));
	p = find(f, BOB_MPI_ROLE_REQUEST, 0);
	return p ? take_new(m, &about, p) : take_blocking(m, &about);
}
