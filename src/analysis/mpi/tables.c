/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of MPI calls. Columns without values for the rows are present, so that CSV and JSON always
 * have the same columns; text omits them. */
#define _GNU_SOURCE
#include "analysis/mpi/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/mpi/site_cells.h"
#include "analysis/mpi/values.h"

#define EXTRA BOB_COLUMN_EXTRA
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void add_columns(struct bob_table *t, const struct bob_column *columns, size_t count,
			unsigned flags)
{
	for (size_t i = 0; i < count; i++) {
		struct bob_column c = columns[i];

		c.flags |= flags;
		bob_table_add_column(t, &c);
	}
}

static void put_process(struct bob_table *t, const struct bob_trace *trace, uint32_t process)
{
	const struct bob_process_info *p = bob_trace_process(trace, process);

	if (p->rank >= 0)
		bob_table_textf(t, "rank %" PRId32, p->rank);
	else
		bob_table_textf(t, "process %" PRIu32, process);
	if (p->rank >= 0)
		bob_table_number(t, p->rank);
	else
		bob_table_none(t);
}

/* --- calls --- */

bool bob_mpi_table_has_mpi(const struct bob_mpi_table *m)
{
	const struct bob_mpi_row *sum = bob_mpi_table_sum(m);

	return sum->own < sum->calls.sum || !sum->calls.sum;
}

static void add_subject(struct bob_table *t, enum bob_mpi_by by, bool mpi)
{
	const struct bob_column function[] = {
		{ "function", mpi ? NULL : "event", BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT,
		  "the function of MPI, or the event" },
	};
	const struct bob_column site[] = {
		{ "site", mpi ? "call site" : "place", BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT,
		  "what is called, and where" },
		BOB_MPI_SITE_COLUMNS,
	};
	const struct bob_column comm[] = {
		{ "comm", "communicator", BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT,
		  "communicators that were made at the same point of the program" },
		{ "members_least", NULL, BOB_COLUMN_COUNT, EXTRA, "processes of the smallest" },
		{ "members_most", NULL, BOB_COLUMN_COUNT, EXTRA, "processes of the largest" },
		{ "made_by", NULL, BOB_COLUMN_TEXT, EXTRA, "the function that made it" },
	};
	const struct bob_column process[] = {
		{ "process", mpi ? "rank" : NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT,
		  "rank, or process without one" },
		{ "rank", NULL, BOB_COLUMN_NUMBER, EXTRA, "in MPI_COMM_WORLD" },
	};

	if (by == BOB_MPI_BY_FUNCTION)
		add_columns(t, function, COUNT(function), 0);
	else if (by == BOB_MPI_BY_SITE)
		add_columns(t, site, COUNT(site), 0);
	else if (by == BOB_MPI_BY_COMM)
		add_columns(t, comm, COUNT(comm), 0);
	else
		add_columns(t, process, COUNT(process), 0);
}

static struct bob_table *create_calls(enum bob_mpi_by by, bool mpi, bool trips)
{
	static const char *const names[] = { "mpi_functions", "mpi_sites", "mpi_comms",
					     "mpi_ranks" };
	static const char *const rows[] = { "function", "call site", "communicator", "rank" };
	static const char *const own[] = { "event", "place", "communicator", "process" };
	const struct bob_column calls[] = {
		{ "calls", mpi ? NULL : "events", BOB_COLUMN_COUNT, BOB_COLUMN_ADDS,
		  "calls of MPI and events" },
		{ "share", NULL, BOB_COLUMN_SHARE, 0, "of all of them" },
	};
	const struct bob_column bytes[] = {
		{ "sent_bytes", "sent", BOB_COLUMN_BYTES, BOB_COLUMN_DASH | BOB_COLUMN_BOUNDS,
		  "given to MPI in these calls" },
		{ "received_bytes", "received", BOB_COLUMN_BYTES,
		  BOB_COLUMN_DASH | BOB_COLUMN_BOUNDS, "what statuses say, and what was fetched" },
	};
	const struct bob_column balance[] = {
		{ "ranks", mpi ? NULL : "processes", BOB_COLUMN_COUNT, 0,
		  "processes that have such calls" },
		{ "calls_balance", mpi ? "calls max/mean" : "events max/mean", BOB_COLUMN_RATIO, 0,
		  "the most calls of one process, over the mean of all processes" },
		{ "sent_balance", "sent max/mean", BOB_COLUMN_RATIO, mpi ? 0 : EXTRA,
		  "the same of bytes sent" },
	};
	const struct bob_column loops[] = {
		{ "trips", NULL, BOB_COLUMN_COUNT, 0, "trips of loops that have ended" },
		{ "fewest", NULL, BOB_COLUMN_COUNT, 0, "trips of one loop" },
		{ "most", NULL, BOB_COLUMN_COUNT, 0, "trips of one loop" },
	};
	const struct bob_column time[] = {
		{ "time_ns", "time", BOB_COLUMN_NS, 0, "in these calls, of all threads together" },
	};
	const struct bob_column others[] = {
		{ "unknown_calls", NULL, BOB_COLUMN_COUNT, EXTRA, "calls of unknown bytes" },
		{ "own_events", NULL, BOB_COLUMN_COUNT, EXTRA, "the program's own events" },
		{ "open_calls", NULL, BOB_COLUMN_COUNT, EXTRA,
		  "in progress when recording ended" },
	};
	struct bob_table *t =
		bob_table_create(names[by], (mpi ? rows : own)[by], calls, COUNT(calls));

