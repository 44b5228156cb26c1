/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a trace directory in one block of bytes, which is the input of fuzz_trace.c, and
 * a file taken apart into its chunks, compressed ones unpacked. Putting a file together again
 * makes its sizes and checksums right.
 *
 * A blob has for each file: u32 number of bytes that follow the name, 60 bytes of name (zero
 * padded), these bytes: the first 256 bytes of the file head, whose other bytes are zero, then
 * what follows the head. tests/fuzz/trace_corpus.py packs a directory and unpacks a blob.
 *
 * Owner: the caller (parts_free). Memory that cannot be had ends the program. Threads: one. */
#ifndef BOB_TESTS_TRACE_BLOB_H
#define BOB_TESTS_TRACE_BLOB_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "archive/format.h"
#include "archive/write/write.h"
#include "base/crc.h"

#define BLOB_FILES_MAX 16u
#define BLOB_NAME_BYTES 60u
#define BLOB_HEAD_BYTES 256u /* of the file head that a blob holds */
#define CHUNKS_MAX 256u
#define PLAIN_MAX (1u << 20) /* bytes of a chunk or of a file that are looked at */

struct bytes {
	uint8_t *at;
	size_t len;
};

struct blob_file {
	char name[BLOB_NAME_BYTES + 1];
	struct bytes file; /* whole */
};

static inline void *must_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

static inline struct bytes bytes_copy(const void *from, size_t len)
{
	struct bytes b = { must_alloc(len), len };

	if (len)
		memcpy(b.at, from, len);
	return b;
}

/* Where the chunks of a file begin, whatever its head says. */
static inline size_t head_bytes_of(const uint8_t *file, size_t len)
{
	struct bob_file_head h;

	if (len < sizeof(h))
		return BOB_FILE_HEAD_BYTES;
	memcpy(&h, file, sizeof(h));
	return bob_head_bytes_ok(h.head_bytes) ? h.head_bytes : BOB_FILE_HEAD_BYTES;
}

/* The old bytes become part of the new ones, which are `len`, zero after the old ones. */
static inline void bytes_resize(struct bytes *b, size_t len)
{
	uint8_t *at = must_alloc(len);

	if (b->len && len)
		memcpy(at, b->at, b->len < len ? b->len : len);
	free(b->at);
	*b = (struct bytes){ at, len };
}

/* --- blobs --- */

/* The files of a blob; each is a block of exactly its size. Ends at the first that is cut off;
 * `*used` bytes come before. */
static inline size_t blob_read(const uint8_t *data, size_t size, struct blob_file *files,
			       size_t *used)
{
	size_t n = 0;

	*used = 0;

	while (n < BLOB_FILES_MAX && size > sizeof(uint32_t) + BLOB_NAME_BYTES) {
		struct blob_file *f = &files[n];
		const uint8_t *bytes = data + sizeof(uint32_t) + BLOB_NAME_BYTES;
		uint32_t len, head;

		memcpy(&len, data, sizeof(len));
		size -= sizeof(uint32_t) + BLOB_NAME_BYTES;
		if (len > size || len > PLAIN_MAX)
			break;
		memcpy(f->name, data + sizeof(len), BLOB_NAME_BYTES);
		f->name[BLOB_NAME_BYTES] = 0;
		head = len < BLOB_HEAD_BYTES ? len : BLOB_HEAD_BYTES;
		f->file = bytes_copy(bytes, head);
		if (len > BLOB_HEAD_BYTES) {
			size_t chunks = head_bytes_of(bytes, head);

			bytes_resize(&f->file, chunks + len - head);
			memcpy(f->file.at + chunks, bytes + head, len - head);
		}
		data = bytes + len;
		size -= len;
		*used += sizeof(uint32_t) + BLOB_NAME_BYTES + len;
		n++;
	}
	return n;
}

static inline void blob_free(struct blob_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(files[i].file.at);
}

