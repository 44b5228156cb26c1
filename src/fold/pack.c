/* SPDX-License-Identifier: BSD-3-Clause */
/* Encodes a folded trace; unpack.c decodes it.
 *
 *     packed:   version (1 byte)
 *               varint paths, per path: parent, zigzag (place - place of the previous path)
 *               varint shapes, per shape: path, words, bytes of the key, key
 *               varint loops, per loop: items, item ...
 *               varint parts; series of ids, of segments, of events
 *               varint sets, per set: members, series of them
 *               varint profiles, per profile: set, base + 1 or 0, bytes, series (profiles.h);
 *               0 bytes: the series is the next one of the separate bytes: bytes, series
 *               list of spines, list of values
 *               per column with sharings: 2 * (number - previous number), list; or, + 1, only the
 *               bytes of its single sharing, of set 0; at the end a 0 byte
 *     under a tree (signatures.h) the version differs and paths are numbers in the tree
 *     list:     varint sharings, per sharing: set, bytes, the bytes
 *
 * The bytes are written in blocks. Columns are numbered from 1 here. Series and groups: group.h.
 * Integers are varints. */
#include <string.h>

#include "base/varint.h"
#include "fold/folded.h"
#include "fold/series.h"
#include "fold/signatures.h"

static void put_paths(struct bob_buffer *b, const struct bob_tables *t)
{
	uint64_t before = 0;

	bob_buffer_varint(b, t->path_count - 1);
	for (uint32_t i = 1; i < t->path_count; i++) {
		bob_buffer_varint(b, t->path[i].parent);
		bob_buffer_signed(b, t->path[i].place - before);
		before = t->path[i].place;
	}
}

static void put_tables(struct bob_buffer *b, const struct bob_tables *t)
{
	bob_buffer_varint(b, t->shape_count);
	for (uint32_t i = 0; i < t->shape_count; i++) {
		bob_buffer_varint(b, t->shape[i].path);
		bob_buffer_varint(b, t->shape[i].words);
		bob_buffer_varint(b, t->shape[i].key_len);
		bob_buffer_put(b, t->shape[i].key, t->shape[i].key_len);
	}
	bob_buffer_varint(b, t->loop_count);
	for (uint32_t i = 0; i < t->loop_count; i++) {
		bob_buffer_varint(b, t->loop[i].len);
		for (uint32_t k = 0; k < t->loop[i].len; k++)
			bob_buffer_varint(b, t->loop[i].item[k]);
	}
}

static void put_list_of(struct bob_buffer *b, const struct bob_list *l)
{
	struct bob_series_writer w;
	struct bob_list_walk walk;

	bob_series_begin(&w, &b->alloc);
	bob_list_begin(&walk, l, 0);
	for (uint32_t i = 0; i < l->count; i++)
		bob_series_add(&w, bob_list_next(&walk));
	bob_series_end(&w, b);
	bob_series_free(&w);
}

#define MUCH (1u << 16) /* bytes that are buffered before they are written */
#define SHORT 12u /* bytes: shorter series stay in the main part */

struct packing {
	const struct bob_fold_tree *tree; /* NULL: the paths are included */
	int (*is_apart)(void *ctx, const struct bob_fold_shift *shift);
	bob_fold_write_fn write, write_apart;
	void *ctx;
	struct bob_buffer b, apart;
};

/* Writes the buffers if they have at least `much` bytes. So little more than a row is buffered. */
static void pass_on(struct packing *p, uint32_t much)
{
	if (p->b.len >= much && !p->b.failed) {
		p->write(p->ctx, p->b.at, p->b.len);
		p->b.len = 0;
	}
	if (p->apart.len >= much && !p->apart.failed) {
		p->write_apart(p->ctx, p->apart.at, p->apart.len);
		p->apart.len = 0;
	}
}

static void put_parts(struct packing *p, const struct bob_folded *f)
{
	bob_buffer_varint(&p->b, f->part_count);
	put_list_of(&p->b, &f->id);
	put_list_of(&p->b, &f->segment);
	put_list_of(&p->b, &f->events);
	bob_buffer_varint(&p->b, f->set_count);
	for (uint32_t i = 0; i < f->set_count; i++) {
		bob_buffer_varint(&p->b, f->set[i].count);
		put_list_of(&p->b, &f->set[i]);
		pass_on(p, MUCH);
	}
}

static uint64_t *numbers(const struct bob_buffer *b, uint32_t n)
{
	return b->alloc.resize(b->alloc.ctx, NULL, 0, ((size_t)n + 1) * sizeof(uint64_t));
}

static void free_numbers(const struct bob_buffer *b, uint64_t *v, uint32_t n)
{
	b->alloc.resize(b->alloc.ctx, v, ((size_t)n + 1) * sizeof(uint64_t), 0);
}

/* Reads the values of a profile and calls is_apart. Returns -1 if they are unreadable. */
static int read_apart(const struct packing *p, const struct bob_fold_bytes *series,
		      struct bob_fold_shift *s, uint64_t *value)
{
	struct bob_series_reader r;
	bob_status st = bob_series_open(&r, &p->b.alloc, series->at, series->at + series->len);

