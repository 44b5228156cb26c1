/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry and return of functions that are hooked by name (agent/hooks.c). The stack has a struct
 * bob_hook_frame:
 *
 *     r     return address of the hooked function
 *     r-8   return address into the trampoline
 *     r-16 rax  r-24 flags  r-32 r11  r-40 r10  r-48 r9
 *     r-56 r8  r-64 rcx  r-72 rdx  r-80 rsi  r-88 rdi
 *
 * All registers and the flags are preserved; the agent's C code uses no others, and vector state is
 * preserved around what it calls. Frame information is complete, because callbacks may unwind the
 * stack. */

#include "agent/arch/x86_64/regs.inc"

	.text

	/* Complete the frame below rax, and call C on an aligned stack: fn(frame, rbp, rbx,
	 * eax). */
	.macro call_c fn
	pushfq
	.cfi_adjust_cfa_offset 8
	save_regs cfi=1
	mov	%rsp, %rdi
	mov	%rbp, %rsi
	mov	%rbx, %rdx
	mov	%eax, %ecx
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	and	$-16, %rsp
	cld
	call	\fn
	mov	%rbp, %rsp
	.cfi_def_cfa_register %rsp
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_same_value %rbp
	restore_regs cfi=1
	popfq
	.cfi_adjust_cfa_offset -8
	pop	%rax
	.cfi_adjust_cfa_offset -8
	.endm

/* Entered from a trampoline by the entry code: eax is the function's id, the program's rax is at
 * -8(%rsp), (%rsp) is the address of the displaced instructions, 8(%rsp) the return address of the
 * function. */
	.globl bob_hook_entry
	.hidden bob_hook_entry
	.balign 16
bob_hook_entry:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	lea	-8(%rsp), %rsp			/* keep rax, which was stored below rsp */
	.cfi_adjust_cfa_offset 8
	call_c	bob_hook_entered
	ret
	.cfi_endproc

/* Hooked functions return here; the address of their return address, r, is then -8(%rsp). For
 * unwinders this is a frame of size 0 between the function and its caller. Its CFA is 8 too large,
 * and a separate rule gives the stack pointer, because libgcc's unwinder identifies the frame that
 * handles an exception by the CFA of its callee: all frames must have different CFAs (real ones are
 * multiples of 16). The return address is found through r, where returns.c stores it. The nop is
 * needed because unwinders look up the byte before a return address. */
	.globl bob_hook_return
	.hidden bob_hook_return
	.balign 16
	.cfi_startproc
	/* DW_CFA_expression rip: (CFA - 16) ^ BOB_HOOK_FAR */
	.cfi_escape 0x10, 16, 12, 0x40, 0x1c, 0x0e, 0, 0, 0, 0, 0, 0x40, 0, 0, 0x27
	.cfi_escape 0x14, 7, 1			/* DW_CFA_val_offset rsp: CFA - 8 */
	nop
bob_hook_return:
	lea	-24(%rsp), %rsp
	.cfi_adjust_cfa_offset 24
	mov	%rax, (%rsp)
	call_c	bob_hook_returned		/* stores the true return address at r */
	/* a jump: what the processor predicts of returns stays in step */
	lea	16(%rsp), %rsp
	.cfi_adjust_cfa_offset -16
	jmp	*-8(%rsp)
	.cfi_endproc

/* _Unwind_Backtrace(rdi callback, rsi its argument): is called with a callback that skips the
 * agent's frames. Entered from a trampoline as above; rax is not an argument. */
	.globl bob_hook_backtrace
	.hidden bob_hook_backtrace
	.balign 16
bob_hook_backtrace:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	sub	$32, %rsp			/* struct hidden (hooks.c) */
	and	$-16, %rsp
	mov	%rdi, (%rsp)
	mov	%rsi, 8(%rsp)
	mov	%eax, %edi
	lea	16(%rbp), %rsi
	mov	(%rbp), %rdx
	mov	%rbx, %rcx
	call	bob_hook_backtrace_begins
	mov	%rax, 16(%rsp)
	lea	bob_hook_backtrace_frame(%rip), %rdi
	mov	%rsp, %rsi
	call	*8(%rbp)
	mov	%rbp, %rsp
	.cfi_def_cfa_register %rsp
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_same_value %rbp
	lea	8(%rsp), %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc

/* bob_hook_with_state, see hooks.h: rdi fn, rsi arg. */
	.globl bob_hook_with_state
	.hidden bob_hook_with_state
	.balign 16
bob_hook_with_state:
	.cfi_startproc
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	mov	bob_hook_state_bytes(%rip), %eax
	sub	%rax, %rsp
	and	$-64, %rsp
	mov	%rdi, %r8
	mov	%rsi, %rdi
	mov	%rsp, %rsi
	cmpl	$1, bob_hook_state_how(%rip)
	jb	1f
	mov	$0, %eax			/* clear the header, which XSAVE writes only
						 * partly */
	.irp	at, 512, 520, 528, 536, 544, 552, 560, 568
	mov	%rax, \at(%rsp)
	.endr
	mov	bob_hook_state_mask(%rip), %eax
	mov	$0, %edx
	je	2f
	xsavec64 (%rsp)
	jmp	3f
1:
	fxsave64 (%rsp)
	call	*%r8
	fxrstor64 (%rsp)
	jmp	4f
2:
	xsave64	(%rsp)
3:
	call	*%r8
	mov	bob_hook_state_mask(%rip), %eax
	xor	%edx, %edx
	xrstor64 (%rsp)
4:
	mov	%rbp, %rsp
	.cfi_def_cfa_register %rsp
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_same_value %rbp
	ret
	.cfi_endproc

	.section .note.GNU-stack, "", @progbits
