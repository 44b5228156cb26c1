/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop nests that have one probe for all their accesses: nest.c finds them, emit_nest.c writes the probe. One thread. */
#ifndef BOB_SOURCE_C_NEST_H
#define BOB_SOURCE_C_NEST_H

#include "bobbin/probe.h"
#include "source/c/unit.h"

#define BOB_C_NEST_WRITTEN_MAX 64u

struct bob_c_nest_loop {
	struct bob_c_variable *counter;
	CXCursor low, high;	/* first value; what it is compared with */
	const char *low_text, *high_text;
	long long step;
	bool is_down, is_closed; /* > or >=; <= or >= */
};

struct bob_c_nest_access {
	CXCursor c;
	struct bob_c_span span;
	struct bob_c_lvalue lv;
	enum bob_c_use use;
	enum bob_c_verdict verdict;
	const char *text;
};

struct bob_c_nest {
	struct bob_c_unit *u;
	struct bob_c_nest_loop loop[BOB_PROBE_NEST_DEPTH_MAX]; /* outermost first */
	uint32_t depth;
	uint32_t
		around; /* counters of loops that what is looked at may depend on: of the first ones */
	bool is_uneven;		/* bounds depend on loops around */
	struct bob_c_nest_access
		access[BOB_PROBE_NEST_ACCESSES_MAX]; /* in the order of their happening */
	uint32_t count, dropped;
	const struct bob_c_variable
		*written[BOB_C_NEST_WRITTEN_MAX]; /* objects stored to by name */
	uint32_t written_count;
	uint32_t stored,
		stored_through; /* bob_c_classes of all stores; of those through pointers */
	bool is_bad;
};

/* --- affine.c --- */
/* The variable that `c` is, below brackets and conversions; NULL: something else. */
struct bob_c_variable *bob_c_nest_variable(struct bob_c_unit *u, CXCursor c);
/* Is it stored to by its name? Does a loop count with it? */
bool bob_c_nest_writes(const struct bob_c_nest *n, const struct bob_c_variable *v);
bool bob_c_nest_counts(const struct bob_c_nest *n, const struct bob_c_variable *v);
/* Does an lvalue's address change evenly with the counters, and by nothing else? */
bool bob_c_is_place_affine(struct bob_c_nest *n, CXCursor c);
/* Bounds that are the same always, or change evenly with the loops around, in numbers that do not wrap. */
bool bob_c_has_even_bounds(struct bob_c_nest *n, struct bob_c_nest_loop *loop);

/* --- nest.c --- */
/* If the loop `c` is the outermost of such a nest, its probe is written, and nothing in it needs another. */
bool bob_c_nest_try(struct bob_c_unit *u, CXCursor c);
/* The walk met a reference while u->nest is set. */
void bob_c_nest_note(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
		     enum bob_c_use use);
/* Around bytes [start, end), the outermost loop. */
void bob_c_emit_nest(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t start,
		     uint32_t end);

#endif
