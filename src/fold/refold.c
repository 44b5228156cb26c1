/* SPDX-License-Identifier: BSD-3-Clause */
/* Refolding: maps shapes and paths of a folded trace to those of a new folder as they occur, and
 * puts the events there. */
#include "fold/refold.h"

#include <string.h>

#include "fold/folded.h"

#define PAGE 4096u
#define ALIGN 64u

/* Zeroes memory without touching unused pages: fresh pages read as zero, so only pages with other
 * contents are written. */
static void clear(uint8_t *mem, size_t size)
{
	for (size_t at = 0; at < size; at += PAGE) {
		size_t len = size - at < PAGE ? size - at : PAGE, i = 0;

		while (i + 8 <= len && !*(const uint64_t *)(const void *)(mem + at + i))
			i += 8;
		if (i < len)
			memset(mem + at, 0, len);
	}
}

static void write_bytes(void *ctx, const void *bytes, size_t len)
{
	bob_buffer_put(ctx, bytes, len);
}

static void begin_folder(struct bob_refold *r)
{
	uint8_t *mem = (uint8_t *)(((uintptr_t)r->mem + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));

	clear(mem, bob_folder_size());
	r->folder = bob_folder_begin(mem, write_bytes, &r->out);
}

static void forget(struct bob_refold *r)
{
	memset(r->shape, 0, r->from->tables.shape_count * sizeof(*r->shape));
	memset(r->path, 0, r->paths * sizeof(*r->path));
}

bob_status bob_refold_begin(struct bob_refold *r, const struct bob_folded *from,
			    const struct bob_alloc *alloc)
{
	memset(r, 0, sizeof(*r));
	r->from = from;
	r->alloc = *alloc;
	r->out.alloc = *alloc;
	r->paths = from->tables.path_count;
	r->mem_size = bob_folder_size() + ALIGN;
	r->mem = alloc->resize(alloc->ctx, NULL, 0, r->mem_size);
	if (!r->mem ||
	    !bob_array_grow(alloc, &r->shape, &r->shape_capacity, 0, from->tables.shape_count + 1,
			    sizeof(*r->shape)) ||
	    !bob_array_grow(alloc, &r->path, &r->path_capacity, 0, (size_t)r->paths + 1,
			    sizeof(*r->path))) {
		bob_refold_free(r);
		return BOB_ERR_NOMEM;
	}
	forget(r);
	begin_folder(r);
	return BOB_OK;
}

void bob_refold_free(struct bob_refold *r)
{
	const struct bob_alloc *a = &r->alloc;

	if (r->mem)
		a->resize(a->ctx, r->mem, r->mem_size, 0);
	bob_array_free(a, r->shape, r->shape_capacity, sizeof(*r->shape));
	bob_array_free(a, r->path, r->path_capacity, sizeof(*r->path));
	bob_buffer_free(&r->out);
}

/* --- events --- */

/* Adds the path from the outermost call inwards. Each path is added once, so the repeated search
 * for the first missing ancestor is cheap. */
static bob_status find_path(struct bob_refold *r, uint32_t path, uint32_t *to)
{
	uint32_t parent;
	uint64_t place;

	*to = BOB_FOLD_NO_PATH;
	while (path && !r->path[path]) {
		uint32_t at = path;
		bob_status st;

		/* the outermost ancestor that is missing */
		while (bob_folded_path(r->from, at, &parent, &place) && parent && !r->path[parent])
			at = parent;
		st = bob_folder_path(r->folder, parent ? r->path[parent] - 1 : BOB_FOLD_NO_PATH,
				     place, to);
		if (st != BOB_OK)
			return st;
		r->path[at] = *to + 1;
	}
	if (path)
		*to = r->path[path] - 1;
	return BOB_OK;
}

static bob_status find_shape(struct bob_refold *r, uint32_t shape)
{
	struct bob_fold_shape s;
	uint32_t path, number;
	bob_status st;

	bob_folded_shape(r->from, shape, &s);
	st = find_path(r, s.path, &path);
	if (st == BOB_OK)
		st = bob_folder_shape(r->folder, s.key, s.key_len, path, s.words, &number);
	if (st == BOB_OK)
		r->shape[shape] = number + 1;
	return st;
}

bob_status bob_refold_put(struct bob_refold *r, uint32_t shape, const uint64_t *word)
{
	if (!r->shape[shape]) {
		bob_status st = find_shape(r, shape);

		if (st == BOB_ERR_FULL) {
			bob_folder_again(r->folder);
			forget(r);
			st = find_shape(r, shape);
		}
		if (st != BOB_OK)
			return st;
	}
	bob_folder_put(r->folder, r->shape[shape] - 1, word);
	return r->out.failed ? BOB_ERR_NOMEM : BOB_OK;
}

bob_status bob_refold_end(struct bob_refold *r, uint64_t id, struct bob_folded **out)
{
	bob_status st = BOB_ERR_NOMEM;

	bob_folder_end(r->folder);
	if (!r->out.failed)
		st = bob_folded_open(r->out.at, r->out.len, id, &r->alloc, out);
	r->out.len = 0;
	forget(r);
	begin_folder(r);
	return st;
}

/* --- participants --- */

bob_status bob_refold_unite(struct bob_folded **part, uint32_t count, const struct bob_alloc *alloc,
			    struct bob_folded **out)
{
	size_t size = ((size_t)count + 1) * sizeof(struct bob_fold_source);
	struct bob_fold_source *from = alloc->resize(alloc->ctx, NULL, 0, size);
	bob_status st = from ? BOB_OK : BOB_ERR_NOMEM;
	uint32_t n = 0;

	*out = NULL;
	for (uint32_t i = 0; i < count && from; i++)
		if (part[i])
			from[n++] = (struct bob_fold_source){ .folded = part[i] };
	if (n)
		st = bob_folded_merge_all(from, n, alloc, out);
	if (from)
		alloc->resize(alloc->ctx, from, size, 0);
	for (uint32_t i = 0; i < count; i++)
		bob_folded_close(part[i]);
	return st;
}
