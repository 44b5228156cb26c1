/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs functions of a shared object twice in this process, at the same addresses, with the same
 * stack and data: as they are, under the processor's single-step flag, and translated for tracing
 * memory. The stepper decodes each instruction of the image and computes its accesses from the
 * registers, so that its list of accesses owes nothing to blocks, liveness, words and probes. Both
 * lists and the state after the function must be equal.
 *
 * One image at a time, one thread. */
#ifndef BOB_TEST_MEMRUN_H
#define BOB_TEST_MEMRUN_H

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "plan/image.h"
#include "plan/mem/mem.h"

#define MEMRUN_STACK (1u << 20)
#define MEMRUN_EVENTS (1u << 22)
#define MEMRUN_ID_BASE 1000u	/* of the image's descriptors in the "process" */

struct memrun_event {
	uint64_t address, pc;
	uint16_t size;
	uint8_t type;
	uint8_t zero[5];	/* instead of padding: lists are compared as bytes */
};

/* In lists beside enum bob_mem_type, with the stack pointer as address: what pieces say of
 * calls. */
enum { MEMRUN_ENTERS = 10, MEMRUN_CALLS, MEMRUN_RETURNS };

struct memrun_list {
	struct memrun_event *at;
	size_t count;
};

/* What a call is given, and what it leaves. */
struct memrun_call {
	uint64_t reg[16];	/* in the processor's numbering */
	uint64_t flags;
	uint64_t fn;
	uint64_t step;		/* trap flag wanted */
	uint64_t saved_rsp;
};

struct memrun {
	struct bob_plan_image img;
	struct bob_mem_plan plan;
	uint8_t *file;		/* the plan as the agent gets it */
	const struct bob_mem_plan_head *head;
	void *handle;
	uint64_t bias, text_lo, text_hi;
	uint8_t *arena;
	size_t arena_bytes;
	uint8_t *original;	/* pristine text */
	uint8_t *data, *data_copy; /* writable segment */
	size_t data_bytes;
	bool data_varies;	/* the library's, from call to call */
	uint64_t *tls;		/* 64 bytes to be reset before each run, or NULL */
	uint8_t *stack;
	struct memrun_list stepped, recorded;
	uint64_t traps, drains, records, lost;
	uint64_t surprises;	/* traps where the planner foresaw none */
	bool patched;
	uint64_t last_pc;	/* of the instruction before, anywhere */
	bool last_was_call;
	/* for memmap.h: instructions that were stepped, while the array has space; a callback for
	 * those that are stepped in translated code, or NULL */
	uint64_t *path;
	size_t path_count;
	void (*observe)(struct memrun *m, ucontext_t *uc);
};

/* Registers that are compared. Libraries' calls of functions that the thread sanitizer has replaced
 * leave something of its own in those that a call may change. */
#ifdef __SANITIZE_THREAD__
#define MEMRUN_REGISTERS 0xf039u
#else
#define MEMRUN_REGISTERS 0xffffu
#endif

static struct memrun *memrun_now;
static __thread struct bob_mem_slots memrun_tls;
static uint64_t memrun_buffer[512];
static uint64_t memrun_limit = 64; /* words; small, so that buffers are full all the time */
static uint8_t memrun_xsave[8192] __attribute__((used, aligned(64)));
static struct memrun_call *memrun_call_now __attribute__((used));
static struct memrun_call memrun_out __attribute__((used));

/* --- calling --- */

void memrun_enter(struct memrun_call *c);
void memrun_full(void);
void memrun_c_drain(void);

