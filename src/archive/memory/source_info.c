/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoder and decoder of source information. Numbers are LEB128, differences zigzag; rows are
 * sorted, so a row takes three or four bytes. */
#include "archive/memory/source_info.h"

#include <string.h>

#include "base/search.h"
#include "base/reader.h"

#define VERSION 1u
#define ROW_FILE 1u	/* flag bits in a row's first number */
#define ROW_LOAD 2u
#define ROW_STORE 4u
#define ROW_BITS 3

struct out {
	bob_fold_write_fn write;
	void *ctx;
};

static void put(struct out *o, uint64_t v)
{
	uint8_t b[BOB_VARINT_MAX];

	o->write(o->ctx, b, bob_varint_put(b, v));
}

static void put_text(struct out *o, const char *text)
{
	put(o, strlen(text));
	o->write(o->ctx, text, strlen(text));
}

static int is_indexed(const struct bob_source_place *p)
{
	return p->kind == BOB_PLACE_INDEXED || p->kind == BOB_PLACE_THREAD_INDEXED;
}

static void put_objects(struct out *o, const struct bob_source_object *object, size_t count)
{
	uint64_t last = 0;

	put(o, count);
	for (size_t i = 0; i < count; i++) {
		put(o, object[i].addr - last);
		put(o, object[i].size);
		put_text(o, object[i].name);
		last = object[i].addr;
	}
}

static void put_rows(struct out *o, const struct bob_source *s)
{
	struct bob_source_row last = { .file = ~0u };

	put(o, s->rows);
	for (size_t i = 0; i < s->rows; i++) {
		const struct bob_source_row *r = &s->row[i];

		put(o, (r->pc - last.pc) << ROW_BITS | (r->file != last.file ? ROW_FILE : 0) |
			       (r->load ? ROW_LOAD : 0) | (r->store ? ROW_STORE : 0));
		put(o, bob_zigzag((int64_t)r->line - (int64_t)last.line));
		if (r->file != last.file)
			put(o, (uint32_t)(r->file + 1));
		if (r->load)
			put(o, r->load - 1);
		if (r->store)
			put(o, r->store - 1);
		last = *r;
	}
}

void bob_source_put(const struct bob_source *s, bob_fold_write_fn write, void *ctx)
{
	struct out o = { write, ctx };

	put(&o, VERSION);
	put(&o, s->files);
	for (size_t i = 0; i < s->files; i++)
		put_text(&o, s->file[i]);
	put(&o, s->places);
	for (size_t i = 0; i < s->places; i++) {
		const struct bob_source_place *p = &s->place[i];

		put(&o, p->kind);
		put_text(&o, p->name);
		if (p->kind == BOB_PLACE_POINTER)
			continue;
		put(&o, bob_zigzag(p->frame));
		if (is_indexed(p))
			put(&o, p->size);
	}
	put_objects(&o, s->section, s->sections);
	put_objects(&o, s->object, s->objects);
	put_rows(&o, s);
}

/* --- decoding --- */

struct in {
	struct bob_reader r;
	struct bob_arena *arena;
	int no_memory;		/* `r.bad` is set, too */
};

static uint32_t get_u32(struct in *in)
{
	return (uint32_t)bob_reader_up_to(&in->r, UINT32_MAX);
}

static void *no_memory(struct in *in)
{
	in->r.bad = in->no_memory = 1;
	return NULL;
}

static const char *get_text(struct in *in)
{
	size_t len;
	const uint8_t *bytes = bob_reader_text(&in->r, &len);
	const char *text = bytes ? bob_arena_name(in->arena, bytes, len) : "";

	return text ? text : no_memory(in);
}

/* Reads the number of elements, which take at least `least` bytes each, and allocates them. */
static void *get_table(struct in *in, size_t *count, size_t least, size_t size)
{
	const uint64_t n = bob_reader_varint(&in->r);
	void *table;

	*count = 0;
	in->r.bad |= n > bob_reader_left(&in->r) / least;
	if (in->r.bad)
		return NULL;
	table = bob_arena_alloc(in->arena, (size_t)n * size + 1);
	if (!table)
		return no_memory(in);
	*count = (size_t)n;
	return table;
}

