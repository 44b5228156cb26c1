/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of bobbin report, each from one call graph. */
#ifndef BOB_CLI_REPORT_TABLES_H
#define BOB_CLI_REPORT_TABLES_H

#include <stdio.h>

#include "cli/session.h"

enum cli_report_by {
	CLI_BY_FUNCTION,
	CLI_BY_IMAGE,
	CLI_BY_API,
	CLI_BY_INSTRUCTION, /* up to SYNC of memory accesses only */
	CLI_BY_LINE,
	CLI_BY_VARIABLE,
	CLI_BY_SYNC,
	CLI_BY_SITE, /* from here on of MPI calls only */
	CLI_BY_COMM,
	CLI_BY_RANK,
	CLI_BY_LATE, /* where they wait for others */
	CLI_BY_HOOK, /* what hooks brought */
	CLI_BY_PARAMETER /* what events were called with */
};
enum cli_report_sort { CLI_SORT_CALLS, CLI_SORT_BELOW, CLI_SORT_NAME, CLI_SORT_IMAGE };

struct cli_report_style {
	enum cli_report_by by;
	enum cli_report_sort sort;
	uint64_t limit;		/* rows, 0: all */
	int width;		/* of the terminal, 0: none */
	FILE *out;
};

/* All return 0, or 1 without memory. */
int cli_report_functions(struct cli_session *s, struct bob_callgraph *g,
			 const struct cli_report_style *style);
int cli_report_images(struct cli_session *s, struct bob_callgraph *g,
		      const struct cli_report_style *style);
/* Calls from one image into another, by function called. */
int cli_report_api(struct cli_session *s, struct bob_callgraph *g,
		   const struct cli_report_style *style);
/* Who calls (`callers` 1) or is called by the functions that fit `pattern`. Returns 2 if none
 * do. */
int cli_report_neighbours(struct cli_session *s, struct bob_callgraph *g, const char *pattern,
			  int callers, const struct cli_report_style *style);

#endif
