/* SPDX-License-Identifier: BSD-3-Clause */
/* Iteration over the memory records of a stream: first the folded ones, then the raw chunks, in
 * place. A reader keeps only its position, so its memory does not depend on the size of the
 * trace. */
#include <stdlib.h>
#include <string.h>

#include "archive/folds.h"
#include "archive/reader.h"
#include "base/host/vec.h"
#include "base/order.h"

struct raw_chunk {
	uint32_t stream;
	struct bob_raw_ref ref;
};

struct raw_chunks {
	BOB_VEC(struct raw_chunk);
};

BOB_COMPARE(by_stream_place, struct raw_chunk, BOB_UP(stream) BOB_UP(ref.at) BOB_UP(ref.off))

/* Assigns to each stream its sorted chunks, without overlaps. */
static void share(struct bob_trace *t, struct bob_process *p, const struct raw_chunk *raw,
		  size_t count)
{
	size_t used = 0, k = 0;

	for (size_t i = 0; i < p->stream_count; i++) {
		struct bob_stream *s = p->streams[i];
		uint64_t end = 0;

		s->raws = p->raws + used;
		for (; k < count && raw[k].stream <= s->number; k++) {
			if (raw[k].stream < s->number) {
				bob_problem_add(t, p->file, raw[k].ref.off,
						"memory records without a thread", 1);
				continue;
			}
			if (raw[k].ref.at < end || raw[k].ref.words > UINT64_MAX - raw[k].ref.at) {
				bob_problem_add(t, p->file, raw[k].ref.off,
						"memory records for a place that has some", 1);
				continue;
			}
			/* it is unknown how much of an open chunk was used */
			end = raw[k].ref.at + (raw[k].ref.open ? 0 : raw[k].ref.words);
			p->raws[used++] = raw[k].ref;
			s->raw_count++;
		}
	}
	for (; k < count; k++)
		bob_problem_add(t, p->file, raw[k].ref.off, "memory records without a thread", 1);
}

int bob_stream_has_raw(const struct bob_stream *s)
{
	for (size_t i = 0; i < s->raw_count; i++) {
		uint64_t first = 0;

		if (s->raws[i].words)
			memcpy(&first, s->file->bytes + s->raws[i].off, sizeof(first));
		if (!s->raws[i].open || first & BOB_MEM_HEADER)
			return 1;
	}
	return 0;
}

void bob_records_open(struct bob_records *r, const struct bob_process *p,
		      const struct bob_stream *s)
{
	memset(r, 0, sizeof(*r));
	r->p = p;
	r->s = s;
	r->unfolded = !s->folded;
	r->restricted = s->stretch != NULL;
	if (s->stretch)
		r->stretch = *s->stretch;
}

void bob_records_close(struct bob_records *r)
{
	free(r->copy);
	r->copy = NULL;
	bob_mem_unfold_close(r->unfold);
	r->unfold = NULL;
}

uint64_t bob_records_where(const struct bob_records *r)
{
	return r->chunk < r->s->raw_count ? r->s->raws[r->chunk].off + 8 * r->at : 0;
}

/* --- folded records --- */

static void end_folded(struct bob_records *r)
{
	bob_mem_unfold_close(r->unfold);
	r->unfold = NULL;
	r->unfolded = 1;
	r->expected = r->s->raw_count ? r->s->raws[0].at : 0;
}

void bob_records_skip_folded(struct bob_records *r)
{
	end_folded(r);
}

/* BOB_NONE: no more folded records. */
static bob_status next_folded(struct bob_records *r, struct bob_mem_record *out,
			      struct bob_error *err)
{
	struct bob_mem_unfolded u;
	bob_status st = BOB_OK;

