/* SPDX-License-Identifier: BSD-3-Clause */
/* Who waited for whom. Random programs run on a small MPI, which knows which message each receive
 * got and when it was sent; what is found from the calls and their moments alone must be the same:
 * for each call that receives, each of which is at a place of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/late.h"
#include "analysis/mpi/runs.h"

#define PROCESSES 4u
#define CALLS_MAX 4000u
#define VALUES_MAX 260u
#define PENDING_MAX 60u
#define ANY ((uint64_t)-1)
#define DUP_FIRST 256u		/* numbers of the communicators that are made first */
#define COMMS                                                                                      \
	5u /* the world and two duplicates of it; two intercommunicators of ranks 0, 1 and 2, 3 */
#define INTER 3u		/* the first of these */
#define HALF (PROCESSES / 2)
#define NO_RANK ((uint64_t)-2)
#define REQUEST_NULL 0u

enum {
	SEND = 1,
	RECV = 5,
	SENDRECV = 6,
	IRECV = 20,
	WAIT = 31,
	WAITALL = 35,
	CANCEL = 41,
	BARRIER = 84,
	BCAST = 85,
	REDUCE = 95,
	COMM_DUP = 171,
	COMM_SPLIT = 178,
	INTERCOMM_CREATE = 186
};

/* --- a trace: one thread a process --- */

struct made {
	uint32_t function, words, values;
	uint64_t place, begin, end; /* end 0: it never came back */
	uint64_t value[VALUES_MAX];
};

struct bob_trace {
	struct bob_process_info process[PROCESSES];
	struct bob_thread_info thread[PROCESSES];
	struct made *call[PROCESSES];
	uint32_t calls[PROCESSES];
	uint64_t uncertainty;
	int no_moments;
};

struct bob_value_cursor {
	const struct bob_trace *t;
	uint32_t thread, at;
	uint8_t key[4];
};

struct bob_span_cursor {
	const struct bob_trace *t;
	uint32_t thread, at;
};

uint32_t bob_trace_process_count(const struct bob_trace *t)
{
	(void)t;
	return PROCESSES;
}

uint32_t bob_trace_thread_count(const struct bob_trace *t)
{
	(void)t;
	return PROCESSES;
}

const struct bob_process_info *bob_trace_process(const struct bob_trace *t, uint32_t index)
{
	return index < PROCESSES ? &t->process[index] : NULL;
}

const struct bob_thread_info *bob_trace_thread(const struct bob_trace *t, uint32_t index)
{
	return index < PROCESSES ? &t->thread[index] : NULL;
}

/* One world, of which all are. */
const struct bob_world_info *bob_trace_world(const struct bob_trace *t, uint32_t index)
{
	static struct bob_world_info w;

	(void)t;
	w.size = PROCESSES;
	return index ? NULL : &w;
}

uint32_t bob_trace_member(const struct bob_trace *t, uint32_t process, uint64_t member)
{
	(void)t, (void)process;
	return (uint32_t)member;
}

const struct bob_image_info *bob_trace_image(const struct bob_trace *t, uint32_t process,
					     uint32_t image)
{
	static const struct bob_image_info im = { .path = "/app", .soname = "app" };

	(void)t, (void)process, (void)image;
	return &im;
}

void bob_trace_place(const struct bob_trace *t, uint32_t process, uint64_t place, uint32_t *image,
		     uint64_t *pc)
{
	(void)t, (void)process;
	*image = 0;
	*pc = place;
}

bob_status bob_value_cursor_open(const struct bob_trace *t, uint32_t thread,
				 enum bob_value_kind kind, struct bob_value_cursor **out,
				 struct bob_error *err)
{
	(void)kind, (void)err;
	if (!t->calls[thread])
		return BOB_NONE;
	*out = calloc(1, sizeof(**out));
	(*out)->t = t;
	(*out)->thread = thread;
	return BOB_OK;
}

