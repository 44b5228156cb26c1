/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared parts of SVG pictures: shades by the logarithm of a number, legends, texts. */
#ifndef BOB_CLI_SHADES_H
#define BOB_CLI_SHADES_H

#include <stdint.h>
#include <stdio.h>

/* Returns e.g. "#dceefb". least, v and most must be above 0. */
const char *cli_shade(uint64_t v, uint64_t least, uint64_t most);
/* Draws all shades from (x, y) downwards, the darkest first, labelled with the values of the
 * darkest and, if they `differ`, the lightest. */
void cli_shades_legend(uint32_t x, uint32_t y, const char *least, const char *most, int differ,
		       FILE *out);
/* Prints text escaped for SVG. */
void cli_svg_text(const char *text, FILE *out);

#endif
