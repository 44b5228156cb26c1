/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass over the calls, in runs (runs.h). What a process sends is summed up in a row that has a
 * place for each rank, what it fetches from others in a second one; and what of them is used is
 * kept. */
#include "analysis/mpi/matrix.h"

#include <stdlib.h>
#include <string.h>

#define RANKS_MAX (1u << 24)

struct sum {
	uint64_t messages, bytes, unknown;
};

enum way { SENT, FETCHED, WAYS };

struct bob_mpi_matrix {
	const struct bob_trace *trace;
	enum bob_mpi_matrix_of of;
	struct bob_mpi_cell *cell;
	size_t count, room;
	struct sum *row[WAYS];	/* of the process that is being read */
	uint32_t row_room;	/* of each */
	uint64_t *spread;	/* of one collective call */
	uint32_t spread_room;
	uint32_t ranks;
	uint64_t lost;
	struct bob_mpi_objects *objects; /* of process `process` */
	uint32_t process, thread; /* thread: its number in the process */
	int failed, sorted, has_one_sided;
};

bob_status bob_mpi_matrix_create(const struct bob_trace *t, enum bob_mpi_matrix_of of,
				 struct bob_mpi_matrix **out)
{
	struct bob_mpi_matrix *m = calloc(1, sizeof(*m));

	if (!m)
		return BOB_ERR_NOMEM;
	m->trace = t;
	m->of = of;
	*out = m;
	return BOB_OK;
}

void bob_mpi_matrix_destroy(struct bob_mpi_matrix *m)
{
	if (!m)
		return;
	bob_mpi_objects_destroy(m->objects);
	free(m->cell);
	for (int way = 0; way < WAYS; way++)
		free(m->row[way]);
	free(m->spread);
	free(m);
}

/* --- one row --- */

static int grow(struct bob_mpi_matrix *m, int way, uint32_t room)
{
	struct sum *row = realloc(m->row[way], room * sizeof(*row));

	if (!row) {
		m->failed = 1;
		return -1;
	}
	memset(row + m->row_room, 0, (room - m->row_room) * sizeof(*row));
	m->row[way] = row;
	return 0;
}

static int reach(struct bob_mpi_matrix *m, uint32_t rank)
{
	uint32_t room = m->row_room ? m->row_room : 64;

	if (rank >= m->ranks)
		m->ranks = rank + 1;
	if (rank < m->row_room)
		return 0;
	while (room <= rank)
		room *= 2;
	for (int way = 0; way < WAYS; way++)
		if (grow(m, way, room))
			return -1;
	m->row_room = room;
	return 0;
}

static void move(struct bob_mpi_matrix *m, enum way way, uint32_t rank, uint64_t bytes,
		 uint64_t times)
{
	struct sum *s;

	if (rank >= RANKS_MAX) {
		m->lost += times;
		return;
	}
	if (reach(m, rank))
		return;
	s = &m->row[way][rank];
	s->messages += times;
	if (bytes == BOB_MPI_UNKNOWN)
		s->unknown += times;
	else
		s->bytes += times * bytes;
}

/* A message to PROC_NULL is none. */
static void move_in(struct bob_mpi_matrix *m, enum way way, uint64_t comm, uint64_t rank,
		    uint64_t bytes, uint64_t times)
{
	if ((int64_t)rank >= 0)
		move(m, way, bob_mpi_objects_member(m->objects, comm, rank), bytes, times);
}

static int keep(struct bob_mpi_matrix *m, const struct bob_mpi_cell *c)
{
	if (m->count == m->room) {
		size_t room = m->room ? 2 * m->room : 256;
		struct bob_mpi_cell *cell = realloc(m->cell, room * sizeof(*cell));

		if (!cell)
			return -1;
		m->cell = cell;
		m->room = room;
	}
	m->cell[m->count++] = *c;
	return 0;
}

static int keep_rows(struct bob_mpi_matrix *m, uint32_t rank)
{
	for (uint32_t i = 0; i < WAYS * m->row_room; i++) {
		const enum way way = i < m->row_room ? SENT : FETCHED;
		const uint32_t other = i % m->row_room;
		struct sum *s = &m->row[way][other];
		const struct bob_mpi_cell c = { way == SENT ? rank : other,
						way == SENT ? other : rank, s->messages, s->bytes,
						s->unknown };

		if (s->messages && keep(m, &c))
			return -1;
		memset(s, 0, sizeof(*s));
	}
	m->sorted = 0;
	return 0;
}

/* --- calls --- */

static void start(struct bob_mpi_matrix *m, const struct bob_mpi_run *run)
{
	const struct bob_mpi_call *c = &run->call;
	const struct bob_mpi_param *p = bob_mpi_param_named(c->function, "request");
	const uint64_t *word = p ? &c->event.word[p->in] : c->event.vector[0].at;
	uint64_t n = p ? 1 : c->event.vector[0].count;

	for (uint64_t i = 0; i < n; i++) {
		const struct bob_mpi_persistent *r = bob_mpi_objects_persistent(
			m->objects, bob_mpi_request_id(word[i], m->thread, run->made));

		if (!r)
			m->lost += run->times;
		else if (bob_mpi_class_of(r->function) == BOB_MPI_CLASS_SEND_INIT)
			move_in(m, SENT, r->comm, r->peer, r->sent, run->times);
	}
}

static void spread(struct bob_mpi_matrix *m, const struct bob_mpi_call *c, uint64_t times)
{
	const struct bob_mpi_comm *comm =
		bob_mpi_objects_comm(m->objects, bob_mpi_comm_of(m->objects, c));
	uint32_t n = comm ? comm->members : 0;

	if (n > m->spread_room) {
		uint64_t *to = realloc(m->spread, n * sizeof(*to));

		if (!to) {
			m->failed = 1;
			return;
		}
		m->spread = to;
		m->spread_room = n;
	}
	if (!bob_mpi_spread(m->objects, c, m->spread, n))
		return;
	for (uint32_t i = 0; i < n; i++)
		if (m->spread[i] && i != comm->me)
			move(m, SENT, comm->member[i], m->spread[i], times);
}