bob_status bob_value_cursor_next_sized(struct bob_value_cursor *c, struct bob_value_event *e,
				       size_t e_size, struct bob_error *err)
{
	const struct made *m = &c->t->call[c->thread][c->at];
	const uint64_t *v = m->value + m->words;

	(void)err, (void)e_size;
	if (c->at == c->t->calls[c->thread])
		return BOB_END;
	c->at++;
	memset(e, 0, sizeof(*e));
	c->key[0] = (uint8_t)(m->function & 127) | 128;
	c->key[1] = (uint8_t)(m->function >> 7);
	e->key = c->key;
	e->key_len = 2;
	e->place = &m->place;
	e->depth = 1;
	e->word = m->value;
	e->words = m->words;
	e->open = !m->end;
	if (m->function == WAITALL) {
		e->vectors = 2;
		e->vector[0] = (struct bob_value_vector){ v, m->value[1], 1 };
		e->vector[1] = (struct bob_value_vector){ v + m->value[1],
							  e->open ? 0 : m->value[3], 3 };
	} else if (m->function == COMM_DUP || m->function == COMM_SPLIT ||
		   m->function == INTERCOMM_CREATE) {
		e->vectors = 1;
		e->vector[0] = (struct bob_value_vector){ v, v[-1], 1 };
	}
	return BOB_OK;
}

void bob_value_cursor_close(struct bob_value_cursor *c)
{
	free(c);
}

bob_status bob_span_cursor_open(const struct bob_trace *t, uint32_t thread,
				enum bob_value_kind kind, struct bob_span_cursor **out,
				struct bob_error *err)
{
	(void)kind, (void)err;
	if (t->no_moments)
		return BOB_NONE;
	*out = calloc(1, sizeof(**out));
	(*out)->t = t;
	(*out)->thread = thread;
	return BOB_OK;
}

bob_status bob_span_cursor_next(struct bob_span_cursor *c, struct bob_value_span *s,
				struct bob_error *err)
{
	const struct made *m = &c->t->call[c->thread][c->at];

	(void)err;
	if (c->at++ == c->t->calls[c->thread])
		return BOB_END;
	*s = (struct bob_value_span){ .begin_ns = m->begin, .end_ns = m->end ? m->end : m->begin,
				      .open = !m->end };
	return BOB_OK;
}

void bob_span_cursor_close(struct bob_span_cursor *c)
{
	free(c);
}

uint64_t bob_trace_moment(const struct bob_trace *t, uint32_t process, uint64_t ns,
			  uint64_t *uncertainty)
{
	*uncertainty = process ? t->uncertainty : 0;
	return ns;
}

/* For what handles are: each call by itself. */
bob_status bob_mpi_runs(const struct bob_trace *t, uint32_t thread,
			const struct bob_mpi_question *q, struct bob_error *err)
{
	struct bob_mpi_run run = { .times = 1 };
	struct bob_mpi_reader *r;
	bob_status st = bob_mpi_reader_open(t, thread, &r, err);

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	while (st == BOB_OK && (st = bob_mpi_reader_next(r, &run.call, err)) == BOB_OK) {
		if (q->want(q->ctx, run.call.function) != BOB_MPI_WANT_NONE)
			st = q->take(q->ctx, &run);
		run.made += bob_mpi_requests_made(&run.call);
	}
	bob_mpi_reader_close(r);
	return st == BOB_END ? BOB_OK : st;
}

/* --- a small MPI --- */

struct message {
	uint32_t from, comm;
	uint64_t tag, sent;
};

struct receive {
	uint64_t source, tag;	/* asked for */
	uint32_t comm;
	int matched, cancelled;
	struct message got;
	uint64_t request;	/* number of its making */
	int is_in_wait;
};

struct process {
	struct message unexpected[PENDING_MAX];
	uint32_t messages;
	struct receive *posted[PENDING_MAX]; /* not matched, in order */
	uint32_t posts;
	struct receive *request[PENDING_MAX]; /* not waited for */
	uint32_t requests;
	uint64_t made;		/* requests */
	struct made *blocked;	/* the call that it is in */
	struct receive *in[PENDING_MAX]; /* what that waits for */
	uint32_t ins;
};

struct world {
	struct bob_trace t;
	struct process p[PROCESSES];
	uint64_t now, next_place;
	struct receive *all[PROCESSES * CALLS_MAX];
	uint32_t count, sent;
};

/* What is to be found of a call. */
struct expected {
	uint32_t messages, late;
	uint64_t lost;
	uint32_t cause;
};
static struct expected expected[PROCESSES * CALLS_MAX];
static uint32_t decided_from;	/* who was first is said beyond this many ns */

