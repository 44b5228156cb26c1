/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that have one probe for all their accesses: nest.c finds nests, lay.c what of them is laid
 * out, nest_one.c single loops whose head has accesses, too; emit_nest.c and emit_one.c write the
 * probes. One thread. */
#ifndef BOB_SOURCE_C_NEST_H
#define BOB_SOURCE_C_NEST_H

#include "bobbin/probe.h"
#include "source/c/unit.h"

#define BOB_C_NEST_WRITTEN_MAX 64u
#define BOB_C_NEST_MOVERS_MAX 8u
#define BOB_C_NEST_LAID_MAX 16u

struct bob_c_nest_loop {
	struct bob_c_variable *counter;
	CXCursor low, high;	/* first value; what it is compared with */
	const char *low_text, *high_text;
	long long step;
	uint32_t line;
	double trips;		/* as far as the text says; below 0: it does not */
	bool is_down, is_closed; /* > or >=; <= or >= */
	bool is_until;		/* != until its step is known, which says the direction */
	bool is_to_zero;	/* the counter itself is the condition: `high` is nothing */
};

/* What the head of a single loop moves, by the same in each iteration: a number or a pointer. */
struct bob_c_nest_mover {
	struct bob_c_variable *variable;
	bool has_by;		/* else by 1 */
	CXCursor by;
	const char *by_text;
	bool is_down;
};

/* A loop within an iteration of the nest whose iterations are known: what it accesses are accesses
 * of that iteration, as often as it runs. */
struct bob_c_nest_laid {
	struct bob_c_nest_loop loop;
	const struct bob_c_nest_laid *outer; /* laid out, too, and around it; NULL: none */
	int64_t low;
	uint32_t trips;
};

struct bob_c_nest_access {
	CXCursor c;
	struct bob_c_span span;
	struct bob_c_lvalue lv;
	enum bob_c_use use;
	enum bob_c_verdict verdict;
	const char *text;
	const struct bob_c_nest_laid *laid; /* the innermost one around; NULL: none */
	/* declarations of the counters of those, as they are in this one of its iterations */
	const char *with;
	uint32_t of;		/* the first access of its place in the text */
};

struct bob_c_nest {
	struct bob_c_unit *u;
	struct bob_c_nest_loop loop[BOB_PROBE_NEST_DEPTH_MAX]; /* outermost first */
	uint32_t depth;
	/* counters of loops that what is looked at may depend on: of the first ones */
	uint32_t around;
	uint32_t from,
		/* bytes of the file: what is declared there is out of scope at the probe */
		to;
	bool is_uneven;		/* bounds depend on loops around */
	struct bob_c_nest_mover mover[BOB_C_NEST_MOVERS_MAX]; /* of a single loop */
	uint32_t mover_count;
	uint32_t tested;	/* accesses of its condition: the first ones */
	/* in the order of their happening */
	struct bob_c_nest_access access[BOB_PROBE_NEST_LAID_MAX];
	uint32_t count, dropped;
	uint32_t places;	/* of these accesses in the text */
	struct bob_c_nest_laid laid[BOB_C_NEST_LAID_MAX];
	uint32_t laid_count;
	const struct bob_c_nest_laid *within; /* around what is looked at; NULL: none */
	const struct bob_c_variable
		*written[BOB_C_NEST_WRITTEN_MAX]; /* objects stored to by name */
	uint32_t written_count;
	uint32_t stored,
		stored_through; /* bob_c_classes of all stores; of those through pointers */
	bool is_bad;
};

/* Around the text of a probe, a block's: counters have the names there that they have in the
 * program, once more, and no compiler warns of it. */
#define BOB_C_HIDING                                                                               \
	"_Pragma(\"GCC diagnostic push\")_Pragma(\"GCC diagnostic ignored \\\"-Wshadow\\\"\")"
#define BOB_C_HIDING_END "_Pragma(\"GCC diagnostic pop\")"

/* --- affine.c --- */
/* The variable that `c` is, below brackets and conversions; NULL: something else. */
struct bob_c_variable *bob_c_nest_variable(struct bob_c_unit *u, CXCursor c);
/* Is it stored to by its name? Does a loop count with it, or move it? */
bool bob_c_nest_writes(const struct bob_c_nest *n, const struct bob_c_variable *v);
bool bob_c_nest_counts(const struct bob_c_nest *n, const struct bob_c_variable *v);
/* ... one of the first n->around loops, or of those that are laid out around what is looked at? */
bool bob_c_nest_counts_around(const struct bob_c_nest *n, const struct bob_c_variable *v);
/* Has it the same value in each iteration, and no effect? */
bool bob_c_is_same_always(struct bob_c_nest *n, CXCursor c);
/* Does an lvalue's address change evenly with the counters, and by nothing else? */
bool bob_c_is_place_affine(struct bob_c_nest *n, CXCursor c);
bool bob_c_is_signed(enum CXTypeKind k);
bool bob_c_is_unsigned(enum CXTypeKind k);
/* Bounds that are the same always, or change evenly with the loops around, in numbers that do not
 * wrap. */
bool bob_c_has_even_bounds(struct bob_c_nest *n, struct bob_c_nest_loop *loop);

