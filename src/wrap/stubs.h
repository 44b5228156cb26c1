/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of wrapper.h that only some functions need: entries in assembly.
 *
 * BOB_STUB: C cannot pass on the function's parameters. The stub replaces the return address by its
 * own and jumps to the function, which finds registers and stack as its caller left them.
 *
 * BOB_CALLED: C can pass them on, but the function belongs to the program itself, and has blocks.
 * The stub calls the wrapper in C with the same parameters, and restores every register except the
 * result registers. Changes of the control registers for rounding and floating-point exceptions are
 * kept. */
#ifndef BOBBIN_WRAPPER_STUBS_H
#define BOBBIN_WRAPPER_STUBS_H

#ifndef BOBBIN_LOOKUP_H /* generated sources include it under another name */
#include "wrap/lookup.h"
#endif

/* Frame of a function that was entered through its stub, until it returns. Meanwhile rbx, which the
 * function preserves, points to this, so that unwinders find the caller. */
struct bob_stub_frame {
	/* the caller's address; offsets 0 and 8 are known to the assembly below */
	void *back;
	uint64_t rbx;
	void **slot;		/* location of its return address; NULL: free */
	struct bob_wrapper *wrapper;
	struct bob_call call;
};
#define BOB_STUB_FRAMES 48u	/* per thread */
#define BOB_STUB_THREADS 1024u	/* at a time */
#define BOB_STUB_NEAR 65536u

/* The assembly's stack layout, from rbp down and up. */
struct bob_stub_saved {
	uint64_t r10, r9, r8, rdi, rsi, rdx, rcx, rax;
	uint64_t rbp, flags;
	void *stub;
	uint64_t r11;
	void *back;		/* location of the return address */
	/* followed by the arguments on the stack */
};
struct bob_stub_saved_end {
	uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
	uint64_t rbp, flags;
	void *back;
};
#define BOB_STUB_XMM 160	/* offset in the area that xsave writes */

/* A static table of frames. Static TLS would shrink threads' stacks, from which the C library takes
 * it, and mapping frames on first use may fail: the program may have forbidden system calls. A
 * thread releases its frames when it ends. */
static struct bob_stub_frame bob_stub_frames[BOB_STUB_THREADS][BOB_STUB_FRAMES];
static uint8_t bob_stub_taken[BOB_STUB_THREADS];
BOB_THREAD struct bob_stub_frame *bob_stub_own; /* NULL: none yet */

extern int bob_key_create(unsigned *key, void (*at_end)(void *)) __asm__("pthread_key_create")
	__attribute__((weak));
extern int bob_key_set(unsigned key, const void *value) __asm__("pthread_setspecific")
	__attribute__((weak));
extern int bob_key_delete(unsigned key) __asm__("pthread_key_delete") __attribute__((weak));
static unsigned bob_stub_key;
static int bob_stub_has_key;

extern char bob_stub_return[] __attribute__((visibility("hidden")));
_Static_assert(offsetof(struct bob_wrapper, next) == 32, "BOB_STUB");

/* Whether the frame's function is known to have ended without returning: the new call uses the same
 * location, or the location is shortly below it on the stack and has been overwritten. */
static int bob_stub_is_gone(const struct bob_stub_frame *f, void **slot)
{
	return f->slot == slot ||
	       (f->slot < slot && (uintptr_t)slot - (uintptr_t)f->slot < BOB_STUB_NEAR &&
		*f->slot != (void *)bob_stub_return);
}

static void bob_stub_free_frames(void *frames)
{
	const size_t i = (size_t)((struct bob_stub_frame *)frames - bob_stub_frames[0]);

	bob_stub_own = NULL;
	__builtin_memset(frames, 0, sizeof(bob_stub_frames[0]));
	__atomic_store_n(&bob_stub_taken[i / BOB_STUB_FRAMES], 0, __ATOMIC_RELEASE);
}

/* If there is no key, threads keep their frames for ever. */
__attribute__((constructor)) static void bob_stub_start(void)
{
	bob_busy = 1;
	bob_stub_has_key = bob_key_create && bob_key_set && bob_key_delete &&
			   !bob_key_create(&bob_stub_key, bob_stub_free_frames);
	bob_busy = 0;
}

