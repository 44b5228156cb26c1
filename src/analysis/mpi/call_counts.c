/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the table in one pass over the calls of each process, in runs (runs.h). The counts of the
 * current process are kept separately and added when the process is complete, because only then it
 * is known which process has the maximum. */
#include "analysis/mpi/call_counts.h"

#include <stdlib.h>
#include <string.h>

#include "archive/events/user_functions.h"
#include "base/host/map.h"
#include "base/order.h"

struct entry {
	uint64_t key;
	struct bob_mpi_row row;
	uint64_t calls, sent, received; /* of the current process */
};

struct bob_mpi_table {
	const struct bob_trace *trace;
	enum bob_mpi_by by;
	struct bob_mpi_places *places;
	BOB_MAP(struct entry) entries;
	struct entry sum;
	struct bob_mpi_row *rows; /* sorted copies */
	uint32_t *unfinished;
	uint32_t unfinished_count, processes;
};

bob_status bob_mpi_table_create(const struct bob_trace *t, enum bob_mpi_by by,
				struct bob_mpi_table **out)
{
	struct bob_mpi_table *m = calloc(1, sizeof(*m));

	if (!m)
		return BOB_ERR_NOMEM;
	m->trace = t;
	m->by = by;
	m->unfinished = calloc(bob_trace_process_count(t) + 1u, sizeof(*m->unfinished));
	if (!m->unfinished || bob_mpi_places_create(t, &m->places) != BOB_OK) {
		bob_mpi_table_destroy(m);
		return BOB_ERR_NOMEM;
	}
	*out = m;
	return BOB_OK;
}

void bob_mpi_table_destroy(struct bob_mpi_table *m)
{
	if (!m)
		return;
	bob_mpi_places_destroy(m->places);
	BOB_MAP_FREE(&m->entries);
	free(m->rows);
	free(m->unfinished);
	free(m);
}

/* --- rows --- */

/* The path that consists of the call's innermost place. */
static uint32_t path_of(struct bob_mpi_table *m, uint32_t process, const uint64_t *place,
			uint32_t depth)
{
	return m->by == BOB_MPI_BY_SITE && depth ?
		       bob_mpi_places_path(m->places, process, &place[depth - 1], 1) :
		       BOB_MPI_NO_PATH;
}

static struct entry *find_row(struct bob_mpi_table *m, uint32_t process, uint64_t comm,
			      const struct bob_mpi_call *c)
{
	const struct bob_value_event *v = &c->event;
	uint32_t path = BOB_MPI_NO_PATH;
	const struct bob_mpi_function *f = bob_event_function_first(c->function);
	uint64_t key = f->number;
	struct entry *e;

	if (m->by == BOB_MPI_BY_SITE) {
		path = path_of(m, process, v->place, v->depth);
		key |= (uint64_t)path << 16;
	} else if (m->by != BOB_MPI_BY_FUNCTION) {
		key = m->by == BOB_MPI_BY_COMM ? comm : process;
	}
	e = BOB_MAP_PUT(&m->entries, &key);
	if (e) {
		e->row.function = m->by <= BOB_MPI_BY_SITE ? f : e->row.function;
		e->row.path = path;
		e->row.process = process;
		e->row.comm = m->by == BOB_MPI_BY_COMM ? comm : BOB_MPI_UNKNOWN;
	}
	return e;
}

/* Contribution of one call, or of its part on one communicator. */
struct amounts {
	uint64_t calls, own, sent, received;
	int64_t left;
	int open;
};

static void count(struct entry *e, const struct amounts *a, uint64_t times)
{
	e->calls += times * a->calls;
	e->row.own += times * a->own;
	e->row.left += (int64_t)times * a->left;
	if (a->sent == BOB_MPI_UNKNOWN || a->received == BOB_MPI_UNKNOWN)
		e->row.unknown += times;
	e->sent += a->sent == BOB_MPI_UNKNOWN ? 0 : times * a->sent;
	e->received += a->received == BOB_MPI_UNKNOWN ? 0 : times * a->received;
	e->row.open += a->open ? times : 0;
}

