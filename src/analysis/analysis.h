/* SPDX-License-Identifier: BSD-3-Clause */
/* Analyses of a trace's calls: counts per function, caller and context, and the calls as a tree
 * with repetitions folded.
 *
 * Everything here reads through include/bobbin/trace.h and returns objects that their _destroy
 * functions free (NULL is allowed). Threads: one object, one thread. Results are deterministic:
 * equal traces give equal results in the same order. */
#ifndef BOB_ANALYSIS_ANALYSIS_H
#define BOB_ANALYSIS_ANALYSIS_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/trace.h"

/* Progress callback, called about every million events of a long read; NULL: none. */
struct bob_progress {
	void (*tick)(void *ctx, uint64_t events); /* events since the last call */
	void *ctx;
};

/* --- functions: one number for the same function in all processes ---
 * Images of two processes are equal if path, build id and number of functions agree. Numbers are 0
 * to count - 1; the last one represents every id that is in no image. */
struct bob_functions;

struct bob_function_image {
	const char *path;
	const char *soname;
	uint32_t first, count;	/* its functions have the numbers first .. first + count - 1 */
	uint32_t process, image; /* a process that has it, and its number there (bob_trace_image) */
};

/* `t` must outlive the result. Errors: BOB_ERR_NOMEM. */
bob_status bob_functions_create(const struct bob_trace *t, struct bob_functions **out);
void bob_functions_destroy(struct bob_functions *f);
uint32_t bob_functions_count(const struct bob_functions *f);
uint32_t bob_functions_image_count(const struct bob_functions *f);
const struct bob_function_image *bob_functions_image(const struct bob_functions *f, uint32_t image);
/* For the last number *image is ~0 and the result BOB_NONE; also BOB_NONE for numbers out of
 * range. */
bob_status bob_functions_get(const struct bob_functions *f, uint32_t number,
			     struct bob_function_info *out, uint32_t *image);
/* The number of function `id` of `process`; never fails. */
uint32_t bob_functions_number(const struct bob_functions *f, uint32_t process, uint32_t id);

/* --- callgraph: calls per function and per pair of caller and callee --- */
#define BOB_CALLER_NONE 0xffffffffu	/* unknown: outermost recorded frame of a stack */
#define BOB_CALLER_SIGNAL 0xfffffffeu	/* called by the kernel: a signal handler */

struct bob_call_arc {
	uint32_t caller, callee; /* function numbers, or BOB_CALLER_* */
	uint64_t calls;
	uint64_t below;		/* calls made during these calls, at any depth, themselves excluded;
				 * in a recursion counted at every level */
};

struct bob_callgraph;

bob_status bob_callgraph_create(const struct bob_functions *f, struct bob_callgraph **out);
void bob_callgraph_destroy(struct bob_callgraph *g);
/* Adds one thread of `t` in one pass. After a failure, what was read stays counted. Damaged bytes
 * are skipped, and BOB_ERR_CORRUPT is returned at the end. Errors: those of bob_cursor_next,
 * BOB_ERR_NOMEM. */
bob_status bob_callgraph_add(struct bob_callgraph *g, const struct bob_trace *t, uint32_t thread,
			     const struct bob_progress *progress, struct bob_error *err);
/* Borrowed, bob_functions_count entries. In `below`, a function's recursive calls are counted
 * once. */
const uint64_t *bob_callgraph_calls(const struct bob_callgraph *g);
const uint64_t *bob_callgraph_below(const struct bob_callgraph *g);
uint64_t bob_callgraph_total(const struct bob_callgraph *g);
/* Sorted by caller, then callee; borrowed until the next bob_callgraph_add. */
const struct bob_call_arc *bob_callgraph_arcs(struct bob_callgraph *g, size_t *count);

/* --- contexts: calls per call path --- */
#define BOB_CONTEXT_ROOT 0u

struct bob_context {
	uint32_t number;	/* function, or BOB_CALLER_NONE for the root */
	uint32_t parent;	/* context; the root is its own parent */
	uint32_t first_child, next; /* ~0: none; set by bob_contexts_sort */
	uint64_t calls;
	uint64_t below;		/* calls at any depth below; set by bob_contexts_sort */
};

