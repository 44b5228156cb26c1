/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of events of one thread: reserves a record in the current record buffer, publishes it with
 * one store, and folds and commits full buffers. */
#include "archive/write/event_write.h"

#include <string.h>

#include "archive/write/event_fold.h"

#define DATA_FIRST (4096u - sizeof(struct bob_chunk_head))
#define DEFS_BYTES_MAX (256u << 10)
#define RAW_FIRST ((64u << 10) - sizeof(struct bob_chunk_head))
#define RAW_MAX ((1u << 20) - sizeof(struct bob_chunk_head))

struct def {
	struct bob_event_layout layout;
	uint32_t part;		/* folder part in which it has shapes, + 1; 0: none */
	uint32_t shape[1 + BOB_EVENT_VECTORS_MAX];
	const uint64_t *record;	/* its values in the file */
};

struct bob_event_writer {
	struct bob_event_buffer now; /* first member: the inline functions cast to it */
	struct bob_fold_writer out;
	struct bob_folder *folder; /* NULL: flat */
	bob_event_zero_fn zero;	/* NULL: memset */
	bob_event_run_fn run;	/* NULL: call directly */
	struct bob_record_buffers buffers;
	struct bob_chunk_head *raw; /* flat: the newest chunk; NULL: none yet */
	uint64_t raw_words;	/* words before it */
	const uint64_t *folded; /* records of the newest buffer before this are in the folder */
	uint32_t part;		/* current part of the folder */
	bob_status failed;	/* recording has stopped; the contents of the log stay there */
	uint32_t first;		/* number of def[0] */
	uint32_t defs;
	struct bob_chunk_head *file_defs; /* newest chunk of definitions */
	struct def def[BOB_EVENT_DEFS_MAX];
};

static size_t rounded(size_t n)
{
	return (n + 63) & ~(size_t)63;
}

size_t bob_event_writer_size(void)
{
	return rounded(sizeof(struct bob_event_writer)) + bob_folder_size();
}

bob_status bob_event_writer_begin(void *mem, bob_fold_chunk_fn chunk, void *ctx, uint32_t stream,
				  struct bob_event_writer **out)
{
	struct bob_event_writer *w = mem;
	bob_status st = bob_fold_writer_begin(&w->out, chunk, ctx, stream, DATA_FIRST);

	if (st != BOB_OK)
		return st;
	w->folder = bob_folder_begin((uint8_t *)mem + rounded(sizeof(*w)), bob_fold_writer_data,
				     &w->out);
	*out = w;
	return BOB_OK;
}

bob_status bob_event_writer_begin_flat(void *mem, bob_fold_chunk_fn chunk, void *ctx,
				       uint32_t stream, struct bob_event_writer **out)
{
	struct bob_event_writer *w = mem;

	w->out.chunk = chunk;
	w->out.ctx = ctx;
	w->out.stream = stream;
	*out = w;
	return BOB_OK;
}

/* --- definitions --- */

/* Values of its record, without the header. */
static uint64_t def_values(const struct bob_event_def *d)
{
	return 1 + d->layout.vectors + bob_event_padded(d->key_len) + d->depth;
}

/* Reserves space for a definition in the file. */
static uint64_t *def_space(struct bob_event_writer *w, uint64_t values)
{
	struct bob_chunk_head *c = w->file_defs;
	uint64_t size = c ? 2 * (c->size + sizeof(*c)) - sizeof(*c) : DATA_FIRST, off;

	if (c && c->size - c->len >= 8 * values)
		return (uint64_t *)(void *)((uint8_t *)bob_chunk_data(c) + c->len);
	size = size > DEFS_BYTES_MAX ? DEFS_BYTES_MAX : size;
	c = w->out.chunk(w->out.ctx, BOB_CHUNK_EVENT_DEFS, w->out.stream, size, w->first + w->defs,
			 &off);
	if (!c)
		return NULL;
	w->file_defs = c;
	return bob_chunk_data(c);
}

static void write_def(uint64_t *to, uint32_t number, const struct bob_event_def *d)
{
	uint64_t *v = to + 1;

	*v++ = d->layout.words | (uint64_t)d->layout.vectors << 8 | (uint64_t)d->key_len << 16 |
	       (uint64_t)d->depth << 32;
	for (uint32_t i = 0; i < d->layout.vectors; i++)
		*v++ = d->layout.vector[i].length | (uint64_t)d->layout.vector[i].words << 8;
	if (d->key_len)
		memcpy(v, d->key, d->key_len); /* the file has zeros after it */
	v += bob_event_padded(d->key_len);
	if (d->depth)
		memcpy(v, d->place, 8ull * d->depth);
	*to = BOB_EVENT_HEADER | BOB_EVENT_COMPLETE | def_values(d) << 32 | number;
}

