/* SPDX-License-Identifier: BSD-3-Clause */
/* The stacks of a thread: its own, alternate signal stacks, coroutine stacks. Each has a shadow
 * stack with the entry rsp of every open recorded frame. The shadow has a word for every 8 bytes of
 * stack, so it cannot overflow before the stack does (that is only address space; pages are
 * allocated as the stack grows). Bounds are those passed to makecontext, or else those of the
 * mapping that contains rsp. */
#include "agent/agent.h"

#include <string.h>

#include "agent/thread_area.h"
#include "agent/os.h"

#define STACK_CAP (1ull << 30) /* assumed size of an unlimited main stack */
#define PROBED_MAX (64ull << 20)
#define NAMED_MAX 4096

static struct {
	uint64_t lo, size;
} named[NAMED_MAX];
static uint32_t named_count; /* total; the oldest are overwritten */

void stacks_note(uint64_t lo, uint64_t size)
{
	uint32_t n = named_count < NAMED_MAX ? named_count : NAMED_MAX;
	uint32_t i = 0;

	while (i < n && named[i].lo != lo)
		i++;
	if (i == n)
		i = named_count++ % NAMED_MAX;
	named[i].lo = lo;
	named[i].size = size;
}

/* --- split stacks (gcc -fsplit-stack) ---
 * Segments are mapped separately, but the kernel merges adjacent ones, also of other threads, into
 * one mapping. libgcc stores the lower bound of the current segment, plus SPLIT_BACKOFF, in the
 * thread control block, and the segment's size in a header before it: struct stack_segment, whose
 * layout is stable. A thread's first stack has a guard and no header. */
#define SPLIT_BACKOFF 3584u
#define SPLIT_HEAD 56u
#define SPLIT_SIZE 16u		/* offset in the header */

static bool find_segment(struct bob_thread *t, uint64_t rsp, uint64_t *lo, uint64_t *size)
{
	const uint64_t guard = split_guard();
	const bool known = t->split.guard == guard &&
			   (!t->split.size || rsp - t->split.lo < t->split.size);
	const uint64_t *bytes;

	if (!guard)
		return false;
	if (!known && os_allowed()) {
		t->split.guard = guard;
		t->split.lo = guard - SPLIT_BACKOFF;
		bytes = (const uint64_t *)(uintptr_t)(t->split.lo - SPLIT_HEAD + SPLIT_SIZE);
		t->split.size =
			!(guard & 7) && os_readable((const void *const *)&bytes, 1) ? *bytes : 0;
		if (t->split.size > STACK_CAP || rsp - t->split.lo >= t->split.size)
			t->split.size = 0;
	}
	*lo = t->split.lo;
	*size = t->split.size;
	return rsp - *lo < *size;
}

static bool find_named(uint64_t rsp, uint64_t *lo, uint64_t *size)
{
	uint32_t n = named_count < NAMED_MAX ? named_count : NAMED_MAX;

	for (uint32_t i = 0; i < n; i++) {
		if (rsp - named[i].lo < named[i].size) {
			*lo = named[i].lo;
			*size = named[i].size;
			return true;
		}
	}
	return false;
}

bool stacks_named_other(uint64_t rsp, uint64_t lo)
{
	uint64_t there, size;

	return named_count && find_named(rsp, &there, &size) && there != lo;
}

static bool is_readable(uint64_t page)
{
	const void *at = (const void *)(uintptr_t)page;

	return os_readable(&at, 1);
}

/* Without /proc, or a descriptor for it: probe for readable pages around rsp. Stacks have a guard
 * page; the result may include more pages. */
static void probe_bounds(uint64_t rsp, uint64_t *lo, uint64_t *hi)
{
	const uint64_t page = rsp & ~(uint64_t)(BOB_PAGE - 1);

	*lo = page;
	*hi = page + BOB_PAGE;
	while (page - *lo < PROBED_MAX && is_readable(*lo - BOB_PAGE))
		*lo -= BOB_PAGE;
	while (*hi - page < PROBED_MAX && is_readable(*hi))
		*hi += BOB_PAGE;
}

