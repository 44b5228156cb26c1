/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of text with aligned columns: collect cells row by row, print once. Widths count UTF-8
 * characters. Out of memory shows as fewer rows and a non-zero result of cli_table_print. */
#ifndef BOB_CLI_TEXT_TABLE_H
#define BOB_CLI_TEXT_TABLE_H

#include <stddef.h>
#include <stdio.h>

#define CLI_TABLE_COLUMNS_MAX 80

struct cli_table {
	int columns;
	const char *titles[CLI_TABLE_COLUMNS_MAX];	/* borrowed */
	char right[CLI_TABLE_COLUMNS_MAX];		/* 1: aligned to the right */
	char **cells;					/* owned copies */
	size_t count, room;
	int failed;
};

/* `titles` are `columns` strings; one that begins with '>' is aligned to the right. */
void cli_table_begin(struct cli_table *t, int columns, const char *const *titles);
void cli_table_cell(struct cli_table *t, const char *text);
/* Cuts lines at `width` characters (0: never), prints and frees. Returns 0 or -1. */
int cli_table_end(struct cli_table *t, int width, FILE *out);
/* Without printing it. */
void cli_table_drop(struct cli_table *t);

#endif
