/* SPDX-License-Identifier: BSD-3-Clause */
/* Plug-in that records the process's peak resident memory at the end of each event, in kB. */
#include <sys/resource.h>

#include <bobbin/hooks.h>

static int end(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	struct rusage r;

	(void)ctx;
	(void)e;
	if (phase != BOB_PHASE_EVENT || getrusage(RUSAGE_SELF, &r))
		return 0;
	data->d = (double)r.ru_maxrss;
	return 1;
}

static const struct bob_hook hook = { .size = sizeof(hook), .name = "memory kB", .end = end };

static int begin(void)
{
	return !bob_hook_add(&hook);
}

extern const struct bob_plugin bob_plugin;
const struct bob_plugin bob_plugin = { BOB_PLUGIN_VERSION, sizeof(bob_plugin), "memory", begin,
				       NULL };
