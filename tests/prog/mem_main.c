/* SPDX-License-Identifier: BSD-3-Clause */
/* mem_kernels.c as a program: prints the result of each of its functions. */
#include <stdio.h>

long k_sum(long *d, long n);
long k_triad(long *d, long n);
long k_matmul(long *d, long n);
long k_switch(long *d, long n);
long k_strings(long *d, long n);
long k_struct(long *d, long n);
long k_list(long *d, long n);
long k_recurse(long *d, long n);
long k_pointers(long *d, long n);
long k_floats(long *d, long n);
long k_narrow(long *d, long n);
long k_atomics(long *d, long n);
long k_globals(long *d, long n);
long k_thread_local(long *d, long n);
long k_alloca(long *d, long n);
long k_sort(long *d, long n);
long k_goto(long *d, long n);
long k_bits(long *d, long n);
long k_aligned(long *d, long n);
long k_many(long *d, long n);
long k_tail(long *d, long n);
long k_long_double(long *d, long n);
long k_shifts(long *d, long n);
long k_csr(long *d, long n);

static const struct {
	const char *name;
	long (*run)(long *, long);
} kernels[] = {
	{ "sum", k_sum },	    { "triad", k_triad },
	{ "matmul", k_matmul },	    { "switch", k_switch },
	{ "strings", k_strings },   { "struct", k_struct },
	{ "list", k_list },	    { "recurse", k_recurse },
	{ "pointers", k_pointers }, { "floats", k_floats },
	{ "narrow", k_narrow },	    { "atomics", k_atomics },
	{ "globals", k_globals },   { "thread_local", k_thread_local },
	{ "alloca", k_alloca },	    { "sort", k_sort },
	{ "goto", k_goto },	    { "bits", k_bits },
	{ "aligned", k_aligned },   { "many", k_many },
	{ "tail", k_tail },	    { "long_double", k_long_double },
	{ "shifts", k_shifts },	    { "csr", k_csr },
};

int main(void)
{
	static long d[4096 + 64];

	for (unsigned i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		for (unsigned k = 0; k < 4096 + 64; k++)
			d[k] = (long)((k * 2654435761u >> 7) % 97);
		printf("%s %ld\n", kernels[i].name, kernels[i].run(d, 37));
	}
	return 0;
}
