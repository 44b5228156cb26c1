/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers and masked moves for test_mem_random.c, as assembly: vector registers that nothing else
 * uses, indices within what @ points to. */
#ifndef BOB_TEST_MEMLANES_H
#define BOB_TEST_MEMLANES_H

#include <stdio.h>

/* Indices of 32 bits in register 16, of 64 bits in register 18, all below 64. */
#define LANES_BEGIN                                                                                \
	"\tvmovdqu64 64(%rdi), %zmm16\n\tvpsrlq $58, %zmm16, %zmm18\n"                             \
	"\tvpsrld $26, %zmm16, %zmm16\n\tvmovdqa64 %zmm18, %zmm17\n"
/* What was loaded, and which lanes a gather has left, can be compared. */
#define LANES_END "vmovdqu64 %zmm17, 64(%@)\n\tkmovq %k1, 8(%@)"

static const char *const lanes_form[] = {
	"vpgatherdd 8(%@,%zmm16,4), %zmm17{%k1}",
	"vpgatherqq (%@,%zmm18,2), %zmm17{%k1}",
	"vgatherqps -64(%@,%ymm18,1), %xmm17{%k1}",
	"vpscatterdq %ymm17, (%@,%xmm16,8){%k1}",
	"vpcompressq %ymm17, 64(%@){%k1}",
	"vpexpandd 64(%@), %zmm17{%k1}",
	"vmovdqu16 64(%@), %zmm17{%k1}",
	"vmovdqu8 %zmm17, 8(%@){%k1}",
	"vpaddq 8(%@){1to2}, %xmm17, %xmm17{%k1}",
	("vmovdqa64 %ymm18, %ymm8\n\tvpcmpeqd %ymm9, %ymm9, %ymm9\n\t"
	 "vpgatherqq %ymm9, 8(%@,%ymm8,8), %ymm10\n\tvmovdqa64 %ymm10, %ymm17"),
	"vmovdqa64 %xmm17, %xmm9\n\tvmaskmovps %xmm9, %xmm9, 16(%@)",
};

static void lanes_put(FILE *out, const char *form, const char *pointer)
{
	fputc('\t', out);
	for (; *form; form++)
		if (*form == '@')
			fputs(pointer, out);
		else
			fputc(*form, out);
	fputc('\n', out);
}

#endif
