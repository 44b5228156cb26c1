/* SPDX-License-Identifier: BSD-3-Clause */
/* Analyses of the calls of a trace: counts per function, caller and context, and the calls as a
 * tree with repetitions folded.
 *
 * Everything here reads through include/bobbin/trace.h and returns objects that their _destroy
 * frees (NULL is allowed there). Threads: one object, one thread. Results are in a fixed order: the
 * same trace gives the same result. */
#ifndef BOB_ANALYSIS_ANALYSIS_H
#define BOB_ANALYSIS_ANALYSIS_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/trace.h"

/* Called about every million events of a long read; NULL for none. */
struct bob_progress {
	void (*tick)(void *ctx, uint64_t events); /* events since the last call */
	void *ctx;
};

/* --- functions: one number for the same function in all processes ---
 * An image is the same in two processes if path, build id and number of functions agree. Numbers
 * run from 0 to count - 1; the last one stands for every id that is in no image. */
struct bob_functions;

struct bob_function_image {
	const char *path;
	const char *soname;
	uint32_t first, count;	/* numbers first .. first + count - 1 */
	uint32_t process, image; /* one place where bob_trace_image finds it */
};

/* `t` must outlive it. Errors: BOB_ERR_NOMEM. */
bob_status bob_functions_create(const struct bob_trace *t, struct bob_functions **out);
void bob_functions_destroy(struct bob_functions *f);
uint32_t bob_functions_count(const struct bob_functions *f);
uint32_t bob_functions_image_count(const struct bob_functions *f);
const struct bob_function_image *bob_functions_image(const struct bob_functions *f, uint32_t image);
/* *image is ~0 for the last number, BOB_NONE is returned then and for numbers out of range. */
bob_status bob_functions_get(const struct bob_functions *f, uint32_t number,
			     struct bob_function_info *out, uint32_t *image);
/* The number of function `id` of `process`; never fails. */
uint32_t bob_functions_number(const struct bob_functions *f, uint32_t process, uint32_t id);

/* --- callgraph: calls per function and per pair of caller and callee --- */
#define BOB_CALLER_NONE 0xffffffffu	/* the frame is the outermost known one of its stack */
#define BOB_CALLER_SIGNAL 0xfffffffeu	/* called by the kernel: a signal handler */

struct bob_call_arc {
	uint32_t caller, callee; /* function numbers, or BOB_CALLER_* */
	uint64_t calls;
	uint64_t below;		/* calls made inside these calls, at any depth, themselves excluded;
				 * counted anew at every level of a recursion */
};

struct bob_callgraph;

bob_status bob_callgraph_create(const struct bob_functions *f, struct bob_callgraph **out);
void bob_callgraph_destroy(struct bob_callgraph *g);
/* Add one thread of `t`, in one pass. What was read before a failure stays counted; what can be
 * read after damaged bytes is counted too, and BOB_ERR_CORRUPT is returned at the end. Errors:
 * those of bob_cursor_next, BOB_ERR_NOMEM. */
bob_status bob_callgraph_add(struct bob_callgraph *g, const struct bob_trace *t, uint32_t thread,
			     const struct bob_progress *progress, struct bob_error *err);
/* Borrowed, bob_functions_count entries. `below` counts a function's own recursion once. */
const uint64_t *bob_callgraph_calls(const struct bob_callgraph *g);
const uint64_t *bob_callgraph_below(const struct bob_callgraph *g);
uint64_t bob_callgraph_total(const struct bob_callgraph *g);
/* Sorted by caller, then callee; borrowed until the next bob_callgraph_add. */
const struct bob_call_arc *bob_callgraph_arcs(struct bob_callgraph *g, size_t *count);

/* --- contexts: calls per call path --- */
#define BOB_CONTEXT_ROOT 0u

struct bob_context {
	uint32_t number;	/* function, or BOB_CALLER_NONE for the root */
	uint32_t parent;	/* context; of the root: itself */
	uint32_t first_child, next; /* ~0: none; filled by bob_contexts_sort */
	uint64_t calls;
	uint64_t below;		/* calls at any depth below; filled by bob_contexts_sort */
};

