/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats the parameters of MPI calls as name=value, by their roles in functions.txt. */
#include <inttypes.h>

#include "analysis/mpi/values.h"
#include "export/mpi_calls.h"

static void put_request(const struct bob_mpi_visited *visited, uint64_t word, FILE *to)
{
	uint64_t id = bob_mpi_request_id(word, visited->number, visited->made);

	if (!id)
		fputs(word ? "complete" : "null", to);
	else if (id >> 32 == visited->number + 1u)
		fprintf(to, "%" PRIu32, (uint32_t)id + 1);
	else
		fprintf(to, "%" PRIu64 ":%" PRIu32, (id >> 32) - 1, (uint32_t)id + 1);
}

static void put_value(const struct bob_mpi_visited *visited, enum bob_mpi_role role, uint64_t v,
		      FILE *to)
{
	switch (role) {
	case BOB_MPI_ROLE_REQUEST:
		put_request(visited, v, to);
		return;
	case BOB_MPI_ROLE_COMM:
	case BOB_MPI_ROLE_GROUP:
	case BOB_MPI_ROLE_TYPE:
	case BOB_MPI_ROLE_OP:
	case BOB_MPI_ROLE_WIN:
	case BOB_MPI_ROLE_FILE:
	case BOB_MPI_ROLE_ERRH:
	case BOB_MPI_ROLE_INFO:
	case BOB_MPI_ROLE_MESSAGE:
	case BOB_MPI_ROLE_SESSION:
	case BOB_MPI_ROLE_KEYVAL:
	case BOB_MPI_ROLE_BUF:
	case BOB_MPI_ROLE_DOUBLE:
		bob_mpi_value_print(role, v, to);
		return;
	default:
		if (role > BOB_MPI_ROLE_NONE) /* a constant of MPI */
			bob_mpi_value_print(role, v, to);
		else
			fprintf(to, "%" PRId64, (int64_t)v);
	}
}

static void put_status(const uint64_t *word, FILE *to)
{
	fprintf(to, "%" PRId64 ":%" PRId64 ":%" PRIu64, (int64_t)word[0], (int64_t)word[1],
		word[2]);
}

static void put_text(const struct bob_value_vector *v, uint64_t bytes, FILE *to)
{
	fputc('"', to);
	for (uint64_t i = 0; i < bytes && i / 8 < v->count; i++) {
		unsigned c = (unsigned)(v->at[i / 8] >> 8 * (i % 8)) & 255;

		if (c >= ' ' && c < 127 && c != '"' && c != '\\')
			fputc((int)c, to);
		else
			fprintf(to, "\\x%02x", c);
	}
	fputc('"', to);
}

static void put_vector(const struct bob_mpi_visited *visited, const struct bob_mpi_param *p,
		       uint64_t length, uint32_t vector, FILE *to)
{
	const struct bob_value_event *e = &visited->call->event;
	static const struct bob_value_vector none;
	const struct bob_value_vector *v = vector < e->vectors ? &e->vector[vector] : &none;
	uint64_t had;
	int cut;

	if (p->role == BOB_MPI_ROLE_STRING || p->role == BOB_MPI_ROLE_STRINGS ||
	    p->role == BOB_MPI_ROLE_ARGVS) {
		put_text(v, length, to);
		return;
	}
	cut = v->words == 1 && bob_mpi_is_cut(v->at, v->count, &had);
	fputc('[', to);
	for (uint64_t i = 0; i < v->count - (cut ? 2 : 0); i++) {
		fputs(i ? " " : "", to);
		if (v->words == 3)
			put_status(v->at + 3 * i, to);
		else
			put_value(visited, p->role, v->at[i], to);
	}
	if (cut)
		fprintf(to, "%s... not kept of %" PRIu64, v->count > 2 ? " " : "", had);
	fputc(']', to);
}

/* Ranks in MPI_COMM_WORLD of the members of a new communicator. */
static void put_members(const struct bob_mpi_visited *visited, const struct bob_mpi_param *p,
			FILE *to)
{
	const struct bob_value_event *e = &visited->call->event;
	uint32_t vector = bob_mpi_vector_of(visited->call->function, p);

	fprintf(to, " %s.members=[", p->name);
	for (uint64_t i = 0; vector < e->vectors && i < e->vector[vector].count; i++)
		fprintf(to, "%s%" PRIu64, i ? " " : "", e->vector[vector].at[i]);
	fputc(']', to);
}

static void put_param(const struct bob_mpi_visited *visited, const struct bob_mpi_param *p, int out,
		      FILE *to)
{
	const struct bob_mpi_call *c = visited->call;
	uint32_t at = out ? p->out : p->in;
	uint64_t v = at < c->event.words ? c->event.word[at] : 0;

	fprintf(to, "%s=", p->name);
	if (p->flags & BOB_MPI_VECTOR) {
		put_vector(visited, p, v,
			   out ? bob_mpi_vector_after(c->function, p) :
				 bob_mpi_vector_of(c->function, p),
			   to);
	} else if (p->role == BOB_MPI_ROLE_STATUS && out && at + 2u < c->event.words) {
		put_status(&c->event.word[at], to);
	} else if (p->role == BOB_MPI_ROLE_REQUEST && out && v == 2) {
		fprintf(to, "%" PRIu64, visited->made + 1);
	} else {
		put_value(visited, p->role, v, to);
	}
	if (out && bob_mpi_has_size(p) && at + 1u < c->event.words)
		fprintf(to, " %s.size=%" PRIu64, p->name, c->event.word[at + 1]);
	if (out && bob_mpi_has_members(p))
		put_members(visited, p, to);
}

void bob_mpi_put_words(const struct bob_mpi_visited *visited, int out, FILE *to)
{
	const struct bob_mpi_function *f = visited->call->function;
	const char *between = "";

	if (out && visited->call->event.open)
		return;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct bob_mpi_param *p = &f->params[i];

		if ((out ? p->out : p->in) == BOB_MPI_NOWHERE)
			continue;
		fputs(between, to);
		put_param(visited, p, out, to);
		between = " ";
	}
}

void bob_mpi_put_site(const struct bob_export *x, const struct bob_mpi_visited *visited, FILE *to)
{
	const struct bob_value_event *e = &visited->call->event;
	uint32_t image;
	uint64_t pc;

	if (!e->depth)
		return;
	bob_trace_place(x->trace, visited->process, e->place[e->depth - 1], &image, &pc);
	x->place(x->trace, visited->process, image, pc, to);
}
