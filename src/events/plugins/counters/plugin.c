/* SPDX-License-Identifier: BSD-3-Clause */
/* Plug-in that counts per thread and event: page faults, context switches, run time (task-clock,
 * ns), cycles, instructions, first-level cache misses; counters that the machine lacks are left
 * out. BOBBIN_COUNTERS=page-faults,PAPI_FP_OPS selects counters, including any event of PAPI.
 * Counts of an event include those of events nested in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/hooks.h>

#include "events/plugins/counters/counters.h"

#define DEPTH_MAX 64u
#define NAME_BYTES 128u

struct counter {
	char name[NAME_BYTES];
	int (*read)(uint32_t number, uint64_t *value);
	uint32_t number;
};

/* An open event of the thread. */
struct open {
	uint32_t depth;
	uint64_t began[DEPTH_MAX];
};

static __thread struct open opened[BOB_COUNTERS_MOST];
static struct counter counters[BOB_COUNTERS_MOST];
static struct bob_hook hooks[BOB_COUNTERS_MOST];
static uint32_t count;

static void start(void *ctx, const struct bob_hook_event *e, uint32_t phase)
{
	const struct counter *c = ctx;
	struct open *o = &opened[c - counters];

	(void)e;
	if (phase != BOB_PHASE_EVENT)
		return;
	if (o->depth < DEPTH_MAX && !c->read(c->number, &o->began[o->depth]))
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
	    o->began[o->depth] == UINT64_MAX || !c->read(c->number, &now))
		return 0;
	data->d = (double)(now - o->began[o->depth]);
	return 1;
}

static int add(const char *name, int (*read)(uint32_t number, uint64_t *value), int number)
{
	struct counter *c = &counters[count];
	struct bob_hook *h = &hooks[count];

	if (number < 0 || count == BOB_COUNTERS_MOST)
		return 0;
	memcpy(c->name, name, strlen(name) + 1);
	c->read = read;
	c->number = (uint32_t)number;
	*h = (struct bob_hook){
		.size = sizeof(*h), .name = c->name, .start = start, .end = end, .ctx = c
	};
	count++;
	return bob_hook_add(h);
}

static void add_named(const char *name)
{
	char line[NAME_BYTES + 80];

	if (add(name, bob_perf_read, bob_perf_find(name)) ||
	    add(name, bob_papi_read, bob_papi_find(name)))
		return;
	snprintf(line, sizeof(line), "counter %s is not there: neither the kernel nor PAPI has it",
		 name);
	bob_hook_say(line);
}

static void add_chosen(const char *chosen)
{
	while (*chosen) {
		const size_t n = strcspn(chosen, ",");
		char name[NAME_BYTES];

		if (n && n < sizeof(name)) {
			memcpy(name, chosen, n);
			name[n] = 0;
			add_named(name);
		}
		chosen += n + (chosen[n] != 0);
	}
}

static int begin(void)
{
	const char *chosen = getenv("BOBBIN_COUNTERS"), *name;

	if (chosen)
		add_chosen(chosen);
	for (uint32_t i = 0; !chosen && (name = bob_perf_name(i)); i++)
		add(name, bob_perf_read, bob_perf_find(name));
	return !count;
}

extern const struct bob_plugin bob_plugin;
const struct bob_plugin bob_plugin = { BOB_PLUGIN_VERSION, sizeof(bob_plugin), "counters", begin,
				       NULL };
