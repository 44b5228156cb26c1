/* SPDX-License-Identifier: BSD-3-Clause */
/* Nests of loops that have one probe for all their accesses. nest.c finds nests, lay.c unrolls
 * inner loops, nest_one.c handles single loops with accesses in their heads, emit_nest.c and
 * emit_one.c generate the probes. One thread. */
#ifndef BOB_SOURCE_C_NEST_H
#define BOB_SOURCE_C_NEST_H

#include "bobbin/probe.h"
#include "source/c/unit.h"

#define BOB_C_NEST_WRITTEN_MAX 64u
#define BOB_C_NEST_MOVERS_MAX 8u
#define BOB_C_NEST_LAID_MAX 16u

struct bob_c_nest_loop {
	struct bob_c_variable *counter;
	CXCursor low, high;	/* first value; the other operand of the comparison */
	const char *low_text, *high_text;
	long long step;
	uint32_t line;
	double trips;		/* according to the text; below 0: unknown */
	bool is_down, is_closed; /* > or >=; <= or >= */
	bool is_until;		/* `!=`, until the step is known, which determines the direction */
	bool is_to_zero;	/* the counter itself is the condition; `high` is unused */
};

/* A variable that the head of a single loop changes by a loop-invariant amount: a number or
 * pointer. */
struct bob_c_nest_mover {
	struct bob_c_variable *variable;
	bool has_by;		/* else the amount is 1 */
	CXCursor by;
	const char *by_text;
	bool is_down;
};

/* An unrolled loop in an iteration of the nest: its trips are known, and its accesses are repeated
 * in that iteration. */
struct bob_c_nest_laid {
	struct bob_c_nest_loop loop;
	const struct bob_c_nest_laid *outer; /* the unrolled loop around it; NULL: none */
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
	const struct bob_c_nest_laid *laid; /* the innermost unrolled loop around it; NULL: none */
	/* declarations of the counters of these loops, with their values for this access */
	const char *with;
	uint32_t of;		/* index of the first access of the same place in the text */
};

struct bob_c_nest {
	struct bob_c_unit *u;
	struct bob_c_nest_loop loop[BOB_PROBE_NEST_DEPTH_MAX]; /* outermost first */
	uint32_t depth;
	/* the current expression may depend on the counters of so many outer loops */
	uint32_t around;
	uint32_t from,
		/* bytes of the file: declarations there are out of scope at the probe */
		to;
	bool is_uneven;		/* bounds depend on outer loops */
	struct bob_c_nest_mover mover[BOB_C_NEST_MOVERS_MAX]; /* of a single loop */
	uint32_t mover_count;
	uint32_t tested;	/* accesses of its condition: the first ones */
	/* in execution order */
	struct bob_c_nest_access access[BOB_PROBE_NEST_LAID_MAX];
	uint32_t count, dropped;
	uint32_t places;	/* number of places of these accesses in the text */
	struct bob_c_nest_laid laid[BOB_C_NEST_LAID_MAX];
	uint32_t laid_count;
	const struct bob_c_nest_laid *within; /* the current innermost unrolled loop; NULL: none */
	const struct bob_c_variable
		*written[BOB_C_NEST_WRITTEN_MAX]; /* objects stored to by name */
	uint32_t written_count;
	uint32_t stored,
		stored_through; /* bob_c_classes of all stores; of those through pointers */
	bool is_bad;
};

/* Around the code of a probe, which is a block: its counters hide those of the program, and
 * compilers must not warn about that. */
#define BOB_C_HIDING                                                                               \
	"_Pragma(\"GCC diagnostic push\")_Pragma(\"GCC diagnostic ignored \\\"-Wshadow\\\"\")"
#define BOB_C_HIDING_END "_Pragma(\"GCC diagnostic pop\")"

/* --- affine.c --- */
/* The variable denoted by `c`, below parentheses and conversions; NULL: something else. */
struct bob_c_variable *bob_c_nest_variable(struct bob_c_unit *u, CXCursor c);
/* Is it stored to by its name? Is it the counter or a mover of a loop? */
bool bob_c_nest_writes(const struct bob_c_nest *n, const struct bob_c_variable *v);
bool bob_c_nest_counts(const struct bob_c_nest *n, const struct bob_c_variable *v);
/* ... the counter of one of the first n->around loops, or of an unrolled loop around the current
 * expression? */
bool bob_c_nest_counts_around(const struct bob_c_nest *n, const struct bob_c_variable *v);
/* Is the expression loop-invariant and without side effects? */
bool bob_c_is_same_always(struct bob_c_nest *n, CXCursor c);
/* Is the lvalue's address affine in the counters? */
bool bob_c_is_place_affine(struct bob_c_nest *n, CXCursor c);
bool bob_c_is_signed(enum CXTypeKind k);
bool bob_c_is_unsigned(enum CXTypeKind k);
/* Are the bounds invariant, or affine in the outer counters, in arithmetic that cannot wrap? */
bool bob_c_has_even_bounds(struct bob_c_nest *n, struct bob_c_nest_loop *loop);

