/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bytes does a masked instruction access? Those whose absence makes it fault. Every
 * instruction of AVX-512 with a mask and an operand in memory -- all opcodes are tried, Zydis says
 * which are some -- runs with each single bit of the mask set, its operand at the end of a page
 * that an unmapped one follows, and at the beginning of a page after an unmapped one. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "plan/arch/x86_64/facts.h"
#include "plan/mem/mem.h"

#define PAGE 4096
#define WRONG_MAX 20

static uint8_t *code;		/* a page for one instruction */
static uint8_t *pages;		/* nothing, two pages, nothing */
static sigjmp_buf out;

static void on_fault(int sig)
{
	siglongjmp(out, sig);
}

static void set_up(void)
{
	struct sigaction sa = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };

	code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	pages = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(code != MAP_FAILED && pages != MAP_FAILED);
	assert_int_equal(mprotect(pages + PAGE, 2 * PAGE, PROT_READ | PROT_WRITE), 0);
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGILL, &sa, NULL);
}

__attribute__((target("avx512f,avx512bw"), noinline)) static void call(uint8_t *at, uint64_t mask)
{
	__asm__ volatile("kmovq %1, %%k1\n\t"
			 "subq $128, %%rsp\n\t"
			 "call *%2\n\t"
			 "addq $128, %%rsp\n\t"
			 "vzeroupper"
			 : "+D"(at)
			 : "r"(mask), "r"(code)
			 : "rax", "rcx", "rdx", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3",
			   "xmm4", "xmm5", "xmm6", "xmm7");
}

/* The signal it ends with, 0: none. */
static int run(uint8_t *at, uint64_t mask)
{
	int sig = sigsetjmp(out, 0);

	if (!sig)
		call(at, mask);
	return sig;
}

static int faults(uint8_t *at, uint64_t mask)
{
	return run(at, mask) == SIGSEGV;
}

/* Does it access bytes [from, to) of its operand and no others? `aligned`: it cannot lie across two
 * pages. */
static int accesses(uint64_t mask, unsigned from, unsigned to, int aligned)
{
	uint8_t *first = pages + PAGE, *end = pages + 3 * PAGE;

	if (from == to)
		return !faults(pages + PAGE / 2, mask);
	if (aligned)
		return faults(pages, mask) && !faults(first, mask);
	return !faults(first - from, mask) && faults(first - from - 1, mask) &&
	       !faults(end - to, mask) && faults(end - to + 1, mask);
}

static int agrees(const struct bob_x86_facts *f, int aligned)
{
	const struct bob_x86_lanes *l = &f->lanes;
	const struct bob_x86_access *a = &f->access[0];

	if (f->access_count != 1)
		return 0;
	if (!l->count)
		return accesses(0, 0, a->size, aligned) && accesses(~0ull, 0, a->size, aligned);
	if (!a->laned || a->size != l->size || !accesses(0, 0, 0, aligned) ||
	    !accesses(~0ull, 0, (unsigned)l->count * l->size, aligned))
		return 0;
	if (l->bits < 64 && !accesses(~0ull << l->bits, 0, 0, aligned))
		return 0;
	for (unsigned bit = 0; bit < l->bits; bit++) {
		unsigned lane = l->packed ? 0 : bit;

		if (!accesses(1ull << bit, lane * l->size, (lane + 1) * l->size, aligned))
			return 0;
		/* two bits: as many lanes from the first on, if packed; the broadcast's only one */
		if (l->packed && bit &&
		    !accesses(1ull << bit | 1, 0, l->count > 1 ? 2u * l->size : l->size, aligned))
			return 0;
	}
	return 1;
}

/* EVEX, operand (%rdi), registers 1 and 2, mask k1, immediate 0. */
static unsigned build(unsigned map, unsigned opcode, unsigned bits)
{
	unsigned pp = bits & 3, w = bits >> 2 & 1, broadcast = bits >> 3 & 1, length = bits >> 4;
	const uint8_t bytes[] = { 0x62,	(uint8_t)(0xf0 | map), (uint8_t)(w << 7 | 0x74 | pp),
				  (uint8_t)(length << 5 | broadcast << 4 | 9), (uint8_t)opcode,
				  0x17, 0, 0 };

	memcpy(code, bytes, sizeof(bytes));
	return sizeof(bytes);
}

static int moves_aligned(const uint8_t *p)
{
	unsigned pp = p[2] & 3;

	return (p[1] & 7) == 1 &&
	       (((p[4] & 0xfe) == 0x28 && pp < 2) || ((p[4] == 0x6f || p[4] == 0x7f) && pp == 1));
}

static void test_each(void **state)
{
	static const unsigned maps[] = { 1, 2, 3, 5, 6 };
	unsigned tried = 0, laned = 0, foreign = 0, wrong = 0, declined = 0;

	(void)state;
	if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
	    !__builtin_cpu_supports("avx512vl")) {
		printf("skipped: this processor has no AVX-512\n");
		skip();
	}
	set_up();
	for (unsigned i = 0; i < 5 * 256 * 48; i++) {
		unsigned len = build(maps[i / (256 * 48)], i / 48 % 256, i % 48), why;
		struct bob_x86_facts f;

		why = bob_x86_facts(code, len, 0, &f);
		if (why == BOB_MEM_UNDECODED)
			continue;
		declined += why != BOB_MEM_TAKEN;
		code[f.len] = 0xc3;
		if (run(pages + PAGE, ~0ull) == SIGILL) {
			foreign++;
			continue;
		}
		tried++;
		laned += f.lanes.count != 0;
		if (why == BOB_MEM_TAKEN && agrees(&f, moves_aligned(code)))
			continue;
		if (wrong++ < WRONG_MAX)
			fprintf(stderr,
				"%02x %02x %02x %02x %02x: %s: %u accesses of %u, lanes %u of "
				"%u, bits %u, packed %d\n",
				code[0], code[1], code[2], code[3], code[4],
				bob_mem_decline_text(why), f.access_count, f.access[0].size,
				f.lanes.count, f.lanes.size, f.lanes.bits, f.lanes.packed);
	}
	printf("%u instructions, %u access lanes, %u are unknown to this processor, %u declined\n",
	       tried, laned, foreign, declined);
	assert_true(tried > 1000);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
