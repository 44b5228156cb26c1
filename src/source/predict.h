/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicts the cost of probes before the program runs: how often each place of the text is
 * executed, according to the trips and calls in the text, times the cost of a probe of its kind
 * (docs/source.md, "Prediction"). Front ends count here while they read. The user can set what they
 * cannot know: trips, runs of functions, the run time without probes (bob_predict_assume).
 * Otherwise a value is assumed, and reported as an assumption.
 *
 *   predict.c       what is counted, file by file
 *   predict_loops.c what probes of one access cost in their place: alone, in turns, in loops in loops
 *   predict_sum.c   who calls whom how often; what comes of it
 *   predict_costs.c what probes cost, and lines that override it
 *
 * Owner: the caller of bob_predict_open; texts are copied. Threads: one. Units: ns, bytes; times
 * are numbers with fractions. Memory that is not there shows in bob_predict_sum. Everything but
 * open and assume may be called with NULL, and does nothing. */
#ifndef BOB_SOURCE_PREDICT_H
#define BOB_SOURCE_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_PREDICT_TRIPS 100.0 /* of a loop of which nothing says how often it runs */
#define BOB_PREDICT_CONDITION                                                                      \
	0.5 /* fraction of executions of code under a condition, if the user sets none */
#define BOB_PREDICT_UNKNOWN_MAX 4u /* places that are named */
#define BOB_PREDICT_WHY_BYTES 160u

enum bob_predict_language { BOB_PREDICT_C, BOB_PREDICT_FORTRAN, BOB_PREDICT_LANGUAGES };

struct bob_predict;

bob_status bob_predict_open(struct bob_predict **out);
void bob_predict_close(struct bob_predict *p); /* NULL is allowed */

/* One line of the user's assumptions (docs/source.md): "trips smooth.c:34 8000". BOB_ERR_INVAL:
 * `why` and the column, from 1, say what is wrong. */
bob_status bob_predict_assume(struct bob_predict *p, const char *line, size_t len, uint32_t *column,
			      char why[BOB_PREDICT_WHY_BYTES]);

/* After bob_predict_sum: the next of these lines, counted from 1, after line `after` that names a
 * loop, condition or function which no file has; 0: there is none. */
uint32_t bob_predict_unused(const struct bob_predict *p, uint32_t after);
/* What an earlier run had: how often the loop that begins in this line of a function was reached,
 * and its trips each time, or, line 0, runs of the function. Loops of one line are taken together.
 * Trips hold where the text does not say them; how often loops are reached, and functions run,
 * where the user has set no trips or shares (above). Errors: BOB_ERR_NOMEM. */
bob_status bob_predict_profile(struct bob_predict *p, const char *function, uint32_t line,
			       double times, double trips);

/* --- what front ends count --- */

/* The following counts are of this file; its previous counts are discarded. */
void bob_predict_file(struct bob_predict *p, const char *path, enum bob_predict_language language);
/* The file has this loop. If the earlier run had it, it had all loops of the file that are events:
 * those that it does not know were not come by. */
void bob_predict_has(struct bob_predict *p, const char *function, uint32_t line);
/* ... of this function or unit. */
enum bob_predict_kind {
	BOB_PREDICT_FUNCTION,
	BOB_PREDICT_ENTRY,	/* runs once, with the program */
	BOB_PREDICT_HELPER,	/* a header's: without a call it does not run */
	BOB_PREDICT_LIBRARY	/* of a header of the system's: it is not counted at all */
};
void bob_predict_unit(struct bob_predict *p, const char *name, enum bob_predict_kind kind);
/* The unit is a copy of this one: loops have its lines and its name; the earlier run does not say
 * which of them ran. */
void bob_predict_copy_of(struct bob_predict *p, const char *name);
/* How often a loop that begins in this line is reached, for each run of the unit: as in an earlier
 * run, or `times`. `is_event`: that run could record it. Before its trips. */
double bob_predict_come(struct bob_predict *p, uint32_t line, double times, bool is_event);
/* Trips of a loop that begins in this line: as set by the user; else `known`, if it is not below 0;
 * else as in an earlier run; else the default. */
