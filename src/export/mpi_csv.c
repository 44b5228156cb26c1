/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV (RFC 4180) with one line per MPI call. Columns of times exist only if the times are exact. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "table/csv.h"
#include "export/mpi_calls.h"

struct writing {
	struct bob_export *x;
	FILE *text;		/* memory stream for one field */
	char *at;
	size_t len;
	int exact;
};

static void put_field(struct writing *w)
{
	fputc('\0', w->text);
	fflush(w->text);
	bob_csv_text(w->at, w->x->out);
	rewind(w->text);
}

static bob_status put_call(void *ctx, const struct bob_mpi_visited *visited)
{
	struct writing *w = ctx;
	const struct bob_mpi_call *c = visited->call;
	FILE *out = w->x->out;

	if (visited->rank != ~0u)
		fprintf(out, "%" PRIu32, visited->rank);
	fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",", visited->process, visited->number,
		visited->index);
	fprintf(w->text, "%s%s", bob_mpi_prefix(c->function), c->function->name);
	put_field(w);
	fputc(',', out);
	bob_mpi_put_site(w->x, visited, w->text);
	put_field(w);
	fputc(',', out);
	bob_mpi_put_words(visited, 0, w->text);
	put_field(w);
	fputc(',', out);
	bob_mpi_put_words(visited, 1, w->text);
	put_field(w);
	if (c->event.open)
		fputs(",open", out);
	else if (c->function->flags & BOB_MPI_USER)
		fputc(',', out);
	else
		fprintf(out, ",%" PRId64, bob_mpi_result(c));
	if (w->exact)
		fprintf(out, ",%" PRIu64 ",%" PRIu64, visited->span.begin_ns, visited->span.end_ns);
	fputc('\n', out);
	return bob_mpi_tour_out(w->x);
}

bob_status bob_export_mpi_csv(struct bob_export *x)
{
	struct writing w = { .x = x };
	struct bob_mpi_visitor v = { .call = put_call, .ctx = &w, .budget = UINT64_MAX };
	bob_status st;

	v.exact = w.exact = bob_mpi_clock_is_exact(x->trace, x->threads, x->thread_count);
	w.text = open_memstream(&w.at, &w.len);
	if (!w.text)
		return BOB_ERR_NOMEM;
	fputs("rank,process,thread,call,function,site,in,out,result", x->out);
	fputs(w.exact ? ",begin_ns,end_ns\n" : "\n", x->out);
	st = bob_mpi_tour(x, &v);
	fclose(w.text);
	free(w.at);
	return st;
}