static uint64_t seed, total, strict, doubts, early,
	late; /* cancelled before there was a message, after that */

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static struct made *call(struct world *w, uint32_t p, uint32_t function, uint32_t words)
{
	struct made *m = &w->t.call[p][w->t.calls[p]++];

	assert_true(w->t.calls[p] < CALLS_MAX);
	memset(m, 0, offsetof(struct made, value) + 40 * sizeof(m->value[0]));
	m->function = function;
	m->words = words;
	m->begin = ++w->now;
	m->place = ++w->next_place;
	return m;
}

/* After the duplicates comes the communicator of the own half. */
static uint64_t comm_number(uint32_t comm)
{
	return comm ? DUP_FIRST + comm - (comm < INTER) : 1;
}

static uint32_t rank_in(uint32_t comm, uint32_t process)
{
	return comm < INTER ? process : process % HALF;
}

static int may_talk(uint32_t comm, uint32_t a, uint32_t b)
{
	return comm < INTER || a / HALF != b / HALF;
}

static uint64_t source_word(const struct receive *r)
{
	return r->source == ANY ? ANY : rank_in(r->comm, (uint32_t)r->source);
}

static int fits(const struct receive *r, const struct message *m)
{
	return r->comm == m->comm && (r->source == ANY || r->source == m->from) &&
	       (r->tag == ANY || r->tag == m->tag);
}

/* The call has got all: it comes back. */
static void try_to_end(struct world *w, uint32_t p)
{
	struct process *x = &w->p[p];
	struct made *m = x->blocked;
	struct expected *e;
	uint64_t *status;

	for (uint32_t i = 0; i < x->ins; i++)
		if (!x->in[i]->matched && !x->in[i]->cancelled)
			return;
	m->end = w->now + 1 + below(3);
	w->now = m->end;
	status = m->function == WAITALL	 ? &m->value[m->words + x->ins] :
		 m->function == RECV	 ? &m->value[7] :
		 m->function == SENDRECV ? &m->value[12] :
					   &m->value[2];
	if (m->function == WAITALL)
		m->value[3] = x->ins;
	e = &expected[m->place];
	for (uint32_t i = 0; i < x->ins; i++, status += 3) {
		const struct message *got = &x->in[i]->got;
		const uint64_t lost = got->sent > m->begin ? got->sent - m->begin : 0;

		if (!x->in[i]->matched) { /* some recorders say this, some zeros */
			status[0] = m->place & 1 ? NO_RANK : 0;
			status[1] = m->place & 1 ? ANY : 0;
			continue;
		}
		status[0] = rank_in(got->comm, got->from);
		status[1] = got->tag;
		status[2] = 4;
		e->messages++;
		if (lost <= (p != got->from ? decided_from : 0))
			continue;
		e->late++;
		if (lost > e->lost) {
			e->lost = lost;
			e->cause = got->from;
		}
	}
	x->blocked = NULL;
	x->ins = 0;
}

static void send_message(struct world *w, uint32_t from, uint32_t to, uint32_t comm, uint64_t tag,
			 uint64_t sent)
{
	const struct message m = { from, comm, tag, sent };
	struct process *x = &w->p[to];

	w->sent++;
	for (uint32_t i = 0; i < x->posts; i++)
		if (fits(x->posted[i], &m)) {
			x->posted[i]->matched = 1;
			x->posted[i]->got = m;
			memmove(&x->posted[i], &x->posted[i + 1],
				(--x->posts - i) * sizeof(x->posted[0]));
			if (x->blocked)
				try_to_end(w, to);
			return;
		}
	if (x->messages < PENDING_MAX)
		x->unexpected[x->messages++] = m;
}

/* `blocks`: of itself it waits for nothing. */
static struct receive *post(struct world *w, uint32_t p, int blocks)
{
	struct receive *r = calloc(1, sizeof(*r));
	struct process *x = &w->p[p];

	w->all[w->count++] = r;
	r->source = below(3) ? below(PROCESSES) : ANY;
	r->source = blocks && r->source == p ? ANY : r->source;
	r->tag = below(3) ? below(3) : ANY;
	r->comm = below(COMMS);
	if (r->source != ANY && !may_talk(r->comm, p, (uint32_t)r->source))
		r->source = (r->source + HALF) % PROCESSES;
	for (uint32_t i = 0; i < x->messages; i++)
		if (fits(r, &x->unexpected[i])) {
			r->matched = 1;
			r->got = x->unexpected[i];
			memmove(&x->unexpected[i], &x->unexpected[i + 1],
				(--x->messages - i) * sizeof(x->unexpected[0]));
			return r;
		}
	x->posted[x->posts++] = r;
	return r;
}

