/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables whose lifetime has ended and that usually return to the same address, such as the local
 * variables of a unit. places.h describes the protocol. */
#include "probe/places.h"

#define HINTS 4096u /* a direct-mapped cache: the last place of an address and base */

static uint32_t hints[HINTS]; /* index of the place + 1; 0: none */

static uint32_t *hint(uintptr_t base, uint64_t address)
{
	const uint64_t h =
		(base >> 3 ^ address >> BOB_PR_VARIABLE_SHIFT << 20) * 0x9e3779b97f4a7c15u;

	return &hints[h >> 52];
}

void bob_pr_remember(const struct bob_pr_place *p)
{
	__atomic_store_n(hint(p->base, p->declared), (uint32_t)(p - bob_pr_places) + 1,
			 __ATOMIC_RELEASE);
}

/* The cached place of the variable, if it is in state `is`. *state is the value that the caller
 * must exchange; what it read from the place is valid only if that exchange succeeds. */
static struct bob_pr_place *find(uintptr_t base, uint64_t address, enum bob_pr_state is,
				 uint64_t *state)
{
	const uint32_t i = __atomic_load_n(hint(base, address), __ATOMIC_ACQUIRE);
	struct bob_pr_place *p = i ? &bob_pr_places[i - 1] : NULL;

	if (!p)
		return NULL;
	*state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
	return (*state & BOB_PR_STATE_MASK) == (uint64_t)is && p->declared == address &&
			       p->base == base && __atomic_load_n(&p->alone, __ATOMIC_RELAXED) ?
		       p :
		       NULL;
}

static bool exchange(struct bob_pr_place *p, uint64_t state, enum bob_pr_state to)
{
	return __atomic_compare_exchange_n(&p->state, &state,
					   (state & ~BOB_PR_STATE_MASK) | (uint64_t)to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Invalidate earlier results of look-ups. An odd version (the table is being changed) stays odd. */
static void new_version(void)
{
	__atomic_fetch_add(&bob_pr_version, 2, __ATOMIC_RELEASE);
}

static bool has_bounds(const struct bob_pr_place *p, const struct bob_probe_variable *v,
		       const int64_t (*bounds)[2])
{
	if (p->rank != v->rank || p->element != v->element || p->whole != !v->wanted)
		return false;
	for (uint32_t d = 0; d < v->rank; d++) {
		int64_t from, to;

		if (p->extent[d] != bounds[d][1])
			return false;
		if (!v->wanted)
			continue;
		bob_pr_measure_wanted(v->wanted[d], bounds[d][0], bounds[d][1], &from, &to);
		if (p->from[d] != from || p->to[d] != to)
			return false;
	}
	return true;
}

/* Hot path for small units with traced variables: bench/source. */
bool bob_pr_wake(const struct bob_probe_variable *v, const void *base, const int64_t (*bounds)[2],
		 uint64_t address)
{
	uint64_t state;
	struct bob_pr_place *p = find((uintptr_t)base, address, BOB_PR_ASLEEP, &state);

	if (!p || !has_bounds(p, v, bounds) || !exchange(p, state, BOB_PR_AWAKE))
		return false;
	__atomic_store_n(&p->since, __atomic_fetch_add(&bob_pr_declared, 1, __ATOMIC_RELAXED),
			 __ATOMIC_RELAXED);
	new_version();
	return true;
}

bool bob_pr_sleep(const void *base, uint64_t address)
{
	uint64_t state;
	struct bob_pr_place *p = find((uintptr_t)base, address, BOB_PR_AWAKE, &state);

	if (!p || !exchange(p, state, BOB_PR_ASLEEP))
		return false;
	new_version();
	return true;
}
