/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws variables as SVG (arrays_svg.h). Pictures of one variable share their shades, so that
 * windows and slices can be compared. Squares have their numbers as tooltips. Pictures are laid out
 * from left to right; heights are computed before printing, because the total size comes first. */
#include "cli/source/arrays_svg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table/numbers.h"
#include "cli/terminal/shades.h"

#define PANELS_MAX 64u		/* pictures per variable */
#define WIDTH 1070u
#define LEFT 50u
#define SPACING 26u			/* between pictures; includes the caption */
#define STRIP 28u		/* height of a strip */
#define SQUARES_ALONE 128u	/* per row of a picture */
#define SQUARES_AMONG 64u
#define SQUARES_STRIP 480u

struct square {
	uint64_t reads, writes;
};

struct drawing {
	const struct bob_array *a;
	/* numbers of dimensions, fastest is 0; 15: none (a strip) */
	uint32_t down, across;
	uint64_t rows, columns;	/* in array elements */
	uint64_t each_row, each_column; /* elements per square */
	uint32_t high, wide;	/* in squares */
	uint32_t pixels, pixels_high;
	uint64_t slices;	/* in total */
	uint32_t shown, panels;	/* slices shown; those times windows */
	struct square *square;
	uint64_t least, most;
	FILE *out;
};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

/* Chooses the two fastest dimensions, as rows and columns of a matrix. */
static void lay_out(struct drawing *d, const struct bob_array *a)
{
	const uint32_t rank = a->shape.rank;
	uint32_t most, side;

	d->a = a;
	d->across = rank > 1 && !a->shape.rows_first ? 1 : 0;
	d->down = rank < 2 ? BOB_SHAPE_DIMENSIONS_MAX : 1 - d->across;
	d->columns = rank ? a->extent[d->across] : 1;
	d->rows = rank > 1 ? a->extent[d->down] : 1;
	d->slices = a->cells / (d->rows * d->columns);
	d->shown = (uint32_t)(d->slices < PANELS_MAX / a->windows ? d->slices :
								    PANELS_MAX / a->windows);
	d->shown = d->shown ? d->shown : 1;
	d->panels = d->shown * a->windows;
	most = rank < 2 ? SQUARES_STRIP : d->panels > 1 ? SQUARES_AMONG : SQUARES_ALONE;
	d->each_row = divide_up(d->rows, most);
	d->each_column = divide_up(d->columns, most);
	d->high = (uint32_t)divide_up(d->rows, d->each_row);
	d->wide = (uint32_t)divide_up(d->columns, d->each_column);
	side = d->high > d->wide ? d->high : d->wide;
	d->pixels = (rank < 2 ? 2 * SQUARES_STRIP : 4 * most) / side;
	d->pixels = d->pixels < 2 ? 2 : d->pixels > 20 ? 20 : d->pixels;
	d->pixels_high = rank < 2 ? STRIP : d->pixels;
}

static uint32_t panel_width(const struct drawing *d)
{
	const uint32_t w = d->wide * d->pixels;

	return (w < 90 ? 90 : w) + SPACING;
}

static uint32_t panels_in_row(const struct drawing *d)
{
	const uint32_t n = WIDTH / panel_width(d);

	/* all slices of a window in a row, if they fit */
	return d->shown > 1 && d->shown < n ? d->shown : n ? n : 1;
}

static uint32_t panel_height(const struct drawing *d)
{
	return d->high * d->pixels_high + SPACING;
}

static uint32_t height(const struct drawing *d)
{
	const uint32_t rows = (d->panels + panels_in_row(d) - 1) / panels_in_row(d);
	const uint32_t h = rows * panel_height(d);

	return 46 + (h < 150 ? 150 : h);
}

/* --- squares --- */

