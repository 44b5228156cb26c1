/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables: the results of analyses. A table has typed columns and rows of cells. An analysis fills
 * it row by row. print.h prints it as text, CSV or JSON lines, sorted and restricted as requested.
 *
 * Owner: the caller of bob_table_create, who destroys it. The table copies all texts that it gets.
 * Threads: one. Units: those of the column's type. Errors: a failed allocation makes the table
 * incomplete; bob_table_print reports it, so the functions that fill a table need not check. */
#ifndef BOB_TABLE_TABLE_H
#define BOB_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

/* Type of a column's cells. In text, counts have thousands separators, bytes and times an SI unit;
 * in CSV and JSON, all are plain numbers. */
enum bob_column_type {
	BOB_COLUMN_COUNT,	/* uint64_t, a quantity */
	BOB_COLUMN_NUMBER,	/* int64_t, an identifier: rank, line, offset */
	BOB_COLUMN_BYTES,	/* uint64_t */
	BOB_COLUMN_NS,		/* uint64_t */
	BOB_COLUMN_SHARE,	/* fraction of a whole, 0 to 1 */
	BOB_COLUMN_REAL,	/* double */
	BOB_COLUMN_RATIO,	/* double; two decimals in text */
	BOB_COLUMN_DECIMAL,	/* decimal digits, inf or nan as text; fractions have six
				 * significant digits in text */
	BOB_COLUMN_ADDRESS,	/* uint64_t; hexadecimal in text and CSV */
	BOB_COLUMN_TEXT,
	/* Text that begins with a function's name. Long C++ names are shortened on a narrow
	 * terminal. */
	BOB_COLUMN_FUNCTION
};

enum bob_column_flag {
	BOB_COLUMN_SUBJECT = 1,	/* identifies the row; --sort=name selects it */
	BOB_COLUMN_EXTRA = 2,	/* in text only on request (--columns) */
	BOB_COLUMN_ADDS = 4,	/* text: the sum over omitted rows follows the table */
	BOB_COLUMN_BOUNDS = 8,	/* cells may be bounds: CSV and JSON add a column NAME_is */
	BOB_COLUMN_DASH = 16,	/* text: 0 is printed as "-" */
	BOB_COLUMN_BLANK = 32,	/* text: a missing value is an empty field, not "-" */
	BOB_COLUMN_RIGHT = 64,	/* texts that are right-aligned, such as formatted numbers */
	BOB_COLUMN_FILLED = 128 /* text: a missing text is "-", so that all lines have all fields */
};

struct bob_column {
	const char *name;	/* letters, digits and _; used by --sort, --columns, CSV, JSON */
	const char *title;	/* of text; NULL: the name with spaces for _ */
	enum bob_column_type type;
	unsigned flags;
	const char *about;	/* meaning, for --columns=help */
};

/* How a cell's value is related to the true value. */
enum bob_cell_kind {
	BOB_CELL_EXACT,
	BOB_CELL_AT_LEAST,
	BOB_CELL_AT_MOST,
	BOB_CELL_UNKNOWN,	/* the value exists, but is not in the trace: "?" */
	BOB_CELL_NONE		/* no value: "-", or an empty field for texts without
				 * BOB_COLUMN_FILLED */
};

struct bob_cell {
	union {
		uint64_t count;	/* COUNT, BYTES, NS, ADDRESS */
		int64_t number;
		double real;	/* SHARE, REAL, RATIO */
		const char *text; /* TEXT, FUNCTION, DECIMAL */
	};
	enum bob_cell_kind kind;
};

struct bob_table;
struct bob_table_view;

/* `name` names the table in JSON ("functions"), `row` one row, in the singular ("function").
 * Columns are copied. Returns NULL if memory is exhausted; all functions below accept NULL. */
struct bob_table *bob_table_create(const char *name, const char *row,
				   const struct bob_column *columns, size_t count);
void bob_table_destroy(struct bob_table *t); /* NULL is allowed */
/* Adds a column; only before the first row. */
void bob_table_add_column(struct bob_table *t, const struct bob_column *column);
/* Labels the whole table, for instance "thread" "0.1". Each row of CSV and JSON begins with the
 * value; text has a title. At most BOB_TABLE_OF_MAX labels. */
void bob_table_of(struct bob_table *t, const char *name, const char *value);
#define BOB_TABLE_OF_MAX 4u

/* Appends a cell to the current row, from left to right. The last cell completes the row. The
 * function must fit the type of the column. */
void bob_table_count(struct bob_table *t, uint64_t value); /* COUNT, BYTES, NS, ADDRESS */
void bob_table_number(struct bob_table *t, int64_t value);
void bob_table_real(struct bob_table *t, double value); /* not finite: no value */
void bob_table_share(struct bob_table *t, uint64_t part, uint64_t whole); /* whole is 0: no value */
void bob_table_text(struct bob_table *t, const char *text); /* TEXT, FUNCTION, DECIMAL */
void bob_table_textf(struct bob_table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void bob_table_bound(struct bob_table *t, enum bob_cell_kind kind, uint64_t value);
void bob_table_none(struct bob_table *t);
void bob_table_unknown(struct bob_table *t);

/* Reading. Rows are in the order of insertion until bob_table_sort. */
const char *bob_table_name(const struct bob_table *t);
const char *bob_table_row_name(const struct bob_table *t);
size_t bob_table_columns(const struct bob_table *t);
const struct bob_column *bob_table_column(const struct bob_table *t, size_t column);
size_t bob_table_rows(const struct bob_table *t);
/* Number of labels (calls of bob_table_of), and name and value of label `i`. */
size_t bob_table_of_count(const struct bob_table *t);
void bob_table_of_at(const struct bob_table *t, size_t i, const char **name, const char **value);
/* Borrowed: bob_table_columns() cells. */
const struct bob_cell *bob_table_at(const struct bob_table *t, size_t row);
/* True if an allocation failed and a cell is missing. */
bool bob_table_is_incomplete(const struct bob_table *t);

/* Index of the column called `name` (`len` bytes), or SIZE_MAX. "name" also selects the column with
 * BOB_COLUMN_SUBJECT. */
size_t bob_table_find(const struct bob_table *t, const char *name, size_t len);
/* Stable sort by one column: numbers in descending order, texts in ascending byte order; `reverse`
 * inverts both. Cells without a value are last. Errors: BOB_ERR_NOMEM (the order is unchanged). */
bob_status bob_table_sort(struct bob_table *t, size_t column, bool reverse);

#endif