	for (uint32_t i = 0; i < s->count && st == BOB_OK; i++)
		st = bob_series_next(&r, &value[i]);
	bob_series_close(&r);
	s->value = value;
	return st == BOB_OK ? p->is_apart(p->ctx, s) : -1;
}

static int goes_apart(const struct packing *p, const struct bob_folded *f,
		      const struct bob_fold_profile *profile)
{
	struct bob_fold_shift s = { .count = f->set[profile->set].count, .uses = profile->uses,
				    .trips = profile->trips };
	uint64_t *value = numbers(&p->b, s.count);
	int apart = value ? read_apart(p, &profile->series, &s, value) : -1;

	if (value)
		free_numbers(&p->b, value, s.count);
	return apart;
}

static void put_bytes(struct bob_buffer *b, const struct bob_fold_bytes *bytes)
{
	bob_buffer_varint(b, bytes->len);
	bob_buffer_put(b, bytes->at, bytes->len);
}

static void put_profiles(struct packing *p, const struct bob_folded *f)
{
	bob_buffer_varint(&p->b, f->profile_count);
	for (uint32_t i = 0; i < f->profile_count; i++) {
		const struct bob_fold_profile *profile = &f->profile[i];
		int apart = p->is_apart && profile->series.len > SHORT ? goes_apart(p, f, profile) :
									 0;

		bob_buffer_varint(&p->b, profile->set);
		bob_buffer_varint(&p->b, profile->base);
		if (apart)
			bob_buffer_varint(&p->b, 0);
		put_bytes(apart ? &p->apart : &p->b, &profile->series);
		p->b.failed |= apart < 0;
		pass_on(p, MUCH);
	}
}

static void put_list(struct bob_buffer *b, const struct bob_folded *f, uint32_t list)
{
	uint32_t n = 0;

	for (uint32_t s = list; s; s = f->sharing[s - 1].next)
		n++;
	bob_buffer_varint(b, n);
	for (uint32_t s = list; s; s = f->sharing[s - 1].next) {
		bob_buffer_varint(b, f->sharing[s - 1].set);
		put_bytes(b, &f->sharing[s - 1].bytes);
	}
}

static void put_column(struct bob_buffer *b, const struct bob_folded *f, uint32_t list,
		       uint32_t step)
{
	const struct bob_fold_sharing *s = &f->sharing[list - 1];

	if (s->next || s->set) {
		bob_buffer_varint(b, (uint64_t)step * 2);
		put_list(b, f, list);
		return;
	}
	bob_buffer_varint(b, (uint64_t)step * 2 + 1);
	put_bytes(b, &s->bytes);
}

static void put_columns(struct packing *p, const struct bob_folded *f)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < f->column_count; i++)
		if (f->column[i]) {
			put_column(&p->b, f, f->column[i], i + 1 - before);
			before = i + 1;
			pass_on(p, MUCH);
		}
	bob_buffer_varint(&p->b, 0);
}

static bob_status put_all(struct packing *p, const struct bob_folded *f)
{
	bob_status st = BOB_OK;

	bob_buffer_varint(&p->b, p->tree ? BOB_PACK_UNDER : BOB_PACK_VERSION);
	if (p->tree)
		st = bob_tree_put_paths(p->tree, &f->tables, &p->b);
	else
		put_paths(&p->b, &f->tables);
	put_tables(&p->b, &f->tables);
	put_parts(p, f);
	put_profiles(p, f);
	put_list(&p->b, f, f->spines);
	put_list(&p->b, f, f->values);
	put_columns(p, f);
	return st == BOB_OK && (p->b.failed || p->apart.failed) ? BOB_ERR_NOMEM : st;
}

static bob_status pack(struct packing *p, const struct bob_folded *f)
{
	const struct bob_fold_source from = { .folded = f };
	struct bob_folded *u = NULL;
	bob_status st = BOB_OK;

	p->b.alloc = p->apart.alloc = f->tables.blocks.alloc;
	if (!f->is_merged)
		st = bob_folded_merge_all(&from, 1, &p->b.alloc, &u);
	if (st != BOB_OK)
		return st;
	st = put_all(p, u ? u : f);
	if (st == BOB_OK)
		pass_on(p, 1);
	bob_buffer_free(&p->b);
	bob_buffer_free(&p->apart);
	bob_folded_close(u);
	return st;
}

bob_status bob_folded_pack_apart(const struct bob_folded *f,
				 int (*is_apart)(void *ctx, const struct bob_fold_shift *shift),
				 bob_fold_write_fn write, bob_fold_write_fn write_apart, void *ctx)
{
	struct packing p = { .is_apart = is_apart, .write = write, .write_apart = write_apart,
			     .ctx = ctx };

	return pack(&p, f);
}

bob_status bob_folded_pack(const struct bob_folded *f, bob_fold_write_fn write, void *ctx)
{
	return bob_folded_pack_apart(f, NULL, write, NULL, ctx);
}

bob_status bob_folded_pack_under(const struct bob_folded *f, const struct bob_fold_tree *tree,
				 bob_fold_write_fn write, void *ctx)
{
	struct packing p = { .tree = tree, .write = write, .ctx = ctx };

	return pack(&p, f);
}
