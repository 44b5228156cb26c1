/* SPDX-License-Identifier: BSD-3-Clause */
/* What `bobbin concerns` prints: of one map, or of two side by side. */
#ifndef BOB_CLI_CONCERNS_TABLES_H
#define BOB_CLI_CONCERNS_TABLES_H

#include "analysis/concerns/concerns.h"
#include "cli/answer.h"

struct cli_concerns {
	struct bob_concerns_map *map;
	struct bob_concerns_counts counts;
};

/* Blocks of text, or a table if --columns or --sort says so; in JSON one object. Returns an exit
 * status. */
int cli_concerns_print(struct cli_answer *a, const struct cli_concerns *maps, int n);

#endif