bob_status bob_event_writer_define(struct bob_event_writer *w, const struct bob_event_def *d,
				   uint32_t *number)
{
	struct def *to = &w->def[w->defs];
	uint64_t values = 1 + def_values(d), *record;

	if (!bob_event_is_layout(&d->layout) || d->key_len > BOB_EVENT_KEY_MAX ||
	    d->depth > BOB_EVENT_DEPTH_MAX)
		return BOB_ERR_INVAL;
	if (w->defs == BOB_EVENT_DEFS_MAX)
		return BOB_ERR_FULL;
	*number = w->first + w->defs;
	record = *number < BOB_EVENT_NUMBER_MAX ? def_space(w, values) : NULL;
	if (!record) {
		w->failed = BOB_ERR_FULL;
		w->now.end = w->now.at; /* there is no space for later events, either */
		return BOB_ERR_FULL;
	}
	write_def(record, *number, d);
	bob_chunk_set_len(w->file_defs, w->file_defs->len + 8 * values);
	memset(to, 0, sizeof(*to));
	to->layout = d->layout;
	to->record = record + 1;
	w->defs++;
	return BOB_OK;
}

bob_status bob_event_writer_says(const struct bob_event_writer *w, uint32_t number,
				 struct bob_event_def *def)
{
	const uint64_t *record;

	if (number < w->first || number - w->first >= w->defs)
		return BOB_NONE;
	record = w->def[number - w->first].record;
	return bob_event_def_read(record, record[-1] >> 32 & BOB_EVENT_LENGTH_MAX, def);
}

/* --- folding --- */

static bob_status make_shapes(struct bob_event_writer *w, struct def *d)
{
	struct bob_event_def said;
	bob_status st = bob_event_writer_says(w, w->first + (uint32_t)(d - w->def), &said);

	if (st == BOB_OK)
		st = bob_event_shapes(w->folder, &said, 0, d->shape);
	if (st == BOB_OK)
		d->part = w->part + 1;
	return st;
}

void bob_event_writer_zero(struct bob_event_writer *w, bob_event_zero_fn zero)
{
	w->zero = zero;
}

void bob_event_writer_run(struct bob_event_writer *w, bob_event_run_fn run)
{
	w->run = run;
}

static void begin_part(struct bob_event_writer *w)
{
	if (w->zero) {
		bob_folder_end(w->folder);
		w->zero(w->folder, bob_folder_size());
		w->folder = bob_folder_begin(w->folder, bob_fold_writer_data, &w->out);
	} else {
		bob_folder_again(w->folder);
	}
	w->part++;
}

static __attribute__((noinline)) bob_status need_shapes(struct bob_event_writer *w, struct def *d)
{
	bob_status st = make_shapes(w, d);

	if (st != BOB_ERR_FULL)
		return st;
	begin_part(w);
	return make_shapes(w, d);
}

static bob_status fold_event(struct bob_event_writer *w, struct def *d, const uint64_t *word)
{
	bob_status st = d->part == w->part + 1 ? BOB_OK : need_shapes(w, d);

	if (st != BOB_OK)
		return st;
	if (d->layout.vectors)
		bob_event_fold(w->folder, &d->layout, d->shape, word);
	else
		bob_folder_put(w->folder, d->shape[0], word);
	return BOB_OK;
}

/* Folds the complete records of the newest buffer. The buffer does not change: for readers of the
 * file its records are not folded yet. */
static bob_status fold_complete(struct bob_event_writer *w)
{
	bob_status st = BOB_OK;

	while (w->folded < w->now.at && st == BOB_OK) {
		const uint64_t *v = w->folded, len = *v >> 32 & BOB_EVENT_LENGTH_MAX;

		st = fold_event(w, &w->def[(uint32_t)*v - w->first], v + 1);
		if (st == BOB_OK)
			w->folded += 1 + len;
	}
	return st;
}