static void sum_up(struct drawing *d, uint32_t window, uint64_t slice)
{
	const struct bob_array *a = d->a;
	const uint64_t cells = d->rows * d->columns, from = window * a->cells + slice * cells;

	memset(d->square, 0, (size_t)d->high * d->wide * sizeof(*d->square));
	for (uint64_t i = 0; i < cells; i++) {
		const uint64_t column = d->across ? i / d->rows : i % d->columns;
		const uint64_t row = d->across ? i % d->rows : i / d->columns;
		struct square *s =
			&d->square[row / d->each_row * d->wide + column / d->each_column];

		s->reads += a->read[from + i];
		s->writes += a->written[from + i];
	}
}

static void find_limits(struct drawing *d)
{
	d->least = UINT64_MAX;
	d->most = 0;
	for (uint32_t p = 0; p < d->panels; p++) {
		sum_up(d, p / d->shown, p % d->shown);
		for (size_t i = 0; i < (size_t)d->high * d->wide; i++) {
			const uint64_t v = d->square[i].reads + d->square[i].writes;

			d->least = v && v < d->least ? v : d->least;
			d->most = v > d->most ? v : d->most;
		}
	}
}

/* Prints the elements that a square stands for. */
static void print_box(const struct drawing *d, uint64_t slice, uint32_t row, uint32_t column)
{
	const struct bob_array *a = d->a;
	int64_t first[BOB_SHAPE_DIMENSIONS_MAX], last[BOB_SHAPE_DIMENSIONS_MAX];
	char text[BOB_SUBSCRIPTS_MAX];
	uint64_t cell = slice * d->rows * d->columns;

	bob_array_cell(a, cell, first);
	memcpy(last, first, sizeof(last));
	for (uint32_t k = 0; k < a->shape.rank; k++) {
		const uint64_t at = k == d->down ? row : column;
		const uint64_t each = k == d->down ? d->each_row : d->each_column;
		const int64_t end = a->shape.bounds[k][0] + a->shape.bounds[k][1] - 1;
		const int inside = k == d->down || k == d->across;

		if (inside)
			first[k] += (int64_t)(at * each * a->bin[k]);
		last[k] = first[k] + (int64_t)((inside ? each : 1) * a->bin[k]) - 1;
		last[k] = last[k] < end ? last[k] : end;
	}
	bob_subscripts_of(&a->shape, first, last, text, sizeof(text));
	cli_svg_text(a->shape.name, d->out);
	cli_svg_text(text, d->out);
}

static void print_squares(const struct drawing *d, uint64_t slice, uint32_t x, uint32_t y)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	for (uint32_t row = 0; row < d->high; row++)
		for (uint32_t column = 0; column < d->wide; column++) {
			const struct square *s = &d->square[(size_t)row * d->wide + column];

			if (!(s->reads + s->writes))
				continue;
			fprintf(d->out,
				"<rect x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%" PRIu32
				"\" height=\"%" PRIu32 "\" fill=\"%s\"><title>",
				x + column * d->pixels, y + row * d->pixels_high, d->pixels,
				d->pixels_high, cli_shade(s->reads + s->writes, d->least, d->most));
			print_box(d, slice, row, column);
			fprintf(d->out, ": %s read%s, %s write%s</title></rect>\n",
				bob_format_count(a, s->reads), bob_plural(s->reads),
				bob_format_count(b, s->writes), bob_plural(s->writes));
		}
}

/* --- pictures --- */

/* Caption: window and slice, if there are several. */
static void print_caption(const struct drawing *d, uint32_t window, uint64_t slice, uint32_t x,
			  uint32_t y)
{
	const struct bob_array *a = d->a;
	int64_t at[BOB_SHAPE_DIMENSIONS_MAX];

	fprintf(d->out, "<text x=\"%" PRIu32 "\" y=\"%" PRIu32 "\">", x, y - 5);
	if (a->windows > 1)
		fprintf(d->out, "%" PRIu32 "/%" PRIu32 " ", window + 1, a->windows);
	bob_array_cell(a, slice * d->rows * d->columns, at);
	for (uint32_t i = 0; i < a->shape.rank && d->slices > 1; i++) {
		const uint32_t k = a->shape.rows_first ? a->shape.rank - 1 - i : i;
		const char *before = a->shape.rows_first ? "[" : i ? "," : "(";
		const char *after = a->shape.rows_first ? "]" : i + 1 == a->shape.rank ? ")" : "";

		if (k < 2)
			fprintf(d->out, "%s*%s", before, after);
		else
			fprintf(d->out, "%s%" PRId64 "%s", before, at[k], after);
	}
	fputs("</text>\n", d->out);
}

