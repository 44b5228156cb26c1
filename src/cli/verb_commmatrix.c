/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin commmatrix: who sends how many messages and bytes to whom. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/matrix.h"
#include "cli/terminal/complain.h"
#include "cli/left_out.h"
#include "cli/mpi/matrix_svg.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"
#include "cli/session.h"
#include "cli/terminal/text_table.h"
#include "cli/verbs.h"
#include "cli/worlds.h"

enum { OPT_OF, OPT_FORMAT, OPT_SHOW, OPT_GROUP, OPT_LIMIT, OPT_OUTPUT };

const struct cli_option commmatrix_options[] = {
	{ "of", 'm', "KIND",
	  "messages from process to process (default), the data of collective calls, or "
	  "one-sided ones: what Put, Get and Accumulate move",
	  .values = "messages|collectives|onesided" },
	{ "format", 'f', "FORMAT",
	  "text (default), csv: a line for each pair, or svg: a picture",
	  .values = "text|csv|svg" },
	{ "show", 's', "WHAT",
	  "bytes (default) or messages: what the grid and the picture show",
	  .values = "bytes|messages" },
	{ "group", 'g', "SPEC", "only what these threads send: rank=0-3, 1.0, host=NAME",
	  .bind = CLI_BIND_NONE },
	{ "limit", 'n', "ROWS",
	  "pairs listed where there are too many ranks for a grid (default 30, 0 for "
	  "all)",
	  .bind = CLI_BIND_NONE },
	{ "output", 'o', "FILE", "write there instead of standard output",
	  .bind = CLI_BIND_NONE },
	{ 0 },
};

#define ROWS_DEFAULT 30u
#define GRID_RANKS 16u		/* at most, in text */

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_SVG };

struct drawing {
	struct cli_session s;
	enum bob_mpi_matrix_of of;
	enum format format;
	int messages;		/* shown instead of bytes */
	uint64_t limit;
	const char *output;
	struct bob_mpi_matrix *matrix;
	FILE *out;
};

static int take_option(struct drawing *d, int opt, const char *arg)
{
	int value = 0, status = 0;

	switch (opt) {
	case OPT_OF:
		status = cli_option_word("commmatrix", &commmatrix_options[opt], arg, &value);
		d->of = (enum bob_mpi_matrix_of)value;
		return status;
	case OPT_FORMAT:
		status = cli_option_word("commmatrix", &commmatrix_options[opt], arg, &value);
		d->format = (enum format)value;
		return status;
	case OPT_SHOW:
		return cli_option_word("commmatrix", &commmatrix_options[opt], arg, &d->messages);
	case OPT_GROUP:
		return cli_session_select("commmatrix", &d->s, arg);
	case OPT_LIMIT:
		if (cli_parse_count(arg, &d->limit))
			return cli_misuse("commmatrix", "--limit is a number, not '%s'", arg);
		return 0;
	default:
		d->output = arg;
		return 0;
	}
}

/* --- text --- */

struct totals {
	uint64_t messages, bytes, unknown;
};

static struct totals sum_of(const struct bob_mpi_cell *cell, size_t count)
{
	struct totals t = { 0 };

	for (size_t i = 0; i < count; i++) {
		t.messages += cell[i].messages;
		t.bytes += cell[i].bytes;
		t.unknown += cell[i].unknown;
	}
	return t;
}

static const char *value_text(const struct drawing *d, const struct bob_mpi_cell *c,
			      char text[BOB_NUMBER_MAX])
{
	return d->messages ? bob_format_count(text, c->messages) : bob_format_bytes(text, c->bytes);
}

static void print_head(const struct drawing *d, const struct bob_mpi_cell *cell, size_t count)
{
	static const char *const what[] = { "message", "message of collective calls",
					    "one-sided message" };
	static const char *const many[] = { "messages", "messages of collective calls",
					    "one-sided messages" };
	struct totals t = sum_of(cell, count);
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];
	uint64_t lost = bob_mpi_matrix_lost(d->matrix);

	fprintf(d->out, "%s: %s %s, %s, between %s pair%s of %" PRIu32 " rank%s\n", d->s.dir,
		bob_format_count(a, t.messages), t.messages == 1 ? what[d->of] : many[d->of],
		bob_format_bytes(b, t.bytes), bob_format_count(c, count), bob_plural(count),
		bob_mpi_matrix_ranks(d->matrix), bob_plural(bob_mpi_matrix_ranks(d->matrix)));
	cli_worlds_print(d->s.trace, "", d->out);
	if (t.unknown)
		fprintf(d->out, "the bytes of %s of them are not known\n",
			bob_format_count(a, t.unknown));
	if (!d->of && bob_mpi_matrix_has_one_sided(d->matrix))
		fputs("one-sided calls, such as MPI_Put and MPI_Get, are shown by --of=onesided\n",
		      d->out);
	if (lost)
		fprintf(d->out, "%s more are of ranks or requests that are not known\n",
			bob_format_count(a, lost));
}

