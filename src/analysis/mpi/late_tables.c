/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of wait states: a row per call site, with the cause that cost most time. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/mpi/site_cells.h"
#include "analysis/mpi/tables.h"
#include "table/numbers.h"

#define EXTRA BOB_COLUMN_EXTRA
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CAUSES_SHOWN 3u		/* ranks listed as causes */

/* The call site that caused most of the waiting time, and the causing ranks with their shares. */
static void put_causes(struct bob_table *t, const struct bob_mpi_late_row *row,
		       const struct bob_mpi_places *places, const struct bob_trace *trace,
		       const struct bob_naming *names)
{
	const struct bob_mpi_late_cause *first = row->cause;
	struct bob_mpi_place p;
	char a[BOB_NUMBER_MAX], ranks[CAUSES_SHOWN * (BOB_NUMBER_MAX + 16) + 8] = "";
	uint32_t shown = 0;
	size_t at = 0;

	for (uint32_t i = 0; i < row->causes; i++) {
		const struct bob_mpi_late_cause *c = &row->cause[i];

		if (c->function != first->function || c->path != first->path)
			continue;
		if (shown == CAUSES_SHOWN) {
			snprintf(ranks + at, sizeof(ranks) - at, ", ...");
			break;
		}
		at += (size_t)snprintf(ranks + at, sizeof(ranks) - at, "%s%" PRId32 " (%s)",
				       shown++ ? ", " : "",
				       bob_trace_process(trace, c->process)->rank,
				       bob_format_share(a, c->lost_ns, row->lost_ns));
	}
	if (bob_mpi_places_last(places, first->path, &p))
		bob_table_textf(t, "%s%s  %s   rank %s", bob_mpi_prefix(first->function),
				first->function->name,
				names->place(names->ctx, trace, p.process, p.image, p.pc), ranks);
	else
		bob_table_textf(t, "%s%s   rank %s", bob_mpi_prefix(first->function),
				first->function->name, ranks);
}

static void put_late(struct bob_table *t, const struct bob_mpi_late_row *row,
		     const struct bob_mpi_places *places, const struct bob_trace *trace,
		     const struct bob_naming *names)
{
	const struct bob_mpi_late_cause *first = row->cause;

	bob_table_count(t, row->lost_ns);
	bob_table_count(t, row->most_ns);
	bob_table_count(t, row->times);
	bob_table_count(t, row->late);
	bob_table_count(t, row->undecided);
	bob_mpi_site_cells(t, row->function, places, row->path, trace, names);
	if (!row->causes) {
		for (int i = 0; i < 5; i++)
			bob_table_none(t);
		return;
	}
	put_causes(t, row, places, trace, names);
	bob_mpi_function_cell(t, first->function);
	bob_table_number(t, bob_trace_process(trace, first->process)->rank);
	bob_table_count(t, first->calls);
	bob_table_count(t, first->lost_ns);
}

struct bob_table *bob_mpi_late_table(const struct bob_mpi_late *l, const struct bob_trace *trace,
				     const struct bob_naming *names)
{
	static const struct bob_column columns[] = {
		{ "lost_ns", "lost", BOB_COLUMN_NS, BOB_COLUMN_DASH | BOB_COLUMN_ADDS,
		  "time that these calls waited for others" },
		{ "most_ns", "most", BOB_COLUMN_NS, BOB_COLUMN_DASH, "of it, in one call" },
		{ "times", NULL, BOB_COLUMN_COUNT, 0, "messages received, or collective calls" },
		{ "late", NULL, BOB_COLUMN_COUNT, 0, "of them, waited for" },
		{ "undecided", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_DASH,
		  "of them, clocks are not known well enough" },
		{ "site", "call site", BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT,
		  "what is called, and where" },
		BOB_MPI_SITE_COLUMNS,
		{ "waits_for", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_FILLED,
		  "the call that most of it was lost to, and its ranks" },
		{ "cause_call", NULL, BOB_COLUMN_TEXT, EXTRA, "the function of that call" },
		{ "cause_rank", NULL, BOB_COLUMN_NUMBER, EXTRA, "the rank that most was lost to" },
		{ "cause_calls", NULL, BOB_COLUMN_COUNT, EXTRA,
		  "calls that waited for it longest" },
		{ "cause_ns", NULL, BOB_COLUMN_NS, EXTRA, "time lost to it" },
	};
	struct bob_table *t = bob_table_create("mpi_late", "call site", columns, COUNT(columns));
	size_t count;
	const struct bob_mpi_late_row *row = bob_mpi_late_rows(l, &count);

	for (size_t i = 0; i < count; i++)
		put_late(t, &row[i], bob_mpi_late_places(l), trace, names);
	return t;
}
