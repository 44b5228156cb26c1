/* SPDX-License-Identifier: BSD-3-Clause */
/* Does an unwinder find the right values at every instruction? Functions that access memory run
 * with the trap flag. At each instruction the handler unwinds to `step_through`, whose callee-saved
 * registers have known values, and compares. Then exceptions leave faulting instructions, in
 * functions whose frame pointer or saved registers only the unwinder uses. Prints what is wrong, or
 * "ok". */
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ucontext.h>
#include <unwind.h>

__asm__("	.text\n"
	"	.globl step_through, step_return\n"
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
	"	mov	%rsi, %rdi\n"
	"	mov	$0x2002, %ebx\n	mov	$0x7007, %ebp\n	mov	$0xc00c, %r12d\n"
	"	mov	$0xd00d, %r13d\n	mov	$0xe00e, %r14d\n"
	"	mov	$0xf00f, %r15d\n"
	"	pushfq\n	.cfi_adjust_cfa_offset 8\n	orq	$0x100, (%rsp)\n"
	"	popfq\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	call	*(%rsp)\n"
	"step_return:\n"
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
	/* All registers are in use, so a probe must save some: rbx and rbp are the first that the
	 * addresses do not need. */
	"	.globl crowded\n"
	"	.type crowded, @function\n"
	"crowded:\n"
	"	.cfi_startproc\n"
	"	mov	%rdi, %rax\n	mov	$1, %ecx\n	mov	%rdi, %rdx\n"
	"	mov	$2, %esi\n"
	"	addq	$1, (%rax,%rcx,8)\n"
	"	addq	$1, (%rdx,%rsi,8)\n	mov	%ecx, %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size crowded, .-crowded\n");

extern "C" {
extern const char step_return[];
long step_through(long (*f)(long *), long *argument);
long crowded(long *p);
}

static int steps, wrong;

static _Unwind_Reason_Code look(struct _Unwind_Context *c, void *found)
{
	static const struct {
		int number; /* of DWARF */
		uintptr_t value;
	} saved[] = { { 3, 0x2002 }, { 6, 0x7007 }, { 12, 0xc00c }, { 13, 0xd00d }, { 14, 0xe00e },
		      { 15, 0xf00f } };

	if (_Unwind_GetIP(c) != (uintptr_t)step_return)
		return _URC_NO_REASON;
	*(bool *)found = true;
	for (const auto &r : saved)
		if (_Unwind_GetGR(c, r.number) != r.value && wrong++ < 5)
			std::printf("register %d is %lx\n", r.number,
				    (unsigned long)_Unwind_GetGR(c, r.number));
	return _URC_NORMAL_STOP;
}

static void on_step(int, siginfo_t *, void *context)
{
	const greg_t *r = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
	const uintptr_t into = (uintptr_t)r[REG_RIP] - (uintptr_t)step_through;
	bool found = false;

	if (into <= (uintptr_t)step_return - (uintptr_t)step_through + 16)
		return;
	steps++;
	_Unwind_Backtrace(look, &found);
	if (!found && wrong++ < 5)
		std::printf("no caller at %lx\n",
			    (unsigned long)((uintptr_t)r[REG_RIP] - (uintptr_t)step_through));
}

static void on_fault(int)
{
	throw 5;
}

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE long sum(long *p)
{
	long s = 0;

	for (int i = 0; i < 8; i++)
		s += p[i] * i;
	p[3] = s;
	return s;
}

NOINLINE long many(long *p)
{
	volatile long a = p[0], b = p[1];
	long c = p[2], d = p[3], e = p[4], f = p[5], g = p[6], h = p[7];

	for (int i = 0; i < 3; i++) {
		a = a + b * c;
		c ^= p[i] + d;
		d += e * f;
		e -= g ^ h;
		p[(c ^ d) & 7] = a + e;
	}
	return a + b + c + d + e + f + g + h;
}

NOINLINE long calls(long *p)
{
	long s = sum(p);

	return many(p) + s + p[1];
}

NOINLINE long aligned(long *p)
{
	alignas(64) volatile long a[16];

	for (int i = 0; i < 16; i++)
		a[i] = p[i & 7];
	return sum(p) + a[p[0] & 15];
}

NOINLINE long store(volatile long *p)
{
	*p = 12;
	return 0;
}

/* The landing pad alone reads `kept`, from a callee-saved register. Lower ones are alive. */
NOINLINE long lands(volatile long *volatile *p, long a, long b)
{
	long kept = (a * 3 + b) ^ (b << 4), c = a - b;

	try {
		long v;

		__asm__ volatile("" : "+a"(a), "+c"(b), "+d"(c), "+b"(kept));
		v = **p;
		__asm__ volatile("" : "+a"(a), "+c"(b), "+d"(c) : "r"(v));
		return a + b + c;
	} catch (int x) {
		return x + kept;
	}
}

static volatile long *volatile nowhere;

int main()
{
	static long (*const f[])(long *) = { sum, many, calls, aligned, crowded };
	long v[8] = { 5, 3, 8, 1, 9, 2, 7, 4 };
	struct sigaction act = {};

	act.sa_sigaction = on_step;
	act.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &act, nullptr);
	for (auto g : f)
		std::printf("%ld\n", step_through(g, v));
	if (steps < 100)
		std::printf("only %d steps\n", steps);
	act = {};
	act.sa_handler = on_fault;
	act.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &act, nullptr);
	for (int i = 0; i < 3; i++) {
		try {
			store(nowhere);
		} catch (int x) {
			std::printf("caught %d\n", x);
		}
		std::printf("%ld\n", lands(&nowhere, i + 3, 7));
	}
	std::puts(wrong ? "wrong" : "ok");
	return wrong != 0;
}
