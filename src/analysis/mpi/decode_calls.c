/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes events with values by the table of MPI functions. An unknown event is skipped as
 * damage. */
#include "analysis/mpi/decode_calls.h"

#include <stdlib.h>
#include <string.h>

#include "archive/events/user_functions.h"
#include "base/host/vec.h"

struct bob_mpi_reader {
	struct bob_value_cursor *cursor;
	const struct bob_trace *trace;
	uint32_t process;
	/* ranks in the trace of the members of the call's new communicator */
	BOB_VEC(uint64_t) members;
};

bob_status bob_mpi_reader_open(const struct bob_trace *t, uint32_t thread,
			       struct bob_mpi_reader **out, struct bob_error *err)
{
	struct bob_mpi_reader *r = calloc(1, sizeof(*r));
	bob_status st;

	if (!r)
		return BOB_ERR_NOMEM;
	r->trace = t;
	r->process = bob_trace_thread(t, thread)->process;
	st = bob_value_cursor_open(t, thread, BOB_VALUES_MPI, &r->cursor, err);
	if (st != BOB_OK) {
		free(r);
		return st;
	}
	*out = r;
	return BOB_OK;
}

void bob_mpi_reader_close(struct bob_mpi_reader *r)
{
	if (!r)
		return;
	bob_value_cursor_close(r->cursor);
	BOB_VEC_FREE(&r->members);
	free(r);
}

/* Keys of MPI functions: a varint of at most three bytes. */
const struct bob_mpi_function *bob_mpi_function_of_key(const struct bob_trace *t,
						       const uint8_t *key, size_t len)
{
	uint32_t number = 0;

	if (!key)
		return NULL;
	if (len > 3)
		return bob_user_function_of_key(bob_archive_user_functions(t), key, len);
	for (size_t i = 0; i < len; i++)
		number |= (uint32_t)(key[i] & 127u) << 7 * i;
	return bob_mpi_function_of(number);
}

static uint32_t vectors_of(const struct bob_mpi_function *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->count; i++) {
		const struct bob_mpi_param *p = &f->params[i];

		if (p->flags & BOB_MPI_VECTOR)
			n += (uint32_t)(p->in != BOB_MPI_NOWHERE) + (p->out != BOB_MPI_NOWHERE);
		else
			n += bob_mpi_has_members(p) != 0;
	}
	return n;
}

const struct bob_mpi_function *bob_mpi_function_fitting(const struct bob_trace *t,
							const uint8_t *key, size_t len,
							uint32_t words, uint32_t vectors, int open)
{
	const struct bob_mpi_function *f = bob_mpi_function_of_key(t, key, len);
	const int fits = f && words == f->words && (vectors == vectors_of(f) || (open && !vectors));

	return fits ? f : NULL;
}

bob_status bob_mpi_unknown_function(struct bob_error *err)
{
	if (err)
		*err = (struct bob_error){
			.code = BOB_ERR_CORRUPT,
			.text = "call of an unknown MPI function"
		};
	return BOB_ERR_CORRUPT;
}

static bob_status take_members(struct bob_mpi_reader *r, struct bob_value_vector *v)
{
	if (BOB_VEC_REACH(&r->members, v->count))
		return BOB_ERR_NOMEM;
	for (uint64_t i = 0; i < v->count; i++) {
		const uint32_t rank = bob_trace_member(r->trace, r->process, v->at[i]);

		r->members.at[i] = rank == BOB_RANK_UNKNOWN ? UINT64_MAX : rank;
	}
	v->at = r->members.at;
	return BOB_OK;
}

/* A call creates at most one communicator. */
static bob_status take_new_comm(struct bob_mpi_reader *r, struct bob_mpi_call *c)
{
	for (uint32_t i = 0; i < c->function->count; i++) {
		const struct bob_mpi_param *p = &c->function->params[i];
		uint32_t vector;

		if (!bob_mpi_has_members(p))
			continue;
		vector = bob_mpi_vector_of(c->function, p);
		if (vector < c->event.vectors && c->event.vector[vector].count)
			return take_members(r, &c->event.vector[vector]);
	}
	return BOB_OK;
}

bob_status bob_mpi_reader_next(struct bob_mpi_reader *r, struct bob_mpi_call *call,
			       struct bob_error *err)
{
	const struct bob_value_event *e = &call->event;
	bob_status st = bob_value_cursor_next(r->cursor, &call->event, err);

	if (st != BOB_OK)
		return st;
	call->function = bob_mpi_function_fitting(r->trace, e->key, e->key_len, e->words,
						  e->vectors, e->open);
	return call->function ? take_new_comm(r, call) : bob_mpi_unknown_function(err);
}

const struct bob_mpi_param *bob_mpi_param_named(const struct bob_mpi_function *f, const char *name)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (!strcmp(f->params[i].name, name))
			return &f->params[i];
	return NULL;
}

const struct bob_mpi_param *bob_mpi_param_of(const struct bob_mpi_function *f,
					     enum bob_mpi_role role)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (f->params[i].role == (uint8_t)role &&
		    (f->params[i].flags & (BOB_MPI_GOES_IN | BOB_MPI_VECTOR)) == BOB_MPI_GOES_IN)
			return &f->params[i];
	return NULL;
}

/* The number of vectors whose length word precedes word `own`. */
static uint32_t vector_at(const struct bob_mpi_function *f, uint32_t own)
{
	uint32_t before = 0;

	if (own == BOB_MPI_NOWHERE)
		return BOB_MPI_NO_VECTOR;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct bob_mpi_param *p = &f->params[i];

		if (p->flags & BOB_MPI_VECTOR)
			before += (uint32_t)(p->in < own) + (p->out < own);
		else if (bob_mpi_has_members(p))
			before += p->out + 1u < own;
	}
	return before;
}

uint32_t bob_mpi_vector_of(const struct bob_mpi_function *f, const struct bob_mpi_param *p)
{
	if (p->flags & BOB_MPI_VECTOR)
		return vector_at(f, p->in != BOB_MPI_NOWHERE ? p->in : p->out);
	return vector_at(f, bob_mpi_has_members(p) ? p->out + 1u : BOB_MPI_NOWHERE);
}

uint32_t bob_mpi_vector_after(const struct bob_mpi_function *f, const struct bob_mpi_param *p)
{
	return p->flags & BOB_MPI_VECTOR ? vector_at(f, p->out) : BOB_MPI_NO_VECTOR;
}

static uint64_t word_at(const struct bob_mpi_call *c, uint32_t at)
{
	return at < c->event.words ? c->event.word[at] : 0;
}

uint64_t bob_mpi_in(const struct bob_mpi_call *c, const struct bob_mpi_param *p)
{
	return p ? word_at(c, p->in) : 0;
}

uint64_t bob_mpi_out(const struct bob_mpi_call *c, const struct bob_mpi_param *p)
{
	return p ? word_at(c, p->out) : 0;
}

int64_t bob_mpi_result(const struct bob_mpi_call *c)
{
	return c->event.open ? 0 : (int64_t)word_at(c, c->function->result);
}