struct bob_contexts;

/* At most `max` contexts are distinguished (0: 4 million). Calls in further ones are counted for
 * their nearest known ancestor; bob_contexts_merged counts them. */
bob_status bob_contexts_create(const struct bob_functions *f, uint32_t max,
			       struct bob_contexts **out);
void bob_contexts_destroy(struct bob_contexts *c);
bob_status bob_contexts_add(struct bob_contexts *c, const struct bob_trace *t, uint32_t thread,
			    const struct bob_progress *progress, struct bob_error *err);
/* Links children in descending order of calls (including those below), then by number. Call once,
 * at the end. */
bob_status bob_contexts_sort(struct bob_contexts *c);
/* Borrowed. Index BOB_CONTEXT_ROOT is the root; parents precede their children. */
const struct bob_context *bob_contexts_all(const struct bob_contexts *c, uint32_t *count);
uint64_t bob_contexts_merged(const struct bob_contexts *c); /* calls counted for an ancestor */

/* --- calltree: one thread's calls in order, with repetitions folded --- */
enum bob_tree_rule {		/* bit set per function number */
		     BOB_TREE_HIDE = 1, /* hide the function and its callees */
		     BOB_TREE_PASS = 2, /* hide the function, show its callees */
		     BOB_TREE_ONLY = 4 /* show the function and its callees; see `only` */
};

struct bob_tree_options {
	uint32_t max_depth;	/* levels shown, 0: up to BOB_TREE_DEPTH_MAX */
	uint32_t only;		/* 1: show only functions with BOB_TREE_ONLY and their callees */
	/* range of entry indices, inclusive; the callers of the first entry are shown */
	uint64_t first, last;
	uint64_t pos_first, pos_last; /* the same as stream positions */
	uint64_t max_lines;	/* stop after so many lines, 0: no limit */
	uint32_t max_nodes;	/* memory bound: when reached, folded calls are printed; 0:
				 * 400,000 */
	uint32_t fold;		/* 0: one line per call */
	const uint8_t *rules;	/* bob_functions_count entries of enum bob_tree_rule, NULL: show
				 * everything */
};
#define BOB_TREE_DEPTH_MAX 4096u
/* The longest period of siblings that is folded. */
#define BOB_TREE_PERIOD_MAX 32u

enum bob_tree_flag {
	BOB_TREE_OPEN = 1,	/* the call had not ended at the end of the stream or range */
	BOB_TREE_CONTEXT = 2,	/* entered before the range; shown because it encloses calls in
				 * it */
	BOB_TREE_SIGNAL = 4,
	BOB_TREE_ORPHAN = 8,
	BOB_TREE_PAUSED = 16,
	BOB_TREE_LOST = 32
};

/* Added to the number of an MPI function; its calls are among the others if both are recorded. */
#define BOB_TREE_MPI 0x80000000u

struct bob_tree_line {
	uint32_t number;	/* function; BOB_CALLER_NONE: a group that repeats as a whole,
				 * namely the following `children` lines one level deeper; >=
				 * BOB_TREE_MPI: an MPI function */
	uint32_t depth;		/* level of indentation */
	uint32_t flags;
	uint32_t children;	/* number of following lines one level deeper, as far as known */
	uint32_t stack;
	uint64_t repeat;	/* number of consecutive repetitions */
	uint64_t index;		/* entry index of the first one */
};

struct bob_tree_result {
	uint64_t lines;
	uint64_t next_index;	/* first entry that was not read */
	uint64_t too_deep;	/* calls hidden because of max_depth */
	int cut;		/* max_lines was reached */
};

/* Passes the tree of one thread to `line`, top down. If `line` returns nonzero, the walk ends with
 * BOB_OK and result->cut. `result` is set on failure, too. Memory is bounded by
 * options->max_nodes. */
bob_status bob_tree_walk(const struct bob_trace *t, const struct bob_functions *f, uint32_t thread,
			 const struct bob_tree_options *options,
			 int (*line)(void *ctx, const struct bob_tree_line *l), void *ctx,
			 const struct bob_progress *progress, struct bob_tree_result *result,
			 struct bob_error *err);

#endif
