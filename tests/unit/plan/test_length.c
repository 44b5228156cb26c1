/* SPDX-License-Identifier: BSD-3-Clause */
/* The length decoder against Zydis: every instruction of the images, every opcode of every map with
 * random operands, and by hand the forms that have been got wrong by others. */
#include <Zydis/Zydis.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "images.h"
#include "plan/arch/x86_64/length.h"
#include "plan/image.h"

static unsigned expected_kind(const ZydisDecodedInstruction *in)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		return in->raw.imm[0].is_relative ? BOB_X86_CALL : BOB_X86_CALL_IND;
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (in->mnemonic != ZYDIS_MNEMONIC_JMP)
			return BOB_X86_PLAIN;	/* xabort */
		return in->raw.imm[0].is_relative ? BOB_X86_JMP : BOB_X86_JMP_IND;
	case ZYDIS_CATEGORY_COND_BR:
		if (in->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
			return BOB_X86_XBEGIN;
		if (!in->raw.imm[0].is_relative)
			return BOB_X86_PLAIN;	/* xend, xabort */
		return in->opcode >= 0xe0 && in->opcode <= 0xe3 ? BOB_X86_LOOP : BOB_X86_JCC;
	default:
		if (in->mnemonic == ZYDIS_MNEMONIC_LEA && in->raw.modrm.mod == 0 &&
		    in->raw.modrm.rm == 5)
			return BOB_X86_LEA;
		return BOB_X86_PLAIN;
	}
}

static int agrees(const ZydisDecodedInstruction *z, const struct bob_x86_insn *in)
{
	unsigned want = expected_kind(z);

	if (in->len != z->length)
		return 0;
	if (want == BOB_X86_PLAIN)
		return in->kind == BOB_X86_PLAIN || in->kind == BOB_X86_IMM ||
		       in->kind == BOB_X86_NOP || in->kind == BOB_X86_INT3 ||
		       in->kind >= BOB_X86_RET;
	if (in->kind != want)
		return 0;
	if (want == BOB_X86_LEA)
		return in->rel == z->raw.disp.value;
	if (z->raw.imm[0].is_relative)
		return in->rel == z->raw.imm[0].value.s;
	return 1;
}

static void print_bytes(const char *what, const uint8_t *p, unsigned len)
{
	fprintf(stderr, "%s:", what);
	for (unsigned i = 0; i < len; i++)
		fprintf(stderr, " %02x", p[i]);
	fputc('\n', stderr);
}

static void compare_range(const ZydisDecoder *d, const uint8_t *p, uint64_t len, uint64_t *count,
			  uint64_t *wrong)
{
	for (uint64_t i = 0; i < len;) {
		ZydisDecodedInstruction z;
		struct bob_x86_insn in = { 0 };
		uint64_t left = len - i;

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(d, NULL, p + i, left, &z)))
			return;	/* data in code; Zydis has lost the thread too */
		bob_x86_decode(p + i, &in);
		if (!agrees(&z, &in) && ++*wrong < 20) {
			print_bytes("differs", p + i, z.length);
			fprintf(stderr, "  length %u, Zydis %u; kind %u\n", in.len, z.length,
				in.kind);
		}
		++*count;
		i += z.length;
	}
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_range(const uint8_t *p, uint64_t len)
{
	double start = now_ns();

	for (uint64_t i = 0; i < len;) {
		struct bob_x86_insn in;
		unsigned n = bob_x86_decode(p + i, &in);

		i += n ? n : 1;
	}
	return now_ns() - start;
}

