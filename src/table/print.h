/* SPDX-License-Identifier: BSD-3-Clause */
/* The renderer of tables: text for people, CSV (RFC 4180, lines end in \n), JSON lines (an object
 * for each row). All verbs print with it, so options, rounding and units mean the same everywhere.
 *
 * Threads: one. Errors: one line in `why`, for the user. */
#ifndef BOB_TABLE_PRINT_H
#define BOB_TABLE_PRINT_H

#include <stdio.h>

#include "table/table.h"

enum bob_table_format { BOB_TABLE_TEXT, BOB_TABLE_CSV, BOB_TABLE_JSON };

#define BOB_TABLE_LIMIT_DEFAULT UINT64_MAX /* what `usual` says in text, all rows elsewhere */
#define BOB_TABLE_WHY_MAX 256u

/* What the user asked for. All zeros but `limit`: text, every row in the table's order. */
struct bob_table_view {
	enum bob_table_format format;
	const char *sort;	/* "calls", "-calls" (reversed), "image,calls"; NULL: as it is */
	const char *columns;	/* "calls,function", "all"; NULL: in text those without EXTRA,
				 * elsewhere all */
	uint64_t limit;		/* rows printed; 0: all */
	uint64_t usual;		/* rows in text if limit is BOB_TABLE_LIMIT_DEFAULT */
	int width;		/* characters in a line of text; 0: no limit */
	bool color;		/* emphasise in text */
	bool no_header;		/* CSV: the header was printed with an earlier table */
};

/* Do the columns that the view names exist? BOB_OK, or BOB_ERR_INVAL and `why`. */
bob_status bob_table_check(const struct bob_table *t, const struct bob_table_view *view,
			   char why[BOB_TABLE_WHY_MAX]);
/* Print all of `t`, sorting it first. Errors: those of bob_table_check, BOB_ERR_NOMEM. */
bob_status bob_table_print(struct bob_table *t, const struct bob_table_view *view, FILE *out,
			   char why[BOB_TABLE_WHY_MAX]);
/* Print what is in `t` and forget it, as often as rows come: for tables of which text is never
 * printed and that are too long to keep. The header of CSV is printed by the first call; `limit`
 * and `sort` have no effect. Errors: those of bob_table_check, BOB_ERR_NOMEM. */
bob_status bob_table_flush(struct bob_table *t, const struct bob_table_view *view, FILE *out,
			   char why[BOB_TABLE_WHY_MAX]);
/* What the columns are: name, unit and meaning, for --columns=help. */
void bob_table_describe(const struct bob_table *t, FILE *out);

/* Shortens a function's name in place to at most `width` characters: template arguments become
 * <..>, then parameters (..), then the middle is left out. `width` is 2 or more. Returns `name`. */
char *bob_table_shorten(char *name, size_t width);

#endif
