/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores to an array in a known order, in an endless loop: mem_count FILE. The first word of the
 * file counts the completed stores, the second is the array's address. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>

static volatile uint64_t array[4096];

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;
	volatile uint64_t *shared =
		fd < 0 ? 0 : mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	uint64_t x = 1, n = 0;

	if (!shared || shared == MAP_FAILED)
		return 1;
	shared[1] = (uint64_t)(uintptr_t)array;
	for (;;) {
		x = (x * 5 + 3) % 4096;
		array[x] = x;
		shared[0] = ++n;
	}
}