/* rdi: the call. All registers are loaded from it; the function returns to 1:. */
__asm__(".text\n"
	".globl memrun_enter\n"
	"memrun_enter:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rdi, memrun_call_now(%rip)\n"
	"	mov %rsp, 152(%rdi)\n"
	"	mov 136(%rdi), %rax\n"
	"	mov %rax, memrun_fn(%rip)\n"
	"	mov 32(%rdi), %rsp\n"
	"	lea 1f(%rip), %rax\n"
	"	push %rax\n"
	"	mov 8(%rdi), %rcx; mov 16(%rdi), %rdx; mov 24(%rdi), %rbx; mov 40(%rdi), %rbp\n"
	"	mov 48(%rdi), %rsi; mov 64(%rdi), %r8; mov 72(%rdi), %r9; mov 80(%rdi), %r10\n"
	"	mov 88(%rdi), %r11; mov 96(%rdi), %r12; mov 104(%rdi), %r13; mov 112(%rdi), %r14\n"
	"	mov 120(%rdi), %r15\n"
	"	mov 144(%rdi), %rax\n"
	"	shl $8, %rax\n"
	"	or $0x202, %rax\n"
	"	push %rax\n"
	"	mov 0(%rdi), %rax\n"
	"	mov 56(%rdi), %rdi\n"
	"	popfq\n"
	"	jmp *memrun_fn(%rip)\n"
	"1:	pushfq\n"
	"	popq memrun_out+128(%rip)\n"
	"	mov %rax, memrun_out(%rip); mov %rcx, memrun_out+8(%rip)\n"
	"	mov %rdx, memrun_out+16(%rip); mov %rbx, memrun_out+24(%rip)\n"
	"	mov %rsp, memrun_out+32(%rip); mov %rbp, memrun_out+40(%rip)\n"
	"	mov %rsi, memrun_out+48(%rip); mov %rdi, memrun_out+56(%rip)\n"
	"	mov %r8, memrun_out+64(%rip); mov %r9, memrun_out+72(%rip)\n"
	"	mov %r10, memrun_out+80(%rip); mov %r11, memrun_out+88(%rip)\n"
	"	mov %r12, memrun_out+96(%rip); mov %r13, memrun_out+104(%rip)\n"
	"	mov %r14, memrun_out+112(%rip); mov %r15, memrun_out+120(%rip)\n"
	"	mov memrun_call_now(%rip), %rdi\n"
	"	mov 152(%rdi), %rsp\n"
	"	push $0x202\n"
	"	popfq\n"
	"	cld\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n"
	".local memrun_fn\n"
	".comm memrun_fn,8,8\n"
	/* what a full buffer calls: keeps every register */
	".globl memrun_full\n"
	"memrun_full:\n"
	"	pushfq; cld\n"
	"	push %rbp; mov %rsp, %rbp\n"
	"	push %rax; push %rcx; push %rdx; push %rbx; push %rsi; push %rdi\n"
	"	push %r8; push %r9; push %r10; push %r11; push %r12; push %r13; push %r14; "
	"push %r15\n"
	"	and $-64, %rsp\n"
	/* vectors and masks; the state of tiles does not fit */
	"	mov $0xe7, %eax; xor %edx, %edx\n"
	"	xsave64 memrun_xsave(%rip)\n"
	"	call memrun_c_drain\n"
	"	mov $0xe7, %eax; xor %edx, %edx\n"
	"	xrstor64 memrun_xsave(%rip)\n"
	"	lea -112(%rbp), %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %r11; pop %r10; pop %r9; pop %r8\n"
	"	pop %rdi; pop %rsi; pop %rbx; pop %rdx; pop %rcx; pop %rax; pop %rbp\n"
	"	popfq; ret\n");

/* --- the stepper --- */

static void memrun_note(struct memrun_list *l, uint64_t pc, uint64_t address, unsigned size,
			unsigned type)
{
	if (l->count < MEMRUN_EVENTS)
		l->at[l->count++] = (struct memrun_event){ address, pc, (uint16_t)size,
							   (uint8_t)type, { 0 } };
}

static const int memrun_greg[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
				     REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
				     REG_R12, REG_R13, REG_R14, REG_R15 };

static uint64_t memrun_register(const ucontext_t *uc, ZydisRegister r, uint64_t rip)
{
	if (r == ZYDIS_REGISTER_NONE)
		return 0;
	if (r == ZYDIS_REGISTER_RIP)
		return rip;
	return (uint64_t)uc->uc_mcontext.gregs[memrun_greg[ZydisRegisterGetId(r)]];
}

static uint64_t memrun_fs_base(void)
{
	uint64_t v;

	__asm__("mov %%fs:0, %0" : "=r"(v));
	return v;
}

/* --- vector registers: where the kernel saves them after the others --- */

static unsigned memrun_area(unsigned component)
{
	static unsigned known[8]; /* cpuid is slow in virtual machines */
	unsigned a = 0xd, b = 0, c = component, d = 0;

	if (!known[component]) {
		__asm__("cpuid" : "+a"(a), "+b"(b), "+c"(c), "+d"(d));
		known[component] = b + 1;
	}
	return known[component] - 1;
}

