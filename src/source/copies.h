/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of procedures, planned, whatever their language (docs/source.md): one for each set of
 * arguments that some call gives something that is traced, where other calls give nothing that is
 * traced, or other sets. The procedure itself then has no probes for its arguments, and costs other
 * callers nothing.
 *
 * What a call passes depends on what its own procedure got: each procedure is analysed as in the
 * source, with untraced arguments, and once more for each of its copies, until no set is new. Front
 * ends say who calls whom with what, and which procedures can have no copies; a set is a number
 * with a bit for each argument, the first one lowest.
 *
 * Owner: all that a plan points at is the caller's. Threads: one. Errors: none. */
#ifndef BOB_SOURCE_COPIES_H
#define BOB_SOURCE_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOB_COPIES_MAX 4u /* of a procedure; with more sets it has one for all */
#define BOB_COPIES_ARGUMENTS_MAX 64u
#define BOB_COPIES_NO UINT32_MAX

struct bob_copies_procedure {
	uint64_t all;		/* arguments that may be traced, whatever the caller */
	const char *why;	/* it can have no copies; NULL: it can */
	/* others may call it, with anything: it keeps its probes, and calls that give nothing go to
	 * a copy, too */
	bool is_open;
	/* What comes of it: */
	bool is_needless;	/* all calls give the same: copies would save nothing */
	bool is_united;		/* one copy for all that is given */
	/* some call is of the procedure itself: it gives nothing that is traced, or all if
	 * is_open */
	bool has_plain;
	uint64_t sets[BOB_COPIES_MAX];
	uint32_t set_count;
	size_t first_call, call_count; /* that it has in it */
};

/* Something that a call gives: it is traced if one of these arguments of the calling procedure is;
 * 0: it is in any case. */
struct bob_copies_pass {
	uint64_t when;
	uint64_t gives;		/* arguments of what is called, that it becomes */
};

struct bob_copies_call {
	/* the procedure that contains it; NO: something else, that gets nothing */
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
/* Has it a copy for each of its sets? */
bool bob_copies_has(const struct bob_copies_procedure *p);
/* What may come to it itself, to the best of what is known: all, or nothing if calls that give
 * something go to copies. */
uint64_t bob_copies_own_set(const struct bob_copies_procedure *p);
/* Which copy, from 0, the call goes to where its own procedure got `set`. NO: to the procedure
 * itself. */
uint32_t bob_copies_target(const struct bob_copies *c, const struct bob_copies_call *call,
			   uint64_t set);

#endif
