/* SPDX-License-Identifier: BSD-3-Clause */
/* What predict.c counts, for predict_sum.c. Owner: struct bob_predict. One thread. */
#ifndef BOB_SOURCE_PREDICT_PARTS_H
#define BOB_SOURCE_PREDICT_PARTS_H

#include "base/host/arena.h"
#include "source/predict.h"

/* What each costs; predict_costs.c has their names and where the numbers are from. */
struct bob_predict_costs {
	double traced, outside;	/* a probe for one access, if it is alone in its loop */
	double turn;		/* ... recorded in turn with others */
	double end, back;	/* a loop ends among others; what comes again; predict_loops.c */
	double scattered, chance; /* where addresses have no rule */
	double nest,
		nest_access; /* a probe for loops, and for each access in it, beside its rows */
	double row, row_access;	/* a row of whole variables, and each access in it, */
	double box, box_access;	/* in a box, */
	double out, out_access;	/* outside it */
	double miss, miss_access; /* a probe for loops that is altogether outside: all of it */
	double declare;
	double begin;		/* of the recorder, once */
	double least, most;	/* a reference of the program itself */
	/* bytes */
	double code_empty; /* a file without probes: Fortran has one beside it */
	double code_file, code_single, code_nest, code_nest_access, code_variable;
};

struct bob_predict_call_to {
	struct bob_predict_call_to *next;
	const char *name;
	double times;
	struct bob_predict_unit_of *to; /* predict_sum.c; NULL: nothing that we see */
};

/* A loop, or the code outside of loops; sums are of one run of the unit. */
struct bob_predict_loop {
	struct bob_predict_loop *around, *next; /* next: in the unit, the later one first */
	double times;
	double outside_least, outside_most;
	uint32_t probes;	/* that may record, in this loop and no inner one; */
	double inside_least, inside_most; /* what they record, */
	double scattered_least, scattered_most; /* ... of it without a rule; */
	double chance_least, chance_most; /* of these, 4 p (1 - p): in a box or not by chance */
	double back_least, back_most; /* probes that go back, by their shares */
	double regular, widest_scattered; /* the largest shares; of `most` */
	/* while it is summed up */
	uint32_t inner;		/* loops in it that record */
	double widest;
};

/* A function or unit; of each run of it: */
struct bob_predict_unit_of {
	struct bob_predict_unit_of *next;
	const struct bob_predict_file_of *file;
	const char *name;
	enum bob_predict_kind kind;
	double own, singles, nests, rows, reported, traced_least, traced_most;
	double least_ns, most_ns; /* without what singles cost */
	struct bob_predict_loop straight, *loops; /* what is in no loop; the last one first */
	struct bob_predict_call_to *calls;
	const char *of;		/* what the earlier run calls it: a copy has another name */
	double earlier;		/* runs in the earlier run, below 0: not known */
	bool is_copied;		/* it is a copy, or there are some of it */
	/* while it is summed up */
	double runs, said;	/* below 0: not set */
	bool is_called, is_seen;
	struct bob_predict_unit_of *from; /* who calls it first, while calls are followed */
	struct bob_predict_call_to *at; /* ... the next one to follow */
	struct bob_predict_unit_of *before; /* in the order of the sum, the last one first */
	uint32_t place;		/* in this order */
};

/* A loop, in the unit that came first. */
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
	struct bob_predict_line *unknown, *idle; /* loops; in the order of the text */
	bool is_profiled;	/* the earlier run had loops of it */
	uint32_t singles, nests, nest_accesses, variables; /* in the text */
};

/* What the user has set. */
struct bob_predict_said {
	struct bob_predict_said *next;
	const char *name;	/* of a file, or a function */
	uint32_t line;		/* 0: runs of a function */
	bool is_share;		/* of a condition; else trips */
	double value;		/* trips, a share, or runs */
	double times;		/* in an earlier run, of a loop */
	uint32_t at;		/* how many lines were said before, and this one */
	bool is_used;		/* a file has it */
};

struct bob_predict {
	struct bob_arena arena;
	struct bob_predict_costs costs[BOB_PREDICT_LANGUAGES];
	double baseline_ns, code;	/* 0: not set */
	double condition;
	struct bob_predict_said *said;
	uint32_t lines;		/* that were said */
	bool is_shared;		/* trips or shares were said */
	struct bob_predict_said *profile; /* `name`: of a function */
	struct bob_predict_file_of *files, *file;
	struct bob_predict_unit_of *unit;
	bool is_failed;		/* no memory */
};

void bob_predict_costs_begin(struct bob_predict_costs costs[BOB_PREDICT_LANGUAGES]);
/* What probes of one access cost in a run of the unit, and more in the first one. */
struct bob_predict_loops_cost {
	double least, most, first_least, first_most;
};
struct bob_predict_loops_cost bob_predict_loops_cost(struct bob_predict_unit_of *u,
						     const struct bob_predict_costs *c);
/* NULL: there is none of that name. */
double *bob_predict_cost(struct bob_predict_costs *c, const char *name, size_t len);
/* Runs in an earlier run, called by either language; at least as many as its first loop was come
 * by. Below 0: it does not say it. */
double bob_predict_profiled_runs(const struct bob_predict *p, const struct bob_predict_file_of *f,
				 const struct bob_predict_unit_of *u);
/* A text that belongs to `p`; "" without memory. */
const char *bob_predict_text(struct bob_predict *p, const char *text, size_t len);
/* Is `path` the file that the user calls `name`: all of it, or its end from a slash on? */
bool bob_predict_is_file(const char *path, const char *name);

#endif
