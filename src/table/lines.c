/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV and JSON lines: one line per row, plain values without units and separators. A column with
 * bounds is followed by a column NAME_is: "exact", "at least", "at most", "unknown" or "none". */
#include <inttypes.h>

#include "table/chosen.h"
#include "table/csv.h"
#include "table/json.h"
#include "table/numbers.h"

static const char *const kinds[] = { "exact", "at least", "at most", "unknown", "none" };

static int has_value(const struct bob_cell *cell)
{
	return cell->kind < BOB_CELL_UNKNOWN;
}

static void csv_value(const struct bob_column *column, const struct bob_cell *cell, FILE *out)
{
	char text[BOB_NUMBER_MAX];

	if (!has_value(cell))
		return;
	switch (column->type) {
	case BOB_COLUMN_TEXT:
	case BOB_COLUMN_FUNCTION:
		bob_csv_text(cell->text, out);
		return;
	case BOB_COLUMN_NUMBER:
		fprintf(out, "%" PRId64, cell->number);
		return;
	case BOB_COLUMN_SHARE:
		fprintf(out, "%.6g", cell->real);
		return;
	case BOB_COLUMN_REAL:
	case BOB_COLUMN_RATIO:
		fputs(bob_format_real(text, cell->real), out);
		return;
	case BOB_COLUMN_DECIMAL:
		fputs(cell->text, out);
		return;
	case BOB_COLUMN_ADDRESS:
		fprintf(out, "0x%" PRIx64, cell->count);
		return;
	default:
		fprintf(out, "%" PRIu64, cell->count);
	}
}

void bob_chosen_csv_header(const struct bob_chosen *c, FILE *out)
{
	const char *name, *value;

	for (size_t i = 0; i < bob_table_of_count(c->table); i++) {
		bob_table_of_at(c->table, i, &name, &value);
		fprintf(out, "%s,", name);
	}
	for (size_t i = 0; i < c->columns; i++) {
		const struct bob_column *column = bob_table_column(c->table, c->column[i]);

		fprintf(out, "%s%s", i ? "," : "", column->name);
		if (column->flags & BOB_COLUMN_BOUNDS)
			fprintf(out, ",%s_is", column->name);
	}
	fputc('\n', out);
}

void bob_chosen_csv(const struct bob_chosen *c, FILE *out)
{
	const char *name, *value;

	for (size_t row = 0; row < c->rows; row++) {
		const struct bob_cell *cells = bob_table_at(c->table, row);

		for (size_t i = 0; i < bob_table_of_count(c->table); i++) {
			bob_table_of_at(c->table, i, &name, &value);
			bob_csv_text(value, out);
			fputc(',', out);
		}
		for (size_t i = 0; i < c->columns; i++) {
			const struct bob_column *column = bob_table_column(c->table, c->column[i]);

			if (i)
				fputc(',', out);
			csv_value(column, &cells[c->column[i]], out);
			if (column->flags & BOB_COLUMN_BOUNDS)
				fprintf(out, ",%s", kinds[cells[c->column[i]].kind]);
		}
		fputc('\n', out);
	}
}

static void json_value(struct bob_json *j, const struct bob_column *column,
		       const struct bob_cell *cell)
{
	if (!has_value(cell)) {
		bob_json_string(j, column->name, NULL);
		return;
	}
	switch (column->type) {
	case BOB_COLUMN_TEXT:
	case BOB_COLUMN_FUNCTION:
		bob_json_string(j, column->name, cell->text);
		return;
	case BOB_COLUMN_NUMBER:
		bob_json_int(j, column->name, cell->number);
		return;
	case BOB_COLUMN_SHARE:
		bob_json_share(j, column->name, cell->real);
		return;
	case BOB_COLUMN_REAL:
	case BOB_COLUMN_RATIO:
		bob_json_real(j, column->name, cell->real);
		return;
	case BOB_COLUMN_DECIMAL:
		bob_json_decimal(j, column->name, cell->text);
		return;
	default:
		bob_json_uint(j, column->name, cell->count);
	}
}

void bob_chosen_json(const struct bob_chosen *c, FILE *out)
{
	const char *of, *value;
	char name[64];

	for (size_t row = 0; row < c->rows; row++) {
		const struct bob_cell *cells = bob_table_at(c->table, row);
		struct bob_json j = { .out = out, .dense = 1 };

		bob_json_object(&j, NULL);
		bob_json_string(&j, "table", bob_table_name(c->table));
		for (size_t i = 0; i < bob_table_of_count(c->table); i++) {
			bob_table_of_at(c->table, i, &of, &value);
			bob_json_string(&j, of, value);
		}
		for (size_t i = 0; i < c->columns; i++) {
			const struct bob_column *column = bob_table_column(c->table, c->column[i]);
			const struct bob_cell *cell = &cells[c->column[i]];

			json_value(&j, column, cell);
			snprintf(name, sizeof(name), "%s_is", column->name);
			if (column->flags & BOB_COLUMN_BOUNDS)
				bob_json_string(&j, name, kinds[cell->kind]);
		}
		bob_json_end(&j, '}');
	}
}
