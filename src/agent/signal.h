/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's signal handlers: they see its own code wherever they interrupt it (signal.c,
 * arch/x86_64/signal.S, context.c). Where memory is recorded, mem/signal.c calls them.
 * Threads: a struct bob_signal is on the stack of the thread that the signal came to. */
#ifndef BOB_AGENT_SIGNAL_H
#define BOB_AGENT_SIGNAL_H

#include "agent/agent.h"

enum bob_greg { /* as in the kernel's struct ucontext */
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

enum bob_shown {
	BOB_SHOWN_OWN,		/* one of the program's own instructions: nothing is changed */
	BOB_SHOWN_PLACE,	/* where a displaced instruction begins: rip and rsp are changed */
	BOB_SHOWN_AGAIN,	/* the same, and a step before or after it shows this place, too */
	BOB_SHOWN_ENTRY,	/* the entry that is being recorded: all registers are changed */
	BOB_SHOWN_NOT		/* the agent's: nothing is changed */
};

/* Between the frame that the kernel made for a signal and its handler (signal.S). */
struct bob_signal {
	uint64_t was[BOB_GREGS]; /* the interrupted registers; first, frames.c reads them */
	uint64_t shown;		/* the program counter that the handler sees */
	void *info;
	uint64_t number;
	uint64_t change;	/* enum bob_shown */
};

/* From signal.S: changes the registers to what the handler shall see, and returns its address; 0:
 * there is no handler. After a handler for which anything was changed (not BOB_SHOWN_OWN). */
uint64_t bob_signal_begin(uint64_t number, void *info, uint64_t *gregs, struct bob_signal *s);
void bob_signal_end(struct bob_signal *s, uint64_t *gregs);
/* What the kernel calls; what a handler returns to. */
extern const uint8_t bob_signal_entry[], bob_signal_return[];

/* What the program set. Read while another thread may write it: as loose as in the kernel. */
struct signal_action {
	uint64_t handler, mask;
	int flags;
	void (*restorer)(void);
};
#define SIGNALS 65
extern struct signal_action signal_actions[SIGNALS];
/* Before sigaction; `by_libc`: before what it calls in libc, for signals of libc's own, too. */
void signal_set(struct bob_regs *r, bool by_libc);
/* What the kernel would have done had it known that there is no handler but this one of 0 and
 * SIG_IGN. `sent`: by a process. */
void signal_by_default(int sig, bool sent, uint64_t handler);

/* --- arch/x86_64/context.c --- */
/* Bytes from a function's return address down to that of the C that entry.S called for it. */
#define BOB_C_FRAME 144u
/* Changes the registers to what they would be without the agent. */
enum bob_shown context_show(uint64_t *gregs);

#endif
