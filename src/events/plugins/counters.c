/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the kernel and of the processor, of the thread while it is in an event (perf_event_open): page faults, context switches, the time
 * it ran (task-clock, ns), cycles, instructions, misses of the first cache. Those that the machine does not have are left out.
 * BOBBIN_COUNTERS=page-faults,task-clock chooses; else all. A thread has a descriptor open for each. Of an event that has others in it the
 * counts include theirs. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bobbin/hooks.h>

#define COUNTERS 6u
#define DEPTH_MAX 64u
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

/* Of the thread. */
struct open {
	int fd;			/* + 1; 0: not yet, -1: it cannot be */
	uint32_t depth;
	uint64_t began[DEPTH_MAX];
};

static __thread struct open opened[COUNTERS];
static struct bob_hook hooks[COUNTERS];

/* Of this thread; also what it does in the kernel, if that may be counted. */
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

static int read_counter(const struct counter *c, struct open *o, uint64_t *value)
{
	if (!o->fd) {
		const int fd = open_counter(c);

		o->fd = fd < 0 ? -1 : fd + 1;
	}
	return o->fd > 0 && read(o->fd - 1, value, sizeof(*value)) == (ssize_t)sizeof(*value);
}

static void start(void *ctx, const struct bob_hook_event *e, uint32_t phase)
{
	const struct counter *c = ctx;
	struct open *o = &opened[c - counters];

	(void)e;
	if (phase != BOB_PHASE_EVENT)
		return;
	if (o->depth < DEPTH_MAX && !read_counter(c, o, &o->began[o->depth]))
		o->began[o->depth] = UINT64_MAX;
	o->depth++;
}

static int end(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	const struct counter *c = ctx;
	struct open *o = &opened[c - counters];
	uint64_t now;

	(void)e;
	if (phase != BOB_PHASE_EVENT || !o->depth || --o->depth >= DEPTH_MAX ||
	    o->began[o->depth] == UINT64_MAX || !read_counter(c, o, &now))
		return 0;
	data->d = (double)(now - o->began[o->depth]);
	return 1;
}

static int is_chosen(const char *chosen, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = chosen; p && (p = strstr(p, name)); p += n)
		if ((p == chosen || p[-1] == ',') && (!p[n] || p[n] == ','))
			return 1;
	return !chosen;
}

static int begin(void)
{
	const char *chosen = getenv("BOBBIN_COUNTERS");
	int any = 0;

	for (uint32_t i = 0; i < COUNTERS; i++) {
		const int fd = is_chosen(chosen, counters[i].name) ? open_counter(&counters[i]) :
								     -1;

		if (fd < 0)
			continue;
		close(fd);
		hooks[i].size = sizeof(hooks[i]);
		hooks[i].name = counters[i].name;
		hooks[i].start = start;
		hooks[i].end = end;
		hooks[i].ctx = (void *)(uintptr_t)&counters[i];
		any |= bob_hook_add(&hooks[i]);
	}
	return !any;
}

extern const struct bob_plugin bob_plugin;
const struct bob_plugin bob_plugin = { BOB_PLUGIN_VERSION, sizeof(bob_plugin), "counters", begin,
				       NULL };
