/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks do the same: each looks at its folded trace so far when an event begins -- MPI_Finalize, or BOBBIN_CLUSTER_AT=NAME or NAME:NUMBER, the
 * process's NUMBER-th of that name -- and what their traces are like is united with other ranks' on the way to rank 0: at most
 * BOBBIN_CLUSTERS=K clusters (4). docs/hooks.md says how ranks are compared. */
#include <stdlib.h>
#include <string.h>

#include "events/plugins/cluster/groups.h"

#define CLUSTERS 4u

static char name[128] = "MPI_Finalize";
static uint64_t wanted = 1, come;
static uint32_t clusters = CLUSTERS;

/* --- the set --- */

struct datum {
	uint32_t rank;
	struct bob_cluster_signature *like;
};

static void *create(void *ctx)
{
	(void)ctx;
	return bob_cluster_create();
}

static int add(void *ctx, void *set, const union bob_datum *data)
{
	struct datum *d = data->p;
	const int ok = bob_cluster_add(set, d->rank, d->like);

	(void)ctx;
	free(d->like);
	free(d);
	return ok;
}

static int merge(void *ctx, void *into, const void *from)
{
	(void)ctx;
	return bob_cluster_unite(into, from);
}

static size_t pack(void *ctx, const void *set, void *to, size_t room)
{
	(void)ctx;
	return bob_cluster_pack(set, to, room);
}

static void *unpack(void *ctx, const void *bytes, size_t len)
{
	(void)ctx;
	return bob_cluster_unpack(bytes, len);
}

static size_t print(void *ctx, const void *set, char *to, size_t room)
{
	(void)ctx;
	return bob_cluster_text(set, clusters, to, room);
}

static void destroy(void *ctx, void *set)
{
	(void)ctx;
	bob_cluster_destroy(set);
}

static const struct bob_value_set groups = { .size = sizeof(groups),
					     .create = create,
					     .add = add,
					     .merge = merge,
					     .pack = pack,
					     .unpack = unpack,
					     .print = print,
					     .destroy = destroy };

/* --- the hook --- */

static struct datum *look(void)
{
	struct datum *d = calloc(1, sizeof(*d));
	const struct bob_so_far *s;

	if (d && bob_hook_so_far(0, &s) == BOB_OK)
		d->like = bob_cluster_signature_of(s);
	if (!d || !d->like) {
		free(d);
		return NULL;
	}
	if (!bob_hook_rank(&d->rank)) /* one process */
		d->rank = 0;
	return d;
}

static int end(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	(void)ctx;
	(void)e;
	if (phase != BOB_PHASE_COMPUTE || __atomic_add_fetch(&come, 1, __ATOMIC_RELAXED) != wanted)
		return 0;
	data->p = look();
	return data->p != NULL;
}

static const struct bob_hook hook = {
	.size = sizeof(hook), .name = "cluster", .events = name, .end = end, .set = &groups
};

/* --- what is asked for --- */

/* Digits and nothing else, not 0. */
static int number(const char *text, uint64_t *to)
{
	char *rest;

	if (*text < '0' || *text > '9')
		return 0;
	*to = strtoull(text, &rest, 10);
	return !*rest && *to;
}

static int read_event(const char *text)
{
	const char *colon = strrchr(text, ':');
	const size_t n = colon ? (size_t)(colon - text) : strlen(text);

	if (!n || n >= sizeof(name) || (colon && !number(colon + 1, &wanted)))
		return 0;
	memcpy(name, text, n);
	name[n] = 0;
	return 1;
}

static int begin(void)
{
	const char *at = getenv("BOBBIN_CLUSTER_AT"), *k = getenv("BOBBIN_CLUSTERS");
	uint64_t most = clusters;

	if (at && !read_event(at)) {
		bob_hook_say("BOBBIN_CLUSTER_AT is neither NAME nor NAME:NUMBER");
		return 1;
	}
	if (k && (!number(k, &most) || most > BOB_CLUSTER_MOST)) {
		bob_hook_say("BOBBIN_CLUSTERS is none of 1 to 32");
		return 1;
	}
	clusters = (uint32_t)most;
	return !bob_hook_add(&hook);
}

extern const struct bob_plugin bob_plugin;
const struct bob_plugin bob_plugin = { BOB_PLUGIN_VERSION, sizeof(bob_plugin), "cluster", begin,
				       NULL };
