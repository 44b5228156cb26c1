/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans copies of procedures, independent of their language (docs/source.md). A procedure whose
 * calls pass different sets of traced arguments has one copy, with probes, for each set. The
 * original then has no probes for its arguments, so calls without traced arguments cost nothing.
 *
 * The arguments that a call passes depend on those of the enclosing procedure. So each procedure is
 * analysed as written, with untraced arguments, and once for each of its copies, until no new set
 * occurs (fixed point of an interprocedural data-flow analysis; the technique is known as procedure
 * cloning). Front ends supply the call graph, the passed arguments, and the procedures that cannot
 * be copied. A set is a bit mask of arguments, the first argument in bit 0.
 *
 * Owner: the caller owns everything that a plan points to. Threads: one. Errors: none. */
#ifndef BOB_SOURCE_COPIES_H
#define BOB_SOURCE_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOB_COPIES_MAX 4u /* per procedure; if it has more sets, one copy serves all */
#define BOB_COPIES_ARGUMENTS_MAX 64u
#define BOB_COPIES_NO UINT32_MAX

struct bob_copies_procedure {
	uint64_t all;		/* arguments that may be traced, for any caller */
	const char *why;	/* the reason why it can have no copies; NULL: it can have some */
	/* it may have unknown callers that pass anything: it keeps its probes, and calls without
	 * traced arguments go to a copy, too */
	bool is_open;
	/* results of the plan: */
	bool is_needless;	/* all calls pass the same set: copies would save nothing */
	bool is_united;		/* one copy for all sets */
	/* some call goes to the procedure itself: one that passes nothing traced, or all if
	 * is_open */
	bool has_plain;
	uint64_t sets[BOB_COPIES_MAX];
	uint32_t set_count;
	size_t first_call, call_count; /* the calls in it */
};

/* An argument passed by a call. It is traced if one of the arguments `when` of the calling
 * procedure is traced; 0: always. */
struct bob_copies_pass {
	uint64_t when;
	uint64_t gives;		/* arguments of the callee that it becomes */
};

struct bob_copies_call {
	/* the procedure that contains it; NO: other code, which has no traced arguments */
	uint32_t from;
	uint32_t to;
	size_t first_pass;
	uint32_t pass_count;
};

struct bob_copies {
	struct bob_copies_procedure *procedures;
	size_t procedure_count;
	const struct bob_copies_call *calls; /* those of one procedure are adjacent */
	size_t call_count;
	const struct bob_copies_pass *passes;
};

void bob_copies_plan(struct bob_copies *c);
/* True if it has a copy for each of its sets. */
bool bob_copies_has(const struct bob_copies_procedure *p);
/* The set with which the procedure itself is analysed: all, or empty if calls that pass traced
 * arguments go to copies. */
uint64_t bob_copies_own_set(const struct bob_copies_procedure *p);
/* The copy, from 0, to which the call goes if its enclosing procedure got `set`. NO: it goes to the
 * procedure itself. */
uint32_t bob_copies_target(const struct bob_copies *c, const struct bob_copies_call *call,
			   uint64_t set);

#endif
