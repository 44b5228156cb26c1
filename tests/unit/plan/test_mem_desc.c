/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors of a few functions, against what a person wrote down from the text of the functions.
 * The functions are never called: this program's own file is planned. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/image.h"
#include "plan/mem/mem.h"

#define FUNCTION(name, text)                                                                       \
	__asm__(".text\n\t.type " name ",@function\n" name ":\n\t.cfi_startproc\n" text            \
		"\n\t.cfi_endproc\n\t.size " name ",.-" name "\n");

FUNCTION("d_frame", "push %rbp; mov %rsp, %rbp; mov %rdi, -8(%rbp); mov -8(%rbp), %rax;"
		    "mov 16(%rax), %ecx; mov %cl, 20(%rax); pop %rbp; ret")
FUNCTION("d_index", "mov (%rdi,%rsi,8), %rax; mov 8(%rdi,%rsi,8), %rdx; add $2, %rsi;"
		    "movups -8(%rdi,%rsi,8), %xmm0; mov (%rdi), %rcx; mov (%rdi,%rsi,4), %r8; ret")
FUNCTION("d_moves",
	 "lea 32(%rdi), %rdx; mov (%rdx), %rax; sub $-128, %rdx; mov %rdx, %rcx; dec %rcx;"
	 "mov 1(%rcx), %rax; add %rax, %rcx; mov (%rcx), %al; ret")
FUNCTION("d_kinds",
	 "add %rax, (%rdi); lock add %eax, (%rdi); xchg %al, (%rdi); cmpxchg %rdx, (%rdi);"
	 "cmpl $1, (%rdi); lea (%rdi), %rax; prefetcht0 (%rdi); nopl (%rdi); ret")
FUNCTION("d_stack", "push 8(%rsp); pop 16(%rsp); push $7; pushfq; popfq; pop %rcx; ret $8")
FUNCTION("d_where", "mov d_where(%rip), %rax; mov %fs:40, %rax; mov %fs:8(%rdi), %rax; ret")
FUNCTION("d_call", "sub $8, %rsp; call *(%rdi); add $8, %rsp; ret")
FUNCTION("d_leave", "push %rbp; mov %rsp, %rbp; call d_call; leave; ret")
FUNCTION("d_string", "mov $3, %ecx; rep movsl; repne scasb; ret")
FUNCTION("d_back", "std; mov $3, %ecx; rep movsw; cld; ret")
FUNCTION("d_either", "test %edi, %edi; je 1f; std; 1: rep movsw; cld; ret")
FUNCTION("d_passed", "std; ret")
FUNCTION("d_head", "mov (%rdi), %rdi; test %rdi, %rdi; jne d_head; ret")
FUNCTION("d_flags", "cmp %rdi, %rsi; mov (%rdi), %rax; jb 1f; cmp %rsi, %rax; 1: ret")
FUNCTION("d_align",
	 "lea 8(%rsp), %r10; and $-32, %rsp; push -8(%r10); push %rbp; mov %rsp, %rbp; leave;"
	 "lea -8(%r10), %rsp; ret")
FUNCTION("d_loop", "1: movsd (%rdi,%rax,8), %xmm0; addsd 8(%rdi,%rax,8), %xmm0;"
		   "movsd %xmm0, (%rsi,%rax,8); add $2, %rax; cmp %rdx, %rax; jne 1b; ret")
FUNCTION("d_stride", "xor %eax, %eax; 1: add (%rdi), %rax; add %rcx, %rdi; dec %rsi; jne 1b; ret")
/* dec leaves the carry flag alive in the loop, which this image may hand over: the limit could not
 * be looked at */
FUNCTION("d_chase", "1: mov (%rdi), %rdi; dec %rsi; jne 1b; ret")
/* each iteration has more unknown values than there are registers */
FUNCTION("d_values", "1: mov (%rdi), %rdi; mov (%rdi), %rdi; mov (%rdi), %rdi; mov (%rdi), %rdi;"
		     "mov (%rdi), %rdi; mov (%rdi), %rdi; mov (%rdi), %rdi; mov (%rdi), %rdi;"
		     "mov (%rdi), %rdi; mov (%rdi), %rdi; sub $1, %rsi; jne 1b; ret")
/* val[j] * x[col[j]]: two words step, the third is payload, whose first access is at the word
 * itself */
FUNCTION("d_csr", "1: movslq (%rsi,%rax,4), %rdx; movsd 8(%r8,%rdx,8), %xmm0;"
		  "mulsd (%rdi,%rax,8), %xmm0; addsd 16(%r8,%rdx,8), %xmm0; add $1, %rax;"
		  "cmp %rcx, %rax; jne 1b; ret")
