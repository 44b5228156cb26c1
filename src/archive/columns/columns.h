/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables on disk: one writer and one reader for every chunk that holds rows (docs/format.md,
 * "Tables"). A table is an array of structs in memory. Its schema (struct bob_schema) binds each
 * column to a field of the struct; writer and reader walk the fields, so a chunk kind needs a
 * schema and no code. On disk a table describes itself: number, rows, and for each column type,
 * coding and bytes. Readers therefore pass over tables and columns that they do not know.
 *
 * The writer stores columns one after the other, as Parquet and ORC do, and takes for each column
 * the coding that is shortest for its values.
 *
 * Writing (write.c) is freestanding and pure: it neither allocates nor keeps anything. Reading
 * (read.c) needs malloc; it checks everything, for its bytes come from files. */
#ifndef BOB_ARCHIVE_COLUMNS_H
#define BOB_ARCHIVE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

/* What values are, and how they are stored. The numbers are those of docs/format.md. */
enum bob_stored_type {
	BOB_STORED_UNSIGNED = 0,
	BOB_STORED_SIGNED = 1,
	BOB_STORED_BYTES = 2,
	BOB_STORED_TEXT = 3,	/* UTF-8, as the traced program had it: not checked */
	BOB_STORED_DOUBLE = 4,	/* the bits of a double */
	/* so many of the next rows of the table `target` belong to this row */
	BOB_STORED_COUNT = 5,
	/* number of a row of `target`; all bits of the field set: none (on disk 0; else + 1) */
	BOB_STORED_REFERENCE = 6
};

enum bob_stored_coding {
	BOB_CODING_ZERO = 0,	/* all values are 0, or empty: no bytes */
	BOB_CODING_PLAIN = 1,	/* LEB128, SIGNED zigzag; bytes: length, bytes */
	BOB_CODING_DELTA = 2,	/* zigzag of the difference from the row before */
	BOB_CODING_RUNS = 3,	/* value, how many more rows have it */
	BOB_CODING_WIDE = 4,	/* 8 bytes, little endian */
	/* bytes: 0, length, bytes; or n: the value of n rows before */
	BOB_CODING_BACK = 5
};

/* Tables of this format, and things that columns refer to and that are no tables. Grows only. */
enum bob_stored_number {
	BOB_STORED_NONE = 0,
	BOB_STORED_SHAPES = 1,	/* of the FOLD_MERGED of events */
	BOB_STORED_PARTICIPANTS = 2, /* likewise */
	BOB_STORED_PROCESSES = 3, /* of a TRACE file */
	BOB_STORED_FIRST = 4,	/* tables begin here */
	BOB_STORED_TIMES = 4,
	BOB_STORED_BINS = 5,
	BOB_STORED_BEFORE = 6,
	BOB_STORED_MOMENTS = 7,
	BOB_STORED_HEADS = 8,
	BOB_STORED_SHIFTS = 9,
	BOB_STORED_SETS = 10,
	BOB_STORED_CALLS = 11,
	BOB_STORED_SET_NAMES = 12
};

/* A field of type BYTES or TEXT. Borrowed: of the writer's caller; of the payload that was read. */
struct bob_cell_bytes {
	const uint8_t *at;
	size_t len;
};

struct bob_schema_column {
	const char *name;
	uint8_t type;		/* enum bob_stored_type */
	uint8_t width;		/* bytes of the field: 4 or 8; of a struct bob_cell_bytes: its size */
	uint16_t target;	/* COUNT, REFERENCE: enum bob_stored_number */
	uint32_t at;		/* offset of the field in the row */
};

#define BOB_STORED_COLUMNS_MAX 128u

struct bob_schema {
	uint32_t number;	/* enum bob_stored_number */
	uint32_t columns;
	const char *name;
	const struct bob_schema_column *column;
	size_t row_bytes;
};

#define BOB_SCHEMA_COLUMN(s, field, kind, to)                                              \
	{                                                                                          \
		.name = #field, .type = (kind), .width = sizeof(((s *)0)->field), .target = (to),  \
		.at = offsetof(s, field)                                                           \
	}
#define BOB_SCHEMA(id, text, s, list)                                                      \
	{                                                                                          \
		.number = (id), .columns = sizeof(list) / sizeof(*(list)), .name = (text),         \
		.column = (list), .row_bytes = sizeof(s)                                           \
	}

typedef void (*bob_rows_fn)(void *ctx, const void *bytes, size_t len);

/* Passes the table with these rows to `put` (NULL: to nothing) piece by piece; returns its bytes.
 * Names of columns are part of it where they are at most a 64th of the rest. */
uint64_t bob_rows_write(const struct bob_schema *t, const void *rows, size_t count, bob_rows_fn put,
			void *ctx);

/* The rows of the first table of that number in a payload: malloc'ed, never NULL on BOB_OK. Columns
 * that the payload lacks are 0. Spans borrow from `bytes`. On failure *rows is untouched. BOB_NONE:
 * there is no such table. BOB_ERR_CORRUPT: something in the payload cannot be. BOB_ERR_VERSION: a
 * column of `t` has a type or a coding that this reader does not know. BOB_ERR_NOMEM. */
bob_status bob_rows_read(const uint8_t *bytes, size_t len, const struct bob_schema *t, void **rows,
			 size_t *count);

/* --- any table, by its description alone --- */

struct bob_stored_column {
	struct bob_cell_bytes name;	/* empty: the description has no names */
	uint32_t type, coding, target;
	struct bob_cell_bytes data;
};

struct bob_stored_table {
	uint32_t number, columns;
	struct bob_cell_bytes name;
	uint64_t rows;
	struct bob_stored_column column[BOB_STORED_COLUMNS_MAX];
};

/* The table at *at, which then lies at the end of it. BOB_END: no bytes are left.
 * BOB_ERR_CORRUPT. */
bob_status bob_stored_next(const uint8_t **at, const uint8_t *end, struct bob_stored_table *out);

#endif
