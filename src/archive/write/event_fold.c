/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout of events as leaves and their keys; puts event records into a folder. Shared by writers
 * and readers. */
#include "archive/write/event_fold.h"

#include <string.h>

#define ELEMENT 255u
#define OPEN 64u

/* --- layouts and definitions --- */

int bob_event_is_layout(const struct bob_event_layout *l)
{
	if (l->words > BOB_FOLD_WORDS_MAX || l->vectors > BOB_EVENT_VECTORS_MAX)
		return 0;
	for (uint32_t i = 0; i < l->vectors; i++)
		if (l->vector[i].length >= l->words || l->vector[i].words > BOB_FOLD_WORDS_MAX)
			return 0;
	return 1;
}

uint64_t bob_event_padded(uint64_t bytes)
{
	return (bytes + 7) / 8;
}

bob_status bob_event_def_read(const uint64_t *value, size_t count, struct bob_event_def *def)
{
	uint64_t head = count ? value[0] : 0, keys;

	memset(def, 0, sizeof(*def));
	def->layout.words = (uint8_t)head;
	def->layout.vectors = (uint8_t)(head >> 8);
	def->key_len = (uint16_t)(head >> 16);
	def->depth = (uint32_t)(head >> 32);
	keys = bob_event_padded(def->key_len);
	if (!count || def->layout.vectors > BOB_EVENT_VECTORS_MAX ||
	    def->key_len > BOB_EVENT_KEY_MAX || def->depth > BOB_EVENT_DEPTH_MAX ||
	    count != 1 + def->layout.vectors + keys + def->depth)
		return BOB_ERR_CORRUPT;
	for (uint32_t i = 0; i < def->layout.vectors; i++) {
		def->layout.vector[i].length = (uint8_t)value[1 + i];
		def->layout.vector[i].words = (uint8_t)(value[1 + i] >> 8);
	}
	def->key = (const uint8_t *)(value + 1 + def->layout.vectors);
	def->place = value + 1 + def->layout.vectors + keys;
	return bob_event_is_layout(&def->layout) ? BOB_OK : BOB_ERR_CORRUPT;
}

uint64_t bob_event_length(const struct bob_event_layout *l, const uint64_t *word)
{
	uint64_t n = l->words;

	for (uint32_t i = 0; i < l->vectors; i++) {
		uint64_t count = bob_event_elements(l, i, word);
		uint32_t words = bob_event_element_words(l, i);

		if (count > (BOB_EVENT_LENGTH_MAX - n) / words)
			return 0;
		n += count * words;
	}
	return n;
}

/* --- folding --- */

static bob_status make_path(struct bob_folder *f, const struct bob_event_def *d, uint32_t *path)
{
	bob_status st = BOB_OK;

	*path = BOB_FOLD_NO_PATH;
	for (uint32_t i = 0; i < d->depth && st == BOB_OK; i++)
		st = bob_folder_path(f, *path, d->place[i], path);
	return st;
}

bob_status bob_event_shapes(struct bob_folder *f, const struct bob_event_def *d, int open,
			    uint32_t shape[1 + BOB_EVENT_VECTORS_MAX])
{
	uint8_t key[1 + 2 * BOB_EVENT_VECTORS_MAX + BOB_EVENT_KEY_MAX];
	const struct bob_event_layout *l = &d->layout;
	uint32_t path, len = 1;
	bob_status st = make_path(f, d, &path);

	if (st != BOB_OK)
		return st;
	key[0] = (uint8_t)(l->vectors | (open ? OPEN : 0));
	for (uint32_t i = 0; i < l->vectors; i++) {
		key[len++] = l->vector[i].length;
		key[len++] = l->vector[i].words;
	}
	memcpy(key + len, d->key, d->key_len);
	st = bob_folder_shape(f, key, len + d->key_len, path, l->words, &shape[0]);
	for (uint32_t i = 0; i < l->vectors && st == BOB_OK; i++) {
		const uint8_t words = (uint8_t)bob_event_element_words(l, i);
		const uint8_t element[3] = { ELEMENT, (uint8_t)i, words };

		st = bob_folder_shape(f, element, sizeof(element), path, words, &shape[1 + i]);
	}
	return st;
}

void bob_event_fold(struct bob_folder *f, const struct bob_event_layout *l, const uint32_t *shape,
		    const uint64_t *word)
{
	const uint64_t *element = word + l->words;

	bob_folder_put(f, shape[0], word);
	for (uint32_t i = 0; i < l->vectors; i++) {
		uint64_t n = bob_event_elements(l, i, word);

		if (n)
			bob_folder_put_row(f, shape[1 + i], NULL, NULL, 0, element, n);
		element += n * bob_event_element_words(l, i);
	}
}

uint32_t bob_event_fold_path(const uint64_t *place, uint32_t depth, uint64_t *to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < depth; i++) {
		uint32_t k = 0;

		while (k < n && to[k] != place[i])
			k++;
		if (k == n)
			to[n++] = place[i];
		n = k + 1;
	}
	return n;
}

/* --- keys of leaves --- */

bob_status bob_event_leaf_key(const uint8_t *key, size_t len, uint32_t words,
			      struct bob_event_def *def)
{
	struct bob_event_layout *l = &def->layout;

	memset(def, 0, sizeof(*def));
	if (len && key[0] == ELEMENT)
		return BOB_NONE;
	if (!len || (key[0] & ~OPEN) > BOB_EVENT_VECTORS_MAX || len < 1 + 2u * (key[0] & ~OPEN))
		return BOB_ERR_CORRUPT;
	l->words = (uint8_t)words;
	l->vectors = (uint8_t)(key[0] & ~OPEN);
	def->open = (key[0] & OPEN) != 0;
	for (uint32_t i = 0; i < l->vectors; i++) {
		l->vector[i].length = key[1 + 2 * i];
		l->vector[i].words = key[2 + 2 * i];
	}
	def->key = key + 1 + 2 * l->vectors;
	def->key_len = (uint32_t)len - 1 - 2 * l->vectors;
	return words <= BOB_FOLD_WORDS_MAX && bob_event_is_layout(l) ? BOB_OK : BOB_ERR_CORRUPT;
}

int bob_event_is_element(const uint8_t *key, size_t len, uint32_t vector, uint32_t words)
{
	return len == 3 && key[0] == ELEMENT && key[1] == vector && key[2] == words;
}