static uint64_t memrun_mask_register(const ucontext_t *uc, unsigned k)
{
	uint64_t v;

	memcpy(&v, (const uint8_t *)uc->uc_mcontext.fpregs + memrun_area(5) + 8 * k, 8);
	return v;
}

static void memrun_vector_register(const ucontext_t *uc, unsigned r, uint8_t *to)
{
	const uint8_t *area = (const uint8_t *)uc->uc_mcontext.fpregs;

	memset(to, 0, 64);
	if (r >= 16) {
		memcpy(to, area + memrun_area(7) + 64 * (r - 16), 64);
		return;
	}
	memcpy(to, area + 160 + 16 * r, 16);
	memcpy(to + 16, area + memrun_area(2) + 16 * r, 16);
	if (memrun_area(6))
		memcpy(to + 32, area + memrun_area(6) + 32 * r, 32);
}

static void memrun_mmx_register(const ucontext_t *uc, unsigned r, uint8_t *to)
{
	memcpy(to, (const uint8_t *)uc->uc_mcontext.fpregs + 32 + 16 * r, 8);
}

/* The bits of a mask in a vector register. */
static uint64_t memrun_signs(const uint8_t *v, unsigned lanes, unsigned size)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < lanes; i++)
		mask |= (uint64_t)(v[i * size + size - 1] >> 7) << i;
	return mask;
}

/* Accesses of an instruction with a mask; false: it has none. What the facts say of its lanes
 * test_lanes.c has proved; the registers are read here. */
static bool memrun_step_lanes(struct memrun *m, const ucontext_t *uc, uint64_t pc,
			      const struct bob_x86_facts *f, uint64_t at, unsigned scale)
{
	const struct bob_x86_lanes *l = &f->lanes;
	uint8_t v[64], index[64];
	uint64_t mask;

	if (!l->count)
		return false;
	if (l->mask == BOB_X86_MASK_BYTES_MMX)
		memrun_mmx_register(uc, l->mask_reg, v);
	else
		memrun_vector_register(uc, l->mask_reg, v);
	if (l->mask == BOB_X86_MASK_K)
		mask = memrun_mask_register(uc, l->mask_reg);
	else
		mask = memrun_signs(v, l->count, l->size);
	if (l->bits < 64)
		mask &= (1ull << l->bits) - 1;
	if (l->packed) {
		unsigned n = (unsigned)__builtin_popcountll(mask);

		mask = n == 64 ? ~0ull : (1ull << n) - 1;
	}
	if (l->index != BOB_X86_NO_REG)
		memrun_vector_register(uc, l->index, index);
	for (unsigned i = 0; i < l->count; i++) {
		int64_t by = (int64_t)i * l->size;

		if (!(mask >> i & 1))
			continue;
		if (l->index != BOB_X86_NO_REG && l->index_bytes == 4)
			by = ((const int32_t *)(const void *)index)[i] * (int64_t)scale;
		else if (l->index != BOB_X86_NO_REG)
			by = ((const int64_t *)(const void *)index)[i] * (int64_t)scale;
		memrun_note(&m->stepped, pc, at + (uint64_t)by, l->size, f->access[0].type);
	}
	return true;
}

/* A function is entered here, unless its own code jumps back to its first instruction. */
static bool memrun_enters(struct memrun *m, uint64_t pc)
{
	uint32_t f = bob_plan_func_at(&m->img, pc), from = bob_plan_frame_at(&m->img, m->last_pc);
	const struct bob_plan_code *c = bob_plan_code_at(&m->img, m->last_pc);
	bool same = from != BOB_PLAN_NO_INDEX && m->img.frames.at[from].owner == f && !c->plt;

	return f != BOB_PLAN_NO_INDEX && !(same && !m->last_was_call);
}

