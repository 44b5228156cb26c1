/* SPDX-License-Identifier: BSD-3-Clause */
/* What a handler sees of the code that it interrupts. Small functions are single-stepped: at each
 * instruction a handler of SIGTRAP prints where it is, a checksum of all registers, and the
 * backtrace. Then a handler skips a function's first instruction, which faults. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

#define FRAMES 64

__asm__("	.text\n"
	"	.globl leaves, leaves_end, step_through, faulting\n"
	/* all registers get values, then f is called under the trap flag */
	"	.type step_through, @function\n"
	"step_through:\n"
	"	.cfi_startproc\n"
	"	.irp r, rbx, rbp, r12, r13, r14, r15\n"
	"	push	%\\r\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset \\r, 0\n"
	"	.endr\n"
	"	push	%rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	mov	$0x1001, %eax\n	mov	$0x2002, %ebx\n	mov	$0x3003, %ecx\n"
	"	mov	$0x4004, %edx\n	mov	$0x5005, %esi\n	mov	$0x6006, %edi\n"
	"	mov	$0x7007, %ebp\n	mov	$0x8008, %r8d\n	mov	$0x9009, %r9d\n"
	"	mov	$0xa00a, %r10d\n	mov	$0xb00b, %r11d\n"
	"	mov	$0xc00c, %r12d\n"
	"	mov	$0xd00d, %r13d\n	mov	$0xe00e, %r14d\n"
	"	mov	$0xf00f, %r15d\n"
	"	pushfq\n	.cfi_adjust_cfa_offset 8\n	orq	$0x100, (%rsp)\n"
	"	popfq\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	call	*(%rsp)\n"
	"	pushfq\n	.cfi_adjust_cfa_offset 8\n	andq	$~0x100, (%rsp)\n"
	"	popfq\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop	%rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.irp r, r15, r14, r13, r12, rbp, rbx\n"
	"	pop	%\\r\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore \\r\n"
	"	.endr\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size step_through, .-step_through\n"
	"leaves:\n"
	"	.macro leaf name\n"
	"	.p2align 4\n"
	"	.globl \\name\n"
	"	.type \\name, @function\n"
	"\\name:\n"
	"	.cfi_startproc\n"
	"	.endm\n"
	"	.macro over name\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size \\name, .-\\name\n"
	"	.endm\n"
	"leaf l_sums\n	lea	1(%rax), %rax\n	lea	2(%rax), %rax\n	lea	3(%rax), %rax\n"
	"over l_sums\n"
	"leaf l_bytes\n	clc\n	cwtl\n	cltq\n	stc\n	cltd\nover l_bytes\n"
	"leaf l_push\n	push	%rbp\n	.cfi_adjust_cfa_offset 8\n	mov	%rsp, %rbp\n"
	"	sub	$32, %rsp\n"
	"	.cfi_adjust_cfa_offset 32\n	add	$32, %rsp\n"
	"	.cfi_adjust_cfa_offset -32\n	pop	%rbp\n"
	"	.cfi_adjust_cfa_offset -8\nover l_push\n"
	"leaf l_branch\n	test	%eax, %eax\n	jz	1f\n	jnz	2f\n1:	nop\n"
	"	nop\n2:	nop\nover l_branch\n"
	"leaf l_loop\n	mov	%eax, %eax\n	jrcxz	1f\n	nop\n1:	nop\nover l_loop\n"
	"leaf l_call\n	sub	$8, %rsp\n	.cfi_adjust_cfa_offset 8\n	call	l_sums\n"
	"	add	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\nover l_call\n"
	"leaf l_rip\n	lea	l_sums(%rip), %rax\n	xor	%eax, %eax\nover l_rip\n"
	"leaf l_tail\n	jmp	l_bytes\n	.cfi_endproc\n	.size l_tail, .-l_tail\n"
	"leaf l_short\nover l_short\n"
	"	.p2align 4\n"
	"leaves_end:\n"
	"	.type faulting, @function\n"
	"faulting:\n"
	"	.cfi_startproc\n"
	"	mov	(%rdi), %rax\n"
	"	lea	5(%rax), %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size faulting, .-faulting\n");

extern const char leaves[], leaves_end[];
extern const char __executable_start[], etext[];
void step_through(void (*f)(void));
long faulting(const long *p);
#define LOAD_BYTES 3 /* of its first instruction */
void l_sums(void), l_bytes(void), l_push(void), l_branch(void), l_loop(void), l_call(void);
void l_rip(void), l_tail(void), l_short(void);

static uint64_t stack_base;

static int is_ours(uint64_t pc)
{
	return pc >= (uint64_t)__executable_start && pc < (uint64_t)etext;
}

static void on_step(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	const greg_t *r = uc->uc_mcontext.gregs;
	uint64_t pc = (uint64_t)r[REG_RIP], sum = 0;
	void *frame[FRAMES];
	char line[4096];
	int n = backtrace(frame, FRAMES), at;

	(void)sig;
	(void)info;
	for (int i = REG_R8; i < REG_RSP; i++) {
		uint64_t v = (uint64_t)r[i];

		if (is_ours(v))
			v -= (uint64_t)__executable_start;
		else if (v - stack_base + 65536 < 131072)
			v -= stack_base;
		sum = (sum ^ v) * 0x9e3779b97f4a7c15u;
	}
	at = snprintf(line, sizeof(line),
		      "%s%+ld rsp %ld registers %016lx frames %d:", is_ours(pc) ? "" : "elsewhere ",
		      is_ours(pc) ? (long)(pc - (uint64_t)__executable_start) : 0l,
		      (long)((uint64_t)r[REG_RSP] - stack_base), sum, n);
	for (int i = 0; i < n && at < (int)sizeof(line) - 32; i++)
		if (is_ours((uint64_t)frame[i]))
			at += snprintf(line + at, sizeof(line) - (size_t)at, " %lx",
				       (uint64_t)frame[i] - (uint64_t)__executable_start);
	puts(line);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	printf("fault at +%ld\n",
	       (long)((uint64_t)uc->uc_mcontext.gregs[REG_RIP] - (uint64_t)faulting));
	uc->uc_mcontext.gregs[REG_RIP] += LOAD_BYTES;
	uc->uc_mcontext.gregs[REG_RAX] = 100;
}

int main(void)
{
	static void (*const f[])(void) = {l_sums, l_bytes, l_push, l_branch, l_loop,
					  l_call, l_rip,   l_tail, l_short};
	struct sigaction step = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO }, old;
	void *frame[FRAMES];

	stack_base = (uint64_t)__builtin_frame_address(0);
	backtrace(frame, FRAMES); /* loads what it needs */
	sigaction(SIGTRAP, &step, NULL);
	sigaction(SIGTRAP, NULL, &old);
	printf("handler %s\n", old.sa_sigaction == on_step ? "is ours" : "is another");
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < sizeof(f) / sizeof(f[0]); i++) {
			printf("function %zu\n", i);
			step_through(f[i]);
		}
	step.sa_sigaction = on_fault;
	sigaction(SIGSEGV, &step, NULL);
	printf("%ld\n", faulting((const long *)16));
	return 0;
}
