/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's signal handlers. The kernel calls ours in their place (arch/x86_64/signal.S; where
 * memory is recorded that of mem/signal.c), so that they see the program's own code wherever they
 * interrupt it: program counter and registers in their ucontext are those of the original
 * instruction, not of a trampoline or of the recorder (context.c). When the handler is over, the
 * interrupted code goes on. If code of ours was interrupted and the handler asks for another place,
 * it gets that; if bytes there are overwritten, the displaced instruction's (places.c).
 *
 * The program sees its own handlers when it asks (sigaction). Calling a handler takes no system
 * call. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>

#include "agent/thread_area.h"
#include "agent/mem/mem.h"
#include "agent/os.h"
#include "agent/places.h"
#include "agent/signal.h"

#define RESTORER_FLAG 0x04000000 /* SA_RESTORER, of the kernel */
#define SIGCANCEL 32		/* libc's own */
#define SIGSETXID 33
#define BIT(sig) (1ull << ((sig)-1))

struct signal_action signal_actions[SIGNALS];

/* Virtual machines make steps TRAP_BRKPT now and then, which int3 is not. */
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
	if (handler <= 1) { /* it was changed a moment ago */
		if (os_allowed())
			signal_by_default((int)number, si->si_code <= 0, handler);
		return 0;
	}
	s->change = context_show(gregs);
	s->shown = gregs[BOB_GREG_RIP];
	if (is_step(number, info) && s->change > BOB_SHOWN_PLACE) {
		memcpy(gregs, s->was,
		       sizeof(s->was)); /* a program that steps itself does not step us */
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
	if (sent || sig == SIGTRAP) /* a fault comes again */
		os_raise(sig);
}

/* --- what the program asks of libc --- */

static uint64_t our_handler(void)
{
	return (uint64_t)(uintptr_t)(bob_process.config.mem ? bob_mem_signal_entry :
							      bob_signal_entry);
}

/* As the program set it. Where the kernel may not be asked, the program has changed it last. */
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

/* What libc sets in its place: our handler, with all else as asked for. */
static void take_over(struct sigaction *act)
{
	uint64_t mask;

	if ((uint64_t)(uintptr_t)act->sa_handler <= 1)
		return;
	act->sa_handler = (void (*)(int))(uintptr_t)our_handler();
	act->sa_flags |= SA_SIGINFO;
	if (!bob_process.config.mem)
		return;
	memcpy(&mask, &act->sa_mask, sizeof(mask)); /* SIGTRAP is ours there */
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
		return; /* will be refused */
	if (os_allowed() && !process_is_child() && os_pid() != bob_process.pid) {
		/* a vfork child has handlers of its own, but our memory: it needs our traps */
		if (traps)
			r->rsi = 0;
		return;
	}
	if (act && (uint64_t)(uintptr_t)act->sa_handler == our_handler())
		return; /* we were here a moment ago */
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