/* The instruction about to run. Stack accesses are those of the manual, by mnemonic. */
static void memrun_step(struct memrun *m, const ucontext_t *uc)
{
	uint64_t rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP], pc = rip - m->bias;
	uint64_t rsp = (uint64_t)uc->uc_mcontext.gregs[REG_RSP];
	static ZydisDecoder d;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	struct bob_x86_facts facts;
	bool string, masked;

	if (d.stack_width != ZYDIS_STACK_WIDTH_64 || d.machine_mode != ZYDIS_MACHINE_MODE_LONG_64)
		ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, (void *)rip, 15, &in, op)))
		return;
	if (memrun_enters(m, pc))
		memrun_note(&m->stepped, pc, rsp, 8, MEMRUN_ENTERS);
	m->last_was_call = in.mnemonic == ZYDIS_MNEMONIC_CALL;
	string = in.meta.category == ZYDIS_CATEGORY_STRINGOP;
	if (string &&
	    (in.attributes &
	     (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) &&
	    uc->uc_mcontext.gregs[REG_RCX] == 0)
		return;
	if (in.meta.category == ZYDIS_CATEGORY_NOP || in.meta.category == ZYDIS_CATEGORY_WIDENOP ||
	    in.meta.category == ZYDIS_CATEGORY_PREFETCH)
		return;
	if (in.mnemonic == ZYDIS_MNEMONIC_POP || in.mnemonic == ZYDIS_MNEMONIC_RET)
		memrun_note(&m->stepped, pc, rsp, 8, BOB_MEM_LOAD);
	if (in.mnemonic == ZYDIS_MNEMONIC_LEAVE)
		memrun_note(&m->stepped, pc, (uint64_t)uc->uc_mcontext.gregs[REG_RBP], 8,
			    BOB_MEM_LOAD);
	masked = bob_x86_facts((const uint8_t *)rip, 15, pc, &facts) == BOB_MEM_TAKEN &&
		 facts.lanes.count;
	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < in.operand_count; i++) {
			uint64_t at;
			bool reads, writes, locked;

			if (op[i].type != ZYDIS_OPERAND_TYPE_MEMORY ||
			    op[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
			    (op[i].visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && !string &&
			     !masked))
				continue;
			at = memrun_register(uc, op[i].mem.base, rip + in.length) +
			     (uint64_t)op[i].mem.disp.value;
			if (op[i].mem.type == ZYDIS_MEMOP_TYPE_MEM)
				at += memrun_register(uc, op[i].mem.index, 0) * op[i].mem.scale;
			if (masked) {
				if (pass == 0)
					memrun_step_lanes(m, uc, pc, &facts, at, op[i].mem.scale);
				continue;
			}
			if (op[i].mem.segment == ZYDIS_REGISTER_FS)
				at += memrun_fs_base();
			if (in.mnemonic == ZYDIS_MNEMONIC_POP &&
			    op[i].mem.base == ZYDIS_REGISTER_RSP)
				at += 8;
			reads = op[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ;
			writes = op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
			locked = (in.attributes & ZYDIS_ATTRIB_HAS_LOCK) ||
				 in.mnemonic == ZYDIS_MNEMONIC_XCHG;
			if (locked && pass == 0)
				memrun_note(&m->stepped, pc, at, op[i].size / 8, BOB_MEM_ATOMIC);
			else if (!locked && pass == 0 && reads)
				memrun_note(&m->stepped, pc, at, op[i].size / 8, BOB_MEM_LOAD);
			else if (!locked && pass == 1 && writes)
				memrun_note(&m->stepped, pc, at, op[i].size / 8, BOB_MEM_STORE);
		}
	if (in.mnemonic == ZYDIS_MNEMONIC_PUSH || in.mnemonic == ZYDIS_MNEMONIC_PUSHFQ ||
	    in.mnemonic == ZYDIS_MNEMONIC_CALL)
		memrun_note(&m->stepped, pc, rsp - 8, 8, BOB_MEM_STORE);
	if (in.mnemonic == ZYDIS_MNEMONIC_CALL)
		memrun_note(&m->stepped, pc, rsp, 8, MEMRUN_CALLS);
	if (in.mnemonic == ZYDIS_MNEMONIC_RET)
		memrun_note(&m->stepped, pc, rsp, 8, MEMRUN_RETURNS);
}

static const void *memrun_section(const struct memrun *m, const struct bob_plan_section *s)
{
	return m->file + s->off;
}

/* Is it code that has been translated? */
static bool memrun_translated(const struct memrun *m, uint64_t rip)
{
	const struct bob_mem_patch *p = memrun_section(m, &m->head->patches);

	for (size_t i = 0; i < m->head->patches.len / sizeof(*p); i++)
		if (rip - m->bias - p[i].addr < p[i].len)
			return true;
	return false;
}

static const struct bob_mem_stop *memrun_find_stop(const struct memrun *m, uint64_t addr)
{
	const struct bob_mem_stop *s = memrun_section(m, &m->head->stops);

	for (size_t i = 0; i < m->head->stops.len / sizeof(*s); i++)
		if (s[i].orig == addr)
			return &s[i];
	return NULL;
}

/* A virtual machine may lose the step after an instruction that it emulates; so cpuid is done
 * here. */
static bool memrun_cpuid(ucontext_t *uc)
{
	greg_t *g = uc->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)(uintptr_t)g[REG_RIP];
	uint32_t a = (uint32_t)g[REG_RAX], b, c = (uint32_t)g[REG_RCX], d;

	if (code[0] != 0x0f || code[1] != 0xa2)
		return false;
	__asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	g[REG_RAX] = a;
	g[REG_RBX] = b;
	g[REG_RCX] = c;
	g[REG_RDX] = d;
	g[REG_RIP] += 2;
	return true;
}

