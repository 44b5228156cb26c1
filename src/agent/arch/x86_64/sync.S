/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers around functions that synchronise threads (mem/sync.c) or wait for children (waits.c):
 * they call C before the function and, where needed, after it. */

#define X(name, value, expr) .set name, value;
#include "agent/arch/x86_64/asm_offsets.def"
#undef X

#include "agent/arch/x86_64/regs.inc"

#define PASS 0		/* enum bob_around_way */
#define CALL_WITH_STACK 2
#define CALL_RECORDED 3

/* Offsets in the frame: struct bob_sync_call, rbp, a word for alignment, struct bob_regs, and what
 * the trampoline left. */
#define ID 32		/* word[3] */
#define SAVED_RBP AROUND_RBP
#define REGS 56
#define RDI 56
#define RSI 64
#define RDX 72
#define RCX 80
#define R8 88
#define R9 96
#define R10 104
#define R11 112
#define RAX 120
#define BODY 128
#define FRAME AROUND_RETURN	/* the return address */

	.text

/* Entered from a trampoline by the entry code: eax is the function's id, the program's rax is at
 * -8(%rsp), (%rsp) is the address of the displaced instructions, 8(%rsp) the return address of the
 * function. All registers are preserved, but not the flags. */
	.globl bob_sync_entry, bob_sync_return, bob_sync_in_called, bob_sync_in_returned
	.hidden bob_sync_entry, bob_sync_return, bob_sync_in_called, bob_sync_in_returned
	.balign 16
bob_sync_entry:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	lea	-8(%rsp), %rsp			/* keep rax, which was stored below rsp */
	.cfi_adjust_cfa_offset 8
	save_regs cfi=1
	sub	$REGS, %rsp
	.cfi_adjust_cfa_offset REGS
	/* not a call: a loop within the function leads back to its first byte */
	lea	bob_sync_return(%rip), %rcx
	cmp	%rcx, FRAME(%rsp)
	je	pass
	mov	%eax, %edi
	lea	REGS(%rsp), %rsi
	mov	%rsp, %rdx
	mov	FRAME(%rsp), %rcx
	call	bob_sync_called
bob_sync_in_called:
	cmp	$PASS, %eax
	jne	around
pass:
	.cfi_remember_state
	add	$REGS, %rsp
	.cfi_adjust_cfa_offset -REGS
	restore_regs cfi=1
	pop	%rax
	.cfi_adjust_cfa_offset -8
	ret

	/* Call the function from here: unwinders see this frame between the function and its
	 * caller. */
around:
	.cfi_restore_state
	mov	%rbp, SAVED_RBP(%rsp)
	.cfi_rel_offset %rbp, SAVED_RBP
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	cmp	$CALL_RECORDED, %eax
	je	record
	cmp	$CALL_WITH_STACK, %eax
	jne	call_body
	push	FRAME+16(%rbp)			/* its 7th and 8th arguments */
	push	FRAME+8(%rbp)
call_body:
	mov	RDI(%rbp), %rdi
	mov	RSI(%rbp), %rsi
	mov	RDX(%rbp), %rdx
	mov	RCX(%rbp), %rcx
	mov	R8(%rbp), %r8
	mov	R9(%rbp), %r9
	mov	R10(%rbp), %r10
	mov	R11(%rbp), %r11
	mov	RAX(%rbp), %rax
	call	*BODY(%rbp)
bob_sync_return:
	mov	%rax, RAX(%rbp)
	mov	%rdx, RDX(%rbp)
	mov	%rdi, RDI(%rbp)
	mov	%rsi, RSI(%rbp)
	mov	%rcx, RCX(%rbp)
	mov	%r8, R8(%rbp)
	mov	%r9, R9(%rbp)
	mov	%r10, R10(%rbp)
	mov	%r11, R11(%rbp)
	mov	%rbp, %rdi
	mov	%rax, %rsi
	call	bob_sync_returned
bob_sync_in_returned:
	mov	RAX(%rbp), %rax
	mov	RDX(%rbp), %rdx
	mov	RDI(%rbp), %rdi
	mov	RSI(%rbp), %rsi
	mov	RCX(%rbp), %rcx
	mov	R8(%rbp), %r8
	mov	R9(%rbp), %r9
	mov	R10(%rbp), %r10
	mov	R11(%rbp), %r11
	mov	%rbp, %rsp
	mov	SAVED_RBP(%rsp), %rbp
	.cfi_def_cfa %rsp, FRAME + 8
	.cfi_same_value %rbp
	.cfi_remember_state
	lea	FRAME(%rsp), %rsp
	.cfi_def_cfa_offset 8
	ret

	/* Record an entry with the return address that the call below will push: bob_enter(-, id,
	 * rsp, rbp, rbx). */
