/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry and return of hooked functions: runs callbacks, and at the entry saves the return address
 * and replaces it by bob_hook_return. Each thread has a list of open frames. Frames that are left
 * by other means (longjmp, exceptions, the end of a thread) end at the next event on their stack,
 * when the stack pointer shows that they no longer exist.
 *
 * A hooked function that is entered while a callback runs (by the callback, or by a handler that
 * interrupted it) is not hooked. If the callback is left by a jump, the next event further up on
 * its stack detects that. */
#include "agent/hooks.h"

#include <string.h>

#include "agent/agent.h"
#include "agent/os.h"
#include "agent/streams.h"

#define OPEN_MAX (1u << 20)	/* frames per thread */
#define STACKS_MAX 16u		/* stacks whose bounds are cached */

struct open {
	uint64_t slot;
	uint32_t id;
	uint32_t reserved;
};

struct hooks {
	uint64_t busy;		/* address of the return address of the current event */
	uint64_t lo, size;	/* bounds of the stack of the last event */
	struct {
		uint64_t lo, size;
	} stack[STACKS_MAX];
	uint32_t next_stack;
	uint32_t count;
	struct open open[OPEN_MAX];
};

static __thread struct hooks *mine;
static const struct bob_function_hooks *callbacks;
static uint64_t missed;

uint64_t hooks_under_way(void)
{
	return mine ? mine->busy : 0;
}

void hooks_thread_free(struct bob_thread *t)
{
	if (t->hooks)
		os_unmap(t->hooks, sizeof(struct hooks));
}

void hooks_end(void)
{
	char line[64];
	size_t at;

	if (!missed)
		return;
	at = text_add_u64(line, sizeof(line), 0, missed, 10);
	text_add(line, sizeof(line), at, " calls of hooked functions were not");
	agent_log(line, "no memory for their return addresses, or too many are open");
}

/* NULL: this thread is not recorded. */
static struct hooks *thread_hooks(void)
{
	struct bob_thread *t;

	if (mine || !os_allowed())
		return mine;
	t = thread_here();
	if (t && !t->hooks)
		t->hooks = os_map(sizeof(struct hooks));
	mine = t ? t->hooks : NULL;
	return mine;
}

/* --- frames --- */

static bool is_here(const struct hooks *h, uint64_t slot)
{
	return slot - h->lo < h->size;
}

static void find_stack(struct hooks *h, uint64_t slot)
{
	if (is_here(h, slot) && !stacks_named_other(slot, h->lo))
		return;
	for (uint32_t i = 0; i < STACKS_MAX; i++) {
		h->lo = h->stack[i].lo;
		h->size = h->stack[i].size;
		if (is_here(h, slot) && !stacks_named_other(slot, h->lo))
			return;
	}
	if (!stacks_bounds(slot, &h->lo, &h->size)) {
		h->lo = slot;
		h->size = 8;
		return;
	}
	h->stack[h->next_stack % STACKS_MAX].lo = h->lo;
	h->stack[h->next_stack++ % STACKS_MAX].size = h->size;
}

/* Remove the innermost frame of this stack from the list, if it is below `limit`. */
static bool take(struct hooks *h, uint64_t limit, struct open *out)
{
	uint32_t i = h->count;

	while (i && !is_here(h, h->open[i - 1].slot))
		i--;
	if (!i || h->open[i - 1].slot >= limit)
		return false;
	*out = h->open[i - 1];
	memmove(&h->open[i - 1], &h->open[i], (h->count - i) * sizeof(*h->open));
	h->count--;
	return true;
}

static bool add(struct hooks *h, uint64_t slot, uint32_t id)
{
	if (h->count == OPEN_MAX)
		return false;
	h->open[h->count] = (struct open){ .slot = slot, .id = id };
	compiler_barrier();
	h->count++;
	return true;
}

static void end_left(struct hooks *h, uint64_t limit)
{
	struct bob_function_call c = { .returned = false };
	struct open o;

	while (take(h, limit, &o)) {
		c.function = o.id;
		callbacks->end(&c);
	}
}

/* A hooked frame may jump to another hooked function, which then has the same return address: both
 * end when it returns. If the function is already in such a chain (a loop that leads to its first
 * instruction), it continues, and the functions that it jumped to end. Returns true if it
 * continues. */
static bool goes_on(struct hooks *h, uint64_t slot, uint32_t id)
{
	struct bob_function_call c = { .returned = false };
	uint32_t i = h->count;
	struct open o;

	while (i && h->open[i - 1].slot == slot && h->open[i - 1].id != id)
		i--;
	if (!i || h->open[i - 1].slot != slot)
		return false;
	while (h->count > i && take(h, slot + 8, &o)) {
		c.function = o.id;
		callbacks->end(&c);
	}
	return true;
}

/* --- callbacks, with the state saved --- */

struct entry {
	struct hooks *h;
	struct bob_hook_frame *f;
	uint64_t slot;
	uint32_t id;
	bool by_jump;
	bool is_open;		/* result: whether its return is hooked */
};

