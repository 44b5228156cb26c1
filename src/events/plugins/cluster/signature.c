/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the signature of a folded trace: hashes of its leaves and loops, with their counts
 * (signature.h). */
#include "events/plugins/cluster/signature.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* --- features of a trace --- */

static uint64_t mix(uint64_t h, uint64_t with)
{
	h = (h ^ with) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Hash of the leaf's key and its call path, from the innermost call outwards. */
static uint64_t leaf_id(const struct bob_so_far *s, uint32_t shape)
{
	struct bob_fold_shape sh;
	struct bob_hook_leaf leaf;
	uint64_t h = 1, place;
	uint32_t path;

	if (!s->read->leaf(s, shape, &leaf) || leaf.part == BOB_PART_ELEMENT)
		return 0;
	s->read->shape(s->folded, shape, &sh);
	for (size_t i = 0; i < sh.key_len; i++)
		h = mix(h, sh.key[i]);
	for (path = sh.path; s->read->path(s->folded, path, &path, &place);)
		h = mix(h, s->read->common_place(place));
	return h ? h : 1;
}

/* 0: the loop has only elements of vectors. Loops refer only to earlier loops. */
static uint64_t loop_id(const struct bob_so_far *s, uint32_t loop, const uint64_t *leaves,
			const uint64_t *loops)
{
	uint32_t len;
	const uint32_t *body = s->read->body(s->folded, loop, &len);
	uint64_t h = 0;

	for (uint32_t i = 0; i < len; i++) {
		const uint64_t id = body[i] & 1 ? loops[body[i] / 2] : leaves[body[i] / 2];

		if (id)
			h = mix(h ? h : 2, id);
	}
	return h;
}

struct ids {
	uint32_t shapes, loops;
	uint64_t *id;		/* of all shapes, then of all loops */
	uint64_t *count;
	struct bob_cluster_feature *feature;
};

static void find_ids(const struct bob_so_far *s, const struct ids *k)
{
	for (uint32_t i = 0; i < k->shapes; i++)
		k->id[i] = leaf_id(s, i);
	for (uint32_t i = 0; i < k->loops; i++)
		k->id[k->shapes + i] = loop_id(s, i, k->id, k->id + k->shapes);
}

static int add_counts(const struct bob_so_far *s, const struct ids *k)
{
	const size_t all = (size_t)k->shapes + k->loops;

	for (uint32_t part = 0; part < s->read->parts(s->folded, 0); part++) {
		if (s->read->counts(s->folded, 0, part, k->count, k->count + k->shapes) != BOB_OK)
			return 0;
		for (size_t i = 0; i < all; i++) {
			k->feature[i].id = k->id[i];
			k->feature[i].count += k->id[i] ? k->count[i] : 0;
		}
	}
	return 1;
}

struct bob_cluster_signature *bob_cluster_signature_of(const struct bob_so_far *s)
{
	struct ids k = { .shapes = s->read->shapes(s->folded), .loops = s->read->loops(s->folded) };
	const size_t all = (size_t)k.shapes + k.loops;
	struct bob_cluster_signature *out = NULL;

	k.id = calloc(all + 1, sizeof(*k.id));
	k.count = calloc(all + 1, sizeof(*k.count));
	k.feature = calloc(all + 1, sizeof(*k.feature));
	if (k.id && k.count && k.feature) {
		find_ids(s, &k);
		if (add_counts(s, &k))
			out = bob_cluster_signature_make(k.feature, all);
	}
	free(k.id);
	free(k.count);
	free(k.feature);
	return out;
}

/* --- signatures --- */

BOB_COMPARE(by_id, struct bob_cluster_feature, BOB_UP(id))

struct bob_cluster_signature *bob_cluster_signature_make(struct bob_cluster_feature *feature,
							 size_t count)
{
	struct bob_cluster_signature *out;
	size_t n = 0, kept;

	if (count)
		qsort(feature, count, sizeof(*feature), by_id);
	for (size_t i = 0; i < count; i++) {
		if (!feature[i].count)
			continue;
		if (n && feature[n - 1].id == feature[i].id)
			feature[n - 1].count += feature[i].count;
		else
			feature[n++] = feature[i];
	}
	kept = n < BOB_CLUSTER_FEATURES ? n : BOB_CLUSTER_FEATURES;
	out = malloc(sizeof(*out) + kept * sizeof(*feature));
	if (!out)
		return NULL;
	out->features = (uint32_t)kept;
	out->cut = n > kept;
	if (kept)
		memcpy(out->feature, feature, kept * sizeof(*feature));
	return out;
}

int bob_cluster_is_equal(const struct bob_cluster_signature *a,
			 const struct bob_cluster_signature *b)
{
	return a->features == b->features && a->cut == b->cut &&
	       !memcmp(a->feature, b->feature, a->features * sizeof(*a->feature));
}

/* --- distance --- */

/* In units of 2^-32. */
static uint64_t weight(uint64_t n)
{
	const unsigned log = n ? 63u - (unsigned)__builtin_clzll(n) : 0;
	const uint64_t rest = n << (63 - log) << 1; /* without the highest bit */

	return n ? (1ull + log) << 32 | rest >> 32 : 0;
}

static uint64_t last_id(const struct bob_cluster_signature *s)
{
	return s->cut && s->features ? s->feature[s->features - 1].id : UINT64_MAX;
}

uint32_t bob_cluster_distance(const struct bob_cluster_signature *a,
			      const struct bob_cluster_signature *b)
{
	const uint64_t end = last_id(a) < last_id(b) ? last_id(a) : last_id(b);
	uint64_t apart = 0, all = 0, out;

	for (uint32_t i = 0, k = 0; i < a->features || k < b->features;) {
		const uint64_t of_a = i < a->features ? a->feature[i].id : UINT64_MAX;
		const uint64_t of_b = k < b->features ? b->feature[k].id : UINT64_MAX;
		const uint64_t id = of_a < of_b ? of_a : of_b;
		uint64_t x = 0, y = 0;

		if (id > end)
			break;
		if (i < a->features && of_a == id)
			x = weight(a->feature[i++].count);
		if (k < b->features && of_b == id)
			y = weight(b->feature[k++].count);
		apart += x > y ? x - y : y - x;
		all += x + y;
	}
	out = all ? (uint64_t)(((unsigned __int128)apart * BOB_CLUSTER_ONE) / all) : 0;
	return (uint32_t)(out || !apart ? out : 1);
}
