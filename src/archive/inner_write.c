/* SPDX-License-Identifier: BSD-3-Clause */
/* A process inside a trace file: its own file without its folded records, and which of the trace's images are its. */
#include <stdlib.h>
#include <string.h>

#include "archive/loss.h"
#include "archive/merging.h"
#include "archive/write.h"
#include "base/crc.h"

static void put_padded(struct bob_bytes *b, const void *bytes, size_t len)
{
	static const uint8_t zero[8];

	bob_bytes_take(b, bytes, len);
	bob_bytes_take(b, zero, -len & 7);
}

static void put_chunk(struct bob_bytes *b, enum bob_chunk_kind kind, uint32_t stream, uint64_t aux,
		      const void *bytes, uint64_t len)
{
	static const uint8_t zero[BOB_CHUNK_ALIGN];
	struct bob_chunk_head h = { 0 };

	bob_chunk_begin(&h, kind, stream, len, aux);
	h.flags = BOB_CHUNK_SEALED;
	h.len = len;
	h.crc = bob_crc32c(0, bytes, len);
	bob_bytes_take(b, &h, sizeof(h));
	bob_bytes_take(b, bytes, len);
	bob_bytes_take(b, zero, bob_chunk_bytes(len) - sizeof(h) - len);
}

/* The numbers that the process's images have now. */
static bob_status put_map(const struct bob_process *p, const struct bob_unified_of *of,
			  struct bob_bytes *b)
{
	struct bob_record rec = { BOB_REC_IMAGE_MAP, (uint32_t)(p->image_count * 4) };
	struct bob_bytes map = { 0 };

	bob_bytes_take(&map, &rec, sizeof(rec));
	for (uint32_t own = 0; own < p->image_count; own++) {
		uint32_t number = bob_unified_image(of, p, own);

		bob_bytes_take(&map, &number, sizeof(number));
	}
	bob_bytes_take(&map, (const uint8_t[8]){ 0 }, -map.len & 7);
	if (!map.failed)
		put_chunk(b, BOB_CHUNK_META, BOB_STREAM_NONE, 0, map.at, map.len);
	free(map.at);
	return map.failed || b->failed ? BOB_ERR_NOMEM : BOB_OK;
}

/* What has been given up, if anything has. */
static bob_status put_loss(const struct bob_process *p, const struct bob_fold_settings *how,
			   struct bob_bytes *b)
{
	uint8_t *bytes;
	size_t len;
	bob_status st = bob_loss_record(how, p, &bytes, &len);

	if (st == BOB_OK && len)
		put_chunk(b, BOB_CHUNK_META, BOB_STREAM_NONE, 0, bytes, len);
	free(bytes);
	return st;
}

/* What is said anew, behind all others, where it lies in a trace file: a map of images, a loss. */
static int is_said_anew(const struct bob_file *f, const struct bob_chunk_ref *c)
{
	struct bob_record rec;

	if (!f->outer || c->head.kind != BOB_CHUNK_META || bob_chunk_kept_bytes(c) < sizeof(rec))
		return 0;
	memcpy(&rec, f->bytes + c->off, sizeof(rec));
	return rec.kind == BOB_REC_IMAGE_MAP || rec.kind == BOB_REC_LOSS;
}

/* The process's file without its folded records. */
static bob_status put_file(const struct bob_process *p, const struct bob_unified_of *of,
			   const struct bob_fold_settings *how, struct bob_bytes *b)
{
	const struct bob_file *f = p->file;
	uint8_t head[BOB_FILE_HEAD_BYTES] = { 0 };
	size_t begin = b->len;
	bob_status st;

	bob_bytes_take(b, head, sizeof(head));
	for (size_t i = 0; i < f->chunk_count; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];

		if (bob_chunk_is_kept(c->head.kind) && !is_said_anew(f, c))
			put_chunk(b, c->head.kind, c->head.stream, c->head.aux, f->bytes + c->off,
				  bob_chunk_kept_bytes(c));
	}
	st = put_map(p, of, b);
	if (st == BOB_OK)
		st = put_loss(p, how, b);
	if (st == BOB_OK) {
		struct bob_file_head h = f->head;

		h.used = b->len - begin;
		memcpy(b->at + begin, &h, sizeof(h));
	}
	return st;
}

bob_status bob_inner_put(const struct bob_process *p, const struct bob_unified_of *of,
			 const struct bob_fold_settings *how, struct bob_bytes *b)
{
	struct bob_bytes file = { 0 };
	struct bob_inner_head h = { .name_len = (uint32_t)strlen(p->file->name) };
	bob_status st = put_file(p, of, how, &file);

	h.bytes = file.len;
	if (st == BOB_OK) {
		bob_bytes_take(b, &h, sizeof(h));
		put_padded(b, p->file->name, h.name_len);
		put_padded(b, file.at, file.len);
	}
	free(file.at);
	return st == BOB_OK && b->failed ? BOB_ERR_NOMEM : st;
}
