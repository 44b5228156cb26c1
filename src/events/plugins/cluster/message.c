/* SPDX-License-Identifier: BSD-3-Clause */
/* Coding of the message to all ranks after a comparison (message.h): writer, and reader of
 * untrusted bytes. */
#include "events/plugins/cluster/message.h"

#include <string.h>

#include "events/plugins/cluster/numbers.h"

#define VERSION 1u

/* --- to bytes --- */

/* Puts the runs, or with is_count only counts them. Returns their number. */
static uint32_t put_runs(struct output *o, const struct bob_cluster_groups *g, const uint32_t *of,
			 uint32_t medoid, int is_count)
{
	struct bob_cluster_run r;
	uint64_t from = 0, before = 0;
	uint32_t runs = 0;

	for (; bob_cluster_next_run(g, of, medoid, from, &r); runs++) {
		if (!is_count) {
			put(o, r.first - before);
			put(o, r.last - r.first);
		}
		before = r.last;
		from = before + 1;
	}
	return runs;
}

size_t bob_cluster_write(const struct bob_cluster_groups *g, uint32_t k, void *to, size_t capacity)
{
	uint32_t of[BOB_CLUSTER_GROUPS], clusters = 0;
	uint8_t is_said[BOB_CLUSTER_GROUPS] = { 0 };
	struct output o = { to, 0, to ? capacity : 0 };

	if (!bob_cluster_medoids(g, k, of))
		return 0;
	for (uint32_t i = 0; i < g->count; i++)
		clusters += of[i] == i;
	put(&o, VERSION);
	put(&o, g->comparison);
	put(&o, clusters);
	for (uint32_t i = 0; i < g->count;
	     i++) { /* groups are in the order of their smallest ranks */
		const uint32_t medoid = of[i];

		if (is_said[medoid]++)
			continue;
		put(&o, g->group[medoid].run[0].first);
		put(&o, put_runs(&o, g, of, medoid, 1));
		put_runs(&o, g, of, medoid, 0);
	}
	return o.len;
}

/* --- from bytes --- */

/* Reads one cluster: returns its number of ranks; *is_in: `rank` is one. */
static uint64_t get_runs(struct input *in, uint32_t rank, int *is_in)
{
	const uint64_t runs = get(in, (uint64_t)(in->end - in->at) / 2);
	uint64_t before = 0, ranks = 0;

	in->bad |= !runs;
	for (uint64_t i = 0; i < runs && !in->bad; i++) {
		const uint64_t first = before + get(in, UINT32_MAX - before);
		const uint64_t last = first + get(in, UINT32_MAX - first);

		in->bad |= i && first < before + 2; /* runs that touch would be one */
		*is_in |= first <= rank && rank <= last;
		ranks += last - first + 1;
		before = last;
	}
	return ranks;
}

int bob_cluster_read(const void *bytes, size_t len, uint32_t rank, struct bob_cluster *out)
{
	struct input in = { bytes, bytes, !bytes };
	uint64_t all = 0;
	int found = 0;

	memset(out, 0, sizeof(*out));
	in.end = bytes ? in.at + len : in.at;
	in.bad |= get(&in, VERSION) != VERSION;
	out->rank = rank;
	out->comparison = (uint32_t)get(&in, UINT32_MAX);
	out->clusters = (uint32_t)get(&in, BOB_CLUSTER_MOST);
	for (uint32_t i = 0; i < out->clusters && !in.bad; i++) {
		const uint32_t like = (uint32_t)get(&in, UINT32_MAX);
		int is_in = 0;
		const uint64_t members = get_runs(&in, rank, &is_in);

		all += members;
		if (!is_in)
			continue;
		in.bad |= found; /* a rank is in one cluster only */
		found = 1;
		out->cluster = i;
		out->like = like;
		out->members = (uint32_t)members;
	}
	out->ranks = (uint32_t)all;
	return found && !in.bad && in.at == in.end && all <= UINT32_MAX;
}
