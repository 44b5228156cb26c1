/* SPDX-License-Identifier: BSD-3-Clause */
/* mem_kernels.c as a program: prints the result of each of its functions. */
#include <stdio.h>

#define KERNELS(X)                                                                                 \
	X(sum)                                                                                     \
	X(triad) X(matmul) X(switch) X(strings) X(struct) X(list) X(recurse) X(pointers) X(floats) \
		X(narrow) X(atomics) X(globals) X(thread_local) X(alloca) X(sort) X(goto) X(bits)  \
			X(aligned) X(many) X(tail) X(long_double) X(shifts) X(csr)

#define DECLARE(name) long k_##name(long *d, long n);
KERNELS(DECLARE)

static const struct {
	const char *name;
	long (*run)(long *, long);
} kernels[] = {
#define ENTRY(name) { #name, k_##name },
	KERNELS(ENTRY)
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
