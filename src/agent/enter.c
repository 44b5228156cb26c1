/* SPDX-License-Identifier: BSD-3-Clause */
/* The slow path of recording an event; entry.S handles the common case. With the gate always closed
 * (on_size == 0) all events take this path, with the same result; tests of the fast path compare
 * both.
 *
 * A block is busy while an event is recorded: by entry.S (gate closed although on_size is not 0) or
 * here (in_c). If a signal handler's entry finds it busy, the event is put into `pending`, with its
 * caller's frame, and recorded before the next event. If the interrupted recording never resumes
 * (siglongjmp), the next entry at or above its stack pointer detects that. Then model and stacks
 * restart, which the trace notes ("gap"); no committed event is lost. */
#include "agent/agent.h"

#include "agent/thread_area.h"
#include "agent/hooks.h"
#include "agent/os.h"

static void put(struct bob_thread *t, uint32_t sym)
{
	bob_status st = t->dead_end ? BOB_OK : bob_run_put(thread_enc(t), sym);

	if (st != BOB_OK)
		thread_dead_end(t, st);
}

static void put_pops(struct bob_thread *t, uint64_t pops, uint32_t id)
{
	while (pops > BOB_SYM_POPS_MAX) {
		uint32_t n = pops > BOB_SYM_PAYLOAD_MASK ? BOB_SYM_PAYLOAD_MASK : (uint32_t)pops;

		put(t, bob_sym_make_ext(BOB_SYM_POPS, n));
		pops -= n;
	}
	if (id > BOB_SYM_ID_MASK)
		put(t, bob_sym_make_ext(BOB_SYM_ID, id >> BOB_SYM_ID_BITS));
	put(t, bob_sym_make((uint32_t)pops, id & BOB_SYM_ID_MASK));
}

static void switch_stack(struct bob_thread *t, uint64_t rsp)
{
	uint32_t before = t->stack_now, count = t->stack_count;

	if (!stacks_switch(t, rsp)) {
		thread_dead_end(t, BOB_ERR_NOMEM);
		return;
	}
	if (t->stack_now != before || (count && t->stack_count != count)) {
		put(t,
		    bob_sym_make_ext(BOB_SYM_STACK, stack_now(t)->number & BOB_SYM_PAYLOAD_MASK));
		t->head->count.switches++;
	}
}

/* The last open frame, after frames that have ended are removed. */
static uint64_t *live_top(const struct bob_thread *t, uint64_t rsp, const struct bob_caller *c)
{
	uint64_t *top = thread_hot(t)->top;
	uint64_t limit = c->slot;

	if (c->flags & BOB_CALLER_BOTTOM)
		return stack_now(t)->shadow;
	if (c->flags & BOB_CALLER_UNKNOWN && limit <= rsp)
		limit = rsp + 1;
	while (*top < limit)
		top--;
	return top;
}

/* --- options that select events at run time; they force the slow path --- */

/* BOBBIN_TRIGGER: recording is on while the frame of a trigger function is open. */
static bool triggered(struct bob_thread *t, uint32_t id, uint64_t rsp, const struct bob_caller *c)
{
	if (t->trigger_rsp && t->trigger_stack == t->stack_now &&
	    (c->slot > t->trigger_rsp || c->flags & BOB_CALLER_BOTTOM || rsp >= t->trigger_rsp))
		t->trigger_rsp = 0;
	if (t->trigger_rsp)
		return true;

	const struct bob_image *im = image_of(id);
	uint32_t func = im ? id - im->first_id : 0;
	if (!im || !im->trigger || !(im->trigger[func / 64] >> func % 64 & 1))
		return false;
	t->trigger_rsp = rsp;
	t->trigger_stack = t->stack_now;
	put(t, bob_sym_make_ext(BOB_SYM_PAUSE, 0));
	return true;
}

/* BOBBIN_INTERFACE*: only calls from another image are selected. */
static bool crosses(uint32_t id, uint64_t rsp)
{
	const struct bob_image *im = image_of(id);

	return im && image_at(returns_true(rsp, *(const uint64_t *)(uintptr_t)rsp)) != im;
}

static bool selected(struct bob_thread *t, uint32_t id, uint64_t rsp, const struct bob_caller *c,
		     const uint64_t *top)
{
	const struct bob_config *cfg = &bob_process.config;

	if (cfg->trigger && !triggered(t, id, rsp, c))
		return false;
	if ((cfg->interface || cfg->interface_image) && !crosses(id, rsp))
		return false;
	return !cfg->max_depth || top - stack_now(t)->shadow < (long)cfg->max_depth;
}

/* --- recording --- */

static void remember_site(uint64_t rsp, const struct bob_caller *c)
{
	uint64_t ret = *(const uint64_t *)(uintptr_t)rsp;

	__atomic_store_n(&bob_process.sites[ret & (BOB_SITES - 1)], c->site, __ATOMIC_RELAXED);
}

