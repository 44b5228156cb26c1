/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry code, which runs when a hooked function is entered. It is a template that entry.c
 * copies to the head of every arena, so it is position independent except for values that entry.c
 * fills in.
 *
 * A trampoline calls it, having saved %rax below the stack pointer:
 *
 *        r ->  return address of the hooked function   (its entry rsp)
 *      r-8 ->  return address into the trampoline      (our rsp)
 *     r-16     program's rax    r-24 rcx    r-32 rdx    r-40 rsi    r-48 rdi
 *     r-56 r8   r-64 r9   r-72 r10   r-80 r11   (C; r8 also walks)
 *     r-88 rbx   r-96 rbp   r-104 r12 ... r-128 r15   r-136 thread block   (C)
 *
 * The red zone of the hooked function is dead at its entry, and the kernel puts signal frames at
 * least 128 bytes below rsp, so the fast path pushes nothing. Registers: eax = function id; rcx rdx
 * rsi rdi scratch (restored); flags clobbered; everything else, including all vector state,
 * unchanged. Around calls of C, r8-r11 are saved as well; the C code uses no vector registers, so
 * the stack need not be aligned.
 *
 * Budget: <= 5 ns for a predicted entry (bench/calls). A signal handler whose own functions are
 * hooked may interrupt it at any instruction. So gate.size is 0 from the first change of state to
 * the last, which makes the handler's events pending (enter.c), and `pending` is checked after the
 * gate is opened. */

#define X(name, value, expr) .set name, value;
#include "agent/arch/x86_64/asm_offsets.def"
#undef X
#include "agent/arch/x86_64/regs.inc"

	/* Around a call of C. Callee-saved registers are stored, too, but never loaded: context.c
	 * shows them to a handler that interrupts the C code. The return address of the call is at
	 * r - BOB_C_FRAME. */
	.macro enter_c
	lea	-40(%rsp), %rsp
	.irp	reg, r8, r9, r10, r11, rbx, rbp, r12, r13, r14, r15, rcx
	push	%\reg
	.endr
	.endm

	.macro leave_c
	pop	%rcx
	lea	48(%rsp), %rsp
	.irp	reg, r11, r10, r9, r8
	pop	%\reg
	.endr
	lea	40(%rsp), %rsp
	.endm

	.section .rodata
	.globl bob_entry_begin, bob_entry_end, bob_entry_special, bob_entry_tls
	.globl bob_entry_wide, bob_entry_wide_tls, bob_entry_sync
	.globl bob_entry_hook, bob_entry_backtrace
	.globl bob_entry_mismatch, bob_entry_mismatch_end, bob_entry_literals
	.globl bob_entry_saved, bob_entry_wide_saved, bob_entry_walk, bob_entry_walk_end
	.hidden bob_entry_begin, bob_entry_end, bob_entry_special, bob_entry_tls
	.hidden bob_entry_wide, bob_entry_wide_tls, bob_entry_sync
	.hidden bob_entry_hook, bob_entry_backtrace
	.hidden bob_entry_mismatch, bob_entry_mismatch_end, bob_entry_literals
	.hidden bob_entry_saved, bob_entry_wide_saved, bob_entry_walk, bob_entry_walk_end
	.balign 64
bob_entry_begin:
	mov	%rcx, -16(%rsp)
	.byte	0x64, 0x48, 0x8b, 0x0c, 0x25	/* mov %fs:disp32, %rcx */
bob_entry_tls:
	.long	0
	mov	%rdx, -24(%rsp)
	mov	%rsi, -32(%rsp)
	mov	%rdi, -40(%rsp)
bob_entry_saved:
	lea	8(%rsp), %rdx			/* r */
	mov	%rdx, %rsi
	sub	GATE_LO(%rcx), %rsi
	cmp	GATE_SIZE(%rcx), %rsi
	jae	slow
	mov	%rdx, HOT_BUSY_RSP(%rcx)	/* first, because a handler must not find it
						 * stale */
	movq	$0, GATE_SIZE(%rcx)		/* busy from here */

	/* Which frame called? One look-up by return address. */
	mov	(%rdx), %rsi
	mov	%esi, %edi
	and	$(SITES - 1), %edi
	shl	$3, %edi
	add	HOT_SITES(%rcx), %rdi
	shl	$16, %rsi
	xor	(%rdi), %rsi			/* < 65536: the rule of this call site */
	cmp	$0xffff, %rsi
	ja	unknown_site
	btr	$15, %esi
	jc	rbp_frame
	lea	(%rdx,%rsi,8), %rsi		/* slot of the caller's return address */
have_slot:
	mov	HOT_TOP(%rcx), %rdi
	cmp	%rsi, (%rdi)
	jne	pop
push:
	mov	%rdx, 8(%rdi)
	add	$8, %rdi
	mov	%rdi, HOT_TOP(%rcx)

	/* Is it the predicted symbol? (struct bob_run_fast) */
	mov	RUN_DST(%rcx), %rdi
	cmp	RUN_END(%rcx), %rdi
	je	put
	mov	%rdi, %rsi
	sub	RUN_DIST(%rcx), %rsi
	cmp	(%rsi), %eax
bob_entry_mismatch:
	.byte	0x0f, 0x85			/* jne put, rel32 so that it can be blanked */
	.long	put - bob_entry_mismatch_end
bob_entry_mismatch_end:
	mov	RUN_COMMIT(%rcx), %rsi
	mov	%eax, (%rdi)
	add	$4, %rdi
	incq	(%rsi)
	mov	%rdi, RUN_DST(%rcx)
done:
	mov	HOT_ON_SIZE(%rcx), %rdi
	mov	%rdi, GATE_SIZE(%rcx)
	cmpq	$0, HOT_PENDING(%rcx)
	jne	drain