/* --- what processes do --- */

static const struct receive *wanted(const struct world *w, uint32_t to, uint32_t from)
{
	const struct process *x = &w->p[to];

	for (uint32_t i = 0; i < x->posts; i++)
		if (may_talk(x->posted[i]->comm, from, to) &&
		    (x->posted[i]->source == ANY || x->posted[i]->source == from))
			return x->posted[i];
	return NULL;
}

static void send_one(struct world *w, uint32_t p, uint32_t to, const struct receive *r)
{
	const uint32_t comm = r ? r->comm : below(COMMS);
	struct made *m;

	if (w->p[to].messages == PENDING_MAX || !may_talk(comm, p, to))
		return;
	m = call(w, p, SEND, 7);
	m->value[3] = rank_in(comm, to);
	m->value[4] = r && r->tag != ANY ? r->tag : below(3);
	m->value[5] = comm_number(comm);
	m->end = ++w->now;
	send_message(w, p, to, comm, m->value[4], m->begin);
}

/* Mostly what another rank waits for: otherwise no rank makes progress. */
static void do_send(struct world *w, uint32_t p)
{
	const uint32_t to = below(PROCESSES);

	send_one(w, p, to, below(5) ? wanted(w, to, p) : NULL);
}

static void do_irecv(struct world *w, uint32_t p)
{
	struct process *x = &w->p[p];
	struct receive *r;
	struct made *m;

	if (x->requests >= PENDING_MAX - 2 || x->posts >= PENDING_MAX - 2)
		return;
	m = call(w, p, IRECV, 8);
	r = post(w, p, 0);
	m->value[3] = source_word(r);
	m->value[4] = r->tag;
	m->value[5] = comm_number(r->comm);
	m->value[7] = 2;
	r->request = x->made++;
	x->request[x->requests++] = r;
	m->end = ++w->now;
}

static void do_recv(struct world *w, uint32_t p)
{
	struct process *x = &w->p[p];
	struct receive *r;
	struct made *m;

	if (x->posts >= PENDING_MAX - 2)
		return;
	m = call(w, p, RECV, 10);
	r = post(w, p, 1);
	m->value[3] = source_word(r);
	m->value[4] = r->tag;
	m->value[5] = comm_number(r->comm);
	x->blocked = m;
	x->in[x->ins++] = r;
	try_to_end(w, p);
}

/* What is sent may be what is received. */
static void do_sendrecv(struct world *w, uint32_t p)
{
	uint32_t to = below(PROCESSES);
	struct process *x = &w->p[p];
	struct receive *r;
	struct made *m;

	if (x->posts >= PENDING_MAX - 2 || w->p[to].messages == PENDING_MAX ||
	    w->p[(to + HALF) % PROCESSES].messages == PENDING_MAX)
		return;
	m = call(w, p, SENDRECV, 15);
	r = post(w, p, 1);
	to = may_talk(r->comm, p, to) ? to : (to + HALF) % PROCESSES;
	m->value[3] = rank_in(r->comm, to);
	m->value[4] = below(3);
	m->value[8] = source_word(r);
	m->value[9] = r->tag;
	m->value[10] = comm_number(r->comm);
	x->blocked = m;
	x->in[x->ins++] = r;
	send_message(w, p, to, r->comm, m->value[4], m->begin);
	if (x->blocked == m)
		try_to_end(w, p);
}

static uint64_t request_word(const struct process *x, const struct receive *r)
{
	return 2 * (x->made - 1 - r->request) + 2;
}

static void do_cancel(struct world *w, uint32_t p)
{
	struct process *x = &w->p[p];
	const uint32_t k = x->requests ? below(x->requests) : 0;
	struct made *m;

	if (!x->requests || x->request[k]->cancelled)
		return;
	m = call(w, p, CANCEL, 2);
	m->value[0] = request_word(x, x->request[k]);
	m->end = ++w->now;
	x->request[k]->cancelled = 1; /* if it has no message yet */
	for (uint32_t i = 0; i < x->posts; i++)
		if (x->posted[i] == x->request[k]) {
			memmove(&x->posted[i], &x->posted[i + 1],
				(--x->posts - i) * sizeof(x->posted[0]));
			early++;
			return;
		}
	late++;
}

