/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface between hooks.S and the C code of hooks by name. */
#ifndef BOB_AGENT_ARCH_HOOKS_H
#define BOB_AGENT_ARCH_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* Distance between the address of a return address and the copy of its true value. */
#define BOB_HOOK_FAR (1ull << 46)

/* Stack frame at the entry of a hooked function and after its return. */
struct bob_hook_frame {
	uint64_t rdi, rsi, rdx, rcx, r8, r9, r10, r11, flags, rax;
	uint64_t body;		/* at the entry: return address into the trampoline */
	uint64_t ret;		/* its address is the function's entry rsp */
};

/* Replaces the return addresses of hooked functions. */
extern const uint8_t bob_hook_return[] __attribute__((visibility("hidden")));
#define BOB_HOOK_RETURN ((uint64_t)(uintptr_t)bob_hook_return)

/* Call fn(arg, state) with all vector and x87 state saved before and restored afterwards; `state`
 * is the saved state in the XSAVE format. */
void bob_hook_with_state(void (*fn)(void *arg, void *state), void *arg);
/* Select the way to save state. False: not possible on this processor, or shadow stacks check
 * return addresses. */
bool hooks_state_begin(void);
/* Called from hooks.S. `eax` is the id from the trampoline. */
void bob_hook_entered(struct bob_hook_frame *f, uint64_t rbp, uint64_t rbx, uint32_t eax);
void bob_hook_returned(struct bob_hook_frame *f);
uint64_t bob_hook_backtrace_begins(uint32_t eax, uint64_t slot, uint64_t rbp, uint64_t rbx);
int bob_hook_backtrace_frame(void *context, const void *hidden);
/* Targets of the entry code. */
extern const uint8_t bob_hook_entry[] __attribute__((visibility("hidden")));
extern const uint8_t bob_hook_backtrace[] __attribute__((visibility("hidden")));

/* xmm0 to xmm7 in the saved state. */
const void *hooks_vectors(void *state);

#endif
