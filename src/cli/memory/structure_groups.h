/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups the accesses of a function or loop that are of one line of the source, one variable, one
 * kind and one size. Temporaries on the stack are one group, of any line. Owner: the caller, who
 * zeroes it and frees it with BOB_MAP_FREE. */
#ifndef BOB_CLI_STRUCTURE_GROUPS_H
#define BOB_CLI_STRUCTURE_GROUPS_H

#include "base/host/map.h"
#include "cli/memory/structure_lines.h"

struct cli_structure_key {
	uint64_t file, variable, line, kind;
};

struct cli_structure_grouped {
	struct cli_structure_key key;
	struct cli_structure_group group;
};

struct cli_structure_groups {
	BOB_MAP(struct cli_structure_grouped);
};

/* Adds an ACCESS; `alone`: to a group of its own. Accesses that another one represents are not
 * added. */
void cli_structure_groups_add(struct cli_structure_groups *g, struct cli_structure *x,
			      uint32_t node, int alone);

#endif
