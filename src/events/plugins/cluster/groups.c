/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of ranks with equal signatures (groups.h): insertion, union of two sets, and their coding
 * in bytes. When there are too many groups, the two nearest ones are joined. */
#include "events/plugins/cluster/groups.h"

#include <stdlib.h>
#include <string.h>

#include "events/plugins/cluster/numbers.h"

#define VERSION 2u

struct bob_cluster_groups *bob_cluster_create(void)
{
	return calloc(1, sizeof(struct bob_cluster_groups));
}

static void drop(struct bob_cluster_group *g)
{
	free(g->like);
	free(g->run);
}

static void drop_all(struct bob_cluster_groups *g)
{
	while (g->count)
		drop(&g->group[--g->count]);
	g->joined = 0;
}

void bob_cluster_destroy(struct bob_cluster_groups *g)
{
	if (g)
		drop_all(g);
	free(g);
}

uint64_t bob_cluster_ranks(const struct bob_cluster_group *g)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < g->runs; i++)
		n += (uint64_t)g->run[i].last - g->run[i].first + 1;
	return n;
}

/* --- runs of ranks --- */

/* Union of both lists of runs, in a new array. 0: out of memory. */
static int unite_runs(struct bob_cluster_group *g, const struct bob_cluster_run *b, uint32_t count)
{
	const struct bob_cluster_run *a = g->run;
	struct bob_cluster_run *to = malloc(((size_t)g->runs + count) * sizeof(*to));
	uint32_t n = 0;

	if (!to)
		return 0;
	for (uint32_t i = 0, k = 0; i < g->runs || k < count;) {
		const int is_a = k == count || (i < g->runs && a[i].first <= b[k].first);
		const struct bob_cluster_run r = is_a ? a[i++] : b[k++];

		if (n && r.first <= (uint64_t)to[n - 1].last + 1)
			to[n - 1].last = r.last > to[n - 1].last ? r.last : to[n - 1].last;
		else
			to[n++] = r;
	}
	free(g->run);
	g->run = to;
	g->runs = n;
	return 1;
}

/* --- groups --- */

/* Moves the group at `at` to its place among the sorted ones before it. */
static void sort_in(struct bob_cluster_groups *g, uint32_t at)
{
	const struct bob_cluster_group one = g->group[at];

	for (; at && g->group[at - 1].run[0].first > one.run[0].first; at--)
		g->group[at] = g->group[at - 1];
	g->group[at] = one;
}

static void sort_all(struct bob_cluster_groups *g)
{
	for (uint32_t i = 1; i < g->count; i++)
		sort_in(g, i);
}

static void take_out(struct bob_cluster_groups *g, uint32_t at)
{
	drop(&g->group[at]);
	g->count--;
	memmove(&g->group[at], &g->group[at + 1], (g->count - at) * sizeof(g->group[0]));
}

/* Joins the two nearest groups; the result is like the larger one. Ties: the first pair. */
static int join_nearest(struct bob_cluster_groups *g)
{
	uint32_t a = 0, b = 1, nearest = UINT32_MAX;

	for (uint32_t i = 0; i < g->count; i++)
		for (uint32_t k = i + 1; k < g->count; k++) {
			const uint32_t d = bob_cluster_distance(g->group[i].like, g->group[k].like);

			if (d < nearest) {
				nearest = d;
				a = i;
				b = k;
			}
		}
	if (bob_cluster_ranks(&g->group[b]) > bob_cluster_ranks(&g->group[a])) {
		const uint32_t smaller = a;

		a = b;
		b = smaller;
	}
	if (!unite_runs(&g->group[a], g->group[b].run, g->group[b].runs))
		return 0;
	take_out(g, b);
	g->joined++;
	sort_all(g);
	return 1;
}

static struct bob_cluster_signature *copy_of(const struct bob_cluster_signature *s)
{
	const size_t bytes = sizeof(*s) + s->features * sizeof(s->feature[0]);
	struct bob_cluster_signature *to = malloc(bytes);

	return to ? memcpy(to, s, bytes) : NULL;
}

static int add_runs(struct bob_cluster_groups *g, const struct bob_cluster_signature *like,
		    const struct bob_cluster_run *run, uint32_t runs)
{
	struct bob_cluster_group one = { 0 };

	for (uint32_t i = 0; i < g->count; i++)
		if (bob_cluster_is_equal(g->group[i].like, like)) {
			if (!unite_runs(&g->group[i], run, runs))
				return 0;
			sort_all(g);
			return 1;
		}
	one.like = copy_of(like);
	if (!one.like || !unite_runs(&one, run, runs)) {
		drop(&one);
		return 0;
	}
	g->group[g->count++] = one;
	sort_in(g, g->count - 1);
	return g->count <= BOB_CLUSTER_GROUPS || join_nearest(g);
}

