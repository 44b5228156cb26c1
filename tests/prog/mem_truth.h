/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that know their own accesses. Arrays are registered by name. The expected accesses are
 * noted after the code under test has run, in the order in which they happened, and written to the
 * file $BOB_LOG:
 *     array NAME ADDRESS BYTES
 *     thread N COUNT               and as many notes as struct truth_note: text would cost a
 *                                  statically linked program hundreds of additional accesses
 * Notes are kept per thread of the program. The kind is L, S or A, the array a number in the
 * order of these lines. */
#ifndef MEM_TRUTH_H
#define MEM_TRUTH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TRUTH_THREADS 9
#define NOINLINE __attribute__((noinline))

struct truth_note {
	char kind;
	int array;
	unsigned size;
	uint64_t offset;
};

static struct {
	const char *name;
	char *at;
	size_t bytes;
} truth_array[16];
static int truth_arrays;
static struct {
	struct truth_note *note;
	size_t count, capacity;
} truth[TRUTH_THREADS];

static inline void truth_register(const char *name, const volatile void *at, size_t bytes)
{
	truth_array[truth_arrays].name = name;
	truth_array[truth_arrays].at = (char *)(uintptr_t)at;
	truth_array[truth_arrays++].bytes = bytes;
}

static inline void truth_in(int thread, char kind, const volatile void *p, unsigned size)
{
	const char *at = (const char *)(uintptr_t)p;
	int i = 0;

	while (i < truth_arrays && (size_t)(at - truth_array[i].at) >= truth_array[i].bytes)
		i++;
	if (i == truth_arrays)
		abort();
	if (truth[thread].count == truth[thread].capacity) {
		truth[thread].capacity = truth[thread].capacity ? 2 * truth[thread].capacity : 1024;
		truth[thread].note = realloc(truth[thread].note,
					     truth[thread].capacity * sizeof(struct truth_note));
	}
	truth[thread].note[truth[thread].count++] =
		(struct truth_note){ kind, i, size, (uint64_t)(at - truth_array[i].at) };
}

#define LOADS(p, size) truth_in(0, 'L', p, size)
#define STORES(p, size) truth_in(0, 'S', p, size)
#define ATOMIC(p, size) truth_in(0, 'A', p, size)

static inline void truth_write(void)
{
	const char *path = getenv("BOB_LOG");
	FILE *f = path ? fopen(path, "w") : NULL;

	for (int i = 0; f && i < truth_arrays; i++)
		fprintf(f, "array %s %p %zu\n", truth_array[i].name, (void *)truth_array[i].at,
			truth_array[i].bytes);
	for (int t = 0; f && t < TRUTH_THREADS; t++) {
		if (!truth[t].count)
			continue;
		fprintf(f, "thread %d %zu\n", t, truth[t].count);
		fwrite(truth[t].note, sizeof(struct truth_note), truth[t].count, f);
	}
	if (f)
		fclose(f);
	puts("ok");
}

#endif
