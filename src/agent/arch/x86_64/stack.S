/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls a function on another stack. Frame information lets unwinders continue on the caller's
 * stack. */

	.text

/* rdi function, rsi its argument, rdx the end of the stack. */
	.globl bob_call_on_stack
	.hidden bob_call_on_stack
bob_call_on_stack:
	.cfi_startproc
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	mov	%rdx, %rsp
	mov	%rdi, %rax
	mov	%rsi, %rdi
	call	*%rax
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_same_value %rbp
	ret
	.cfi_endproc

	.section .note.GNU-stack, "", @progbits
