/* SPDX-License-Identifier: BSD-3-Clause */
/* The callbacks of the value set (bobbin/hooks.h): tables are created, added, packed and merged. */
#include "idf_set.h"

#include <bobbin/hooks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack.h"

struct tables {
	struct terms *own;
	const struct terms **all;
};

static void *create(void *ctx)
{
	(void)ctx;
	return calloc(1, sizeof(struct terms));
}

/* The program owns the former `result`. */
static void destroy(void *ctx, void *set)
{
	if (!set || set == *((struct tables *)ctx)->all)
		return;
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

/* The first table is moved, not added word by word. */
static int add(void *ctx, void *set, const union bob_datum *data)
{
	struct terms *into = set, *own = data->p;
	int ok;

	if (into->slots) {
		ok = merge(ctx, into, own);
		terms_free(own);
		return ok;
	}
	*into = *own;
	memset(own, 0, sizeof(*own));
	return 1;
}

static size_t pack(void *ctx, const void *set, void *to, size_t capacity)
{
	size_t len;
	char *bytes = terms_serialise(set, &len);

	(void)ctx;
	if (bytes && len <= capacity)
		memcpy(to, bytes, len);
	free(bytes);
	return len;
}

static int add_packed(void *ctx, void *into, const void *bytes, size_t len)
{
	(void)ctx;
	return !terms_deserialise(into, bytes, len);
}

static void *unpack(void *ctx, const void *bytes, size_t len)
{
	struct terms *set = create(ctx);

	if (set && !add_packed(ctx, set, bytes, len)) {
		destroy(ctx, set);
		return NULL;
	}
	return set;
}

static size_t print(void *ctx, const void *set, char *to, size_t capacity)
{
	(void)ctx;
	return (size_t)snprintf(to, capacity, "%zu terms", ((const struct terms *)set)->used);
}

static void result(void *ctx, const char *event, uint32_t phase, const void *set)
{
	(void)event;
	(void)phase;
	*((struct tables *)ctx)->all = set;
}

static int end(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	(void)e;
	data->p = ((struct tables *)ctx)->own;
	return phase == BOB_PHASE_EVENT;
}

int idf_set_add(const char *event, struct terms *own, const struct terms **all)
{
	static const struct bob_value_set set = { sizeof(set), 0, create, add, merge, pack,
						  unpack, print, destroy, result, add_packed };
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

void idf_set_free(const struct terms *all)
{
	struct terms *t = (struct terms *)(uintptr_t)all;

	if (t)
		terms_free(t);
	free(t);
}
