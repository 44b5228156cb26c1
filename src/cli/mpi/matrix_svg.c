/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws the matrix as SVG. Shades are logarithmic, so that small numbers of bytes are visible
 * beside large ones. Each square has its numbers as a tooltip. The file is self-contained: no
 * fonts, no scripts. */
#include "cli/mpi/matrix_svg.h"

#include <inttypes.h>
#include <stdlib.h>

#include "table/numbers.h"
#include "cli/terminal/shades.h"

#define SQUARES_MAX 512u	/* per row */
#define SIDE 640u		/* approximate size of the grid */
#define LEFT 70u
#define TOP 84u

struct square {
	uint64_t messages, bytes;
};

static const char *text_of(uint64_t v, int messages, char text[BOB_NUMBER_MAX])
{
	return messages ? bob_format_count(text, v) : bob_format_bytes(text, v);
}

struct picture {
	struct square *square;
	uint32_t n, each, pixels; /* squares in a row, ranks per square, side of a square */
	uint32_t ranks;
	int messages;
	uint64_t least, most;
	FILE *out;
};

static uint64_t weight(const struct picture *p, uint32_t row, uint32_t column)
{
	const struct square *s = &p->square[(size_t)row * p->n + column];

	return p->messages ? s->messages : s->bytes;
}

static void print_ranks(const struct picture *p, uint32_t i)
{
	uint32_t first = i * p->each, last = first + p->each - 1;

	last = last < p->ranks ? last : p->ranks - 1;
	if (first == last)
		fprintf(p->out, "%" PRIu32, first);
	else
		fprintf(p->out, "%" PRIu32 "-%" PRIu32, first, last);
}

static void print_square(const struct picture *p, uint32_t row, uint32_t column)
{
	const struct square *s = &p->square[(size_t)row * p->n + column];
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	if (!s->messages)
		return;
	fprintf(p->out,
		"<rect x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32
		"\" fill=\"%s\"><title>",
		LEFT + column * p->pixels, TOP + row * p->pixels, p->pixels, p->pixels,
		weight(p, row, column) ? cli_shade(weight(p, row, column), p->least, p->most) :
					 "#f3f3f3");
	print_ranks(p, row);
	fputs(" to ", p->out);
	print_ranks(p, column);
	fprintf(p->out, ": %s message%s, %s</title></rect>\n", bob_format_count(a, s->messages),
		bob_plural(s->messages), bob_format_bytes(b, s->bytes));
}

/* Rank numbers along both axes, as many as fit. */
static void print_axes(const struct picture *p)
{
	uint32_t step = 1;

	while (step * p->pixels < 24)
		step *= 2;
	for (uint32_t i = 0; i < p->n; i += step) {
		uint32_t middle = i * p->pixels + p->pixels / 2;

		fprintf(p->out,
			"<text x=\"%" PRIu32 "\" y=\"%u\" text-anchor=\"middle\">%" PRIu32
			"</text>\n",
			LEFT + middle, TOP - 6, i * p->each);
		fprintf(p->out,
			"<text x=\"%u\" y=\"%" PRIu32 "\" text-anchor=\"end\">%" PRIu32 "</text>\n",
			LEFT - 6, TOP + middle + 4, i * p->each);
	}
	fprintf(p->out,
		"<text x=\"%" PRIu32 "\" y=\"%u\" text-anchor=\"middle\">receiver</text>\n"
		"<text transform=\"translate(16 %" PRIu32
		") rotate(-90)\" text-anchor=\"middle\">sender</text>\n",
		LEFT + p->n * p->pixels / 2, TOP - 26, TOP + p->n * p->pixels / 2);
}

/* Legend of the shades. */
static void print_legend(const struct picture *p)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	if (p->most)
		cli_shades_legend(LEFT + p->n * p->pixels + 24, TOP,
				  text_of(p->least, p->messages, a),
				  text_of(p->most, p->messages, b), p->most != p->least, p->out);
}

static void draw(struct picture *p, const char *title)
{
	uint32_t side = p->n * p->pixels;
	uint64_t messages = 0, bytes = 0;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	for (uint32_t i = 0; i < p->n * p->n; i++) {
		messages += p->square[i].messages;
		bytes += p->square[i].bytes;
	}
	fprintf(p->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32 "\" height=\"%" PRIu32
		"\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
		"<text x=\"%u\" y=\"24\" font-size=\"16\">",
		LEFT + side + 130, TOP + side + 20, LEFT);
	cli_svg_text(title, p->out);
	fprintf(p->out,
		": %s message%s, %s between %" PRIu32 " ranks; %s shown</text>\n"
		"<rect x=\"%u\" y=\"%u\" width=\"%" PRIu32 "\" height=\"%" PRIu32
		"\" fill=\"none\" stroke=\"#888\"/>\n<g shape-rendering=\"crispEdges\">\n",
		bob_format_count(a, messages), bob_plural(messages), bob_format_bytes(b, bytes),
		p->ranks, p->messages ? "messages" : "bytes", LEFT, TOP, side, side);
	for (uint32_t row = 0; row < p->n; row++)
		for (uint32_t column = 0; column < p->n; column++)
			print_square(p, row, column);
	fputs("</g>\n", p->out);
	print_axes(p);
	print_legend(p);
	fputs("</svg>\n", p->out);
}

void cli_matrix_svg(const struct bob_mpi_cell *cell, size_t count, uint32_t ranks, int messages,
		    const char *title, FILE *out)
{
	struct picture p = {
		.ranks = ranks, .messages = messages, .out = out, .least = UINT64_MAX
	};

	p.each = ranks / SQUARES_MAX + (ranks % SQUARES_MAX != 0);
	p.each = p.each ? p.each : 1;
	p.n = ranks / p.each + (ranks % p.each != 0);
	p.pixels = p.n && SIDE / p.n > 2 ? SIDE / p.n : 2;
	p.pixels = p.pixels < 40 ? p.pixels : 40;
	p.square = calloc((size_t)p.n * p.n + 1, sizeof(*p.square));
	if (!p.square)
		return;
	for (size_t i = 0; i < count; i++) {
		struct square *s =
			&p.square[(size_t)(cell[i].from / p.each) * p.n + cell[i].to / p.each];

		s->messages += cell[i].messages;
		s->bytes += cell[i].bytes;
	}
	for (uint32_t i = 0; i < p.n * p.n; i++) {
		uint64_t v = weight(&p, i / p.n, i % p.n);

		p.least = v && v < p.least ? v : p.least;
		p.most = v > p.most ? v : p.most;
	}
	draw(&p, title);
	free(p.square);
}
