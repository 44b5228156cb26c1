/* SPDX-License-Identifier: BSD-3-Clause */
#include "idf_set.h"

#include <bobbin/hooks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack.h"

struct tables {
	struct terms *own, *all;
};

static void *create(void *ctx)
{
	(void)ctx;
	return calloc(1, sizeof(struct terms));
}

static void destroy(void *ctx, void *set)
{
	(void)ctx;
	if (set)
		terms_free(set);
	free(set);
}

static int merge(void *ctx, void *into, const void *from)
{
	const struct terms *t = from;

	(void)ctx;
	for (size_t i = 0; i < t->slots; i++)
		if (t->slot[i].word &&
		    terms_add(into, t->slot[i].word, strlen(t->slot[i].word), t->slot[i].count))
			return 0;
	return 1;
}

static int add(void *ctx, void *set, const union bob_datum *data)
{
	return merge(ctx, set, data->p);
}

static size_t pack(void *ctx, const void *set, void *to, size_t room)
{
	size_t len;
	char *bytes = terms_serialise(set, &len);

	(void)ctx;
	if (bytes && len <= room)
		memcpy(to, bytes, len);
	free(bytes);
	return len;
}

static void *unpack(void *ctx, const void *bytes, size_t len)
{
	struct terms *set = create(ctx);

	if (set && terms_deserialise(set, bytes, len)) {
		destroy(ctx, set);
		return NULL;
	}
	return set;
}

static size_t print(void *ctx, const void *set, char *to, size_t room)
{
	(void)ctx;
	return (size_t)snprintf(to, room, "%zu terms", ((const struct terms *)set)->used);
}

static void result(void *ctx, const char *event, uint32_t phase, const void *set)
{
	(void)event;
	(void)phase;
	merge(ctx, ((struct tables *)ctx)->all, set);
}

static int end(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	(void)e;
	data->p = ((struct tables *)ctx)->own;
	return phase == BOB_PHASE_EVENT;
}

int idf_set_add(const char *event, struct terms *own, struct terms *all)
{
	static const struct bob_value_set set = { sizeof(set), 0, create, add, merge, pack,
						  unpack, print, destroy, result };
	static struct tables tables;
	static struct bob_hook hook;

	tables = (struct tables){ own, all };
	hook = (struct bob_hook){ .size = sizeof(hook),
				  .name = "idf",
				  .kinds = BOB_HOOK_CUSTOM,
				  .events = event,
				  .end = end,
				  .set = &set,
				  .ctx = &tables };
	return bob_hook_add(&hook);
}
