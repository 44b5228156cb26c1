/* SPDX-License-Identifier: BSD-3-Clause */
/* Logarithmic shades, and SVG fragments, for pictures (shades.h). */
#include "cli/terminal/shades.h"

#include <inttypes.h>

#define SHADES 9u

static const char *const shades[SHADES] = { "#dceefb", "#b9dcf5", "#92c6ec", "#6aade0", "#4493d0",
					    "#2a78b8", "#1a5e9a", "#0f4577", "#072b4f" };

/* Logarithm to base 2, in quarters. */
static unsigned log_of(uint64_t v)
{
	unsigned bit = 0;

	while (v >> bit > 1)
		bit++;
	return 4 * bit + (unsigned)(bit >= 2 ? v >> (bit - 2) & 3 : bit ? 2 * (v & 1) : 0);
}

const char *cli_shade(uint64_t v, uint64_t least, uint64_t most)
{
	const unsigned lo = log_of(least), hi = log_of(most);

	if (hi == lo)
		return shades[SHADES / 2];
	return shades[(log_of(v) - lo) * (SHADES - 1) / (hi - lo)];
}

void cli_shades_legend(uint32_t x, uint32_t y, const char *least, const char *most, int differ,
		       FILE *out)
{
	for (uint32_t i = 0; i < SHADES; i++)
		fprintf(out,
			"<rect x=\"%" PRIu32 "\" y=\"%" PRIu32
			"\" width=\"18\" height=\"14\" fill=\"%s\"/>\n",
			x, y + 14 * i, shades[differ ? SHADES - 1 - i : SHADES / 2]);
	fprintf(out, "<text x=\"%" PRIu32 "\" y=\"%" PRIu32 "\">%s</text>\n", x + 24, y + 11, most);
	if (differ)
		fprintf(out, "<text x=\"%" PRIu32 "\" y=\"%" PRIu32 "\">%s</text>\n", x + 24,
			y + 14 * SHADES - 3, least);
}

void cli_svg_text(const char *text, FILE *out)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		default:
			fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
		}
}