static void test_images_agree(void **state)
{
	ZydisDecoder d;

	(void)state;
	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t k = 0; k < TEST_IMAGES; k++) {
		struct bob_plan_image img;
		uint64_t count = 0, wrong = 0;
		double ns = 0;

		if (bob_plan_elf_open(&img, test_images[k], NULL) != BOB_OK) {
			assert_true(k >= 2);
			bob_plan_elf_close(&img);
			continue;
		}
		assert_int_equal(bob_plan_read_frames(&img), BOB_OK);
		for (size_t i = 0; i < img.frames.count; i++) {
			const struct bob_plan_frame *f = &img.frames.at[i];
			const uint8_t *p = bob_plan_bytes_at(&img, f->lo, f->hi - f->lo);

			/* python and cc1plus are large: every third function of theirs */
			if (img.frames.count > 9000 && i % 3)
				continue;
			assert_non_null(p);
			ns += time_range(p, f->hi - f->lo);
			compare_range(&d, p, f->hi - f->lo, &count, &wrong);
		}
		printf("%s: %lu instructions, %.1f ns each\n", test_images[k], (unsigned long)count,
		       count ? ns / (double)count : 0.0);
		assert_int_equal(wrong, 0);
		assert_true(count > 1000);
		bob_plan_elf_close(&img);
	}
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Start of every opcode map, then how many opcode bytes were given. */
static const struct {
	uint8_t bytes[8];
	unsigned len;
} maps[] = {
	{ { 0 }, 0 },
	{ { 0x66 }, 1 },
	{ { 0x48 }, 1 },
	{ { 0x66, 0x48 }, 2 },
	{ { 0xf2 }, 1 },
	{ { 0xf3 }, 1 },
	{ { 0x67 }, 1 },
	{ { 0x0f }, 1 },
	{ { 0x66, 0x0f }, 2 },
	{ { 0xf2, 0x0f }, 2 },
	{ { 0xf3, 0x0f }, 2 },
	{ { 0x48, 0x0f }, 2 },
	{ { 0x0f, 0x38 }, 2 },
	{ { 0x66, 0x0f, 0x38 }, 3 },
	{ { 0xf2, 0x0f, 0x38 }, 3 },
	{ { 0xf3, 0x0f, 0x38 }, 3 },
	{ { 0x0f, 0x3a }, 2 },
	{ { 0x66, 0x0f, 0x3a }, 3 },
	{ { 0xc5, 0xf8 }, 2 },
	{ { 0xc5, 0xfd }, 2 },
	{ { 0xc5, 0xfa }, 2 },
	{ { 0xc5, 0xfb }, 2 },
	{ { 0xc4, 0xe1, 0x7d }, 3 },
	{ { 0xc4, 0xe2, 0x7d }, 3 },
	{ { 0xc4, 0xe2, 0xfd }, 3 },
	{ { 0xc4, 0xe2, 0x7a }, 3 },
	{ { 0xc4, 0xe2, 0x7b }, 3 },
	{ { 0xc4, 0xe3, 0x7d }, 3 },
	{ { 0xc4, 0xe3, 0xfd }, 3 },
	{ { 0x62, 0xf1, 0x7c, 0x48 }, 4 },
	{ { 0x62, 0xf1, 0xfd, 0x48 }, 4 },
	{ { 0x62, 0xf1, 0x7e, 0x48 }, 4 },
	{ { 0x62, 0xf1, 0x7f, 0x48 }, 4 },
	{ { 0x62, 0xf2, 0x7d, 0x48 }, 4 },
	{ { 0x62, 0xf2, 0xfd, 0x48 }, 4 },
	{ { 0x62, 0xf2, 0x7e, 0x48 }, 4 },
	{ { 0x62, 0xf3, 0x7d, 0x48 }, 4 },
	{ { 0x62, 0xf3, 0xfd, 0x48 }, 4 },
	{ { 0x62, 0xf5, 0x7c, 0x48 }, 4 },
	{ { 0x62, 0xf6, 0x7d, 0x48 }, 4 },
	{ { 0x8f, 0xe8, 0x78 }, 3 },
	{ { 0x8f, 0xe9, 0x78 }, 3 },
	{ { 0x8f, 0xea, 0x78 }, 3 },
};

/* The branches on mask registers of Knights Corner, a coprocessor that runs no Linux programs. */
static int is_exception(const ZydisDecodedInstruction *z)
{
	return z->mnemonic == ZYDIS_MNEMONIC_JKZD || z->mnemonic == ZYDIS_MNEMONIC_JKNZD;
}

