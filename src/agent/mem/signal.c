/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals in translated code. A handler of the program may interrupt a probe or a record; its own
 * probes would overwrite the record, and registers that the probe has saved. So the agent's handler
 * runs first and calls the program's. Before the call it saves the words of the interrupted record;
 * after it, it stores them at the thread's current position and corrects the register with that
 * position. The part of the record that has already happened is put before the handler as separate
 * records; a mark says that the record itself repeats it.
 *
 * The program sees its own handlers when it asks, and the original instruction's address in its
 * ucontext. A handler that is left by a jump needs no cleanup: the record never ends. SIGTRAP is
 * never blocked and always handled here; traps of the program are forwarded. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>

#include "agent/thread_area.h"
#include "agent/mem/mem.h"
#include "agent/os.h"
#include "agent/signal.h"

#define BIT(sig) (1ull << ((sig)-1))
/* limit of nested signals, each of which interrupts the first instructions of the previous one */
#define WINDOWS_MAX 16
#define RESTORER_FLAG 0x04000000 /* SA_RESTORER of the kernel */
#define MARK_WORDS 3		/* of bob_mem_mark, header included */
#define WORDS_MOST BOB_MEM_SLACK_WORDS /* of bob_mem_words, likewise */

void bob_mem_signal(int sig, siginfo_t *info, void *uc, unsigned long mask);

/* The position at which a signal arrived. */
struct place {
	void *uc;		/* the context whose registers are corrected */
	uint64_t code;		/* offset in translated code; 0: elsewhere */
	uint64_t orig;
	uint8_t reg;		/* register with the cursor; or BOB_MEM_NO_CURSOR */
	uint8_t added;		/* words that will be added to it */
	uint32_t words;		/* of the current record, including its header; 0: none */
	uint32_t capacity;		/* size of `word` */
	struct bob_mem_where where;
	const struct bob_image *im;
	uint32_t number;
	bool complete;		/* the probe has stored all of it */
	uint32_t payload; /* number of words in `word` of an iteration, which follow those of the
			  * loop's record; that record restarts after the handler */
	uint64_t accesses;	/* accesses of it that had happened and were recorded */
	uint64_t *word;
	uint64_t spill[BOB_MEM_SPILLS], indices[8];
	uint64_t scratch[BOB_MEM_SPILLS]; /* register values of the probe in spilled registers */
};

/* --- registers --- */

static uint64_t rip_of(void *uc)
{
	return *mem_context_pc(uc);
}

static void set_rip(void *uc, uint64_t rip)
{
	*mem_context_pc(uc) = rip;
}

/* If our own first instructions were interrupted, use the context that they interrupted. */
static void *interrupted(void *uc)
{
	uint64_t entry = (uint64_t)(uintptr_t)bob_mem_signal_entry;
	uint64_t len = (uint64_t)(bob_mem_signal_masked - bob_mem_signal_entry);

	for (int i = 0; i < WINDOWS_MAX && rip_of(uc) - entry < len; i++)
		uc = (void *)(uintptr_t)*mem_context_register(uc, rip_of(uc) == entry ? 2 : 12);
	return uc;
}

/* --- the interrupted record --- */

static void put_record(uint32_t number, const uint64_t *word, uint32_t words)
{
	uint64_t *at;

	if (bob_mem_slots.cursor >= bob_mem_slots.limit)
		mem_make_space();
	if (!mem_is_recorded())
		return;
	at = bob_mem_slots.cursor;
	memcpy(at + 1, word, words * sizeof(*word));
	__atomic_store_n(at, BOB_MEM_HEADER | number, __ATOMIC_RELEASE);
	bob_mem_slots.cursor = at + 1 + words;
	bob_mem_slots.loop = at; /* in case it is that of a loop that continues */
}

/* Put the part of the record that has happened. The whole record follows after the handler. */
static void record_begun(struct place *p, const struct mem_cut *c)
{
	uint64_t end = p->word[p->words - 1];

	if (c->loop) {
		p->word[p->words - 1] = c->end;
		put_record(p->number, p->word + 1, p->words - 1);
		p->word[p->words - 1] = end;
	}
	if (c->part)
		put_record(c->number, c->word, c->words);
	p->accesses = c->accesses;
}