static void do_wait(struct world *w, uint32_t p)
{
	struct process *x = &w->p[p];
	const uint32_t i = x->requests ? below(x->requests) : 0;
	struct made *m;

	if (!x->requests ||
	    (!x->request[i]->matched && !x->request[i]->cancelled && x->request[i]->source == p))
		return;
	m = call(w, p, WAIT, 5);
	m->value[0] = request_word(x, x->request[i]);
	x->blocked = m;
	x->in[x->ins++] = x->request[i];
	x->request[i] = x->request[--x->requests];
	try_to_end(w, p);
}

static void do_waitall(struct world *w, uint32_t p)
{
	struct process *x = &w->p[p];
	struct made *m;

	if (!x->requests || (x->posts && below(4)))
		return;
	m = call(w, p, WAITALL, 4);
	m->value[0] = m->value[1] = x->requests;
	for (uint32_t i = 0; i < x->requests; i++) {
		m->value[4 + i] = request_word(x, x->request[i]);
		x->in[x->ins++] = x->request[i];
	}
	x->requests = 0;
	x->blocked = m;
	try_to_end(w, p);
}

/* `size` members, from `first` on. */
static void make_comm(struct world *w, uint32_t p, uint32_t function, uint32_t words,
		      uint64_t number, uint32_t first, uint32_t size)
{
	struct made *m = call(w, p, function, words);

	m->value[0] = 1;
	m->value[words - 2] = number;
	m->value[words - 1] = size;
	for (uint32_t k = 0; k < size; k++)
		m->value[words + k] = first + k;
	m->end = ++w->now;
}

/* The second intercommunicator duplicates the first one. */
static void make_comms(struct world *w, uint32_t p)
{
	const uint32_t own = p / HALF * HALF, other = HALF - own;
	struct made *m;

	for (uint32_t i = 1; i < INTER; i++)
		make_comm(w, p, COMM_DUP, 4, comm_number(i), 0, PROCESSES);
	make_comm(w, p, COMM_SPLIT, 6, comm_number(INTER) - 1, own, HALF);
	m = &w->t.call[p][w->t.calls[p]];
	make_comm(w, p, INTERCOMM_CREATE, 8, comm_number(INTER), other, HALF);
	m->value[0] = comm_number(INTER) - 1;
	m = &w->t.call[p][w->t.calls[p]];
	make_comm(w, p, COMM_DUP, 4, comm_number(INTER + 1), other, HALF);
	m->value[0] = comm_number(INTER);
}

static struct world *new_world(void)
{
	static const char *const none[] = { NULL };
	struct world *w = calloc(1, sizeof(*w));

	memset(expected, 0, sizeof(expected));
	for (uint32_t p = 0; p < PROCESSES; p++) {
		w->t.process[p] = (struct bob_process_info){
			.rank = (int32_t)p, .world_size = PROCESSES, .image_count = 1,
			.first_thread = p,  .thread_count = 1,	     .left_out = none
		};
		w->t.thread[p] = (struct bob_thread_info){ .process = p };
		w->t.call[p] = calloc(CALLS_MAX, sizeof(struct made));
	}
	return w;
}

static void free_world(struct world *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		free(w->all[i]);
	for (uint32_t p = 0; p < PROCESSES; p++)
		free(w->t.call[p]);
	free(w);
}

static const struct bob_mpi_late_row *row_at(const struct bob_mpi_late *l, uint64_t place)
{
	size_t count;
	const struct bob_mpi_late_row *row = bob_mpi_late_rows(l, &count);

	for (size_t i = 0; i < count; i++) {
		struct bob_mpi_place p;

		if (bob_mpi_places_last(bob_mpi_late_places(l), row[i].path, &p) && p.pc == place)
			return &row[i];
	}
	return NULL;
}

/* --- tests --- */

/* Those that are not blocked get what they asked for, as far as others can send it, and wait for
 * all. */
