/* SPDX-License-Identifier: BSD-3-Clause */
/* The accesses of a thread: records expanded one by one. A signal handler that interrupted a record is the only thing
 * that is out of order: the accesses before it stand in the record behind it. They are fetched when the handler
 * begins and passed over later. */
#include <stdlib.h>
#include <string.h>

#include "archive/reader.h"

/* A handler that interrupted a record. */
struct broken {
	uint64_t begin;		/* index of the SIGNAL_BEGIN record */
	uint64_t record;	/* index of the record that goes on behind the handler; 0: none */
};

/* A record some of whose accesses have been given already. Handlers nest, so it is the last one that comes
 * first. */
struct given {
	uint64_t record, count;
};

struct bob_access_cursor {
	const struct bob_process *p;
	struct bob_records r;
	struct bob_mem_walk walk; /* of the record under way */
	int walking;
	uint64_t left;		/* of its accesses, ~0: all */
	int lost;
	/* what the last search found: sorted by `begin`, all up to record `searched` */
	struct broken *broken;
	size_t broken_count, broken_cap;
	uint64_t searched;
	struct given *given;
	size_t given_count, given_cap;
	struct bob_records early; /* reads the record that was interrupted */
	int early_open;
	bob_status held;	/* to be said before anything else is read */
	struct bob_error held_err;
};

bob_status bob_access_cursor_open(const struct bob_trace *t, uint32_t thread,
				  struct bob_access_cursor **out, struct bob_error *err)
{
	struct bob_access_cursor *c;

	if (thread >= t->thread_count)
		return bob_fail(err, BOB_ERR_INVAL, NULL, 0, "no such thread");
	if (!t->threads[thread]->raw_count && !t->threads[thread]->folded)
		return bob_fail(err, BOB_NONE, NULL, 0, "the thread has no memory records");
	c = calloc(1, sizeof(*c));
	if (!c)
		return bob_fail(err, BOB_ERR_NOMEM, NULL, 0, "no memory");
	c->p = t->processes[t->threads[thread]->info.process];
	bob_records_open(&c->r, c->p, t->threads[thread]);
	*out = c;
	return BOB_OK;
}

void bob_access_cursor_close(struct bob_access_cursor *c)
{
	if (!c)
		return;
	if (c->early_open)
		bob_records_close(&c->early);
	bob_records_close(&c->r);
	free(c->broken);
	free(c->given);
	free(c);
}

static int is_mark(const struct bob_mem_record *rec, enum bob_mem_mark mark)
{
	return rec->desc->kind == BOB_MEM_MARK && rec->desc->mark == (uint8_t)mark;
}

/* --- handlers --- */

/* Brackets while searching: `waiting` handlers have ended and look for their record. */
struct search {
	size_t *open;		/* indices into broken[], innermost last */
	size_t open_count, open_cap;
	size_t *waiting;	/* the same; `depth` is how many were open when it ended */
	size_t waiting_count, waiting_cap;
	size_t *depth;
	size_t depth_cap;
};

static bob_status push(size_t **array, size_t *count, size_t *cap, size_t v)
{
	if (bob_array_room(array, *count, cap, sizeof(**array)))
		return BOB_ERR_NOMEM;
	(*array)[(*count)++] = v;
	return BOB_OK;
}

static bob_status handler_begins(struct bob_access_cursor *c, struct search *s, uint64_t index)
{
	if (bob_array_room(&c->broken, c->broken_count, &c->broken_cap, sizeof(*c->broken)))
		return BOB_ERR_NOMEM;
	c->broken[c->broken_count] = (struct broken){ .begin = index };
	return push(&s->open, &s->open_count, &s->open_cap, c->broken_count++);
}

static bob_status handler_ends(struct search *s)
{
	size_t n = s->waiting_count;

	if (!s->open_count)
		return BOB_OK;
	s->open_count--;
	if (push(&s->depth, &n, &s->depth_cap, s->open_count) != BOB_OK)
		return BOB_ERR_NOMEM;
	return push(&s->waiting, &s->waiting_count, &s->waiting_cap, s->open[s->open_count]);
}

