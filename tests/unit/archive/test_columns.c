/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables on disk: any rows come back as they were; readers that know more or fewer columns than the
 * writer read what both know; bytes that cannot be are refused at every cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive/columns/columns.h"
#include "archive/merge/merging.h"
#include "base/varint.h"

struct row {
	uint64_t number;
	uint32_t half;
	int64_t offset;
	int32_t step;
	double share;
	struct bob_cell_bytes text, bytes;
	uint32_t count, other;
	uint64_t place;
};

static const struct bob_schema_column columns[] = {
	BOB_SCHEMA_COLUMN(struct row, number, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct row, half, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct row, offset, BOB_STORED_SIGNED, 0),
	BOB_SCHEMA_COLUMN(struct row, step, BOB_STORED_SIGNED, 0),
	BOB_SCHEMA_COLUMN(struct row, share, BOB_STORED_DOUBLE, 0),
	BOB_SCHEMA_COLUMN(struct row, text, BOB_STORED_TEXT, 0),
	BOB_SCHEMA_COLUMN(struct row, bytes, BOB_STORED_BYTES, 0),
	BOB_SCHEMA_COLUMN(struct row, count, BOB_STORED_COUNT, 77),
	BOB_SCHEMA_COLUMN(struct row, other, BOB_STORED_REFERENCE, 78),
	BOB_SCHEMA_COLUMN(struct row, place, BOB_STORED_REFERENCE, 79),
};
static const struct bob_schema table = BOB_SCHEMA(70, "rows", struct row, columns);

/* The same table as an older writer or reader knows it. */
static const struct bob_schema older = {
	.number = 70, .columns = 3, .name = "rows", .column = columns,
	.row_bytes = sizeof(struct row)
};

static uint64_t seed = 1;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* 0: nothing but zeros; then runs, steps, small ones, any. */
static uint64_t draw(uint32_t kind, size_t i)
{
	switch (kind % 5) {
	case 0:
		return 0;
	case 1:
		return i / 7 * 1000;
	case 2:
		return 1ull << 40 | i * 3;
	case 3:
		return random64() % 100;
	default:
		return random64();
	}
}

static struct bob_cell_bytes draw_text(uint32_t kind, size_t i)
{
	static const uint8_t some[] = "what hooks brought at events of a program";
	const size_t from = (size_t)draw(kind, i) % 20;

	return (struct bob_cell_bytes){ some + from, kind % 5 ? from % 15 : 0 };
}

static void make(struct row *r, size_t count, uint32_t kind)
{
	for (size_t i = 0; i < count; i++) {
		r[i].number = draw(kind, i);
		r[i].half = (uint32_t)draw(kind / 5, i);
		r[i].offset = (int64_t)draw(kind + 1, i);
		r[i].step = -(int32_t)draw(kind + 2, i);
		r[i].share = (double)draw(kind + 3, i) / 3;
		r[i].text = draw_text(kind, i);
		r[i].bytes = draw_text(kind / 5, i);
		r[i].count = (uint32_t)draw(kind + 4, i);
		r[i].other = i % 3 ? (uint32_t)draw(kind, i) : UINT32_MAX;
		r[i].place = i % 5 ? draw(kind, i) : UINT64_MAX;
	}
}

static struct bob_bytes written(const struct bob_schema *t, const struct row *r, size_t count)
{
	struct bob_bytes b = { 0 };

	bob_rows_write(t, r, count, bob_bytes_take, &b);
	assert_false(b.failed);
	return b;
}

static struct row *read_back(const struct bob_schema *t, const struct bob_bytes *b, size_t count)
{
	void *rows = NULL;
	size_t n = 0;

	assert_int_equal(bob_rows_read(b->at, b->len, t, &rows, &n), BOB_OK);
	assert_non_null(rows);
	assert_int_equal(n, count);
	return rows;
}

static void assert_span(struct bob_cell_bytes a, struct bob_cell_bytes b)
{
	assert_int_equal(a.len, b.len);
	if (a.len)
		assert_memory_equal(a.at, b.at, a.len);
}

