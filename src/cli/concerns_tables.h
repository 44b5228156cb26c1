/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of `bobbin concerns`: one map, or a comparison of two. */
#ifndef BOB_CLI_CONCERNS_TABLES_H
#define BOB_CLI_CONCERNS_TABLES_H

#include "analysis/concerns/concerns.h"
#include "cli/answer.h"

struct cli_concerns {
	struct bob_concerns_map *map;
	struct bob_concerns_counts counts;
};

/* Prints blocks of text, or a table if --columns or --sort is given; in JSON one object. Returns an
 * exit status. */
int cli_concerns_print(struct cli_answer *a, const struct cli_concerns *maps, int n);

#endif
