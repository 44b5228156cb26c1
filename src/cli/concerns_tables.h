/* SPDX-License-Identifier: BSD-3-Clause */
/* What `bobbin concerns` prints: of one map, or of two side by side. */
#ifndef BOB_CLI_CONCERNS_TABLES_H
#define BOB_CLI_CONCERNS_TABLES_H

#include <stdio.h>

#include "analysis/concerns/concerns.h"

struct cli_concerns {
	struct bob_concerns_map *map;
	struct bob_concerns_counts counts;
};

/* Returns 0, or -1: out of memory. */
int cli_concerns_text(const struct cli_concerns *maps, int n, FILE *out);
void cli_concerns_csv(const struct cli_concerns *maps, int n, FILE *out);
void cli_concerns_json(const struct cli_concerns *maps, int n, FILE *out);

#endif
