/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report --by=sync: builds the table of synchronisation marks and prints it. */
#include "cli/memory/report_syncs.h"

#include <stdlib.h>

#include "analysis/memory/tables.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"

static int print_all(struct cli_answer *a, const struct bob_sync_table *y, uint32_t threads)
{
	const struct bob_naming names = cli_session_naming(&a->s);
	char n[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];
	uint64_t total = 0;
	size_t count;
	const struct bob_sync_row *row = bob_sync_table_rows(y, &count);
	int status;

	for (size_t i = 0; i < count; i++)
		total += row[i].count;
	fprintf(a->text, "%s: %s mark%s of synchronisation in %s thread%s\n", a->s.dir,
		bob_format_count(n, total), bob_plural(total), bob_format_count(b, threads),
		bob_plural(threads));
	if (!count && a->view.format == BOB_TABLE_TEXT && !a->view.columns)
		return 0;
	fputc('\n', a->text);
	status = cli_answer_table(a, bob_syncs_table(y, &names));
	if (!status)
		fputs("\nmarks: how often; threads: how many of them; objects: how many different "
		      "ones, those of each process\n"
		      "counted; call site: of the call in the recorded code\n",
		      a->text);
	return status;
}

int cli_report_syncs(struct cli_answer *a)
{
	uint32_t count, *threads = cli_session_threads(&a->s, &count);
	struct bob_error err = { .text = "" };
	struct bob_sync_table *y;
	bob_status st;
	int status;

	if (!threads)
		return cli_fail("report", "out of memory");
	st = bob_sync_table_create(a->s.trace, threads, count, &y, &err);
	free(threads);
	if (st != BOB_OK)
		return cli_fail_status("report", "not all of the trace can be read", st, &err);
	status = print_all(a, y, count);
	bob_sync_table_destroy(y);
	return status;
}