static void get_place(struct in *in, struct bob_source_place *p)
{
	p->kind = get_u32(in);
	p->name = get_text(in);
	if (!in->r.bad && (p->kind < BOB_PLACE_POINTER || p->kind > BOB_PLACE_THREAD_INDEXED))
		in->r.bad = 1;
	p->frame = p->kind == BOB_PLACE_POINTER ? 0 : bob_reader_signed(&in->r);
	p->size = 0;
	if (is_indexed(p))
		p->size = bob_reader_varint(&in->r);
}

static struct bob_source_object *get_objects(struct in *in, size_t *count)
{
	struct bob_source_object *o = get_table(in, count, 3, sizeof(*o));
	uint64_t addr = 0, end = 0;

	for (size_t i = 0; i < *count && !in->r.bad; i++) {
		uint64_t delta = bob_reader_varint(&in->r);

		if (delta > UINT64_MAX - addr)
			in->r.bad = 1;
		addr += delta;
		o[i].addr = addr;
		o[i].size = bob_reader_varint(&in->r);
		o[i].name = get_text(in);
		if (!o[i].size || addr < end || o[i].size > UINT64_MAX - addr)
			in->r.bad = 1;
		end = addr + o[i].size;
	}
	return o;
}

static void get_row(struct in *in, const struct bob_source *s, const struct bob_source_row *last,
		    struct bob_source_row *r)
{
	uint64_t bits = bob_reader_varint(&in->r), step = bits >> ROW_BITS;
	int64_t line = (int64_t)((uint64_t)last->line + (uint64_t)bob_reader_signed(&in->r));

	if (line < 0 || line > UINT32_MAX || step > UINT64_MAX - last->pc)
		in->r.bad = 1;
	r->pc = last->pc + step;
	r->line = (uint32_t)line;
	r->file = bits & ROW_FILE ? get_u32(in) - 1 : last->file;
	r->load = bits & ROW_LOAD ? get_u32(in) + 1 : 0;
	r->store = bits & ROW_STORE ? get_u32(in) + 1 : 0;
	if ((r->file != ~0u && r->file >= s->files) || r->load > s->places ||
	    r->store > s->places || (bits & ROW_LOAD && !r->load) ||
	    (bits & ROW_STORE && !r->store))
		in->r.bad = 1;
}

static void get_rows(struct in *in, struct bob_source *s)
{
	struct bob_source_row first = { .file = ~0u };

	s->row = get_table(in, &s->rows, 2, sizeof(*s->row));
	for (size_t i = 0; i < s->rows && !in->r.bad; i++) {
		get_row(in, s, i ? &s->row[i - 1] : &first, &s->row[i]);
		if (i && s->row[i].pc == s->row[i - 1].pc)
			in->r.bad = 1;
	}
}

bob_status bob_source_get(const uint8_t *bytes, size_t len, struct bob_arena *arena,
			  struct bob_source *s)
{
	struct in in = { bob_reader_of(bytes, len), arena, 0 };

	memset(s, 0, sizeof(*s));
	in.r.bad |= bob_reader_varint(&in.r) != VERSION;
	s->file = get_table(&in, &s->files, 1, sizeof(*s->file));
	for (size_t i = 0; i < s->files && !in.r.bad; i++)
		s->file[i] = get_text(&in);
	s->place = get_table(&in, &s->places, 2, sizeof(*s->place));
	for (size_t i = 0; i < s->places && !in.r.bad; i++)
		get_place(&in, &s->place[i]);
	s->section = get_objects(&in, &s->sections);
	s->object = get_objects(&in, &s->objects);
	get_rows(&in, s);
	if (bob_reader_is_done(&in.r))
		return BOB_OK;
	memset(s, 0, sizeof(*s));
	return in.no_memory ? BOB_ERR_NOMEM : BOB_ERR_CORRUPT;
}

/* --- lookup --- */

const struct bob_source_row *bob_source_row_at(const struct bob_source *s, uint64_t pc)
{
	size_t i = BOB_COUNT_BELOW(s->row, s->rows, struct bob_source_row, pc, pc);

	return i < s->rows && s->row[i].pc == pc ? &s->row[i] : NULL;
}

const struct bob_source_object *bob_source_object_at(const struct bob_source_object *o,
						     size_t count, uint64_t addr)
{
	size_t n = BOB_COUNT_UP_TO(o, count, struct bob_source_object, addr, addr);

	return n && addr - o[n - 1].addr < o[n - 1].size ? &o[n - 1] : NULL;
}
