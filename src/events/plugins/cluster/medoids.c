/* SPDX-License-Identifier: BSD-3-Clause */
/* Clusters of groups by k-medoids (PAM: BUILD adds medoids greedily, SWAP exchanges them), and
 * their description as text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/plugins/cluster/groups.h"

#define SWAPS_MOST 200u
#define NONE (~0u)

struct search {
	uint32_t n, k;
	uint64_t ranks[BOB_CLUSTER_GROUPS];
	uint32_t apart[BOB_CLUSTER_GROUPS][BOB_CLUSTER_GROUPS];
	uint32_t medoid[BOB_CLUSTER_MOST];
};

static uint32_t nearest(const struct search *s, uint32_t group)
{
	uint32_t best = 0;

	for (uint32_t m = 1; m < s->k; m++)
		if (s->apart[group][s->medoid[m]] < s->apart[group][s->medoid[best]])
			best = m;
	return best;
}

static uint64_t cost(const struct search *s)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->n; i++)
		sum += s->ranks[i] * s->apart[i][s->medoid[nearest(s, i)]];
	return sum;
}

/* BUILD: adds the medoid that decreases the cost most. 0: none does. */
static int add_medoid(struct search *s)
{
	uint64_t before = s->k ? cost(s) : UINT64_MAX;
	uint32_t best = NONE;

	s->k++;
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t now;

		s->medoid[s->k - 1] = i;
		now = cost(s);
		if (now < before) {
			before = now;
			best = i;
		}
	}
	if (best == NONE) {
		s->k--;
		return 0;
	}
	s->medoid[s->k - 1] = best;
	return 1;
}

/* SWAP: the exchange of a medoid and a group that decreases the cost most. 0: none does. */
static int swap(struct search *s)
{
	uint64_t least = cost(s);
	uint32_t at = NONE, with = 0;

	for (uint32_t m = 0; m < s->k; m++) {
		const uint32_t was = s->medoid[m];

		for (uint32_t i = 0; i < s->n; i++) {
			uint64_t now;

			s->medoid[m] = i;
			now = cost(s);
			if (now < least) {
				least = now;
				at = m;
				with = i;
			}
		}
		s->medoid[m] = was;
	}
	if (at != NONE)
		s->medoid[at] = with;
	return at != NONE;
}

int bob_cluster_medoids(const struct bob_cluster_groups *g, uint32_t k, uint32_t *of)
{
	struct search *s = calloc(1, sizeof(*s));

	if (!s)
		return 0;
	s->n = g->count;
	for (uint32_t i = 0; i < s->n; i++) {
		s->ranks[i] = bob_cluster_ranks(&g->group[i]);
		for (uint32_t j = 0; j < s->n; j++)
			s->apart[i][j] = bob_cluster_distance(g->group[i].like, g->group[j].like);
	}
	k = k < BOB_CLUSTER_MOST ? k : BOB_CLUSTER_MOST;
	while (s->k < k && add_medoid(s))
		;
	for (uint32_t i = 0; i < SWAPS_MOST && s->k && swap(s); i++)
		;
	for (uint32_t i = 0; i < s->n; i++)
		of[i] = s->medoid[nearest(s, i)];
	free(s);
	return 1;
}

/* --- ranks of a cluster --- */

/* Runs of the groups of a cluster may interleave: finds the next run of one group from `from`
 * on. */
static int next_one(const struct bob_cluster_groups *g, const uint32_t *of, uint32_t medoid,
		    uint64_t from, struct bob_cluster_run *out)
{
	int found = 0;

	for (uint32_t i = 0; i < g->count; i++)
		for (uint32_t r = 0; of[i] == medoid && r < g->group[i].runs; r++) {
			struct bob_cluster_run run = g->group[i].run[r];

			if (run.last < from)
				continue;
			if (run.first < from)
				run.first = (uint32_t)from;
			if (!found || run.first < out->first)
				*out = run;
			found = 1;
			break;
		}
	return found;
}

