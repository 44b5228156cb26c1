/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry points of memory recording that translated code, the kernel and libc call. */

	.text

/* A buffer is full. Called below the red zone. Flags are dead, but the direction flag may be set. C
 * changes no vector register. */
	.globl bob_mem_full_entry
	.hidden bob_mem_full_entry
bob_mem_full_entry:
	pushfq
	cld
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	call	bob_mem_full
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	popfq
	ret

/* Called instead of main: calls the real main with the same stack and arguments. */
	.globl bob_mem_main_entry
	.hidden bob_mem_main_entry, bob_mem_real_main
bob_mem_main_entry:
	push	%rdi
	push	%rsi
	push	%rdx
	call	mem_begin
	pop	%rdx
	pop	%rsi
	pop	%rdi
	jmp	*bob_mem_real_main(%rip)

/* Called instead of every handler of the program: rdi signal, rsi siginfo, rdx ucontext. All
 * registers may be changed, sigreturn restores those of the program. Another signal may arrive
 * until all are blocked: its handler finds our ucontext in rdx at the first instruction, then in
 * r12 up to bob_mem_signal_masked (mem/signal.c). */
	.globl bob_mem_signal_entry, bob_mem_signal_masked
	.hidden bob_mem_signal_entry, bob_mem_signal_masked
bob_mem_signal_entry:
	.cfi_startproc
	mov	%rdx, %r12
	mov	%rdi, %rbx
	mov	%rsi, %r13
	sub	$24, %rsp
	.cfi_adjust_cfa_offset 24
	cmpb	$0, bob_os_forbidden(%rip)
	jne	bob_mem_signal_masked
	mov	$2, %edi			/* SIG_SETMASK */
	lea	all_signals(%rip), %rsi
	mov	%rsp, %rdx			/* the mask so far */
	mov	$8, %r10d
	mov	$14, %eax			/* rt_sigprocmask */
	syscall
bob_mem_signal_masked:
	mov	%rbx, %rdi
	mov	%r13, %rsi
	mov	%r12, %rdx
	mov	(%rsp), %rcx
	call	bob_mem_signal
	add	$24, %rsp
	.cfi_adjust_cfa_offset -24
	ret					/* to the restorer */
	.cfi_endproc

/* Identical to libc's restorer, because unwinders recognise signal frames by these bytes. */
	.balign 16
	.globl bob_mem_restorer
	.hidden bob_mem_restorer
	nop
bob_mem_restorer:
	mov	$15, %rax
	syscall

	.section .rodata
	.balign 8
all_signals:
	.quad	-1

	.section .note.GNU-stack, "", @progbits
