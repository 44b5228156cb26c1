/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that are instrumented by hand, and that know what their trace must contain: they call
 * `want` for each access that must be in it. The rows are written to $BOB_LOG, for each thread:
 *     thread N
 *     KIND VARIABLE OFFSET SIZE SITE FILE        L or S; the offset is in bytes
 * A fork child starts with no rows and writes to $BOB_LOG.child. FILE is the number of the file's
 * image, from 0, in the order of registration. */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bobbin/probe.h"

#define NOINLINE __attribute__((noinline))
#define ORACLE_ROWS 64
#define ORACLE_CAPACITY (1u << 21)

struct oracle_note {
	uint64_t offset;
	uint32_t site, variable;
	uint16_t size;
	uint8_t store, file;
};

struct oracle_row {
	struct oracle_note *note;
	uint32_t count;
};

#ifdef ORACLE_MAIN
struct oracle_row oracle_rows[ORACLE_ROWS];
uint32_t oracle_count;
__thread struct oracle_row *oracle_own;
uint64_t oracle_outside; /* accesses of nothing that is wanted; of one thread */
#else
extern struct oracle_row oracle_rows[ORACLE_ROWS];
extern uint32_t oracle_count;
extern __thread struct oracle_row *oracle_own;
extern uint64_t oracle_outside;
#endif

/* Each thread does this first, outside handlers. */
static inline void oracle_thread(void)
{
	uint32_t i = __atomic_fetch_add(&oracle_count, 1, __ATOMIC_RELAXED);

	if (i >= ORACLE_ROWS)
		abort();
	oracle_rows[i].note = (struct oracle_note *)mmap(
		NULL, ORACLE_CAPACITY * sizeof(struct oracle_note), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (oracle_rows[i].note == MAP_FAILED)
		abort();
	oracle_rows[i].count = 0;
	oracle_own = &oracle_rows[i];
}

static inline void oracle_note(int file, int v, uint64_t offset, uint32_t site, uint32_t size,
			       int store)
{
	/* handlers note, too */
	struct oracle_note *n =
		oracle_own->note + __atomic_fetch_add(&oracle_own->count, 1, __ATOMIC_RELAXED);

	if (oracle_own->count > ORACLE_CAPACITY)
		abort();
	n->offset = offset;
	n->site = site;
	n->variable = (uint32_t)v;
	n->size = (uint16_t)size;
	n->store = (uint8_t)store;
	n->file = (uint8_t)file;
}

static inline void oracle_want(int file, const struct bob_probe_site *table, int v, uint64_t offset,
			       uint32_t site)
{
	const struct bob_probe_site *s = &table[site];

	if (s->kind != BOB_PROBE_WRITE)
		oracle_note(file, v, offset, site, s->size, 0);
	if (s->kind != BOB_PROBE_READ)
		oracle_note(file, v, offset, site, s->size, 1);
}

static inline void oracle_child(void)
{
	oracle_count = 0;
	oracle_thread();
}

static inline void oracle_write(const char *suffix)
{
	const char *path = getenv("BOB_LOG");
	char name[4096];
	FILE *f;

	if (!path)
		return;
	snprintf(name, sizeof(name), "%s%s", path, suffix);
	f = fopen(name, "w");
	if (!f)
		abort();
	for (uint32_t i = 0; i < oracle_count; i++) {
		fprintf(f, "thread %u\n", i);
		for (uint32_t k = 0; k < oracle_rows[i].count; k++) {
			const struct oracle_note *n = &oracle_rows[i].note[k];

			fprintf(f, "%c %u %llu %u %u %u\n", n->store ? 'S' : 'L', n->variable,
				(unsigned long long)n->offset, n->size, n->site, n->file);
		}
	}
	fclose(f);
}

#endif
