/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables: the answers of analyses. A table has typed columns and rows of cells. An analysis fills
 * it, one row after the other; print.h turns it into text, CSV or JSON lines, sorted and restricted
 * as the user asked.
 *
 * Owner: the caller of bob_table_create, who destroys it. The table copies all texts that it is
 * given. Threads: one. Units: a column's type says them. Errors: a failed allocation makes the
 * table incomplete; bob_table_print reports it, so those who fill it need not check. */
#ifndef BOB_TABLE_TABLE_H
#define BOB_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

/* What a column's cells are. In text, counts have thousands separators, bytes and times an SI unit;
 * in CSV and JSON, all are plain numbers. */
enum bob_column_type {
	BOB_COLUMN_COUNT,	/* uint64_t, how many */
	BOB_COLUMN_NUMBER,	/* int64_t that names something: a rank, a line, an offset */
	BOB_COLUMN_BYTES,	/* uint64_t */
	BOB_COLUMN_NS,		/* uint64_t */
	BOB_COLUMN_SHARE,	/* part of a whole, 0 to 1 */
	BOB_COLUMN_REAL,	/* double */
	BOB_COLUMN_RATIO,	/* double; two decimals in text */
	BOB_COLUMN_DECIMAL,	/* a number of any size, by its digits, or inf, nan; a fraction has six
				 * in text */
	BOB_COLUMN_ADDRESS,	/* uint64_t, hexadecimal in text */
	BOB_COLUMN_TEXT,
	/* Text that begins with a function's name: long C++ names are shortened on a narrow
	 * terminal. */
	BOB_COLUMN_FUNCTION
};

enum bob_column_flag {
	BOB_COLUMN_SUBJECT = 1,	/* what a row is about; --sort=name means it */
	BOB_COLUMN_EXTRA = 2,	/* in text only where --columns asks for it */
	BOB_COLUMN_ADDS = 4,	/* its sum over the rows left out is printed below the text */
	BOB_COLUMN_BOUNDS = 8,	/* some cells are bounds: CSV and JSON get a column NAME_is */
	BOB_COLUMN_DASH = 16,	/* 0 is "-" in text */
	BOB_COLUMN_BLANK = 32,	/* no value is an empty field in text, not "-" */
	BOB_COLUMN_RIGHT = 64,	/* texts, such as formatted numbers, that are aligned to the right */
	BOB_COLUMN_FILLED =
		128 /* a missing text is "-" in text, so that each line has all fields */
};

struct bob_column {
	const char *name;	/* of letters, digits and _: in --sort, --columns, CSV and JSON */
	const char *title;	/* in text; NULL: the name, with spaces for _ */
	enum bob_column_type type;
	unsigned flags;
	const char *about;	/* what it says, for --columns=help */
};

/* How a cell's value is to be understood. */
enum bob_cell_kind {
	BOB_CELL_EXACT,
	BOB_CELL_AT_LEAST,
	BOB_CELL_AT_MOST,
	BOB_CELL_UNKNOWN,	/* there is a value, but the trace does not say it: "?" */
	BOB_CELL_NONE		/* there is no value: "-", or nothing in a column of texts
				 * without BOB_COLUMN_FILLED */
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

/* `name` is what the table is called in JSON, "functions"; `row` what a row is, in the singular,
 * "function". Columns are copied. NULL: no memory, which all functions below accept. */
struct bob_table *bob_table_create(const char *name, const char *row,
				   const struct bob_column *columns, size_t count);
void bob_table_destroy(struct bob_table *t); /* NULL is allowed */
/* One more column, before the first row. */
void bob_table_add_column(struct bob_table *t, const struct bob_column *column);
/* The whole table is of this, such as "thread" "0.1": CSV and JSON begin each row with it; text has
 * a title. */
void bob_table_of(struct bob_table *t, const char *name, const char *value);
#define BOB_TABLE_OF_MAX 4u

/* The next cell of the current row, from left to right. The row is complete with its last cell.
 * The type of the column must fit the function. */
void bob_table_count(struct bob_table *t, uint64_t value); /* COUNT, BYTES, NS, ADDRESS */
void bob_table_number(struct bob_table *t, int64_t value);
void bob_table_real(struct bob_table *t, double value); /* not finite: none */
void bob_table_share(struct bob_table *t, uint64_t part, uint64_t whole); /* whole 0: none */
void bob_table_text(struct bob_table *t, const char *text); /* TEXT, FUNCTION, DECIMAL */
void bob_table_textf(struct bob_table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void bob_table_bound(struct bob_table *t, enum bob_cell_kind kind, uint64_t value);
void bob_table_none(struct bob_table *t);
void bob_table_unknown(struct bob_table *t);

/* Reading. Rows are in the order in which they were filled until bob_table_sort. */
const char *bob_table_name(const struct bob_table *t);
const char *bob_table_row_name(const struct bob_table *t);
size_t bob_table_columns(const struct bob_table *t);
const struct bob_column *bob_table_column(const struct bob_table *t, size_t column);
size_t bob_table_rows(const struct bob_table *t);
/* How many times bob_table_of was called; *name and *value of the one numbered `i`. */
size_t bob_table_of_count(const struct bob_table *t);
void bob_table_of_at(const struct bob_table *t, size_t i, const char **name, const char **value);
/* Borrowed: bob_table_columns cells. */
const struct bob_cell *bob_table_at(const struct bob_table *t, size_t row);
/* True if a cell was lost because there was no memory. */
bool bob_table_is_incomplete(const struct bob_table *t);

/* The column that `name` (of `len` bytes) means; SIZE_MAX if there is none. "name" is also the
 * subject. */
size_t bob_table_find(const struct bob_table *t, const char *name, size_t len);
/* Sort by one column, stably: numbers with the largest first, texts by bytes, cells without a value
 * last; `reverse` the other way round. Errors: BOB_ERR_NOMEM (the order is then as before). */
bob_status bob_table_sort(struct bob_table *t, size_t column, bool reverse);

#endif