double bob_predict_trips(struct bob_predict *p, uint32_t line, double known);
/* The fraction, 0 .. 1, of its evaluations in which a condition that begins in this line holds. */
double bob_predict_condition(const struct bob_predict *p, uint32_t line);
/* Trips of a loop from `low` to `high`, that included; step is not 0. */
double bob_predict_span(int64_t low, int64_t high, int64_t step);
/* References of the program itself, so many each time. */
void bob_predict_own(struct bob_predict *p, double times, uint32_t count);
void bob_predict_call(struct bob_predict *p, const char *callee, double times);
/* Which part of accesses is of what was asked for. */
struct bob_predict_share {
	double least, most;	/* 0 .. 1 */
	/* the whole variable was asked for: nothing is compared with a box */
	bool is_whole;
};
/* A loop of this unit that may contain probes of one access; `around`: the one that it is in, NULL:
 * none. `times`: how often it is reached in each run of the unit. What is returned is owned by `p`
 * and good for this unit until its file begins again; NULL without memory, and if there is no
 * unit. */
struct bob_predict_loop;
struct bob_predict_loop *bob_predict_loop(struct bob_predict *p, struct bob_predict_loop *around,
					  double times);
/* Do addresses go back? Bits are loops around a reference, the outermost is bit 0: those of which
 * it is known what they move, those that move the reference. */
bool bob_predict_is_back(uint32_t used, uint32_t known);
/* A probe of one access; it reports this many accesses: 2 if it is read and written. */
struct bob_predict_single {
	struct bob_predict_loop *loop; /* the innermost one around it; NULL: none */
	double times;
	uint32_t accesses;
	struct bob_predict_share share;
	/* a subscript is an element of something: its addresses have no rule */
	bool is_scattered;
	bool is_back;		/* bob_predict_is_back */
};
void bob_predict_single(struct bob_predict *p, const struct bob_predict_single *s);
/* A probe for loops: how often it is reached, the rows that the loops then have in all, the
 * accesses in an iteration; `share` is of all of them. */
struct bob_predict_nest {
	double times, rows, trips; /* rows in all; trips of a row */
	uint32_t probes, accesses, depth; /* places that report this many accesses */
	/* places that are looked at to see that all of it misses what is wanted */
	uint32_t looked;
	double beside;		/* accesses more: of a condition, when it ends the loop */
	struct bob_predict_share share;
	bool is_seen;		/* to miss what is wanted, without a call */
};
void bob_predict_nest(struct bob_predict *p, const struct bob_predict_nest *n);
/* A variable comes to life, and ends. */
void bob_predict_declare(struct bob_predict *p, double times);
/* Rows of the table of variables. */
void bob_predict_variables(struct bob_predict *p, uint32_t count);

/* --- what comes of it --- */

struct bob_predict_total {
	double singles, nests, rows; /* probes that run; rows of nests */
	double reported, traced_least, traced_most; /* accesses; those of what was asked for */
	double own;		/* references of the program itself */
	double added_least_ns, added_most_ns; /* by probes, without begin_ns */
	double begin_ns;	/* the recorder's beginning */
	double own_least_ns, own_most_ns; /* the program's own time; the same if the user set it */
	double dilation_least, dilation_most;
	double code_bytes;	/* text and tables that are added */
	double inflation;	/* new size / old; 0: the old one is not known */
	double baseline_ns;	/* 0: not set */
	uint32_t unknown_trips, unknown_runs; /* loops, functions that were assumed */
	uint32_t idle;		/* loops that the earlier run did not come by */
	struct {
		const char *file; /* of a loop; NULL: a function */
		const char *name;
		uint32_t line;
	} unknown[BOB_PREDICT_UNKNOWN_MAX]; /* the first ones, borrowed */
	uint32_t unknown_count;
};
/* BOB_ERR_NOMEM: something was not counted, either. */
bob_status bob_predict_sum(struct bob_predict *p, struct bob_predict_total *out);

#endif