static bool memrun_foreseen(const struct memrun *m, uint64_t addr)
{
	const struct bob_mem_patch *p = memrun_section(m, &m->head->patches);

	for (size_t i = 0; i < m->head->patches.len / sizeof(*p); i++)
		if (addr - p[i].addr < p[i].len)
			return p[i].traps > 0;
	return false;
}

static void memrun_trap(int sig, siginfo_t *info, void *context)
{
	struct memrun *m = memrun_now;
	ucontext_t *uc = context;
	uint64_t rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	const struct bob_mem_stop *s;

	(void)sig;
	/* int3 is SI_KERNEL; virtual machines make steps TRAP_BRKPT now and then */
	if (m->patched && info->si_code != SI_KERNEL) {
		if (m->observe)
			m->observe(m, uc);
		return;
	}
	while (!m->patched) {
		if (rip >= m->text_lo && rip < m->text_hi && memrun_translated(m, rip)) {
			if (m->path && m->path_count < MEMRUN_EVENTS)
				m->path[m->path_count++] = rip - m->bias;
			memrun_step(m, uc);
		} else {
			m->last_was_call = false;
		}
		m->last_pc = rip - m->bias;
		if (!memrun_cpuid(uc))
			return;
		rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	}
	s = memrun_find_stop(m, rip - 1 - m->bias);
	if (!s) {
		fprintf(stderr, "trap at unknown place %lx, code %d\n",
			(unsigned long)(rip - 1 - m->bias), info->si_code);
		abort();
	}
	m->traps++;
	m->surprises += !memrun_foreseen(m, rip - 1 - m->bias);
	uc->uc_mcontext.gregs[REG_RIP] =
		(greg_t)(uintptr_t)(m->arena + BOB_PLAN_HANDLER_BYTES + s->code);
	if (m->observe)
		m->observe(m, uc);
}

/* --- expansion --- */

static struct bob_mem_desc memrun_desc(const struct memrun *m, size_t i)
{
	const struct bob_mem_planned *p = &m->plan.descs.at[i];
	struct bob_mem_desc d = p->desc;

	d.access = p->desc.access_count ? m->plan.accesses.at + p->access : NULL;
	d.step = p->desc.kind == BOB_MEM_LOOP ? m->plan.steps.at + p->step : NULL;
	return d;
}

static const uint64_t *memrun_expand(struct memrun *m, const uint64_t *w, const uint64_t *end)
{
	uint32_t id = (uint32_t)(*w & BOB_MEM_NUMBER) - MEMRUN_ID_BASE;
	struct bob_mem_walk walk;
	struct bob_mem_event e;
	struct bob_mem_desc d;
	size_t words;
	bob_status st;

	if (!(*w & BOB_MEM_HEADER) || id >= m->plan.descs.count) {
		m->lost++;
		return end;
	}
	d = memrun_desc(m, id);
	if (bob_mem_record_count(&d, w + 1, (size_t)(end - w - 1), 0, &words) != BOB_OK ||
	    bob_mem_walk_begin(&walk, &d, w + 1, words, m->bias) != BOB_OK) {
		m->lost++;
		return end;
	}
	if (d.flow & BOB_MEM_ENTERS)
		memrun_note(&m->recorded, d.pc, w[1 + d.sp_word] + (uint64_t)(int64_t)d.sp_begin, 8,
			    MEMRUN_ENTERS);
	while ((st = bob_mem_walk_next(&walk, &e)) != BOB_END)
		if (st == BOB_OK)
			memrun_note(&m->recorded, e.pc, e.address, e.size, e.type);
	if (d.flow & (BOB_MEM_CALLS | BOB_MEM_RETURNS))
		memrun_note(&m->recorded, d.pc + d.last,
			    w[1 + d.sp_word] + (uint64_t)(int64_t)d.sp_end, 8,
			    d.flow & BOB_MEM_CALLS ? MEMRUN_CALLS : MEMRUN_RETURNS);
	m->records++;
	return w + 1 + words;
}