leave:
	mov	-40(%rsp), %rdi
	mov	-32(%rsp), %rsi
	mov	-24(%rsp), %rdx
	mov	-16(%rsp), %rcx
	mov	-8(%rsp), %rax
	ret

rbp_frame:
	cmp	$0x7fff, %esi
	je	not_recorded
	lea	(%rbp,%rsi,8), %rsi
	jmp	have_slot

	/* Frames below the slot have ended. The sentinel ~0 at the bottom terminates the loop. */
pop:
	ja	not_on_stack
pop_next:
	sub	$8, %rdi
	cmp	%rsi, (%rdi)
	jb	pop_next
	je	popped
	cmpq	$-1, (%rdi)			/* no error: the frame is older than the agent */
	je	popped
	incq	HOT_TOP_MISMATCH(%rcx)
popped:
	mov	HOT_TOP(%rcx), %rsi
	sub	%rdi, %rsi			/* 8 * pops */
	cmp	$(1022 * 8), %rsi
	ja	unknown_site			/* does not fit into one symbol: C handles it */
	shl	$19, %esi
	or	%esi, %eax
	jmp	push
not_on_stack:
	cmpq	$-1, (%rdi)
	je	push
	incq	HOT_TOP_MISMATCH(%rcx)
	jmp	push

	/* The caller is not recorded. Use the cached walk to the next recorded frame, if every word
	 * of it is unchanged (struct bob_walk). */
not_recorded:
	mov	(%rdx), %esi
	mov	%edx, %edi
	shr	$4, %edi
	add	%edi, %esi
	and	$(WALKS - 1), %esi
	shl	$WALK_SHIFT, %esi
	add	HOT_WALKS(%rcx), %rsi
	cmp	%rdx, WALK_RSP(%rsi)
	jne	unknown_site
	mov	literal_generation(%rip), %rdi
	mov	(%rdi), %rdi
	cmp	%rdi, WALK_GENERATION(%rsi)
	jne	unknown_site
	mov	GATE_LO(%rcx), %rdi
	cmp	%rdi, WALK_LO(%rsi)
	jne	unknown_site
	mov	HOT_ON_SIZE(%rcx), %rdi
	cmp	%rdi, WALK_SIZE(%rsi)
	jne	unknown_site
	mov	WALK_RBP(%rsi), %rdi
	xor	%rbp, %rdi
	test	%rdi, WALK_RBP_MASK(%rsi)
	jnz	unknown_site
	lea	WALK_WORD(%rsi), %rdi
	mov	%r8, -48(%rsp)
bob_entry_walk:
next_word:
	mov	(%rdi), %r8
	test	%r8, %r8
	jz	walked
	mov	(%r8), %r8
	cmp	%r8, 8(%rdi)
	lea	16(%rdi), %rdi
	je	next_word
	mov	-48(%rsp), %r8
	jmp	unknown_site
walked:
	mov	-48(%rsp), %r8
bob_entry_walk_end:
	mov	WALK_SLOT(%rsi), %rsi
	jmp	have_slot

unknown_site:
	mov	HOT_ON_SIZE(%rcx), %rdi		/* not busy: C starts from the beginning */
	mov	%rdi, GATE_SIZE(%rcx)
slow:
	enter_c
	mov	%rcx, %rdi
	mov	%eax, %esi
	mov	%rbp, %rcx
	mov	%rbx, %r8
	call	*literal_enter(%rip)
	leave_c
	jmp	leave

put:
	enter_c
	mov	%rcx, %rdi
	mov	%eax, %esi
	call	*literal_put(%rip)
	leave_c
	jmp	done

drain:
	enter_c
	mov	%rcx, %rdi
	call	*literal_drain(%rip)
	leave_c
	jmp	leave

	/* For ids that do not fit into a symbol: C handles every entry. */
	.balign 16
bob_entry_wide:
	mov	%rcx, -16(%rsp)
	.byte	0x64, 0x48, 0x8b, 0x0c, 0x25	/* mov %fs:disp32, %rcx */
bob_entry_wide_tls:
	.long	0
	mov	%rdx, -24(%rsp)
	mov	%rsi, -32(%rsp)
	mov	%rdi, -40(%rsp)
bob_entry_wide_saved:
	lea	8(%rsp), %rdx
	jmp	slow

	/* Before a function of enum bob_special: C may read and change the arguments. */
	.balign 16
bob_entry_special:
	lea	-8(%rsp), %rsp			/* keep rax, which was stored below rsp */
	save_regs
	push	%rax				/* id */
	mov	%eax, %edi
	lea	8(%rsp), %rsi			/* struct bob_regs */
	call	*literal_special(%rip)
	test	%eax, %eax
	pop	%rax
	restore_regs
	lea	8(%rsp), %rsp
	jnz	bob_entry_begin
	mov	-8(%rsp), %rax
	ret

	/* Around a function that synchronises threads. */
	.balign 16
bob_entry_sync:
	jmp	*literal_sync(%rip)

	/* A function that is hooked by name; _Unwind_Backtrace. */
	.balign 16
bob_entry_hook:
	jmp	*literal_hook(%rip)
	.balign 16
bob_entry_backtrace:
	jmp	*literal_backtrace(%rip)

	.balign 8
bob_entry_literals:
literal_enter:
	.quad	0
literal_put:
	.quad	0
literal_drain:
	.quad	0
literal_special:
	.quad	0
literal_generation:
	.quad	0
literal_sync:
	.quad	0
literal_hook:
	.quad	0
literal_backtrace:
	.quad	0
bob_entry_end:

	.section .note.GNU-stack, "", @progbits