int bob_cluster_add(struct bob_cluster_groups *g, uint32_t rank,
		    const struct bob_cluster_signature *like)
{
	const struct bob_cluster_run run = { rank, rank };

	return add_runs(g, like, &run, 1);
}

int bob_cluster_unite(struct bob_cluster_groups *into, const struct bob_cluster_groups *from)
{
	int whole = 1;

	if (from->comparison < into->comparison)
		return 1;
	if (from->comparison > into->comparison)
		drop_all(into);
	into->comparison = from->comparison;
	for (uint32_t i = 0; i < from->count; i++) {
		const struct bob_cluster_group *g = &from->group[i];

		whole &= add_runs(into, g->like, g->run, g->runs);
	}
	into->joined += from->joined;
	return whole;
}

/* --- coding --- */

static void put_group(struct output *o, const struct bob_cluster_group *g)
{
	uint64_t before = 0;

	put(o, g->like->features);
	put(o, g->like->cut);
	for (uint32_t i = 0; i < g->like->features; i++) {
		put(o, g->like->feature[i].id - before);
		put(o, g->like->feature[i].count);
		before = g->like->feature[i].id;
	}
	put(o, g->runs);
	before = 0;
	for (uint32_t i = 0; i < g->runs; i++) {
		put(o, g->run[i].first - before);
		put(o, g->run[i].last - g->run[i].first);
		before = g->run[i].last;
	}
}

size_t bob_cluster_pack(const struct bob_cluster_groups *g, void *to, size_t capacity)
{
	struct output o = { to, 0, to ? capacity : 0 };

	put(&o, VERSION);
	put(&o, g->comparison);
	put(&o, g->joined);
	put(&o, g->count);
	for (uint32_t i = 0; i < g->count; i++)
		put_group(&o, &g->group[i]);
	return o.len;
}

/* On invalid bytes, too, what has been read is freed with the group. */
static void get_signature(struct input *in, struct bob_cluster_group *g)
{
	const uint32_t n = (uint32_t)get(in, BOB_CLUSTER_FEATURES);
	uint64_t before = 0;

	g->like = calloc(1, sizeof(*g->like) + n * sizeof(g->like->feature[0]));
	if (!g->like) {
		in->bad = 1;
		return;
	}
	g->like->features = n;
	g->like->cut = (uint32_t)get(in, 1);
	for (uint32_t i = 0; i < n && !in->bad; i++) {
		const uint64_t step = get(in, UINT64_MAX - before);

		g->like->feature[i].id = before += step;
		g->like->feature[i].count = get(in, UINT64_MAX);
		in->bad |= !step || !g->like->feature[i].count;
	}
}

static void get_runs(struct input *in, struct bob_cluster_group *g)
{
	const uint64_t n = get(in, (uint64_t)(in->end - in->at) / 2);
	uint64_t before = 0;

	g->run = n ? calloc(n, sizeof(*g->run)) : NULL;
	in->bad |= !g->run;
	for (uint32_t i = 0; i < n && !in->bad; i++) {
		const uint64_t step = get(in, UINT32_MAX - before);

		in->bad |= i && step < 2; /* runs that touch would be one */
		g->run[i].first = (uint32_t)(before + step);
		g->run[i].last = g->run[i].first + (uint32_t)get(in, UINT32_MAX - g->run[i].first);
		before = g->run[i].last;
		g->runs++;
	}
}

struct bob_cluster_groups *bob_cluster_unpack(const void *bytes, size_t len)
{
	struct bob_cluster_groups *g = bytes ? bob_cluster_create() : NULL;
	struct input in = { bytes, bytes, 0 };
	uint32_t count;

	if (!g)
		return NULL;
	in.end = in.at + len;
	in.bad = get(&in, VERSION) != VERSION;
	g->comparison = get(&in, UINT32_MAX);
	g->joined = get(&in, UINT32_MAX);
	count = (uint32_t)get(&in, BOB_CLUSTER_GROUPS);
	while (g->count < count && !in.bad) {
		struct bob_cluster_group *one = &g->group[g->count++];

		get_signature(&in, one);
		get_runs(&in, one);
		in.bad |= g->count > 1 && !in.bad && one->run[0].first <= one[-1].run[0].first;
	}
	if (!in.bad && in.at == in.end)
		return g;
	bob_cluster_destroy(g);
	return NULL;
}
