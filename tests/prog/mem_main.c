/* SPDX-License-Identifier: BSD-3-Clause */
/* mem_kernels.c or mem_lanes.c as a program: prints the result of each of its functions. */
#include <stdio.h>

/* Either file may be linked. */
#define KERNEL(name) long name(long *d, long n) __attribute__((weak))
#include "mem_kernels.h"

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
	{ "list", k_list },
	{ "recurse", k_recurse },
	{ "pointers", k_pointers },
	{ "floats", k_floats },
	{ "narrow", k_narrow },
	{ "atomics", k_atomics },
	{ "globals", k_globals },
	{ "thread_local", k_thread_local },
	{ "alloca", k_alloca },
	{ "sort", k_sort },
	{ "goto", k_goto },
	{ "bits", k_bits },
	{ "aligned", k_aligned },
	{ "many", k_many },
	{ "tail", k_tail },
	{ "long_double", k_long_double },
	{ "shifts", k_shifts },
	{ "csr", k_csr },
	{ "lu", k_lu },
	{ "cholesky", k_cholesky },
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

int main(void)
{
	static long d[4096 + 64];

	for (unsigned i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		if (!kernels[i].run)
			continue;
		for (unsigned k = 0; k < 4096 + 64; k++)
			d[k] = (long)((k * 2654435761u >> 7) % 97);
		printf("%s %ld\n", kernels[i].name, kernels[i].run(d, 37));
	}
	return 0;
}