/* The library may be unloaded before its threads end. */
__attribute__((destructor)) static void bob_stub_finish(void)
{
	if (bob_stub_has_key)
		(void)bob_key_delete(bob_stub_key);
	bob_stub_has_key = 0;
}

/* NULL: too many threads have frames. */
static __attribute__((noinline, cold)) struct bob_stub_frame *bob_stub_get_frames(void)
{
	const int busy = bob_busy;
	unsigned i = 0;

	while (i < BOB_STUB_THREADS &&
	       (bob_stub_taken[i] || __atomic_exchange_n(&bob_stub_taken[i], 1, __ATOMIC_ACQUIRE)))
		i++;
	if (i == BOB_STUB_THREADS)
		return NULL;
	if (bob_stub_own) { /* a signal handler has taken them meanwhile */
		__atomic_store_n(&bob_stub_taken[i], 0, __ATOMIC_RELEASE);
		return bob_stub_own;
	}
	bob_stub_own = bob_stub_frames[i];
	bob_busy = 1; /* it may allocate */
	if (bob_stub_has_key)
		(void)bob_key_set(bob_stub_key, bob_stub_own);
	bob_busy = busy;
	return bob_stub_own;
}

static struct bob_stub_frame *bob_stub_take(void **slot)
{
	struct bob_stub_frame *const all = bob_stub_own ? bob_stub_own : bob_stub_get_frames();
	struct bob_stub_frame *found = NULL;

	for (unsigned i = 0; all && i < BOB_STUB_FRAMES && !found; i++)
		if (!all[i].slot || all[i].slot == slot)
			found = &all[i];
	for (unsigned i = 0; all && i < BOB_STUB_FRAMES && !found; i++)
		if (bob_stub_is_gone(&all[i], slot))
			found = &all[i];
	if (found)
		*found = (struct bob_stub_frame){ *slot, 0, slot, NULL, { NULL } };
	return found;
}

/* NULL: jump to the function without a frame. */
__attribute__((used)) static struct bob_stub_frame *
bob_stub_begin(struct bob_stub_saved *s, const char *area, struct bob_wrapper *w)
{
	struct bob_stub_call c = { { s->rdi, s->rsi, s->rdx, s->rcx, s->r8, s->r9 },
				   { { 0 } },
				   s + 1 };
	union bob_arg in[BOB_EVENT_PARAMETERS_MAX];
	struct bob_stub_frame *f;
	uint32_t n;

	(void)bob_next(w);
	if (bob_is_inner(BOB_FRAME) || !(w->event || w->has_blocks) ||
	    !(f = bob_stub_take(&s->back)))
		return NULL;
	f->wrapper = w;
	__builtin_memcpy(c.real, area + BOB_STUB_XMM, sizeof(c.real));
	n = w->begin(w, &c, in);
	if (w->event)
		bob_call_begin(&f->call, w, in, n);
	return f;
}

/* Returns the caller's rbx. */
__attribute__((used)) static uint64_t bob_stub_end(struct bob_stub_saved_end *s, const char *area,
						   struct bob_stub_frame *f)
{
	struct bob_stub_result r = { s->rax, s->rdx, { 0 }, { 0 } };
	union bob_arg out[BOB_EVENT_PARAMETERS_MAX];
	const uint64_t rbx = f->rbx;
	uint32_t n;

	__builtin_memcpy(r.xmm0, area + BOB_STUB_XMM, 32);
	n = f->wrapper->end(f->wrapper, &r, out);
	if (f->call.wrapper)
		bob_call_end(&f->call, out, n);
	s->back = f->back;
	f->slot = NULL;
	return rbx;
}