/* --- nest.c --- */
/* Is there capacity for `more` accesses, of `places` places in the text? */
static inline bool bob_c_nest_has_space(const struct bob_c_nest *n, uint32_t more, uint32_t places)
{
	return n->count + more <= BOB_PROBE_NEST_LAID_MAX &&
	       n->count + more + n->places + places <= BOB_PROBE_NEST_WORDS_MAX;
}
/* The text of an expression on one line; NULL: it is long, or contains comments or preprocessor
 * lines. */
const char *bob_c_nest_text(struct bob_c_unit *u, const struct bob_c_span *s);
/* Parses `counter < high`, where only the loop changes the counter and the comparison is one of
 * integers. For `counter != high` and `counter`, bob_c_nest_direction determines the direction. */
bool bob_c_nest_condition(struct bob_c_unit *u, CXCursor c, struct bob_c_nest_loop *to);
/* After the loop's step is known: does it lead to the end of the loop, and for `!=` exactly there?
 * `has_low`: the first value is known, too. */
bool bob_c_nest_direction(struct bob_c_unit *u, struct bob_c_nest_loop *loop, bool has_low);
/* The type of the comparison, and its text on one line (NULL as in bob_c_nest_text). */
CXType bob_c_nest_compared(const struct bob_c_unit *u, const struct bob_c_nest_loop *loop);
const char *bob_c_nest_high_text(struct bob_c_unit *u, const struct bob_c_nest_loop *loop);
/* For the probe: a function or cast for both operands of the comparison. Values that do not fit in
 * an int64_t become the greatest one. */
const char *bob_c_nest_far(const struct bob_c_unit *u, const struct bob_c_nest_loop *loop);
/* Is `high` loop-invariant? */
bool bob_c_is_high_same(struct bob_c_nest *n, const struct bob_c_nest_loop *loop);
bool bob_c_is_plain_counter(struct bob_c_unit *u, const struct bob_c_nest_loop *loop);
/* Parses the head of the `for` c, which must be a head of a nest's loop without accesses. *body is
 * the loop's body. Stores of the head are added to n->written. */
bool bob_c_nest_head(struct bob_c_nest *n, CXCursor c, struct bob_c_nest_loop *loop,
		     CXCursor *body);
/* The only statement of a block, or the statement itself. */
CXCursor bob_c_nest_only(const struct bob_c_unit *u, CXCursor c);
/* The value of a constant; false: it is not constant. */
bool bob_c_nest_value(struct bob_c_unit *u, CXCursor c, int64_t *value);
/* Only expressions and local variables, without calls, jumps and conditions? */
bool bob_c_nest_is_straight(struct bob_c_nest *n, CXCursor c);
/* Collects the accesses of c. */
void bob_c_nest_collect(struct bob_c_nest *n, CXCursor c);
/* If the loop `c` is the outermost of a nest, inserts its probe; nothing in it needs another
 * one. */
bool bob_c_nest_try(struct bob_c_unit *u, CXCursor c);
/* Called by the walk for a reference while u->nest is set. */
void bob_c_nest_note(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
		     enum bob_c_use use);
/* Trips of the loop `c` according to the text; below 0: unknown. */
double bob_c_trips(struct bob_c_unit *u, CXCursor c);
/* Counts the probe for the prediction: predict.c. */
void bob_c_predict_nest(const struct bob_c_nest *n);
/* Inserts the probe around bytes [start, end), the outermost loop. */
void bob_c_emit_nest(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t start,
		     uint32_t end);
/* Adds a row of the file's nests, with a site for each access. Returns the first site. UINT32_MAX:
 * no memory. */
uint32_t bob_c_nest_row(struct bob_c_unit *u, const struct bob_c_nest *n);
/* Code that reports the newest nest, whose first site is `first` (emit_nest.c). bobbin_t, bobbin_a
 * and bobbin_s are its trips, addresses and strides. A nest without traced accesses is detected
 * without a call. */
const char *bob_c_nest_reported(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t first);

/* --- lay.c --- */
/* Collects the accesses of an iteration: statements as in bob_c_nest_is_straight, and loops that
 * can be unrolled. */
bool bob_c_nest_body(struct bob_c_nest *n, CXCursor c);
/* Unrolls the innermost loops of the nest while their accesses fit and one loop remains. */
void bob_c_nest_lay_inner(struct bob_c_nest *n);

/* --- nest_one.c --- */
/* The head of a `for`; missing parts are null cursors. `first_end`: its first semicolon; 0: it was
 * not found. */
struct bob_c_head {
	CXCursor first, condition, step, body;
	uint32_t first_end;
	uint32_t line;		/* of the loop */
	double trips;		/* as in struct bob_c_nest_loop */
};
void bob_c_head_find(struct bob_c_unit *u, CXCursor loop, struct bob_c_head *out);
/* Called after the walk of the first part of the head. True: the probe has been inserted there, and
 * nothing else in the loop needs one. */
bool bob_c_nest_one_try(struct bob_c_unit *u, const struct bob_c_head *head);

/* --- emit_one.c --- */
/* Inserts the probe at the end of the first part of the loop's head, before its semicolon: the
 * counter has its first value there. */
void bob_c_emit_one(struct bob_c_unit *u, const struct bob_c_nest *n,
		    const struct bob_c_head *head);

#endif