bool stacks_bounds(uint64_t rsp, uint64_t *lo, uint64_t *size)
{
	uint64_t hi, below;

	if (find_named(rsp, lo, size))
		return true;
	if (!os_allowed())
		return false;
	if (!os_find_mapping(rsp, lo, &hi))
		probe_bounds(rsp, lo, &hi);
	uint64_t marker = (uint64_t)(uintptr_t)bob_process.argv;
	if (marker >= *lo && marker < hi) { /* the main stack grows downwards */
		uint64_t limit = os_stack_limit();

		below = os_end_below(rsp);
		if (limit > STACK_CAP)
			limit = STACK_CAP;
		if (hi - *lo < limit)
			*lo = hi - limit > below ? hi - limit : below;
	}
	*size = hi - *lo;
	return true;
}

static void unmap_list(struct bob_thread *t)
{
	if (t->stack_capacity > BOB_FIRST_STACKS)
		os_unmap(t->stacks, t->stack_capacity * sizeof(*t->stacks));
}

static bool grow_list(struct bob_thread *t)
{
	uint32_t capacity = t->stack_capacity * 2;
	struct bob_stack *s;

	if (!t->stack_capacity) {
		t->stacks = t->first_stacks;
		t->stack_capacity = BOB_FIRST_STACKS;
	}
	if (t->stack_count < t->stack_capacity)
		return true;
	if (capacity > BOB_STACKS_MAX || !os_allowed() || !(s = os_map(capacity * sizeof(*s))))
		return false;
	memcpy(s, t->stacks, t->stack_count * sizeof(*s));
	unmap_list(t);
	t->stacks = s;
	t->stack_capacity = capacity;
	return true;
}

struct bounds {
	uint64_t rsp, lo, size;
	bool found;
};

static void find_bounds(void *bounds)
{
	struct bounds *b = bounds;

	b->found = stacks_bounds(b->rsp, &b->lo, &b->size);
}

/* lo and size are its bounds; size 0: they must be determined. */
static bool add_stack(struct bob_thread *t, uint64_t rsp, uint64_t lo, uint64_t size)
{
	struct bounds b = { .rsp = rsp, .lo = lo, .size = size, .found = size != 0 };
	struct bob_stack *s;

	if (!grow_list(t))
		return false;
	if (!b.found) /* the stack may be small */
		area_run_blocked(find_bounds, &b);
	if (!b.found)
		return false;
	s = &t->stacks[t->stack_count];
	s->lo = b.lo;
	s->size = b.size;
	s->shadow_bytes = b.size + BOB_PAGE;
	s->shadow = os_map(s->shadow_bytes);
	if (!s->shadow)
		return false;
	s->shadow[0] = ~0ull;
	s->top = s->shadow;
	s->number = t->stack_count++;
	return true;
}

/* A registered stack may be inside another one, for example in an array in a frame of main. */
static bool is_on(const struct bob_stack *s, uint64_t rsp, bool named_one, uint64_t lo,
		  uint64_t size)
{
	return named_one ? s->lo == lo && s->size == size : rsp - s->lo < s->size;
}

bool stacks_switch(struct bob_thread *t, uint64_t rsp)
{
	struct bob_hot *hot = thread_hot(t);
	uint64_t lo = 0, size = 0;
	bool is_named = find_named(rsp, &lo, &size) || find_segment(t, rsp, &lo, &size);
	uint32_t i = 0;

	if (t->stack_count) {
		if (is_on(stack_now(t), rsp, is_named, lo, size))
			return true;
		stack_now(t)->top = hot->top;
	}
	while (i < t->stack_count && !is_on(&t->stacks[i], rsp, is_named, lo, size))
		i++;
	if (i == t->stack_count && !add_stack(t, rsp, lo, is_named ? size : 0))
		return false;
	t->stack_now = i;
	t->now.lo = t->stacks[i].lo;
	t->now.size = t->stacks[i].size;
	thread_gate(t)->lo = t->stacks[i].lo;
	hot->on_size = bob_process.config.slow ? 0 : t->stacks[i].size;
	hot->top = t->stacks[i].top;
	return true;
}

void stacks_free(struct bob_thread *t)
{
	for (uint32_t i = 0; i < t->stack_count; i++)
		os_unmap(t->stacks[i].shadow, t->stacks[i].shadow_bytes);
	unmap_list(t);
	t->stack_count = t->stack_capacity = 0;
}
