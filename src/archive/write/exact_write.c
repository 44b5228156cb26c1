/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of times: appends LEB128 values to an open EXACT chunk, and opens the next one when it is
 * full. */
#include "archive/write/exact_write.h"

#include <string.h>

#include "base/varint.h"

#define FIRST_BYTES (4096u - sizeof(struct bob_chunk_head))
#define MOST_BYTES ((256u << 10) - sizeof(struct bob_chunk_head))

void bob_exact_begin(struct bob_exact *x, bob_fold_chunk_fn chunk, void *ctx, uint32_t stream)
{
	*x = (struct bob_exact){ .chunk = chunk, .ctx = ctx, .stream = stream };
}

static bob_status next_chunk(struct bob_exact *x)
{
	uint64_t bytes = x->newest ?
				 2 * (x->newest->size + sizeof(*x->newest)) - sizeof(*x->newest) :
				 FIRST_BYTES,
		 off;
	struct bob_chunk_head *c = x->chunk(x->ctx, BOB_CHUNK_EXACT, x->stream,
					    bytes < MOST_BYTES ? bytes : MOST_BYTES, x->values,
					    &off);

	if (!c)
		return BOB_ERR_FULL;
	memcpy(bob_chunk_data(c), &x->now_ns, sizeof(x->now_ns));
	bob_chunk_set_len(c, sizeof(x->now_ns));
	x->newest = c;
	return BOB_OK;
}

/* Hot path: a varint and a store. */
bob_status bob_exact_put(struct bob_exact *x, uint64_t at_ns)
{
	struct bob_chunk_head *c = x->newest;
	size_t n;

	if (__builtin_expect(!c || c->size - c->len < BOB_VARINT_MAX, 0)) {
		if (!x->values)
			x->now_ns = at_ns;
		if (next_chunk(x) != BOB_OK)
			return BOB_ERR_FULL;
		c = x->newest;
	}
	n = bob_varint_put((uint8_t *)bob_chunk_data(c) + c->len, at_ns - x->now_ns);
	bob_chunk_set_len(c, c->len + n);
	x->now_ns = at_ns;
	x->values++;
	return BOB_OK;
}