	add_columns(t, bytes, COUNT(bytes), mpi ? 0 : EXTRA);
	if (by != BOB_MPI_BY_RANK)
		add_columns(t, balance, COUNT(balance), 0);
	if (by <= BOB_MPI_BY_SITE) {
		add_columns(t, loops, COUNT(loops), trips ? 0 : EXTRA);
		add_columns(t, time, COUNT(time), 0);
	}
	add_subject(t, by, mpi);
	add_columns(t, others, COUNT(others), 0);
	return t;
}

static void put_bytes(struct bob_table *t, const struct bob_mpi_row *r, uint64_t bytes)
{
	bob_table_bound(t, r->unknown ? BOB_CELL_AT_LEAST : BOB_CELL_EXACT, bytes);
}

/* Load imbalance: maximum over mean of the processes. */
static void put_balance(struct bob_table *t, const struct bob_mpi_share *s, uint32_t processes)
{
	bob_table_real(t, (double)s->most * processes / (double)s->sum);
}

static void put_trips(struct bob_table *t, const struct bob_mpi_trips *trips)
{
	const uint64_t number[] = { trips->sum, trips->least, trips->most };

	for (size_t i = 0; i < COUNT(number); i++)
		if (trips->loops)
			bob_table_count(t, number[i]);
		else
			bob_table_none(t);
}

/* "comm#1 of 2 by MPI_Comm_split"; the row may combine several communicators, such as one per
 * process. */
static void put_comm_text(struct bob_table *t, const struct bob_mpi_row *r)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out) {
		bob_table_unknown(t);
		return;
	}
	bob_mpi_value_print(BOB_MPI_ROLE_COMM, r->comm, out);
	if (r->members_most)
		fprintf(out, " of %" PRIu32, r->members_least);
	if (r->members_most != r->members_least)
		fprintf(out, " to %" PRIu32, r->members_most);
	if (r->function)
		fprintf(out, " by %s%s", bob_mpi_prefix(r->function), r->function->name);
	if (fclose(out))
		bob_table_unknown(t);
	else
		bob_table_text(t, text);
	free(text);
}

static void put_comm(struct bob_table *t, const struct bob_mpi_row *r)
{
	if (r->comm == BOB_MPI_UNKNOWN) {
		bob_table_text(t, "none");
		for (int i = 0; i < 3; i++)
			bob_table_none(t);
		return;
	}
	put_comm_text(t, r);
	bob_table_count(t, r->members_least);
	bob_table_count(t, r->members_most);
	if (r->function)
		bob_mpi_function_cell(t, r->function);
	else
		bob_table_none(t);
}

static void put_row(struct bob_table *t, struct bob_mpi_table *m, const struct bob_mpi_row *r,
		    const struct bob_trace *trace, const struct bob_naming *names)
{
	const enum bob_mpi_by by = bob_mpi_table_by(m);
	const uint32_t processes = bob_mpi_table_processes(m);

	bob_table_count(t, r->calls.sum);
	bob_table_share(t, r->calls.sum, bob_mpi_table_sum(m)->calls.sum);
	put_bytes(t, r, r->sent.sum);
	put_bytes(t, r, r->received.sum);
	if (by != BOB_MPI_BY_RANK) {
		bob_table_count(t, r->processes);
		put_balance(t, &r->calls, processes);
		put_balance(t, &r->sent, processes);
	}
	if (by <= BOB_MPI_BY_SITE) {
		put_trips(t, &r->trips);
		bob_table_bound(t, r->time_ns ? BOB_CELL_EXACT : BOB_CELL_NONE, r->time_ns);
	}
	if (by == BOB_MPI_BY_FUNCTION)
		bob_mpi_function_cell(t, r->function);
	else if (by == BOB_MPI_BY_SITE)
		bob_mpi_site_cells(t, r->function, bob_mpi_table_places(m), r->path, trace, names);
	else if (by == BOB_MPI_BY_COMM)
		put_comm(t, r);
	else
		put_process(t, trace, r->process);
	bob_table_count(t, r->unknown);
	bob_table_count(t, r->own);
	bob_table_count(t, r->open);
}

struct bob_table *bob_mpi_calls_table(struct bob_mpi_table *m, const struct bob_trace *trace,
				      const struct bob_naming *names)
{
	struct bob_table *t = create_calls(bob_mpi_table_by(m), bob_mpi_table_has_mpi(m),
					   bob_mpi_table_sum(m)->trips.loops != 0);
	size_t count;
	const struct bob_mpi_row *row = bob_mpi_table_rows(m, &count);

	for (size_t i = 0; i < count; i++)
		put_row(t, m, &row[i], trace, names);
	return t;
}

/* --- pairs of ranks --- */

struct bob_table *bob_mpi_pairs_table(struct bob_mpi_matrix *m)
{
	static const struct bob_column columns[] = {
		{ "from", NULL, BOB_COLUMN_NUMBER, 0, "the sender's rank" },
		{ "to", NULL, BOB_COLUMN_NUMBER, 0, "the receiver's rank" },
		{ "messages", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_ADDS, "how many" },
		{ "bytes", NULL, BOB_COLUMN_BYTES, 0, "of all of them whose bytes are known" },
		{ "unknown", NULL, BOB_COLUMN_COUNT, EXTRA, "messages of unknown bytes" },
	};
	struct bob_table *t = bob_table_create("pairs", "pair", columns, COUNT(columns));
	size_t count;
	const struct bob_mpi_cell *cell = bob_mpi_matrix_cells(m, &count);

	for (size_t i = 0; i < count; i++) {
		bob_table_number(t, cell[i].from);
		bob_table_number(t, cell[i].to);
		bob_table_count(t, cell[i].messages);
		bob_table_bound(t, cell[i].unknown ? BOB_CELL_AT_LEAST : BOB_CELL_EXACT,
				cell[i].bytes);
		bob_table_count(t, cell[i].unknown);
	}
	return t;
}
