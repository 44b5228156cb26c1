/* SPDX-License-Identifier: BSD-3-Clause */
/* One line of the tree of memory accesses (show_structure.h). */
#ifndef BOB_CLI_STRUCTURE_LINES_H
#define BOB_CLI_STRUCTURE_LINES_H

#include <stdio.h>

#include "analysis/memory/frames.h"
#include "analysis/memory/structure.h"
#include "analysis/memory/variables.h"
#include "cli/memory/series_text.h"

/* A tree that is printed. Owner: the caller, who zeroes it, and frees `frames`. */
struct cli_structure {
	struct cli_space space;
	const struct bob_structure *s;
	const struct bob_structure_node *node;
	struct bob_frames *frames; /* of part `framed` */
	struct bob_stack_range stack;
	uint32_t count, thread, framed;
	uint64_t all;		/* accesses of the thread */
	uint64_t lines;		/* printed so far */
	FILE *out;
	bob_status st;		/* of the first failure */
};

/* An access with its addresses and its variable. */
struct cli_structure_access {
	struct bob_leaf leaf;
	struct bob_leaf_access a;
	struct bob_series series;
	struct bob_variable variable; /* kind UNKNOWN: several, or none known */
	struct bob_source_line line;
};

/* Instructions of one line of the source that do the same. */
struct cli_structure_group {
	uint32_t first, second;	/* the first nodes; second 0: there is only one */
	uint32_t lines;		/* nodes; each may represent several instructions */
	uint32_t places;	/* instructions */
	uint64_t count;		/* accesses */
};

static inline uint64_t cli_structure_accesses(const struct bob_structure_node *n)
{
	return n->loads + n->stores;
}

/* Reads an ACCESS; a failure is in x->st. */
void cli_structure_read(struct cli_structure *x, uint32_t node, struct cli_structure_access *m);
/* Begins a line, and prints one of a node that is no ACCESS, and of a group of them. */
void cli_structure_begin_line(struct cli_structure *x, uint32_t depth);
void cli_structure_print_node(struct cli_structure *x, uint32_t node);
void cli_structure_print_group(struct cli_structure *x, const struct cli_structure_group *g);

#endif
