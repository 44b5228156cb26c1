/* SPDX-License-Identifier: BSD-3-Clause */
/* Directory of the lines that the program accessed. A page has 64 lines (one core: a word of bits)
 * or 16 (a block of line_info). Pages are in a hash table; the most recent one is cached. */
#include <stdlib.h>

#include "analysis/cache/model.h"
#include "base/hash.h"

#define CAPACITY_FIRST 256u

static int count_bytes(struct bob_cache *c, uint64_t bytes)
{
	if (c->status != BOB_OK)
		return 0;
	if (bytes > c->dir.bytes_max - c->dir.bytes) {
		c->status = BOB_ERR_FULL;
		return 0;
	}
	c->dir.bytes += bytes;
	return 1;
}

static uint64_t slot_of(const struct directory *d, uint64_t key)
{
	uint64_t s = bob_hash_mix(key) & (d->capacity - 1);

	while (d->key[s] && d->key[s] != key)
		s = (s + 1) & (d->capacity - 1);
	return s;
}

static int grow(struct bob_cache *c)
{
	struct directory *d = &c->dir;
	struct directory bigger = { .capacity = d->capacity * 2 };

	if (!count_bytes(c, d->capacity * 16))
		return 0;
	bigger.key = calloc(bigger.capacity, sizeof(*bigger.key));
	bigger.value = calloc(bigger.capacity, sizeof(*bigger.value));
	if (!bigger.key || !bigger.value) {
		free(bigger.key);
		free(bigger.value);
		c->status = BOB_ERR_NOMEM;
		return 0;
	}
	for (uint64_t i = 0; i < d->capacity; i++) {
		uint64_t s;

		if (!d->key[i])
			continue;
		s = slot_of(&bigger, d->key[i]);
		bigger.key[s] = d->key[i];
		bigger.value[s] = d->value[i];
	}
	free(d->key);
	free(d->value);
	d->key = bigger.key;
	d->value = bigger.value;
	d->capacity = bigger.capacity;
	d->last_key = 0;
	return 1;
}

/* Slot of a page, created if new. */
static uint64_t *page(struct bob_cache *c, uint64_t key)
{
	struct directory *d = &c->dir;
	uint64_t s;

	if (d->last_key == key)
		return &d->value[d->last_slot];
	s = slot_of(d, key);
	if (!d->key[s]) {
		if (d->pages >= d->capacity / 2) {
			if (!grow(c))
				return NULL;
			s = slot_of(d, key);
		}
		d->key[s] = key;
		d->pages++;
	}
	d->last_key = key;
	d->last_slot = s;
	return &d->value[s];
}

int bob_cache_touch_first(struct bob_cache *c, uint64_t line)
{
	uint64_t *bits = page(c, (line >> 6) + 1), bit = 1ull << (line & 63);

	if (!bits || *bits & bit)
		return 0;
	*bits |= bit;
	return 1;
}

static uint64_t add_block(struct bob_cache *c)
{
	struct directory *d = &c->dir;
	struct line_info *block;

	if (!count_bytes(c, BLOCK_LINES * sizeof(*block)))
		return 0;
	if (d->blocks == d->block_capacity) {
		uint64_t capacity = d->block_capacity ? d->block_capacity * 2 : CAPACITY_FIRST;
		struct line_info **all = realloc(d->block, capacity * sizeof(*all));

		if (!all) {
			c->status = BOB_ERR_NOMEM;
			return 0;
		}
		d->block = all;
		d->block_capacity = capacity;
	}
	block = calloc(BLOCK_LINES, sizeof(*block));
	if (!block) {
		c->status = BOB_ERR_NOMEM;
		return 0;
	}
	d->block[d->blocks] = block;
	return d->blocks++;
}

struct line_info *bob_cache_line(struct bob_cache *c, uint64_t line)
{
	uint64_t *index = page(c, line / BLOCK_LINES + 1);

	if (!index)
		return NULL;
	if (!*index) {
		*index = add_block(c);
		if (!*index)
			return NULL;
	}
	return &c->dir.block[*index][line % BLOCK_LINES];
}

struct line_info *bob_cache_line_known(const struct bob_cache *c, uint64_t line)
{
	const struct directory *d = &c->dir;
	uint64_t key = line / BLOCK_LINES + 1, s = slot_of(d, key);

	if (!d->key[s] || !d->value[s])
		return NULL;
	return &d->block[d->value[s]][line % BLOCK_LINES];
}

struct line_user *bob_cache_user(const struct bob_cache *c, const struct line_info *e,
				 uint32_t core)
{
	for (uint32_t u = e->users; u; u = c->dir.user[u].next)
		if (c->dir.user[u].core == core)
			return &c->dir.user[u];
	return NULL;
}

/* Inserts a user. Users are sorted by core, so that results need no sorting. */
struct line_user *bob_cache_user_add(struct bob_cache *c, struct line_info *e, uint32_t core)
{
	struct directory *d = &c->dir;
	uint32_t *link = &e->users;

	if (d->users == d->user_capacity) {
		uint32_t capacity = d->user_capacity ? d->user_capacity * 2 : CAPACITY_FIRST;
		struct line_user *all;

		if (!count_bytes(c, (uint64_t)(capacity - d->user_capacity) * sizeof(*all)))
			return NULL;
		all = capacity ? realloc(d->user, capacity * sizeof(*all)) : NULL;
		if (!all) {
			c->status = BOB_ERR_NOMEM;
			return NULL;
		}
		d->user = all;
		d->user_capacity = capacity;
	}
	while (*link && d->user[*link].core < core)
		link = &d->user[*link].next;
	d->user[d->users] = (struct line_user){ .core = core, .next = *link };
	*link = d->users;
	return &d->user[d->users++];
}

bob_status bob_cache_directory_init(struct bob_cache *c, uint64_t bytes_max)
{
	struct directory *d = &c->dir;

	d->capacity = CAPACITY_FIRST;
	d->bytes_max = bytes_max;
	d->blocks = 1;
	d->users = 1;
	d->user_capacity = CAPACITY_FIRST;
	d->block_capacity = CAPACITY_FIRST;
	d->key = calloc(d->capacity, sizeof(*d->key));
	d->value = calloc(d->capacity, sizeof(*d->value));
	d->user = calloc(d->user_capacity, sizeof(*d->user));
	d->block = calloc(d->block_capacity, sizeof(struct line_info *));
	if (!d->key || !d->value || !d->user || !d->block)
		return BOB_ERR_NOMEM;
	return BOB_OK;
}

void bob_cache_directory_fini(struct directory *d)
{
	for (uint64_t i = 1; d->block && i < d->blocks; i++)
		free(d->block[i]);
	free(d->block);
	free(d->user);
	free(d->key);
	free(d->value);
}
