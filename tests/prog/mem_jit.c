/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates a function at run time, twice in the same place, and calls it: it loads from its
 * argument. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	static const unsigned char load4[] = { 0x8b, 0x07, 0xc3 },
				   load8[] = { 0x48, 0x8b, 0x47, 0x08, 0xc3 };
	static long data[2] = { 5, 7 };
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long (*f)(long *) = (long (*)(long *))(void *)code;
	long sum = 0;

	if (code == MAP_FAILED)
		return 1;
	memcpy(code, load4, sizeof(load4));
	sum += f(data);
	memcpy(code, load8, sizeof(load8));
	sum += f(data);
	printf("%p %ld\n", (void *)data, sum);
	return 0;
}