/* Called when an exception, or the end of the thread, unwinds the frame. */
struct _Unwind_Context;
extern unsigned long bob_unwind_register(struct _Unwind_Context *c, int n) __asm__("_Unwind_GetGR");
__attribute__((used)) static int bob_stub_unwound(int version, int actions, uint64_t kind,
						  void *exception, struct _Unwind_Context *c)
{
	struct bob_stub_frame *f = (struct bob_stub_frame *)bob_unwind_register(c, 3);

	(void)version, (void)kind, (void)exception;
	if (actions & 2) { /* cleanup, not search */
		bob_call_leave(&f->call);
		f->slot = NULL;
	}
	return 8;		/* continue unwinding (_URC_CONTINUE_UNWIND) */
}

/* Saves all registers, including caller-saved ones: a compiler that sees a function knows which of
 * them it leaves unchanged, and need not align the stack for its calls. */
#define BOB_STUB_SAVE                                                                              \
	"andq $-64, %rsp\nsubq $2752, %rsp\nxorl %eax, %eax\n"                                     \
	"movq %rax, 512(%rsp)\nmovq %rax, 520(%rsp)\nmovq %rax, 528(%rsp)\nmovq %rax, 536(%rsp)\n" \
	"movq %rax, 544(%rsp)\nmovq %rax, 552(%rsp)\nmovq %rax, 560(%rsp)\nmovq %rax, 568(%rsp)\n" \
	"movl $0xe7, %eax\nxorl %edx, %edx\nxsave64 (%rsp)\ncld\nmovq %rsp, %rsi\n"
#define BOB_STUB_RESTORE "movl $0xe7, %eax\nxorl %edx, %edx\nxrstor64 (%rsp)\n"

/* Entry of a function with a stub. */
#define BOB_STUB(label, scope, wrapper)                                                            \
	__asm__(".text\n" scope "\n.type " label ", @function\n.p2align 4\n" label ":\n"           \
		".cfi_startproc\nendbr64\npushq %r11\n.cfi_adjust_cfa_offset 8\n"                  \
		"leaq " wrapper "(%rip), %r11\ncall bob_stub_enter\n.cfi_adjust_cfa_offset -8\n"   \
		"jmp *" wrapper "+32(%rip)\n.cfi_endproc\n.size " label ", .-" label "\n")

__asm__(".text\n.p2align 4\n.type bob_stub_enter, @function\nbob_stub_enter:\n"
	".cfi_startproc\n"
	"pushfq\n.cfi_adjust_cfa_offset 8\npushq %rbp\n.cfi_adjust_cfa_offset 8\n"
	".cfi_offset %rbp, -24\nmovq %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
	"pushq %rax\npushq %rcx\npushq %rdx\npushq %rsi\n"
	"pushq %rdi\npushq %r8\npushq %r9\npushq %r10\n" BOB_STUB_SAVE
	"leaq -64(%rbp), %rdi\nmovq %r11, %rdx\ncall bob_stub_begin\n"
	"movq %rax, %r11\n" BOB_STUB_RESTORE "leaq -64(%rbp), %rsp\n"
	"testq %r11, %r11\nje 1f\n"
	/* the caller's rbx is in the frame, which rbx points to */
	"movq %rbx, 8(%r11)\nmovq %r11, %rbx\n"
	".cfi_remember_state\n.cfi_escape 0x10, 3, 2, 0x73, 8\n"
	"leaq bob_stub_return(%rip), %rax\nmovq %rax, 32(%rbp)\n"
	".cfi_restore_state\n.cfi_same_value %rbx\n"
	"1:\n"
	"popq %r10\npopq %r9\npopq %r8\npopq %rdi\npopq %rsi\npopq %rdx\npopq %rcx\npopq %rax\n"
	"popq %rbp\n.cfi_def_cfa %rsp, 16\n.cfi_restore %rbp\n"
	"popfq\n.cfi_adjust_cfa_offset -8\n"
	"movq 8(%rsp), %r11\nret $8\n.cfi_endproc\n.size bob_stub_enter, .-bob_stub_enter\n"

	/* Functions return here. Unwinders look up the byte before a return address: hence the nop.
	 * The frame at rbx has the address to continue at, then the caller's rbx. The canonical
	 * frame address is artificial, 8 above the caller's stack pointer: unwinders identify
	 * frames by it, and it must not be the function's. */
	".p2align 4\n.type bob_stub_returned, @function\nbob_stub_returned:\n"
	".cfi_startproc\n.cfi_personality 0x1b, bob_stub_unwound\n"
	".cfi_def_cfa %rsp, 8\n.cfi_escape 0x14, 7, 1\n"
	".cfi_escape 0x10, 16, 2, 0x73, 0\n.cfi_escape 0x10, 3, 2, 0x73, 8\n"
	"nop\n"
	".globl bob_stub_return\n.hidden bob_stub_return\nbob_stub_return:\n"
	"leaq -8(%rsp), %rsp\n.cfi_adjust_cfa_offset 8\n"
	"pushfq\n.cfi_adjust_cfa_offset 8\npushq %rbp\n.cfi_adjust_cfa_offset 8\n"
	".cfi_offset %rbp, -32\nmovq %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
	"pushq %rax\npushq %rcx\npushq %rdx\npushq %rsi\n"
	"pushq %rdi\npushq %r8\npushq %r9\npushq %r10\n"
	"pushq %r11\n" BOB_STUB_SAVE "leaq -72(%rbp), %rdi\nmovq %rbx, %rdx\ncall bob_stub_end\n"
	/* the slot has the address, and the frame is free */
	"movq %rax, %rbx\n.cfi_offset %rip, -16\n.cfi_same_value %rbx\n" BOB_STUB_RESTORE
	"leaq -72(%rbp), %rsp\npopq %r11\n"
	"popq %r10\npopq %r9\npopq %r8\npopq %rdi\npopq %rsi\npopq %rdx\npopq %rcx\npopq %rax\n"
	"popq %rbp\n.cfi_def_cfa %rsp, 24\n.cfi_restore %rbp\n"
	"popfq\n.cfi_adjust_cfa_offset -8\n"
	"leaq 8(%rsp), %rsp\n.cfi_adjust_cfa_offset -8\n" /* as after a return */
	"jmp *-8(%rsp)\n.cfi_endproc\n.size bob_stub_returned, .-bob_stub_returned\n");

