/* SPDX-License-Identifier: BSD-3-Clause */
/* The variable of an access changes only at the borders of objects and of the stack. So a result is
 * valid for a range of addresses, and is cached per instruction. */
#include "analysis/cache/variables.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MEMOS 4096u

struct bob_cache_memo {
	uint64_t pc, lo, hi;
	const struct bob_stack_range *stack;
	uint32_t image, number;
	uint8_t type, valid;
};

int bob_cache_variables_init(struct bob_cache_variables *s, const struct bob_trace *t,
			     uint32_t process)
{
	memset(s, 0, sizeof(*s));
	s->trace = t;
	s->process = process;
	s->memo = calloc(MEMOS, sizeof(*s->memo));
	return s->memo ? 0 : -1;
}

void bob_cache_variables_free(struct bob_cache_variables *s)
{
	BOB_VEC_FREE(s);
	free(s->memo);
	memset(s, 0, sizeof(*s));
}

static int same(const struct bob_variable *a, const struct bob_variable *b)
{
	return a->kind == b->kind && a->function_addr == b->function_addr &&
	       !strcmp(a->name, b->name) && !strcmp(a->image, b->image) &&
	       !strcmp(a->function, b->function);
}

static uint32_t number_of(struct bob_cache_variables *s, const struct bob_variable *v)
{
	for (size_t i = 0; i < s->count; i++)
		if (same(&s->at[i], v))
			return (uint32_t)i;
	if (BOB_VEC_ADD(s, *v)) {
		s->failed = 1;
		return 0;
	}
	return (uint32_t)s->count - 1;
}

/* Computes the range of addresses around m->lo with the same result. */
static void find_stretch(const struct bob_cache_variables *s, uint64_t at, struct bob_cache_memo *m)
{
	const struct bob_stack_range *k = m->stack;

	bob_trace_object_span(s->trace, s->process, at, &m->lo, &m->hi);
	if (at < k->lo) {
		m->hi = m->hi < k->lo ? m->hi : k->lo;
	} else if (at >= k->hi) {
		m->lo = m->lo > k->hi ? m->lo : k->hi;
	} else {
		m->lo = m->lo > k->lo ? m->lo : k->lo;
		m->hi = m->hi < k->hi ? m->hi : k->hi;
	}
}

uint32_t bob_cache_variable(struct bob_cache_variables *s, uint32_t image, uint64_t pc,
			    uint8_t type, const struct bob_stack_range *stack, uint64_t lo,
			    uint64_t hi)
{
	uint32_t slot =
		(uint32_t)bob_hash_mix(pc ^ (uint64_t)image << 48 ^ (uint64_t)type << 40) % MEMOS;
	struct bob_cache_memo *m = &s->memo[slot], fresh = { .pc = pc, .image = image, .type = type,
							     .stack = stack, .valid = 1 };
	struct bob_variable_access a = { .process = s->process, .image = image, .pc = pc,
					 .type = type, .placed = 1, .lo = lo, .hi = hi,
					 .stack = *stack };
	struct bob_variable v;

	if (m->valid && m->pc == pc && m->image == image && m->type == type && m->stack == stack &&
	    lo >= m->lo && hi <= m->hi)
		return m->number;
	find_stretch(s, lo, &fresh);
	bob_variable_of(s->trace, &a, &v);
	fresh.number = number_of(s, &v);
	if (hi <= fresh.hi)
		*m = fresh;
	else if (hi - lo > BOB_CACHE_ACCESS_BYTES)
		return BOB_CACHE_NO_VARIABLE;
	return fresh.number;
}
