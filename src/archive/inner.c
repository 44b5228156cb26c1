/* SPDX-License-Identifier: BSD-3-Clause */
/* Process files that lie in a file of kind TRACE. Once out they are files like all others, but share what the
 * outer file has (common.c). */
#include <stdlib.h>
#include <string.h>

#include "archive/reader.h"

struct inner {
	struct bob_file *files;
	size_t count, cap;
};

static uint64_t align8(uint64_t n)
{
	return (n + 7) & ~7ull;
}

/* What the chunk holds; NULL if that cannot be had. BOB_ERR_NOMEM. */
static bob_status keep_payload(struct bob_trace *t, const struct bob_file *f,
			       const struct bob_chunk_ref *c, uint8_t **out, uint64_t *len)
{
	struct bob_payload p;
	bob_status st = bob_payload_open(t, f, c, &p);

	*out = NULL;
	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	*len = p.len;
	*out = bob_arena_alloc(&t->arena, p.len + 1);
	if (*out && p.len)
		memcpy(*out, p.at, p.len);
	bob_payload_close(&p);
	return *out ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status add_file(struct bob_trace *t, struct inner *in, const char *name, size_t name_len,
			   const uint8_t *bytes, uint64_t size, uint32_t number)
{
	struct bob_file *f;

	if (bob_array_room(&in->files, in->count, &in->cap, sizeof(*in->files)))
		return BOB_ERR_NOMEM;
	f = &in->files[in->count++];
	memset(f, 0, sizeof(*f));
	f->name = bob_arena_text(&t->arena, name, name_len);
	f->bytes = bytes;
	f->size = size;
	f->inner = number;
	return f->name ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status read_chunk(struct bob_trace *t, const struct bob_file *f,
			     const struct bob_chunk_ref *c, struct inner *in)
{
	uint64_t len = 0, at = 0;
	uint32_t number = (uint32_t)c->head.aux;
	uint8_t *bytes;
	bob_status st = keep_payload(t, f, c, &bytes, &len);

	while (st == BOB_OK && bytes && at < len) {
		struct bob_inner_head h;
		uint64_t name = at + sizeof(h), begin;

		if (len - at >= sizeof(h))
			memcpy(&h, bytes + at, sizeof(h));
		begin = len - at < sizeof(h) ? len + 1 : name + align8(h.name_len);
		if (begin > len || h.bytes > len - begin) {
			bob_problem_add(t, f, c->off, "a process in a chunk is cut off", 1);
			break;
		}
		st = add_file(t, in, (const char *)bytes + name, h.name_len, bytes + begin, h.bytes,
			      number++);
		at = begin + align8(h.bytes);
	}
	return st;
}

/* The file on disk that one in a trace file stands for. That of a process which was still running then (MPI_Finalize merges) has
 * more in it. */
static void choose(struct bob_trace *t, size_t count, struct bob_file *inner)
{
	for (size_t i = 0; i < count; i++) {
		if (t->files[i].kind != BOB_FILE_PROCESS ||
		    strcmp(t->files[i].name, inner->name) != 0)
			continue;
		if (inner->head.state == BOB_FILE_OPEN)
			inner->is_head = 1;
		else
			t->files[i].kind = 0;
	}
}

/* Those of the trace file at `outer` join the trace's. */
static bob_status join(struct bob_trace *t, size_t outer, const struct inner *in)
{
	for (size_t i = 0; i < in->count; i++) {
		struct bob_file *f;

		if (bob_array_room(&t->files, t->file_count, &t->file_cap, sizeof(*t->files)))
			return BOB_ERR_NOMEM;
		f = &t->files[t->file_count++];
		*f = in->files[i];
		f->outer = outer + 1;
	}
	return BOB_OK;
}

static bob_status load(struct bob_trace *t, size_t outer)
{
	struct inner in = { 0 };
	bob_status st = BOB_OK;

	for (size_t i = 0; i < t->files[outer].chunk_count && st == BOB_OK; i++)
		if (t->files[outer].chunks[i].head.kind == BOB_CHUNK_INNER)
			st = read_chunk(t, &t->files[outer], &t->files[outer].chunks[i], &in);
	if (st == BOB_OK)
		st = join(t, outer, &in);
	free(in.files);
	return st;
}

bob_status bob_inner_load(struct bob_trace *t)
{
	size_t before = t->file_count;
	bob_status st = BOB_OK;

	for (size_t i = 0; i < before && st == BOB_OK; i++)
		if (t->files[i].kind == BOB_FILE_TRACE)
			st = load(t, i);
	for (size_t i = before; i < t->file_count && st == BOB_OK; i++) {
		struct bob_file *f = &t->files[i];

		st = bob_file_scan(t, f);
		if (st == BOB_NONE || (st == BOB_OK && f->kind != BOB_FILE_PROCESS))
			f->kind = 0;
		else if (st == BOB_OK)
			choose(t, before, f);
		st = st == BOB_NONE ? BOB_OK : st;
	}
	return st;
}