static void assert_row(const struct row *a, const struct row *b)
{
	assert_true(a->number == b->number && a->half == b->half && a->offset == b->offset);
	assert_true(a->step == b->step && a->count == b->count && a->other == b->other);
	assert_true(a->place == b->place && !memcmp(&a->share, &b->share, sizeof(a->share)));
	assert_span(a->text, b->text);
	assert_span(a->bytes, b->bytes);
}

static void round_trip(void **state)
{
	static struct row rows[300];

	(void)state;
	for (uint32_t kind = 0; kind < 25; kind++)
		for (size_t count = 0; count <= 300; count += count < 5 ? 1 : 59) {
			struct bob_bytes b;
			struct row *back;

			make(rows, count, kind);
			b = written(&table, rows, count);
			back = read_back(&table, &b, count);
			for (size_t i = 0; i < count; i++)
				assert_row(&rows[i], &back[i]);
			free(back);
			free(b.at);
		}
}

/* Rows that are all alike take a byte each at most, and are read. */
static void all_alike(void **state)
{
	static struct row rows[5000];
	struct bob_bytes b;

	(void)state;
	memset(rows, 0, sizeof(rows));
	b = written(&table, rows, 5000);
	assert_in_range(b.len, 5000, 5100);
	free(read_back(&table, &b, 5000));
	free(b.at);
}

/* The shortest coding is taken. */
static void codings(void **state)
{
	static const uint8_t want[5] = { BOB_CODING_ZERO, BOB_CODING_RUNS, BOB_CODING_DELTA,
					 BOB_CODING_PLAIN, BOB_CODING_WIDE };
	static struct row rows[300];

	(void)state;
	for (uint32_t kind = 0; kind < 5; kind++) {
		struct bob_stored_table said;
		struct bob_bytes b;
		const uint8_t *at;

		make(rows, 300, 20 + kind);
		b = written(&table, rows, 300);
		at = b.at;
		assert_int_equal(bob_stored_next(&at, b.at + b.len, &said), BOB_OK);
		assert_int_equal(said.column[0].coding, want[kind]);
		assert_ptr_equal(at, b.at + b.len);
		free(b.at);
	}
}

/* Names are there where they cost little. */
static void names(void **state)
{
	static struct row rows[300];
	struct bob_stored_table said;

	(void)state;
	make(rows, 300, 24);
	for (size_t count = 1; count <= 300; count += 299) {
		struct bob_bytes b = written(&table, rows, count);
		const uint8_t *at = b.at;

		assert_int_equal(bob_stored_next(&at, b.at + b.len, &said), BOB_OK);
		assert_int_equal(said.name.len, count == 300 ? 4 : 0);
		assert_int_equal(said.column[4].name.len, count == 300 ? 5 : 0);
		assert_int_equal(said.rows, count);
		assert_int_equal(said.column[7].target, 77);
		free(b.at);
	}
}

static void other_versions(void **state)
{
	static struct row rows[20];
	struct bob_bytes b;
	struct row *back;

	(void)state;
	make(rows, 20, 24);
	b = written(&table, rows, 20);
	back = read_back(&older, &b, 20);
	for (size_t i = 0; i < 20; i++)
		assert_true(back[i].offset == rows[i].offset && !back[i].text.len);
	free(back);
	free(b.at);
	b = written(&older, rows, 20);
	back = read_back(&table, &b, 20);
	for (size_t i = 0; i < 20; i++) {
		assert_true(back[i].number == rows[i].number && !back[i].count);
		assert_true(back[i].other == UINT32_MAX && !back[i].bytes.len);
	}
	free(back);
	free(b.at);
}