/* Whatever else Zydis accepts we must give the same length. (We may accept more.) */
static void test_opcodes_agree(void **state)
{
	ZydisDecoder d;
	uint64_t seed = 0x9e3779b97f4a7c15ull, seen = 0, wrong = 0;

	(void)state;
	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t m = 0; m < sizeof(maps) / sizeof(maps[0]); m++) {
		for (unsigned k = 0; k < 256 * 64; k++) {
			uint8_t b[BOB_X86_READ] = { 0 };
			ZydisDecodedInstruction z;
			struct bob_x86_insn in = { 0 };
			unsigned at = maps[m].len;

			memcpy(b, maps[m].bytes, at);
			b[at++] = (uint8_t)(k / 64);
			for (; at < 24; at++)
				b[at] = (uint8_t)next_random(&seed);
			if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&d, NULL, b, 15, &z)) ||
			    is_exception(&z))
				continue;
			seen++;
			bob_x86_decode(b, &in);
			if (in.len != z.length && ++wrong < 20) {
				print_bytes("differs", b, z.length);
				fprintf(stderr, "  length %u, Zydis %u %s\n", in.len, z.length,
					ZydisMnemonicGetString(z.mnemonic));
			}
		}
	}
	assert_true(seen > 100000);
	assert_int_equal(wrong, 0);
}

static void test_by_hand(void **state)
{
	static const struct {
		uint8_t bytes[16];
		unsigned len, kind;
		int32_t rel;
	} forms[] = {
		{ { 0x66, 0x66, 0x48, 0xe8, 1, 0, 0, 0 }, 8, BOB_X86_CALL, 1 },
		{ { 0xf3, 0x0f, 0x1e, 0xfa }, 4, BOB_X86_PLAIN, 0 },
		{ { 0xf3, 0xc3 }, 2, BOB_X86_RET, 0 },
		{ { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 }, 10, BOB_X86_NOP, 0 },
		{ { 0x48, 0x8d, 0x05, 0xfc, 0xff, 0xff, 0xff }, 7, BOB_X86_LEA, -4 },
		{ { 0x3e, 0xff, 0xe0 }, 3, BOB_X86_JMP_IND, 0 },
		{ { 0xff, 0x24, 0xc5, 0, 0, 0x40, 0 }, 7, BOB_X86_JMP_IND, 0 },
		{ { 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 }, 10, BOB_X86_PLAIN, 0 },
		{ { 0x48, 0xa1, 1, 2, 3, 4, 5, 6, 7, 8 }, 10, BOB_X86_PLAIN, 0 },
		{ { 0xc7, 0xf8, 0x10, 0, 0, 0 }, 6, BOB_X86_XBEGIN, 16 },
		{ { 0xc8, 0x10, 0, 0 }, 4, BOB_X86_PLAIN, 0 },
		{ { 0x0f, 0x0b }, 2, BOB_X86_STOP, 0 },
		{ { 0xe3, 0xfe }, 2, BOB_X86_LOOP, -2 },
		{ { 0x06 }, 0, 0, 0 },
		{ { 0x48, 0x48, 0x48, 0x48, 0x48, 0x48, 0x48, 0x48, 0x48, 0x48, 0x48, 0x48, 0x48,
		    0x48, 0x48, 0x48 },
		  0,
		  0,
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint8_t b[BOB_X86_READ] = { 0 };
		struct bob_x86_insn in = { 0 };

		memcpy(b, forms[i].bytes, sizeof(forms[i].bytes));
		assert_int_equal(bob_x86_decode(b, &in), forms[i].len);
		if (forms[i].len == 0)
			continue;
		assert_int_equal(in.kind, forms[i].kind);
		if (in.kind == BOB_X86_CALL || in.kind == BOB_X86_LEA ||
		    in.kind == BOB_X86_XBEGIN || in.kind == BOB_X86_LOOP)
			assert_int_equal(in.rel, forms[i].rel);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_opcodes_agree),
		cmocka_unit_test(test_images_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