static uint32_t words_of(const struct bob_mem_desc *d)
{
	return 1u + d->words + (d->kind == BOB_MEM_LOOP && !d->payload);
}

/* Move the stored part of the record, the last one in its buffer, out of the way of the handler's
 * records. */
static void take_record(void *place)
{
	struct place *p = place;
	const struct bob_mem_where *w = &p->where;
	uint64_t *at = bob_mem_slots.cursor - (w->complete ? p->capacity : 0);
	struct mem_cut c;

	if (!mem_cut(p->im, w, at + 1, *mem_context_register(p->uc, w->counter), &c))
		c = (struct mem_cut){ 0 }; /* then all of it is recorded after the handler */
	if (w->complete && c.all)
		return;
	p->words = p->capacity;
	p->complete = w->complete;
	p->number = p->im->mem->first_desc + w->desc;
	__atomic_store_n(at, 0, __ATOMIC_RELEASE);
	for (uint32_t i = 1; i < p->words; i++) {
		p->word[i] = at[i];
		at[i] = 0; /* free space must be zeroed */
	}
	bob_mem_slots.cursor = at;
	record_begun(p, &c);
}

static bool is_between(void *uc, const uint8_t *begin, const uint8_t *end)
{
	return rip_of(uc) - (uint64_t)(uintptr_t)begin < (uint64_t)(end - begin);
}

/* In the middle of putting a mark or a whole record, which then restarts: remove what it may have
 * stored. */
static bool leave_mark(void *uc)
{
	static const struct {
		const uint8_t *begin, *end;
		size_t words;
	} writers[] = {
		{ bob_mem_mark_begin, bob_mem_mark_end, MARK_WORDS },
		{ bob_mem_words_begin, bob_mem_words_end, WORDS_MOST },
		{ bob_mem_whole_begin, bob_mem_whole_end, 0 },
	};

	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		if (!is_between(uc, writers[i].begin, writers[i].end))
			continue;
		if (bob_mem_slots.cursor < bob_mem_slots.limit && !process_is_child())
			memset(bob_mem_slots.cursor, 0, writers[i].words * sizeof(uint64_t));
		set_rip(uc, (uint64_t)(uintptr_t)writers[i].begin);
		return true;
	}
	return false;
}

/* The same in a loop with payload: its record ends here, and another one begins at the
 * interruption. */
static void take_iteration(void *place)
{
	struct place *p = place;
	const struct bob_mem_where *w = &p->where;
	const struct bob_mem_desc *d = mem_desc(NULL, p->im->mem->first_desc + w->desc);
	uint64_t *at = bob_mem_slots.cursor - (w->complete ? d->payload : 0);
	const uint64_t *word = bob_mem_slots.loop + 1;
	struct mem_cut c;

	if (!mem_cut(p->im, w, word, (uint64_t)(at - word - d->words) / d->payload, &c))
		c.accesses = c.part = c.all = 0;
	p->words = 1u + d->words;
	p->number = p->im->mem->first_desc + w->desc;
	memcpy(p->word + 1, c.word, d->words * sizeof(*c.word));
	if (w->complete && c.all)
		return;
	p->complete = w->complete;
	p->payload = d->payload;
	for (uint32_t i = 0; i < p->payload; i++) {
		p->word[p->words + i] = at[i];
		at[i] = 0; /* free space must be zeroed */
	}
	bob_mem_slots.cursor = at;
	if (c.part)
		put_record(c.number, c.word, c.words);
	p->accesses = c.accesses;
}