/* --- BOB_CALLED --- */

/* Registers that hold a result of this type: bits 1 rax, 2 rdx, 4 xmm0, 8 xmm1. The x87 stack is
 * not touched. */
#define BOB_KIND(x) __builtin_classify_type(x)
#define BOB_IS_NUMBER(x) (BOB_KIND(x) >= 1 && BOB_KIND(x) <= 5)
#define BOB_IS_X87(x) (BOB_TYPE(x) == 'x' || (BOB_KIND(x) == 9 && sizeof(x) > 16))
#define BOB_RESULT_REGISTERS(x)                                                                    \
	(BOB_IS_NUMBER(x) ? (sizeof(x) > 8 ? 3u : 1u) :                                            \
	 BOB_IS_X87(x)	  ? 0u :                                                                   \
	 BOB_KIND(x) == 8 ? 4u :                                                                   \
	 BOB_KIND(x) == 9 ? 12u :                                                                  \
	 sizeof(x) > 16	  ? 1u :                                                                   \
			    15u)

/* Upper bounds on the registers of either class, and on the stack bytes, that a parameter takes.
 * Only the compiler knows the class of small structs. A parameter on the stack counts 16 bytes,
 * since some are that large or aligned. */
#define BOB_INTEGERS(x) (BOB_IS_NUMBER(x) ? (unsigned)(sizeof(x) + 7) / 8 : 0u)
#define BOB_REALS(x) (BOB_IS_X87(x) ? 0u : BOB_KIND(x) == 8 ? 1u : BOB_KIND(x) == 9 ? 2u : 0u)
#define BOB_MEMORY(x)                                                                              \
	(BOB_IS_X87(x) || !(BOB_IS_NUMBER(x) || BOB_KIND(x) == 8 || BOB_KIND(x) == 9) ?            \
		 (unsigned)(sizeof(x) + 15) / 16 * 16 + (unsigned)__alignof__(x) :                 \
		 0u)
#define BOB_BEYOND(n, registers) ((n) > (registers) ? 16u * ((n) - (registers)) + 16u : 0u)
#define BOB_ON_STACK(integers, reals, memory)                                                      \
	((BOB_BEYOND(integers, 6u) + BOB_BEYOND(reals, 8u) + (memory) + 63u) / 64u * 64u)
