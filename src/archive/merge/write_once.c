/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds write-once records in the parts of a growing trace file, and copies missing ones to the
 * newest part. */
#include "archive/merge/write_once.h"

#include <stdlib.h>
#include <string.h>

#include "archive/merge/merging.h"
#include "archive/write/write.h"

int bob_is_write_once(uint32_t kind)
{
	switch (kind) {
	case BOB_REC_COMMAND:
	case BOB_REC_EXE:
	case BOB_REC_CWD:
	case BOB_REC_ENV:
	case BOB_REC_CONFIG:
	case BOB_REC_RUNTIME_LIST:
		return 1;
	default:
		return 0;
	}
}

/* Reads the record at *bytes and advances *bytes and *len past it. Returns its size; 0: no complete
 * record is left. */
static uint64_t next_record(const uint8_t **bytes, uint64_t *len, struct bob_record *rec)
{
	uint64_t n;

	if (*len < sizeof(*rec))
		return 0;
	memcpy(rec, *bytes, sizeof(*rec));
	if (rec->len > *len - sizeof(*rec))
		return 0;
	n = sizeof(*rec) + rec->len;
	n += -n & 7;
	n = n < *len ? n : *len;
	*bytes += n;
	*len -= n;
	return n;
}

int bob_are_write_once(const uint8_t *bytes, uint64_t len)
{
	struct bob_record rec;

	while (len)
		if (!next_record(&bytes, &len, &rec) || !bob_is_write_once(rec.kind))
			return 0;
	return 1;
}

/* Returns the kinds of write-once records of the file. Records of kinds not in `has` are appended
 * to *to, unless `to` is NULL. */
static uint32_t find(const struct bob_file *f, uint32_t has, struct bob_bytes *to)
{
	static const uint8_t zeros[8];
	uint32_t found = 0;

	for (size_t i = 0; i < f->chunk_count; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];
		const uint8_t *at = f->bytes + c->off;
		uint64_t len = bob_chunk_len(c), n;
		struct bob_record rec;

		if (c->head.kind != BOB_CHUNK_META || !bob_chunk_crc_ok(f, c))
			continue;
		while ((n = next_record(&at, &len, &rec))) {
			if (!bob_is_write_once(rec.kind))
				continue;
			found |= 1u << rec.kind;
			if (!to || has >> rec.kind & 1)
				continue;
			bob_bytes_take(to, at - n, n);
			bob_bytes_take(to, zeros, -n & 7);
		}
	}
	return found;
}

static bob_status add_chunk(struct bob_trace *t, struct bob_file *f, const struct bob_bytes *b)
{
	const uint64_t size = (f->size + BOB_CHUNK_ALIGN - 1) & ~(uint64_t)(BOB_CHUNK_ALIGN - 1);
	const uint64_t all = size + bob_chunk_bytes(b->len);
	uint8_t *bytes = bob_arena_alloc(&t->arena, all);
	struct bob_chunk_head *c;

	if (!bytes)
		return BOB_ERR_NOMEM;
	memset(bytes + f->size, 0, all - f->size);
	memcpy(bytes, f->bytes, f->size);
	c = (struct bob_chunk_head *)(void *)(bytes + size);
	bob_chunk_begin(c, BOB_CHUNK_META, BOB_STREAM_NONE, b->len, 0);
	memcpy(bob_chunk_data(c), b->at, b->len);
	bob_chunk_seal(c, b->len);
	f->head.used = all;
	memcpy(bytes + offsetof(struct bob_file_head, used), &f->head.used, sizeof(f->head.used));
	f->bytes = bytes;
	f->size = all;
	f->chunk_count = 0;
	return bob_file_scan(t, f);
}

bob_status bob_write_once_inherit(struct bob_trace *t, struct bob_file *f,
				  struct bob_file *const *before, size_t count)
{
	struct bob_bytes b = { 0 };
	uint32_t has = find(f, 0, NULL);
	bob_status st = BOB_OK;

	if (!f->outer)
		return BOB_OK;
	while (count--)
		has |= find(before[count], has, &b);
	if (b.failed)
		st = BOB_ERR_NOMEM;
	else if (b.len)
		st = add_chunk(t, f, &b);
	free(b.at);
	return st == BOB_NONE ? BOB_OK : st;
}
