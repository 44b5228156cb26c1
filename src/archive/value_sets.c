/* SPDX-License-Identifier: BSD-3-Clause */
#include "archive/value_sets.h"

#include "base/varint.h"

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

bob_status bob_set_next(const uint8_t **at, const uint8_t *end, struct bob_set *s)
{
	struct input in = { *at, end, 0 };
	uint64_t phase, kind;

	if (*at == end)
		return BOB_END;
	s->hook = get_bytes(&in, &s->hook_len);
	s->event = get_bytes(&in, &s->event_len);
	phase = get(&in);
	kind = get(&in);
	s->bytes = get_bytes(&in, &s->len);
	s->text = get_bytes(&in, &s->text_len);
	if (in.bad || phase > 1 || kind >= BOB_SET_KINDS)
		return BOB_ERR_CORRUPT;
	s->phase = (uint32_t)phase;
	s->kind = (uint32_t)kind;
	*at = in.at;
	return BOB_OK;
}