/* Returns the bytes written; 0: they do not fit. */
static inline size_t blob_write(const struct blob_file *files, size_t n, uint8_t *to,
				size_t capacity)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const struct bytes *f = &files[i].file;
		size_t head = f->len < BLOB_HEAD_BYTES ? f->len : BLOB_HEAD_BYTES;
		size_t chunks = head_bytes_of(f->at, f->len);
		size_t rest = f->len > chunks ? f->len - chunks : 0;
		uint32_t len = (uint32_t)(head + rest);

		if (capacity - at < sizeof(len) + BLOB_NAME_BYTES + len)
			return 0;
		memcpy(to + at, &len, sizeof(len));
		memcpy(to + at + sizeof(len), files[i].name, BLOB_NAME_BYTES);
		at += sizeof(len) + BLOB_NAME_BYTES;
		memcpy(to + at, f->at, head);
		if (rest)
			memcpy(to + at + head, f->at + chunks, rest);
		at += len;
	}
	return at;
}

/* --- a file in parts --- */

struct part {
	struct bob_chunk_head head;
	struct bytes plain; /* its payload, unpacked; of an open chunk all of its space */
	uint64_t off;	    /* where its head was in the file */
};

struct parts {
	struct bytes head;
	struct part part[CHUNKS_MAX];
	size_t count;
	int used_up; /* `used` of the head is the end of the file */
};

static inline void part_take(struct part *p, const uint8_t *payload, uint64_t size)
{
	const uint64_t len = p->head.len < size ? p->head.len : size;
	unsigned long long plain;

	if (p->head.flags & BOB_CHUNK_ZSTD) {
		plain = ZSTD_getFrameContentSize(payload, len);
		if (plain <= PLAIN_MAX) {
			p->plain = (struct bytes){ must_alloc(plain), plain };
			if (!ZSTD_isError(ZSTD_decompress(p->plain.at, plain, payload, len)))
				return;
			free(p->plain.at);
		}
		p->head.flags &= (uint16_t)~BOB_CHUNK_ZSTD;
	}
	p->plain = bytes_copy(payload, p->head.flags & BOB_CHUNK_SEALED ? len : size);
}

/* Ends at the first chunk whose head is invalid; the rest of the file is dropped. */
static inline void parts_read(const struct bytes *file, struct parts *to)
{
	size_t at = head_bytes_of(file->at, file->len);
	struct bob_file_head h = { 0 };

	to->count = 0;
	to->head = bytes_copy(file->at, file->len < at ? file->len : at);
	bytes_resize(&to->head, at);
	memcpy(&h, to->head.at, sizeof(h));
	to->used_up = h.used == file->len;
	while (to->count < CHUNKS_MAX && at < file->len &&
	       file->len - at >= sizeof(struct bob_chunk_head)) {
		struct part *p = &to->part[to->count];
		uint64_t left = file->len - at - sizeof(p->head);

		memcpy(&p->head, file->at + at, sizeof(p->head));
		if (p->head.magic != BOB_CHUNK_MAGIC)
			break;
		p->off = at;
		part_take(p, file->at + at + sizeof(p->head),
			  p->head.size < left ? p->head.size : left);
		to->count++;
		if (p->head.size >= left)
			break;
		at += bob_chunk_bytes(p->head.size);
	}
}

static inline void parts_free(struct parts *p)
{
	free(p->head.at);
	for (size_t i = 0; i < p->count; i++)
		free(p->part[i].plain.at);
}

/* --- checksums inside payloads --- */

static inline void mend_rest(struct bytes *b)
{
	struct bob_fold_rest r;
	uint64_t capacity;

	if (b->len < sizeof(r))
		return;
	memcpy(&r, b->at, sizeof(r));
	capacity = b->len - sizeof(r);
	if (r.rest_bytes > capacity || r.state_bytes > capacity - r.rest_bytes)
		return;
	r.crc = 0;
	r.crc = bob_crc32c(bob_crc32c(0, &r, sizeof(r)), b->at + sizeof(r),
			   r.rest_bytes + r.state_bytes);
	memcpy(b->at, &r, sizeof(r));
}

