/* SPDX-License-Identifier: BSD-3-Clause */
/* The renderer of tables: text for people, CSV (RFC 4180, lines end in \n) and JSON lines (one
 * object per row). All verbs print with it, so options, rounding and units are the same everywhere.
 *
 * Threads: one. Errors: one line in `why`, for the user. */
#ifndef BOB_TABLE_PRINT_H
#define BOB_TABLE_PRINT_H

#include <stdio.h>

#include "table/table.h"

enum bob_table_format { BOB_TABLE_TEXT, BOB_TABLE_CSV, BOB_TABLE_JSON };

#define BOB_TABLE_LIMIT_DEFAULT UINT64_MAX /* `usual` in text, all rows in other formats */
#define BOB_TABLE_WHY_MAX 256u

/* The user's request. All zeros and BOB_TABLE_LIMIT_DEFAULT: text, rows in the table's order. */
struct bob_table_view {
	enum bob_table_format format;
	const char *sort;	/* "calls", "-calls" (reversed), "image,calls"; NULL: not sorted */
	const char *columns;	/* "calls,function", "all"; NULL: in text the columns without EXTRA,
				 * in other formats all */
	uint64_t limit;		/* maximal number of rows; 0: all */
	uint64_t usual;		/* that number in text if `limit` is BOB_TABLE_LIMIT_DEFAULT */
	int width;		/* columns of the terminal in text; 0: no limit */
	bool color;		/* text: use colors */
	bool no_header;		/* CSV: the header is printed already */
};

/* Checks that the columns named by the view exist. Returns BOB_OK, or BOB_ERR_INVAL and sets
 * `why`. */
bob_status bob_table_check(const struct bob_table *t, const struct bob_table_view *view,
			   char why[BOB_TABLE_WHY_MAX]);
/* Sorts `t` as the view requests and prints it. Errors: those of bob_table_check, BOB_ERR_NOMEM. */
bob_status bob_table_print(struct bob_table *t, const struct bob_table_view *view, FILE *out,
			   char why[BOB_TABLE_WHY_MAX]);
/* Prints the rows of `t` and removes them, for tables that do not fit in memory; not for text. Call
 * it as often as rows arrive; set no_header after the first call. `limit` and `sort` have no
 * effect. Errors: those of bob_table_check, BOB_ERR_NOMEM. */
bob_status bob_table_flush(struct bob_table *t, const struct bob_table_view *view, FILE *out,
			   char why[BOB_TABLE_WHY_MAX]);
/* Describes the columns (name, unit, meaning) for --columns=help. */
void bob_table_describe(const struct bob_table *t, FILE *out);

/* Shortens a function's name in place to at most `width` characters. First template arguments
 * become <..>, then parameters become (..), then the middle is cut. `width` is at least 2. Returns
 * `name`. */
char *bob_table_shorten(char *name, size_t width);

#endif
