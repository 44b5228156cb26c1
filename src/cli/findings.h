/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings about a trace, as rows of one table: what check prints, and of it info what is missing.
 *
 * Owner: the caller of cli_findings_create, who destroys the table or hands it to
 * cli_answer_table. Threads: one. Errors: as of all tables, a failed allocation makes the table
 * incomplete; NULL is accepted where a table is filled. */
#ifndef BOB_CLI_FINDINGS_H
#define BOB_CLI_FINDINGS_H

#include <stdio.h>

#include "table/table.h"

#define CLI_FINDING_LOST "lost"		/* it was recorded, but is damaged */
#define CLI_FINDING_MISSING "missing"	/* it was not recorded, or its file is gone */
#define CLI_FINDING_REMARK "remark"	/* worth knowing */

struct cli_finding {
	const char *level, *kind;
	const uint32_t *process; /* its number in the trace; NULL: of no single one */
	uint64_t count;		/* of what the text names; 0: none */
	const char *file;	/* NULL: none */
	uint64_t offset;	/* in the file, 0: none */
};

struct bob_table *cli_findings_create(void);
/* Begins a row. The caller completes it with the text: bob_table_text or bob_table_textf. */
void cli_finding_begin(struct bob_table *findings, const struct cli_finding *f);

/* A finding for each line that is written to `out` between begin and end. */
struct cli_lines {
	FILE *out;
	char *text;
	size_t size;
};
/* False: no memory. end then adds a finding that says so. */
bool cli_lines_begin(struct cli_lines *l);
void cli_lines_end(struct cli_lines *l, struct bob_table *findings, const struct cli_finding *f);

uint32_t cli_findings_count(const struct bob_table *findings, const char *level);
/* Borrowed: the text of a row; NULL after the last one. */
const char *cli_finding_text(const struct bob_table *findings, size_t row);
/* A line for each, of some kinds for the first few and how many more there are. Lines begin with
 * `before`; NULL: with the level. */
void cli_findings_print(const struct bob_table *findings, const char *before, FILE *out);

#endif
