/* SPDX-License-Identifier: BSD-3-Clause */
/* A known sequence of calls, to be killed at any moment: step i calls s_<k> where k are the top
 * six bits of a linear congruential generator. The shared file named by argv[1] holds the pid and
 * how many steps are done for certain; a few steps repeat regularly so that a codec predicts. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct progress {
	volatile uint64_t pid;
	volatile uint64_t done;
};

static volatile unsigned work_done;

static inline __attribute__((always_inline)) void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		__asm__ volatile("pause");
	work_done = n;
}

#define S(n)                                                                                       \
	__attribute__((noinline)) void s_##n(unsigned w)                                           \
	{                                                                                          \
		work(w + (n & 1));                                                                 \
	}
#define ROW(M, r) M(r##0) M(r##1) M(r##2) M(r##3) M(r##4) M(r##5) M(r##6) M(r##7)
#define ALL(M) ROW(M, 1) ROW(M, 2) ROW(M, 3) ROW(M, 4) ROW(M, 5) ROW(M, 6) ROW(M, 7) ROW(M, 8)
ALL(S)
#define P(n) s_##n,
static void (*const steps[64])(unsigned) = { ALL(P) };

int main(int argc, char **argv)
{
	uint64_t limit = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
	unsigned pause = argc > 3 ? (unsigned)atoi(argv[3]) : 2;
	struct progress *p;
	uint64_t seed = 1;
	int fd;

	if (argc < 2)
		return 2;
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 4096))
		return 97;
	p = (struct progress *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 97;
	p->pid = (uint64_t)getpid();
	for (uint64_t i = 0; i < limit; i++) {
		/* long predictable stretches between unpredictable ones */
		if (i >> 9 & 1)
			seed = seed * 6364136223846793005u + 1442695040888963407u;
		else
			seed += 1ull << 58;
		steps[seed >> 58](pause);
		p->done = i + 1;
	}
	printf("%llu steps\n", (unsigned long long)limit);
	return 0;
}
