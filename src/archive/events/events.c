/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of events with values (event_write.h): the folded part of a stream, then its log. In the
 * folded trace an event is a leaf, followed by the leaves of its vectors' elements; these are
 * reassembled here. */
#include <stdlib.h>
#include <string.h>

#include "archive/events/event_nests.h"
#include "archive/events/event_values.h"
#include "archive/folds.h"
#include "archive/reader.h"
#include "base/sized.h"

struct bob_value_cursor {
	const struct bob_stream *s;
	const struct bob_event_stream *e;
	struct bob_fold_cursor *fold; /* NULL: not begun, or done */
	int folded_done;
	struct bob_fold_event ahead; /* look-ahead: a leaf of the next event */
	int have_ahead;
	size_t chunk;		/* index in the log */
	uint64_t *log;		/* aligned copy of the chunk; NULL: not yet made */
	size_t at, count;	/* of the copy */
	uint64_t expected;	/* expected position of the next record buffer */
	int lost;
	struct bob_allowance allowed;
	struct bob_event_values words, path; /* of the last event */
	struct bob_event_def said; /* definition of the last event, without its path */
};

/* --- opening a trace --- */

/* Reads the definitions in a chunk, whose values were copied to `v`. */
static bob_status read_defs(struct bob_trace *t, const struct bob_file *f, uint64_t off,
			    struct bob_event_stream *s, const uint64_t *v, size_t count)
{
	const uint64_t most =
		f->size / (2 * sizeof(*v)); /* each has at least a header and a value */

	for (size_t at = 0, len; at < count; at += 1 + len) {
		uint32_t number = (uint32_t)v[at];
		struct bob_event_def d;

		len = v[at] >> 32 & BOB_EVENT_LENGTH_MAX;
		if (!(v[at] & BOB_EVENT_HEADER) || len > count - at - 1 ||
		    number >= BOB_EVENT_NUMBER_MAX || number >= most ||
		    bob_event_def_read(v + at + 1, len, &d) != BOB_OK) {
			bob_problem_add(t, f, off + 8 * at, "a definition of events is damaged", 1);
			break;
		}
		while (s->def_count <= number) {
			if (bob_array_reserve(&s->defs, s->def_count, &s->def_capacity,
					      sizeof(*s->defs)))
				return BOB_ERR_NOMEM;
			memset(&s->defs[s->def_count++], 0, sizeof(*s->defs));
		}
		s->defs[number] = d;
	}
	return BOB_OK;
}

static bob_status add_defs(struct bob_trace *t, const struct bob_file *f, uint32_t number,
			   struct bob_event_stream *s)
{
	const size_t first = bob_chunks_first(f, number);
	const struct bob_chunk_ref *c;
	size_t values = 0, at = 0, i = first;
	bob_status st = BOB_OK;

	while ((c = bob_chunks_next(f, number, &i)))
		if (c->head.kind == BOB_CHUNK_EVENT_DEFS)
			values += bob_chunk_len(c) / 8;
	s->def_values = malloc(8 * values + 8);
	if (!s->def_values)
		return BOB_ERR_NOMEM;
	i = first;
	while (st == BOB_OK && (c = bob_chunks_next(f, number, &i))) {
		size_t n = bob_chunk_len(c) / 8;

		if (c->head.kind != BOB_CHUNK_EVENT_DEFS)
			continue;
		memcpy(s->def_values + at, f->bytes + c->off, 8 * n);
		st = read_defs(t, f, c->off, s, s->def_values + at, n);
		at += n;
	}
	return st;
}

static bob_status add_moments(struct bob_trace *t, const struct bob_file *f, uint32_t number,
			      struct bob_stream *s)
{
	bob_status st = bob_exact_list_own(t, f, number, &s->mpi.own_exact);

	s->mpi.exact = s->mpi.own_exact.at;
	s->mpi.exact_count = s->mpi.own_exact.count;
	s->info.stream_bytes += bob_exact_bytes(f, number);
	return st;
}

/* The position of the next chunk shows how much of a chunk was used; for the last one, which may be
 * open, its records do. */
static uint64_t flat_bytes(const struct bob_file *f, const struct bob_fold_stream *in)
{
	const struct bob_fold_log *last = &in->log[in->log_count - 1];
	uint64_t header, at = 0;

	while (at < last->count) {
		memcpy(&header, f->bytes + last->off + 8 * at, sizeof(header));
		if (!(header & BOB_EVENT_HEADER))
			break;
		at += 1 + (header >> 32 & BOB_EVENT_LENGTH_MAX);
	}
	at = last->position + (at < last->count ? at : last->count);
	return at < f->size / 8 ? 8 * at : f->size;
}