record:
	.cfi_restore_state
	.cfi_def_cfa %rbp, FRAME + 8
	.cfi_rel_offset %rbp, SAVED_RBP
	lea	bob_sync_return(%rip), %rcx
	mov	%rcx, -8(%rbp)
	mov	ID(%rbp), %esi
	lea	-8(%rbp), %rdx
	mov	SAVED_RBP(%rbp), %rcx
	mov	%rbx, %r8
	sub	$16, %rsp
	call	bob_enter
	mov	%rbp, %rsp
	jmp	call_body
	.cfi_endproc

/* Called instead of a thread's first function: rdi is the argument passed for it. Leaves no
 * frame. */
	.globl bob_sync_thread_entry
	.hidden bob_sync_thread_entry
	.balign 16
bob_sync_thread_entry:
	.cfi_startproc
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	mem_sync_thread
	mov	%rdx, %rdi
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc

/* Put a mark: rdi is the header, rsi and rdx are its words (rdx is 0 if there is one), rcx their
 * number. Returns eax 0 if there is no space. A signal handler between _begin and _end also writes
 * at the cursor: the mark then restarts (mem/signal.c), and all its inputs are still in
 * registers. */
	.globl bob_mem_mark, bob_mem_mark_begin, bob_mem_mark_end
	.hidden bob_mem_mark, bob_mem_mark_begin, bob_mem_mark_end
	.balign 16
bob_mem_mark:
	.cfi_startproc
	mov	bob_mem_slots@gottpoff(%rip), %r8
bob_mem_mark_begin:
	mov	%fs:(%r8), %rax			/* cursor */
	cmp	%fs:8(%r8), %rax		/* limit */
	jae	1f
	mov	%rsi, 8(%rax)
	mov	%rdx, 16(%rax)
	mov	%rdi, (%rax)
	lea	8(%rax,%rcx,8), %rax
	mov	%rax, %fs:(%r8)
bob_mem_mark_end:
	mov	$1, %eax
	ret
1:
	xor	%eax, %eax
	ret
	.cfi_endproc

/* Put a record: rdi its header, rsi its words, rdx their number (at most BOB_MEM_SLACK_WORDS - 1).
 * Restarts like a mark. */
	.globl bob_mem_words, bob_mem_words_begin, bob_mem_words_end
	.hidden bob_mem_words, bob_mem_words_begin, bob_mem_words_end
	.balign 16
bob_mem_words:
	.cfi_startproc
	mov	bob_mem_slots@gottpoff(%rip), %r8
bob_mem_words_begin:
	mov	%fs:(%r8), %rax			/* cursor */
	cmp	%fs:8(%r8), %rax		/* limit */
	jae	1f
	xor	%ecx, %ecx
2:
	cmp	%rdx, %rcx
	jae	3f
	mov	(%rsi,%rcx,8), %r9
	mov	%r9, 8(%rax,%rcx,8)
	inc	%rcx
	jmp	2b
3:
	mov	%rdi, (%rax)
	lea	8(%rax,%rdx,8), %rax
	mov	%rax, %fs:(%r8)
bob_mem_words_end:
	mov	$1, %eax
	ret
1:
	xor	%eax, %eax
	ret
	.cfi_endproc

/* rdi the end of the most recent mark, rsi its header, rdx its new header: see mem/mem.h. Restarts
 * after a handler that interrupts it before the store. */
	.globl bob_mem_whole, bob_mem_whole_begin, bob_mem_whole_end
	.hidden bob_mem_whole, bob_mem_whole_begin, bob_mem_whole_end
	.balign 16
bob_mem_whole:
	.cfi_startproc
	mov	bob_mem_slots@gottpoff(%rip), %r8
bob_mem_whole_begin:
	cmp	%fs:(%r8), %rdi			/* cursor */
	jne	1f
	cmp	-8(%rdi), %rsi
	jne	1f
	mov	%rdx, -8(%rdi)
bob_mem_whole_end:
	mov	$1, %eax
	ret
1:
	xor	%eax, %eax
	ret
	.cfi_endproc

	.section .note.GNU-stack, "", @progbits
