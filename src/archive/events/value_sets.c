/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of value sets of version 1, which ranks also exchange, and coding of their call paths. */
#include "archive/events/value_sets.h"

#include <string.h>

#include "base/assert.h"
#include "base/reader.h"

BOB_STATIC_ASSERT(sizeof(struct bob_sets_head) == 16, "bytes of a file");

bob_status bob_sets_open(const uint8_t **at, const uint8_t *end, const uint8_t **names,
			 uint32_t *count, uint64_t *times)
{
	const uint8_t *p = *at;
	struct bob_sets_head h;

	*names = NULL;
	*count = 0;
	*times = 0;
	if (p == end)
		return BOB_ERR_CORRUPT;
	if (*p == BOB_SETS_ALONE) {
		++*at;
		return BOB_OK;
	}
	if ((size_t)(end - p) < sizeof(h))
		return BOB_ERR_CORRUPT;
	memcpy(&h, p, sizeof(h));
	p += sizeof(h);
	if (h.version != BOB_SETS_NAMED || !h.names || h.names > (size_t)(end - p) / 8)
		return BOB_ERR_CORRUPT;
	*names = p;
	*count = h.names;
	*times = h.times;
	*at = p + 8ull * h.names;
	return BOB_OK;
}

/* --- paths --- */

size_t bob_set_put_calls(uint8_t *to, const struct bob_set_call *call, uint32_t depth)
{
	size_t n = bob_varint_put(to, depth);

	for (uint32_t i = 0; i < depth; i++) {
		const int same = i && call[i].image == call[i - 1].image;

		n += bob_varint_put(to + n, same ? 0 : call[i].image);
		n += bob_varint_put(to + n, call[i].address);
	}
	return n;
}

static void get_path(struct bob_reader *in, struct bob_set *s)
{
	const uint64_t depth = bob_reader_varint(in);

	s->path = in->at;
	in->bad |= !depth || depth > BOB_SET_DEPTH_MAX;
	for (uint64_t i = 0; i < depth && !in->bad; i++) {
		in->bad |= !bob_reader_varint(in) && !i;
		bob_reader_varint(in);
	}
	s->depth = in->bad ? 0 : (uint32_t)depth;
	s->path_len = in->bad ? 0 : (size_t)(in->at - s->path);
}

void bob_set_calls(const struct bob_set *s, struct bob_set_call *to)
{
	struct bob_reader in = bob_reader_of(s->path, s->path_len);

	if (s->call) {
		memcpy(to, s->call, s->depth * sizeof(*to));
		return;
	}
	for (uint32_t i = 0; i < s->depth; i++) {
		const uint64_t image = bob_reader_varint(&in);

		to[i].image = image || !i ? image : to[i - 1].image;
		to[i].address = bob_reader_varint(&in);
	}
}

/* --- sets --- */

bob_status bob_set_next(const uint8_t **at, const uint8_t *end, struct bob_set *s)
{
	struct bob_reader in = { *at, end, 0 };
	uint64_t phase, kind;

	if (*at == end)
		return BOB_END;
	s->hook = bob_reader_text(&in, &s->hook_len);
	s->event = bob_reader_text(&in, &s->event_len);
	phase = bob_reader_varint(&in);
	s->path = NULL;
	s->call = NULL;
	s->path_len = s->depth = 0;
	if (phase & 2)
		get_path(&in, s);
	kind = bob_reader_varint(&in);
	s->bytes = bob_reader_text(&in, &s->len);
	s->text = bob_reader_text(&in, &s->text_len);
	if (in.bad || phase > 3 || kind >= BOB_SET_KINDS)
		return BOB_ERR_CORRUPT;
	s->phase = (uint32_t)phase & 1;
	s->kind = (uint32_t)kind;
	*at = in.at;
	return BOB_OK;
}