/* Heads of blocks: of their own, and of the bytes before them where these lie in the same chunk,
 * which begins at `from`. */
static inline void mend_blocks(struct bytes *b, uint64_t from)
{
	struct bob_run_block h;

	for (size_t at = 0; b->len - at >= sizeof(h) && at < b->len; at += 8) {
		uint64_t before;

		memcpy(&h, b->at + at, sizeof(h));
		if (h.magic != BOB_RUN_BLOCK_MAGIC)
			continue;
		before = h.prev_off - from + sizeof(h);
		if (at && before <= at && h.prev_len <= at - before)
			h.prev_crc = bob_crc32c(0, b->at + before, h.prev_len);
		h.crc = bob_crc32c(0, &h, offsetof(struct bob_run_block, crc));
		memcpy(b->at + at, &h, sizeof(h));
	}
}

/* The rests that a FOLD chunk names by offset stay the ones it named. */
static inline void mend_offsets(struct parts *p, const uint64_t *now)
{
	for (size_t i = 0; i < p->count; i++) {
		struct bytes *b = &p->part[i].plain;
		struct bob_fold_head h;

		if (p->part[i].head.kind != BOB_CHUNK_FOLD || b->len < sizeof(h))
			continue;
		memcpy(&h, b->at, sizeof(h));
		for (int r = 0; r < 2; r++) {
			size_t k = 0;

			while (k < p->count && p->part[k].off != h.rest_off[r])
				k++;
			if (k < p->count)
				h.rest_off[r] = now[k];
		}
		memcpy(b->at, &h, sizeof(h));
	}
}

/* What the file has of the part: `*packed` is the caller's. Sets size, len and checksum as far
 * as they follow from it. */
static inline void part_seal(struct part *p, struct bytes *packed)
{
	struct bob_chunk_head *h = &p->head;

	if (h->kind == BOB_CHUNK_FOLD_REST)
		mend_rest(&p->plain);
	if (h->kind == BOB_CHUNK_DATA)
		mend_blocks(&p->plain, h->aux);
	*packed = p->plain;
	if (h->flags & BOB_CHUNK_ZSTD) {
		size_t capacity = ZSTD_compressBound(p->plain.len);

		packed->at = must_alloc(capacity);
		packed->len = ZSTD_compress(packed->at, capacity, p->plain.at, p->plain.len, 1);
	}
	if (h->flags & (BOB_CHUNK_SEALED | BOB_CHUNK_ZSTD) || h->len == h->size)
		h->len = packed->len;
	h->size = packed->len;
	h->crc = 0;
	if (h->flags & BOB_CHUNK_SEALED)
		h->crc = bob_crc32c(0, packed->at, packed->len);
	h->head_crc = bob_chunk_head_crc(h);
}

/* The file of these parts; the caller's. */
static inline struct bytes parts_write(struct parts *p)
{
	struct bob_file_head h;
	struct bytes packed[CHUNKS_MAX], file;
	uint64_t now[CHUNKS_MAX], at = p->head.len;

	for (size_t i = 0; i < p->count; i++) {
		part_seal(&p->part[i], &packed[i]);
		now[i] = at;
		at += bob_chunk_bytes(packed[i].len);
	}
	mend_offsets(p, now);
	file = (struct bytes){ must_alloc(at), at };
	memcpy(&h, p->head.at, sizeof(h));
	h.crc = bob_crc32c(0, &h, offsetof(struct bob_file_head, crc));
	if (p->used_up)
		h.used = at;
	memcpy(p->head.at, &h, sizeof(h));
	memcpy(file.at, p->head.at, p->head.len);
	for (size_t i = 0; i < p->count; i++) {
		memcpy(file.at + now[i], &p->part[i].head, sizeof(p->part[i].head));
		memcpy(file.at + now[i] + sizeof(p->part[i].head), packed[i].at, packed[i].len);
		if (packed[i].at != p->part[i].plain.at)
			free(packed[i].at);
	}
	return file;
}

#endif
