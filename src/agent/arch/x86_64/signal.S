/* SPDX-License-Identifier: BSD-3-Clause */
/* Called instead of every handler of the program: rdi signal, rsi siginfo, rdx ucontext. The
 * kernel's frame:
 *
 *     rsp -> return address, to the restorer
 *     rsp+8 -> struct ucontext, its registers 40 bytes on
 *
 * If the program's own code was interrupted, the handler runs on this frame unchanged: backtraces
 * show the restorer. Otherwise a struct bob_signal is pushed, and the handler is called from here.
 * For unwinders this code then is the signal frame instead of the restorer: augmentation S, and all
 * registers are those of the ucontext, as signal.c set them. All registers may be changed;
 * sigreturn restores those of the program. It may be interrupted at any instruction: it uses no
 * shared state. */

#define X(name, value, expr) .set name, value;
#include "agent/arch/x86_64/asm_offsets.def"
#undef X

	.set UC_REGISTERS, 8 + 40

	/* DW_CFA_expression: `reg` is saved at rsp + `at`. DW_OP_breg7 with a two-byte offset. */
	.macro saved reg, at
	.cfi_escape 0x10, \reg, 3, 0x77, ((\at) & 0x7f) | 0x80, (\at) >> 7
	.endm

	/* The kernel's frame begins `above` bytes above rsp. */
	.macro frame above
	.set	rsp_at, \above + UC_REGISTERS + 120
	.cfi_escape 0x0f, 4, 0x77, (rsp_at & 0x7f) | 0x80, rsp_at >> 7, 0x06
	saved 8, \above + UC_REGISTERS
	saved 9, \above + UC_REGISTERS + 8
	saved 10, \above + UC_REGISTERS + 16
	saved 11, \above + UC_REGISTERS + 24
	saved 12, \above + UC_REGISTERS + 32
	saved 13, \above + UC_REGISTERS + 40
	saved 14, \above + UC_REGISTERS + 48
	saved 15, \above + UC_REGISTERS + 56
	saved 5, \above + UC_REGISTERS + 64
	saved 4, \above + UC_REGISTERS + 72
	saved 6, \above + UC_REGISTERS + 80
	saved 3, \above + UC_REGISTERS + 88
	saved 1, \above + UC_REGISTERS + 96
	saved 0, \above + UC_REGISTERS + 104
	saved 2, \above + UC_REGISTERS + 112
	saved 7, \above + UC_REGISTERS + 120
	saved 16, \above + UC_REGISTERS + 128
	.endm

	.text
	.globl bob_signal_entry, bob_signal_return
	.hidden bob_signal_entry, bob_signal_return
	.balign 16
bob_signal_entry:
	.cfi_startproc
	.cfi_signal_frame
	frame 0
	sub	$SIGNAL_BYTES, %rsp
	frame SIGNAL_BYTES
	cld
	mov	%rsi, SIGNAL_INFO(%rsp)
	mov	%rdi, SIGNAL_NUMBER(%rsp)
	lea	SIGNAL_BYTES + UC_REGISTERS(%rsp), %rdx
	mov	%rsp, %rcx
	call	bob_signal_begin
	test	%rax, %rax
	jz	over
	mov	SIGNAL_NUMBER(%rsp), %rdi
	mov	SIGNAL_INFO(%rsp), %rsi
	lea	SIGNAL_BYTES + 8(%rsp), %rdx
	mov	%rax, %rcx
	cmpq	$SHOWN_OWN, SIGNAL_CHANGE(%rsp)
	mov	$0, %eax
	je	own
	call	*%rcx
bob_signal_return:
	mov	%rsp, %rdi
	lea	SIGNAL_BYTES + UC_REGISTERS(%rsp), %rsi
	call	bob_signal_end
over:
	lea	SIGNAL_BYTES + 8(%rsp), %rsp
	frame -8
	mov	$15, %eax			/* rt_sigreturn */
	syscall
own:
	frame SIGNAL_BYTES
	lea	SIGNAL_BYTES(%rsp), %rsp
	frame 0
	jmp	*%rcx
	.cfi_endproc

	.section .note.GNU-stack, "", @progbits
