/* SPDX-License-Identifier: BSD-3-Clause */
/* Libraries that come and go: library PATH FUNCTION ROUNDS [moving]. What went wrong once:
 *   many rounds  each dlopen of the same library took new memory for its plan and its trampolines,
 *                and new ids, until those did not fit and calls got wrong names
 *   one round    a library whose program headers are not in its first page crashed at the start
 * With `moving`, each round finds the place of the last one taken. The program says itself whether
 * it has grown, and calls mark() once a round. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GROWN_KB 32768 /* once it was 1 MB and more a round */
#define GROWN_MAPS 64   /* once 2 and more a round */

struct memory {
	long resident_kb, mapped_kb, maps;
};

static long moved_kb; /* what `moving` itself has mapped */
static volatile int sum;

__attribute__((noinline, aligned(32))) static void mark(int n)
{
	sum += n;
}

static struct memory measure(void)
{
	struct memory m = { 0, 0, 0 };
	char line[512];
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "VmSize: %ld", &m.mapped_kb);
		sscanf(line, "VmRSS: %ld", &m.resident_kb);
	}
	if (!f || fclose(f) || !(f = fopen("/proc/self/maps", "r")))
		exit(3);
	while (fgets(line, sizeof(line), f))
		m.maps += strchr(line, '\n') != NULL;
	fclose(f);
	return m;
}

static void block(void *function)
{
	void *page = (void *)((unsigned long)function & ~0xffful);

	if (mmap(page, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
	    page)
		exit(4);
	moved_kb += 4;
}

static int one_round(const char *path, const char *name, int n, int moving)
{
	void *library = dlopen(path, RTLD_NOW);
	void *symbol = library ? dlsym(library, name) : NULL;
	int (*function)(int);

	if (!symbol) {
		printf("%s\n", dlerror());
		exit(3);
	}
	memcpy(&function, &symbol, sizeof(function));
	mark(n);
	int r = function(n);
	dlclose(library);
	if (moving)
		block(symbol);
	return r;
}

int main(int argc, char **argv)
{
	int moving = argc == 5, rounds = argc > 3 ? atoi(argv[3]) : 0;
	long total = 0;

	if (argc < 4)
		return 2;
	one_round(argv[1], argv[2], 0, moving);
	struct memory a = measure();
	for (int i = 1; i < rounds; i++)
		total += one_round(argv[1], argv[2], i, moving);
	struct memory b = measure();
	long resident = b.resident_kb - a.resident_kb;
	long mapped = b.mapped_kb - a.mapped_kb - moved_kb;
	long maps = b.maps - a.maps - 2 * moved_kb / 4;
	int grown = resident > GROWN_KB || mapped > GROWN_KB || maps > GROWN_MAPS;

	if (grown)
		printf("grew by %ld kB resident, %ld kB mapped, %ld maps\n", resident, mapped,
		       maps);
	printf("%d rounds, %ld\n", rounds, total);
	return grown;
}
