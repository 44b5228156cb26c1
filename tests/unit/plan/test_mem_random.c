/* SPDX-License-Identifier: BSD-3-Clause */
/* Random assembly, translated: it must do and record the same (memrun.h). The generator is after
 * what compiled code rarely has: flags that live across accesses, all registers alive, odd address
 * forms, base registers that change within a block, calls back to back, returns into jumps,
 * one-byte landings. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../share.h"
#include "memlanes.h"
#include "memmap.h"

#define FUNCTIONS 24
#define LAYER 8			/* functions call those of the next layer */
#define LONGS 4096		/* of the data, which rdi points into the middle of */

struct gen {
	FILE *out;
	uint64_t seed;
	unsigned fn, label, calls, frame;
	bool wide;		/* the processor has AVX-512 */
	bool flags_pass;	/* read without having been set, after calls and at entries */
};

static uint32_t rnd(struct gen *g, uint32_t n)
{
	g->seed = g->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(g->seed >> 33) % n;
}

/* Pointers into the data, kept within 1 KB of where they began; values; loop counters. rsp is
 * itself. */
static const char *const pointer[] = { "rdi", "rsi", "rbx", "rbp", "r12" };
static const char *const value[] = { "rax", "rdx", "r8", "r9", "r10", "r11", "r14" };
static const char *const value32[] = { "eax", "edx", "r8d", "r9d", "r10d", "r11d", "r14d" };
static const char *const value8[] = { "al", "dl", "r8b", "r9b", "r10b", "r11b", "r14b" };
#define ANY(list) list[rnd(g, sizeof(list) / sizeof(list[0]))]

/* An address, as text. rcx is an index below 64, r15 one below 8 that may be negative. */
static const char *address(struct gen *g)
{
	static char text[4][64];
	static unsigned next;
	char *t = text[next++ % 4];
	int disp = (int)rnd(g, 2000) - 1000;

	switch (rnd(g, 7)) {
	case 0:
		snprintf(t, 64, "(%%%s)", ANY(pointer));
		break;
	case 1:
	case 2:
	case 5:
		snprintf(t, 64, "%d(%%%s)", disp, ANY(pointer));
		break;
	case 3:
		snprintf(t, 64, "%d(%%%s,%%rcx,%d)", disp, ANY(pointer), 1 << rnd(g, 4));
		break;
	case 4:
		snprintf(t, 64, "%d(%%%s,%%r15,%d)", disp, ANY(pointer), 1 << rnd(g, 4));
		break;
	default:
		snprintf(t, 64, "table+%u(%%rip)", rnd(g, 64) * 8);
		break;
	}
	return t;
}

static void lanes(struct gen *g)
{
	unsigned n = 1 + rnd(g, 3);

	fputs(LANES_BEGIN, g->out);
	for (unsigned i = 0; i < n; i++) {
		if (i == 0 || rnd(g, 2))
			fprintf(g->out, "\tkmovd %%%s, %%k1\n", ANY(value32));
		lanes_put(g->out, ANY(lanes_form), ANY(pointer));
	}
	lanes_put(g->out, LANES_END, ANY(pointer));
}