static void record(struct bob_thread *t, uint32_t id, uint64_t rsp, const struct bob_caller *c)
{
	struct bob_hot *hot = thread_hot(t);
	uint64_t *top = live_top(t, rsp, c);
	uint64_t pops = (uint64_t)(hot->top - top);

	if (bob_process.config.slow && !selected(t, id, rsp, c, top))
		return;
	if (c->flags & BOB_CALLER_UNKNOWN) {
		t->head->count.orphans++;
		if (top != stack_now(t)->shadow)
			t->head->count.sp_rule++;
		put(t, bob_sym_make_ext(BOB_SYM_ORPHAN, top != stack_now(t)->shadow));
	} else if (c->flags & BOB_CALLER_FOUND && *top != c->slot &&
		   *top != ~0ull) { /* no error: the frame is older than the agent */
		hot->top_mismatch++;
	}
	if (c->flags & BOB_CALLER_SIGNAL)
		put(t, bob_sym_make_ext(BOB_SYM_SIGNAL, 0));
	top[1] = rsp;
	hot->top = top + 1;
	put_pops(t, pops, id);
}

/* Handlers may add events meanwhile; the count is reset to 0 only if none did. */
static void record_pending(struct bob_thread *t)
{
	struct bob_hot *hot = thread_hot(t);
	uint64_t done = 0, seen;

	do {
		for (; done < *(volatile uint64_t *)&hot->pending; done++) {
			struct bob_pending p = t->pending[done];
			struct bob_caller c = { .slot = p.caller, .flags = p.flags };

			t->pending[done].flags = 0;
			if (!p.flags)
				continue; /* claimed by a handler that was left by a jump */
			switch_stack(t, p.rsp);
			if (!t->dead_end)
				record(t, p.id, p.rsp, &c);
		}
		seen = done;
	} while (!__atomic_compare_exchange_n(&hot->pending, &seen, 0, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
}

static void set_busy(struct bob_thread *t, uint64_t rsp)
{
	struct bob_hot *hot = thread_hot(t);

	t->in_c = true;
	hot->busy_rsp = rsp;
	thread_gate(t)->size = 0;
	compiler_barrier();
}

/* A handler that arrives before the gate opens adds to `pending`; one that arrives afterwards finds
 * the block idle. So `pending` is checked again after opening. */
static void set_idle(struct bob_thread *t)
{
	struct bob_hot *hot = thread_hot(t);

	for (;;) {
		compiler_barrier();
		t->in_c = false;
		thread_gate(t)->size = hot->on_size;
		compiler_barrier();
		if (!*(volatile uint64_t *)&hot->pending)
			return;
		set_busy(t, hot->busy_rsp);
		record_pending(t);
	}
}

/* Upper bound for the frames of a handler's entry at `rsp`. If the stack is unknown, because its
 * very first event was interrupted: that event. */
#define SIGNAL_FRAMES_MAX 65536u
static uint64_t stack_end(const struct bob_thread *t, uint64_t rsp)
{
	const struct bob_stack *s = t->stack_count ? stack_now(t) : NULL;
	uint64_t up = thread_hot(t)->busy_rsp - rsp;

	for (uint32_t i = 0; s && i < t->stack_count && rsp - s->lo >= s->size; i++)
		s = &t->stacks[i];
	if (s && rsp - s->lo < s->size)
		return s->lo + s->size;
	return rsp + (up < SIGNAL_FRAMES_MAX ? up + 8 : BOB_PAGE);
}

/* Whether the interrupted recording will never resume. This requires proof: this entry is above it
 * on the same stack, and its caller is an ordinary frame, neither reached through a signal frame
 * nor a pending entry (handlers may run on a part of the same stack). */
static bool owner_gone(const struct bob_thread *t, uint64_t rsp, const struct bob_caller *c)
{
	const struct bob_hot *hot = thread_hot(t);
	const struct bob_stack *s = t->stack_count ? stack_now(t) : NULL;

	if (!s || rsp - s->lo >= s->size || hot->busy_rsp - s->lo >= s->size ||
	    rsp < hot->busy_rsp || !(c->flags & BOB_CALLER_FOUND) || c->flags & BOB_CALLER_SIGNAL)
		return false;
	for (uint64_t i = hot->pending; i > 0; i--)
		if (t->pending[i - 1].rsp == c->slot)
			return false;
	return true;
}

/* The recording that was left by a jump may have updated the shadow stack but not the trace, or the
 * model but not the file. So the model and the stacks restart in both. */
static void begin_again(struct bob_thread *t)
{
	bob_status st = bob_run_restart(thread_enc(t));

	t->head->count.restarts++;
	for (uint32_t i = 0; i < t->stack_count; i++)
		t->stacks[i].top = t->stacks[i].shadow;
	if (t->stack_count)
		thread_hot(t)->top = stack_now(t)->top;
	if (st == BOB_OK)
		put(t, bob_sym_make_ext(BOB_SYM_PAUSE, 0));
	else
		thread_dead_end(t, st);
}

/* An entry while another event of this thread is being recorded. Returns true if it was handled. */
static bool nested(struct bob_thread *t, uint32_t id, const struct bob_entry *e)
{
	struct bob_hot *hot = thread_hot(t);
	struct bob_caller c;

	frames_caller(t, true, e, stack_end(t, e->rsp), &c);
	if (owner_gone(t, e->rsp, &c)) {
		begin_again(t);
		return false;
	}
	if (hot->pending >= BOB_PENDING_MAX - 64) { /* 64: for nested handlers */
		t->head->count.lost++;
		return true;
	}
	/* one instruction, so that a nested handler takes the next element */
	uint64_t n = __atomic_fetch_add(&hot->pending, 1, __ATOMIC_RELAXED);
	t->pending[n] = (struct bob_pending){
		.rsp = e->rsp, .caller = c.slot, .id = id, .flags = c.flags
	};
	t->head->count.queued++;
	return true;
}

static struct bob_thread *my_block(void)
{
	struct bob_thread *t = thread_here();

	return !t || t->dead_end || !bob_process.recording ? NULL : t;
}

void bob_enter(struct bob_hot *hot, uint32_t id, uint64_t rsp, uint64_t rbp, uint64_t rbx)
{
	const struct bob_entry e = { .rsp = rsp, .rbp = rbp, .rbx = rbx };
	struct bob_thread *t;
	struct bob_caller c;

	(void)hot; /* use bob_thread_hot instead, which a fork child may have to replace */
	if (area_holds(rsp)) /* called by a recorder that runs on the per-thread area */
		return;
	t = my_block();
	if (!t || thread_shared(t, rsp) || (thread_is_busy(t) && nested(t, id, &e)))
		return;
	set_busy(t, rsp);
	record_pending(t);
	switch_stack(t, rsp);
	if (!t->dead_end) {
		frames_caller(t, false, &e, stack_now(t)->lo + stack_now(t)->size, &c);
		t->head->count.slow_entries++;
		record(t, id, rsp, &c);
		if (c.site) {
			t->head->count.site_misses++;
			remember_site(rsp, &c);
		}
	}
	set_idle(t);
}

/* The block unless it is recording, in a handler that calls what handlers may not. */
static struct bob_thread *idle_block(void)
{
	struct bob_thread *t = my_block();

	return t && !t->mem && !thread_is_busy(t) ? t : NULL;
}

/* Frames that have ended since the last entry are popped before the event, so that readers know the
 * call in which it occurred. */
bool enter_event(uint32_t what, uint64_t rsp, uint64_t frame)
{
	const struct bob_caller c = { .slot = frame ? frame : rsp,
				      .flags = frame ? BOB_CALLER_FOUND : BOB_CALLER_UNKNOWN };
	struct bob_thread *t = idle_block();
	uint64_t *top, pops;

	if (!t)
		return false;
	set_busy(t, rsp);
	record_pending(t);
	switch_stack(t, rsp);
	if (!t->dead_end) {
		top = live_top(t, rsp, &c);
		pops = (uint64_t)(thread_hot(t)->top - top);
		thread_hot(t)->top = top;
		while (pops) {
			uint64_t n = pops < BOB_SYM_PAYLOAD_MASK ? pops : BOB_SYM_PAYLOAD_MASK;

			put(t, bob_sym_make_ext(BOB_SYM_POPS, (uint32_t)n));
			pops -= n;
		}
		put(t, bob_sym_make_ext(BOB_SYM_EVENT, what & BOB_SYM_PAYLOAD_MASK));
	}
	set_idle(t);
	return !t->dead_end;
}

bool enter_events_missing(uint64_t count)
{
	struct bob_thread *t = idle_block();

	if (!t)
		return false;
	set_busy(t, thread_hot(t)->busy_rsp);
	while (count && !t->dead_end) {
		uint64_t n = count < BOB_SYM_PAYLOAD_MASK ? count : BOB_SYM_PAYLOAD_MASK;

		put(t, bob_sym_make_ext(BOB_SYM_EVENTS, (uint32_t)n));
		count -= n;
	}
	set_idle(t);
	return !count;
}

void bob_enter_put(struct bob_hot *hot, uint32_t sym)
{
	put(thread_of_hot(hot), sym);
}

void bob_enter_drain(struct bob_hot *hot)
{
	struct bob_thread *t = thread_of_hot(hot);

	set_busy(t, hot->busy_rsp);
	record_pending(t);
	set_idle(t);
}
