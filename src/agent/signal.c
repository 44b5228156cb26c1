/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's signal handlers. The kernel calls ours instead (arch/x86_64/signal.S; that of
 * mem/signal.c if memory is recorded), so that the program's handlers see its own code wherever
 * they interrupt it: program counter and registers in their ucontext are those of the original
 * instruction, not of a trampoline or of the recorder (context.c). After the handler, the
 * interrupted code continues. If code of ours was interrupted and the handler changes the program
 * counter, execution continues there; if those bytes are overwritten, at the displaced instruction
 * (patched_places.c).
 *
 * sigaction returns the program's own handlers. Calling a handler needs no system call. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>

#include "agent/thread_area.h"
#include "agent/mem/mem.h"
#include "agent/os.h"
#include "agent/patched_places.h"
#include "agent/signal.h"

#define RESTORER_FLAG 0x04000000 /* SA_RESTORER of the kernel */
#define SIGCANCEL 32		/* used by libc itself */
#define SIGSETXID 33
#define BIT(sig) (1ull << ((sig)-1))

struct signal_action signal_actions[SIGNALS];

/* Virtual machines sometimes report single steps as TRAP_BRKPT, which int3 never causes. */
static bool is_step(uint64_t number, const siginfo_t *info)
{
	return number == SIGTRAP && (info->si_code == TRAP_TRACE || info->si_code == TRAP_BRKPT);
}

uint64_t bob_signal_begin(uint64_t number, void *info, uint64_t *gregs, struct bob_signal *s)
{
	struct signal_action *a = &signal_actions[number];
	uint64_t handler = a->handler;
	const siginfo_t *si = info;

	memcpy(s->was, gregs, sizeof(s->was));
	if (a->flags & (int)SA_RESETHAND)
		a->handler = 0;
	if (handler <= 1) { /* it was changed meanwhile */
		if (os_allowed())
			signal_by_default((int)number, si->si_code <= 0, handler);
		return 0;
	}
	s->change = context_show(gregs);
	s->shown = gregs[BOB_GREG_RIP];
	if (is_step(number, info) && s->change > BOB_SHOWN_PLACE) {
		/* single steps by the program must not stop in our code */
		memcpy(gregs, s->was, sizeof(s->was));
		return 0;
	}
	return handler;
}

void bob_signal_end(struct bob_signal *s, uint64_t *gregs)
{
	const struct bob_image *im;

	if (gregs[BOB_GREG_RIP] == s->shown) {
		if (s->change == BOB_SHOWN_ENTRY)
			memcpy(gregs, s->was, sizeof(s->was));
		gregs[BOB_GREG_RIP] = s->was[BOB_GREG_RIP];
		gregs[BOB_GREG_RSP] = s->was[BOB_GREG_RSP];
		return;
	}
	im = image_at(gregs[BOB_GREG_RIP]);
	if (im)
		gregs[BOB_GREG_RIP] = place_to_resume(im, gregs[BOB_GREG_RIP]);
}

void signal_by_default(int sig, bool sent, uint64_t handler)
{
	const struct os_action dfl = { 0 };

	if (handler == (uint64_t)(uintptr_t)SIG_IGN && sent)
		return;
	os_sigaction(sig, &dfl, NULL);
	if (sent || sig == SIGTRAP) /* a fault occurs again by itself */
		os_raise(sig);
}

/* --- calls of libc's functions --- */

static uint64_t our_handler(void)
{
	return (uint64_t)(uintptr_t)(bob_process.config.mem ? bob_mem_signal_entry :
							      bob_signal_entry);
}

/* Return the action as the program set it. If the kernel cannot be asked, the program's last call
 * is used. */
static void report(int sig, struct sigaction *old)
{
	const struct signal_action *a = &signal_actions[sig];
	struct os_action k = { .handler = our_handler() };

	if (os_allowed())
		os_sigaction(sig, NULL, &k);
	memset(&old->sa_mask, 0, sizeof(old->sa_mask));
	if (k.handler == our_handler())
		k = (struct os_action){ a->handler, (uint64_t)a->flags,
					(uint64_t)(uintptr_t)a->restorer, a->mask };
	old->sa_handler = (void (*)(int))(uintptr_t)k.handler;
	old->sa_flags = (int)k.flags;
	old->sa_restorer = (void (*)(void))(uintptr_t)k.restorer;
	memcpy(&old->sa_mask, &k.mask, sizeof(k.mask));
}

static void note(int sig, const struct sigaction *act)
{
	struct signal_action *a = &signal_actions[sig];

	memcpy(&a->mask, &act->sa_mask, sizeof(a->mask));
	a->flags = act->sa_flags | RESTORER_FLAG;
	a->restorer = act->sa_restorer;
	a->handler = (uint64_t)(uintptr_t)act->sa_handler;
}

/* The action that libc installs instead: our handler, everything else unchanged. */
static void take_over(struct sigaction *act)
{
	uint64_t mask;

	if ((uint64_t)(uintptr_t)act->sa_handler <= 1)
		return;
	act->sa_handler = (void (*)(int))(uintptr_t)our_handler();
	act->sa_flags |= SA_SIGINFO;
	if (!bob_process.config.mem)
		return;
	memcpy(&mask, &act->sa_mask, sizeof(mask)); /* with memory recording we need SIGTRAP */
	mask &= ~BIT(SIGTRAP);
	memcpy(&act->sa_mask, &mask, sizeof(mask));
}

void signal_set(struct bob_regs *r, bool by_libc)
{
	int sig = (int)r->rdi;
	const struct sigaction *act = (const struct sigaction *)(uintptr_t)r->rsi;
	struct sigaction *old = (struct sigaction *)(uintptr_t)r->rdx;
	bool traps = bob_process.config.mem && sig == SIGTRAP;
	struct sigaction *m = NULL;

	if (sig < 1 || sig >= SIGNALS || sig == SIGKILL || sig == SIGSTOP)
		return;
	if (!by_libc && (sig == SIGCANCEL || sig == SIGSETXID))
		return; /* libc will refuse it */
	if (os_allowed() && !process_is_child() && os_pid() != bob_process.pid) {
		/* a vfork child has its own handlers but shares our memory: it needs our traps */
		if (traps)
			r->rsi = 0;
		return;
	}
	if (act && (uint64_t)(uintptr_t)act->sa_handler == our_handler())
		return; /* a nested call that we have already changed */
	if (act)
		m = area_argument(act, sizeof(*act));
	if (old)
		report(sig, old);
	r->rdx = 0;
	if (!act)
		return;
	note(sig, m);
	r->rsi = traps ? 0 : (uint64_t)(uintptr_t)m;
	take_over(m);
}