static void insn(struct gen *g)
{
	static const char *const alu[] = { "add", "sub",  "and", "or", "xor",
					   "cmp", "test", "adc", "sbb" };
	static const char *const cc[] = { "e", "ne", "l", "ge", "b", "a", "s", "o", "p" };
	static const char *const shift[] = { "shl", "shr", "sar", "rol", "rcr" };
	FILE *o = g->out;
	uint32_t v = rnd(g, 7), p;

	switch (rnd(g, 40)) {
	case 0:
	case 1:
		fprintf(o, "\tmov %s, %%%s\n", address(g), ANY(value));
		break;
	case 2:
	case 3:
		fprintf(o, "\tmov %%%s, %s\n", ANY(value), address(g));
		break;
	case 4:
		fprintf(o, "\tmov%s %s, %%%s\n", rnd(g, 2) ? "zbl" : "swl", address(g),
			ANY(value32));
		break;
	case 5:
		fprintf(o, "\tmovb %%%s, %s\n", ANY(value8), address(g));
		break;
	case 6:
	case 7:
		fprintf(o, "\t%s %%%s, %%%s\n", ANY(alu), ANY(value), ANY(value));
		break;
	case 8:
		fprintf(o, "\t%s %%%s, %s\n", ANY(alu), ANY(value), address(g));
		break;
	case 9:
		p = rnd(g, 9);
		if (p == 6)	/* test has no such form */
			p = 0;
		fprintf(o, "\t%s %s, %%%s\n", alu[p], address(g), ANY(value));
		break;
	case 10:
		fprintf(o, "\t%s $%d, %%%s\n", ANY(alu), (int)rnd(g, 400) - 200, ANY(value));
		break;
	case 11:
		fprintf(o, "\tset%s %%%s\n", ANY(cc), ANY(value8));
		break;
	case 12:
		fprintf(o, "\tset%s %s\n", ANY(cc), address(g));
		break;
	case 13:
		fprintf(o, "\tcmov%s %s, %%%s\n", ANY(cc), address(g), ANY(value));
		break;
	case 14:
		fprintf(o, "\t%s $%u, %%%s\n", ANY(shift), rnd(g, 64), ANY(value));
		break;
	case 15:
		fprintf(o, "\tshlq %%cl, %s\n", address(g));
		break;
	case 16:
		fprintf(o, "\tlea %s, %%%s\n", "8(%rdi,%rcx,4)", ANY(value));
		break;
	case 17:	/* a pointer moves a little, and comes back */
		p = rnd(g, 5);
		fprintf(o, "\tadd $%u, %%%s\n", 16 * rnd(g, 8), pointer[p]);
		fprintf(o, "\tmov 8(%%%s), %%%s\n", pointer[p], value[v]);
		fprintf(o, "\tlea -64(%%%s), %%%s\n", pointer[p], pointer[p]);
		fprintf(o, "\tmov %%%s, (%%%s)\n", ANY(value), pointer[p]);
		fprintf(o, "\tmov lbase(%%rip), %%%s\n", pointer[p]);
		break;
	case 18:	/* a pointer from memory */
		p = rnd(g, 5);
		fprintf(o, "\tmov lpointers+%u(%%rip), %%%s\n", 8 * rnd(g, 8), pointer[p]);
		break;
	case 19:
		p = rnd(g, 5);
		fprintf(o, "\tmov %%%s, %%%s\n", ANY(pointer), pointer[p]);
		break;
	case 20:
		fprintf(o, "\tmov %%%s, %%ecx\n\tand $63, %%ecx\n", ANY(value32));
		break;
	case 21:
		fprintf(o, "\tmov %%%s, %%r15d\n\tand $7, %%r15d\n\tneg %%r15\n", ANY(value32));
		break;
	case 22:
		fprintf(o, "\tpush %%%s\n\tpush %s\n\tpop %%%s\n\tpop %s\n", ANY(value), "(%rsp)",
			ANY(value), "-16(%rsp)");
		break;
	case 23:
		fprintf(o, "\tlock %s %%%s, %s\n", rnd(g, 2) ? "add" : "xadd", ANY(value),
			address(g));
		break;
	case 24:
		fprintf(o, "\txchg %%%s, %s\n", ANY(value), address(g));
		break;
	case 25:
		fprintf(o, "\t%scmpxchg %%%s, %s\n", rnd(g, 2) ? "lock " : "", ANY(value),
			address(g));
		break;
	case 26:
		fprintf(o, "\tmov%s %s, %%xmm%u\n", rnd(g, 2) ? "ups" : "sd", address(g),
			rnd(g, 4));
		break;
	case 27:
		fprintf(o, "\tmov%s %%xmm%u, %s\n", rnd(g, 2) ? "ups" : "ss", rnd(g, 4),
			address(g));
		break;
	case 28:
		fprintf(o, "\tpushfq\n\tpopq %%%s\n\tand $0x8d5, %%%s\n", value[v], value[v]);
		break;
	case 29:
		fprintf(o, "\tpush %%rdi\n\tpush %%rsi\n\tpush %%rcx\n\tmov $%u, %%ecx\n",
			rnd(g, 6));
		fprintf(o, "\t%s\n\tpop %%rcx\n\tpop %%rsi\n\tpop %%rdi\n",
			rnd(g, 2) ? "rep movsq" :
			rnd(g, 2) ? "rep stosb" :
			rnd(g, 2) ? "std; rep movsb; cld" :
				    "repne scasb");
		break;
	case 30:
		fprintf(o, "\tpush %%rsi\n\tpush %%rdi\n\t%s\n\tpop %%rdi\n\tpop %%rsi\n",
			rnd(g, 2) ? "movsl" :
			rnd(g, 2) ? "cmpsb" :
				    "lodsw");
		break;
	case 31:
		fprintf(o, "\tbtsl $%u, %s\n", rnd(g, 8), "16(%rdi)");
		break;
	case 32:
		fprintf(o, "\t%s\n", rnd(g, 2) ? "inc %r14" : "imul %rdx, %r8");
		break;
	case 33:	/* the red zone */
		fprintf(o, "\tmov %%%s, -24(%%rsp)\n\tmov -24(%%rsp), %%%s\n", ANY(value),
			ANY(value));
		break;
	case 34:
		fprintf(o, "\tmov scratch@gottpoff(%%rip), %%%s\n\tmov %%%s, %%fs:%u(%%%s)\n",
			value[v], ANY(value), 8 * rnd(g, 4), value[v]);
		break;
	case 35:
		fprintf(o, "\tmov scratch@gottpoff(%%rip), %%%s\n\tand $7, %%ecx\n", value[v]);
		fprintf(o, "\tadd %%fs:(%%%s,%%rcx,8), %%%s\n", value[v], ANY(value));
		break;
	case 37:	/* a register of an address, written in part, or perhaps */
		fprintf(o, "\tmov 64(%%rdi,%%rcx,8), %%%s\n\tmov $%u, %%cl\n", ANY(value),
			rnd(g, 60));
		fprintf(o, "\tmov 64(%%rdi,%%rcx,8), %%%s\n", ANY(value));
		break;
	case 38:
		p = rnd(g, 5);
		fprintf(o, "\tmov 8(%%%s), %%%s\n\tcmov%s %%%s, %%%s\n", pointer[p], ANY(value),
			ANY(cc), ANY(pointer), pointer[p]);
		fprintf(o, "\tmov %%%s, 8(%%%s)\n", ANY(value), pointer[p]);
		break;
	case 36:
		fprintf(o, "\tmov %%fs:0, %%%s\n\txor %%%s, %%%s\n", value[v], value[v], value[v]);
		break;
	default:
		fprintf(o, "\t%s\n", rnd(g, 2) ? "mul %rdx" : "nopl 0(%rax,%rax)");
		break;
	}
}

