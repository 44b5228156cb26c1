/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of mem_kernels.c or mem_lanes.c. With the argument "step" the program single-steps
 * itself: its handler of SIGTRAP runs after every instruction. Prints the results of the
 * kernels. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

/* Either file may be linked. */
#define KERNEL(name) long name(long *d, long n) __attribute__((weak))
#include "mem_kernels.h"

#define TRAP_FLAG 0x100

static volatile long steps;
static volatile unsigned long seen[64];

/* Does what a handler of the program does: loads and stores. */
static void on_step(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	(void)sig;
	(void)info;
	seen[steps & 63] ^= (unsigned long)uc->uc_mcontext.gregs[REG_RIP];
	steps++;
}

static void set_trap_flag(int on)
{
	__asm__ volatile("sub $128, %%rsp; pushf; andq $~0x100, (%%rsp); or %0, (%%rsp); popf; "
			 "add $128, %%rsp"
			 :
			 : "r"(on ? (unsigned long)TRAP_FLAG : 0ul)
			 : "memory", "cc");
}

static const struct {
	const char *name;
	long (*run)(long *, long);
} kernels[] = {
	{ "sum", k_sum },
	{ "triad", k_triad },
	{ "matmul", k_matmul },
	{ "switch", k_switch },
	{ "strings", k_strings },
	{ "struct", k_struct },
	{ "recurse", k_recurse },
	{ "pointers", k_pointers },
	{ "floats", k_floats },
	{ "atomics", k_atomics },
	{ "bits", k_bits },
	{ "many", k_many },
	{ "csr", k_csr },
	{ "tail", k_tail },
	{ "rows", k_rows },
	{ "indirect", k_indirect },
	{ "scatter", k_scatter },
	{ "choose", k_choose },
	{ "tails", k_tails },
	{ "gathers4", k_gathers4 },
	{ "gathers8", k_gathers8 },
	{ "nowhere", k_nowhere },
	{ "maskmov", k_maskmov },
	{ "maskmov_bytes", k_maskmov_bytes },
	{ "gathers512", k_gathers512 },
	{ "high512", k_high512 },
	{ "masked512", k_masked512 },
	{ "narrow512", k_narrow512 },
	{ "loops512", k_loops512 },
};

int main(int argc, char **argv)
{
	static long d[4096 + 64];
	struct sigaction sa = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	int step = argc > 1 && !strcmp(argv[1], "step");

	sigaction(SIGTRAP, &sa, NULL);
	for (unsigned i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		long result;

		if (!kernels[i].run)
			continue;
		for (unsigned k = 0; k < 4096 + 64; k++)
			d[k] = (long)((k * 2654435761u >> 7) % 97);
		if (step)
			set_trap_flag(1);
		result = kernels[i].run(d, 7);
		if (step)
			set_trap_flag(0);
		printf("%s %ld\n", kernels[i].name, result);
	}
	return step && !steps;
}