/* Every descriptor is one that readers take: they check all fields. */
/* Not memcmp: there are bytes between and after the fields. */
static bool memrun_same_access(const struct bob_mem_access *a, const struct bob_mem_access *b)
{
	return a->offset == b->offset && a->pc == b->pc && a->size == b->size &&
	       a->type == b->type && a->word == b->word && a->guard == b->guard &&
	       a->guard_bit == b->guard_bit;
}

static bool memrun_check_descs(const struct memrun *m)
{
	static struct bob_mem_access access[BOB_MEM_ACCESSES_MAX];
	static struct bob_mem_step step[BOB_MEM_WORDS_MAX];
	uint8_t *bytes = malloc(BOB_MEM_DESC_BYTES(BOB_MEM_ACCESSES_MAX));
	bool ok = true;

	for (size_t i = 0; ok && i < m->plan.descs.count; i++) {
		struct bob_mem_desc d = memrun_desc(m, i), back;
		const uint8_t *at = bytes, *end = bytes + bob_mem_desc_put(&d, bytes);

		ok = bob_mem_desc_get(&at, end, &back, access, step) == BOB_OK && at == end &&
		     back.access_count == d.access_count;
		for (uint32_t k = 0; ok && k < d.access_count; k++)
			ok = memrun_same_access(&access[k], &d.access[k]);
	}
	free(bytes);
	return ok;
}

void memrun_c_drain(void)
{
	struct memrun *m = memrun_now;
	const uint64_t *w = memrun_buffer;

	m->drains++;
	while (memrun_tls.cursor && w < memrun_tls.cursor)
		w = memrun_expand(m, w, memrun_tls.cursor);
	memset(memrun_buffer, 0, sizeof(memrun_buffer)); /* as free space must be */
	memrun_tls.cursor = memrun_buffer;
	memrun_tls.limit = memrun_buffer + memrun_limit;
}

/* --- loading, patching --- */

static int memrun_phdr(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct memrun *m = ctx;

	(void)size;
	if (info->dlpi_addr != m->bias)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t lo = m->bias + p->p_vaddr;

		if (p->p_type != PT_LOAD)
			continue;
		if (p->p_flags & PF_X) {
			m->text_lo = lo & ~0xfffull;
			m->text_hi = (lo + p->p_memsz + 0xfff) & ~0xfffull;
		} else if (p->p_flags & PF_W) {
			m->data = (uint8_t *)lo;
			m->data_bytes = p->p_memsz;
		}
	}
	/* what is read-only after relocation does not change */
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t end = (m->bias + p->p_vaddr + p->p_memsz) & ~0xfffull;

		if (p->p_type != PT_GNU_RELRO || end <= (uint64_t)(uintptr_t)m->data)
			continue;
		m->data_bytes -= end - (uint64_t)(uintptr_t)m->data;
		m->data = (uint8_t *)end;
	}
	return 0;
}

static void memrun_die(const char *what)
{
	fprintf(stderr, "memrun: %s\n", what);
	abort();
}

static void memrun_plan(struct memrun *m, const char *path)
{
	struct bob_error err = { 0 };
	size_t len = 0;

	if (bob_plan_elf_open(&m->img, path, &err) != BOB_OK || bob_plan_read(&m->img) != BOB_OK ||
	    bob_mem_plan_make(&m->img, &m->plan) != BOB_OK ||
	    bob_mem_plan_write(&m->img, &m->plan, (void **)&m->file, &len) != BOB_OK)
		memrun_die("no plan");
	if (bob_mem_plan_check(m->file, len, m->img.key) != BOB_OK)
		memrun_die("the plan does not pass its check");
	m->head = (const void *)m->file;
}

