/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixed-point iteration over the call graph that finds the sets of traced arguments of each
 * procedure. It starts again whenever a procedure exceeds BOB_COPIES_MAX sets, or turns out to need
 * no copies. */
#include "source/copies.h"

bool bob_copies_has(const struct bob_copies_procedure *p)
{
	return !p->why && !p->is_needless;
}

uint64_t bob_copies_own_set(const struct bob_copies_procedure *p)
{
	return bob_copies_has(p) && !p->is_open ? 0 : p->all;
}

/* The arguments of the callee that the call passes if its enclosing procedure got `set`. */
static uint64_t given(const struct bob_copies *c, const struct bob_copies_call *call, uint64_t set)
{
	uint64_t gives = 0;

	for (uint32_t i = 0; i < call->pass_count; i++) {
		const struct bob_copies_pass *p = &c->passes[call->first_pass + i];

		if (!p->when || p->when & set)
			gives |= p->gives;
	}
	return gives & c->procedures[call->to].all;
}

/* The set that represents `set` in the procedure: all arguments if it has one copy for all sets. */
static uint64_t known(const struct bob_copies_procedure *p, uint64_t set)
{
	return p->is_united && set ? p->all : set;
}

/* The set that the procedure itself serves. */
static uint64_t own(const struct bob_copies_procedure *p)
{
	return p->is_open ? p->all : 0;
}

/* Index of the set, added if it is new; BOB_COPIES_MAX: there are too many sets. */
static uint32_t set_of(struct bob_copies_procedure *p, uint64_t set, bool *is_new)
{
	uint32_t i = 0;

	while (i < p->set_count && p->sets[i] != set)
		i++;
	if (i == p->set_count && i < BOB_COPIES_MAX) {
		p->sets[p->set_count++] = set;
		*is_new = true;
	}
	return i;
}

/* False: too many sets, the analysis starts again. */
static bool look(struct bob_copies *c, const struct bob_copies_call *call, uint64_t set,
		 bool *is_new)
{
	struct bob_copies_procedure *to = &c->procedures[call->to];
	const uint64_t gives = known(to, given(c, call, set));

	if (gives == own(to)) {
		to->has_plain = true;
	} else if (set_of(to, gives, is_new) == BOB_COPIES_MAX) {
		to->is_united = true;
		return false;
	}
	return true;
}

static bool look_at_calls(struct bob_copies *c, const struct bob_copies_procedure *p, uint64_t set,
			  bool *is_new)
{
	bool ok = true;

	for (size_t i = 0; i < p->call_count && ok; i++)
		ok = look(c, &c->calls[p->first_call + i], set, is_new);
	return ok;
}

/* Analyses the calls of the procedure as written and in each of its copies. */
static bool look_at_procedure(struct bob_copies *c, const struct bob_copies_procedure *p,
			      bool *is_new)
{
	bool ok = look_at_calls(c, p, bob_copies_own_set(p), is_new);

	for (uint32_t k = 0; bob_copies_has(p) && k < p->set_count && ok; k++)
		ok = look_at_calls(c, p, p->sets[k], is_new);
	return ok;
}

static bool look_at_all(struct bob_copies *c)
{
	bool is_new = true, ok = true;

	for (size_t i = 0; i < c->procedure_count; i++) {
		c->procedures[i].set_count = 0;
		c->procedures[i].has_plain = false;
	}
	for (size_t i = 0; i < c->call_count && ok; i++)
		if (c->calls[i].from == BOB_COPIES_NO)
			ok = look(c, &c->calls[i], 0, &is_new);
	while (is_new && ok) {
		is_new = false;
		for (size_t i = 0; i < c->procedure_count && ok; i++)
			ok = look_at_procedure(c, &c->procedures[i], &is_new);
	}
	return ok;
}

/* Drops the copies of procedures whose calls all pass the same set: probes in place cost no other
 * caller anything. False: there is no such procedure left. */
static bool drop_needless(struct bob_copies *c)
{
	bool some = false;

	for (size_t i = 0; i < c->procedure_count; i++) {
		struct bob_copies_procedure *p = &c->procedures[i];

		if (bob_copies_has(p) && !p->is_open && !p->has_plain &&
		    (p->set_count <= 1 || p->is_united))
			some = p->is_needless = true;
	}
	return some;
}

void bob_copies_plan(struct bob_copies *c)
{
	for (size_t i = 0; i < c->call_count; i++) {
		const uint32_t from = c->calls[i].from;

		if (from == BOB_COPIES_NO)
			continue;
		if (!c->procedures[from].call_count++)
			c->procedures[from].first_call = i;
	}
	do
		while (!look_at_all(c))
			;
	while (drop_needless(c));
}

uint32_t bob_copies_target(const struct bob_copies *c, const struct bob_copies_call *call,
			   uint64_t set)
{
	struct bob_copies_procedure *to = &c->procedures[call->to];
	const uint64_t gives = known(to, given(c, call, set));
	bool is_new;

	return bob_copies_has(to) && gives != own(to) ? set_of(to, gives, &is_new) : BOB_COPIES_NO;
}