/* Determine the position, and how many words of the current record must be saved. */
static void find_place(void *uc, struct place *p)
{
	const struct bob_mem_desc *d;
	struct bob_mem_where *w = &p->where;
	uint32_t code;

	memset(p, 0, sizeof(*p));
	p->uc = interrupted(uc);
	p->reg = BOB_MEM_NO_CURSOR;
	memcpy(p->spill, bob_mem_slots.spill, sizeof(p->spill));
	memcpy(p->indices, bob_mem_slots.indices, sizeof(p->indices));
	if (leave_mark(p->uc))
		return;
	p->im = mem_image_running(rip_of(p->uc), &code);
	if (!p->im || bob_mem_map_find(p->im->mem->plan, code, w) != BOB_OK)
		return;
	p->code = rip_of(p->uc);
	p->orig = p->im->bias + w->orig;
	p->reg = w->cursor;
	p->added = w->added;
	if (w->cursor != BOB_MEM_NO_CURSOR) /* it may not have been stored yet */
		bob_mem_slots.cursor =
			(uint64_t *)(uintptr_t)*mem_context_register(p->uc, p->reg) + p->added;
	/* the cursor of a fork child may still refer to its parent's buffer */
	if (w->desc == UINT32_MAX || !mem_is_recorded() || process_is_child() ||
	    !(w->iterates || w->complete || bob_mem_slots.cursor < bob_mem_slots.limit))
		return;
	d = mem_desc(NULL, p->im->mem->first_desc + w->desc);
	if (d && (d->payload || !w->iterates))
		p->capacity = words_of(d) + (w->iterates ? d->payload : 0u);
}

/* Registers that the probe has spilled: show their values to the handler. */
static void show_spilled(struct place *p)
{
	for (unsigned i = 0; i < BOB_MEM_SPILLS; i++) {
		uint64_t *reg;

		if (p->where.spilled[i] == BOB_MEM_NO_CURSOR)
			continue;
		reg = mem_context_register(p->uc, p->where.spilled[i]);
		p->scratch[i] = *reg;
		*reg = p->spill[i];
	}
}

static void hide_spilled(struct place *p)
{
	for (unsigned i = 0; i < BOB_MEM_SPILLS; i++) {
		uint64_t *reg;

		if (p->where.spilled[i] == BOB_MEM_NO_CURSOR)
			continue;
		reg = mem_context_register(p->uc, p->where.spilled[i]);
		p->spill[i] = *reg;
		*reg = p->scratch[i];
	}
}

static void leave_place(void *uc, struct place *p)
{
	if (p->capacity)
		area_run(p->where.iterates ? take_iteration : take_record, p);
	if (p->code && p->uc == uc) {
		set_rip(uc, p->orig);
		show_spilled(p);
	}
}

/* Make the probe continue at the thread's current position. */
static void mend(struct place *p)
{
	uint64_t *now = bob_mem_slots.cursor;

	if (p->where.iterates) {
		for (uint32_t i = 0; i < p->payload; i++)
			now[i] = p->word[p->words + i];
		now += p->complete ? p->payload : 0;
		bob_mem_slots.cursor = now;
	} else {
		for (uint32_t i = 1; i < p->words && !p->complete; i++)
			now[i] = p->word[i];
		bob_mem_slots.loop = now;
	}
	if (p->reg != BOB_MEM_NO_CURSOR)
		*mem_context_register(p->uc, p->reg) = (uint64_t)(uintptr_t)(now - p->added);
}

static void return_to_place(void *uc, struct place *p)
{
	if (p->uc == uc && p->code) {
		if (rip_of(uc) != p->orig) {
			p->words = p->payload = 0;
			/* the handler changes where the program continues */
			p->reg = BOB_MEM_NO_CURSOR;
		} else {
			set_rip(uc, p->code);
			hide_spilled(p);
		}
	}
	if (p->words && p->accesses)
		put_record(BOB_MEM_AGAIN, &p->accesses, 1);
	if (p->words && (p->complete || p->where.iterates))
		put_record(p->number, p->word + 1, p->words - 1);
	/* The continued code needs space. A complete record must be the last one in its buffer, in
	 * case of another signal: only a request for space may follow it. */
	if (!p->where.complete && !(p->words && p->where.iterates) &&
	    bob_mem_slots.cursor >= bob_mem_slots.limit)
		mem_make_space();
	mend(p);
	memcpy(bob_mem_slots.spill, p->spill, sizeof(p->spill));
	memcpy(bob_mem_slots.indices, p->indices, sizeof(p->indices));
}

/* --- handlers --- */