static void memrun_add(uint8_t *field, int64_t delta)
{
	int32_t v;

	memcpy(&v, field, 4);
	if (v + delta != (int32_t)(v + delta))
		memrun_die("out of reach");
	v = (int32_t)(v + delta);
	memcpy(field, &v, 4);
}

static void memrun_add_all(const struct memrun *m, const struct bob_plan_section *fields,
			   uint8_t *in, int64_t delta)
{
	const uint32_t *at = memrun_section(m, fields);

	for (size_t i = 0; i < fields->len / 4; i++)
		memrun_add(in + at[i], delta);
}

static void memrun_arena(struct memrun *m)
{
	uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };
	uint64_t full = (uint64_t)(uintptr_t)memrun_full;
	const struct bob_mem_plan_head *h = m->head;
	int64_t tls = (int64_t)((uint64_t)(uintptr_t)&memrun_tls - memrun_fs_base()), away;
	uint8_t *blob;

	m->arena_bytes = BOB_PLAN_HANDLER_BYTES + h->blob.len + 4096;
	for (uint64_t at = m->text_lo - (256u << 20); !m->arena; at += 16u << 20) {
		void *p = mmap((void *)at, m->arena_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (p != MAP_FAILED)
			m->arena = p;
	}
	away = (int64_t)((uint64_t)(uintptr_t)m->arena - m->bias);
	memcpy(m->arena, jump, 6);
	memcpy(m->arena + 6, &full, 8);
	blob = m->arena + BOB_PLAN_HANDLER_BYTES;
	memcpy(blob, memrun_section(m, &h->blob), h->blob.len);
	memrun_add_all(m, &h->relocs, blob, -away);
	memrun_add_all(m, &h->tls, blob, tls);
	memrun_add_all(m, &h->ids, blob, MEMRUN_ID_BASE);
	memrun_add_all(m, &h->fixes, m->file + h->text.off, away);
}

static void memrun_patch(struct memrun *m, bool on)
{
	const struct bob_mem_patch *p = memrun_section(m, &m->head->patches);

	if (!on)
		memcpy((void *)m->text_lo, m->original, m->text_hi - m->text_lo);
	for (size_t i = 0; on && i < m->head->patches.len / sizeof(*p); i++)
		memcpy((void *)(m->bias + p[i].addr), m->file + m->head->text.off + p[i].text,
		       p[i].len);
	m->patched = on;
}

