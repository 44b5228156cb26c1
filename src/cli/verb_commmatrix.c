/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin commmatrix: communication matrix: messages and bytes by sender and receiver. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/mpi/tables.h"
#include "cli/answer.h"
#include "cli/left_out.h"
#include "cli/mpi/matrix_svg.h"
#include "cli/terminal/complain.h"
#include "cli/verbs.h"
#include "cli/print_worlds.h"
#include "table/numbers.h"

#define ROWS_DEFAULT 30u
#define GRID_RANKS 16u		/* limit of the grid in text */
#define FORMAT_SVG (BOB_TABLE_JSON + 1)

struct drawing {
	struct cli_answer a;
	enum bob_mpi_matrix_of of;
	int messages;		/* instead of bytes */
	struct bob_mpi_matrix *matrix;
};

const struct cli_option commmatrix_options[] = {
	{ "of", 'm', "KIND",
	  "messages between processes (default), collectives (data of collective calls), or "
	  "onesided (what Put, Get and Accumulate move)",
	  CLI_WORD(struct drawing, of, "messages|collectives|onesided") },
	{ "show", 0, "WHAT",
	  "bytes (default) or messages: what the grid and the picture show, and the order "
	  "of the list",
	  CLI_WORD(struct drawing, messages, "bytes|messages") },
	{ "group", 'g', "SPEC", "only what these threads send: rank=0-3, 1.0, host=NAME",
	  CLI_TAKE(struct drawing, a.s, cli_session_select) },
	{ "format", 'f', "FORMAT",
	  "text (default), or csv or json for other programs: one line per pair; or svg: a "
	  "picture",
	  CLI_WORD(struct drawing, a.view.format, CLI_FORMATS "|svg") },
	CLI_OPTIONS_ROWS(struct drawing, a),
	CLI_OPTIONS_OUTPUT(struct drawing, a),
	{ 0 },
};

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

	fprintf(d->a.text, "%s: %s %s, %s, between %s pair%s of %" PRIu32 " rank%s\n", d->a.s.dir,
		bob_format_count(a, t.messages), t.messages == 1 ? what[d->of] : many[d->of],
		bob_format_bytes(b, t.bytes), bob_format_count(c, count), bob_plural(count),
		bob_mpi_matrix_ranks(d->matrix), bob_plural(bob_mpi_matrix_ranks(d->matrix)));
	cli_worlds_print(d->a.s.trace, "", d->a.text);
	if (t.unknown)
		fprintf(d->a.text, "the bytes of %s of them are not known\n",
			bob_format_count(a, t.unknown));
	if (!d->of && bob_mpi_matrix_has_one_sided(d->matrix))
		fputs("one-sided calls, such as MPI_Put and MPI_Get, are shown by --of=onesided\n",
		      d->a.text);
	if (lost)
		fprintf(d->a.text, "%s more are of ranks or requests that are not known\n",
			bob_format_count(a, lost));
}

/* Prints a row for each sender, a column for each receiver. */
static void print_grid(const struct drawing *d, const struct bob_mpi_cell *cell, size_t count)
{
	uint32_t ranks = bob_mpi_matrix_ranks(d->matrix);
	char a[BOB_NUMBER_MAX];
	size_t at = 0;

	fprintf(d->a.text, "\n%s, senders down, receivers across\n\n%5s",
		d->messages ? "messages" : "bytes", "");
	for (uint32_t k = 0; k < ranks; k++)
		fprintf(d->a.text, " %8" PRIu32, k);
	fputc('\n', d->a.text);
	for (uint32_t i = 0; i < ranks; i++) {
		fprintf(d->a.text, "%5" PRIu32, i);
		for (uint32_t k = 0; k < ranks; k++) {
			int here = at < count && cell[at].from == i && cell[at].to == k;

			fprintf(d->a.text, " %8s", here ? value_text(d, &cell[at], a) : ".");
			at += here != 0;
		}
		fputc('\n', d->a.text);
	}
}

/* Whether to print a list instead of the grid: too many ranks, or options of tables were given. */
static int wants_list(const struct drawing *d)
{
	const struct bob_table_view *v = &d->a.view;

	return v->format != BOB_TABLE_TEXT || v->sort || v->columns ||
	       v->limit != BOB_TABLE_LIMIT_DEFAULT || bob_mpi_matrix_ranks(d->matrix) > GRID_RANKS;
}

static int print_list(struct drawing *d)
{
	if (d->a.view.format == BOB_TABLE_TEXT && !d->a.view.sort)
		d->a.view.sort = d->messages ? "messages" : "bytes";
	fputc('\n', d->a.text);
	return cli_answer_table(&d->a, bob_mpi_pairs_table(d->matrix));
}

static int print_matrix(struct drawing *d)
{
	const int is_text = d->a.view.format == BOB_TABLE_TEXT;
	size_t count;
	const struct bob_mpi_cell *cell = bob_mpi_matrix_cells(d->matrix, &count);

	(void)cli_left_out_print(
		&d->a.s, is_text ? "" : "bobbin: commmatrix: ", is_text ? d->a.text : stderr);
	print_head(d, cell, count);
	if ((int)d->a.view.format == FORMAT_SVG) {
		cli_matrix_svg(cell, count, bob_mpi_matrix_ranks(d->matrix), d->messages,
			       d->a.s.dir, d->a.out);
		return 0;
	}
	if (wants_list(d))
		return print_list(d);
	if (count)
		print_grid(d, cell, count);
	return 0;
}

static int read_all(struct drawing *d)
{
	uint32_t n = bob_trace_thread_count(d->a.s.trace);
	int status = 0;

	for (uint32_t i = cli_session_thread(&d->a.s, 0); i < n && !status;
	     i = cli_session_thread(&d->a.s, i + 1)) {
		struct bob_error err = { .text = "" };
		bob_status st = bob_mpi_matrix_add(d->matrix, i, &err);

		status = cli_session_thread_done(&d->a.s, i, st, &err);
	}
	return status;
}

/* Refuses options of tables for svg. */
static int refuse_for_picture(const struct drawing *d)
{
	const struct bob_table_view *v = &d->a.view;

	if ((int)v->format == FORMAT_SVG &&
	    (v->sort || v->columns || v->limit != BOB_TABLE_LIMIT_DEFAULT))
		return cli_misuse("commmatrix", "--sort, --columns and --limit are for lists, not "
						"for a picture");
	return 0;
}

static int answer(struct drawing *d)
{
	int status = cli_session_need_mpi(&d->a.s);

	if (!status && bob_mpi_matrix_create(d->a.s.trace, d->of, &d->matrix) != BOB_OK)
		status = cli_fail("commmatrix", "out of memory");
	if (!status)
		status = read_all(d);
	if (!status)
		status = cli_answer_begin(&d->a);
	if (status)
		return status;
	status = print_matrix(d);
	return cli_answer_end(&d->a, status ? status : d->a.s.damaged != 0);
}

int verb_commmatrix(int argc, char **argv)
{
	struct drawing d = { .a = CLI_ANSWER("commmatrix", ROWS_DEFAULT) };
	int status = cli_options_read("commmatrix", argc, argv, &d);

	if (status != CLI_GO_ON)
		return status;
	status = refuse_for_picture(&d);
	if (!status)
		status = cli_session_open(&d.a.s, argc, argv);
	if (status)
		return status;
	status = answer(&d);
	bob_mpi_matrix_destroy(d.matrix);
	cli_session_close(&d.a.s);
	return status;
}