/* Among others, of which the reader knows nothing. */
static void several(void **state)
{
	static const struct bob_schema second = { .number = 71, .columns = 2, .name = "others",
						 .column = columns,
						 .row_bytes = sizeof(struct row) };
	static struct row rows[20];
	struct bob_bytes b = { 0 };
	void *back = NULL;
	size_t n;

	(void)state;
	assert_int_equal(bob_rows_read(b.at, 0, &table, &back, &n), BOB_NONE);
	make(rows, 20, 24);
	bob_rows_write(&table, rows, 3, bob_bytes_take, &b);
	bob_rows_write(&second, rows, 20, bob_bytes_take, &b);
	free(read_back(&table, &b, 3));
	free(read_back(&second, &b, 20));
	assert_int_equal(bob_rows_read(b.at, b.len, &(struct bob_schema){ .number = 72 }, &back,
				       &n),
			 BOB_NONE);
	assert_null(back);
	free(b.at);
}

/* --- what cannot be --- */

struct described {
	uint8_t bytes[64];
	size_t len;
};

static bob_status read_one(const uint8_t *description, size_t len)
{
	void *rows = NULL;
	size_t n;
	const bob_status st = bob_rows_read(description, len, &older, &rows, &n);

	assert_true((st == BOB_OK) == (rows != NULL));
	free(rows);
	return st;
}

#define READ(...)                                                                                  \
	read_one((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void refused(void **state)
{
	(void)state;
	/* number, rows, columns; type + 8 * coding, bytes ...; bytes */
	assert_int_equal(READ(70, 1, 2, 8, 1, 5), BOB_OK);
	assert_int_equal(READ(70, 1, 2, 8 * 9, 1, 5), BOB_ERR_VERSION);
	assert_int_equal(READ(70, 1, 2, 8 * 5, 1, 5), BOB_ERR_VERSION);
	assert_int_equal(READ(70, 1, 2, 1 + 8, 1, 5), BOB_ERR_VERSION);
	assert_int_equal(READ(70, 1, 2, 7 + 8, 1, 5), BOB_ERR_VERSION);
	assert_int_equal(READ(69, 1, 2, 8 * 9, 1, 5), BOB_NONE);
	assert_int_equal(READ(70, 1, 2, 8, 2, 5, 5), BOB_ERR_CORRUPT); /* bytes are left */
	assert_int_equal(READ(70, 2, 2, 8, 1, 5), BOB_ERR_CORRUPT);
	assert_int_equal(READ(70, 1, 2, 8, 2, 5), BOB_ERR_CORRUPT);
	assert_int_equal(READ(70, 99, 2, 0, 0), BOB_ERR_CORRUPT); /* more rows than bytes */
	assert_int_equal(READ(70, 2, 2, 8 * 3, 2, 5, 1), BOB_OK);
	assert_int_equal(READ(70, 2, 2, 8 * 3, 2, 5, 2), BOB_ERR_CORRUPT); /* a run too long */
	assert_int_equal(READ(70, 1, 2, 8 * 4, 7, 1, 2, 3, 4, 5, 6, 7), BOB_ERR_CORRUPT);
	/* the second column has 32 bits */
	assert_int_equal(READ(70, 1, 4, 0, 0, 8, 5, 255, 255, 255, 255, 15), BOB_OK);
	assert_int_equal(READ(70, 1, 4, 0, 0, 8, 5, 255, 255, 255, 255, 31), BOB_ERR_CORRUPT);
	assert_int_equal(READ(70, 1, 255, 3), BOB_ERR_CORRUPT);
}

static void cuts(void **state)
{
	static struct row rows[20];
	struct bob_bytes b;
	void *back = NULL;
	size_t n;

	(void)state;
	make(rows, 20, 24);
	b = written(&table, rows, 20);
	for (size_t cut = 1; cut < b.len; cut++) {
		uint8_t *copy = malloc(cut);

		assert_non_null(copy);
		memcpy(copy, b.at, cut);
		assert_int_equal(bob_rows_read(copy, cut, &table, &back, &n), BOB_ERR_CORRUPT);
		free(copy);
	}
	assert_null(back);
	free(b.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip), cmocka_unit_test(all_alike),
		cmocka_unit_test(codings),    cmocka_unit_test(names),
		cmocka_unit_test(other_versions), cmocka_unit_test(several),
		cmocka_unit_test(refused),    cmocka_unit_test(cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
