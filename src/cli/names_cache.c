/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of the cache of names (names_cache.h): a growing buffer, chunks, reading with checks, and
 * writing. */
#include "cli/names_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/write/write.h"
#include "base/crc.h"
#include "base/varint.h"
#include "plan/plan.h"

void cli_buffer_take(void *ctx, const void *bytes, size_t len)
{
	struct cli_buffer *b = ctx;

	while (!b->failed && b->capacity - b->len < len) {
		size_t capacity = b->capacity ? 2 * b->capacity : 65536;
		uint8_t *at = realloc(b->at, capacity);

		b->failed = !at;
		b->at = at ? at : b->at;
		b->capacity = at ? capacity : b->capacity;
	}
	if (!b->failed && len)
		memcpy(b->at + b->len, bytes, len);
	b->len += b->failed ? 0 : len;
}

/* --- chunks --- */

int cli_chunk_at(const struct cli_buffer *file, size_t off, struct bob_chunk_head *c)
{
	if (file->len < off || file->len - off < sizeof(*c))
		return 0;
	memcpy(c, file->at + off, sizeof(*c));
	return c->magic == BOB_CHUNK_MAGIC && c->head_crc == bob_chunk_head_crc(c) &&
	       c->size <= file->len - off - sizeof(*c) && c->len <= c->size;
}

void cli_chunk_add(struct cli_buffer *file, uint16_t kind, uint64_t aux,
		   const struct cli_buffer *payload)
{
	static const uint8_t zero[BOB_CHUNK_ALIGN];
	struct bob_chunk_head *c;

	cli_buffer_take(file, zero, -file->len & (BOB_CHUNK_ALIGN - 1));
	c = calloc(1, sizeof(*c) + payload->len + 1);
	if (!c) {
		file->failed = 1;
		return;
	}
	if (payload->len)
		memcpy(c + 1, payload->at, payload->len);
	bob_chunk_begin(c, kind, BOB_STREAM_NONE, payload->len, aux);
	bob_chunk_seal(c, payload->len);
	cli_buffer_take(file, c, sizeof(*c) + payload->len);
	cli_buffer_take(file, zero, -file->len & (BOB_CHUNK_ALIGN - 1));
	free(c);
}

static int is_whole(const struct cli_buffer *file, size_t off, uint16_t kind,
		    struct bob_chunk_head *c)
{
	return cli_chunk_at(file, off, c) && c->kind == kind &&
	       c->crc == bob_crc32c(0, file->at + off + sizeof(*c), c->len);
}

/* --- the PAD chunk: what the names were made for --- */

static int read_pcs(struct cli_names *n, const uint8_t *at, const uint8_t *end)
{
	uint64_t count, step, pc = 0;

	if (bob_varint_get(&at, end, &n->stamp) || bob_varint_get(&at, end, &count) ||
	    count > (uint64_t)(end - at))
		return -1;
	n->pc = malloc((count + 1) * sizeof(*n->pc));
	if (!n->pc)
		return -1;
	for (uint64_t i = 0; i < count; i++) {
		if (bob_varint_get(&at, end, &step))
			return -1;
		n->pc[i] = pc += step;
	}
	n->count = count;
	return 0;
}

static void put_varint(struct cli_buffer *b, uint64_t v)
{
	uint8_t bytes[BOB_VARINT_MAX];

	cli_buffer_take(b, bytes, bob_varint_put(bytes, v));
}

static void put_pcs(const struct cli_names *n, struct cli_buffer *b)
{
	uint64_t before = 0;

	put_varint(b, n->stamp);
	put_varint(b, n->count);
	for (size_t i = 0; i < n->count; i++) {
		put_varint(b, n->pc[i] - before);
		before = n->pc[i];
	}
}

int cli_names_cover(const struct cli_names *n, const uint64_t *pc, size_t count)
{
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		while (at < n->count && n->pc[at] < pc[i])
			at++;
		if (at == n->count || n->pc[at] != pc[i])
			return 0;
	}
	return 1;
}

int cli_names_unite(struct cli_names *n, const uint64_t *pc, size_t count)
{
	uint64_t *both = malloc((n->count + count + 1) * sizeof(*both));
	size_t a = 0, b = 0, k = 0;

	if (!both)
		return 0;
	while (a < n->count || b < count) {
		uint64_t next = a < n->count && (b == count || n->pc[a] <= pc[b]) ? n->pc[a] :
										    pc[b];

		a += a < n->count && n->pc[a] == next;
		b += b < count && pc[b] == next;
		both[k++] = next;
	}
	free(n->pc);
	n->pc = both;
	n->count = k;
	return 1;
}

/* --- files --- */

static void name_of(uint64_t key, char name[32])
{
	snprintf(name, 32, "%016" PRIx64 ".names", key);
}

/* Expects a head and the chunks IMAGE, SOURCE, INLINED (optional), PAD. */
static int take_apart(struct cli_names *n, uint64_t key)
{
	struct bob_chunk_head image, source, inlined, pad;
	struct bob_file_head h;
	size_t at = BOB_FILE_HEAD_BYTES, second, last;
	uint64_t found;

	if (!is_whole(&n->file, at, BOB_CHUNK_IMAGE, &image) || image.len < sizeof(found))
		return -1;
	memcpy(&h, n->file.at, sizeof(h));
	memcpy(&found, n->file.at + at + sizeof(image), sizeof(found));
	second = at + (size_t)bob_chunk_bytes(image.size);
	if (h.magic != BOB_FORMAT_MAGIC || h.version != BOB_FORMAT_VERSION || found != key ||
	    !is_whole(&n->file, second, BOB_CHUNK_SOURCE, &source))
		return -1;
	last = second + (size_t)bob_chunk_bytes(source.size);
	if (is_whole(&n->file, last, BOB_CHUNK_TABLE_INLINED, &inlined))
		last += (size_t)bob_chunk_bytes(inlined.size);
	if (h.used != last || !is_whole(&n->file, last, BOB_CHUNK_PAD, &pad))
		return -1;
	const uint8_t *pcs = n->file.at + last + sizeof(pad);
	if (read_pcs(n, pcs, pcs + pad.len))
		return -1;
	n->made = source.aux;
	n->file.len = last;
	return 0;
}

int cli_names_read(int cache, uint64_t key, struct cli_names *n)
{
	char name[32];
	void *bytes;

	memset(n, 0, sizeof(*n));
	name_of(key, name);
	if (cache < 0 || bob_plan_cache_load(cache, name, &bytes, &n->file.len) != BOB_OK)
		return -1;
	n->file.at = bytes;
	n->file.capacity = n->file.len;
	if (!take_apart(n, key))
		return 0;
	cli_names_free(n);
	return -1;
}

void cli_names_keep(int cache, uint64_t key, const struct cli_names *n)
{
	struct cli_buffer all = { 0 }, pcs = { 0 };
	char name[32];

	if (cache < 0)
		return;
	put_pcs(n, &pcs);
	cli_buffer_take(&all, n->file.at, n->file.len);
	if (!pcs.failed)
		cli_chunk_add(&all, BOB_CHUNK_PAD, 0, &pcs);
	name_of(key, name);
	if (!pcs.failed && !all.failed)
		(void)bob_plan_cache_store(cache, name, all.at, all.len);
	free(pcs.at);
	free(all.at);
}

void cli_names_free(struct cli_names *n)
{
	free(n->file.at);
	free(n->pc);
	memset(n, 0, sizeof(*n));
}