/* A record with accesses: those wait for it whose handler ended on this level. */
static void record_follows(struct bob_access_cursor *c, struct search *s, uint64_t index)
{
	while (s->waiting_count && s->depth[s->waiting_count - 1] == s->open_count)
		c->broken[s->waiting[--s->waiting_count]].record = index;
}

/* From a SIGNAL_BEGIN that interrupted a record on, until what it interrupted is found; what lies in between is
 * noted too, so no record is searched twice. */
static bob_status search(struct bob_access_cursor *c, uint64_t begin)
{
	struct search s = { 0 };
	struct bob_mem_record rec;
	struct bob_records r;
	bob_status st;

	c->broken_count = 0;
	bob_records_clone(&c->r, &r);
	st = handler_begins(c, &s, begin);
	while (st == BOB_OK && (s.open_count || s.waiting_count)) {
		st = bob_records_next(&r, &rec, NULL);
		if (st == BOB_ERR_CORRUPT)
			st = BOB_OK;
		else if (st == BOB_OK && is_mark(&rec, BOB_MEM_SIGNAL_BEGIN))
			st = handler_begins(c, &s, rec.index);
		else if (st == BOB_OK && is_mark(&rec, BOB_MEM_SIGNAL_END))
			st = handler_ends(&s);
		else if (st == BOB_OK && rec.desc->kind != BOB_MEM_MARK)
			record_follows(c, &s, rec.index);
	}
	c->searched = r.index;
	bob_records_close(&r);
	free(s.open);
	free(s.waiting);
	free(s.depth);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

static const struct broken *find_broken(const struct bob_access_cursor *c, uint64_t begin)
{
	size_t lo = 0, hi = c->broken_count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->broken[mid].begin < begin)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->broken_count && c->broken[lo].begin == begin ? &c->broken[lo] : NULL;
}

/* --- records --- */

static bob_status start_walk(struct bob_access_cursor *c, const struct bob_mem_record *rec,
			     uint64_t skip, uint64_t left)
{
	struct bob_mem_event e;
	bob_status st = bob_mem_walk_begin(&c->walk, rec->desc, rec->word, rec->count,
					   bob_desc_bias(c->p, rec->desc));

	if (st != BOB_OK)
		return st;
	while (skip && (st = bob_mem_walk_next(&c->walk, &e)) != BOB_END)
		skip -= st == BOB_OK;
	c->walking = 1;
	c->left = left;
	return BOB_OK;
}

/* How many accesses of a record have been given; a new entry if there is none. */
static struct given *given_of(struct bob_access_cursor *c, uint64_t record)
{
	if (c->given_count && c->given[c->given_count - 1].record == record)
		return &c->given[c->given_count - 1];
	if (bob_array_room(&c->given, c->given_count, &c->given_cap, sizeof(*c->given)))
		return NULL;
	c->given[c->given_count] = (struct given){ record, 0 };
	return &c->given[c->given_count++];
}

/* A handler begins within a record: its first `count` accesses come now. */
static bob_status give_early(struct bob_access_cursor *c, uint64_t begin, uint64_t count)
{
	const struct broken *b;
	struct bob_mem_record rec;
	struct given *g;
	uint64_t skip;
	bob_status st = BOB_OK;

	if (begin >= c->searched)
		st = search(c, begin);
	b = st == BOB_OK ? find_broken(c, begin) : NULL;
	if (!b || !b->record)
		return st;
	g = given_of(c, b->record);
	if (!g)
		return BOB_ERR_NOMEM;
	skip = g->count;
	if (count <= skip)
		return BOB_OK;
	g->count = count;
	/* records are interrupted in their order, but for nested handlers */
	if (c->early_open && c->early.index > b->record) {
		bob_records_close(&c->early);
		c->early_open = 0;
	}
	if (!c->early_open)
		bob_records_clone(&c->r, &c->early);
	c->early_open = 1;
	do
		st = bob_records_next(&c->early, &rec, NULL);
	while (st == BOB_ERR_CORRUPT || (st == BOB_OK && rec.index < b->record));
	return st == BOB_OK ? start_walk(c, &rec, skip, count - skip) : st;
}

