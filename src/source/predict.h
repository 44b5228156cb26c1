/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicts the cost of probes before the program runs: how often each place of the text is
 * executed, according to the trips and calls in the text, times the cost of a probe of its kind
 * (docs/source.md, "Prediction"). Front ends count while they parse. The user can set what they
 * cannot know: trips, runs of functions, the run time without probes (bob_predict_assume).
 * Otherwise a value is assumed, and reported as an assumption.
 *
 *     predict.c       counts, file by file
 *     predict_loops.c costs of probes of one access in context: alone, alternating, in nested loops
 *     predict_sum.c   the call graph, the numbers of runs, and the sums
 *     predict_costs.c measured costs, and lines that override them
 *
 * Owner: the caller of bob_predict_open; texts are copied. Threads: one. Units: ns, bytes; counts
 * of executions are fractional. bob_predict_sum reports if memory was exhausted before. All
 * functions except open and assume allow NULL, and then do nothing. */
#ifndef BOB_SOURCE_PREDICT_H
#define BOB_SOURCE_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_PREDICT_TRIPS 100.0 /* of a loop with unknown trips */
#define BOB_PREDICT_CONDITION                                                                      \
	0.5 /* fraction of executions of code under a condition, if the user sets none */
#define BOB_PREDICT_UNKNOWN_MAX 4u /* unknown places that are listed */
#define BOB_PREDICT_WHY_BYTES 160u

enum bob_predict_language { BOB_PREDICT_C, BOB_PREDICT_FORTRAN, BOB_PREDICT_LANGUAGES };

struct bob_predict;

bob_status bob_predict_open(struct bob_predict **out);
void bob_predict_close(struct bob_predict *p); /* NULL is allowed */

/* Parses one line of the user's assumptions (docs/source.md): "trips smooth.c:34 8000".
 * BOB_ERR_INVAL: `why` has the reason, *column the column, from 1. */
bob_status bob_predict_assume(struct bob_predict *p, const char *line, size_t len, uint32_t *column,
			      char why[BOB_PREDICT_WHY_BYTES]);

/* After bob_predict_sum: the next of these lines (counted from 1) after line `after` whose loop,
 * condition or function is in no file; 0: there is none. */
uint32_t bob_predict_unused(const struct bob_predict *p, uint32_t after);
/* Adds counts of an earlier run: how often the loop that begins in this line of the function was
 * reached, and its mean trips; line 0: runs of the function. Loops of one line are added up. Trips
 * are used where the text does not give them; counts of loops and functions only if the user has
 * set no trips or shares (above). Errors: BOB_ERR_NOMEM. */
bob_status bob_predict_profile(struct bob_predict *p, const char *function, uint32_t line,
			       double times, double trips);

/* --- counts of the front ends --- */

/* The following counts are of this file; its previous counts are discarded. */
void bob_predict_file(struct bob_predict *p, const char *path, enum bob_predict_language language);
/* The file has this loop. If the earlier run had it, that run recorded all loops of the file that
 * are events, and the loops without counts did not run. */
void bob_predict_has(struct bob_predict *p, const char *function, uint32_t line);
/* The following counts are of this function or unit. */
enum bob_predict_kind {
	BOB_PREDICT_FUNCTION,
	BOB_PREDICT_ENTRY,	/* runs once per run of the program */
	BOB_PREDICT_HELPER,	/* in a header; without a call it does not run */
	BOB_PREDICT_LIBRARY	/* in a system header; not counted at all */
};
void bob_predict_unit(struct bob_predict *p, const char *name, enum bob_predict_kind kind);
/* The unit is a copy of the unit `name`. Its loops have that unit's lines and name; the earlier run
 * does not distinguish them. */
void bob_predict_copy_of(struct bob_predict *p, const char *name);
/* How often a loop that begins in this line is reached in each run of the unit: as in an earlier
 * run, else `times`. `is_event`: that run could record it. Call it before bob_predict_trips. */
double bob_predict_come(struct bob_predict *p, uint32_t line, double times, bool is_event);
/* Trips of a loop that begins in this line: as set by the user; else `known`, if it is not below 0;
 * else as in an earlier run; else the default. */
