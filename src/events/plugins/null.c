/* SPDX-License-Identifier: BSD-3-Clause */
/* A plug-in that does nothing, as a template:
 *
 *     cc -shared -fPIC -O2 -o mine.so null.c
 *     bobbin record --plugin=./mine.so -- ./app; bobbin report --by=hook */
#include <bobbin/hooks.h>

static void start(void *ctx, const struct bob_hook_event *e, uint32_t phase)
{
	(void)ctx;
	(void)e;
	(void)phase;
}

static int end(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	(void)ctx;
	(void)e;
	(void)phase;
	(void)data;
	return 0; /* 1: data were written */
}

static const struct bob_hook hook = {
	.size = sizeof(hook), .name = "null", .start = start, .end = end
};

static int begin(void)
{
	return !bob_hook_add(&hook);
}

extern const struct bob_plugin bob_plugin;
const struct bob_plugin bob_plugin = { BOB_PLUGIN_VERSION, sizeof(bob_plugin), "null", begin,
				       NULL };
