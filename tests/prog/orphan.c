/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls whose caller has no description: hand-written assembly without call frame information,
 * code that the program writes at run time, and code that it changes. Everything else is ordinary.
 *     orphan asm | jit | selfmod        prints how many such calls it made */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "truth.h"

void orphan_asm(void (*f)(int), int n, int words);

static int orphans;
static volatile int results;

TFN void t_leaf(int n)
{
	ENTER(t_leaf);
	results = results + n;
	LEAVE;
}

/* Called from the unknown: its own calls are ordinary again. */
TFN void t_called(int n)
{
	ENTER(t_called);
	orphans++;
	t_leaf(n);
	if (n & 1)
		t_leaf(-n);
	LEAVE;
}

/* Leaves a dead frame that is higher up than what assembly without a frame may use. */
TFN void t_before(int n)
{
	ENTER(t_before);
	t_leaf(n);
	t_leaf(n);
	LEAVE;
}

TFN void t_asm(int n, int words)
{
	ENTER(t_asm);
	t_before(n);
	orphan_asm(t_called, n, words);
	t_before(n);
	LEAVE;
}

/* void code(void (*f)(int), int n): three ordinary-looking calls, from memory of our own. */
static const uint8_t template[] = {
	0x53,				 /* push %rbx */
	0x55,				 /* push %rbp */
	0x48, 0x83, 0xec, 0x08,		 /* sub $8,%rsp */
	0x48, 0x89, 0xfb,		 /* mov %rdi,%rbx */
	0xbf, 1, 0, 0, 0,		 /* mov $1,%edi      byte 10: the number */
	0xff, 0xd3,			 /* call *%rbx */
	0xbf, 2, 0, 0, 0,		 /* mov $2,%edi */
	0xff, 0xd3,			 /* call *%rbx */
	0x48, 0x83, 0xc4, 0x08,		 /* add $8,%rsp */
	0x5d,				 /* pop %rbp */
	0x5b,				 /* pop %rbx */
	0xc3,				 /* ret */
};

TFN void t_jit(const uint8_t *code)
{
	void (*f)(void (*)(int));

	ENTER(t_jit);
	memcpy(&f, &code, sizeof(f));
	t_before(1);
	f(t_called);
	t_before(2);
	f(t_called);
	LEAVE;
}

static int run_jit(int rounds)
{
	uint8_t *code = (uint8_t *)mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;

	if (code == MAP_FAILED)
		return 0;
	for (int i = 0; i < rounds; i++) {
		uint8_t *at = code + i % 16 * 64; /* rewritten in place, and elsewhere */
		int before = results;

		memcpy(at, template, sizeof(template));
		at[10] = (uint8_t)(2 * (i % 50));
		t_jit(at);
		sum += results - before == 2 * (2 * (i % 50) + 5);
	}
	return sum == rounds;
}

/* A function whose machine code the program replaces, entry included, while it is traced. */
TFN int t_changed(int n)
{
	ENTER(t_changed);
	t_leaf(n);
	t_leaf(n);
	LEAVE;
	return 7;
}

static int replace_code(int value)
{
	const uint8_t code[6] = { 0xb8, (uint8_t)value, 0, 0, 0, 0xc3 }; /* mov $value,%eax; ret */
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	int (*f)(int) = t_changed;
	uintptr_t at;

	memcpy(&at, &f, sizeof(at));
	if (mprotect((void *)(at & ~(page - 1)), 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC))
		return 0;
	memcpy((void *)at, code, sizeof(code));
	return 1;
}

TFN int t_selfmod(void)
{
	int (*volatile f)(int) = t_changed;
	int ok;

	ENTER(t_selfmod);
	ok = f(1) == 7 && f(2) == 7;
	t_before(1);
	for (int v = 10; v < 14 && ok; v++) {
		ok = replace_code(v) && f(3) == v;
		t_before(v);
	}
	LEAVE;
	return ok;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int ok = 1;

	truth_begin(0, 1 << 16);
	if (!strcmp(mode, "asm")) {
		for (int n = 0; n < 40; n++)
			t_asm(n, n % 5);
	} else if (!strcmp(mode, "jit")) {
		ok = run_jit(200);
	} else if (!strcmp(mode, "selfmod")) {
		ok = t_selfmod();
	} else {
		return 2;
	}
	printf("%d calls from unknown callers\n", orphans);
	return truth_end(0, ok);
}