/* Arguments on the stack are copied to a stack aligned to 64 bytes. */
#define BOB_TOO_ALIGNED(x) (__alignof__(x) > 64u)

_Static_assert(offsetof(struct bob_wrapper, inner) == 96 &&
		       offsetof(struct bob_wrapper, stack) == 104 &&
		       offsetof(struct bob_wrapper, result) == 108,
	       "bob_stub_call");

#define BOB_CALLED(label, scope, wrapper)                                                          \
	__asm__(".text\n" scope "\n.type " label ", @function\n.p2align 4\n" label ":\n"           \
		".cfi_startproc\nendbr64\npushq %r11\n.cfi_adjust_cfa_offset 8\n"                  \
		"leaq " wrapper "(%rip), %r11\njmp bob_stub_call\n.cfi_endproc\n.size " label      \
		", .-" label "\n")

/* Offsets from rbp: 0 rbp, 8 flags, 16 r11, 24 the return address, 32 arguments on the stack; below
 * rbp: rax, rcx, rdx, rsi, rdi, r8, r9, r10, the wrapper, rbx. rbx points to the xsave area. */
__asm__(".text\n.p2align 4\n.type bob_stub_call, @function\nbob_stub_call:\n"
	".cfi_startproc\n.cfi_def_cfa %rsp, 16\n"
	"pushfq\n.cfi_adjust_cfa_offset 8\npushq %rbp\n.cfi_adjust_cfa_offset 8\n"
	".cfi_offset %rbp, -32\nmovq %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
	"pushq %rax\npushq %rcx\npushq %rdx\npushq %rsi\n"
	"pushq %rdi\npushq %r8\npushq %r9\npushq %r10\n"
	"pushq %r11\npushq %rbx\n.cfi_offset %rbx, -112\n" BOB_STUB_SAVE "movq %rsp, %rbx\n"
	"movl 104(%r11), %ecx\nsubq %rcx, %rsp\nshrl $3, %ecx\nleaq 32(%rbp), %rsi\n"
	"movq %rsp, %rdi\nrep movsq\n"
	"movq -8(%rbp), %rax\nmovq -16(%rbp), %rcx\nmovq -24(%rbp), %rdx\nmovq -32(%rbp), %rsi\n"
	"movq -40(%rbp), %rdi\ncall *96(%r11)\n"
	"movq -72(%rbp), %r11\nmovl 108(%r11), %ecx\n"
	"testb $1, %cl\nje 1f\nmovq %rax, -8(%rbp)\n1:\n"
	"testb $2, %cl\nje 1f\nmovq %rdx, -24(%rbp)\n1:\n"
	"testb $4, %cl\nje 1f\nmovups %xmm0, 160(%rbx)\n1:\n"
	"testb $8, %cl\nje 1f\nmovups %xmm1, 176(%rbx)\n1:\n"
	"stmxcsr 24(%rbx)\norb $2, 512(%rbx)\n" /* marks SSE state as modified */
	"movl $0xe6, %eax\nxorl %edx, %edx\nxrstor64 (%rbx)\n"
	"movq -80(%rbp), %rbx\n.cfi_restore %rbx\n"
	"movq -64(%rbp), %r10\nmovq -56(%rbp), %r9\nmovq -48(%rbp), %r8\nmovq -40(%rbp), %rdi\n"
	"movq -32(%rbp), %rsi\nmovq -24(%rbp), %rdx\nmovq -16(%rbp), %rcx\nmovq -8(%rbp), %rax\n"
	"movq %rbp, %rsp\n.cfi_def_cfa_register %rsp\npopq %rbp\n.cfi_adjust_cfa_offset -8\n"
	".cfi_restore %rbp\npopfq\n.cfi_adjust_cfa_offset -8\n"
	"popq %r11\n.cfi_adjust_cfa_offset -8\n"
	"ret\n.cfi_endproc\n.size bob_stub_call, .-bob_stub_call\n");
#endif