static void finish(struct world *w)
{
	for (uint32_t to = 0; to < PROCESSES; to++)
		for (uint32_t from = 0; from < PROCESSES; from++)
			for (uint32_t n = w->p[to].posts;
			     n && !w->p[to].blocked && !w->p[from].blocked; n--)
				send_one(w, from, to, wanted(w, to, from));
	for (uint32_t p = 0; p < PROCESSES; p++)
		if (!w->p[p].blocked && !w->p[p].posts)
			do_waitall(w, p);
}

/* Is it known in the end what every receive of the process got? Else a wildcard of which it is not
 * known delays the receives after it. */
static int is_strict(const struct world *w, uint64_t place, uint32_t *process)
{
	for (uint32_t p = 0; p < PROCESSES; p++)
		for (uint32_t i = 0; i < w->t.calls[p]; i++)
			if (w->t.call[p][i].place == place)
				*process = p;
	return !w->p[*process].blocked && !w->p[*process].requests;
}

static void run(uint64_t s, uint32_t steps, uint64_t uncertainty)
{
	struct world *w = new_world();
	struct bob_mpi_late *l;
	uint64_t messages = 0, undecided = 0, found = 0;

	seed = s;
	w->t.uncertainty = uncertainty;
	decided_from = 0;
	for (uint32_t p = 0; p < PROCESSES; p++)
		make_comms(w, p);
	while (steps--) {
		const uint32_t p = below(PROCESSES), what = below(21);

		uint32_t blocked = 0;

		for (uint32_t i = 0; i < PROCESSES; i++)
			blocked += w->p[i].blocked != NULL;
		w->now += below(50);
		if (w->p[p].blocked)
			continue;
		if (what < 8 || (what >= 13 && blocked))
			do_send(w, p);
		else if (what < 13)
			do_irecv(w, p);
		else if (what < 14)
			do_recv(w, p);
		else if (what < 16)
			do_sendrecv(w, p);
		else if (what < 19)
			do_wait(w, p);
		else if (what < 20)
			do_cancel(w, p);
		else
			do_waitall(w, p);
	}
	finish(w);
	assert_int_equal(bob_mpi_late_create(&w->t, &l, NULL), BOB_OK);
	for (uint64_t place = 1; place <= w->next_place; place++) {
		const struct bob_mpi_late_row *r = row_at(l, place);
		const struct expected *e = &expected[place];
		uint32_t process = 0;

		messages += e->messages;
		found += r ? r->times : 0;
		if (!e->messages) {
			assert_null(r);
			continue;
		}
		if (!is_strict(w, place, &process) && (!r || r->times < e->messages)) {
			assert_true(!r || r->late <= e->late);
			continue;
		}
		strict += e->messages;
		assert_non_null(r);
		assert_int_equal(r->times, e->messages);
		undecided += r->undecided;
		if (uncertainty) {
			assert_true(r->late <= e->late && r->lost_ns <= e->lost);
			assert_true(r->late + r->undecided >= e->late);
			continue;
		}
		assert_int_equal(r->late, e->late);
		assert_int_equal(r->lost_ns, e->lost);
		assert_int_equal(r->causes, e->lost > 0);
		if (e->lost)
			assert_int_equal(r->cause->process, e->cause);
	}
	total += messages;
	assert_true(uncertainty || !undecided);
	doubts += undecided;
	assert_int_equal(bob_mpi_late_sums(l)->messages, found);
	assert_int_equal(bob_mpi_late_sums(l)->sent, w->sent);
	assert_int_equal(bob_mpi_late_sums(l)->not_followed, 0);
	assert_int_equal(bob_mpi_late_sums(l)->unknown_groups, 0);
	assert_int_equal(bob_mpi_late_sums(l)->doubtful, 0);
	assert_int_equal(bob_mpi_late_sums(l)->unmatched, messages - found);
	bob_mpi_late_destroy(l);
	free_world(w);
}

static void test_messages(void **state)
{
	(void)state;
	for (uint64_t s = 1; s <= 150; s++)
		run(s, s < 140 ? 400 : 3000, 0);
	assert_true(total > 3000);
	assert_true(strict > total / 4);
	assert_true(early > 100 && late > 100);
}

static void test_clocks(void **state)
{
	(void)state;
	for (uint64_t s = 1; s <= 20; s++)
		run(s, 1000, 40);
	assert_true(doubts > 20);
}