	if (!r->unfold && bob_folded_count(r->s->folded))
		st = bob_mem_unfold_open(r->s->folded, r->s->participant, bob_desc_finder,
					 (void *)(uintptr_t)r->p, &bob_alloc_malloc, &r->unfold);
	if (st == BOB_OK)
		st = r->unfold ? bob_mem_unfold_next(r->unfold, &u) : BOB_END;
	if (st == BOB_OK) {
		*out = (struct bob_mem_record){ u.desc, u.number, u.word, u.count, r->index++,
						 r->lost };
		r->lost = 0;
		return BOB_OK;
	}
	if (st == BOB_ERR_NOMEM)
		return bob_fail(err, st, NULL, 0, "no memory");
	end_folded(r);
	if (st == BOB_END)
		return BOB_NONE;
	r->lost = 1;
	return bob_fail(err, BOB_ERR_CORRUPT, r->s->file, 0,
			"folded memory records are not what they say");
}

/* --- raw records --- */

/* The words of the current chunk. Mapped files are aligned; others are copied. NULL: no memory. */
static const uint64_t *words_of(struct bob_records *r)
{
	const struct bob_raw_ref *c = &r->s->raws[r->chunk];
	const uint8_t *p = r->s->file->bytes + c->off;

	if ((uintptr_t)p % sizeof(uint64_t) == 0)
		return (const uint64_t *)(const void *)p;
	if (r->copy_of != r->chunk + 1) {
		uint64_t *copy = realloc(r->copy, c->words * 8 + 1);

		if (!copy)
			return NULL;
		memcpy(copy, p, c->words * 8);
		r->copy = copy;
		r->copy_of = r->chunk + 1;
	}
	return r->copy;
}

static void next_chunk(struct bob_records *r)
{
	r->expected = r->s->raws[r->chunk].at + r->at;
	r->chunk++;
	r->at = 0;
}

/* Skips the rest of the chunk after damage. */
static bob_status give_up(struct bob_records *r, const char *text, struct bob_error *err)
{
	uint64_t where = bob_records_where(r);

	r->lost = 1;
	r->at = r->s->raws[r->chunk].words;
	next_chunk(r);
	return bob_fail(err, BOB_ERR_CORRUPT, r->s->file, where, text);
}

static bob_status next_raw(struct bob_records *r, struct bob_mem_record *out, struct bob_error *err)
{
	const struct bob_raw_ref *c;
	const uint64_t *word;
	uint64_t header;

	for (;;) {
		if (r->chunk == r->s->raw_count)
			return BOB_END;
		c = &r->s->raws[r->chunk];
		if (!r->at && c->at != r->expected) {
			r->lost = 1;
			r->expected = c->at;
			return bob_fail(err, BOB_ERR_CORRUPT, r->s->file, c->off,
					"memory records before these are missing");
		}
		word = words_of(r);
		if (!word)
			return bob_fail(err, BOB_ERR_NOMEM, NULL, 0, "no memory");
		header = r->at < c->words ? word[r->at] : 0;
		if (r->at < c->words && !(c->open && !(header & BOB_MEM_HEADER)))
			break;
		next_chunk(r);
	}
	out->desc = bob_desc_find(r->p, header & BOB_MEM_NUMBER);
	if (!(header & BOB_MEM_HEADER) || !out->desc)
		return give_up(r, "a memory record of no descriptor", err);
	out->number = (uint32_t)(header & BOB_MEM_NUMBER);
	out->word = word + r->at + 1;
	if (bob_mem_record_count(out->desc, out->word, c->words - r->at - 1, c->open,
				 &out->count) != BOB_OK)
		return give_up(r, "a memory record is cut off", err);
	out->index = r->index++;
	out->lost = r->lost;
	r->lost = 0;
	r->at += 1 + out->count;
	return BOB_OK;
}

bob_status bob_records_next(struct bob_records *r, struct bob_mem_record *out,
			    struct bob_error *err)
{
	bob_status st;

	if (!r->unfolded) {
		st = next_folded(r, out, err);
		if (st != BOB_NONE)
			return st;
	}
	do {
		st = next_raw(r, out, err);
		if (st == BOB_ERR_CORRUPT)
			bob_stretch_lost(&r->stretch);
	} while (st == BOB_OK && r->restricted &&
		 !bob_stretch_takes(&r->stretch, out->desc, out->word));
	return st;
}