static void take_share(struct bob_mpi_share *s, uint64_t n, uint32_t process)
{
	s->sum += n;
	if (n > s->most) {
		s->most = n;
		s->most_process = process;
	}
}

static void end_process(struct entry *e, uint32_t process)
{
	e->row.processes += e->calls != 0;
	take_share(&e->row.calls, e->calls, process);
	take_share(&e->row.sent, e->sent, process);
	take_share(&e->row.received, e->received, process);
	e->calls = e->sent = e->received = 0;
}

/* Sets the properties of the communicator. */
static void describe_comm(struct bob_mpi_row *r, const struct bob_mpi_objects *o)
{
	const struct bob_mpi_comm *c = bob_mpi_objects_comm(o, r->comm);

	if (!c || !c->members)
		return;
	r->function = c->made_by;
	if (!r->members_most || c->members < r->members_least)
		r->members_least = c->members;
	if (c->members > r->members_most)
		r->members_most = c->members;
}

/* --- reading --- */

struct adding {
	struct bob_mpi_table *table;
	const struct bob_mpi_objects *objects;
	uint32_t process, thread, number; /* number: of the thread in the process */
	bob_mpi_open_fn open;
	void *ctx;
	int finished, has_mpi;
};

static int add(struct adding *a, uint64_t comm, const struct bob_mpi_run *run,
	       const struct amounts *amounts)
{
	struct entry *e = find_row(a->table, a->process, comm, &run->call);

	if (!e)
		return -1;
	count(e, amounts, run->times);
	count(&a->table->sum, amounts, run->times);
	return 0;
}

/* Adds the bytes of started requests, each on the communicator of its creation. */
static int add_starts(struct adding *a, const struct bob_mpi_run *run)
{
	const struct bob_mpi_call *c = &run->call;
	const struct bob_mpi_param *p = bob_mpi_param_named(c->function, "request");
	const uint64_t *word = p ? &c->event.word[p->in] : c->event.vector[0].at;
	uint64_t n = p ? 1 : c->event.vector[0].count;
	struct amounts amounts = { .calls = 1, .open = c->event.open };
	int bad = n ? 0 : add(a, BOB_MPI_UNKNOWN, run, &amounts);

	for (uint64_t i = 0; i < n && !bad; i++) {
		const struct bob_mpi_persistent *r = bob_mpi_objects_persistent(
			a->objects, bob_mpi_request_id(word[i], a->number, run->made));

		amounts.sent = r ? r->sent : BOB_MPI_UNKNOWN;
		bad = add(a, r ? r->comm : BOB_MPI_UNKNOWN, run, &amounts);
		amounts = (struct amounts){ 0 };
	}
	return bad;
}

static void take_trips(struct bob_mpi_trips *t, uint64_t trips, uint64_t times)
{
	t->least = t->loops && t->least < trips ? t->least : trips;
	t->most = t->most > trips ? t->most : trips;
	t->loops += times;
	t->sum += times * trips;
}

static const struct bob_mpi_param *trips_of(const struct bob_mpi_function *f)
{
	const struct bob_mpi_param *p = f->flags & BOB_MPI_USER ? bob_mpi_param_named(f, "trips") :
								  NULL;

	return p && p->role == BOB_MPI_ROLE_INT && p->in == BOB_MPI_NOWHERE &&
			       p->out != BOB_MPI_NOWHERE ?
		       p :
		       NULL;
}

