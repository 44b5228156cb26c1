/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing byte buffer. A failed allocation sets `failed`, so that writers check once at the end. */
#include "fold/buffer.h"

#include "base/varint.h"

void bob_buffer_put(struct bob_buffer *b, const void *bytes, size_t len)
{
	if (!len)
		return;
	if (!b->failed && (len <= b->capacity - b->len ||
			   bob_array_grow(&b->alloc, &b->at, &b->capacity, b->len, len, 1))) {
		memcpy(b->at + b->len, bytes, len);
		b->len += (uint32_t)len;
	} else {
		b->failed = 1;
	}
}

void bob_buffer_varint(struct bob_buffer *b, uint64_t v)
{
	uint8_t bytes[BOB_VARINT_MAX];

	if (b->capacity - b->len >= BOB_VARINT_MAX) /* fast path */
		b->len += (uint32_t)bob_varint_put(b->at + b->len, v);
	else
		bob_buffer_put(b, bytes, bob_varint_put(bytes, v));
}

void bob_buffer_signed(struct bob_buffer *b, uint64_t v)
{
	bob_buffer_varint(b, bob_zigzag((int64_t)v));
}

void bob_buffer_free(struct bob_buffer *b)
{
	bob_array_free(&b->alloc, b->at, b->capacity, 1);
	b->at = NULL;
	b->len = b->capacity = 0;
}

bob_status bob_buffer_keep(const struct bob_buffer *b, struct bob_blocks *blocks,
			   struct bob_fold_bytes *out)
{
	uint8_t *copy = b->failed ? NULL : bob_blocks_get(blocks, b->len);

	if (!copy)
		return BOB_ERR_NOMEM;
	if (b->len)
		memcpy(copy, b->at, b->len);
	*out = (struct bob_fold_bytes){ copy, b->len };
	return BOB_OK;
}