/* A barrier, a broadcast, a reduction: who waits for whom. */
static void test_collectives(void **state)
{
	static const uint32_t begin[PROCESSES] = { 100, 400, 250, 120 };
	static const uint64_t barrier[PROCESSES] = { 300, 0, 150, 280 },
			      bcast[PROCESSES] = { 150, 0, 0, 130 },
			      reduce[PROCESSES] = { 0, 0, 150, 0 };
	struct world *w = new_world();
	struct bob_mpi_late *l;

	(void)state;
	for (uint32_t p = 0; p < PROCESSES; p++) {
		struct made *m;

		for (uint32_t k = 0; k < 3; k++) {
			m = k == 0 ? call(w, p, BARRIER, 2) :
			    k == 1 ? call(w, p, BCAST, 6) :
				     call(w, p, REDUCE, 8);
			m->value[k == 0 ? 0 : k == 1 ? 4 : 6] = 1;
			m->value[k == 1 ? 3 : 5] = k ? 2 : 0;
			m->begin = 10000ull * k + begin[p];
			m->end = 10000ull * k + 1000;
			m->place = 10 * k + p + 1;
		}
	}
	assert_int_equal(bob_mpi_late_create(&w->t, &l, NULL), BOB_OK);
	for (uint32_t p = 0; p < PROCESSES; p++) {
		assert_int_equal(row_at(l, 1 + p)->lost_ns, barrier[p]);
		assert_int_equal(row_at(l, 11 + p)->lost_ns, bcast[p]);
		assert_int_equal(row_at(l, 21 + p)->lost_ns, reduce[p]);
	}
	assert_int_equal(row_at(l, 1)->cause->process, 1);
	assert_int_equal(row_at(l, 11)->cause->process, 2);
	assert_int_equal(bob_mpi_late_sums(l)->collectives, 12);
	bob_mpi_late_destroy(l);
	free_world(w);
}

/* A rank waits for the last one of those of lower rank; the others it does not need. */
static void test_scans(void **state)
{
	static const uint32_t number[] = { 99, 100 }; /* Scan, Exscan: functions.txt */
	static const uint32_t begin[2][PROCESSES] = { { 100, 400, 250, 120 },
						      { 500, 100, 300, 600 } };
	static const uint64_t lost[2][PROCESSES] = { { 0, 0, 150, 280 }, { 0, 400, 200, 0 } };
	static const uint32_t cause[2][PROCESSES] = { { 0, 0, 1, 1 }, { 0, 0, 0, 0 } };
	struct world *w = new_world();
	struct bob_mpi_late *l;

	(void)state;
	assert_string_equal(bob_mpi_function_of(99)->name, "Scan");
	assert_string_equal(bob_mpi_function_of(100)->name, "Exscan");
	for (uint32_t p = 0; p < PROCESSES; p++)
		for (uint32_t k = 0; k < 2; k++) {
			struct made *m = call(w, p, number[k], 7);

			m->value[5] = 1; /* MPI_COMM_WORLD */
			m->begin = 10000ull * k + begin[k][p];
			m->end = 10000ull * k + 1000;
			m->place = 10 * k + p + 1;
		}
	assert_int_equal(bob_mpi_late_create(&w->t, &l, NULL), BOB_OK);
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t p = 0; p < PROCESSES; p++) {
			const struct bob_mpi_late_row *row = row_at(l, 10 * k + p + 1);

			assert_int_equal(row->lost_ns, lost[k][p]);
			assert_int_equal(row->causes, lost[k][p] > 0);
			if (lost[k][p])
				assert_int_equal(row->cause->process, cause[k][p]);
		}
	bob_mpi_late_destroy(l);
	free_world(w);
}

static void test_not_available(void **state)
{
	static const char *const some[] = { "mpi-functions=p2p", NULL };
	struct bob_error err = { .text = "" };
	struct world *w = new_world();
	struct bob_mpi_late *l;

	(void)state;
	make_comms(w, 0);
	w->t.no_moments = 1;
	assert_int_equal(bob_mpi_late_create(&w->t, &l, &err), BOB_NONE);
	assert_non_null(strstr(err.text, "--time=exact:mpi"));
	w->t.no_moments = 0;
	w->t.process[0].left_out = some;
	assert_int_equal(bob_mpi_late_create(&w->t, &l, &err), BOB_NONE);
	free_world(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_collectives),
		cmocka_unit_test(test_scans),
		cmocka_unit_test(test_not_available),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