/* The library at `path`, loaded, planned, not patched yet. */
static void memrun_open(struct memrun *m, const char *path)
{
	struct sigaction sa = { 0 };
	struct link_map *map = NULL;
	static uint8_t handler_stack[1u << 16];
	stack_t alt = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };

	memset(m, 0, sizeof(*m));
	m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!m->handle || dlinfo(m->handle, RTLD_DI_LINKMAP, &map) != 0)
		memrun_die(dlerror());
	m->bias = map->l_addr;
	dl_iterate_phdr(memrun_phdr, m);
	memrun_plan(m, path);
	if (!memrun_check_descs(m))
		memrun_die("a descriptor is not valid");
	memrun_arena(m);
	m->original = malloc(m->text_hi - m->text_lo);
	memcpy(m->original, (void *)m->text_lo, m->text_hi - m->text_lo);
	if (mprotect((void *)m->text_lo, m->text_hi - m->text_lo,
		     PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		memrun_die("mprotect");
	m->data_copy = malloc(m->data_bytes + 1);
	m->stack = mmap(NULL, MEMRUN_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	m->stepped.at = calloc(MEMRUN_EVENTS, sizeof(struct memrun_event));
	m->recorded.at = calloc(MEMRUN_EVENTS, sizeof(struct memrun_event));
	memrun_now = m;
	sigaltstack(&alt, NULL);
	sa.sa_sigaction = memrun_trap;
	sa.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigaction(SIGTRAP, &sa, NULL);
}

static void memrun_close(struct memrun *m)
{
	bob_mem_plan_free(&m->plan);
	bob_plan_elf_close(&m->img);
	munmap(m->arena, m->arena_bytes);
	munmap(m->stack, MEMRUN_STACK);
	free(m->file);
	free(m->original);
	free(m->data_copy);
	free(m->stepped.at);
	free(m->recorded.at);
	free(m->path);
	dlclose(m->handle);
}

static void memrun_events_differ(const struct memrun *m, const char *name)
{
	size_t n = m->stepped.count < m->recorded.count ? m->stepped.count : m->recorded.count;
	size_t i = 0;

	while (i < n && !memcmp(&m->stepped.at[i], &m->recorded.at[i], sizeof(m->stepped.at[0])))
		i++;
	fprintf(stderr, "%s: %zu accesses, %zu recorded; differ from number %zu on\n", name,
		m->stepped.count, m->recorded.count, i);
	for (size_t k = i > 2 ? i - 2 : 0; k < i + 3; k++) {
		const struct memrun_event *a = &m->stepped.at[k], *b = &m->recorded.at[k];

		fprintf(stderr,
			"  %zu: pc %lx address %lx size %u type %u  |  pc %lx address %lx size "
			"%u type %u\n",
			k, (unsigned long)a->pc, (unsigned long)a->address, a->size, a->type,
			(unsigned long)b->pc, (unsigned long)b->address, b->size, b->type);
	}
}

/* All a run may find or leave, but for `mem`. */
static void memrun_reset(struct memrun *m, bool data)
{
	if (data)	/* else as the library has it */
		memcpy(m->data, m->data_copy, m->data_bytes);
	memset(m->stack, 0, MEMRUN_STACK);
	if (m->tls)
		memset(m->tls, 0, 64);
}

/* Calls `fn` both ways. `mem` of `len` bytes is what it may change beside the library's data.
 * Registers of *c are what it gets; rsp is ours. Returns whether all is equal; says what is not. */
static bool memrun_both(struct memrun *m, const char *name, struct memrun_call *c, void *mem,
			size_t len)
{
	struct memrun_call native;
	uint8_t *before = calloc(2, len), *after = before + len;
	uint8_t *data_after = malloc(m->data_bytes + 1);
	bool ok = true;

	c->reg[4] = (uint64_t)(uintptr_t)(m->stack + MEMRUN_STACK - 4096);
	memcpy(before, mem, len);
	memcpy(m->data_copy, m->data, m->data_bytes);
	memrun_reset(m, false);
	c->step = 0;
	memrun_enter(c);	/* what libraries do at the first call only */
	memcpy(mem, before, len);
	memrun_reset(m, true);
	m->stepped.count = m->recorded.count = m->path_count = m->last_pc = 0;
	c->step = 1;
	memrun_enter(c);
	native = memrun_out;
	memcpy(after, mem, len);
	memcpy(data_after, m->data, m->data_bytes);

	memcpy(mem, before, len);
	memrun_reset(m, true);
	memrun_patch(m, true);
	memset(&memrun_tls, 0, sizeof(memrun_tls));
	c->step = 0;
	memrun_enter(c);
	memrun_c_drain();
	memrun_patch(m, false);

	/* a system call leaves the flags in r11, that of the stepper too */
	memrun_out.reg[11] |= native.reg[11] & 0x100;
	for (int i = 0; i < 16; i++)
		if ((MEMRUN_REGISTERS >> i & 1) && native.reg[i] != memrun_out.reg[i]) {
			fprintf(stderr, "%s: register %d is %lx, translated %lx\n", name, i,
				(unsigned long)native.reg[i], (unsigned long)memrun_out.reg[i]);
			ok = false;
		}
	if (m->plan.stats.flags_pass && ((native.flags ^ memrun_out.flags) & 0x8c5)) {
		fprintf(stderr, "%s: flags differ\n", name);
		ok = false;
	}
	if (memcmp(mem, after, len) ||
	    (!m->data_varies && memcmp(m->data, data_after, m->data_bytes))) {
		size_t i = 0;

		while (i < len && ((const uint8_t *)mem)[i] == after[i])
			i++;
		fprintf(stderr,
			"%s: memory differs, from byte %zu of %zu on: %02x, translated %02x\n",
			name, i, len, after[i], ((const uint8_t *)mem)[i]);
		ok = false;
	}
	if (m->lost || m->stepped.count != m->recorded.count ||
	    memcmp(m->stepped.at, m->recorded.at, m->stepped.count * sizeof(m->stepped.at[0]))) {
		memrun_events_differ(m, name);
		ok = false;
	}
	memrun_reset(m, true);
	free(before);
	free(data_after);
	return ok;
}

#endif
