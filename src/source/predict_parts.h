/* SPDX-License-Identifier: BSD-3-Clause */
/* Data structures of the prediction, shared by the files predict*.c. Owner: struct bob_predict. One
 * thread. */
#ifndef BOB_SOURCE_PREDICT_PARTS_H
#define BOB_SOURCE_PREDICT_PARTS_H

#include "base/host/arena.h"
#include "source/predict.h"

/* Costs in ns. predict_costs.c has their names and the source of the numbers. */
struct bob_predict_costs {
	double traced, outside;	/* a probe of one access that is the only one in its loop */
	double turn;		/* ... that alternates with others */
	double end, back; /* added at a loop's end, and when addresses go back: predict_loops.c */
	double scattered, chance; /* added for irregular addresses */
	double nest, nest_access; /* a probe for loops, and each access in it, without its rows */
	double row, row_access;	/* a row of whole variables, and each access in it */
	double box, box_access;	/* ... in a box */
	double out, out_access;	/* ... outside the box */
	double miss, miss_access; /* a probe for loops that are completely outside */
	double declare;
	double begin;		/* start of the recorder, once */
	double least, most;	/* a reference of the program itself */
	/* bytes: */
	double code_empty; /* a file without probes: Fortran has an additional file */
	double code_file, code_single, code_nest, code_nest_access, code_variable;
};

struct bob_predict_call_to {
	struct bob_predict_call_to *next;
	const char *name;
	double times;
	struct bob_predict_unit_of *to; /* set by predict_sum.c; NULL: in no file */
};

/* A loop, or the code outside of loops. Sums are per run of the unit. */
struct bob_predict_loop {
	struct bob_predict_loop *around, *next; /* next: in the unit, later ones first */
	double times;
	double outside_least, outside_most;
	uint32_t probes;	/* in this loop itself, not in inner loops */
	double inside_least, inside_most; /* accesses that they record */
	double scattered_least, scattered_most; /* ... with irregular addresses */
	/* of these, weighted by 4 p (1 - p): p is the chance to be in the box */
	double chance_least, chance_most;
	double back_least, back_most; /* probes whose addresses go back, by their shares */
	double regular, widest_scattered; /* largest shares; of `most` */
	/* intermediate results of the sum: */
	uint32_t inner;		/* inner loops with recording probes */
	double widest;
};

/* A function or unit. Counts are per run: */
struct bob_predict_unit_of {
	struct bob_predict_unit_of *next;
	const struct bob_predict_file_of *file;
	const char *name;
	enum bob_predict_kind kind;
	double own, singles, nests, rows, reported, traced_least, traced_most;
	double least_ns, most_ns; /* without the cost of single probes */
	/* code outside of loops; loops, the last one first */
	struct bob_predict_loop straight, *loops;
	struct bob_predict_call_to *calls;
	const char *of;		/* its name in the earlier run: a copy has another name */
	double earlier;		/* runs in the earlier run; below 0: unknown */
	bool is_copied;		/* it is a copy, or has copies */
	/* intermediate results of the sum: */
	double runs, said;	/* `said` below 0: not set by the user */
	bool is_called, is_seen;
	struct bob_predict_unit_of *from; /* its first caller, during the depth-first search */
	struct bob_predict_call_to *at; /* ... the next call to follow */
	struct bob_predict_unit_of *before; /* previous unit in post-order */
	uint32_t place;		/* index in this order */
};

/* A loop, and the first unit that contains it. */
struct bob_predict_line {
	struct bob_predict_line *next;
	uint32_t line;
	const struct bob_predict_unit_of *unit;
};

struct bob_predict_file_of {
	struct bob_predict_file_of *next;
	const char *path;
	enum bob_predict_language language;
	struct bob_predict_unit_of *units, *last;
	struct bob_predict_line *unknown, *idle; /* loops, in text order */
	bool is_profiled;	/* the earlier run had loops of it */
	uint32_t singles, nests, nest_accesses, variables; /* in the text */
};

/* An assumption of the user, or a count of an earlier run. */
struct bob_predict_said {
	struct bob_predict_said *next;
	const char *name;	/* of a file, or a function */
	uint32_t line;		/* 0: runs of a function */
	bool is_share;		/* of a condition; else trips */
	double value;		/* trips, a share, or runs */
	double times;		/* executions of the loop in an earlier run */
	uint32_t at;		/* its number among the lines, from 1 */
	bool is_used;		/* a file has this place */
};

struct bob_predict {
	struct bob_arena arena;
	struct bob_predict_costs costs[BOB_PREDICT_LANGUAGES];
	double baseline_ns, code;	/* 0: not set */
	double condition;
	struct bob_predict_said *said;
	uint32_t lines;		/* number of lines read */
	bool is_shared;		/* the user set trips or shares */
	struct bob_predict_said *profile; /* counts of the earlier run; `name` is a function */
	struct bob_predict_file_of *files, *file;
	struct bob_predict_unit_of *unit;
	bool is_failed;		/* out of memory */
};

void bob_predict_costs_begin(struct bob_predict_costs costs[BOB_PREDICT_LANGUAGES]);
/* Cost of the probes of one access in each run of the unit, and the additional cost of the first
 * run. */
struct bob_predict_loops_cost {
	double least, most, first_least, first_most;
};
struct bob_predict_loops_cost bob_predict_loops_cost(struct bob_predict_unit_of *u,
						     const struct bob_predict_costs *c);
/* The cost of that name; NULL: there is none. */
double *bob_predict_cost(struct bob_predict_costs *c, const char *name, size_t len);
/* Runs of a unit in an earlier run, under its name in either language; at least as many as
 * executions of its first loop. Below 0: unknown. */
double bob_predict_profiled_runs(const struct bob_predict *p, const struct bob_predict_file_of *f,
				 const struct bob_predict_unit_of *u);
/* A copy of the text, owned by `p`; "" without memory. */
const char *bob_predict_text(struct bob_predict *p, const char *text, size_t len);
/* Does the user's `name` denote `path`: as a whole, or its end after a slash? */
bool bob_predict_is_file(const char *path, const char *name);

#endif
