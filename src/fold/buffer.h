/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that grow. Owner: the caller, bob_buffer_free. One thread. */
#ifndef BOB_FOLD_BUFFER_H
#define BOB_FOLD_BUFFER_H

#include <string.h>

#include "fold/block.h"

struct bob_fold_bytes {
	const uint8_t *at;
	size_t len;
};

/* memcmp that lets bytes be nowhere if there are none. */
static inline int bob_bytes_same(const void *a, const void *b, size_t len)
{
	return !len || !memcmp(a, b, len);
}

/* Bytes that grow; zeroed but for `alloc` it is empty. */
struct bob_buffer {
	struct bob_alloc alloc;
	uint8_t *at;
	uint32_t len, capacity;
	int failed;		/* there was no memory: what is there is not all */
};

void bob_buffer_put(struct bob_buffer *b, const void *bytes, size_t len);
void bob_buffer_varint(struct bob_buffer *b, uint64_t v);
void bob_buffer_signed(struct bob_buffer *b, uint64_t v);
void bob_buffer_free(struct bob_buffer *b);
/* A copy in `blocks`. */
bob_status bob_buffer_keep(const struct bob_buffer *b, struct bob_blocks *blocks,
			   struct bob_fold_bytes *out);

#endif