static void block(struct gen *g)
{
	for (unsigned n = rnd(g, 9); n-- > 0;)
		insn(g);
}

/* A block that branches back to itself, most of the time with addresses that step evenly. */
static void tight_loop(struct gen *g)
{
	static const char *const step[] = {
		"add $8, %rbx", "sub $4, %rbx", "lea 16(%rbx), %rbx", "add %r15, %rbx", "inc %rcx",
		"add $2, %rcx", "mov %rbx, %rsi", "mov pointers_of_loops(%rip), %rbx",
		"add $24, %rbp", "push %rax; pop %rdx", "rep stosb", "add %rcx, %rbp",
		"add %rcx, %rbx; inc %rcx",
	};
	FILE *o = g->out;
	unsigned a = g->label++;

	fprintf(o, "\tpush %%r13\n\tmov $%u, %%r13d\n\txor %%ecx, %%ecx\n.L%u:\n", 1 + rnd(g, 5),
		a);
	for (unsigned n = 1 + rnd(g, 3); n-- > 0;)
		fprintf(o,
			rnd(g, 2) ? "\tadd %d(%%rbx), %%rax\n" : "\tmov %%rdx, %d(%%rbx,%%rcx,8)\n",
			(int)rnd(g, 64));
	fprintf(o, "\t%s\n", ANY(step));
	fprintf(o, rnd(g, 2) ? "\tadd %%rax, 8(%%rbp)\n" : "\tmovsd (%%rsi,%%rcx,4), %%xmm1\n");
	if (rnd(g, 2))
		fprintf(o, "\t%s\n", ANY(step));
	if (g->wide && !rnd(g, 3))
		lanes(g);
	fprintf(o, "\t%s\n\tjne .L%u\n\tpop %%r13\n", rnd(g, 3) ? "dec %r13" : "sub $1, %r13d", a);
	fprintf(o, "\tmov lbase(%%rip), %%rbx\n\tmov %%rbx, %%rbp\n\tmov %%rbx, %%rdi\n"
		   "\tand $63, %%ecx\n");
	if (!g->flags_pass)
		fprintf(o, "\ttest %%rax, %%rax\n");
}

