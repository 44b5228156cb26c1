/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the kernel and of the processor (perf_event_open). A thread keeps a descriptor open
 * for each that it has read. */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "events/plugins/counters/counters.h"

#define COUNTERS 6u
#define L1_MISSES                                                                                  \
	(PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |                              \
	 PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct counter {
	const char *name;
	uint32_t type;
	uint32_t config;
} counters[COUNTERS] = {
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "L1-misses", PERF_TYPE_HW_CACHE, L1_MISSES },
};

static __thread int opened[COUNTERS]; /* descriptor + 1; 0: not opened yet, -1: failed */

/* Counts the calling thread, including kernel mode where that is permitted. */
static int open_counter(const struct counter *c)
{
	struct perf_event_attr a;
	int fd;

	memset(&a, 0, sizeof(a));
	a.size = sizeof(a);
	a.type = c->type;
	a.config = c->config;
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		a.exclude_kernel = 1;
		fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd;
}

const char *bob_perf_name(uint32_t number)
{
	return number < COUNTERS ? counters[number].name : NULL;
}

int bob_perf_find(const char *name)
{
	for (uint32_t i = 0; i < COUNTERS; i++) {
		int fd;

		if (strcmp(counters[i].name, name) != 0)
			continue;
		fd = open_counter(&counters[i]);
		if (fd >= 0)
			close(fd);
		return fd >= 0 ? (int)i : -1;
	}
	return -1;
}

int bob_perf_read(uint32_t number, uint64_t *value)
{
	int *fd = &opened[number];

	if (!*fd) {
		const int got = open_counter(&counters[number]);

		*fd = got < 0 ? -1 : got + 1;
	}
	return *fd > 0 && read(*fd - 1, value, sizeof(*value)) == (ssize_t)sizeof(*value);
}
