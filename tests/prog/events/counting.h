/* A hook that brings 1 at each event, and most of a value set of its own that counts them. */
#include <stdlib.h>
#include <string.h>

#include <bobbin/hooks.h>

static int give_one(void *ctx, const struct bob_hook_event *e, uint32_t phase,
		    union bob_datum *data)
{
	(void)ctx;
	(void)e;
	data->d = 1;
	return phase == BOB_PHASE_EVENT;
}

static void *create(void *ctx)
{
	(void)ctx;
	return calloc(1, sizeof(long));
}

static int add(void *ctx, void *set, const union bob_datum *data)
{
	(void)ctx;
	*(long *)set += (long)data->d;
	return 1;
}

static size_t pack(void *ctx, const void *set, void *to, size_t capacity)
{
	(void)ctx;
	if (capacity >= sizeof(long))
		memcpy(to, set, sizeof(long));
	return sizeof(long);
}

static void destroy(void *ctx, void *set)
{
	(void)ctx;
	free(set);
}
