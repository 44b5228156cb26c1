/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of functions of a C file (source/copies.h, docs/source-c.md): where values of pointers
 * come from, who calls whom with what, which functions can have copies, and their texts.
 *
 *   leads.c      where a pointer may lead: to something that was asked for, or to where an argument of its function leads
 *   functions.c  functions and calls, noted while the file is scanned
 *   copyable.c   what speaks against a copy
 *   copies.c     the plan, and what is put in because of it
 *
 * The order of work: the scan notes functions, calls and what pointers get; a trial walk with all
 * probes in place finds which arguments probes depend on; the plan is made; the file is walked
 * anew, functions with copies as in the source, and once more for each copy.
 *
 * Owner: struct bob_c_unit. Threads: one. */
#ifndef BOB_SOURCE_C_COPIES_H
#define BOB_SOURCE_C_COPIES_H

#include "source/c/unit.h"
#include "source/copies.h"

/* Where a pointer may lead: a bit for each argument of the function, and this: anywhere. */
#define BOB_C_ANYWHERE (UINT64_C(1) << 63)
#define BOB_C_COPYABLE_MAX 500u /* functions of a file: their copies are numbered in 11 bits */

/* A declaration of a function. */
struct bob_c_declared {
	struct bob_c_declared *next;
	CXCursor decl;
};

struct bob_c_function {
	struct bob_c_function *next; /* in its bucket */
	const char *name;
	CXCursor decl;		/* canonical */
	struct bob_c_declared *declared; /* at file scope: all of them */
	CXCursor definition;	/* if it is_defined, in this file or in one that it includes */
	bool is_defined, is_linked, is_of_library;
	struct bob_c_span span;	/* of the definition */
	uint32_t name_at;	/* in it */
	/* its first declaration at file scope, numbered as they come; UINT32_MAX: none */
	uint32_t known_from;
	uint32_t number;	/* of its definition */
	uint32_t uses,
		/* places that name it; those of them that call it, and could call something else */
		calls;
	const char *why;	/* it can have no copies; NULL: it can */
	const char *others;	/* unknown callers that may call it; NULL: there are none */
	struct bob_c_variable result; /* as if it was a variable */
	uint64_t all;		/* arguments that probes in it, or in what it calls, depend on */
	uint32_t planned;	/* its number in the plan; BOB_COPIES_NO: it is not there */
	uint32_t copies_before;	/* of the functions before it in the plan */
};

struct bob_c_call {
	CXCursor c;
	struct bob_c_function *from, *to; /* from: NULL: none */
	/* the name that is called; UINT32_MAX: another one cannot be put there */
	uint32_t at;
	uint32_t planned;	/* its number in the plan; BOB_COPIES_NO: it is not there */
};

/* `to` gets what `from` has, among others. */
struct bob_c_value {
	struct bob_c_variable *to, *from;
};

struct bob_c_copies {
	struct bob_c_function *buckets[BOB_C_BUCKETS];
	BOB_VEC(struct bob_c_function *) functions; /* in the order in which they are met */
	/* as the scan met them; when the plan is made, by their places */
	BOB_VEC(struct bob_c_call) calls;
	BOB_VEC(struct bob_c_value) values;
	/* places in the file where a declaration or call has a function's name; in order when the
	 * scan is over */
	BOB_VEC(uint32_t) named;
	uint32_t declared;	/* declarations at file scope so far */
	struct bob_c_function *function; /* that is looked at; NULL: none */
	struct bob_copies plan;
	struct bob_copies_pass *passes; /* the plan's */
	bool is_shared;		/* objects may hold what was asked for by another name: leads.c */
	bool is_planned;	/* nothing is noted any more */
	bool is_trial;
	uint32_t copy_count;	/* they are numbered from 1 */
	bool *is_declared;	/* of each copy */
	/* while the file is walked: */
	uint64_t set;		/* arguments of `function` that are something that was asked for */
	uint32_t copy_number;	/* 0: the function itself */
	const char *declarations; /* of copies that it calls */
};

/* --- leads.c --- */
/* The variable gets this value, among others. */
void bob_c_value_note(struct bob_c_unit *u, struct bob_c_variable *v, CXCursor value);
void bob_c_return_note(struct bob_c_unit *u, CXCursor statement);
/* A store to `to`, which is no name: variables that it gives the address of may get anything. */
void bob_c_store_note(struct bob_c_unit *u, CXCursor to);
/* All variables that are named below `c` may get anything: the code there is not analysed. */
void bob_c_value_blur(struct bob_c_unit *u, CXCursor c);
/* Before: is_shared. */
void bob_c_leads_begin(struct bob_c_unit *u);
/* When all values are noted: where variables lead. */
void bob_c_leads_settle(struct bob_c_unit *u);
/* Where the value of a pointer leads, after that. */
uint64_t bob_c_leads(struct bob_c_unit *u, CXCursor pointer);

/* --- functions.c: while the file is scanned --- */
/* NULL: no memory. */
struct bob_c_function *bob_c_function(struct bob_c_unit *u, CXCursor decl);
/* A declaration at file scope; it may be a definition. */
void bob_c_function_declared(struct bob_c_unit *u, CXCursor decl);
/* A definition begins; u->copies->function is it until the next one. */
void bob_c_function_begin(struct bob_c_unit *u, CXCursor definition);
void bob_c_function_named(struct bob_c_unit *u, CXCursor reference);
void bob_c_call_note(struct bob_c_unit *u, CXCursor call);
/* The name that is called; null: a pointer is. */
CXCursor bob_c_name_called(struct bob_c_unit *u, CXCursor call);
void bob_c_functions_free(struct bob_c_unit *u);

/* --- copyable.c --- */
/* When the scan is over: `why` of all functions. */
void bob_c_copyable(struct bob_c_unit *u);
/* The body of a definition. */
struct bob_c_span bob_c_body(struct bob_c_unit *u, const struct bob_c_function *f);

/* --- copies.c --- */
/* The scan begins: functions and calls will be noted. */
void bob_c_copies_begin(struct bob_c_unit *u);
/* The scan is over. Makes the plan; the unit is as before, but that what is refused has been
 * counted. */
void bob_c_copies_plan(struct bob_c_unit *u);
/* The function that begins here is walked as it is in the source. */
void bob_c_copies_enter(struct bob_c_unit *u, CXCursor definition);
/* ... has been looked at: now come its copies. */
void bob_c_copies_walk(struct bob_c_unit *u, CXCursor definition);
/* In a trial, what probes depend on is noted. Else: can what is reached through the pointer be
 * nothing that was asked for, in this copy? */
bool bob_c_copies_rule_out(struct bob_c_unit *u, const struct bob_c_lvalue *lv);
/* A call of `callee`, before its arguments: what it becomes, as the prediction knows it. */
const char *bob_c_copies_redirect(struct bob_c_unit *u, CXCursor call, const char *callee);
/* The name of the function that is walked, as the prediction knows it. */
const char *bob_c_copies_name(struct bob_c_unit *u);
/* Of functions that calls give different things, but that can have no copies, or that others may
 * call: so many, in memory of the unit. */
uint32_t bob_c_copies_remarks(struct bob_c_unit *u, struct bob_source_c_refused **out);

#endif