static void print_panel(struct drawing *d, uint32_t panel, uint32_t y)
{
	const uint32_t in_row = panels_in_row(d), window = panel / d->shown;
	const uint32_t slice = panel % d->shown;
	const uint32_t left = LEFT + panel % in_row * panel_width(d);
	const uint32_t top = y + 46 + panel / in_row * panel_height(d);

	print_caption(d, window, slice, left, top);
	fprintf(d->out,
		"<rect x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32
		"\" fill=\"#f6f6f6\" stroke=\"#999\"/>\n<g shape-rendering=\"crispEdges\">\n",
		left, top, d->wide * d->pixels, d->high * d->pixels_high);
	sum_up(d, window, slice);
	print_squares(d, slice, left, top);
	fputs("</g>\n", d->out);
}

static void print_variable(struct drawing *d, uint32_t y)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX], text[BOB_SUBSCRIPTS_MAX];
	int64_t first[BOB_SHAPE_DIMENSIONS_MAX], last[BOB_SHAPE_DIMENSIONS_MAX];
	const struct bob_array *v = d->a;
	const uint32_t in_row = panels_in_row(d);
	const uint32_t panels = d->panels < in_row ? d->panels : in_row;

	for (uint32_t k = 0; k < v->shape.rank; k++) {
		first[k] = v->shape.bounds[k][0];
		last[k] = first[k] + v->shape.bounds[k][1] - 1;
	}
	bob_subscripts_of(&v->shape, first, last, text, sizeof(text));
	fprintf(d->out, "<text x=\"%u\" y=\"%" PRIu32 "\" font-size=\"15\">", LEFT, y + 18);
	cli_svg_text(v->shape.name, d->out);
	cli_svg_text(text, d->out);
	fprintf(d->out, ": %s reads, %s writes", bob_format_count(a, v->loads),
		bob_format_count(b, v->stores));
	if (d->shown < d->slices)
		fprintf(d->out, "; the first %" PRIu32 " of %s slices", d->shown,
			bob_format_count(c, d->slices));
	fputs("</text>\n", d->out);
	find_limits(d);
	for (uint32_t p = 0; p < d->panels; p++)
		print_panel(d, p, y);
	if (d->most)
		cli_shades_legend(LEFT + panels * panel_width(d), y + 46,
				  bob_format_count(a, d->least), bob_format_count(b, d->most),
				  d->least != d->most, d->out);
}

void cli_arrays_svg(const struct bob_array *a, size_t count, const char *title, FILE *out)
{
	struct drawing d = { .out = out };
	uint32_t y = 40, whole = 60;
	size_t squares = 1;

	for (size_t i = 0; i < count; i++) {
		lay_out(&d, &a[i]);
		whole += height(&d);
		squares = (size_t)d.high * d.wide > squares ? (size_t)d.high * d.wide : squares;
	}
	d.square = calloc(squares, sizeof(*d.square));
	if (!d.square)
		return;
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%" PRIu32
		"\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
		"<text x=\"%u\" y=\"26\" font-size=\"16\">",
		LEFT + WIDTH + 140, whole, LEFT);
	cli_svg_text(title, out);
	fputs("</text>\n", out);
	for (size_t i = 0; i < count; i++) {
		lay_out(&d, &a[i]);
		print_variable(&d, y);
		y += height(&d);
	}
	fputs("</svg>\n", out);
	free(d.square);
}