FUNCTION("d_repeat", "1: mov $3, %ecx; rep stosb; dec %rsi; jne 1b; ret")

#define NONE BOB_MEM_NO_WORD
#define LOAD BOB_MEM_LOAD
#define STORE BOB_MEM_STORE
#define ATOMIC BOB_MEM_ATOMIC
#define ENTERS BOB_MEM_ENTERS
#define CALLS BOB_MEM_CALLS
#define RETURNS BOB_MEM_RETURNS
#define HERE INT64_MIN		/* the function's own address */

struct expected {
	const char *name;
	unsigned kind, flow, words, sp_word;
	int sp_begin, sp_end;
	unsigned count;
	struct {
		unsigned type, size, word;
		int64_t offset;
	} access[10];
};

static const struct expected expected[] = {
	{ "d_frame", BOB_MEM_BLOCK, ENTERS | RETURNS, 2, 0, 0, 0, 7,
	  { { STORE, 8, 0, -8 }, { STORE, 8, 0, -16 }, { LOAD, 8, 0, -16 }, { LOAD, 4, 1, 16 },
	    { STORE, 1, 1, 20 }, { LOAD, 8, 0, -8 }, { LOAD, 8, 0, 0 } } },
	{ "d_index", BOB_MEM_BLOCK, ENTERS | RETURNS, 4, 3, 0, 0, 6,
	  { { LOAD, 8, 0, 0 }, { LOAD, 8, 0, 8 }, { LOAD, 16, 0, 8 }, { LOAD, 8, 1, 0 },
	    { LOAD, 8, 2, 8 }, { LOAD, 8, 3, 0 } } },
	{ "d_moves", BOB_MEM_BLOCK, ENTERS | RETURNS, 3, 2, 0, 0, 4,
	  { { LOAD, 8, 0, 32 }, { LOAD, 8, 0, 160 }, { LOAD, 1, 1, 0 }, { LOAD, 8, 2, 0 } } },
	{ "d_kinds", BOB_MEM_BLOCK, ENTERS | RETURNS, 2, 1, 0, 0, 8,
	  { { LOAD, 8, 0, 0 }, { STORE, 8, 0, 0 }, { ATOMIC, 4, 0, 0 }, { ATOMIC, 1, 0, 0 },
	    { LOAD, 8, 0, 0 }, { STORE, 8, 0, 0 }, { LOAD, 4, 0, 0 }, { LOAD, 8, 1, 0 } } },
	{ "d_stack", BOB_MEM_BLOCK, ENTERS | RETURNS, 1, 0, 0, 0, 9,
	  { { LOAD, 8, 0, 8 }, { STORE, 8, 0, -8 }, { LOAD, 8, 0, -8 }, { STORE, 8, 0, 16 },
	    { STORE, 8, 0, -8 }, { STORE, 8, 0, -16 }, { LOAD, 8, 0, -16 }, { LOAD, 8, 0, -8 },
	    { LOAD, 8, 0, 0 } } },
	{ "d_where", BOB_MEM_BLOCK, ENTERS | RETURNS, 3, 2, 0, 0, 4,
	  { { LOAD, 8, NONE, HERE }, { LOAD, 8, 0, 40 }, { LOAD, 8, 1, 8 }, { LOAD, 8, 2, 0 } } },
	{ "d_call", BOB_MEM_BLOCK, ENTERS | CALLS, 2, 1, 0, -8, 2,
	  { { LOAD, 8, 0, 0 }, { STORE, 8, 1, -16 } } },
	{ "d_call", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 8, 1, { { LOAD, 8, 0, 8 } } },
	{ "d_leave", BOB_MEM_BLOCK, ENTERS | CALLS, 1, 0, 0, -8, 2,
	  { { STORE, 8, 0, -8 }, { STORE, 8, 0, -16 } } },
	{ "d_leave", BOB_MEM_BLOCK, 0, 1, NONE, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_leave", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_string", BOB_MEM_BLOCK, ENTERS, 1, 0, 0, 0, 0, { { 0 } } },
	{ "d_string", BOB_MEM_LOOP, 0, 3, NONE, 0, 0, 2,
	  { { LOAD, 4, 0, 0 }, { STORE, 4, 1, 0 } } },
	{ "d_string", BOB_MEM_LOOP, 0, 2, NONE, 0, 0, 1, { { LOAD, 1, 0, 0 } } },
	{ "d_string", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_back", BOB_MEM_BLOCK, ENTERS, 1, 0, 0, 0, 0, { { 0 } } },
	{ "d_back", BOB_MEM_LOOP, 0, 3, NONE, 0, 0, 2, { { LOAD, 2, 0, 0 }, { STORE, 2, 1, 0 } } },
	{ "d_back", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_head", BOB_MEM_BLOCK, ENTERS, 1, 0, 0, 0, 0, { { 0 } } },
	{ "d_head", BOB_MEM_LOOP, 0, 0, NONE, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_head", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_flags", BOB_MEM_BLOCK, ENTERS, 2, 1, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_flags", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_align", BOB_MEM_BLOCK, ENTERS, 1, 0, 0, 0, 0, { { 0 } } },
	{ "d_align", BOB_MEM_BLOCK, 0, 2, NONE, 0, 0, 4,
	  { { LOAD, 8, 0, -8 }, { STORE, 8, 1, -8 }, { STORE, 8, 1, -16 }, { LOAD, 8, 1, -16 } } },
	{ "d_align", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_loop", BOB_MEM_BLOCK, ENTERS, 1, 0, 0, 0, 0, { { 0 } } },
	{ "d_loop", BOB_MEM_LOOP, 0, 3, NONE, 0, 0, 3,
	  { { LOAD, 8, 0, 0 }, { LOAD, 8, 0, 8 }, { STORE, 8, 1, 0 } } },
	{ "d_loop", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_stride", BOB_MEM_BLOCK, ENTERS, 1, 0, 0, 0, 0, { { 0 } } },
	{ "d_stride", BOB_MEM_LOOP, 0, 3, NONE, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_stride", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_chase", BOB_MEM_BLOCK, ENTERS, 1, 0, 0, 0, 0, { { 0 } } },
	{ "d_chase", BOB_MEM_BLOCK, 0, 1, NONE, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_chase", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_values", BOB_MEM_BLOCK, ENTERS, 1, 0, 0, 0, 0, { { 0 } } },
	{ "d_values", BOB_MEM_LOOP, 0, 0, NONE, 0, 0, 10,
	  { { LOAD, 8, 0, 0 }, { LOAD, 8, 1, 0 }, { LOAD, 8, 2, 0 }, { LOAD, 8, 3, 0 },
	    { LOAD, 8, 4, 0 }, { LOAD, 8, 5, 0 }, { LOAD, 8, 6, 0 }, { LOAD, 8, 7, 0 },
	    { LOAD, 8, 8, 0 }, { LOAD, 8, 9, 0 } } },
	{ "d_values", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_csr", BOB_MEM_BLOCK, ENTERS, 1, 0, 0, 0, 0, { { 0 } } },
	{ "d_csr", BOB_MEM_LOOP, 0, 2, NONE, 0, 0, 4,
	  { { LOAD, 4, 0, 0 }, { LOAD, 8, 2, 0 }, { LOAD, 8, 1, 0 }, { LOAD, 8, 2, 8 } } },
	{ "d_csr", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
	{ "d_repeat", BOB_MEM_BLOCK, ENTERS, 1, 0, 0, 0, 0, { { 0 } } },
	{ "d_repeat", BOB_MEM_LOOP, 0, 2, NONE, 0, 0, 1, { { STORE, 1, 0, 0 } } },
	{ "d_repeat", BOB_MEM_BLOCK, RETURNS, 1, 0, 0, 0, 1, { { LOAD, 8, 0, 0 } } },
};
#define EXPECTED (sizeof(expected) / sizeof(expected[0]))

struct subject {
	struct bob_plan_image img;
	struct bob_mem_plan plan;
};

static const struct bob_mem_func *find(const struct subject *s, const char *name)
{
	for (size_t i = 0; i < s->plan.funcs.count; i++) {
		const struct bob_mem_func *f = &s->plan.funcs.at[i];
		const char *n = f->func == BOB_PLAN_NO_INDEX ? NULL : s->img.funcs.at[f->func].name;

		if (n && !strcmp(n, name))
			return f;
	}
	fail_msg("no function %s", name);
	return NULL;
}

static void compare(const struct subject *s, const struct expected *e,
		    const struct bob_mem_planned *p, uint64_t addr)
{
	const struct bob_mem_desc *d = &p->desc;
	const struct bob_mem_access *a = s->plan.accesses.at + p->access;

	assert_int_equal(d->kind, e->kind);
	assert_int_equal(d->flow, e->flow);
	assert_int_equal(d->words, e->words);
	assert_int_equal(d->access_count, e->count);
	if (e->flow) {
		assert_int_equal(d->sp_word, e->sp_word);
		assert_int_equal(d->sp_begin, e->sp_begin);
		assert_int_equal(d->sp_end, e->sp_end);
	}
	for (unsigned i = 0; i < e->count; i++) {
		int64_t offset = e->access[i].offset;

		assert_int_equal(a[i].type, e->access[i].type);
		assert_int_equal(a[i].size, e->access[i].size);
		assert_int_equal(a[i].word, e->access[i].word);
		assert_int_equal(a[i].offset, offset == HERE ? (int64_t)addr : offset);
		assert_int_equal(a[i].guard, NONE);
		assert_true(a[i].pc <= d->last && (i == 0 || a[i].pc >= a[i - 1].pc));
	}
}

static void test_descriptors(void **state)
{
	struct subject *s = *state;

	for (size_t i = 0; i < EXPECTED;) {
		const struct bob_mem_func *f = find(s, expected[i].name);
		uint32_t n = 0;

		assert_int_equal(f->decline, BOB_MEM_TAKEN);
		for (; i < EXPECTED && !strcmp(s->img.funcs.at[f->func].name, expected[i].name);
		     i++, n++) {
			if (n >= f->descs)
				fail_msg("%s has only %u descriptors", expected[i].name, f->descs);
			printf("%s %u\n", expected[i].name, n);
			compare(s, &expected[i], &s->plan.descs.at[f->desc + n], f->addr);
		}
		assert_int_equal(n, f->descs);
	}
}

/* How words step, and which one counts. */
static void test_loops(void **state)
{
	static const struct {
		const char *name;
		unsigned counter;
		struct bob_mem_step step[3];
	} loops[] = {
		{ "d_loop", 2, { { 16, NONE, 0 }, { 16, NONE, 0 }, { 2, NONE, 0 } } },
		{ "d_stride", 1, { { 0, 2, 1 }, { -1, NONE, 0 }, { 0, NONE, 0 } } },
		{ "d_repeat", 1, { { 1, NONE, 0 }, { -1, NONE, 0 } } },
		{ "d_csr", 0, { { 4, NONE, 0 }, { 8, NONE, 0 } } },
		{ "d_back", 2, { { -2, NONE, 0 }, { -2, NONE, 0 }, { -1, NONE, 0 } } },
	};
	static const struct {
		const char *name;
		unsigned payload;
	} payloads[] = { { "d_loop", 0 },
			 { "d_head", 1 },
			 { "d_chase", 0 },
			 { "d_values", 10 },
			 { "d_csr", 1 } };
	struct subject *s = *state;

	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		const struct bob_mem_planned *p =
			&s->plan.descs.at[find(s, loops[i].name)->desc + 1];

		assert_int_equal(p->desc.kind, BOB_MEM_LOOP);
		assert_int_equal(p->desc.counter, loops[i].counter);
		for (unsigned w = 0; w < p->desc.words; w++) {
			const struct bob_mem_step *step = &s->plan.steps.at[p->step + w];

			assert_int_equal(step->constant, loops[i].step[w].constant);
			assert_int_equal(step->word, loops[i].step[w].word);
			assert_int_equal(step->scale, loops[i].step[w].scale);
		}
	}
	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		const struct bob_mem_func *fn = find(s, payloads[i].name);

		assert_int_equal(s->plan.descs.at[fn->desc + 1].desc.payload, payloads[i].payload);
	}
}

/* The direction flag is not known, or handed over. */
static void test_declined(void **state)
{
	struct subject *s = *state;

	assert_int_equal(find(s, "d_either")->decline, BOB_MEM_DIRECTION);
	assert_int_equal(find(s, "d_passed")->decline, BOB_MEM_DIRECTION);
}

static int plan_this_program(void **state)
{
	static struct subject s;
	struct bob_error err = { 0 };

	if (bob_plan_elf_open(&s.img, "/proc/self/exe", &err) != BOB_OK ||
	    bob_plan_read_frames(&s.img) != BOB_OK || bob_plan_find_functions(&s.img) != BOB_OK ||
	    bob_plan_scan(&s.img) != BOB_OK || bob_mem_plan_make(&s.img, &s.plan) != BOB_OK)
		return -1;
	*state = &s;
	return 0;
}

static int forget(void **state)
{
	struct subject *s = *state;

	bob_mem_plan_free(&s->plan);
	bob_plan_elf_close(&s->img);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_declined),
	};

	return cmocka_run_group_tests(tests, plan_this_program, forget);
}
