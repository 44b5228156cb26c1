/* SPDX-License-Identifier: BSD-3-Clause */
/* Text output: aligned columns, as wide as their widest cell. If lines are wider than the terminal,
 * the widest column of texts loses a character, repeatedly, until the lines fit. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table/chosen.h"
#include "table/numbers.h"

#define BETWEEN 2		/* spaces between columns */
#define NARROWEST 12		/* minimal width of a shortened column */
#define BOLD "\033[1m"
#define RED "\033[31m"
#define YELLOW "\033[33m"
#define PLAIN "\033[0m"

struct page {
	const struct bob_chosen *chosen;
	const struct bob_table_view *view;
	FILE *out;
	size_t *width;		/* of each printed column, in characters */
	char *text;		/* buffer for one cell */
	size_t text_size;
};

static const struct bob_column *column_of(const struct page *p, size_t i)
{
	return bob_table_column(p->chosen->table, p->chosen->column[i]);
}

static int is_text(const struct bob_column *c)
{
	return c->type == BOB_COLUMN_TEXT || c->type == BOB_COLUMN_FUNCTION;
}

static size_t characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static const char *title_of(const struct bob_column *c, char *text, size_t size)
{
	size_t i = 0;

	if (c->title)
		return c->title;
	for (; c->name[i] && i + 1 < size; i++)
		text[i] = c->name[i] == '_' ? ' ' : c->name[i];
	text[i] = 0;
	return text;
}

/* Formats a number, without the mark of a bound. */
static void number_text(const struct bob_column *c, const struct bob_cell *cell,
			char text[BOB_NUMBER_MAX])
{
	switch (c->type) {
	case BOB_COLUMN_BYTES:
		bob_format_bytes(text, cell->count);
		return;
	case BOB_COLUMN_NS:
		bob_format_seconds(text, cell->count);
		return;
	case BOB_COLUMN_SHARE:
		bob_format_ratio(text, cell->real);
		return;
	case BOB_COLUMN_REAL:
		snprintf(text, BOB_NUMBER_MAX, "%.6g", cell->real);
		return;
	case BOB_COLUMN_RATIO:
		snprintf(text, BOB_NUMBER_MAX, "%.2f", cell->real);
		return;
	case BOB_COLUMN_DECIMAL:
		snprintf(text, BOB_NUMBER_MAX, "%.6g", strtod(cell->text, NULL));
		return;
	case BOB_COLUMN_NUMBER:
		snprintf(text, BOB_NUMBER_MAX, "%" PRId64, cell->number);
		return;
	case BOB_COLUMN_ADDRESS:
		snprintf(text, BOB_NUMBER_MAX, "0x%" PRIx64, cell->count);
		return;
	default:
		bob_format_count(text, cell->count);
	}
}

/* True if the cell's text is printed unchanged. */
static int is_literal(const struct bob_column *c, const struct bob_cell *cell)
{
	return cell->kind == BOB_CELL_EXACT &&
	       (is_text(c) ||
		(c->type == BOB_COLUMN_DECIMAL && !cell->text[strspn(cell->text, "-0123456789")]));
}

/* Text of cells without a printable value ("?", "-" or ""); NULL for other cells. */
static const char *mark_of(const struct bob_column *c, const struct bob_cell *cell)
{
	if (cell->kind == BOB_CELL_UNKNOWN)
		return "?";
	if (cell->kind == BOB_CELL_NONE)
		return (is_text(c) && !(c->flags & BOB_COLUMN_FILLED)) ||
				       c->flags & BOB_COLUMN_BLANK ?
			       "" :
			       "-";
	return c->flags & BOB_COLUMN_DASH && cell->kind == BOB_CELL_EXACT && !cell->count ? "-" :
											    NULL;
}

/* Valid until the next call. Returns NULL if memory is exhausted. */
static const char *cell_text(struct page *p, const struct bob_column *c,
			     const struct bob_cell *cell)
{
	static const char *const bounds[] = { "", ">=", "<=" };
	char number[BOB_NUMBER_MAX];
	const size_t size = is_literal(c, cell) ? strlen(cell->text) + 1 : 2 * BOB_NUMBER_MAX;
	const char *mark = mark_of(c, cell);

	if (mark)
		return mark;
	if (size > p->text_size) {
		char *text = realloc(p->text, size);

		if (!text)
			return NULL;
		p->text = text;
		p->text_size = size;
	}
	if (is_literal(c, cell))
		return strcpy(p->text, cell->text);
	number_text(c, cell, number);
	snprintf(p->text, p->text_size, "%s%s", bounds[cell->kind], number);
	return p->text;
}

static bob_status measure(struct page *p)
{
	const struct bob_chosen *c = p->chosen;
	char title[64];

	for (size_t i = 0; i < c->columns; i++)
		p->width[i] = characters(title_of(column_of(p, i), title, sizeof(title)));
	for (size_t row = 0; row < c->rows; row++) {
		const struct bob_cell *cells = bob_table_at(c->table, row);

		for (size_t i = 0; i < c->columns; i++) {
			const char *text = cell_text(p, column_of(p, i), &cells[c->column[i]]);

			if (!text)
				return BOB_ERR_NOMEM;
			if (characters(text) > p->width[i])
				p->width[i] = characters(text);
		}
	}
	return BOB_OK;
}

