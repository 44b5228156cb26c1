/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash table of value sets by event, hook, phase and call path (sets.h), and the recorder's own
 * sets of numbers. */
#include "events/sets.h"

#include <stdlib.h>
#include <string.h>

#include "archive/events/value_numbers.h"
#include "base/hash.h"

/* --- numbers --- */

static void *numbers_create(void *ctx)
{
	(void)ctx;
	return calloc(1, sizeof(struct bob_value_numbers));
}

static int numbers_add(void *ctx, void *set, const union bob_datum *data)
{
	(void)ctx;
	bob_value_add(set, data->d);
	return 1;
}

static int numbers_merge(void *ctx, void *into, const void *from)
{
	(void)ctx;
	bob_value_unite(into, from);
	return 1;
}

static size_t numbers_pack(void *ctx, const void *set, void *to, size_t capacity)
{
	(void)ctx;
	return bob_value_pack(set, to, capacity);
}

static void *numbers_unpack(void *ctx, const void *bytes, size_t len)
{
	struct bob_value_numbers *n = numbers_create(ctx);

	if (n && bob_value_unpack(bytes, len, n) == BOB_OK)
		return n;
	free(n);
	return NULL;
}

static void numbers_destroy(void *ctx, void *set)
{
	(void)ctx;
	free(set);
}

const struct bob_value_set bob_ev_numbers = {
	.size = sizeof(bob_ev_numbers),
	.create = numbers_create,
	.add = numbers_add,
	.merge = numbers_merge,
	.pack = numbers_pack,
	.unpack = numbers_unpack,
	.destroy = numbers_destroy,
};

/* --- the table --- */

const struct bob_value_set *bob_ev_set_ops(const struct bob_ev_set *o)
{
	const struct bob_hook *h = bob_ev_hook(o->hook);

	return h->set ? h->set : &bob_ev_numbers;
}

void *bob_ev_set_ctx(const struct bob_ev_set *o)
{
	return bob_ev_hook(o->hook)->ctx;
}

/* Converts a path to the calls of a set; returns their number. */
static uint32_t calls_of(const struct bob_ev_path *path, struct bob_set_call *to)
{
	uint64_t folded[BOB_EVENT_DEPTH_MAX];
	const uint32_t depth = bob_event_fold_path(path->place, path->depth, folded);

	for (uint32_t i = 0; i < depth; i++) {
		const uint32_t image = (uint32_t)(folded[i] >> 48);
		const uint64_t key = i && image == folded[i - 1] >> 48 ?
					     to[i - 1].image :
					     bob_ev_agent->image_key(image);

		to[i].image = key ? key : BOB_SET_IMAGE_UNKNOWN;
		to[i].address = folded[i] & ((1ull << 48) - 1);
	}
	return depth;
}

static bool is_it(const struct bob_ev_set *o, const struct bob_ev_set *like)
{
	return o->hash == like->hash && o->hook == like->hook && o->phase == like->phase &&
	       o->depth == like->depth && !strcmp(o->event, like->event) &&
	       !(o->depth && memcmp(o->call, like->call, o->depth * sizeof(*o->call)));
}

/* Slot of the set with this key, or the free one for it. */
static uint16_t *find_slot(struct bob_ev_sets *s, const struct bob_ev_set *like)
{
	uint32_t at = like->hash % BOB_EV_SETS_SLOTS;

	while (s->slot[at] && !is_it(&s->one[s->slot[at] - 1], like))
		at = (at + 1) % BOB_EV_SETS_SLOTS;
	return &s->slot[at];
}

/* Creates an entry, with the set of `like` if it has one. */
static struct bob_ev_set *make(struct bob_ev_sets *s, const struct bob_ev_set *like, uint16_t *slot)
{
	struct bob_ev_set *o = &s->one[s->count];

	*o = *like;
	o->call = NULL;
	if (o->depth) {
		o->call = malloc(o->depth * sizeof(*o->call));
		if (!o->call)
			return NULL;
		memcpy(o->call, like->call, o->depth * sizeof(*o->call));
	}
	if (!o->set && !bob_ev_set_create(o)) {
		free(o->call);
		return NULL;
	}
	*slot = (uint16_t)++s->count;
	return o;
}

static uint32_t hash_of(const struct bob_ev_set *o)
{
	return (uint32_t)bob_hash64(bob_hash64(o->hook << 1 | o->phase, o->event, strlen(o->event)),
				    o->call, o->depth * sizeof(*o->call));
}

struct bob_ev_set *bob_ev_sets_look(struct bob_ev_sets *s, const struct bob_ev_set *like)
{
	struct bob_ev_set key = *like;
	uint16_t at;

	key.hash = hash_of(like);
	at = *find_slot(s, &key);
	return at ? &s->one[at - 1] : NULL;
}

bool bob_ev_sets_adopt(struct bob_ev_sets *s, const struct bob_ev_set *like)
{
	struct bob_ev_set key = *like;

	key.hash = hash_of(like);
	return s->count < BOB_EV_SETS_MAX && make(s, &key, find_slot(s, &key));
}

struct bob_ev_set *bob_ev_sets_find(struct bob_ev_sets *s, const char *event, uint32_t hook,
				    uint32_t phase, const struct bob_set_call *call, uint32_t depth)
{
	struct bob_ev_set like = { .hook = hook, .phase = phase, .depth = depth };
	const size_t len = strlen(event);
	uint16_t *slot;

	if (len >= sizeof(like.event))
		return NULL;
	memcpy(like.event, event, len);
	like.call = (struct bob_set_call *)(uintptr_t)(depth ? call : NULL);
	like.hash = hash_of(&like);
	slot = find_slot(s, &like);
	if (*slot)
		return &s->one[*slot - 1];
	return s->count < BOB_EV_SETS_MAX ? make(s, &like, slot) : NULL;
}

struct bob_ev_set *bob_ev_sets_find_place(struct bob_ev_sets *s, const char *event, uint32_t hook,
					  uint32_t phase, const struct bob_ev_path *path)
{
	const uint32_t hook_phase = hook << 1 | phase;
	const uint32_t at =
		(uint32_t)bob_hash_mix((uintptr_t)path->place ^ hook_phase) % BOB_EV_SETS_MEMO;
	struct bob_ev_set *o;

	if (s->memo[at].place == path->place && s->memo[at].hook_phase == hook_phase)
		return &s->one[s->memo[at].one];
	o = bob_ev_sets_find(s, event, hook, phase, s->call, calls_of(path, s->call));
	if (o) {
		s->memo[at].place = path->place;
		s->memo[at].hook_phase = hook_phase;
		s->memo[at].one = (uint32_t)(o - s->one);
	}
	return o;
}

void bob_ev_sets_empty(struct bob_ev_sets *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct bob_ev_set *o = &s->one[i];

		bob_ev_set_destroy(o);
		free(o->call);
	}
	s->count = 0;
	memset(s->slot, 0, sizeof(s->slot));
	memset(s->memo, 0, sizeof(s->memo));
}
