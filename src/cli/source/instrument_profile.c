/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads trip counts of loops and numbers of calls from the events of an earlier trace
 * (instrument_profile.h). */
#include "cli/source/instrument_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/call_counts.h"
#include "cli/session.h"
#include "cli/terminal/complain.h"

/* Threads of a process are adjacent. */
static bob_status add_all(const struct bob_trace *t, struct bob_mpi_table *table,
			  struct bob_error *err)
{
	const uint32_t n = bob_trace_thread_count(t);
	uint32_t *threads = calloc(n + 1u, sizeof(*threads));
	bob_status st = threads ? BOB_OK : BOB_ERR_NOMEM;

	for (uint32_t i = 0; i < n && st == BOB_OK;) {
		const uint32_t process = bob_trace_thread(t, i)->process;
		uint32_t count = 0;

		for (; i < n && bob_trace_thread(t, i)->process == process; i++)
			threads[count++] = i;
		st = bob_mpi_table_add(table, process, threads, count, NULL, NULL, err);
	}
	free(threads);
	return st;
}

/* Events named "loop 12 in solve" or "loop 12:30 in solve" have trip counts; others count calls of
 * the function in their name. */
static bob_status put(struct bob_predict *p, const struct bob_mpi_row *row, uint32_t processes)
{
	const char *name = row->function->name, *unit;
	char *end;
	unsigned long line;

	if (!row->own || !name)
		return BOB_OK;
	if (strncmp(name, "loop ", 5) != 0)
		return strchr(name, ' ') ?
			       BOB_OK :
			       bob_predict_profile(p, name, 0, (double)row->calls.sum / processes,
						   0);
	line = strtoul(name + 5, &end, 10);
	if (*end == ':') /* a column, if the line has several loops */
		(void)strtoul(end + 1, &end, 10);
	unit = end + strlen(" in ");
	if (!row->trips.loops || !line || line > UINT32_MAX || strncmp(end, " in ", 4) != 0)
		return BOB_OK;
	return bob_predict_profile(p, unit, (uint32_t)line, (double)row->calls.sum / processes,
				   (double)row->trips.sum / (double)row->trips.loops);
}

static bob_status put_all(struct bob_predict *p, struct bob_mpi_table *table)
{
	const uint32_t processes = bob_mpi_table_processes(table);
	bob_status st = BOB_OK;
	size_t count;
	const struct bob_mpi_row *row = bob_mpi_table_rows(table, &count);

	for (size_t i = 0; i < count && st == BOB_OK; i++)
		st = put(p, &row[i], processes ? processes : 1);
	return st;
}

int cli_predict_profile(const char *verb, struct bob_predict *p, const char *dir)
{
	struct cli_session s = { .verb = verb };
	struct bob_error err = { .text = "" };
	struct bob_mpi_table *table = NULL;
	bob_status st;
	int bad = cli_session_open_dir(&s, dir);

	if (bad)
		return bad;
	st = bob_mpi_table_create(s.trace, BOB_MPI_BY_FUNCTION, &table);
	if (st == BOB_OK)
		st = add_all(s.trace, table, &err);
	if (st == BOB_OK && !bob_mpi_table_sum(table)->own)
		bad = cli_fail(verb,
			       "%s: has no loops and no calls: `trace code at loop level` and `at "
			       "subroutine level`, recorded with --source --events, have them",
			       dir);
	else if (st == BOB_OK)
		st = put_all(p, table);
	bob_mpi_table_destroy(table);
	if (st != BOB_OK)
		bad = cli_fail_status(verb, "not all events can be read", st, &err);
	cli_session_close(&s);
	return bad;
}
