/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the process files inside a TRACE file (inner.h). Once decoded they are ordinary process
 * files that share the records of the outer file (common.c). */
#include <stdlib.h>
#include <string.h>

#include "archive/folds.h"
#include "archive/merge/inner.h"
#include "archive/keyed.h"
#include "fold/listing.h"

struct inner {
	struct bob_file *files;
	size_t count, cap;
	uint64_t budget;		/* remaining bytes for further files */
};

static bob_status open_folded(struct bob_trace *t, const struct bob_file *f,
			      const struct bob_chunk_ref *c, struct bob_folded **out)
{
	struct bob_payload p;
	bob_status st = bob_payload_open(t, f, c, &p);

	if (st != BOB_OK)
		return st;
	st = bob_folded_unpack(p.at, p.len, &bob_alloc_malloc, out);
	bob_payload_close(&p);
	return st == BOB_OK ? bob_profiles_list(*out) : st;
}

/* Moves the file's bytes to the trace. */
static bob_status add_file(struct bob_trace *t, struct inner *in, const struct bob_inner_file *file,
			   uint32_t number)
{
	uint8_t *bytes = bob_arena_alloc(&t->arena, file->bytes.len);
	struct bob_file *f;

	if (!bytes || bob_array_reserve(&in->files, in->count, &in->cap, sizeof(*in->files)))
		return BOB_ERR_NOMEM;
	memcpy(bytes, file->bytes.at, file->bytes.len);
	f = &in->files[in->count++];
	memset(f, 0, sizeof(*f));
	f->name = bob_arena_text(&t->arena, file->name.at, file->name.len);
	f->bytes = bytes;
	f->size = file->bytes.len;
	f->inner = number;
	return f->name ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status read_process(struct bob_trace *t, struct inner *in, const struct bob_folded *f,
			       uint32_t i)
{
	struct bob_inner_file file = { 0 };
	uint64_t id = bob_folded_id(f, i);
	bob_status st = id >> 32 << 32 == id ? bob_inner_read(f, i, in->budget, &file) :
					       BOB_ERR_CORRUPT;

	if (st == BOB_OK)
		st = add_file(t, in, &file, (uint32_t)(id >> 32));
	in->budget -= st == BOB_OK ? file.bytes.len : 0;
	free(file.name.at);
	free(file.bytes.at);
	return st;
}

static bob_status read_chunk(struct bob_trace *t, const struct bob_file *f,
			     const struct bob_chunk_ref *c, struct inner *in)
{
	struct bob_folded *folded = NULL;
	bob_status st = open_folded(t, f, c, &folded);

	t->meta_bytes += sizeof(c->head) + bob_chunk_len(c);
	for (uint32_t i = 0; st == BOB_OK && i < bob_folded_count(folded); i++)
		st = read_process(t, in, folded, i);
	bob_folded_close(folded);
	if (st != BOB_OK && st != BOB_ERR_NOMEM && st != BOB_NONE)
		bob_problem_add(t, f, c->off, "processes in a chunk cannot be read", 1);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

/* Chooses between an inner file and the file on disk with the same name. If the process was still
 * running when it was merged (in MPI_Finalize), the file on disk has more. */
static void choose(struct bob_trace *t, const struct bob_keyed *names, struct bob_file *inner)
{
	uint64_t key = bob_key_of_text(inner->name);
	const struct bob_keyed_entry *e = bob_keyed_first(names, key);

	for (; bob_keyed_is(names, e, key); e++) {
		struct bob_file *f = &t->files[e->number];

		if (f->kind != BOB_FILE_PROCESS || strcmp(f->name, inner->name) != 0)
			continue;
		if (inner->head.state == BOB_FILE_OPEN)
			inner->is_head = 1;
		else
			f->kind = 0;
	}
}

/* Adds the inner files of the trace file at `outer` to the trace. */
static bob_status join(struct bob_trace *t, size_t outer, const struct inner *in)
{
	for (size_t i = 0; i < in->count; i++) {
		struct bob_file *f;

		if (bob_array_reserve(&t->files, t->file_count, &t->file_cap, sizeof(*t->files)))
			return BOB_ERR_NOMEM;
		f = &t->files[t->file_count++];
		*f = in->files[i];
		f->outer = outer + 1;
	}
	return BOB_OK;
}

static bob_status load(struct bob_trace *t, size_t outer)
{
	struct inner in = { .budget = BOB_INNER_BYTES_ALWAYS };
	const struct bob_file *f = &t->files[outer];
	bob_status st = BOB_OK;

	for (size_t i = 0; i < f->chunk_count; i++)
		if (f->chunks[i].head.kind == BOB_CHUNK_INNER)
			in.budget += f->chunks[i].avail * BOB_INNER_BYTES_TIMES;
	for (size_t i = 0; i < f->chunk_count && st == BOB_OK; i++)
		if (f->chunks[i].head.kind == BOB_CHUNK_INNER)
			st = read_chunk(t, f, &f->chunks[i], &in);
	if (st == BOB_OK)
		st = join(t, outer, &in);
	free(in.files);
	return st;
}

/* Calls choose for all inner files, which begin at index `before`. */
static bob_status choose_all(struct bob_trace *t, size_t before)
{
	struct bob_keyed names;
	bob_status st = BOB_OK;

	if (!bob_keyed_begin(&names, before))
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < before; i++)
		bob_keyed_add(&names, bob_key_of_text(t->files[i].name), i);
	bob_keyed_sort(&names);
	for (size_t i = before; i < t->file_count && st == BOB_OK; i++) {
		struct bob_file *f = &t->files[i];

		st = bob_file_scan(t, f);
		if (st == BOB_NONE || (st == BOB_OK && f->kind != BOB_FILE_PROCESS))
			f->kind = 0;
		else if (st == BOB_OK)
			choose(t, &names, f);
		st = st == BOB_NONE ? BOB_OK : st;
	}
	bob_keyed_free(&names);
	return st;
}

bob_status bob_inner_load(struct bob_trace *t)
{
	size_t before = t->file_count;
	bob_status st = BOB_OK;

	for (size_t i = 0; i < before && st == BOB_OK; i++)
		if (t->files[i].kind == BOB_FILE_TRACE)
			st = load(t, i);
	return st == BOB_OK && t->file_count > before ? choose_all(t, before) : st;
}
