/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the communication matrix in one pass over the calls, in runs (runs.h). A dense row of the
 * matrix sums what the current process sends, a second one what it fetches; nonempty cells are
 * kept. */
#include "analysis/mpi/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/host/vec.h"
#include "base/order.h"

#define RANKS_MAX (1u << 24)

struct sum {
	uint64_t messages, bytes, unknown;
};

enum way { SENT, FETCHED, WAYS };

struct bob_mpi_matrix {
	const struct bob_trace *trace;
	enum bob_mpi_matrix_of of;
	BOB_VEC(struct bob_mpi_cell) cells;
	BOB_VEC(struct sum) row[WAYS]; /* of the current process */
	BOB_VEC(uint64_t) spread; /* bytes by rank of one collective call */
	uint32_t ranks;
	uint64_t lost;
	struct bob_mpi_objects *objects; /* of the current process */
	uint32_t process, thread; /* thread: number in the process */
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
	BOB_VEC_FREE(&m->cells);
	for (int way = 0; way < WAYS; way++)
		BOB_VEC_FREE(&m->row[way]);
	BOB_VEC_FREE(&m->spread);
	free(m);
}

/* --- dense rows --- */

static int reach(struct bob_mpi_matrix *m, uint32_t rank)
{
	if (rank >= m->ranks)
		m->ranks = rank + 1;
	if (rank < m->row[WAYS - 1].count)
		return 0;
	for (int way = 0; way < WAYS && !m->failed; way++)
		m->failed = BOB_VEC_REACH(&m->row[way], rank + 1ull) != BOB_OK;
	return m->failed;
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
	s = &m->row[way].at[rank];
	s->messages += times;
	if (bytes == BOB_MPI_UNKNOWN)
		s->unknown += times;
	else
		s->bytes += times * bytes;
}

/* Messages to MPI_PROC_NULL are not counted. */
static void move_in(struct bob_mpi_matrix *m, enum way way, uint64_t comm, uint64_t rank,
		    uint64_t bytes, uint64_t times)
{
	if ((int64_t)rank >= 0)
		move(m, way, bob_mpi_objects_member(m->objects, comm, rank), bytes, times);
}

static int keep_rows(struct bob_mpi_matrix *m, uint32_t rank)
{
	const uint32_t others = (uint32_t)m->row[SENT].count;

	for (uint32_t i = 0; i < WAYS * others; i++) {
		const enum way way = i < others ? SENT : FETCHED;
		const uint32_t other = i % others;
		struct sum *s = &m->row[way].at[other];
		const struct bob_mpi_cell c = { way == SENT ? rank : other,
						way == SENT ? other : rank, s->messages, s->bytes,
						s->unknown };

		if (s->messages && BOB_VEC_ADD(&m->cells, c))
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

	if (BOB_VEC_REACH(&m->spread, n)) {
		m->failed = 1;
		return;
	}
	if (!bob_mpi_spread(m->objects, c, m->spread.at, n))
		return;
	for (uint32_t i = 0; i < n; i++)
		if (m->spread.at[i] && i != comm->me)
			move(m, SENT, comm->member[i], m->spread.at[i], times);
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
	for (int way = 0; way < WAYS; way++) { /* all messages of a process of unknown rank */
		for (size_t i = 0; i < m->row[way].count; i++)
			m->lost += m->row[way].at[i].messages;
		m->row[way].count = 0;
	}
	return st;
}

/* --- queries --- */

BOB_COMPARE(by_pair, struct bob_mpi_cell, BOB_UP(from) BOB_UP(to))

/* Combines the cells of several threads of a process. */
static void unite(struct bob_mpi_matrix *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->cells.count; i++) {
		struct bob_mpi_cell *c = &m->cells.at[i];

		if (n && !by_pair(&m->cells.at[n - 1], c)) {
			m->cells.at[n - 1].messages += c->messages;
			m->cells.at[n - 1].bytes += c->bytes;
			m->cells.at[n - 1].unknown += c->unknown;
		} else {
			m->cells.at[n++] = *c;
		}
	}
	m->cells.count = n;
}

const struct bob_mpi_cell *bob_mpi_matrix_cells(struct bob_mpi_matrix *m, size_t *count)
{
	if (!m->sorted && m->cells.count) {
		qsort(m->cells.at, m->cells.count, sizeof(*m->cells.at), by_pair);
		unite(m);
		m->sorted = 1;
	}
	*count = m->cells.count;
	return m->cells.at;
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
