/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunk structure of a file: its head and the list of its chunks. A chunk is valid if its
 * header's checksum matches. After an invalid header the scan searches for the next valid one in
 * steps of 64 bytes, so damage costs one chunk and not the rest of the file. */
#define _GNU_SOURCE
#include "archive/reader.h"

#include <stdlib.h>
#include <string.h>

#include "archive/write/write.h"
#include "base/crc.h"
#include "base/plain.h"
#include "base/search.h"

static uint64_t align_chunk(uint64_t n)
{
	return (n + BOB_CHUNK_ALIGN - 1) & ~(uint64_t)(BOB_CHUNK_ALIGN - 1);
}

/* If the checksum of a head does not match, the kind of the file follows from its name. */
static uint32_t kind_from_name(const char *name)
{
	if (name[0] == 'p')
		return BOB_FILE_PROCESS;
	if (name[0] == 't')
		return BOB_FILE_TRACE;
	return name[0] == 'i' ? BOB_FILE_IMAGE : BOB_FILE_MARKS;
}

static bob_status read_head(struct bob_trace *t, struct bob_file *f)
{
	struct bob_file_head *h = &f->head;

	if (f->size < sizeof(*h)) {
		bob_problem_add(t, f, f->size, "the file is too short to have a head", 1);
		return BOB_NONE;
	}
	memcpy(h, f->bytes, sizeof(*h));
	if (h->magic != BOB_FORMAT_MAGIC) {
		bob_problem_add(t, f, 0, "not a bobbin trace file", 1);
		return BOB_NONE;
	}
	h->host[sizeof(h->host) - 1] = 0;
	bob_text_make_plain(h->host, strlen(h->host));
	f->kind = h->kind;
	if (bob_crc32c(0, f->bytes, offsetof(struct bob_file_head, crc)) != h->crc) {
		bob_problem_add(t, f, offsetof(struct bob_file_head, crc),
				"the checksum of the file head does not match", 1);
		f->kind = kind_from_name(f->name);
	} else if (h->version != BOB_FORMAT_VERSION) {
		bob_problem_add(t, f, offsetof(struct bob_file_head, version),
				"written by a newer format version", 1);
		return BOB_NONE;
	} else if (!bob_head_bytes_ok(h->head_bytes)) {
		bob_problem_add(t, f, offsetof(struct bob_file_head, head_bytes),
				"the file head has an unknown size", 1);
		return BOB_NONE;
	}
	if (f->kind < BOB_FILE_PROCESS || f->kind > BOB_FILE_TRACE) {
		bob_problem_add(t, f, offsetof(struct bob_file_head, kind), "unknown kind of file",
				1);
		return BOB_NONE;
	}
	return BOB_OK;
}

/* Reads the chunk header at `off`. Returns 0 unless it is complete and its checksum matches. */
static int chunk_at(const struct bob_file *f, uint64_t off, struct bob_chunk_head *h)
{
	if (f->size - off < sizeof(*h))
		return 0;
	memcpy(h, f->bytes + off, sizeof(*h));
	return h->magic == BOB_CHUNK_MAGIC && h->head_crc == bob_chunk_head_crc(h);
}

static bob_status add_chunk(struct bob_trace *t, struct bob_file *f, uint64_t off,
			    const struct bob_chunk_head *h)
{
	struct bob_chunk_ref *c;

	if (bob_array_reserve(&f->chunks, f->chunk_count, &f->chunk_cap, sizeof(*f->chunks)))
		return BOB_ERR_NOMEM;
	c = &f->chunks[f->chunk_count++];
	c->head = *h;
	c->off = off + sizeof(*h);
	c->avail = f->size - c->off < h->size ? f->size - c->off : h->size;
	if (c->avail < h->size)
		bob_problem_add(t, f, f->size, "the file ends inside a chunk", 1);
	if (h->flags & (uint16_t) ~(BOB_CHUNK_SEALED | BOB_CHUNK_ZSTD))
		bob_problem_add(t, f, off, "a chunk has unknown flags", 0);
	if (!(h->flags & BOB_CHUNK_SEALED) && h->crc)
		bob_problem_add(t, f, off, "an open chunk has a checksum", 1);
	if (h->len > h->size)
		bob_problem_add(t, f, off, "a chunk claims more bytes than it has", 1);
	return BOB_OK;
}

