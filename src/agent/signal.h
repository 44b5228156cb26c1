/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's signal handlers, which see its own code wherever they interrupt it (signal.c,
 * arch/x86_64/signal.S, context.c). If memory is recorded, mem/signal.c calls them. Threads: a
 * struct bob_signal is on the stack of the thread that got the signal. */
#ifndef BOB_AGENT_SIGNAL_H
#define BOB_AGENT_SIGNAL_H

#include "agent/agent.h"

/* Indices as in the kernel's struct ucontext. */
enum bob_greg {
	BOB_GREG_R8,
	BOB_GREG_R9,
	BOB_GREG_R10,
	BOB_GREG_R11,
	BOB_GREG_R12,
	BOB_GREG_R13,
	BOB_GREG_R14,
	BOB_GREG_R15,
	BOB_GREG_RDI,
	BOB_GREG_RSI,
	BOB_GREG_RBP,
	BOB_GREG_RBX,
	BOB_GREG_RDX,
	BOB_GREG_RAX,
	BOB_GREG_RCX,
	BOB_GREG_RSP,
	BOB_GREG_RIP,
	BOB_GREGS
};

/* How a context was converted. */
enum bob_shown {
	BOB_SHOWN_OWN,		/* an instruction of the program: nothing is changed */
	BOB_SHOWN_PLACE,	/* the begin of a displaced instruction: rip and rsp are changed */
	BOB_SHOWN_AGAIN,	/* the same; a single step before or after it also reports this
				 * address */
	BOB_SHOWN_ENTRY,	/* the entry that is being recorded: all registers are changed */
	BOB_SHOWN_NOT		/* the agent itself: nothing is changed */
};

/* Pushed between the kernel's signal frame and the handler (signal.S). */
struct bob_signal {
	uint64_t was[BOB_GREGS]; /* the interrupted registers; first member, because frames.c reads
				  * them */
	uint64_t shown;		/* the program counter shown to the handler */
	void *info;
	uint64_t number;
	uint64_t change;	/* enum bob_shown */
};

/* Called from signal.S. _begin changes the registers to those that the handler sees, and returns
 * the handler's address; 0: no handler. _end is called after the handler if anything was changed
 * (not BOB_SHOWN_OWN). */
uint64_t bob_signal_begin(uint64_t number, void *info, uint64_t *gregs, struct bob_signal *s);
void bob_signal_end(struct bob_signal *s, uint64_t *gregs);
/* The handler that the kernel calls; the return address of a handler. */
extern const uint8_t bob_signal_entry[], bob_signal_return[];

/* The program's action. May be read while another thread writes it, with as few guarantees as in
 * the kernel. */
struct signal_action {
	uint64_t handler, mask;
	int flags;
	void (*restorer)(void);
};
#define SIGNALS 65
extern struct signal_action signal_actions[SIGNALS];
/* Called before sigaction; `by_libc`: before the internal function of libc, also for libc's own
 * signals. */
void signal_set(struct bob_regs *r, bool by_libc);
/* Do what the kernel would have done for this handler (0: SIG_DFL, or SIG_IGN). `sent`: by a
 * process. */
void signal_by_default(int sig, bool sent, uint64_t handler);

/* --- arch/x86_64/context.c --- */
/* Distance from a function's return address down to that of the C function that entry.S called for
 * it. */
#define BOB_C_FRAME 144u
/* Change the registers to those without the agent. */
enum bob_shown context_show(uint64_t *gregs);

#endif
