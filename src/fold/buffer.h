/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing byte buffers. Owner: the caller, bob_buffer_free. One thread. */
#ifndef BOB_FOLD_BUFFER_H
#define BOB_FOLD_BUFFER_H

#include <string.h>

#include "fold/arena.h"

struct bob_fold_bytes {
	const uint8_t *at;
	size_t len;
};

/* memcmp == 0; the pointers may be NULL if `len` is 0. */
static inline int bob_bytes_same(const void *a, const void *b, size_t len)
{
	return !len || !memcmp(a, b, len);
}

/* Empty if all is zero except `alloc`. */
struct bob_buffer {
	struct bob_alloc alloc;
	uint8_t *at;
	uint32_t len, capacity;
	int failed;		/* an allocation failed: the contents are incomplete */
};

void bob_buffer_put(struct bob_buffer *b, const void *bytes, size_t len);
void bob_buffer_varint(struct bob_buffer *b, uint64_t v);
void bob_buffer_signed(struct bob_buffer *b, uint64_t v);
void bob_buffer_free(struct bob_buffer *b);
/* Copies the contents to `blocks`. */
bob_status bob_buffer_keep(const struct bob_buffer *b, struct bob_blocks *blocks,
			   struct bob_fold_bytes *out);

#endif
