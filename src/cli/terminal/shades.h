/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared parts of pictures: squares shaded by the logarithm of a number, and texts. */
#ifndef BOB_CLI_SHADES_H
#define BOB_CLI_SHADES_H

#include <stdint.h>
#include <stdio.h>

/* "#dceefb". All of least, v and most are above 0. */
const char *cli_shade(uint64_t v, uint64_t least, uint64_t most);
/* All shades from (x, y) down, the darkest first, with what the darkest and, if they `differ`, the
 * lightest one stand for. */
void cli_shades_legend(uint32_t x, uint32_t y, const char *least, const char *most, int differ,
		       FILE *out);
/* As text in SVG. */
void cli_svg_text(const char *text, FILE *out);

#endif
