/* SPDX-License-Identifier: BSD-3-Clause */
/* regs_call(f, in, out): load all general and vector registers, x87, mxcsr and the direction flag
 * from *in, call f (a function that does nothing but return), store them to *out. f's ABI lets it
 * clobber most of them, but compilers (-fipa-ra), the dynamic linker and hand-written callers know
 * that an empty function clobbers none, so a tracer may not either. rax and the arithmetic flags
 * are not compared. r10 is the static chain, r11 used by PLT stubs.
 *
 * struct regs: 0 rcx 8 rdx 16 rsi 24 rdi 32 r8 40 r9 48 r10 56 r11 64 rbx 72 rbp 80 r12 88 r13
 *              96 r14 104 r15 112 rsp before 120 mxcsr 124 x87 control 128 flags 136 rsp after
 *              192.. 16 vector registers of 32 bytes, 704.. x87 st0 st1 (16 bytes each)
 *
 * Stack: saved rbx rbp r12-r15, then f, in, out (r15's slots cannot hold them: all are loaded). */
	.text
	.globl regs_call
	.type regs_call, @function
	.p2align 4
regs_call:
	.cfi_startproc
	pushq %rbx
	.cfi_adjust_cfa_offset 8
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	pushq %r12
	.cfi_adjust_cfa_offset 8
	pushq %r13
	.cfi_adjust_cfa_offset 8
	pushq %r14
	.cfi_adjust_cfa_offset 8
	pushq %r15
	.cfi_adjust_cfa_offset 8
	subq $40, %rsp
	.cfi_adjust_cfa_offset 40
	movq %rdi, 0(%rsp)
	movq %rdx, 8(%rsp)
	stmxcsr 16(%rsp)
	fnstcw 20(%rsp)
	movq %rsi, %rax
	movq %rsp, 112(%rax)
	ldmxcsr 120(%rax)
	fldcw 124(%rax)
	fldt 720(%rax)
	fldt 704(%rax)
	testl $1, regs_have_avx(%rip)
	jz 1f
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovups 192+32*\n(%rax), %ymm\n
	.endr
	jmp 2f
1:
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	movups 192+32*\n(%rax), %xmm\n
	.endr
2:
	movq 0(%rax), %rcx
	movq 8(%rax), %rdx
	movq 16(%rax), %rsi
	movq 24(%rax), %rdi
	movq 32(%rax), %r8
	movq 40(%rax), %r9
	movq 48(%rax), %r10
	movq 56(%rax), %r11
	movq 64(%rax), %rbx
	movq 72(%rax), %rbp
	movq 80(%rax), %r12
	movq 88(%rax), %r13
	movq 96(%rax), %r14
	movq 104(%rax), %r15
	call *0(%rsp)
	movq 8(%rsp), %rax
	movq %rcx, 0(%rax)
	movq %rdx, 8(%rax)
	movq %rsi, 16(%rax)
	movq %rdi, 24(%rax)
	movq %r8, 32(%rax)
	movq %r9, 40(%rax)
	movq %r10, 48(%rax)
	movq %r11, 56(%rax)
	movq %rbx, 64(%rax)
	movq %rbp, 72(%rax)
	movq %r12, 80(%rax)
	movq %r13, 88(%rax)
	movq %r14, 96(%rax)
	movq %r15, 104(%rax)
	movq %rsp, 136(%rax)
	pushfq
	popq 128(%rax)
	stmxcsr 120(%rax)
	fnstcw 124(%rax)
	fstpt 704(%rax)
	fstpt 720(%rax)
	testl $1, regs_have_avx(%rip)
	jz 3f
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovups %ymm\n, 192+32*\n(%rax)
	.endr
	vzeroupper
	jmp 4f
3:
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	movups %xmm\n, 192+32*\n(%rax)
	.endr
4:
	ldmxcsr 16(%rsp)
	fldcw 20(%rsp)
	addq $40, %rsp
	.cfi_adjust_cfa_offset -40
	popq %r15
	.cfi_adjust_cfa_offset -8
	popq %r14
	.cfi_adjust_cfa_offset -8
	popq %r13
	.cfi_adjust_cfa_offset -8
	popq %r12
	.cfi_adjust_cfa_offset -8
	popq %rbp
	.cfi_adjust_cfa_offset -8
	popq %rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size regs_call, .-regs_call

/* Functions that touch nothing, each with other first instructions for a tracer to displace. */
	.macro EMPTY name
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	.endm
	.macro END name
	.cfi_endproc
	.size \name, .-\name
	.endm

	EMPTY e_nops
	nop
	nop
	nop
	nop
	nop
	ret
	END e_nops

	EMPTY e_ret
	ret
	END e_ret

	EMPTY e_endbr
	endbr64
	nopl 0(%rax,%rax)
	ret
	END e_endbr

	EMPTY e_push
	pushq %rbx
	.cfi_adjust_cfa_offset 8
	pushq %r12
	.cfi_adjust_cfa_offset 8
	pushq %r10
	.cfi_adjust_cfa_offset 8
	popq %r10
	.cfi_adjust_cfa_offset -8
	popq %r12
	.cfi_adjust_cfa_offset -8
	popq %rbx
	.cfi_adjust_cfa_offset -8
	ret
	END e_push

	EMPTY e_call
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call e_nops
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	END e_call

	EMPTY e_rip
	cmpl $0, regs_have_avx(%rip)
	ret
	END e_rip

	EMPTY e_jump
	jmp e_nops
	END e_jump

	EMPTY e_branch
	cmpl $0, regs_have_avx(%rip)
	je 1f
	nop
1:	ret
	END e_branch

	EMPTY e_frame
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	movq %rsp, %rbp
	subq $16, %rsp
	leave
	.cfi_adjust_cfa_offset -8
	ret
	END e_frame

/* A caller without any call frame information. */
	.globl regs_no_cfi
	.type regs_no_cfi, @function
	.p2align 4
regs_no_cfi:
	pushq %rbx
	movq %rdi, %rbx
	call *%rbx
	call *%rbx
	popq %rbx
	ret
	.size regs_no_cfi, .-regs_no_cfi

/* Red zone: a leaf below whose stack pointer a tracer of entries may write only at entries. */
	EMPTY e_redzone
	movq %rdi, -8(%rsp)
	movq %rsi, -64(%rsp)
	movq %rdx, -128(%rsp)
	movq -8(%rsp), %rdi
	movq -64(%rsp), %rsi
	movq -128(%rsp), %rdx
	ret
	END e_redzone

	.section .note.GNU-stack, "", @progbits