static void reach_out(struct bob_mpi_matrix *m, const struct bob_mpi_call *c, uint64_t times)
{
	const struct bob_mpi_param *p = bob_mpi_param_named(c->function, "target_rank");
	const uint64_t bytes[WAYS] = { bob_mpi_sent(m->objects, c),
				       bob_mpi_fetched(m->objects, c) };

	for (int way = 0; p && way < WAYS; way++)
		if (bytes[way])
			move_in(m, (enum way)way, bob_mpi_comm_of(m->objects, c), bob_mpi_in(c, p),
				bytes[way], times);
}

static enum bob_mpi_want want(void *ctx, const struct bob_mpi_function *f)
{
	struct bob_mpi_matrix *m = ctx;
	enum bob_mpi_class class = bob_mpi_class_of(f);
	int wants;

	if (m->of == BOB_MPI_MATRIX_COLLECTIVES)
		wants = class == BOB_MPI_CLASS_COLLECTIVE;
	else if (m->of == BOB_MPI_MATRIX_ONE_SIDED)
		wants = class == BOB_MPI_CLASS_ONE_SIDED;
	else
		wants = class == BOB_MPI_CLASS_SEND || class == BOB_MPI_CLASS_START;
	m->has_one_sided |= class == BOB_MPI_CLASS_ONE_SIDED;
	return wants ? BOB_MPI_WANT_RUNS : BOB_MPI_WANT_NONE;
}

static enum bob_mpi_depends depends(void *ctx, const struct bob_mpi_function *f,
				    const struct bob_mpi_param *p)
{
	enum bob_mpi_depends d = bob_mpi_bytes_depend(f, p);

	(void)ctx;
	return d == BOB_MPI_DEPENDS_ON_SIGN ? BOB_MPI_DEPENDS : d;
}

static bob_status take(void *ctx, const struct bob_mpi_run *run)
{
	struct bob_mpi_matrix *m = ctx;
	const struct bob_mpi_call *c = &run->call;

	if (bob_mpi_result(c))
		return BOB_OK;
	if (m->of == BOB_MPI_MATRIX_COLLECTIVES)
		spread(m, c, run->times);
	else if (m->of == BOB_MPI_MATRIX_ONE_SIDED)
		reach_out(m, c, run->times);
	else if (bob_mpi_class_of(c->function) == BOB_MPI_CLASS_START)
		start(m, run);
	else
		move_in(m, SENT, bob_mpi_comm_of(m->objects, c), bob_mpi_destination(c),
			bob_mpi_sent(m->objects, c), run->times);
	return BOB_OK;
}

bob_status bob_mpi_matrix_add(struct bob_mpi_matrix *m, uint32_t thread, struct bob_error *err)
{
	uint32_t process = bob_trace_thread(m->trace, thread)->process, rank, ranks;
	const struct bob_mpi_question q = { want, depends, take, m };
	uint64_t lost = m->lost;
	bob_status st = BOB_OK;

	if (!m->objects || m->process != process) {
		bob_mpi_objects_destroy(m->objects);
		m->objects = NULL;
		st = bob_mpi_objects_create(m->trace, process, &m->objects);
		m->process = process;
	}
	if (st != BOB_OK)
		return st;
	rank = bob_mpi_objects_rank(m->objects);
	ranks = bob_mpi_objects_ranks(m->objects);
	if (ranks < RANKS_MAX && ranks > m->ranks)
		m->ranks = ranks;
	m->thread = bob_trace_thread(m->trace, thread)->number;
	st = bob_mpi_runs(m->trace, thread, &q, err);
	if (m->failed)
		return BOB_ERR_NOMEM;
	if (rank < RANKS_MAX)
		return keep_rows(m, rank) ? BOB_ERR_NOMEM : st;
	m->lost = lost;
	for (uint32_t i = 0; i < WAYS * m->row_room; i++) { /* nobody knows whose */
		struct sum *s = &m->row[i / m->row_room][i % m->row_room];

		m->lost += s->messages;
		memset(s, 0, sizeof(*s));
	}
	return st;
}

/* --- asking --- */

static int by_pair(const void *a, const void *b)
{
	const struct bob_mpi_cell *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Several threads of a process send to the same rank. */
static void unite(struct bob_mpi_matrix *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		struct bob_mpi_cell *c = &m->cell[i];

		if (n && !by_pair(&m->cell[n - 1], c)) {
			m->cell[n - 1].messages += c->messages;
			m->cell[n - 1].bytes += c->bytes;
			m->cell[n - 1].unknown += c->unknown;
		} else {
			m->cell[n++] = *c;
		}
	}
	m->count = n;
}

const struct bob_mpi_cell *bob_mpi_matrix_cells(struct bob_mpi_matrix *m, size_t *count)
{
	if (!m->sorted && m->count) {
		qsort(m->cell, m->count, sizeof(*m->cell), by_pair);
		unite(m);
		m->sorted = 1;
	}
	*count = m->count;
	return m->cell;
}

uint32_t bob_mpi_matrix_ranks(const struct bob_mpi_matrix *m)
{
	return m->ranks;
}

int bob_mpi_matrix_has_one_sided(const struct bob_mpi_matrix *m)
{
	return m->has_one_sided;
}

uint64_t bob_mpi_matrix_lost(const struct bob_mpi_matrix *m)
{
	return m->lost;
}
