/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats one MPI call (mpi_call.h): combines amounts ("2 INT"), omits names and values that are
 * evident, and prints outputs after an arrow. */
#include "cli/mpi/mpi_call.h"

#include <string.h>

#include "analysis/mpi/decode_calls.h"

struct printing {
	const struct cli_mpi_cells *c;
	const struct bob_mpi_function *f;
	FILE *out;
	int n;			/* number of parts printed, for commas */
};

static void begin(struct printing *p)
{
	if (p->n++)
		fputs(", ", p->out);
}

static int is_zero(const struct printing *p, uint32_t word)
{
	uint64_t v;

	return p->c->constant(p->c, word, &v) && !v;
}

static int is_plain(const struct bob_mpi_param *q, enum bob_mpi_role role)
{
	return q->role == (uint8_t)role &&
	       (q->flags & (BOB_MPI_GOES_IN | BOB_MPI_VECTOR)) == BOB_MPI_GOES_IN;
}

/* Combines two parameters such as `sendcount` and `sendtype` into "2 INT", "send 2 INT". */
static void print_amount(struct printing *p, const struct bob_mpi_param *count,
			 const struct bob_mpi_param *type)
{
	size_t prefix = strlen(count->name);

	if (is_zero(p, count->in) && is_zero(p, type->in))
		return; /* not recorded by this process */
	if (prefix > 5 && !strcmp(count->name + prefix - 5, "count"))
		prefix -= 5;
	else
		prefix = 0;
	while (prefix && count->name[prefix - 1] == '_')
		prefix--;
	begin(p);
	if (prefix)
		fprintf(p->out, "%.*s ", (int)prefix, count->name);
	p->c->word(p->c, count->in, BOB_MPI_ROLE_COUNT, p->out);
	fputc(' ', p->out);
	p->c->word(p->c, type->in, BOB_MPI_ROLE_TYPE, p->out);
}

/* Whether the value identifies its kind. */
static int is_handle(const struct bob_mpi_param *q)
{
	return q->role >= BOB_MPI_ROLE_COMM && q->role <= BOB_MPI_ROLE_SESSION &&
	       !(q->flags & BOB_MPI_VECTOR);
}

/* Whether the parameter needs no name: it is the only one of its kind in the call. */
static int speaks_for_itself(const struct printing *p, const struct bob_mpi_param *q)
{
	int same = 0;

	for (uint32_t i = 0; i < p->f->count; i++)
		same += is_plain(&p->f->params[i], (enum bob_mpi_role)q->role);
	return is_handle(q) && same == 1;
}

/* Whether it is the length of the following vector, whose text shows it. */
static int is_length(const struct printing *p, uint32_t i)
{
	const struct bob_mpi_param *q = &p->f->params[i];

	return is_plain(q, BOB_MPI_ROLE_COUNT) && i + 1u < p->f->count &&
	       q[1].flags & BOB_MPI_VECTOR && q[1].in != BOB_MPI_NOWHERE;
}

/* Drops the prefix "array_of_" of vectors: brackets show it. */
static void print_name(const struct printing *p, const struct bob_mpi_param *q)
{
	fprintf(p->out, "%s=", q->name + (strncmp(q->name, "array_of_", 9) ? 0 : 9));
}

static void print_in(struct printing *p, const struct bob_mpi_param *q)
{
	enum bob_mpi_role role = (enum bob_mpi_role)q->role;
	uint64_t v;

	if (role == BOB_MPI_ROLE_BUF && !(q->flags & BOB_MPI_VECTOR)) {
		if (p->c->constant(p->c, q->in, &v) && v == 1) {
			begin(p);
			fprintf(p->out, "%s=IN_PLACE", q->name);
		}
		return;
	}
	if (role == BOB_MPI_ROLE_INFO && !(q->flags & BOB_MPI_VECTOR) && is_zero(p, q->in))
		return;
	begin(p);
	if (!speaks_for_itself(p, q))
		print_name(p, q);
	if (q->flags & BOB_MPI_VECTOR)
		p->c->vector(p->c, bob_mpi_vector_of(p->f, q), q->in, role, p->out);
	else
		p->c->word(p->c, q->in, role, p->out);
}

