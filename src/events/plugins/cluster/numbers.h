/* SPDX-License-Identifier: BSD-3-Clause */
/* LEB128 integers in messages between ranks. The writer continues to count when the buffer is full:
 * `len` is the required length. The reader returns only integers that are in the bytes and not
 * above their limit. */
#ifndef BOB_CLUSTER_NUMBERS_H
#define BOB_CLUSTER_NUMBERS_H

#include <string.h>

#include "base/varint.h"

struct output {
	uint8_t *at;
	size_t len, capacity;
};

static inline void put(struct output *o, uint64_t v)
{
	uint8_t one[BOB_VARINT_MAX];
	const size_t n = bob_varint_put(one, v);

	if (o->len <= o->capacity && n <= o->capacity - o->len)
		memcpy(o->at + o->len, one, n);
	o->len += n;
}

struct input {
	const uint8_t *at, *end;
	int bad;
};

static inline uint64_t get(struct input *in, uint64_t most)
{
	uint64_t v = 0;

	if (!in->bad)
		in->bad = bob_varint_get(&in->at, in->end, &v) != BOB_OK || v > most;
	return in->bad ? 0 : v;
}

#endif