static bob_status add_events(struct bob_trace *t, struct bob_process *p, struct bob_stream *s)
{
	struct bob_fold_stream in;
	struct bob_error err = { 0 };
	struct bob_folded *folded;
	uint32_t number = s->number | (uint32_t)BOB_CONTENT_MPI << BOB_CONTENT_SHIFT;
	bob_status st = bob_fold_stream_read(p->file, number, &in, &err);

	if (st == BOB_NONE) {
		st = bob_raw_stream_read(p->file, number, &in);
		s->mpi.is_flat = in.log_count != 0;
		if (!in.log_count)
			return st;
	}
	if (st == BOB_ERR_NOMEM)
		return st;
	if (add_defs(t, p->file, number, &s->mpi) != BOB_OK ||
	    add_moments(t, p->file, number, s) != BOB_OK) {
		bob_fold_stream_free(&in);
		return BOB_ERR_NOMEM;
	}
	if (st == BOB_ERR_CORRUPT)
		bob_problem_add(t, p->file, err.offset, err.text, 1);
	if (in.bytes) {
		st = bob_folded_open(in.bytes, in.len, 0, &bob_alloc_malloc, &folded);
		if (st == BOB_OK) {
			s->mpi.folded = folded;
			s->info.stream_bytes += in.len;
		} else if (st != BOB_ERR_NOMEM) {
			bob_problem_add(t, p->file, s->head_off, "a folded stream cannot be read",
					1);
		}
	}
	s->mpi.log = in.log;
	s->mpi.log_count = in.log_count;
	if (s->mpi.is_flat)
		s->info.stream_bytes += flat_bytes(p->file, &in);
	in.log = NULL;
	bob_fold_stream_free(&in);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

bob_status bob_events_build(struct bob_trace *t, struct bob_process *p)
{
	bob_status st = BOB_OK;

	for (size_t i = 0; i < p->stream_count && st == BOB_OK && !p->common->events; i++)
		st = add_events(t, p, p->streams[i]);
	return st;
}

void bob_event_stream_free(const struct bob_process *p, struct bob_event_stream *s)
{
	if (!p->common || !p->common->events)
		bob_folded_close((struct bob_folded *)(uintptr_t)s->folded);
	free(s->log);
	free(s->defs);
	free(s->def_values);
	free(s->own_exact.at);
}

/* --- cursor --- */

bob_status bob_value_cursor_open(const struct bob_trace *t, uint32_t thread,
				 enum bob_value_kind kind, struct bob_value_cursor **out,
				 struct bob_error *err)
{
	struct bob_value_cursor *c;
	const struct bob_stream *s;

	if (thread >= t->thread_count || kind != BOB_VALUES_MPI)
		return bob_fail(err, BOB_ERR_INVAL, NULL, 0, "no such thread");
	s = t->threads[thread];
	if (!s->mpi.folded && !s->mpi.log_count)
		return bob_fail(err, BOB_NONE, s->file, 0, "the thread has no such events");
	c = calloc(1, sizeof(*c));
	if (!c)
		return bob_fail(err, BOB_ERR_NOMEM, s->file, 0, "no memory");
	c->s = s;
	c->e = &s->mpi;
	c->folded_done = !s->mpi.folded;
	c->allowed = bob_allowance_of(t);
	*out = c;
	return BOB_OK;
}

void bob_value_cursor_close(struct bob_value_cursor *c)
{
	if (!c)
		return;
	bob_fold_cursor_close(c->fold);
	free(c->log);
	bob_event_values_free(&c->words);
	bob_event_values_free(&c->path);
	free(c);
}

static bob_status damaged(const struct bob_value_cursor *c, uint64_t off, struct bob_error *err,
			  const char *text)
{
	return bob_fail(err, BOB_ERR_CORRUPT, c->s->file, off, text);
}

/* --- folded events --- */

static bob_status next_leaf(struct bob_value_cursor *c, struct bob_fold_event *leaf)
{
	if (!c->have_ahead)
		return bob_fold_cursor_next(c->fold, leaf);
	*leaf = c->ahead;
	c->have_ahead = 0;
	return BOB_OK;
}

/* Collects the elements of all vectors, which follow the words. */
static bob_status gather(struct bob_value_cursor *c, const struct bob_event_def *d,
			 struct bob_error *err)
{
	if (!bob_event_length(&d->layout, c->words.at) && d->layout.words)
		return damaged(c, 0, err, "an event is longer than events are");
	for (uint32_t i = 0; i < d->layout.vectors; i++) {
		uint64_t n = bob_event_elements(&d->layout, i, c->words.at);
		uint32_t words = bob_event_element_words(&d->layout, i);

		for (; n; n--) {
			struct bob_fold_shape s;
			bob_status st = bob_fold_cursor_next(c->fold, &c->ahead);

			if (st != BOB_OK)
				return st == BOB_ERR_NOMEM ?
					       st :
					       damaged(c, 0, err, "an event's vector is cut off");
			bob_folded_shape(c->e->folded, c->ahead.shape, &s);
			if (!bob_event_is_element(s.key, s.key_len, i, words) || s.words != words) {
				c->have_ahead = 1;
				return damaged(c, 0, err, "an event's vector is cut off");
			}
			if (!bob_event_values_add(&c->words, c->ahead.word, s.words))
				return bob_fail(err, BOB_ERR_NOMEM, c->s->file, 0, "no memory");
		}
	}
	return BOB_OK;
}

static bob_status next_folded(struct bob_value_cursor *c, struct bob_value_event *e,
			      struct bob_error *err)
{
	struct bob_event_def d;
	struct bob_fold_event leaf;
	struct bob_fold_shape s;
	bob_status st = BOB_OK;

	if (!c->fold)
		st = bob_fold_cursor_open(c->e->folded, c->e->participant, &c->fold);
	if (st == BOB_OK)
		st = next_leaf(c, &leaf);
	if (st == BOB_END || st == BOB_ERR_CORRUPT) {
		bob_fold_cursor_close(c->fold);
		c->fold = NULL;
		c->folded_done = 1;
	}
	if (st != BOB_OK)
		return st == BOB_ERR_CORRUPT ? damaged(c, 0, err, "a folded stream is damaged") :
					       st;
	bob_folded_shape(c->e->folded, leaf.shape, &s);
	if (bob_event_leaf_key(s.key, s.key_len, s.words, &d) != BOB_OK)
		return damaged(c, 0, err, "what is folded is no event");
	c->words.count = 0;
	if (!bob_event_values_add(&c->words, leaf.word, leaf.words) ||
	    !bob_event_values_path(&c->path, c->e->folded, s.path))
		return bob_fail(err, BOB_ERR_NOMEM, c->s->file, 0, "no memory");
	st = gather(c, &d, err);
	if (st != BOB_OK)
		return st;
	c->said = d;
	bob_event_lay_out(&c->words, &d, e);
	e->open = d.open;
	e->place = c->path.at;
	e->depth = (uint32_t)c->path.count;
	return BOB_OK;
}

/* --- the log --- */

static bob_status open_chunk(struct bob_value_cursor *c, struct bob_error *err)
{
	const struct bob_fold_log *l = &c->e->log[c->chunk];

	free(c->log);
	c->log = malloc(8 * l->count + 8);
	if (!c->log)
		return bob_fail(err, BOB_ERR_NOMEM, c->s->file, l->off, "no memory");
	memcpy(c->log, c->s->file->bytes + l->off, 8 * l->count);
	c->count = l->count;
	c->at = 0;
	if ((c->chunk || c->e->is_flat) && l->position != c->expected)
		c->lost = 1;
	return BOB_OK;
}

static bob_status give(struct bob_value_cursor *c, uint64_t header, size_t len,
		       struct bob_value_event *e, struct bob_error *err)
{
	const struct bob_event_def *d = &c->e->defs[(uint32_t)header];
	const uint64_t *value = c->log + c->at + 1;
	static const uint64_t zero[BOB_FOLD_WORDS_MAX];
	int complete = (header & BOB_EVENT_COMPLETE) != 0;

	if (complete && (len < d->layout.words || bob_event_length(&d->layout, value) != len))
		return damaged(c, c->e->log[c->chunk].off + 8 * c->at, err, "an event is damaged");
	c->words.count = 0;
	if (!bob_event_values_add(&c->words, value, len) ||
	    (len < d->layout.words &&
	     !bob_event_values_add(&c->words, zero, d->layout.words - len)))
		return bob_fail(err, BOB_ERR_NOMEM, c->s->file, 0, "no memory");
	c->said = *d;
	bob_event_lay_out(&c->words, d, e);
	e->open = !complete;
	c->path.count = 0;
	if (!bob_event_values_add(&c->path, d->place, d->depth))
		return bob_fail(err, BOB_ERR_NOMEM, c->s->file, 0, "no memory");
	c->path.count = bob_event_fold_path(d->place, d->depth, c->path.at);
	e->place = c->path.at;
	e->depth = (uint32_t)c->path.count;
	return BOB_OK;
}

/* An incomplete event is returned only from the last record buffer, because a later buffer would
 * repeat it. */
static bob_status next_logged(struct bob_value_cursor *c, struct bob_value_event *e,
			      struct bob_error *err)
{
	while (c->chunk < c->e->log_count) {
		uint64_t header, len;
		bob_status st = c->log ? BOB_OK : open_chunk(c, err);

		if (st != BOB_OK)
			return st;
		header = c->at < c->count ? c->log[c->at] : 0;
		len = header >> 32 & BOB_EVENT_LENGTH_MAX;
		if (!(header & BOB_EVENT_HEADER) || len > c->count - c->at - 1 ||
		    (!(header & BOB_EVENT_COMPLETE) && c->chunk + 1 < c->e->log_count)) {
			c->expected = c->e->log[c->chunk++].position + c->at;
			free(c->log);
			c->log = NULL;
			continue;
		}
		if ((uint32_t)header >= c->e->def_count || !c->e->defs[(uint32_t)header].key)
			st = damaged(c, c->e->log[c->chunk].off + 8 * c->at, err,
				     "an event has no definition");
		else
			st = give(c, header, len, e, err);
		c->at += 1 + len;
		return st;
	}
	return BOB_END;
}

static bob_status next(struct bob_value_cursor *c, struct bob_value_event *e, struct bob_error *err)
{
	bob_status st = BOB_END;

	memset(e, 0, sizeof(*e));
	if (!c->folded_done)
		st = next_folded(c, e, err);
	if (st == BOB_END)
		st = next_logged(c, e, err);
	if (st == BOB_ERR_CORRUPT)
		c->lost = 1;
	if (st == BOB_OK && !bob_allowance_take(&c->allowed))
		st = BOB_END;
	if (st == BOB_OK) {
		e->lost = c->lost;
		c->lost = 0;
	}
	return st;
}

bob_status bob_value_cursor_next_sized(struct bob_value_cursor *c, struct bob_value_event *out,
				       size_t out_size, struct bob_error *err)
{
	struct bob_value_event e;
	bob_status st;

	if (out_size == sizeof(e)) /* common case: no copy */
		return next(c, out, err);
	st = next(c, &e, err);
	bob_sized_copy(out, out_size, &e, sizeof(e));
	return st;
}

void bob_value_cursor_only_log(struct bob_value_cursor *c)
{
	c->allowed.left = UINT64_MAX;
	c->folded_done = 1;
}

const struct bob_event_def *bob_value_cursor_def(const struct bob_value_cursor *c)
{
	return &c->said;
}

/* --- counting --- */

static uint64_t values_of(const struct bob_value_event *e)
{
	uint64_t n = e->words;

	for (uint32_t i = 0; i < e->vectors; i++)
		n += e->vector[i].count * e->vector[i].words;
	return n;
}

static bob_status count_nest(void *ctx, struct bob_event_nest *nest)
{
	static const uint64_t first[BOB_EVENT_NEST_DEPTH];
	struct bob_event_stream *s = ctx;
	struct bob_value_event e;
	uint32_t count;
	const struct bob_event_nest_item *item = bob_event_nest_items(nest, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (item[i].items)
			continue;
		s->events += item[i].times;
		if (bob_event_nest_get(nest, i, first, &e) != BOB_OK)
			return BOB_ERR_NOMEM;
		s->values += item[i].times * values_of(&e); /* vectors have constant length */
	}
	return BOB_OK;
}

uint64_t bob_trace_value_events(const struct bob_trace *t, uint32_t thread,
				enum bob_value_kind kind)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&t->lock;
	struct bob_event_stream *s;
	bob_status st;
	uint64_t n;

	if (thread >= t->thread_count)
		return 0;
	s = &t->threads[thread]->mpi;
	pthread_mutex_lock(lock);
	if (!s->counted) {
		st = bob_event_nests_visit(t, thread, kind, count_nest, s, NULL);
		s->counted = st == BOB_OK || st == BOB_ERR_CORRUPT;
	}
	n = s->counted ? s->events : 0;
	pthread_mutex_unlock(lock);
	return n;
}
