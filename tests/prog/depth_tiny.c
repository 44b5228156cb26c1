/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions so small that a five-byte jump hardly fits, alone, in rows without padding, and with a
 * loop back to their first byte. They cannot log, so their callers do; a tracer may leave them
 * out, but must then leave them out always, and their results must stay right. */
#include "truth.h"

/* The bytes after each name: with and without padding, with endbr64, with a jump at the end. */
__asm__(".text\n"
	".macro TINY name\n"
	".globl \\name\n.type \\name, @function\n\\name:\n.cfi_startproc\n"
	".endm\n"
	".macro DONE name\n"
	".cfi_endproc\n.size \\name, .-\\name\n"
	".endm\n"
	".p2align 4\n"
	"TINY t_ret\nret\nDONE t_ret\n"
	"TINY t_inc\nleal 1(%rdi), %eax\nret\nDONE t_inc\n"
	"TINY t_dec\nleal -1(%rdi), %eax\nret\nDONE t_dec\n"
	"TINY t_zero\nxorl %eax, %eax\nret\nDONE t_zero\n"
	".p2align 4\n"
	"TINY t_pad\nmovl %edi, %eax\nret\nDONE t_pad\n"
	".p2align 4\n"
	"TINY t_endbr\nendbr64\nmovl %edi, %eax\nret\nDONE t_endbr\n"
	"TINY t_jump\njmp t_inc\nDONE t_jump\n"
	"TINY t_jump_far\n.byte 0xe9\n.long t_dec - . - 4\nDONE t_jump_far\n"
	".p2align 4\n"
	/* counts edi down to zero; the loop's head is its first byte */
	"TINY x_loop\ndecl %edi\njnz x_loop\nmovl $5, %eax\nret\nDONE x_loop\n"
	".p2align 4\n"
	/* a call among the first five bytes */
	"TINY t_calls\npushq %rbx\n.cfi_adjust_cfa_offset 8\ncall t_inc\npopq %rbx\n"
	".cfi_adjust_cfa_offset -8\nret\nDONE t_calls\n"
	".p2align 4\n"
	/* something rip-relative among them */
	"TINY t_rip\nmovl t_word(%rip), %eax\naddl %edi, %eax\nret\nDONE t_rip\n"
	"TINY t_cond\ntestl %edi, %edi\nje 1f\nmovl $3, %eax\nret\n1: movl $4, %eax\nret\n"
	"DONE t_cond\n"
	".p2align 4\n");

int t_word = 40;
void t_ret(void);
int t_inc(int), t_dec(int), t_zero(int), t_pad(int), t_endbr(int), t_jump(int), t_jump_far(int);
int x_loop(int), t_calls(int), t_rip(int), t_cond(int);

TFN int t_leaf(int n)
{
	ENTER(t_leaf);
	LEAVE;
	return n;
}

#define SILENT(name) truth_silent(#name)

TFN int t_round(int i)
{
	int ok = 1;

	ENTER(t_round);
	SILENT(t_ret);
	t_ret();
	SILENT(t_inc);
	ok &= t_inc(i) == i + 1;
	ok &= t_leaf(i) == i;
	SILENT(t_dec);
	ok &= t_dec(i) == i - 1;
	SILENT(t_zero);
	ok &= t_zero(i) == 0;
	SILENT(t_pad);
	ok &= t_pad(i) == i;
	SILENT(t_endbr);
	ok &= t_endbr(i) == i;
	ok &= t_leaf(i) == i;
	SILENT(t_rip);
	ok &= t_rip(i) == i + 40;
	SILENT(t_cond);
	ok &= t_cond(i) == (i ? 3 : 4);
	/* the tail jumps: physically both functions are entered at one depth */
	SILENT(t_jump);
	SILENT(t_inc);
	ok &= t_jump(i) == i + 1;
	SILENT(t_jump_far);
	SILENT(t_dec);
	ok &= t_jump_far(i) == i - 1;
	LEAVE;
	return ok;
}

TFN int t_inner_calls(int i)
{
	int r;

	ENTER(t_inner_calls);
	truth_enter("t_calls");
	truth_silent("t_inc");
	r = t_calls(i) == i + 1;
	LEAVE;
	LEAVE;
	return r;
}

int main(void)
{
	static const char *const small[] = {"t_ret", "t_inc", "t_dec", "t_zero", "t_pad", "t_endbr",
					    "t_jump", "t_jump_far", "t_calls", "t_rip", "t_cond"};
	int ok = 1;

	truth_begin(0, 1 << 16);
	for (unsigned i = 0; i < sizeof(small) / sizeof(small[0]); i++)
		truth_skippable(small[i]);
	for (int i = 0; i < 50; i++)
		ok &= t_round(i) & t_inner_calls(i);
	/* not logged: how often its entry is passed is the tracer's business, its result is not */
	ok &= x_loop(1000) == 5 && x_loop(1) == 5;
	return truth_end(50 * (15 + 3), ok);
}