/* Offset of the next valid header from `off` on, or `size`. */
static uint64_t find_chunk(const struct bob_file *f, uint64_t off)
{
	struct bob_chunk_head h;

	for (; off < f->size && f->size - off >= sizeof(h); off += BOB_CHUNK_ALIGN)
		if (chunk_at(f, off, &h))
			return off;
	return f->size;
}

/* A process and its collector allocate windows of one file (write/ring.h). If one is killed between
 * allocating a window and filling it with a PAD, whole windows of zeros remain, which are not
 * damage. */
#define COLLECTOR_WINDOW (64u << 10)

static int is_window_never_used(const struct bob_file *f, uint64_t off, uint64_t end)
{
	if (!f->chunk_count || f->chunks[0].head.kind != BOB_CHUNK_COLLECTOR ||
	    off % COLLECTOR_WINDOW || end % COLLECTOR_WINDOW)
		return 0;
	while (off < end && !f->bytes[off])
		off++;
	return off == end;
}

/* --- index by stream --- */

static int by_stream(const void *a, const void *b, void *chunks)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct bob_chunk_ref *c = chunks;

	if (c[x].head.stream != c[y].head.stream)
		return c[x].head.stream < c[y].head.stream ? -1 : 1;
	return (x > y) - (x < y);
}

bob_status bob_chunks_sort(struct bob_file *f)
{
	uint32_t *index = realloc(f->by_stream, (f->chunk_count + 1) * sizeof(*index));

	if (!index)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < f->chunk_count; i++)
		index[i] = (uint32_t)i;
	f->by_stream = index;
	if (f->chunk_count)
		qsort_r(index, f->chunk_count, sizeof(*index), by_stream, f->chunks);
	return BOB_OK;
}

size_t bob_chunks_first(const struct bob_file *f, uint32_t stream)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, f->chunk_count, mid,
			    f->chunks[f->by_stream[mid]].head.stream < stream);
	return lo;
}

const struct bob_chunk_ref *bob_chunks_next(const struct bob_file *f, uint32_t stream, size_t *at)
{
	const struct bob_chunk_ref *c = *at < f->chunk_count ? &f->chunks[f->by_stream[*at]] : NULL;

	++*at;
	return c && c->head.stream == stream ? c : NULL;
}

/* --- the whole file --- */

bob_status bob_file_scan(struct bob_trace *t, struct bob_file *f)
{
	struct bob_chunk_head h;
	uint64_t off, used, next, beyond = 0;
	bob_status st = read_head(t, f);

	if (st != BOB_OK)
		return st;
	/* a damaged head may contain anything */
	off = bob_head_bytes_ok(f->head.head_bytes) ? f->head.head_bytes : BOB_FILE_HEAD_BYTES;
	used = f->head.used;
	if (t->joins && used > f->size) /* the first part has the length of all parts */
		used = f->size;
	if (used > f->size || used < off || used % BOB_CHUNK_ALIGN) {
		bob_problem_add(t, f, offsetof(struct bob_file_head, used),
				used > f->size ? "the file is shorter than it says" :
						 "the published end of the file is impossible",
				1);
		used = f->size;
	}
	while (off < f->size) {
		if (chunk_at(f, off, &h)) {
			st = add_chunk(t, f, off, &h);
			if (st != BOB_OK)
				return st;
			if (off >= used && !beyond)
				beyond = off;
			/* the checksum matches, but the size may still be invalid */
			if (h.size >= f->size - off)
				break;
			off = align_chunk(off + sizeof(h) + h.size);
			continue;
		}
		if (off >= used)
			break;
		next = find_chunk(f, off);
		if (!is_window_never_used(f, off, next))
			bob_problem_add(t, f, off, "damaged chunk header", 1);
		off = next;
	}
	if (beyond)
		bob_problem_add(t, f, beyond, "chunks beyond the published end of the file", 0);
	return bob_chunks_sort(f);
}

uint64_t bob_chunk_len(const struct bob_chunk_ref *c)
{
	return c->head.len < c->avail ? c->head.len : c->avail;
}

int bob_chunk_crc_ok(const struct bob_file *f, const struct bob_chunk_ref *c)
{
	if (!(c->head.flags & BOB_CHUNK_SEALED))
		return 1;
	return c->head.len <= c->avail &&
	       bob_crc32c(0, f->bytes + c->off, c->head.len) == c->head.crc;
}