/* Structured, so that it ends: conditions, counted loops, tables, calls of functions with higher
 * numbers. */
static void body(struct gen *g, unsigned depth)
{
	static const char *const cc[] = { "e", "ne", "l", "ge", "b", "a", "s", "o", "p" };
	FILE *o = g->out;
	unsigned a = g->label++, k;

	block(g);
	switch (depth > 3 ? 9 : rnd(g, 12)) {
	case 0:
	case 1:
		fprintf(o, "\tj%s .L%u\n", ANY(cc), a);
		body(g, depth + 1);
		fprintf(o, ".L%u:\n", a);
		break;
	case 2:
		fprintf(o, "\tj%s .L%u\n", ANY(cc), a);
		body(g, depth + 1);
		fprintf(o, "\tjmp .L%ue\n.L%u:\n", a, a);
		body(g, depth + 1);
		fprintf(o, ".L%ue:\n", a);
		break;
	case 3:
	case 4:
		fprintf(o, "\tpush %%r13\n\tmov $%u, %%r13d\n.L%u:\n", 1 + rnd(g, 3), a);
		body(g, depth + 1);
		fprintf(o, "\tdec %%r13d\n\tjnz .L%u\n\tpop %%r13\n", a);
		break;
	case 5:
		fprintf(o,
			"\tpush %%r13\n\tmov %%%s, %%r13d\n\tand $3, %%r13d\n"
			"\tlea .T%u(%%rip), %%rcx\n",
			ANY(value32), a);
		fprintf(o, "\tmovslq (%%rcx,%%r13,4), %%r13\n\tadd %%rcx, %%r13\n");
		fprintf(o, "\tmov $5, %%ecx\n\tjmp *%%r13\n");
		fprintf(o, "\t.section .rodata\n\t.align 4\n.T%u:\n", a);
		for (k = 0; k < 4; k++)
			fprintf(o, "\t.long .L%uc%u-.T%u\n", a, k, a);
		fprintf(o, "\t.text\n");
		for (k = 0; k < 4; k++) {
			fprintf(o, ".L%uc%u:\n", a, k);
			block(g);
			if (rnd(g, 2))
				fprintf(o, "\tjmp .L%u\n", a);
		}
		fprintf(o, ".L%u:\n\tpop %%r13\n", a);
		break;
	case 6:
	case 7:
		if (g->fn >= 2 * LAYER || g->calls == 0)
			break;
		g->calls--;
		for (k = 1 + rnd(g, 3); k-- > 0;)	/* back to back, or nearly */
			fprintf(o, "\tcall k_%u\n%s", (g->fn / LAYER + 1) * LAYER + rnd(g, LAYER),
				rnd(g, 3) ? "" :
				rnd(g, 2) && !g->flags_pass ? /* else taken for padding */
					"\tnop\n" :
					"\tmov %rax, %rdx\n");
		if (!g->flags_pass)
			fprintf(o, "\ttest %%rax, %%rax\n");
		break;
	case 10:
	case 11:
		tight_loop(g);
		break;
	case 8:
		fprintf(o, "\tjrcxz .L%u\n", a);
		block(g);
		fprintf(o, ".L%u:\n", a);
		break;
	default:
		break;
	}
	if (g->wide && !rnd(g, 3)) /* flags stay as they are */
		lanes(g);
	block(g);
	if (depth < 2)
		body(g, depth + 1);
}