static bob_status add_trips(struct adding *a, const struct bob_mpi_run *run)
{
	const struct bob_mpi_call *c = &run->call;
	const struct bob_mpi_param *p = trips_of(c->function);
	struct entry *e;

	if (!p || c->function->flags & BOB_MPI_USER_BEGIN || c->event.open)
		return BOB_OK;
	e = find_row(a->table, a->process, BOB_MPI_UNKNOWN, c);
	if (!e)
		return BOB_ERR_NOMEM;
	take_trips(&e->row.trips, bob_mpi_out(c, p), run->times);
	take_trips(&a->table->sum.row.trips, bob_mpi_out(c, p), run->times);
	return BOB_OK;
}

static bob_status add_own(struct adding *a, const struct bob_mpi_run *run)
{
	const struct bob_mpi_call *c = &run->call;
	const int begins = (c->function->flags & BOB_MPI_USER_BEGIN) != 0;
	const int ends = (c->function->flags & BOB_MPI_USER_END) != 0;
	const struct amounts amounts = { .calls = !ends,
					 .own = !ends,
					 .left = begins - ends,
					 .open = c->event.open };

	if (add(a, BOB_MPI_UNKNOWN, run, &amounts))
		return BOB_ERR_NOMEM;
	if (c->event.open && a->open)
		a->open(a->ctx, a->thread, a->objects, c);
	return add_trips(a, run);
}

static bob_status add_run(void *ctx, const struct bob_mpi_run *run)
{
	struct adding *a = ctx;
	const struct bob_mpi_call *c = &run->call;
	enum bob_mpi_class class = bob_mpi_class_of(c->function);
	int bad;

	if (c->function->flags & BOB_MPI_USER)
		return add_own(a, run);
	a->has_mpi = 1;
	a->finished |= !strcmp(c->function->name, "Finalize") && !c->event.open;
	if (class == BOB_MPI_CLASS_START) {
		bad = add_starts(a, run);
	} else {
		struct amounts amounts = { .calls = 1,
					   .received = bob_mpi_plus(
						   bob_mpi_received(c),
						   bob_mpi_fetched(a->objects, c)),
					   .open = c->event.open };

		if (class != BOB_MPI_CLASS_SEND_INIT && class != BOB_MPI_CLASS_COLLECTIVE_INIT &&
		    !bob_mpi_result(c))
			amounts.sent = bob_mpi_sent(a->objects, c);
		bad = add(a, bob_mpi_comm_of(a->objects, c), run, &amounts);
	}
	if (!bad && c->event.open && a->open)
		a->open(a->ctx, a->thread, a->objects, c);
	return bad ? BOB_ERR_NOMEM : BOB_OK;
}

static enum bob_mpi_want want_all(void *ctx, const struct bob_mpi_function *f)
{
	(void)ctx, (void)f;
	return BOB_MPI_WANT_RUNS;
}

static enum bob_mpi_depends depends(void *ctx, const struct bob_mpi_function *f,
				    const struct bob_mpi_param *p)
{
	(void)ctx;
	if (f->flags & BOB_MPI_USER)
		return p == trips_of(f) ? BOB_MPI_DEPENDS : BOB_MPI_DEPENDS_NOT;
	return bob_mpi_bytes_depend(f, p);
}

static bob_status add_thread(struct adding *a, uint32_t thread, struct bob_error *err)
{
	const struct bob_mpi_question q = { want_all, depends, add_run, a };

	a->thread = thread;
	a->number = bob_trace_thread(a->table->trace, thread)->number;
	return bob_mpi_runs(a->table->trace, thread, &q, err);
}

bob_status bob_mpi_table_add(struct bob_mpi_table *m, uint32_t process, const uint32_t *threads,
			     uint32_t count_of, bob_mpi_open_fn open, void *ctx,
			     struct bob_error *err)
{
	struct adding a = { .table = m, .process = process, .open = open, .ctx = ctx };
	struct bob_mpi_objects *o;
	bob_status st = bob_mpi_objects_create(m->trace, process, &o), worst = BOB_OK;