static void print_ins(struct printing *p)
{
	for (uint32_t i = 0; i < p->f->count; i++) {
		const struct bob_mpi_param *q = &p->f->params[i];

		if (q->in == BOB_MPI_NOWHERE || is_length(p, i))
			continue;
		if (is_plain(q, BOB_MPI_ROLE_COUNT) && i + 1u < p->f->count &&
		    is_plain(q + 1, BOB_MPI_ROLE_TYPE)) {
			print_amount(p, q, q + 1);
			i++;
		} else {
			print_in(p, q);
		}
	}
}

/* --- outputs --- */

static void arrow(struct printing *p)
{
	fputs(p->n++ ? ", " : " -> ", p->out);
}

static int is_new(const struct bob_mpi_param *q)
{
	return (q->flags & (BOB_MPI_GOES_IN | BOB_MPI_COMES_OUT | BOB_MPI_VECTOR)) ==
	       BOB_MPI_COMES_OUT;
}

static void print_status(struct printing *p, const struct bob_mpi_param *q)
{
	if (is_zero(p, q->out) && is_zero(p, q->out + 1u) && is_zero(p, q->out + 2u))
		return; /* nothing was received */
	arrow(p);
	fputs("from ", p->out);
	p->c->word(p->c, q->out, BOB_MPI_ROLE_RANK, p->out);
	fputs(", tag ", p->out);
	p->c->word(p->c, q->out + 1u, BOB_MPI_ROLE_TAG, p->out);
	fputs(", ", p->out);
	p->c->word(p->c, q->out + 2u, BOB_MPI_ROLE_BYTES, p->out);
	fputs(" B", p->out);
}

static void print_out(struct printing *p, const struct bob_mpi_param *q)
{
	enum bob_mpi_role role = (enum bob_mpi_role)q->role;

	if (q->flags & BOB_MPI_VECTOR) {
		arrow(p);
		print_name(p, q);
		p->c->vector(p->c, bob_mpi_vector_after(p->f, q), q->out, role, p->out);
		return;
	}
	if (role == BOB_MPI_ROLE_STATUS) {
		print_status(p, q);
		return;
	}
	if (role == BOB_MPI_ROLE_BUF || (role == BOB_MPI_ROLE_REQUEST && !p->c->requests) ||
	    (!is_new(q) && is_handle(q)))
		return; /* a freed handle is null, otherwise unchanged */
	arrow(p);
	if (!is_handle(q))
		print_name(p, q);
	p->c->word(p->c, q->out, role, p->out);
	if (bob_mpi_has_size(q)) {
		fputs(" of ", p->out);
		p->c->word(p->c, q->out + 1u, BOB_MPI_ROLE_BYTES, p->out);
		fputs(" B", p->out);
	} else if (bob_mpi_has_members(q) && !is_zero(p, q->out) && !is_zero(p, q->out + 1u)) {
		fputs(" of ", p->out);
		p->c->vector(p->c, bob_mpi_vector_of(p->f, q), q->out + 1u, BOB_MPI_ROLE_RANK,
			     p->out);
	}
}

void cli_mpi_call_print(const struct cli_mpi_cells *c, FILE *out)
{
	struct printing p = { .c = c, .f = c->function, .out = out };

	fprintf(out, "%s%s(", bob_mpi_prefix(p.f), p.f->name);
	print_ins(&p);
	fputc(')', out);
	p.n = 0;
	if (c->open) {
		fputs("  IN PROGRESS when recording ended", out);
		return;
	}
	if (p.f->result != BOB_MPI_NOWHERE && !is_zero(&p, p.f->result)) {
		fputs(" returns error ", out);
		c->word(c, p.f->result, BOB_MPI_ROLE_ERROR, out);
		return;
	}
	for (uint32_t i = 0; i < p.f->count; i++)
		if (p.f->params[i].out != BOB_MPI_NOWHERE)
			print_out(&p, &p.f->params[i]);
}