int bob_cluster_next_run(const struct bob_cluster_groups *g, const uint32_t *of, uint32_t medoid,
			 uint64_t from, struct bob_cluster_run *out)
{
	struct bob_cluster_run more;

	if (!next_one(g, of, medoid, from, out))
		return 0;
	while (next_one(g, of, medoid, (uint64_t)out->last + 1, &more) &&
	       more.first == (uint64_t)out->last + 1)
		out->last = more.last;
	return 1;
}

/* --- text --- */

struct text {
	char *at;
	size_t len, capacity;
	int full;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *t, const char *format, ...)
{
	char one[128];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(one, sizeof(one), format, args);
	va_end(args);
	/* keeps space for "..." and the final zero */
	if (n < 0 || t->full || t->capacity - t->len < (size_t)n + 4) {
		t->full = 1;
		return;
	}
	memcpy(t->at + t->len, one, (size_t)n);
	t->len += (size_t)n;
}

static double fraction(uint32_t distance)
{
	return (double)distance / BOB_CLUSTER_ONE;
}

static void say_ranks(struct text *t, const struct bob_cluster_groups *g, const uint32_t *of,
		      uint32_t medoid)
{
	struct bob_cluster_run all;
	uint64_t from = 0;
	const char *comma = "";

	while (!t->full && bob_cluster_next_run(g, of, medoid, from, &all)) {
		if (all.first == all.last)
			say(t, "%s%u", comma, all.first);
		else
			say(t, "%s%u-%u", comma, all.first, all.last);
		from = (uint64_t)all.last + 1;
		comma = ",";
	}
}

static void say_cluster(struct text *t, const struct bob_cluster_groups *g, const uint32_t *of,
			uint32_t medoid)
{
	const struct bob_cluster_signature *like = g->group[medoid].like;
	uint32_t within = 0, next = NONE, apart = 0;

	for (uint32_t i = 0; i < g->count; i++) {
		const uint32_t d = bob_cluster_distance(like, g->group[i].like);

		if (of[i] == medoid)
			within = d > within ? d : within;
		else if (of[i] == i && (next == NONE || d < apart)) {
			next = i;
			apart = d;
		}
	}
	say_ranks(t, g, of, medoid);
	say(t, " like %u", g->group[medoid].run[0].first);
	if (within)
		say(t, ", within %.3g", fraction(within));
	if (next != NONE)
		say(t, ", %.3g from %u", fraction(apart), g->group[next].run[0].first);
}

size_t bob_cluster_text(const struct bob_cluster_groups *g, uint32_t k, char *to, size_t capacity)
{
	struct text t = { to, 0, capacity, capacity < 8 };
	uint32_t of[BOB_CLUSTER_GROUPS], clusters = 0;
	uint64_t ranks = 0;

	if (!bob_cluster_medoids(g, k, of))
		return 0;
	for (uint32_t i = 0; i < g->count; i++) {
		clusters += of[i] == i;
		ranks += bob_cluster_ranks(&g->group[i]);
	}
	say(&t, "%u cluster%s of %llu rank%s", clusters, clusters == 1 ? "" : "s",
	    (unsigned long long)ranks, ranks == 1 ? "" : "s");
	if (g->joined)
		say(&t, ", %u groups and %llu that were put to others", g->count,
		    (unsigned long long)g->joined);
	else if (g->count > clusters)
		say(&t, ", %u groups", g->count);
	for (uint32_t i = 0, said = 0; i < g->count; i++)
		if (of[i] == i) {
			say(&t, said++ ? "; " : ": ");
			say_cluster(&t, g, of, i);
		}
	if (t.full && capacity >= 8) {
		memcpy(t.at + t.len, "...", 3);
		t.len += 3;
	}
	if (capacity)
		to[t.len] = 0;
	return t.len;
}
