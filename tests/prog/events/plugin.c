/* A plug-in that counts the program's own events. VERSION: the version that it declares; FAILS: it
 * does not begin. */
#include <stdio.h>

#include <bobbin/hooks.h>

static int one(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	(void)ctx;
	(void)e;
	data->d = 1;
	return phase == BOB_PHASE_EVENT;
}

static const struct bob_hook hook = {
	.size = sizeof(hook), .name = "events", .kinds = BOB_HOOK_CUSTOM, .end = one
};

static int begin(void)
{
	return FAILS || !bob_hook_add(&hook);
}

static void finish(void)
{
	fputs("plug-in ends\n", stderr);
}

const struct bob_plugin bob_plugin = {
	.version = VERSION, .size = sizeof(bob_plugin), .name = "test", .begin = begin,
	.finish = finish
};
