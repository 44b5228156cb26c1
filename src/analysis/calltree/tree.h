/* SPDX-License-Identifier: BSD-3-Clause */
/* The folded tree under construction: nodes, folding of siblings, printing. Only used by walk.c. */
#ifndef BOB_ANALYSIS_CALLTREE_TREE_H
#define BOB_ANALYSIS_CALLTREE_TREE_H

#include "analysis/analysis.h"

struct bob_tree_node;

/* `key` distinguishes items without access to the node; its lowest bit is set for groups of
 * repeated items. */
struct bob_tree_item {
	struct bob_tree_node *node;
	uint64_t key;
};

struct bob_tree_node {
	struct bob_tree_item *items;	/* completed children */
	uint32_t count, capacity;
	/* function; BOB_CALLER_NONE: a repeated group, or a root */
	uint32_t number;
	uint32_t flags;			/* enum bob_tree_flag */
	uint32_t depth;			/* of indentation, valid while the node is open */
	uint32_t printed;		/* its own line has been printed */
	uint64_t repeat;
	uint64_t index;
	uint64_t body;			/* hash of everything except repeat and index */
	struct bob_tree_node *next_free;
};

struct bob_tree_pool {
	struct bob_tree_node *free;
	uint32_t live;		/* nodes in use */
	uint32_t max_period;	/* 0: no folding */
};

struct bob_tree_sink {
	int (*line)(void *ctx, const struct bob_tree_line *l);
	void *ctx;
	uint64_t max_lines, lines;
	uint32_t stack;
	int stopped;
};

struct bob_tree_node *bob_tree_new(struct bob_tree_pool *p);
/* Frees `n` and its subtree; NULL is allowed. */
void bob_tree_free(struct bob_tree_pool *p, struct bob_tree_node *n);
void bob_tree_pool_fini(struct bob_tree_pool *p);

/* Appends the completed `n` to `parent` and folds repetitions. The tree owns `n` then, also on
 * failure (BOB_ERR_NOMEM). */
bob_status bob_tree_append(struct bob_tree_pool *p, struct bob_tree_node *parent,
			   struct bob_tree_node *n);

/* Prints the node's own line, unless it has been printed. */
void bob_tree_print_line(struct bob_tree_sink *s, struct bob_tree_node *n, uint32_t depth);
/* Prints the children of `n` at `depth` and frees them. */
void bob_tree_print_children(struct bob_tree_pool *p, struct bob_tree_sink *s,
			     struct bob_tree_node *n, uint32_t depth);

#endif