static void prologue(struct gen *g)
{
	FILE *o = g->out;

	fprintf(o, "\tpush %%rbx\n\tpush %%rbp\n\tpush %%r12\n\tpush %%r13\n\tpush %%r14\n"
		   "\tpush %%r15\n");
	fprintf(o, "\tmov lbase(%%rip), %%rdi\n\tmov %%rdi, %%rsi\n\tmov %%rdi, %%rbx\n");
	fprintf(o, "\tmov %%rdi, %%rbp\n\tmov %%rdi, %%r12\n\tmov $3, %%ecx\n");
	fprintf(o, "\tpxor %%xmm0, %%xmm0\n\tpxor %%xmm1, %%xmm1\n\tmovups (%%rdi), %%xmm2\n"
		   "\tmovq %%rdi, %%xmm3\n");
	fprintf(o, "\tmov $-3, %%r15\n");
	if (!g->flags_pass)
		fprintf(o, "\ttest %%rdi, %%rdi\n");
	/* realigned, as for vectors */
	fprintf(o, "\tmov %%rsp, %%r14\n\tand $-64, %%rsp\n\tpush %%r14\n\tlea -%u(%%rsp), %%rsp\n",
		g->frame);
}

static void function(struct gen *g)
{
	FILE *o = g->out;
	bool falls = false;	/* into the next one */

	g->calls = 1;
	g->frame = 8 + 16 * rnd(g, 4);
	fprintf(o, "\t.globl k_%u\n\t.hidden k_%u\n\t.type k_%u,@function\n\t.p2align %u\nk_%u:\n",
		g->fn, g->fn, g->fn, rnd(g, 5), g->fn);
	fprintf(o, "\t.cfi_startproc\n");
	if (g->fn < 2 * LAYER && rnd(g, 6) == 0) {	/* another function takes its place */
		fprintf(o,
			"\tmov lbase(%%rip), %%rdi\n\tadd %%rax, 8(%%rdi)\n\tmov (%%rdi), %%r8\n");
		falls = rnd(g, 3) == 0;
		if (!falls)
			fprintf(o, "\tjmp k_%u\n",
				rnd(g, 2) ? FUNCTIONS - 1 :
					    (g->fn / LAYER + 1) * LAYER + rnd(g, LAYER));
	} else if (g->fn != FUNCTIONS - 1 && rnd(g, 10) > 0) { /* else a landing of one byte */
		prologue(g);
		body(g, 0);
		fprintf(o, "\tlea %u(%%rsp), %%rsp\n\tpop %%rsp\n", g->frame);
		fprintf(o, "\tpop %%r15\n\tpop %%r14\n\tpop %%r13\n\tpop %%r12\n\tpop %%rbp\n"
			   "\tpop %%rbx\n");
	}
	fprintf(o, "%s\t.cfi_endproc\n\t.size k_%u,.-k_%u\n", falls ? "" : "\tret\n", g->fn, g->fn);
}

