/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing byte buffer: reserving (by doubling) and appending. */
#include "base/host/bytes.h"

#include "base/host/vec.h"
#include "base/varint.h"

uint8_t *bob_bytes_reserve(struct bob_bytes *b, size_t more)
{
	b->failed = b->failed || bob_vec_reserve(&b->at, b->len, &b->cap, 1, more) != BOB_OK;
	return b->failed ? NULL : b->at + b->len;
}

void bob_bytes_add(struct bob_bytes *b, const void *bytes, size_t len)
{
	uint8_t *to = len ? bob_bytes_reserve(b, len) : NULL;

	if (!to)
		return;
	memcpy(to, bytes, len);
	b->len += len;
}

void bob_bytes_take(void *ctx, const void *bytes, size_t len)
{
	bob_bytes_add(ctx, bytes, len);
}

void bob_bytes_free(struct bob_bytes *b)
{
	free(b->at);
	*b = (struct bob_bytes){ 0 };
}
