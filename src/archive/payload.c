/* SPDX-License-Identifier: BSD-3-Clause */
/* Payloads of chunks that may be compressed (zstd): those of merged traces, which host-side
 * programs write and read. */
#include <stdlib.h>
#include <zstd.h>

#include "archive/merge/merging.h"

/* Bounds the expansion of compressed bytes, so that memory stays proportional to the file's
 * size. */
#define ALWAYS_BYTES (64ull << 10)
#define TIMES 1000u
/* Measured on merged traces of the benchmark: up to this size the higher level takes 200 ns per
 * byte and saves 3 %; beyond it saves 0.3 %. Below level 9 the window is too small to find what
 * ranks have in common (12 % more for 1 MB, 60 % for 6 MB). */
#define FINE_BYTES (16u << 10)
#define FINE_LEVEL 15
#define LEVEL 9
/* For names of images, packed at the end of each run: a start of python3 takes 5 ms more, and 16 ms
 * with level 9; the trace of a run of sqlite3 is 1 % larger (89.8 kB, 88.7). */
#define QUICK_LEVEL 3

static int is_likely(uint64_t size, uint64_t packed)
{
	return size <= ALWAYS_BYTES || size / TIMES <= packed;
}

bob_status bob_payload_read(const struct bob_file *f, const struct bob_chunk_ref *c,
			    struct bob_payload *p)
{
	unsigned long long size;

	*p = (struct bob_payload){ .at = f->bytes + c->off, .len = bob_chunk_len(c) };
	if (!(c->head.flags & BOB_CHUNK_ZSTD))
		return BOB_OK;
	size = ZSTD_getFrameContentSize(p->at, p->len);
	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
	    !is_likely(size, p->len))
		return BOB_ERR_CORRUPT;
	p->owned = malloc(size + 1);
	if (!p->owned)
		return BOB_ERR_NOMEM;
	p->len = ZSTD_decompress(p->owned, size, p->at, p->len);
	p->at = p->owned;
	if (!ZSTD_isError(p->len))
		return BOB_OK;
	bob_payload_close(p);
	return BOB_ERR_CORRUPT;
}

bob_status bob_payload_open(struct bob_trace *t, const struct bob_file *f,
			    const struct bob_chunk_ref *c, struct bob_payload *p)
{
	bob_status st = bob_payload_read(f, c, p);

	if (!bob_chunk_crc_ok(f, c))
		bob_problem_add(t, f, c->off, "the checksum of a chunk does not match", 1);
	if (st != BOB_ERR_CORRUPT)
		return st;
	bob_problem_add(t, f, c->off, "a chunk cannot be decompressed", 1);
	return BOB_NONE;
}

void bob_payload_close(struct bob_payload *p)
{
	free(p->owned);
	p->owned = NULL;
}

static bob_status pack(const void *bytes, uint64_t len, int level, struct bob_payload *p)
{
	size_t capacity = ZSTD_compressBound(len);

	*p = (struct bob_payload){ .owned = malloc(capacity) };
	if (!p->owned)
		return BOB_ERR_NOMEM;
	p->at = p->owned;
	p->len = ZSTD_compress(p->owned, capacity, bytes, len, level);
	if (!ZSTD_isError(p->len) && p->len < len && is_likely(len, p->len))
		return BOB_OK;
	bob_payload_close(p);
	return BOB_NONE;
}

bob_status bob_payload_pack(const void *bytes, uint64_t len, struct bob_payload *p)
{
	return pack(bytes, len, len <= FINE_BYTES ? FINE_LEVEL : LEVEL, p);
}

bob_status bob_payload_pack_quickly(const void *bytes, uint64_t len, struct bob_payload *p)
{
	return pack(bytes, len, QUICK_LEVEL, p);
}
