/* SPDX-License-Identifier: BSD-3-Clause */
/* Process-dependent values in an arena of translated code, and access to the registers of a signal
 * frame. */
#define _GNU_SOURCE
#include <string.h>
#include <ucontext.h>

#include "agent/mem/mem.h"

void mem_entry_copy(uint8_t *to)
{
	uint64_t full = (uint64_t)(uintptr_t)bob_mem_full_entry;

	memcpy(to, "\xff\x25\0\0\0\0", 6); /* jmp *0(%rip) */
	memcpy(to + 6, &full, sizeof(full));
}

int32_t mem_slots_offset(void)
{
	uint64_t fs_base;

	__asm__("mov %%fs:0, %0" : "=r"(fs_base));
	return (int32_t)((int64_t)(uintptr_t)&bob_mem_slots - (int64_t)fs_base);
}

uint64_t *mem_context_register(void *context, unsigned number)
{
	static const uint8_t place[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					   REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
					   REG_R12, REG_R13, REG_R14, REG_R15 };
	ucontext_t *uc = context;

	return (uint64_t *)&uc->uc_mcontext.gregs[place[number & 15]];
}

uint64_t *mem_context_pc(void *context)
{
	ucontext_t *uc = context;

	return (uint64_t *)&uc->uc_mcontext.gregs[REG_RIP];
}