static void call(const struct signal_action *a, int sig, siginfo_t *info, void *uc)
{
	((void (*)(int, siginfo_t *, void *))(uintptr_t)a->handler)(sig, info, uc);
}

/* System calls are forbidden: call the handler without recording. */
static void call_quietly(const struct signal_action *a, int sig, siginfo_t *info, void *uc)
{
	struct bob_mem_slots kept = bob_mem_slots;

	bob_mem_slots.cursor = bob_mem_slots.limit = NULL;
	call(a, sig, info, uc);
	bob_mem_slots = kept;
}

void bob_mem_signal(int sig, siginfo_t *info, void *uc, unsigned long mask)
{
	const bool put_away = !bob_mem_slots.limit;
	uint64_t rip = rip_of(uc);
	struct signal_action a;
	struct place p;

	if (sig == SIGTRAP && info->si_code == SI_KERNEL && mem_trapped(&rip)) {
		set_rip(uc, rip);
		return;
	}
	if (sig == SIGTRAP && info->si_code > 0 && info->si_code != SI_KERNEL &&
	    image_is_agent(rip))
		return; /* single steps by the program must not stop in our code */
	a = signal_actions[sig];
	if (a.flags & (int)SA_RESETHAND)
		signal_actions[sig].handler = 0;
	if (a.handler <= 1) {
		signal_by_default(sig, info->si_code <= 0, a.handler);
		return;
	}
	if (!os_allowed()) {
		call_quietly(&a, sig, info, uc);
		return;
	}
	/* the kernel blocks the handler's own signal, and sigsuspend etc. may block others */
	mask &= ~BIT(SIGTRAP);
	find_place(uc, &p);
	/* on the stack, but small: alternate stacks may be small */
	p.word = __builtin_alloca(p.capacity * sizeof(*p.word));
	leave_place(uc, &p);
	put_record(BOB_MEM_SIGNAL_BEGIN, (const uint64_t[]){ (uint64_t)sig, 0 }, 2);
	os_restore_signals(sig == SIGTRAP ? mask | (a.mask & ~BIT(SIGTRAP)) : mask);
	call(&a, sig, info, uc);
	os_block_signals();
	put_record(BOB_MEM_SIGNAL_END, NULL, 0);
	return_to_place(uc, &p);
	/* A fork may continue or be restarted by the kernel: the child must not find a buffer of
	 * its parent, although the handler has requested one. */
	if (put_away)
		bob_mem_slots.limit = NULL;
}

/* --- signals of the agent --- */

/* Entry of pthread_sigmask, also called by sigprocmask: a trap of ours while SIGTRAP is blocked
 * would kill the process. */
void mem_sigmask(struct bob_regs *r)
{
	const sigset_t *set = (const sigset_t *)(uintptr_t)r->rsi;
	uint64_t mask;
	sigset_t *m;

	if (!set || (int)r->rdi == SIG_UNBLOCK)
		return;
	memcpy(&mask, set, sizeof(mask));
	if (!(mask & BIT(SIGTRAP)))
		return;
	m = area_argument(set, sizeof(*set));
	mask &= ~BIT(SIGTRAP);
	memcpy(m, &mask, sizeof(mask));
	r->rsi = (uint64_t)(uintptr_t)m;
}

/* After exec, SIGTRAP may be ignored or blocked: undo that. */
void mem_signals_begin(void)
{
	const struct os_action trap = {
		.handler = (uint64_t)(uintptr_t)bob_mem_signal_entry,
		/* another signal may arrive at its first instruction, whose handler may meet a
		 * trap */
		.flags = SA_SIGINFO | SA_NODEFER | RESTORER_FLAG,
		.restorer = (uint64_t)(uintptr_t)bob_mem_restorer,
	};
	struct os_action old = { 0 };

	os_never_block(SIGTRAP);
	os_sigaction(SIGTRAP, &trap, &old);
	signal_actions[SIGTRAP] = (struct signal_action){ .handler = old.handler,
							  .mask = old.mask,
							  .flags = (int)old.flags };
	os_restore_signals(os_block_signals() & ~BIT(SIGTRAP));
}
