/* SPDX-License-Identifier: BSD-3-Clause */
/* Every register but rax and the arithmetic flags must come through a traced entry: the first time,
 * often, from a thread's first call, and while signals arrive. See regs_asm.S. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

struct regs {
	uint64_t gp[14];
	uint64_t rsp_before;
	uint32_t mxcsr;
	uint16_t x87, pad;
	uint64_t flags;
	uint64_t rsp_after;
	uint64_t pad2[6];
	uint64_t vec[16][4];
	uint64_t st[2][2];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct regs) == 768, "as regs_asm.S has it");

int regs_have_avx;
void regs_call(void (*f)(void), struct regs *in, struct regs *out);
void regs_no_cfi(void (*f)(void));
void e_nops(void), e_ret(void), e_endbr(void), e_push(void), e_call(void), e_rip(void);
void e_jump(void), e_branch(void), e_frame(void), e_redzone(void);

static void (*const functions[])(void) = {e_nops, e_ret,  e_endbr,  e_push,  e_call,
					  e_rip,  e_jump, e_branch, e_frame, e_redzone};

static const char *const gp_names[14] = {"rcx", "rdx", "rsi", "rdi", "r8",  "r9",  "r10",
					 "r11", "rbx", "rbp", "r12", "r13", "r14", "r15"};

static int complain(const char *what, int function, uint64_t in, uint64_t out)
{
	printf("function %d: %s was %llx, is %llx\n", function, what, (unsigned long long)in,
	       (unsigned long long)out);
	return 1;
}

static int one(int function, uint64_t seed)
{
	struct regs in, out;
	int bad = 0, words = regs_have_avx ? 4 : 2;

	memset(&in, 0, sizeof(in));
	for (int i = 0; i < 14; i++)
		in.gp[i] = seed = seed * 6364136223846793005u + 1442695040888963407u;
	for (int i = 0; i < 16; i++)
		for (int k = 0; k < 4; k++)
			in.vec[i][k] = seed = seed * 6364136223846793005u + 1442695040888963407u;
	in.mxcsr = 0x1f80u | (uint32_t)(seed >> 60 & 3) << 13 | 0x8040;
	in.x87 = (uint16_t)(0x037f | (seed >> 58 & 3) << 10);
	for (int i = 0; i < 2; i++) {
		in.st[i][0] = seed | 1ull << 63;
		in.st[i][1] = 0x3fff + (unsigned)i;
	}
	memset(&out, 0xee, sizeof(out));
	regs_call(functions[function], &in, &out);
	for (int i = 0; i < 14; i++)
		if (in.gp[i] != out.gp[i])
			bad += complain(gp_names[i], function, in.gp[i], out.gp[i]);
	for (int i = 0; i < 16; i++)
		for (int k = 0; k < words; k++)
			if (in.vec[i][k] != out.vec[i][k])
				bad += complain("vector", function, in.vec[i][k], out.vec[i][k]);
	for (int i = 0; i < 2; i++)
		if (in.st[i][0] != out.st[i][0] || in.st[i][1] != (out.st[i][1] & 0xffff))
			bad += complain("x87", function, in.st[i][0], out.st[i][0]);
	if (in.mxcsr != out.mxcsr)
		bad += complain("mxcsr", function, in.mxcsr, out.mxcsr);
	if (in.x87 != out.x87)
		bad += complain("x87 control word", function, in.x87, out.x87);
	if (in.rsp_before != out.rsp_after)
		bad += complain("rsp", function, in.rsp_before, out.rsp_after);
	if (out.flags & 0x400)
		bad += complain("direction flag", function, 0, out.flags);
	return bad;
}

static int all(uint64_t seed, int times)
{
	int bad = 0;

	for (int t = 0; t < times; t++)
		for (int f = 0; f < (int)(sizeof(functions) / sizeof(functions[0])); f++)
			bad += one(f, seed + (uint64_t)t);
	return bad;
}

static void *thread(void *arg)
{
	int *bad = (int *)arg;

	*bad = one(*bad, 5);
	*bad += all(6, 100);
	return NULL;
}

static void handler(int sig)
{
	(void)sig;
	e_nops();
	e_call();
}

int main(void)
{
	struct itimerval every = { { 0, 200 }, { 0, 200 } }, off = { { 0, 0 }, { 0, 0 } };
	int results[8], bad;
	pthread_t id[8];

	regs_have_avx = __builtin_cpu_supports("avx") ? 1 : 0;
	bad = all(1, 300);
	regs_no_cfi(e_nops);
	regs_no_cfi(e_call);
	for (int i = 0; i < 8; i++) {
		results[i] = i;
		if (pthread_create(&id[i], NULL, thread, &results[i]))
			return 97;
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(id[i], NULL);
		bad += results[i];
	}
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &every, NULL);
	bad += all(2, 5000);
	setitimer(ITIMER_REAL, &off, NULL);
	printf("%d wrong\n", bad);
	return bad != 0;
}
