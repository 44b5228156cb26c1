/* SPDX-License-Identifier: BSD-3-Clause */
/* What hooks.S pushes and needs. */
#ifndef BOB_AGENT_ARCH_HOOKS_H
#define BOB_AGENT_ARCH_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* Between a return address's place and its true value. */
#define BOB_HOOK_FAR (1ull << 46)

/* On the stack, at the entry of a hooked function and after its return. */
struct bob_hook_frame {
	uint64_t rdi, rsi, rdx, rcx, r8, r9, r10, r11, flags, rax;
	uint64_t body;		/* at the entry: the trampoline */
	uint64_t ret;		/* its address is the function's entry rsp */
};

/* What returns of hooked functions lead to: in the place of their return addresses. */
extern const uint8_t bob_hook_return[] __attribute__((visibility("hidden")));
#define BOB_HOOK_RETURN ((uint64_t)(uintptr_t)bob_hook_return)

/* Calls fn(arg, state), all vector and x87 state being kept around it; `state` is what was kept, in
 * the layout of XSAVE. */
void bob_hook_with_state(void (*fn)(void *arg, void *state), void *arg);
/* How that is done is found out. False: not on this processor, or with return addresses being
 * checked (shadow stacks). */
bool hooks_state_begin(void);
/* From hooks.S. `eax` as of the trampoline. */
void bob_hook_entered(struct bob_hook_frame *f, uint64_t rbp, uint64_t rbx, uint32_t eax);
void bob_hook_returned(struct bob_hook_frame *f);
uint64_t bob_hook_backtrace_begins(uint32_t eax, uint64_t slot, uint64_t rbp, uint64_t rbx);
int bob_hook_backtrace_frame(void *context, const void *hidden);
/* Where the entry code leads for these. */
extern const uint8_t bob_hook_entry[] __attribute__((visibility("hidden")));
extern const uint8_t bob_hook_backtrace[] __attribute__((visibility("hidden")));

/* xmm0 to 7 in what was kept. */
const void *hooks_vectors(void *state);

#endif
