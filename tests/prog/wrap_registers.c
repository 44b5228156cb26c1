/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that change no register but that of their result, and a caller that relies on it, as
 * compilers do that see both. Prints every register that the caller finds after each call. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int more(int n, long a, long b, long c, long d, long e, long on_stack);
double more_real(double x);
__asm__(".text\n.globl more\n.type more, @function\nmore:\n.cfi_startproc\n"
	"leal 1(%rdi), %eax\naddl 8(%rsp), %eax\nret\n.cfi_endproc\n.size more, .-more\n"
	".globl more_real\n.type more_real, @function\nmore_real:\n.cfi_startproc\n"
	"addsd %xmm0, %xmm0\nnop\nnop\nret\n.cfi_endproc\n.size more_real, .-more_real\n");

struct registers {
	uint64_t g[10];		/* rax, rcx, rdx, rsi, rdi, r8 ... r11, rbx */
	double x[16][2];
};

#define LOAD_X(n) "movups " #n "*16+80(%%r12), %%xmm" #n "\n"
#define STORE_X(n) "movups %%xmm" #n ", " #n "*16+80(%%r12)\n"
#define ALL(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12) m(13) m(14) m(15)
#define CALL(function)                                                                             \
	static void __attribute__((noinline)) call_##function(struct registers *r)                 \
	{                                                                                          \
		register struct registers *at __asm__("r12") = r;                                  \
		__asm__ volatile(                                                                  \
			"subq $128, %%rsp\npushq %%r13\npushq %%rbx\nmovq %%rsp, %%r13\n"          \
			"andq $-16, %%rsp\npushq $0\npushq $5\n" ALL(                              \
				LOAD_X) "movq 0(%%r12), %%rax\nmovq 8(%%r12), %%rcx\n"             \
					"movq 16(%%r12), %%rdx\nmovq 24(%%r12), %%rsi\n"           \
					"movq 32(%%r12), %%rdi\nmovq 40(%%r12), %%r8\n"            \
					"movq 48(%%r12), %%r9\nmovq 56(%%r12), %%r10\n"            \
					"movq 64(%%r12), %%r11\nmovq 72(%%r12), %%rbx\n"           \
					"call " #function "\n"                                     \
					"movq %%rax, 0(%%r12)\nmovq %%rcx, 8(%%r12)\n"             \
					"movq %%rdx, 16(%%r12)\nmovq %%rsi, 24(%%r12)\n"           \
					"movq %%rdi, 32(%%r12)\nmovq %%r8, 40(%%r12)\n"            \
					"movq %%r9, 48(%%r12)\nmovq %%r10, 56(%%r12)\n"            \
					"movq %%r11, 64(%%r12)\nmovq %%rbx, 72(%%r12)\n" ALL(      \
						STORE_X) "movq %%r13, %%rsp\npopq %%rbx\n"         \
							 "popq %%r13\nsubq $-128, %%rsp\n"         \
			: "+r"(at)                                                                 \
			:                                                                          \
			: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0",     \
			  "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",  \
			  "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");   \
	}
CALL(more)
CALL(more_real)

static void print(const char *what, const struct registers *r)
{
	printf("%s", what);
	for (int i = 0; i < 10; i++)
		printf(" %llx", (unsigned long long)r->g[i]);
	for (int i = 0; i < 16; i++)
		printf(" %g,%g", r->x[i][0], r->x[i][1]);
	puts("");
}

int main(void)
{
	struct registers r;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 10; i++)
			r.g[i] = 0x1111111111111111u * (uint64_t)(i + 1) + (uint64_t)round;
		for (int i = 0; i < 16; i++) {
			r.x[i][0] = i + 0.5 + round;
			r.x[i][1] = -i;
		}
		call_more(&r);
		print("more", &r);
		call_more_real(&r);
		print("more_real", &r);
	}
	return 0;
}