static void run_entry(void *arg, void *state)
{
	struct entry *e = arg;
	struct bob_function_call c = {
		.function = e->id,
		.caller = (const void *)(uintptr_t)e->f->ret,
		.cfa = (const void *)(uintptr_t)(e->slot + 8),
		.integer = &e->f->rdi,
		.vector = hooks_vectors(state),
	};

	end_left(e->h, e->by_jump ? e->slot : e->slot + 8);
	if (e->by_jump && goes_on(e->h, e->slot, e->id))
		return;
	if (!add(e->h, e->slot, e->id)) {
		__atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
		return;
	}
	e->is_open = true;
	callbacks->begin(&c);
}

static void run_return(void *arg, void *state)
{
	struct entry *e = arg;
	const uint64_t results[2] = { e->f->rax, e->f->rdx };
	struct bob_function_call c = { .returned = true, .integer = results,
				       .vector = hooks_vectors(state) };
	struct open o;

	end_left(e->h, e->slot);
	while (take(e->h, e->slot + 8, &o)) {
		c.function = o.id;
		callbacks->end(&c);
	}
}

/* Another event, further down the stack, is being processed. Returns true if that was left by a
 * jump. */
static bool was_left(struct hooks *h, uint64_t slot)
{
	if (slot < h->busy || !is_here(h, h->busy) || !is_here(h, slot))
		return false;
	h->busy = 0;
	return true;
}

static bool begin_work(struct hooks *h, uint64_t slot)
{
	if (!h || (h->busy && !was_left(h, slot)))
		return false;
	h->busy = slot;
	compiler_barrier();
	return true;
}

static void end_work(struct hooks *h)
{
	compiler_barrier();
	h->busy = 0;
}

/* --- called from hooks.S --- */

void bob_hook_entered(struct bob_hook_frame *f, uint64_t rbp, uint64_t rbx, uint32_t eax)
{
	const uint64_t slot = (uint64_t)(uintptr_t)&f->ret;
	const bool calling = callbacks && bob_process.recording;
	struct entry e = { .f = f, .slot = slot, .id = eax & ~BOB_HOOK_RECORD,
			   .by_jump = f->ret == BOB_HOOK_RETURN };
	uint64_t *word = NULL;

	if (calling) {
		e.h = thread_hooks();
		if (e.h && e.h->busy)
			(void)was_left(e.h, slot);
		word = e.h && !e.h->busy ? returns_make_word(slot) : returns_word(slot);
		if (e.h && !word && !e.h->busy)
			__atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
	}
	if (word && begin_work(e.h, slot)) {
		find_stack(e.h, slot);
		bob_hook_with_state(run_entry, &e);
		end_work(e.h);
	}
	if (eax & BOB_HOOK_RECORD)
		bob_enter(bob_thread_hot, e.id, slot, rbp, rbx);
	if (!e.is_open || e.by_jump)
		return;
	*word = f->ret;
	compiler_barrier();
	f->ret = BOB_HOOK_RETURN;
}

void bob_hook_returned(struct bob_hook_frame *f)
{
	const uint64_t slot = (uint64_t)(uintptr_t)&f->ret;
	struct entry e = { .h = mine, .f = f, .slot = slot };

	if (callbacks && begin_work(e.h, slot)) {
		find_stack(e.h, slot);
		bob_hook_with_state(run_return, &e);
		end_work(e.h);
	}
	f->ret = *(const uint64_t *)(uintptr_t)(slot ^ BOB_HOOK_FAR);
}

/* --- backtraces --- */

struct hidden {
	int (*fn)(void *context, void *arg);
	void *arg;
	uint64_t (*get_ip)(void *context);
};

uint64_t bob_hook_backtrace_begins(uint32_t eax, uint64_t slot, uint64_t rbp, uint64_t rbx)
{
	const uint32_t id = eax & ~BOB_HOOK_RECORD;
	const struct bob_image *im = image_of(id);

	if (eax & BOB_HOOK_RECORD)
		bob_enter(bob_thread_hot, id, slot, rbp, rbx);
	return im->bias + im->unwind_ip;
}

int bob_hook_backtrace_frame(void *context, const void *hidden)
{
	const struct hidden *h = hidden;

	return image_is_agent(h->get_ip(context)) ? 0 : h->fn(context, h->arg);
}

/* --- streams.h --- */

bool hooks_register(const struct bob_function_hooks *h)
{
	if (!bob_process.config.hooks || !bob_process.recording)
		return false;
	callbacks = h;
	return true;
}

void hooks_left(uint64_t sp)
{
	struct hooks *h = mine;

	if (!h || !h->count || !callbacks || !begin_work(h, sp))
		return;
	if (sp == ~0ull) {
		h->lo = 0;
		h->size = ~0ull;
	} else {
		find_stack(h, sp);
	}
	end_left(h, sp);
	if (sp == ~0ull)
		h->size = 0;
	end_work(h);
}

const char *hooks_name(uint32_t function)
{
	const struct bob_image *im = image_of(function);

	return im ? patch_plain_name(im->plan, function - im->first_id) : "";
}
