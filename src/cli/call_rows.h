/* SPDX-License-Identifier: BSD-3-Clause */
/* The folded tree of a thread's calls as rows of a table: one for each line of the tree, in its
 * order, top down. `depth` and `repeat` are enough to build the tree again.
 *
 * Threads: one. */
#ifndef BOB_CLI_CALL_ROWS_H
#define BOB_CLI_CALL_ROWS_H

#include "analysis/analysis.h"
#include "cli/answer.h"

/* The table without rows, for the caller; NULL: no memory. */
struct bob_table *cli_call_rows_table(void);
/* Prints the table of one thread. In CSV and JSON rows are printed as they come, and only a few are
 * kept; in text, or if they are sorted, all are. `o` says what is in the tree; its max_lines is
 * not looked at, --limit is. Returns 0, or an exit status after a complaint. */
int cli_call_rows_print(struct cli_answer *a, uint32_t thread, const struct bob_tree_options *o);

/* Texts of enum bob_tree_flag, "still open, signal handler"; "" without any. */
#define CLI_CALL_NOTES_MAX 128
const char *cli_call_notes(uint32_t flags, char text[CLI_CALL_NOTES_MAX]);

#endif
