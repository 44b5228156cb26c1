/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables from any bytes: refused, or rows that are written and read again: the same rows, and once
 * more the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "archive/columns/columns.h"
#include "archive/merge/merging.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct row {
	uint64_t number, wide;
	int64_t offset;
	int32_t step;
	uint32_t half;
	struct bob_cell_bytes bytes, text;
	double share;
	uint32_t count, reference;
	uint64_t place;
};

static const struct bob_schema_column columns[] = {
	BOB_SCHEMA_COLUMN(struct row, number, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct row, offset, BOB_STORED_SIGNED, 0),
	BOB_SCHEMA_COLUMN(struct row, bytes, BOB_STORED_BYTES, 0),
	BOB_SCHEMA_COLUMN(struct row, text, BOB_STORED_TEXT, 0),
	BOB_SCHEMA_COLUMN(struct row, share, BOB_STORED_DOUBLE, 0),
	BOB_SCHEMA_COLUMN(struct row, count, BOB_STORED_COUNT, 7),
	BOB_SCHEMA_COLUMN(struct row, reference, BOB_STORED_REFERENCE, 8),
	BOB_SCHEMA_COLUMN(struct row, step, BOB_STORED_SIGNED, 0),
	BOB_SCHEMA_COLUMN(struct row, half, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct row, place, BOB_STORED_REFERENCE, 9),
};
static const struct bob_schema table = BOB_SCHEMA(7, "rows", struct row, columns);

static void must(int holds)
{
	if (!holds)
		abort();
}

static int same_span(struct bob_cell_bytes a, struct bob_cell_bytes b)
{
	return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

static int same_row(const struct row *a, const struct row *b)
{
	return a->number == b->number && a->offset == b->offset && a->step == b->step &&
	       a->half == b->half && a->count == b->count && a->reference == b->reference &&
	       a->place == b->place && !memcmp(&a->share, &b->share, sizeof(a->share)) &&
	       same_span(a->bytes, b->bytes) && same_span(a->text, b->text);
}

static void round_trip(const struct row *rows, size_t count)
{
	struct bob_bytes b = { 0 }, again = { 0 };
	void *back = NULL;
	size_t n = 0;

	bob_rows_write(&table, rows, count, bob_bytes_take, &b);
	if (!b.failed && bob_rows_read(b.at, b.len, &table, &back, &n) != BOB_ERR_NOMEM) {
		must(back && n == count);
		for (size_t i = 0; i < n; i++)
			must(same_row(&rows[i], (const struct row *)back + i));
		bob_rows_write(&table, back, n, bob_bytes_take, &again);
		must(again.failed || (again.len == b.len && !memcmp(again.at, b.at, b.len)));
	}
	free(back);
	free(b.at);
	free(again.at);
}

/* Everything that a description names lies in the bytes. */
static void walk(const uint8_t *data, size_t size)
{
	const uint8_t *at = data, *end = size ? data + size : data;
	struct bob_stored_table said;
	volatile uint8_t sum = 0; /* so that all are read */

	while (bob_stored_next(&at, end, &said) == BOB_OK)
		for (uint32_t i = 0; i < said.columns; i++)
			for (size_t k = 0; k < said.column[i].data.len; k++)
				sum = sum ^ said.column[i].data.at[k];
	must(at <= end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void *rows = NULL;
	size_t count = 0;

	walk(data, size);
	if (bob_rows_read(data, size, &table, &rows, &count) == BOB_OK)
		round_trip(rows, count);
	else
		must(!rows);
	free(rows);
	return 0;
}
