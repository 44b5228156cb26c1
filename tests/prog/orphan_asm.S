/* SPDX-License-Identifier: BSD-3-Clause */
/* Callers that no frame information describes.
 * void orphan_asm(void (*f)(int), int n, int words): calls f(n), f(n - 1) ... f(1), each time with
 * `words` more words on the stack, so that its frame has no fixed size and CFI cannot be cached. */
	.text
	.globl	orphan_asm
	.type	orphan_asm, @function
	.p2align 4
orphan_asm:
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	mov	%rdi, %rbx
	mov	%esi, %r12d
	movslq	%edx, %r13
	shl	$4, %r13		/* keeps the stack aligned */
	sub	$8, %rsp
	mov	%rsp, %r14
1:	test	%r12d, %r12d
	jle	2f
	sub	%r13, %rsp
	mov	%r12d, %edi
	call	*%rbx
	dec	%r12d
	jmp	1b
2:	mov	%r14, %rsp
	add	$8, %rsp
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	ret
	.size	orphan_asm, . - orphan_asm

	.section .note.GNU-stack,"",@progbits
