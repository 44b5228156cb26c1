/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report of memory accesses: heading, table, legend, and accesses that did not fold. */
#include "cli/memory/report_memory.h"

#include <stdlib.h>

#include "analysis/memory/tables.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/untraced_functions.h"

#define UNFOLDED_ROWS 10u

int cli_report_is_memory(const struct cli_session *s)
{
	uint32_t n = bob_trace_thread_count(s->trace);
	struct bob_access_cursor *c;
	int found = 0;

	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1)) {
		if (bob_trace_thread(s->trace, i)->symbols)
			return 0;
		if (!found && bob_access_cursor_open(s->trace, i, &c, NULL) == BOB_OK) {
			bob_access_cursor_close(c);
			found = 1;
		}
	}
	return found;
}

static void print_head(const struct cli_answer *a, const struct bob_memory *m, uint32_t threads)
{
	char n[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];
	struct bob_trace_sizes sizes;
	uint64_t total = 0;
	size_t count;
	const struct bob_memory_row *row = bob_memory_rows(m, &count);

	for (size_t i = 0; i < count; i++)
		total += bob_memory_accesses(&row[i]);
	bob_trace_sizes(a->s.trace, &sizes);
	fprintf(a->text, "%s: %s access%s in %s thread%s, kept in %s\n\n", a->s.dir,
		bob_format_count(n, total), total == 1 ? "" : "es", bob_format_count(b, threads),
		bob_plural(threads), bob_format_bytes(c, sizes.stream_bytes));
}

static void print_legend(const struct bob_memory *m, FILE *out)
{
	size_t count;
	const struct bob_memory_row *row = bob_memory_rows(m, &count);
	int bounds = 0;

	for (size_t i = 0; i < count; i++)
		bounds |= row[i].unknown || row[i].irregular ||
			  row[i].footprint != row[i].footprint_most;
	fputs("\nfootprint: different bytes touched; stride: bytes from one access of an "
	      "instruction to its next, the\n"
	      "most frequent one; irregular: accesses whose addresses follow no rule\n",
	      out);
	if (bounds)
		fputs("<= and >= are bounds: rows that overlap in part; accesses without rule "
		      "come on top; ?: accesses that\n"
		      "happen only sometimes\n",
		      out);
}

/* Whether some accesses were analysed in expanded form. */
static int is_expanded(const struct bob_memory *m)
{
	size_t count;
	const struct bob_memory_row *row = bob_memory_rows(m, &count);

	for (size_t i = 0; i < count; i++)
		if (row[i].unknown)
			return 1;
	return 0;
}

static int print_unfolded(struct cli_answer *a, const struct bob_memory *m,
			  const struct bob_naming *names)
{
	size_t count;

	(void)bob_memory_unfolded(m, &count);
	if (!count) {
		fputs(is_expanded(m) ? "" : "\neverything folded\n", a->text);
		return 0;
	}
	if (!a->view.columns)
		fputc('\n', a->text);
	a->view.usual = UNFOLDED_ROWS;
	return cli_answer_second_table(a, bob_memory_unfolded_table(m, names));
}

static int print_all(struct cli_answer *a, const struct bob_memory *m, uint32_t threads)
{
	const struct bob_naming names = cli_session_naming(&a->s);
	char n[BOB_NUMBER_MAX];
	int status;

	print_head(a, m, threads);
	status = cli_answer_table(a, bob_memory_table(m, &names));
	if (status)
		return status;
	print_legend(m, a->text);
	status = print_unfolded(a, m, &names);
	if (!status && bob_memory_syncs(m))
		fprintf(a->text, "\nsynchronisation: %s mark%s; bobbin report --by=sync\n",
			bob_format_count(n, bob_memory_syncs(m)), bob_plural(bob_memory_syncs(m)));
	return status;
}

int cli_report_memory(struct cli_answer *a, enum bob_memory_by by)
{
	uint32_t count, *threads = cli_session_threads(&a->s, &count);
	struct bob_error err = { .text = "" };
	struct bob_memory *m;
	bob_status st;
	int status;

	if (!threads)
		return cli_fail("report", "out of memory");
	st = bob_memory_create(a->s.trace, threads, count, by, &m, &err);
	free(threads);
	if (st != BOB_OK)
		return cli_fail_status("report", "not all of the trace can be read", st, &err);
	status = print_all(a, m, count);
	bob_memory_destroy(m);
	if (status)
		return status;
	fputc('\n', a->text);
	cli_untraced_print(&a->s, a->text);
	return 0;
}