/* A row for each sender, a column for each receiver. */
static int print_grid(const struct drawing *d, const struct bob_mpi_cell *cell, size_t count)
{
	uint32_t ranks = bob_mpi_matrix_ranks(d->matrix);
	char a[BOB_NUMBER_MAX];
	size_t at = 0;

	fprintf(d->out, "\n%s, senders down, receivers across\n\n%5s",
		d->messages ? "messages" : "bytes", "");
	for (uint32_t k = 0; k < ranks; k++)
		fprintf(d->out, " %8" PRIu32, k);
	fputc('\n', d->out);
	for (uint32_t i = 0; i < ranks; i++) {
		fprintf(d->out, "%5" PRIu32, i);
		for (uint32_t k = 0; k < ranks; k++) {
			int here = at < count && cell[at].from == i && cell[at].to == k;

			fprintf(d->out, " %8s", here ? value_text(d, &cell[at], a) : ".");
			at += here != 0;
		}
		fputc('\n', d->out);
	}
	return 0;
}

static int by_pair(const struct bob_mpi_cell *x, const struct bob_mpi_cell *y)
{
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int by_bytes(const void *a, const void *b)
{
	const struct bob_mpi_cell *x = a, *y = b;

	return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : by_pair(x, y);
}

static int by_messages(const void *a, const void *b)
{
	const struct bob_mpi_cell *x = a, *y = b;

	return x->messages != y->messages ? (x->messages < y->messages ? 1 : -1) : by_pair(x, y);
}

/* The pairs with most. */
static int print_list(const struct drawing *d, const struct bob_mpi_cell *cell, size_t count)
{
	static const char *const titles[] = { ">from", ">to", ">messages", ">bytes" };
	struct bob_mpi_cell *sorted = malloc((count + 1) * sizeof(*sorted));
	char a[BOB_NUMBER_MAX];
	struct cli_table t;

	if (!sorted)
		return cli_fail("commmatrix", "out of memory");
	memcpy(sorted, cell, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), d->messages ? by_messages : by_bytes);
	fputc('\n', d->out);
	cli_table_begin(&t, 4, titles);
	for (size_t i = 0; i < count && (!d->limit || i < d->limit); i++) {
		snprintf(a, sizeof(a), "%" PRIu32, sorted[i].from);
		cli_table_cell(&t, a);
		snprintf(a, sizeof(a), "%" PRIu32, sorted[i].to);
		cli_table_cell(&t, a);
		cli_table_cell(&t, bob_format_count(a, sorted[i].messages));
		cli_table_cell(&t, bob_format_bytes(a, sorted[i].bytes));
	}
	free(sorted);
	if (cli_table_end(&t, 0, d->out))
		return cli_fail("commmatrix", "out of memory");
	if (d->limit && count > d->limit)
		fprintf(d->out, "... %s more pairs (--limit, --format=csv)\n",
			bob_format_count(a, count - d->limit));
	return 0;
}

static void print_csv(const struct drawing *d, const struct bob_mpi_cell *cell, size_t count)
{
	fputs("from,to,messages,bytes,unknown\n", d->out);
	for (size_t i = 0; i < count; i++)
		fprintf(d->out, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			cell[i].from, cell[i].to, cell[i].messages, cell[i].bytes, cell[i].unknown);
}

static int print_matrix(const struct drawing *d)
{
	size_t count;
	const struct bob_mpi_cell *cell = bob_mpi_matrix_cells(d->matrix, &count);
	uint32_t ranks = bob_mpi_matrix_ranks(d->matrix);

	if (d->format == FORMAT_CSV) {
		print_csv(d, cell, count);
		return 0;
	}
	if (d->format == FORMAT_SVG) {
		cli_matrix_svg(cell, count, ranks, d->messages, d->s.dir, d->out);
		return 0;
	}
	print_head(d, cell, count);
	if (!count)
		return 0;
	return ranks <= GRID_RANKS ? print_grid(d, cell, count) : print_list(d, cell, count);
}

static int read_all(struct drawing *d)
{
	uint32_t n = bob_trace_thread_count(d->s.trace);
	int status = 0;

	for (uint32_t i = cli_session_thread(&d->s, 0); i < n && !status;
	     i = cli_session_thread(&d->s, i + 1)) {
		struct bob_error err = { .text = "" };
		bob_status st = bob_mpi_matrix_add(d->matrix, i, &err);

		status = cli_session_thread_done(&d->s, i, st, &err);
	}
	return status;
}

int verb_commmatrix(int argc, char **argv)
{
	struct drawing d = { .s = { .verb = "commmatrix" }, .limit = ROWS_DEFAULT };
	struct cli_options o;
	const char *arg;
	int opt, status = 0;

	cli_options_begin(&o, "commmatrix", argc, argv);
	while ((opt = cli_options_next(&o, &arg)) >= 0)
		if (!status)
			status = take_option(&d, opt, arg);
	if (opt != CLI_OPTIONS_END)
		return opt == CLI_OPTIONS_HELP ? 0 : 2;
	if (!status)
		status = cli_session_open(&d.s, argc, argv);
	if (status)
		return status;
	status = cli_session_need_mpi(&d.s);
	if (!status && bob_mpi_matrix_create(d.s.trace, d.of, &d.matrix) != BOB_OK)
		status = cli_fail("commmatrix", "out of memory");
	if (!status)
		status = read_all(&d);
	d.out = status ? NULL : cli_output_open("commmatrix", d.output);
	if (d.out) {
		(void)cli_left_out_print(&d.s, d.format ? "bobbin: commmatrix: " : "",
					 d.format ? stderr : d.out);
		status = print_matrix(&d);
		status |= cli_output_close("commmatrix", d.out, d.output);
		status |= d.s.damaged != 0;
	} else {
		status = status ? status : 1;
	}
	bob_mpi_matrix_destroy(d.matrix);
	cli_session_close(&d.s);
	return status;
}
