/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing buffers for the values and the path of an event. */
#include "archive/events/event_values.h"

#include <stdlib.h>
#include <string.h>

#include "archive/reader.h"

int bob_event_values_add(struct bob_event_values *v, const uint64_t *value, uint64_t count)
{
	if (BOB_VEC_RESERVE(v, count))
		return 0;
	if (count)
		memcpy(v->at + v->count, value, count * sizeof(*value));
	v->count += count;
	return 1;
}

void bob_event_values_free(struct bob_event_values *v)
{
	BOB_VEC_FREE(v);
}

int bob_event_values_path(struct bob_event_values *v, const struct bob_folded *f, uint32_t path)
{
	uint64_t place;

	v->count = 0;
	while (path != BOB_FOLD_NO_PATH) {
		if (!bob_folded_path(f, path, &path, &place) || !bob_event_values_add(v, &place, 1))
			return 0;
	}
	for (size_t i = 0; i < v->count / 2; i++) {
		uint64_t x = v->at[i];

		v->at[i] = v->at[v->count - 1 - i];
		v->at[v->count - 1 - i] = x;
	}
	return 1;
}

void bob_event_lay_out(const struct bob_event_values *v, const struct bob_event_def *d,
		       struct bob_value_event *e)
{
	size_t at = d->layout.words;

	e->key = d->key;
	e->key_len = d->key_len;
	e->word = v->at;
	e->words = d->layout.words;
	e->vectors = d->layout.vectors;
	for (uint32_t i = 0; i < e->vectors; i++) {
		uint64_t n = bob_event_elements(&d->layout, i, e->word);
		uint32_t words = bob_event_element_words(&d->layout, i);

		if (n > (v->count - at) / words)
			n = (v->count - at) / words;
		e->vector[i] = (struct bob_value_vector){ v->at + at, n, words };
		at += n * words;
	}
}