double bob_predict_trips(struct bob_predict *p, uint32_t line, double known);
/* The fraction, 0 .. 1, of evaluations in which a condition that begins in this line is true. */
double bob_predict_condition(const struct bob_predict *p, uint32_t line);
/* Trips of a loop from `low` to `high` inclusive; step is not 0. */
double bob_predict_span(int64_t low, int64_t high, int64_t step);
/* `count` references of the program itself, executed `times` times each. */
void bob_predict_own(struct bob_predict *p, double times, uint32_t count);
void bob_predict_call(struct bob_predict *p, const char *callee, double times);
/* The share of accesses that are inside the request. */
struct bob_predict_share {
	double least, most;	/* 0 .. 1 */
	/* the whole variable was requested: no comparison with a box */
	bool is_whole;
};
/* A loop of this unit that may contain probes of one access. `around` is the enclosing loop, or
 * NULL; `times` is how often it is reached in each run of the unit. Owned by `p`, and valid for
 * this unit until its file begins again. NULL without memory, or if there is no unit. */
struct bob_predict_loop;
struct bob_predict_loop *bob_predict_loop(struct bob_predict *p, struct bob_predict_loop *around,
					  double times);
/* Do the addresses of a reference go back when the innermost loop restarts? Both sets have a bit
 * for each enclosing loop, the outermost in bit 0. `known`: loops whose effect on the address is
 * known; `used`: loops that move it. */
bool bob_predict_is_back(uint32_t used, uint32_t known);
/* A probe of one access. `accesses` is 2 for a reference that is read and written. */
struct bob_predict_single {
	struct bob_predict_loop *loop; /* the innermost enclosing loop; NULL: none */
	double times;
	uint32_t accesses;
	struct bob_predict_share share;
	/* a subscript is an array element: irregular addresses */
	bool is_scattered;
	bool is_back;		/* bob_predict_is_back */
};
void bob_predict_single(struct bob_predict *p, const struct bob_predict_single *s);
/* A probe for a nest of loops: how often it is reached, the total number of rows, and the accesses
 * in an iteration. `share` applies to all of these. */
struct bob_predict_nest {
	double times, rows, trips; /* rows in total; trips of a row */
	uint32_t probes, accesses, depth; /* places in the text; accesses that they report */
	/* places that are compared to find out that the whole nest is untraced */
	uint32_t looked;
	double beside;		/* additional accesses: of a condition, when it ends the loop */
	struct bob_predict_share share;
	bool is_seen;		/* the comparison needs no call of the recorder */
};
void bob_predict_nest(struct bob_predict *p, const struct bob_predict_nest *n);
/* A variable is registered and unregistered. */
void bob_predict_declare(struct bob_predict *p, double times);
/* Rows of the table of variables. */
void bob_predict_variables(struct bob_predict *p, uint32_t count);

/* --- results --- */

struct bob_predict_total {
	double singles, nests, rows; /* executed probes; rows of nests */
	double reported, traced_least, traced_most; /* accesses; those inside the request */
	double own;		/* references of the program itself */
	double added_least_ns, added_most_ns; /* time of the probes, without begin_ns */
	double begin_ns;	/* start of the recorder */
	double own_least_ns, own_most_ns; /* the program's own time; the same if the user set it */
	double dilation_least, dilation_most;
	double code_bytes;	/* text and tables that are added */
	double inflation;	/* new size / old size; 0: the old size is unknown */
	double baseline_ns;	/* 0: not set */
	uint32_t unknown_trips, unknown_runs; /* loops and functions with assumed counts */
	uint32_t idle;		/* loops that did not run in the earlier run */
	struct {
		const char *file; /* of a loop; NULL: a function */
		const char *name;
		uint32_t line;
	} unknown[BOB_PREDICT_UNKNOWN_MAX]; /* the first ones, borrowed */
	uint32_t unknown_count;
};
/* BOB_ERR_NOMEM: also if an earlier count failed for lack of memory. */
bob_status bob_predict_sum(struct bob_predict *p, struct bob_predict_total *out);

#endif
