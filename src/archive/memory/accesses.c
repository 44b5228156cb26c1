/* SPDX-License-Identifier: BSD-3-Clause */
/* The accesses of a thread: expands records one by one, and skips accesses that repeat earlier ones
 * (BOB_MEM_AGAIN). */
#include <stdlib.h>
#include <string.h>

#include "archive/reader.h"

struct bob_access_cursor {
	const struct bob_process *p;
	struct bob_records r;
	struct bob_mem_walk walk; /* of the current record */
	int walking;
	uint64_t again;		/* number of accesses to skip */
	int lost;
	int stops, only;	/* bob_access_cursor_stop_at_syncs */
	int stops_at_values;		/* bob_access_cursor_stop_at_values */
	struct bob_sync_event sync;
	struct bob_value_place value; /* kind 0: it stopped at synchronisation */
	struct bob_allowance allowed;
	bob_status held;	/* failure to be returned by the next call */
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
	c->allowed = bob_allowance_of(t);
	c->p = t->processes[t->threads[thread]->info.process];
	bob_records_open(&c->r, c->p, t->threads[thread]);
	*out = c;
	return BOB_OK;
}

void bob_access_cursor_close(struct bob_access_cursor *c)
{
	if (!c)
		return;
	bob_records_close(&c->r);
	free(c);
}

static int is_mark(const struct bob_mem_record *rec, enum bob_mem_mark mark)
{
	return rec->desc->kind == BOB_MEM_MARK && rec->desc->mark == (uint8_t)mark;
}

static uint64_t again_of(const struct bob_mem_record *rec)
{
	return is_mark(rec, BOB_MEM_AGAIN) && rec->count ? rec->word[0] : 0;
}

void bob_access_cursor_stop_at_syncs(struct bob_access_cursor *c, int only)
{
	c->stops = 1;
	c->only = only;
}

void bob_access_cursor_sync(const struct bob_access_cursor *c, struct bob_sync_event *sync)
{
	*sync = c->sync;
}

void bob_access_cursor_stop_at_values(struct bob_access_cursor *c)
{
	c->stops_at_values = 1;
}

int bob_access_cursor_value(const struct bob_access_cursor *c, struct bob_value_place *place)
{
	*place = c->value;
	return place->kind != 0;
}

/* BOB_NONE: a mark to stop at. */
static bob_status take_mark(struct bob_access_cursor *c, const struct bob_mem_record *rec)
{
	c->lost |= is_mark(rec, BOB_MEM_LOST);
	c->again += again_of(rec);
	c->value = bob_value_place_of(rec->desc, rec->word);
	if (c->value.kind)
		return c->stops_at_values ? BOB_NONE : BOB_OK;
	if (!c->stops || rec->desc->mark != BOB_MEM_SYNC)
		return BOB_OK;
	c->sync = bob_sync_event_of(rec->desc, rec->word);
	return BOB_NONE;
}

/* BOB_NONE: a mark to stop at. */
static bob_status take_record(struct bob_access_cursor *c, struct bob_error *err)
{
	struct bob_mem_record rec;
	bob_status st = bob_records_next(&c->r, &rec, err);

	if (st != BOB_OK)
		return st;
	c->lost |= rec.lost;
	if (rec.lost)
		c->again = 0; /* its record may be lost */
	if ((rec.desc->kind == BOB_MEM_MARK || c->only) && !bob_allowance_take(&c->allowed))
		return BOB_END;
	if (rec.desc->kind == BOB_MEM_MARK)
		return take_mark(c, &rec);
	if (c->only)
		return BOB_OK;
	st = bob_mem_walk_begin(&c->walk, rec.desc, rec.word, rec.count,
				bob_desc_bias(c->p, rec.desc));
	c->walking = st == BOB_OK;
	if (st == BOB_ERR_CORRUPT) {
		c->lost = 1;
		return bob_fail(err, st, c->r.s->file, bob_records_where(&c->r),
				"a memory record is not what its descriptor says");
	}
	return st;
}

bob_status bob_access_cursor_read(struct bob_access_cursor *c, struct bob_access *to,
				  size_t capacity, size_t *count, struct bob_error *err)
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
	while (n < capacity) {
		if (!c->walking) {
			st = take_record(c, &c->held_err);
			if (st != BOB_OK)
				break;
			continue;
		}
		st = bob_mem_walk_next(&c->walk, &e);
		if (st == BOB_OK && !bob_allowance_take(&c->allowed)) {
			c->walking = 0;
			st = BOB_END;
			break;
		}
		if (st == BOB_END) {
			c->walking = 0;
		} else if (st == BOB_OK && c->again) {
			c->again--;
		} else if (st == BOB_OK) {
			to[n++] = (struct bob_access){ e.address, e.pc,
						       bob_desc_image(c->p, c->walk.desc),
						       e.size, e.type,
						       c->lost ? BOB_ACCESS_LOST : 0 };
			c->lost = 0;
		}
	}
	*count = n;
	if (n || st == BOB_OK) {
		c->held = c->walking || n == capacity ? BOB_OK : st;
		return BOB_OK;
	}
	if (err)
		*err = c->held_err;
	return st;
}
