/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report --by=hook and --by=parameter: builds the tables and prints them. */
#include "cli/report_events.h"

#include <stdlib.h>

#include "analysis/events/hooks.h"
#include "analysis/events/parameters.h"
#include "cli/terminal/complain.h"

int cli_report_hooks(struct cli_answer *a)
{
	const struct bob_naming names = cli_session_naming(&a->s);
	uint32_t damaged;
	struct bob_table *t = bob_hooks_table(a->s.trace, &names, &damaged);
	int status;

	if (t && !bob_table_rows(t) && !damaged) {
		bob_table_destroy(t);
		return cli_fail("report", "no hook returned data in this run (bobbin/hooks.h)");
	}
	status = cli_answer_table(a, t);
	if (damaged && !status)
		status = cli_fail("report", "some of what hooks brought is damaged");
	return status;
}

int cli_report_parameters(struct cli_answer *a)
{
	uint32_t count, damaged = 0;
	uint32_t *threads = cli_session_threads(&a->s, &count);
	struct bob_table *t = NULL;
	bob_status st = BOB_ERR_NOMEM;
	int status;

	if (threads)
		st = bob_parameters_table(a->s.trace, threads, count, &t, &damaged);
	free(threads);
	if (st != BOB_OK)
		status = cli_fail("report", "%s", bob_status_text(st));
	else if (!bob_table_rows(t)) {
		bob_table_destroy(t);
		status = cli_fail("report", "the events of this run have no parameters");
	} else {
		status = cli_answer_table(a, t);
	}
	if (damaged && status != 2)
		status = cli_fail("report", "some events are damaged");
	return status;
}
