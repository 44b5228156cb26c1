/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables on disk: one writer and one reader for all chunks that consist of rows (docs/format.md,
 * "Tables"). In memory, a table is an array of structs. Its schema (struct bob_schema) binds each
 * column to a field; writer and reader iterate over the schema, so a new chunk kind needs a schema
 * and no code. On disk a table describes itself: number, rows, and type, coding and bytes of each
 * column. So readers can skip unknown tables and columns.
 *
 * The writer stores columns contiguously, as Parquet and ORC do, and selects for each column the
 * coding that is shortest for its values.
 *
 * Writing (write.c) is freestanding and pure: it neither allocates nor keeps state. Reading
 * (read.c) needs malloc; the bytes are not trusted. */
#ifndef BOB_ARCHIVE_COLUMNS_H
#define BOB_ARCHIVE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

/* Types and codings of columns. The numbers are those of docs/format.md. */
enum bob_stored_type {
	BOB_STORED_UNSIGNED = 0,
	BOB_STORED_SIGNED = 1,
	BOB_STORED_BYTES = 2,
	BOB_STORED_TEXT = 3,	/* UTF-8 if the traced program used it: not checked */
	BOB_STORED_DOUBLE = 4,	/* the bits of a double */
	/* number of the next rows of the table `target` that belong to this row */
	BOB_STORED_COUNT = 5,
	/* row number in `target`; none: all bits of the field are set (on disk: number + 1, none:
	 * 0) */
	BOB_STORED_REFERENCE = 6
};

enum bob_stored_coding {
	BOB_CODING_ZERO = 0,	/* all values are 0, or empty: no bytes */
	BOB_CODING_PLAIN = 1,	/* LEB128, SIGNED zigzag; bytes: length, bytes */
	BOB_CODING_DELTA = 2,	/* zigzag of the difference to the previous row */
	BOB_CODING_RUNS = 3,	/* value, number of further rows with it */
	BOB_CODING_WIDE = 4,	/* 8 bytes, little endian */
	/* bytes: 0, length, bytes; or n: the value n rows earlier */
	BOB_CODING_BACK = 5
};

/* Numbers of tables, and of other sequences to which columns refer. Grows only. */
enum bob_stored_number {
	BOB_STORED_NONE = 0,
	BOB_STORED_SHAPES = 1,	/* of the FOLD_MERGED of events */
	BOB_STORED_PARTICIPANTS = 2, /* of the same FOLD_MERGED */
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
	BOB_STORED_SET_NAMES = 12,
	BOB_STORED_INLINED = 13,
	BOB_STORED_INLINED_ROWS = 14,
	BOB_STORED_INLINED_TEXTS = 15
};

/* A field of type BYTES or TEXT. Borrowed from the writer's caller, or from the payload that was
 * read. */
struct bob_cell_bytes {
	const uint8_t *at;
	size_t len;
};

struct bob_schema_column {
	const char *name;
	uint8_t type;		/* enum bob_stored_type */
	uint8_t width;		/* size of the field: 4, 8, or that of a struct bob_cell_bytes */
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

/* Passes the encoded table to `put` (may be NULL) in pieces and returns its size. Names of columns
 * are included if they take at most a 64th of the rest. */
uint64_t bob_rows_write(const struct bob_schema *t, const void *rows, size_t count, bob_rows_fn put,
			void *ctx);

/* Reads the rows of the first table of that number in a payload: malloc'ed, never NULL on BOB_OK.
 * Missing columns are 0. Fields of bytes borrow from `bytes`. On failure *rows is unchanged.
 * BOB_NONE: no such table. BOB_ERR_CORRUPT: invalid payload. BOB_ERR_VERSION: a column of `t` has a
 * type or coding that this reader does not know. BOB_ERR_NOMEM. */
bob_status bob_rows_read(const uint8_t *bytes, size_t len, const struct bob_schema *t, void **rows,
			 size_t *count);

/* --- any table, by its own description --- */

struct bob_stored_column {
	struct bob_cell_bytes name;	/* empty: the table has no names */
	uint32_t type, coding, target;
	struct bob_cell_bytes data;
};

struct bob_stored_table {
	uint32_t number, columns;
	struct bob_cell_bytes name;
	uint64_t rows;
	struct bob_stored_column column[BOB_STORED_COLUMNS_MAX];
};

/* Parses the description of the table at *at and advances *at past the table. BOB_END: no more
 * bytes. Errors: BOB_ERR_CORRUPT. */
bob_status bob_stored_next(const uint8_t **at, const uint8_t *end, struct bob_stored_table *out);

#endif