static void generate(struct gen *g, const char *path)
{
	g->out = fopen(path, "w");
	assert_non_null(g->out);
	fprintf(g->out, "\t.text\n");
	for (g->fn = 0; g->fn < FUNCTIONS; g->fn++)
		function(g);
	fprintf(g->out, "\t.data\n\t.globl base\n\t.p2align 12\nbase:\nlbase:\t.zero 32\n"
			"\t.globl pointers\n"
			"\t.globl pointers\npointers:\nlpointers:\npointers_of_loops:\t.zero 64\n"
			"table:\t.zero 4096\n"
			"\t.section .tbss,\"awT\",@nobits\n\t.align 8\n\t.globl scratch\n"
			"\t.type scratch,@object\nscratch:\t.zero 64\n"
			"\t.section .note.GNU-stack,\"\",@progbits\n");
	fclose(g->out);
}

static unsigned run(struct memrun *m, struct gen *g)
{
	static uint64_t mem[LONGS];
	uint64_t *base = dlsym(m->handle, "base"), *pointers = dlsym(m->handle, "pointers");
	unsigned wrong = 0;

	m->tls = dlsym(m->handle, "scratch");
	base[0] = (uint64_t)(uintptr_t)(mem + LONGS / 2);
	for (unsigned i = 0; i < 8; i++)
		pointers[i] = base[0] + 64 * i - 256;
	for (size_t i = 0; i < m->img.funcs.count; i++) {
		const struct bob_plan_candidate *f = &m->img.funcs.at[i];
		struct memrun_call c = { 0 };

		if (!f->name || strncmp(f->name, "k_", 2))
			continue;
		for (unsigned k = 0; k < LONGS; k++)
			mem[k] = rnd(g, 1u << 31) * (uint64_t)rnd(g, 1u << 31);
		for (unsigned r = 0; r < 16; r++)
			c.reg[r] = rnd(g, 1u << 31);
		c.fn = m->bias + f->addr;
		wrong += !memmap_both(m, f->name, &c, mem, sizeof(mem));
	}
	return wrong;
}

static unsigned one_library(uint64_t seed)
{
	struct gen g = { .seed = seed * 77777 + 5, .flags_pass = seed % 4 == 3,
			 .wide = __builtin_cpu_supports("avx512vl") &&
				 __builtin_cpu_supports("avx512bw") };
	char source[600], library[600], command[1400];
	const char *build = getenv("BOBBIN_BUILD");
	struct memrun m;
	unsigned wrong;

	snprintf(source, sizeof(source), "%s/tests/mem_random.S", build ? build : "/tmp");
	snprintf(library, sizeof(library), "%s/tests/mem_random.%u.so", build ? build : "/tmp",
		 (unsigned)seed);
	generate(&g, source);
	snprintf(command, sizeof(command), "gcc -shared -nostdlib -Wl,-z,now -o %s %s", library,
		 source);
	assert_int_equal(system(command), 0);
	memrun_limit = 1 + seed % 40;
	memrun_open(&m, library);
	wrong = run(&m, &g);
	printf("seed %u: %u of %zu functions translated, %lu records, %lu drains, %lu traps%s%s\n",
	       (unsigned)seed, m.plan.stats.by_decline[0], m.plan.funcs.count,
	       (unsigned long)m.records, (unsigned long)m.drains, (unsigned long)m.traps,
	       m.plan.stats.flags_pass ? ", flags passed" : "", wrong ? "  WRONG" : "");
	memrun_close(&m);
	if (!wrong)
		unlink(library);
	return wrong;
}

static void test_random(void **state)
{
	const char *from = getenv("BOB_SEED"), *count = getenv("BOB_SEEDS");
	uint64_t seed = from ? strtoull(from, NULL, 10) : 1;
	unsigned wrong = 0;

	(void)state;
	if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512bw"))
		printf("without gathers and masks: this processor has no AVX-512\n");
	for (int n = count ? atoi(count) : share_every() > 1 ? 3 : 12; n-- > 0; seed++)
		wrong += one_library(seed);
	assert_int_equal(wrong, 0);
	for (unsigned i = 0; i < 6; i++)
		assert_true(memmap.seen[i] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
