/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of functions of a C file (source/copies.h, docs/source-c.md): origins of pointer values,
 * the call graph, the functions that can have copies, and their texts.
 *
 *     leads.c      what a pointer may refer to: a traced object, or the target of an argument
 *     functions.c  functions and calls, collected by the scan
 *     copyable.c   reasons against a copy
 *     copies.c     the plan, and the inserted text
 *
 * The scan collects functions, calls and values of pointers. A trial walk with all probes in place
 * determines the arguments that probes depend on. After planning, the file is walked again:
 * functions with copies as written, and once more for each copy.
 *
 * Owner: struct bob_c_unit. Threads: one. */
#ifndef BOB_SOURCE_C_COPIES_H
#define BOB_SOURCE_C_COPIES_H

#include "source/c/unit.h"
#include "source/copies.h"

/* What a pointer may refer to: a bit for the target of each argument, and this one: anything. */
#define BOB_C_ANYWHERE (UINT64_C(1) << 63)
#define BOB_C_COPYABLE_MAX 500u /* of a file: copies are numbered in 11 bits */

/* A declaration of a function. */
struct bob_c_declared {
	struct bob_c_declared *next;
	CXCursor decl;
};

struct bob_c_function {
	struct bob_c_function *next; /* in its hash bucket */
	const char *name;
	CXCursor decl;		/* canonical */
	struct bob_c_declared *declared; /* its declarations at file scope */
	CXCursor definition;	/* valid if it is_defined, in this file or an included one */
	bool is_defined, is_linked, is_of_library;
	struct bob_c_span span;	/* of the definition */
	uint32_t name_at;	/* the name in the definition */
	/* number of its first declaration at file scope; UINT32_MAX: none */
	uint32_t known_from;
	uint32_t number;	/* number of its definition */
	uint32_t uses,
		/* places that name it; those that call it and could be redirected */
		calls;
	const char *why;	/* reason why it can have no copies; NULL: it can */
	const char *others;	/* kind of its possible unknown callers; NULL: it has none */
	struct bob_c_variable result; /* treated as a variable */
	uint64_t all;		/* arguments that probes in it, or in its callees, depend on */
	uint32_t planned;	/* index in the plan; BOB_COPIES_NO: not in it */
	uint32_t copies_before;	/* number of copies of the preceding functions of the plan */
};

struct bob_c_call {
	CXCursor c;
	struct bob_c_function *from, *to; /* from: NULL: outside of functions */
	/* place of the callee's name; UINT32_MAX: it cannot be replaced */
	uint32_t at;
	uint32_t planned;	/* index in the plan; BOB_COPIES_NO: not in it */
};

/* A data-flow edge: `to` may have the value of `from`. */
struct bob_c_value {
	struct bob_c_variable *to, *from;
};

struct bob_c_copies {
	struct bob_c_function *buckets[BOB_C_BUCKETS];
	BOB_VEC(struct bob_c_function *) functions; /* in the order of their first occurrence */
	/* in scan order; sorted by place when the plan is made */
	BOB_VEC(struct bob_c_call) calls;
	BOB_VEC(struct bob_c_value) values;
	/* places in the file where declarations and calls have a function's name; sorted after the
	 * scan */
	BOB_VEC(uint32_t) named;
	uint32_t declared;	/* number of declarations at file scope so far */
	struct bob_c_function *function; /* the current one; NULL: none */
	struct bob_copies plan;
	struct bob_copies_pass *passes; /* of the plan */
	bool is_shared;		/* objects may contain traced memory under another name: leads.c */
	bool is_planned;	/* planning is over: nothing more is collected */
	bool is_trial;
	uint32_t copy_count;	/* numbered from 1 */
	bool *is_declared;	/* for each copy */
	/* state of the walk: */
	uint64_t set;		/* arguments of `function` that are traced */
	uint32_t copy_number;	/* 0: the function itself */
	const char *declarations; /* of copies that it calls */
};

/* --- leads.c --- */
/* Adds a possible value of the variable. */
void bob_c_value_note(struct bob_c_unit *u, struct bob_c_variable *v, CXCursor value);
void bob_c_return_note(struct bob_c_unit *u, CXCursor statement);
/* A store to `to`, which is not a name: variables whose address it may hold get an unknown
 * value. */
void bob_c_store_note(struct bob_c_unit *u, CXCursor to);
/* All variables named below `c` get an unknown value: the code there is not analysed. */
void bob_c_value_blur(struct bob_c_unit *u, CXCursor c);
/* Call it before the others: sets is_shared. */
void bob_c_leads_begin(struct bob_c_unit *u);
/* Solves the data-flow equations when all values are known: what each variable may refer to. */
void bob_c_leads_settle(struct bob_c_unit *u);
/* What a pointer value may refer to; after bob_c_leads_settle. */
uint64_t bob_c_leads(struct bob_c_unit *u, CXCursor pointer);

/* --- functions.c: while the file is scanned --- */
/* NULL: no memory. */
struct bob_c_function *bob_c_function(struct bob_c_unit *u, CXCursor decl);
/* A declaration at file scope, possibly a definition. */
void bob_c_function_declared(struct bob_c_unit *u, CXCursor decl);
/* Begins a definition: u->copies->function until the next one. */
void bob_c_function_begin(struct bob_c_unit *u, CXCursor definition);
void bob_c_function_named(struct bob_c_unit *u, CXCursor reference);
void bob_c_call_note(struct bob_c_unit *u, CXCursor call);
/* The name of the callee; a null cursor for calls through pointers. */
CXCursor bob_c_name_called(struct bob_c_unit *u, CXCursor call);
void bob_c_functions_free(struct bob_c_unit *u);

/* --- copyable.c --- */
/* After the scan: sets `why` of all functions. */
void bob_c_copyable(struct bob_c_unit *u);
/* The body of a definition. */
struct bob_c_span bob_c_body(struct bob_c_unit *u, const struct bob_c_function *f);

/* --- copies.c --- */
/* Begins the scan: functions and calls are collected. */
void bob_c_copies_begin(struct bob_c_unit *u);
/* Makes the plan, after the scan. The unit's state is that of the end of the scan, except that
 * refusals have been counted. */
void bob_c_copies_plan(struct bob_c_unit *u);
/* Walks the function that begins here as written. */
void bob_c_copies_enter(struct bob_c_unit *u, CXCursor definition);
/* Walks its copies, after the function itself. */
void bob_c_copies_walk(struct bob_c_unit *u, CXCursor definition);
/* In a trial: records the arguments that the probe depends on. Otherwise: true if, in this copy,
 * the target of the pointer cannot be traced. */
bool bob_c_copies_rule_out(struct bob_c_unit *u, const struct bob_c_lvalue *lv);
/* Redirects a call of `callee`, before its arguments. Returns the name for the prediction. */
const char *bob_c_copies_redirect(struct bob_c_unit *u, CXCursor call, const char *callee);
/* The name of the current function, for the prediction. */
const char *bob_c_copies_name(struct bob_c_unit *u);
/* Messages about functions that are called with different sets but cannot have copies, or may have
 * unknown callers. Returns their number; they are in memory of the unit. */
uint32_t bob_c_copies_remarks(struct bob_c_unit *u, struct bob_source_c_refused **out);

#endif