/* Folds the newest buffer, which is full. */
static bob_status fold_buffer(struct bob_event_writer *w)
{
	size_t capacity;
	const uint64_t *begin = bob_record_buffers_newest(&w->buffers, &capacity);
	bob_status st;

	if (!begin)
		return BOB_OK;
	st = fold_complete(w);
	if (st == BOB_OK || w->folded > begin)
		bob_record_buffers_folded(&w->buffers, (size_t)(w->folded - begin));
	return st;
}

uint64_t bob_event_writer_values(const struct bob_event_writer *w)
{
	size_t capacity;
	const uint64_t *begin = w->folder ? bob_record_buffers_newest(&w->buffers, &capacity) :
					    NULL;

	return w->buffers.position +
	       (begin && w->now.at > begin ? (uint64_t)(w->now.at - begin) : 0);
}

bob_status bob_event_writer_so_far(struct bob_event_writer *w, bob_fold_write_fn write, void *ctx)
{
	bob_status st = w->folder ? w->failed : BOB_ERR_INVAL;

	if (st == BOB_OK)
		st = fold_complete(w);
	return st == BOB_OK ? bob_fold_writer_so_far(&w->out, w->folder, write, ctx) : st;
}

/* --- records --- */

static bob_status commit(struct bob_event_writer *w, int keep)
{
	bob_status st = bob_fold_writer_commit(&w->out, w->folder, w->buffers.position, NULL, 0);

	if (st == BOB_OK)
		bob_record_buffers_committed(&w->buffers, keep);
	return st;
}

/* Sets the used length of the newest RAW chunk. */
static void end_raw(struct bob_event_writer *w)
{
	uint64_t words;

	if (!w->raw)
		return;
	words = (uint64_t)(w->now.at - (uint64_t *)bob_chunk_data(w->raw));
	bob_chunk_set_len(w->raw, 8 * words);
	w->raw_words += words;
	w->raw = NULL;
}

static uint64_t *next_raw(struct bob_event_writer *w, uint64_t need)
{
	struct bob_chunk_head *c = w->raw;
	uint64_t bytes = c ? 2 * (c->size + sizeof(*c)) - sizeof(*c) : RAW_FIRST, off;

	bytes = bytes > RAW_MAX ? RAW_MAX : bytes;
	while (bytes < 8 * need)
		bytes *= 2;
	end_raw(w);
	c = w->out.chunk(w->out.ctx, BOB_CHUNK_RAW, w->out.stream, bytes, w->raw_words, &off);
	if (!c)
		return NULL;
	w->raw = c;
	w->now.end = (uint64_t *)bob_chunk_data(c) + c->size / 8;
	return bob_chunk_data(c);
}

/* `st`: result of the previous step; after a failure recording stops. */
static bob_status enter_buffer(struct bob_event_writer *w, uint64_t need, bob_status st)
{
	if (st == BOB_OK) {
		w->now.at = w->folder ? bob_record_buffers_next(&w->buffers, &w->out, need * 8,
								&w->now.end) :
					next_raw(w, need);
		st = w->now.at ? BOB_OK : BOB_ERR_FULL;
	}
	if (st != BOB_OK) {
		w->failed = st;
		w->now.at = w->now.end = NULL;
		w->now.dirty = 0;
	}
	w->folded = w->now.at;
	return st;
}

struct step {
	struct bob_event_writer *w;
	uint64_t need;
	int keep;
	bob_status result;
};

static void leave_buffer(void *step)
{
	struct step *s = step;
	struct bob_event_writer *w = s->w;
	bob_status st = w->folder ? fold_buffer(w) : BOB_OK;

	if (w->folder && st == BOB_OK && bob_record_buffers_are_full(&w->buffers, w->folder))
		st = commit(w, s->keep);
	s->result = enter_buffer(w, s->need, st);
}

static void end_part(void *step)
{
	struct step *s = step;
	bob_status st = fold_buffer(s->w);

	if (st == BOB_OK) {
		begin_part(s->w);
		st = commit(s->w, 0);
	}
	s->result = enter_buffer(s->w, 1, st);
}

static bob_status run(void (*fn)(void *step), struct step *s)
{
	if (s->w->run)
		s->w->run(fn, s);
	else
		fn(s);
	return s->result;
}

static __attribute__((noinline)) bob_status next_buffer(struct bob_event_writer *w, uint64_t need,
							int keep)
{
	struct step s = { .w = w, .need = need, .keep = keep };

	return run(leave_buffer, &s);
}

