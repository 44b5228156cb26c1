/* SPDX-License-Identifier: BSD-3-Clause */
/* Moving instructions, form by form, against bytes worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "archive/format.h"
#include "plan/arch/x86_64/move.h"

#define ADDR 0x401000u

struct form {
	uint8_t bytes[16];
	unsigned len, need;
	unsigned skip, taken;
	uint8_t moved[32];
	unsigned moved_len;
	uint64_t target;	/* of the last field, 0: no field */
	bool ends, calls;
};

static const struct form forms[] = {
	/* push %rbp; mov %rsp,%rbp; sub $16,%rsp */
	{{0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10}, 8, 5, BOB_SKIP_NONE, 8,
	 {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10}, 8, 0, false, false},
	/* the same, two bytes wanted */
	{{0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10}, 8, 2, BOB_SKIP_NONE, 4,
	 {0x55, 0x48, 0x89, 0xe5}, 4, 0, false, false},
	/* mov 0x10(%rip),%rax */
	{{0x48, 0x8b, 0x05, 0x10, 0, 0, 0}, 7, 5, BOB_SKIP_NONE, 7,
	 {0x48, 0x8b, 0x05, 0, 0, 0, 0}, 7, ADDR + 7 + 0x10, false, false},
	/* cmpl $5,0x10(%rip): an immediate after the displacement */
	{{0x83, 0x3d, 0x10, 0, 0, 0, 5}, 7, 5, BOB_SKIP_NONE, 7,
	 {0x83, 0x3d, 0, 0, 0, 0, 5}, 7, ADDR + 7 + 0x10, false, false},
	/* test %edi,%edi; je +0x20; ret: widened */
	{{0x85, 0xff, 0x74, 0x20, 0xc3}, 5, 5, BOB_SKIP_NONE, 5,
	 {0x85, 0xff, 0x0f, 0x84, 0, 0, 0, 0, 0xc3}, 9, ADDR + 4 + 0x20, true, false},
	/* jmp -2 */
	{{0xeb, 0xfe}, 2, 5, BOB_SKIP_NONE, 2, {0xe9, 0, 0, 0, 0}, 5, ADDR, true, false},
	/* jrcxz +4; mov %rsi,%rdi */
	{{0xe3, 0x04, 0x48, 0x89, 0xf7}, 5, 5, BOB_SKIP_NONE, 5,
	 {0xe3, 2, 0xeb, 5, 0xe9, 0, 0, 0, 0, 0x48, 0x89, 0xf7}, 12, ADDR + 6, false, false},
	/* call +0x100 */
	{{0xe8, 0, 1, 0, 0}, 5, 5, BOB_SKIP_NONE, 5,
	 {0xe8, 0, 0, 0, 0, 0x48, 0x81, 0x04, 0x24, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0}, 18,
	 ADDR + 5 + 0x100, true, true},
	/* push %rbx; call *0x10(%rip) becomes jmp *0x10(%rip) */
	{{0x53, 0xff, 0x15, 0x10, 0, 0, 0}, 7, 5, BOB_SKIP_NONE, 7,
	 {0x53, 0xe8, 0, 0, 0, 0, 0x48, 0x81, 0x04, 0x24, 0, 0, 0, 0, 0xff, 0x25, 0, 0, 0, 0}, 20,
	 ADDR + 7 + 0x10, true, true},
	/* call *%rax returns into the five bytes; into two bytes it does not */
	{{0xff, 0xd0, 0x90, 0x90, 0xc3}, 5, 5, BOB_SKIP_RELOCATE, 0, {0}, 0, 0, false, false},
	{{0xff, 0xd0, 0x90, 0x90, 0xc3}, 5, 2, BOB_SKIP_NONE, 2,
	 {0xe8, 0, 0, 0, 0, 0x48, 0x81, 0x04, 0x24, 0, 0, 0, 0, 0xff, 0xe0}, 15, ADDR + 2, true,
	 true},
	/* call *8(%rsp): the stack has moved by then */
	{{0x50, 0xff, 0x54, 0x24, 0x08}, 5, 5, BOB_SKIP_RELOCATE, 0, {0}, 0, 0, false, false},
	/* xbegin */
	{{0xc7, 0xf8, 0, 0, 0, 0}, 6, 5, BOB_SKIP_RELOCATE, 0, {0}, 0, 0, false, false},
	/* mov 0x10(%eip),%eax */
	{{0x67, 0x8b, 0x05, 0x10, 0, 0, 0}, 7, 5, BOB_SKIP_RELOCATE, 0, {0}, 0, 0, false, false},
	/* nothing but nops until the end of the code */
	{{0x90, 0x90}, 2, 5, BOB_SKIP_SHORT, 0, {0}, 0, 0, false, false},
	/* ret */
	{{0xc3}, 1, 5, BOB_SKIP_NONE, 1, {0xc3}, 1, 0, true, false},
	/* xabort falls through outside of a transaction */
	{{0xc6, 0xf8, 1, 0x31, 0xc0}, 5, 5, BOB_SKIP_NONE, 5,
	 {0xc6, 0xf8, 1, 0x31, 0xc0}, 5, 0, false, false},
	/* not an instruction; one cut off */
	{{0x06, 0x90, 0x90, 0x90, 0x90}, 5, 5, BOB_SKIP_DECODE, 0, {0}, 0, 0, false, false},
	{{0x48, 0x8b, 0x05, 0x10}, 4, 5, BOB_SKIP_DECODE, 0, {0}, 0, 0, false, false},
};

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct form *f = &forms[i];
		struct bob_x86_body b;

		memset(&b, 0xee, sizeof(b));
		assert_int_equal(bob_x86_move(f->bytes, f->len, ADDR, f->need, &b), f->skip);
		if (f->skip != BOB_SKIP_NONE)
			continue;
		for (unsigned k = 0; k < b.fields; k++)
			memset(b.bytes + b.field[k], 0, 4);
		assert_int_equal(b.taken, f->taken);
		assert_int_equal(b.len, f->moved_len);
		assert_memory_equal(b.bytes, f->moved, b.len);
		assert_int_equal(b.ends, f->ends);
		assert_int_equal(b.calls, f->calls);
		assert_int_equal(b.fields > 0, f->target != 0);
		if (f->target)
			assert_int_equal(b.target[b.fields - 1], f->target);
	}
}

/* The field of a return address counts from the end of the call, not of the addq. */
static void test_return_address(void **state)
{
	static const uint8_t call[] = { 0xe8, 0, 1, 0, 0 };
	struct bob_x86_body b;

	(void)state;
	assert_int_equal(bob_x86_move(call, 5, ADDR, 5, &b), BOB_SKIP_NONE);
	assert_int_equal(b.fields, 2);
	assert_int_equal(b.field[0], 9);
	assert_int_equal(b.base[0], 5);
	assert_int_equal(b.target[0], ADDR + 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_return_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