static bob_status take_mark(struct bob_access_cursor *c, const struct bob_mem_record *rec)
{
	if (is_mark(rec, BOB_MEM_GAP))
		c->lost = 1;
	if (is_mark(rec, BOB_MEM_SIGNAL_BEGIN) && rec->word[1])
		return give_early(c, rec->index, rec->word[1]);
	return BOB_OK;
}

static bob_status take_record(struct bob_access_cursor *c, struct bob_error *err)
{
	struct bob_mem_record rec;
	bob_status st = bob_records_next(&c->r, &rec, err);
	uint64_t skip = 0;

	if (st != BOB_OK)
		return st;
	c->lost |= rec.lost;
	if (rec.desc->kind == BOB_MEM_MARK) {
		st = take_mark(c, &rec);
	} else {
		if (c->given_count && c->given[c->given_count - 1].record == rec.index)
			skip = c->given[--c->given_count].count;
		st = start_walk(c, &rec, skip, UINT64_MAX);
	}
	if (st == BOB_ERR_CORRUPT) {
		c->lost = 1;
		return bob_fail(err, st, c->r.s->file, bob_records_where(&c->r),
				"a memory record is not what its descriptor says");
	}
	return st == BOB_OK ? st : bob_fail(err, st, NULL, 0, "no memory");
}

bob_status bob_access_cursor_read(struct bob_access_cursor *c, struct bob_access *to, size_t room,
				  size_t *count, struct bob_error *err)
{
	struct bob_mem_event e;
	bob_status st = c->held;
	size_t n = 0;

	*count = 0;
	if (st != BOB_OK) {
		if (err)
			*err = c->held_err;
		c->held = BOB_OK;
		return st;
	}
	while (n < room) {
		if (!c->walking) {
			st = take_record(c, &c->held_err);
			if (st != BOB_OK)
				break;
			continue;
		}
		st = c->left ? bob_mem_walk_next(&c->walk, &e) : BOB_END;
		if (st == BOB_END) {
			c->walking = 0;
		} else if (st == BOB_OK) {
			to[n++] = (struct bob_access){ e.address, e.pc, e.image, e.size, e.type,
						       c->lost ? BOB_ACCESS_LOST : 0 };
			c->lost = 0;
			c->left -= c->left != UINT64_MAX;
		}
	}
	*count = n;
	if (n || st == BOB_OK) {
		c->held = c->walking || n == room ? BOB_OK : st;
		return BOB_OK;
	}
	if (err)
		*err = c->held_err;
	return st;
}

/* --- counting --- */

static uint64_t count_record(const struct bob_mem_record *rec)
{
	struct bob_mem_walk w;

	if (rec->desc->kind == BOB_MEM_MARK ||
	    bob_mem_walk_begin(&w, rec->desc, rec->word, rec->count, 0) != BOB_OK)
		return 0;
	return bob_mem_walk_count(&w);
}

uint64_t bob_trace_accesses(const struct bob_trace *t, uint32_t thread)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&t->lock;
	struct bob_mem_record rec;
	struct bob_records r;
	struct bob_stream *s;
	bob_status st;

	if (thread >= t->thread_count)
		return 0;
	s = t->threads[thread];
	pthread_mutex_lock(lock);
	if (!s->accesses_counted) {
		bob_records_open(&r, t->processes[s->info.process], s);
		while ((st = bob_records_next(&r, &rec, NULL)) == BOB_OK || st == BOB_ERR_CORRUPT)
			if (st == BOB_OK)
				s->accesses += count_record(&rec);
		bob_records_close(&r);
		s->accesses_counted = 1;
	}
	pthread_mutex_unlock(lock);
	return s->accesses;
}
