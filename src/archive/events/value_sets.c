/* SPDX-License-Identifier: BSD-3-Clause */
#include "archive/events/value_sets.h"

#include <string.h>

#include "base/assert.h"
#include "base/varint.h"

BOB_STATIC_ASSERT(sizeof(struct bob_sets_head) == 16, "bytes of a file");

struct input {
	const uint8_t *at, *end;
	int bad;
};

static uint64_t get(struct input *in)
{
	uint64_t v = 0;

	in->bad |= bob_varint_get(&in->at, in->end, &v) != BOB_OK;
	return in->bad ? 0 : v;
}

static const uint8_t *get_bytes(struct input *in, size_t *len)
{
	const uint64_t n = get(in);
	const uint8_t *bytes = in->at;

	in->bad |= n > (size_t)(in->end - in->at);
	*len = in->bad ? 0 : (size_t)n;
	in->at += *len;
	return bytes;
}

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

static void get_path(struct input *in, struct bob_set *s)
{
	const uint64_t depth = get(in);

	s->path = in->at;
	in->bad |= !depth || depth > BOB_SET_DEPTH_MAX;
	for (uint64_t i = 0; i < depth && !in->bad; i++) {
		in->bad |= !get(in) && !i;
		get(in);
	}
	s->depth = in->bad ? 0 : (uint32_t)depth;
	s->path_len = in->bad ? 0 : (size_t)(in->at - s->path);
}

void bob_set_calls(const struct bob_set *s, struct bob_set_call *to)
{
	struct input in = { s->path, s->path_len ? s->path + s->path_len : s->path, 0 };

	for (uint32_t i = 0; i < s->depth; i++) {
		const uint64_t image = get(&in);

		to[i].image = image || !i ? image : to[i - 1].image;
		to[i].address = get(&in);
	}
}

/* --- sets --- */

bob_status bob_set_next(const uint8_t **at, const uint8_t *end, struct bob_set *s)
{
	struct input in = { *at, end, 0 };
	uint64_t phase, kind;

	if (*at == end)
		return BOB_END;
	s->hook = get_bytes(&in, &s->hook_len);
	s->event = get_bytes(&in, &s->event_len);
	phase = get(&in);
	s->path = NULL;
	s->path_len = s->depth = 0;
	if (phase & 2)
		get_path(&in, s);
	kind = get(&in);
	s->bytes = get_bytes(&in, &s->len);
	s->text = get_bytes(&in, &s->text_len);
	if (in.bad || phase > 3 || kind >= BOB_SET_KINDS)
		return BOB_ERR_CORRUPT;
	s->phase = (uint32_t)phase & 1;
	s->kind = (uint32_t)kind;
	*at = in.at;
	return BOB_OK;
}