/* Makes space for the open event with `words` values. */
static inline bob_status ensure_space(struct bob_event_writer *w, uint64_t words, int keep)
{
	if (__builtin_expect((uint64_t)(w->now.end - w->now.at) < 1 + words, 0) &&
	    w->failed == BOB_OK)
		return next_buffer(w, 1 + words, keep);
	return w->failed;
}

/* Clears an event that was begun and not put, so that readers of the log find no header in it. */
static __attribute__((noinline, cold)) void wipe(struct bob_event_writer *w)
{
	__atomic_store_n(w->now.at, 0, __ATOMIC_RELEASE);
	memset(w->now.at + 1, 0, 8 * (w->now.dirty - 1));
	w->now.dirty = 0;
}

static inline void drop(struct bob_event_writer *w)
{
	if (__builtin_expect(w->now.dirty != 0, 0))
		wipe(w);
}

bob_status bob_event_writer_forget(struct bob_event_writer *w)
{
	bob_status st = w->failed;

	drop(w);
	if (st == BOB_OK && w->folder)
		st = next_buffer(w, 1, 0);
	w->first += w->defs;
	w->defs = 0;
	return st;
}

bob_status bob_event_writer_cut(struct bob_event_writer *w)
{
	struct step s = { .w = w, .result = w->folder ? w->failed : BOB_ERR_INVAL };

	if (s.result != BOB_OK)
		return s.result;
	drop(w);
	return run(end_part, &s);
}

uint64_t *bob_event_writer_enter(struct bob_event_writer *w, uint32_t number, uint32_t words,
				 bob_status *why)
{
	drop(w);
	w->now.number = number;
	*why = words <= BOB_EVENT_LENGTH_MAX ? ensure_space(w, words, 0) : BOB_ERR_FULL;
	if (*why != BOB_OK)
		return NULL;
	w->now.dirty = 1 + words;
	return w->now.at + 1;
}

uint64_t *bob_event_writer_more(struct bob_event_writer *w, uint32_t have, uint32_t words,
				bob_status *why)
{
	const uint64_t *old = w->now.at;

	*why = BOB_OK;
	if ((uint64_t)(w->now.end - w->now.at) <= words) {
		*why = words <= BOB_EVENT_LENGTH_MAX ? ensure_space(w, words, 1) : BOB_ERR_FULL;
		if (*why != BOB_OK)
			return NULL;
	}
	w->now.dirty = 1 + words;
	if (w->now.at == old)
		return w->now.at + 1;
	memcpy(w->now.at + 1, old + 1, 8ull * have);
	if (*old) {
		uint32_t begun = (uint32_t)(*old >> 32 & BOB_EVENT_LENGTH_MAX);

		bob_event_writer_begun(w, begun < have ? begun : have); /* only these were copied */
	}
	return w->now.at + 1;
}

void bob_event_writer_rename(struct bob_event_writer *w, uint32_t number)
{
	w->now.number = number;
}

static inline bob_status complete(struct bob_event_buffer *r, uint32_t words)
{
	__atomic_store_n(r->at,
			 BOB_EVENT_HEADER | BOB_EVENT_COMPLETE | (uint64_t)words << 32 | r->number,
			 __ATOMIC_RELEASE);
	r->at += 1 + words;
	r->dirty = 0;
	return BOB_OK;
}

/* The event has vectors, or an unexpected number of words. */
static __attribute__((noinline)) bob_status put_other(struct bob_event_writer *w, uint32_t words)
{
	const struct bob_event_layout *l = &w->def[w->now.number - w->first].layout;

	if (words < l->words || !l->vectors || bob_event_length(l, w->now.at + 1) != words) {
		drop(w);
		return BOB_ERR_INVAL;
	}
	return complete(&w->now, words);
}

bob_status bob_event_writer_put(struct bob_event_writer *w, uint32_t words)
{
	const struct bob_event_layout *l = &w->def[w->now.number - w->first].layout;

	return __builtin_expect(words != l->words || l->vectors, 0) ? put_other(w, words) :
								      complete(&w->now, words);
}

bob_status bob_event_writer_end(struct bob_event_writer *w)
{
	bob_status st;

	if (!w->folder) {
		end_raw(w);
		return w->failed;
	}
	st = w->failed == BOB_OK ? fold_buffer(w) : w->failed;
	if (st != BOB_OK) /* the records stay in the log */
		return st;
	bob_folder_end(w->folder);
	return bob_fold_writer_end(&w->out, w->buffers.position);
}
