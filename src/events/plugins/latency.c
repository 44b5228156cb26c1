/* SPDX-License-Identifier: BSD-3-Clause */
/* Plug-in that keeps a histogram of the durations (ns) of each event: the trace's own statistics do
 * not keep the distribution. */
#include <time.h>

#include <bobbin/hooks.h>

#define DEPTH_MAX 256u

static __thread uint64_t began[DEPTH_MAX];
static __thread uint32_t depth; /* nesting depth, including events too deep for the array */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void start(void *ctx, const struct bob_hook_event *e, uint32_t phase)
{
	(void)ctx;
	(void)e;
	if (phase != BOB_PHASE_EVENT)
		return;
	if (depth < DEPTH_MAX)
		began[depth] = now_ns();
	depth++;
}

static int end(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	(void)ctx;
	(void)e;
	if (phase != BOB_PHASE_EVENT || !depth || --depth >= DEPTH_MAX)
		return 0;
	data->d = (double)(now_ns() - began[depth]);
	return 1;
}

static const struct bob_hook hook = {
	.size = sizeof(hook), .name = "latency ns", .start = start, .end = end
};

static int begin(void)
{
	return !bob_hook_add(&hook);
}

extern const struct bob_plugin bob_plugin;
const struct bob_plugin bob_plugin = { BOB_PLUGIN_VERSION, sizeof(bob_plugin), "latency", begin,
				       NULL };