/* The used size of an open chunk follows only from its records. */
static uint64_t used_bytes(const struct bob_process *p, const struct bob_stream *s)
{
	struct bob_mem_record rec;
	struct bob_records r;
	uint64_t words = 0;

	bob_records_open(&r, p, s);
	r.unfolded = 1;
	for (size_t i = 0; i < s->raw_count; i++) {
		if (!s->raws[i].open) {
			words += s->raws[i].words;
			continue;
		}
		r.chunk = i;
		r.at = 0;
		r.expected = s->raws[i].at;
		while (bob_records_next(&r, &rec, NULL) == BOB_OK && r.chunk == i)
			words += 1 + rec.count;
	}
	bob_records_close(&r);
	return words * 8;
}

/* Adds the folded records of a stream, and its log, which is raw. */
static bob_status add_folded(struct bob_trace *t, struct bob_process *p, struct bob_stream *s,
			     struct raw_chunks *raw)
{
	struct bob_fold_stream in;
	struct bob_error err = { 0 };
	bob_status st = bob_fold_stream_read(p->file, s->number, &in, &err);

	if (st == BOB_NONE)
		return BOB_OK;
	s->has_log = 1;
	if (st == BOB_ERR_CORRUPT)
		bob_problem_add(t, p->file, err.offset, err.text, 1);
	if (in.bytes) {
		struct bob_folded *folded;

		st = bob_folded_open(in.bytes, in.len, 0, &bob_alloc_malloc, &folded);
		if (st == BOB_OK) {
			s->folded = folded;
			s->info.stream_bytes += in.len;
		} else if (st != BOB_ERR_NOMEM)
			bob_problem_add(t, p->file, s->head_off, "a folded stream cannot be read",
					1);
	}
	for (size_t i = 0; i < in.log_count && st != BOB_ERR_NOMEM; i++) {
		const struct bob_fold_log *l = &in.log[i];

		if (BOB_VEC_ADD(raw, (struct raw_chunk){ s->number,
						      { l->position, l->off, l->count, 1 } })) {
			st = BOB_ERR_NOMEM;
			break;
		}
	}
	bob_fold_stream_free(&in);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

static bob_status add_raw(const struct bob_file *f, struct raw_chunks *raw)
{
	for (size_t i = 0; i < f->chunk_count; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];
		int open = !(c->head.flags & BOB_CHUNK_SEALED) && !c->head.len;

		if (c->head.kind != BOB_CHUNK_RAW ||
		    c->head.stream >> BOB_CONTENT_SHIFT != BOB_CONTENT_MEM)
			continue;
		if (BOB_VEC_ADD(raw, (struct raw_chunk){
					     c->head.stream,
					     { c->head.aux, c->off,
					       (open ? c->avail : bob_chunk_len(c)) / 8, open } }))
			return BOB_ERR_NOMEM;
	}
	return BOB_OK;
}

bob_status bob_raws_build(struct bob_trace *t, struct bob_process *p)
{
	struct raw_chunks raw = { 0 };
	bob_status st = add_raw(p->file, &raw);

	for (size_t i = 0; i < p->stream_count && st == BOB_OK && !p->common->merged; i++)
		st = add_folded(t, p, p->streams[i], &raw);
	if (st == BOB_OK && raw.count) {
		p->raws = calloc(raw.count, sizeof(*p->raws));
		if (p->raws) {
			qsort(raw.at, raw.count, sizeof(*raw.at), by_stream_place);
			share(t, p, raw.at, raw.count);
		} else {
			st = BOB_ERR_NOMEM;
		}
	}
	BOB_VEC_FREE(&raw);
	for (size_t i = 0; i < p->stream_count && st == BOB_OK; i++)
		p->streams[i]->info.stream_bytes += used_bytes(p, p->streams[i]);
	return st;
}
