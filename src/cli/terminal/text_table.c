/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/terminal/text_table.h"

#include <stdlib.h>
#include <string.h>

#define GAP 2	/* spaces between columns */

void cli_table_begin(struct cli_table *t, int columns, const char *const *titles)
{
	memset(t, 0, sizeof(*t));
	t->columns = columns;
	for (int i = 0; i < columns; i++) {
		t->right[i] = titles[i][0] == '>';
		t->titles[i] = titles[i] + t->right[i];
	}
}

void cli_table_cell(struct cli_table *t, const char *text)
{
	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 256;
		char **cells = realloc(t->cells, room * sizeof(*cells));

		if (!cells) {
			t->failed = 1;
			return;
		}
		t->cells = cells;
		t->room = room;
	}
	t->cells[t->count] = strdup(text);
	if (t->cells[t->count])
		t->count++;
	else
		t->failed = 1;
}

static int characters(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static void measure(const struct cli_table *t, int *widths)
{
	for (int i = 0; i < t->columns; i++)
		widths[i] = characters(t->titles[i]);
	for (size_t i = 0; i < t->count; i++) {
		int *width = &widths[i % (size_t)t->columns], n = characters(t->cells[i]);

		if (n > *width)
			*width = n;
	}
}

/* At most `room` characters of `text`, the last ones dots if it is longer. */
static void print_cut(const char *text, int room, FILE *out)
{
	if (room >= characters(text)) {
		fputs(text, out);
		return;
	}
	for (int n = room - 2; n > 0; n--)
		do
			fputc(*text++, out);
		while ((*text & 0xc0) == 0x80);
	fputs(room >= 2 ? ".." : "", out);
}

static void print_row(const struct cli_table *t, const char *const *cells, const int *widths,
		      int width, FILE *out)
{
	int column = 0;

	for (int i = 0; i < t->columns; i++) {
		int pad = widths[i] - characters(cells[i]);

		if (i) {
			fprintf(out, "%*s", GAP, "");
			column += GAP;
		}
		if (t->right[i])
			fprintf(out, "%*s", pad, "");
		if (i == t->columns - 1 && width > column + 10)
			print_cut(cells[i], width - column, out);
		else
			fputs(cells[i], out);
		if (!t->right[i] && i < t->columns - 1)
			fprintf(out, "%*s", pad, "");
		column += widths[i];
	}
	fputc('\n', out);
}

void cli_table_drop(struct cli_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->cells[i]);
	free(t->cells);
}

int cli_table_end(struct cli_table *t, int width, FILE *out)
{
	size_t columns = (size_t)t->columns;
	int widths[CLI_TABLE_COLUMNS_MAX];
	int failed = t->failed;

	measure(t, widths);
	print_row(t, t->titles, widths, width, out);
	for (size_t i = 0; i + columns <= t->count; i += columns)
		print_row(t, (const char *const *)t->cells + i, widths, width, out);
	cli_table_drop(t);
	return failed ? -1 : 0;
}