	if (st != BOB_OK)
		return st;
	a.objects = o;
	for (uint32_t i = 0; i < count_of && st == BOB_OK; i++) {
		st = add_thread(&a, threads[i], err);
		if (st == BOB_ERR_CORRUPT) {
			worst = st;
			st = BOB_OK;
		}
	}
	if (m->sum.calls) {
		m->processes++;
		if (a.has_mpi && !a.finished)
			m->unfinished[m->unfinished_count++] = process;
	}
	for (size_t i = 0; i < m->entries.count; i++) {
		if (m->by == BOB_MPI_BY_COMM && m->entries.at[i].calls)
			describe_comm(&m->entries.at[i].row, o);
		end_process(&m->entries.at[i], process);
	}
	end_process(&m->sum, process);
	bob_mpi_objects_destroy(o);
	return st == BOB_OK ? worst : st;
}

static int take_times(void *ctx, const struct bob_value_pair *p)
{
	struct bob_mpi_table *m = ctx;
	const struct bob_mpi_function *f =
		bob_mpi_function_of_key(m->trace, p->to.key, p->to.key_len);
	const int is_own = f && f->flags & BOB_MPI_USER;
	const struct bob_thread_info *th = bob_trace_thread(m->trace, p->to.thread);
	struct entry *e;
	uint64_t key;

	if (!f || !th)
		return 0;
	f = bob_event_function_first(f);
	key = f->number | (uint64_t)path_of(m, th->process, p->to.place, p->to.depth) << 16;
	e = BOB_MAP_PUT(&m->entries, &key);
	if (!e)
		return 1;
	e->row.function = f;
	e->row.time_ns += p->duration.sum_ns;
	m->sum.row.time_ns += is_own ? 0 : p->duration.sum_ns; /* these are nested */
	return 0;
}

bob_status bob_mpi_table_add_times(struct bob_mpi_table *m)
{
	if (m->by > BOB_MPI_BY_SITE)
		return BOB_OK;
	return bob_trace_value_times(m->trace, BOB_VALUES_MPI, take_times, m);
}

/* --- queries --- */

/* Call sites with equal counts are in the order of their addresses. */
static int by_calls(const void *a, const void *b)
{
	const struct bob_mpi_row *x = a, *y = b;

	if (x->calls.sum != y->calls.sum)
		return x->calls.sum < y->calls.sum ? 1 : -1;
	if (x->sent.sum != y->sent.sum)
		return x->sent.sum < y->sent.sum ? 1 : -1;
	if (x->function != y->function && x->function && y->function)
		return x->function->number < y->function->number ? -1 : 1;
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	return (x->path > y->path) - (x->path < y->path);
}

BOB_COMPARE(by_process, struct bob_mpi_row, BOB_UP(process))

const struct bob_mpi_row *bob_mpi_table_rows(struct bob_mpi_table *m, size_t *count_of)
{
	*count_of = 0;
	free(m->rows);
	m->rows = calloc(m->entries.count + 1, sizeof(*m->rows));
	if (!m->rows)
		return NULL;
	for (size_t i = 0; i < m->entries.count; i++)
		m->rows[i] = m->entries.at[i].row;
	qsort(m->rows, m->entries.count, sizeof(*m->rows),
	      m->by == BOB_MPI_BY_RANK ? by_process : by_calls);
	*count_of = (uint32_t)m->entries.count;
	return m->rows;
}

enum bob_mpi_by bob_mpi_table_by(const struct bob_mpi_table *m)
{
	return m->by;
}

const struct bob_mpi_row *bob_mpi_table_sum(const struct bob_mpi_table *m)
{
	return &m->sum.row;
}

uint32_t bob_mpi_table_processes(const struct bob_mpi_table *m)
{
	return m->processes;
}

const uint32_t *bob_mpi_table_unfinished(const struct bob_mpi_table *m, uint32_t *count_of)
{
	*count_of = m->unfinished_count;
	return m->unfinished;
}

const struct bob_mpi_places *bob_mpi_table_places(const struct bob_mpi_table *m)
{
	return m->places;
}
