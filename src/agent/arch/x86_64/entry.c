/* SPDX-License-Identifier: BSD-3-Clause */
/* Instantiates the template of entry.S as the entry code of an arena. */
#include <string.h>

#include "agent/agent.h"
#include "agent/hooks.h"
#include "agent/signal.h"
#include "agent/waits.h"

#define X(name, value, expr) _Static_assert((value) == (long)(expr), #name);
#include "agent/arch/x86_64/asm_offsets.def"
#undef X

extern const uint8_t bob_entry_begin[], bob_entry_end[], bob_entry_special[], bob_entry_tls[];
extern const uint8_t bob_entry_wide[], bob_entry_wide_tls[], bob_entry_sync[];
extern const uint8_t bob_entry_hook[], bob_entry_backtrace[];
extern const uint8_t bob_sync_entry[]; /* sync.S */
extern const uint8_t bob_entry_mismatch[], bob_entry_mismatch_end[], bob_entry_literals[];

/* A dummy block with a closed gate, for threads without a block. */
static struct {
	struct bob_gate gate;
	struct bob_hot hot;
} no_thread;

struct bob_hot *const bob_no_thread = &no_thread.hot;
__thread struct bob_hot *bob_thread_hot = &no_thread.hot;

uint32_t entry_special_offset(void)
{
	return (uint32_t)(bob_entry_special - bob_entry_begin);
}

uint32_t entry_sync_offset(void)
{
	return (uint32_t)(bob_entry_sync - bob_entry_begin);
}

uint32_t entry_hook_offset(void)
{
	return (uint32_t)(bob_entry_hook - bob_entry_begin);
}

uint32_t entry_backtrace_offset(void)
{
	return (uint32_t)(bob_entry_backtrace - bob_entry_begin);
}

uint32_t entry_wide_offset(void)
{
	return (uint32_t)(bob_entry_wide - bob_entry_begin);
}

static int32_t tls_offset(void)
{
	return (int32_t)((int64_t)(uintptr_t)&bob_thread_hot - (int64_t)thread_pointer());
}

void entry_copy(uint8_t *to, bool null_codec)
{
	const uint64_t literals[] = {
		(uintptr_t)bob_enter,
		(uintptr_t)bob_enter_put,
		(uintptr_t)bob_enter_drain,
		(uintptr_t)bob_special,
		(uintptr_t)&bob_process.generation,
		(uintptr_t)bob_sync_entry,
		(uintptr_t)bob_hook_entry,
		(uintptr_t)bob_hook_backtrace,
	};
	int32_t tls = tls_offset();

	memcpy(to, bob_entry_begin, (size_t)(bob_entry_end - bob_entry_begin));
	memcpy(to + (bob_entry_tls - bob_entry_begin), &tls, sizeof(tls));
	memcpy(to + (bob_entry_wide_tls - bob_entry_begin), &tls, sizeof(tls));
	memcpy(to + (bob_entry_literals - bob_entry_begin), literals, sizeof(literals));
	if (null_codec) /* the null codec accepts every symbol */
		memset(to + (bob_entry_mismatch - bob_entry_begin), 0x90,
		       (size_t)(bob_entry_mismatch_end - bob_entry_mismatch));
}

/* The stack guard of split stacks in gcc and glibc: __private_ss of the thread control block. */
uint64_t split_guard(void)
{
	uint64_t guard;

	__asm__("mov %%fs:0x70, %0" : "=r"(guard));
	return guard;
}

uint64_t thread_pointer(void)
{
	uint64_t p;

	__asm__("mov %%fs:0, %0" : "=r"(p));
	return p;
}

/* rdsspq is a no-op without shadow stacks. */
uint64_t shadow_stack(void)
{
	uint64_t p = 0;

	__asm__("rdsspq %0" : "+r"(p));
	return p;
}