static size_t line_width(const struct page *p)
{
	size_t sum = 0;

	for (size_t i = 0; i < p->chosen->columns; i++)
		sum += p->width[i] + (i ? BETWEEN : 0);
	return sum;
}

/* Minimal width of column `i`: NARROWEST, or its title if that is wider. */
static size_t least_width(const struct page *p, size_t i)
{
	char title[64];
	const size_t n = characters(title_of(column_of(p, i), title, sizeof(title)));

	return n > NARROWEST ? n : NARROWEST;
}

static void fit(struct page *p)
{
	const size_t width = p->view->width > 0 ? (size_t)p->view->width : SIZE_MAX;

	for (size_t all = line_width(p); all > width; all--) {
		size_t widest = SIZE_MAX;

		for (size_t i = 0; i < p->chosen->columns; i++)
			if (is_text(column_of(p, i)) && p->width[i] > least_width(p, i) &&
			    (widest == SIZE_MAX || p->width[i] > p->width[widest]))
				widest = i;
		if (widest == SIZE_MAX)
			return;
		p->width[widest]--;
	}
}

/* Shortens p->text to at most `width` characters. */
static const char *shortened(struct page *p, const struct bob_column *c, const char *text,
			     size_t width)
{
	char *at = p->text;

	if (characters(text) <= width)
		return text;
	if (c->type == BOB_COLUMN_FUNCTION)
		return bob_table_shorten(p->text, width);
	for (size_t n = width - 2; n; n--)
		do
			at++;
		while ((*at & 0xc0) == 0x80);
	strcpy(at, "..");
	return p->text;
}

static const char *color_of(const struct page *p, const struct bob_column *c,
			    const struct bob_cell *cell)
{
	if (!p->view->color || c->type != BOB_COLUMN_SHARE || cell->kind != BOB_CELL_EXACT)
		return NULL;
	return cell->real >= 0.5 ? RED : cell->real >= 0.1 ? YELLOW : NULL;
}

static void put(const struct page *p, size_t i, const char *text, const char *color)
{
	const size_t pad = p->width[i] - characters(text);
	const struct bob_column *c = column_of(p, i);
	const int is_left = is_text(c) && !(c->flags & BOB_COLUMN_RIGHT);
	const int is_last = i + 1 == p->chosen->columns;

	if (i)
		fprintf(p->out, "%*s", BETWEEN, "");
	if (!is_left)
		fprintf(p->out, "%*s", (int)pad, "");
	fprintf(p->out, "%s%s%s", color ? color : "", text, color ? PLAIN : "");
	if (is_left && !is_last)
		fprintf(p->out, "%*s", (int)pad, "");
	if (is_last)
		fputc('\n', p->out);
}

static void put_row(struct page *p, const struct bob_cell *cells)
{
	for (size_t i = 0; i < p->chosen->columns; i++) {
		const struct bob_column *c = column_of(p, i);
		const struct bob_cell *cell = &cells[p->chosen->column[i]];
		const char *text = cell_text(p, c, cell); /* cannot fail: measure() has allocated
							   * the buffer */

		put(p, i, shortened(p, c, text, p->width[i]), color_of(p, c, cell));
	}
}

static const char *plural_of(const char *word, uint64_t n)
{
	const size_t len = strlen(word);

	return n != 1 && len && word[len - 1] == 's' ? "es" : bob_plural(n);
}

/* Last line: "... 3 more functions with 12 calls (0.4%); --limit=0 shows all" */
static void put_rest(const struct page *p)
{
	const struct bob_table *t = p->chosen->table;
	const size_t rows = bob_table_rows(t), left = rows - p->chosen->rows;
	char a[BOB_NUMBER_MAX], title[64];
	uint64_t all = 0;
	struct bob_cell rest = { 0 };

	if (!left)
		return;
	fprintf(p->out, "... %s more %s%s", bob_format_count(a, left), bob_table_row_name(t),
		plural_of(bob_table_row_name(t), left));
	for (size_t i = 0; i < bob_table_columns(t); i++) {
		const struct bob_column *c = bob_table_column(t, i);

		if (!(c->flags & BOB_COLUMN_ADDS))
			continue;
		for (size_t row = 0; row < rows; row++) {
			const uint64_t v = bob_table_at(t, row)[i].count;

			all += v;
			rest.count += row >= p->chosen->rows ? v : 0;
		}
		number_text(c, &rest, a);
		fprintf(p->out, " with %s %s", a, title_of(c, title, sizeof(title)));
		fprintf(p->out, " (%s)", bob_format_share(a, rest.count, all));
		break;
	}
	fputs("; --limit=0 shows all\n", p->out);
}

bob_status bob_chosen_text(const struct bob_chosen *c, const struct bob_table_view *view, FILE *out)
{
	struct page p = { .chosen = c, .view = view, .out = out };
	bob_status st = BOB_ERR_NOMEM;
	char title[64];

	p.width = calloc(c->columns + 1, sizeof(*p.width));
	if (p.width)
		st = measure(&p);
	if (st == BOB_OK) {
		fit(&p);
		for (size_t i = 0; i < c->columns; i++)
			put(&p, i, title_of(column_of(&p, i), title, sizeof(title)),
			    view->color ? BOLD : NULL);
		for (size_t row = 0; row < c->rows; row++)
			put_row(&p, bob_table_at(c->table, row));
		put_rest(&p);
	}
	free(p.width);
	free(p.text);
	return st;
}
