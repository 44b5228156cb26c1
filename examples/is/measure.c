/* SPDX-License-Identifier: BSD-3-Clause */
/* One hook per counter: its value is the difference between the end and the beginning of an
 * event. */
#include "measure.h"

#include <bobbin/hooks.h>

#include "counters.h"

static struct counters counters;

struct measure {
	int counter;
	int64_t before;		/* value at the beginning of the event */
};

static int64_t read_one(int counter)
{
	int64_t value[COUNTERS];

	counters_read(&counters, value);
	return value[counter];
}

static void start(void *ctx, const struct bob_hook_event *e, uint32_t phase)
{
	struct measure *m = ctx;

	(void)e;
	if (phase == BOB_PHASE_EVENT)
		m->before = read_one(m->counter);
}

static int end(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	const struct measure *m = ctx;

	(void)e;
	if (phase != BOB_PHASE_EVENT || m->before < 0)
		return 0;
	data->d = (double)(read_one(m->counter) - m->before);
	return 1;
}

void measure_events(const char *name)
{
	static struct measure measure[COUNTERS];
	static struct bob_hook hook[COUNTERS];

	counters_open(&counters);
	for (int i = 0; i < COUNTERS; i++) {
		measure[i].counter = i;
		hook[i] = (struct bob_hook){ .size = sizeof(hook[i]),
					     .name = counter_names[i],
					     .kinds = BOB_HOOK_CUSTOM,
					     .events = name,
					     .start = start,
					     .end = end,
					     .ctx = &measure[i] };
		bob_hook_add(&hook[i]);
	}
}