struct bob_contexts;

/* At most `max` contexts are distinguished (0: 4 million); calls in further ones are counted for
 * the nearest context that is known, see bob_contexts_merged. */
bob_status bob_contexts_create(const struct bob_functions *f, uint32_t max,
			       struct bob_contexts **out);
void bob_contexts_destroy(struct bob_contexts *c);
bob_status bob_contexts_add(struct bob_contexts *c, const struct bob_trace *t, uint32_t thread,
			    const struct bob_progress *progress, struct bob_error *err);
/* Link children, most calls (with those below) first, then by number. Call once, at the end. */
bob_status bob_contexts_sort(struct bob_contexts *c);
/* Borrowed; index BOB_CONTEXT_ROOT is the root; parents come before their children. */
const struct bob_context *bob_contexts_all(const struct bob_contexts *c, uint32_t *count);
uint64_t bob_contexts_merged(const struct bob_contexts *c); /* calls whose context was not kept */

/* --- calltree: one thread's calls in order, repetitions folded --- */
enum bob_tree_rule {		/* bits, per function number */
		     BOB_TREE_HIDE = 1, /* neither it nor what it calls is shown */
		     BOB_TREE_PASS = 2, /* it is not shown, what it calls is */
		     BOB_TREE_ONLY = 4 /* show it and what it calls; see `only` */
};

struct bob_tree_options {
	uint32_t max_depth;	/* levels shown, 0: all up to BOB_TREE_DEPTH_MAX */
	uint32_t only;		/* 1: only functions with BOB_TREE_ONLY and what they call */
	/* entries by index, last inclusive; callers of the first are shown */
	uint64_t first, last;
	uint64_t pos_first, pos_last; /* the same by stream position */
	uint64_t max_lines;	/* stop after so many, 0: no limit */
	uint32_t max_nodes;	/* of memory: what is folded is printed when reached; 0: 400,000 */
	uint32_t fold;		/* 0: one line per call */
	const uint8_t *rules;	/* bob_functions_count entries, NULL: show everything */
};
#define BOB_TREE_DEPTH_MAX 4096u
/* The longest row of siblings recognised as repeating. */
#define BOB_TREE_PERIOD_MAX 32u

enum bob_tree_flag {
	BOB_TREE_OPEN = 1,	/* the call had not ended when the stream or the range did */
	BOB_TREE_CONTEXT = 2,	/* entered before the range; shown because calls in it are */
	BOB_TREE_SIGNAL = 4,
	BOB_TREE_ORPHAN = 8,
	BOB_TREE_PAUSED = 16,
	BOB_TREE_LOST = 32
};

/* Added to the number of an MPI function, whose calls are among the others where both are
 * recorded. */
#define BOB_TREE_MPI 0x80000000u

struct bob_tree_line {
	uint32_t number;	/* function; BOB_CALLER_NONE: the `children` lines one level deeper
				 * are a row that repeats as a whole; BOB_TREE_MPI and more */
	uint32_t depth;		/* of indentation */
	uint32_t flags;
	uint32_t children;	/* lines one level deeper that follow, as far as known */
	uint32_t stack;
	uint64_t repeat;	/* how often in a row */
	uint64_t index;		/* entry index of the first of them */
};

struct bob_tree_result {
	uint64_t lines;
	uint64_t next_index;	/* first entry that was not looked at */
	uint64_t too_deep;	/* calls not shown because of max_depth */
	int cut;		/* max_lines was reached */
};

/* Pass the tree of one thread to `line`, top down; a non-zero return stops with BOB_OK and
 * result->cut. `result` is filled on failure too. Memory is bounded by options->max_nodes. */
bob_status bob_tree_walk(const struct bob_trace *t, const struct bob_functions *f, uint32_t thread,
			 const struct bob_tree_options *options,
			 int (*line)(void *ctx, const struct bob_tree_line *l), void *ctx,
			 const struct bob_progress *progress, struct bob_tree_result *result,
			 struct bob_error *err);

#endif
