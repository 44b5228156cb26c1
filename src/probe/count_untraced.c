/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the accesses to untraced data. Each thread has a counter. The recorder adds to it and, in
 * untraced ranges, the probes do (bobbin/probe.h). A new thread reuses the counter of one that has
 * ended. At the end of the process, their sum is written to the trace. A killed process loses its
 * counts. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

#include "probe/probe.h"

#define CELLS 4096u /* threads at the same time; those beyond it are not counted */

static struct cell {
	uint64_t outside, taken;
	struct bob_pr_memory *memory; /* the next thread with this cell reuses it; NULL: not
				       * allocated yet */
	uint64_t pad[5];	/* pads a cell to a cache line */
} cells[CELLS];
static pthread_key_t at_end;
static bool have_key;
__thread uint64_t *bob_pr_outside;
static __thread struct cell *own; /* its cell */
static __thread bool busy, gone; /* gone: no cell is available, or the thread is ending */

static void release(void *unused)
{
	struct cell *c = own;

	(void)unused;
	bob_pr_outside = NULL;
	bob_pr_memory_is(NULL);
	own = NULL;
	gone = true;
	if (c)
		__atomic_store_n(&c->taken, 0, __ATOMIC_RELEASE);
}

/* Lock-free, because locks would be recorded themselves. */
static struct cell *free_cell(void)
{
	for (uint32_t i = 0; i < CELLS; i++) {
		uint64_t none = 0;

		if (__atomic_compare_exchange_n(&cells[i].taken, &none, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return &cells[i];
	}
	return NULL;
}

void bob_pr_count_begin(void)
{
	have_key = !pthread_key_create(&at_end, release);
}

static struct bob_pr_memory *map_memory(void)
{
	void *p = mmap(NULL, bob_pr_memory_bytes(), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void take(void)
{
	own = free_cell();
	if (!own)
		return;
	if (!own->memory)
		own->memory = map_memory();
	bob_pr_memory_is(own->memory);
	if (have_key)
		pthread_setspecific(at_end, own);
}

__attribute__((noinline, cold)) void bob_pr_count_first(uint64_t outside)
{
	if (gone || busy) /* busy: a signal handler interrupted the code below */
		return;
	busy = true;
	take();
	busy = false;
	gone = !own;
	if (!own)
		return;
	own->outside += outside;
	bob_pr_outside = &own->outside;
}

uint64_t *bob_pr_count_own(void)
{
	if (!bob_pr_outside)
		bob_pr_count_first(0);
	return bob_pr_outside;
}

void bob_pr_count_report(void)
{
	uint64_t sum = 0;
	char line[100];

	for (uint32_t i = 0; i < CELLS; i++)
		sum += __atomic_load_n(&cells[i].outside, __ATOMIC_RELAXED);
	if (!sum)
		return;
	snprintf(line, sizeof(line), "probes counted %" PRIu64 " accesses to untraced data\n", sum);
	bob_agent_log(bob_pr_agent, line);
}

void bob_pr_count_after_fork(void)
{
	for (uint32_t i = 0; i < CELLS; i++)
		cells[i].outside = cells[i].taken = 0;
	gone = busy = false;
	if (own)
		own->taken = 1;
}
