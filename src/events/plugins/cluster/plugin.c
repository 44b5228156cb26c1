/* SPDX-License-Identifier: BSD-3-Clause */
/* Plug-in that finds ranks with the same behaviour. Each rank takes the signature of its folded
 * trace when an event begins: MPI_Finalize, or BOBBIN_CLUSTER_AT=NAME, NAME:NUMBER (the process's
 * NUMBER-th event of that name), or NAME/NUMBER (each NUMBER-th). A reduction tree combines the
 * signatures into at most BOBBIN_CLUSTERS=K clusters (default 4), in Finalize. If ",all" follows
 * the name, because all ranks have that event, ranks are compared at once: each receives its
 * cluster, as an event of its trace and as the result of bob_cluster_here. docs/hooks.md specifies
 * the comparison. */
#include <stdlib.h>
#include <string.h>

#include "events/plugins/cluster/message.h"

#define CLUSTERS 4u
#define ALL ",all"

static char name[128] = "MPI_Finalize";
static uint64_t wanted = 1, come;
static int every, all, failed;
static uint32_t clusters = CLUSTERS;
static bob_event_id grouped;

/* --- the set --- */

static void *create(void *ctx)
{
	(void)ctx;
	return bob_cluster_create();
}

/* A datum is a set, which is united with this one. */
static int add(void *ctx, void *set, const union bob_datum *data)
{
	const int ok = bob_cluster_unite(set, data->p);

	(void)ctx;
	bob_cluster_destroy(data->p);
	return ok;
}

static int merge(void *ctx, void *into, const void *from)
{
	(void)ctx;
	return bob_cluster_unite(into, from);
}

static size_t pack(void *ctx, const void *set, void *to, size_t capacity)
{
	(void)ctx;
	return bob_cluster_pack(set, to, capacity);
}

static void *unpack(void *ctx, const void *bytes, size_t len)
{
	(void)ctx;
	return bob_cluster_unpack(bytes, len);
}

static size_t print(void *ctx, const void *set, char *to, size_t capacity)
{
	(void)ctx;
	return bob_cluster_text(set, clusters, to, capacity);
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

static int end(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data);

static struct bob_hook hook = {
	.size = sizeof(hook), .name = "cluster", .events = name, .end = end, .set = &groups
};

static uint32_t own_rank(void)
{
	uint32_t rank;

	return bob_hook_rank(&rank) ? rank : 0; /* a single process */
}

/* Groups with only this rank; none if nothing is folded yet. NULL: out of memory. */
static struct bob_cluster_groups *look(uint64_t comparison)
{
	struct bob_cluster_groups *g = bob_cluster_create();
	struct bob_cluster_signature *like = NULL;
	const struct bob_so_far *s;

	if (g && bob_hook_so_far(0, &s) == BOB_OK)
		like = bob_cluster_signature_of(s);
	if (g && like && !bob_cluster_add(g, own_rank(), like)) {
		bob_cluster_destroy(g);
		g = NULL;
	}
	if (g)
		g->comparison = comparison;
	free(like);
	return g;
}

/* On rank 0 the groups of all ranks: the datum of its event. Thread-local, since other threads may
 * have the event while this one exchanges. */
static _Thread_local struct bob_cluster_groups *whole;

static size_t write_result(void *ctx, const void *of_all, void *to, size_t capacity)
{
	(void)ctx;
	if (!to && !whole)
		whole = bob_cluster_create();
	if (!to && whole)
		bob_cluster_unite(whole, of_all); /* once: the first call asks for the length */
	return bob_cluster_write(of_all, clusters, to, capacity);
}

/* Compares all ranks. BOB_OK: all took part. */
static bob_status compare(const struct bob_cluster_groups *g)
{
	struct bob_cluster here;
	const void *result;
	size_t len;
	const bob_status st = bob_hook_exchange(&hook, g, write_result, &result, &len);

	if (st != BOB_OK) {
		bob_cluster_destroy(whole);
		whole = NULL;
		return st;
	}
	if (bob_cluster_read(result, len, own_rank(), &here)) {
		bob_hook_post("cluster", &here, sizeof(here));
		BOB_EVENT_INSTANT(grouped, bob_int(here.cluster), bob_int(here.like),
				  bob_int(here.clusters));
	}
	return BOB_OK;
}

static void say_failed(void)
{
	if (!__atomic_exchange_n(&failed, 1, __ATOMIC_RELAXED))
		bob_hook_say("cluster: ranks could not be compared at the event, "
			     "and will be when they finalize");
}

/* The datum of the event, of this rank or of all; NULL: none. */
static struct bob_cluster_groups *compared(struct bob_cluster_groups *g)
{
	const bob_status st = compare(g);

	/* another thread is comparing, and its event has the datum; this event would be later */
	if (st == BOB_ERR_INVAL && every) {
		bob_cluster_destroy(g);
		return NULL;
	}
	if (st != BOB_OK) {
		say_failed();
		return g;
	}
	bob_cluster_destroy(g);
	g = whole;
	whole = NULL;
	return g;
}

static int end(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *data)
{
	struct bob_cluster_groups *g;
	uint64_t n;

	(void)ctx;
	(void)e;
	if (phase != BOB_PHASE_COMPUTE)
		return 0;
	n = __atomic_add_fetch(&come, 1, __ATOMIC_RELAXED);
	if (every ? n % wanted != 0 : n != wanted)
		return 0;
	g = look(every ? n / wanted : 1);
	if (g && all)
		g = compared(g);
	if (g && !g->count) {
		bob_cluster_destroy(g);
		g = NULL;
	}
	data->p = g;
	return g != NULL;
}

/* --- settings --- */

/* Digits only, and not 0. */
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
	size_t n = strlen(text);
	const char *at;
	char copy[sizeof(name)];

	if (n >= sizeof(copy))
		return 0;
	memcpy(copy, text, n + 1);
	all = n > strlen(ALL) && !strcmp(copy + n - strlen(ALL), ALL);
	if (all)
		copy[n - strlen(ALL)] = 0;
	at = strrchr(copy, '/');
	every = at != NULL;
	at = at ? at : strrchr(copy, ':');
	n = at ? (size_t)(at - copy) : strlen(copy);
	if (!n || (at && !number(at + 1, &wanted)))
		return 0;
	memcpy(name, copy, n);
	name[n] = 0;
	return 1;
}

static int begin(void)
{
	const char *at = getenv("BOBBIN_CLUSTER_AT"), *k = getenv("BOBBIN_CLUSTERS");
	uint64_t most = clusters;

	if (at && !read_event(at)) {
		bob_hook_say("BOBBIN_CLUSTER_AT is not one of NAME, NAME:NUMBER and NAME/NUMBER, "
			     "with or without ,all");
		return 1;
	}
	if (k && (!number(k, &most) || most > BOB_CLUSTER_MOST)) {
		bob_hook_say("BOBBIN_CLUSTERS is not a number from 1 to 32");
		return 1;
	}
	clusters = (uint32_t)most;
	if (all) {
		hook.flags = BOB_HOOK_EXCHANGES;
		grouped = bob_event_register("cluster", BOB_EVENT_NO_SIGNATURE,
					     "int cluster, int like, int clusters");
	}
	return !bob_hook_add(&hook);
}

extern const struct bob_plugin bob_plugin;
const struct bob_plugin bob_plugin = { BOB_PLUGIN_VERSION, sizeof(bob_plugin), "cluster", begin,
				       NULL };