/* --- nest.c --- */
/* For so many accesses more, of so many places in the text. */
static inline bool bob_c_nest_has_space(const struct bob_c_nest *n, uint32_t more, uint32_t places)
{
	return n->count + more <= BOB_PROBE_NEST_LAID_MAX &&
	       n->count + more + n->places + places <= BOB_PROBE_NEST_WORDS_MAX;
}
/* The text of an expression on one line; NULL: it has lines of the preprocessor or comments, or is
 * long. */
const char *bob_c_nest_text(struct bob_c_unit *u, const struct bob_c_span *s);
/* `counter < high`; with a counter whose value nothing but its loop changes, and that is compared
 * with a whole number. `counter != high` and `counter` get their direction by
 * bob_c_nest_direction. */
bool bob_c_nest_condition(struct bob_c_unit *u, CXCursor c, struct bob_c_nest_loop *to);
/* The loop's step is known. Does it lead to where the condition ends the loop, and if that is `!=`,
 * surely there? `has_low`: so is the first value. */
bool bob_c_nest_direction(struct bob_c_unit *u, struct bob_c_nest_loop *loop, bool has_low);
/* Of what the counter is compared with: its type, and its text on one line (NULL as of
 * bob_c_nest_text). */
CXType bob_c_nest_compared(const struct bob_c_unit *u, const struct bob_c_nest_loop *loop);
const char *bob_c_nest_high_text(struct bob_c_unit *u, const struct bob_c_nest_loop *loop);
/* In the probe, a function or a cast for both that are compared: what does not fit in an int64_t is
 * greater than all. */
const char *bob_c_nest_far(const struct bob_c_unit *u, const struct bob_c_nest_loop *loop);
/* Is it the same in each iteration? */
bool bob_c_is_high_same(struct bob_c_nest *n, const struct bob_c_nest_loop *loop);
bool bob_c_is_plain_counter(struct bob_c_unit *u, const struct bob_c_nest_loop *loop);
/* The head of the `for` c, counted by what counts loops of nests, and without accesses; *body is
 * what the loop does. n->written gets what the head stores to. */
bool bob_c_nest_head(struct bob_c_nest *n, CXCursor c, struct bob_c_nest_loop *loop,
		     CXCursor *body);
/* Of a block with one statement, that. */
CXCursor bob_c_nest_only(const struct bob_c_unit *u, CXCursor c);
/* The value of a constant; false: it is not constant. */
bool bob_c_nest_value(struct bob_c_unit *u, CXCursor c, int64_t *value);
/* Expressions and local variables only, without calls, jumps and conditions? */
bool bob_c_nest_is_straight(struct bob_c_nest *n, CXCursor c);
/* Collects what c does. */
void bob_c_nest_collect(struct bob_c_nest *n, CXCursor c);
/* If the loop `c` is the outermost of such a nest, its probe is written, and nothing in it needs
 * another. */
bool bob_c_nest_try(struct bob_c_unit *u, CXCursor c);
/* The walk met a reference while u->nest is set. */
void bob_c_nest_note(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
		     enum bob_c_use use);
/* How often the loop `c` runs, as far as the text says; below 0: it does not. */
double bob_c_trips(struct bob_c_unit *u, CXCursor c);
/* Its probe is there: predict.c. */
void bob_c_predict_nest(const struct bob_c_nest *n);
/* Around bytes [start, end), the outermost loop. */
void bob_c_emit_nest(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t start,
		     uint32_t end);
/* A row of the file's nests, with a site for each access; the first site. UINT32_MAX: no memory. */
uint32_t bob_c_nest_row(struct bob_c_unit *u, const struct bob_c_nest *n);
/* emit_nest.c: the code that reports the newest nest, whose first site is `first`: bobbin_t,
 * bobbin_a and bobbin_s are its trips, addresses and steps. A nest that accesses nothing traced is
 * detected without a call. */
const char *bob_c_nest_reported(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t first);

/* --- lay.c --- */
/* Collects what an iteration does: what bob_c_nest_is_straight, and loops that can be laid out. */
bool bob_c_nest_body(struct bob_c_nest *n, CXCursor c);
/* Lays out the innermost loops of the nest, while their accesses fit and one loop is left. */
void bob_c_nest_lay_inner(struct bob_c_nest *n);

/* --- nest_one.c --- */
/* The head of a `for`; what is not there is a null cursor. `first_end`: its first semicolon; 0: the
 * head is not understood. */
struct bob_c_head {
	CXCursor first, condition, step, body;
	uint32_t first_end;
	uint32_t line;		/* of the loop */
	double trips;		/* as in struct bob_c_nest_loop */
};
void bob_c_head_find(struct bob_c_unit *u, CXCursor loop, struct bob_c_head *out);
/* The first part of the head has been walked. True: the probe is written after it, and nothing else
 * in the loop needs one. */
bool bob_c_nest_one_try(struct bob_c_unit *u, const struct bob_c_head *head);

/* --- emit_one.c --- */
/* After the first part of the loop's head, at its semicolon: when the counter has its first
 * value. */
void bob_c_emit_one(struct bob_c_unit *u, const struct bob_c_nest *n,
		    const struct bob_c_head *head);

#endif
