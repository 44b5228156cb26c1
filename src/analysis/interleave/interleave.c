/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns. A thread is ready, or waits for one thing: a lock, a barrier, a thread. Whoever makes that thing
 * happen wakes it, so that choosing the next thread is looking for one that is ready. Objects
 * (locks and barriers, told apart by number) stay in a table once they were seen. */
#include <stdlib.h>

#include "analysis/interleave/interleave.h"
#include "base/hash.h"

#define NOBODY 0xffffffffu

enum state {
	READY,
	HELD,			/* not created yet */
	LOCKED,			/* until `object` is released */
	GATHERED,		/* at barrier `object` */
	JOINING,		/* thread `object` */
	ENDED
};

struct thread {
	enum state state;
	uint64_t object;
};

struct object {
	uint64_t name;
	uint64_t depth;		/* of the lock */
	uint64_t arrived;	/* at the barrier */
	uint64_t meet;		/* as the last one there said */
	uint32_t holder;	/* of the lock, or NOBODY */
	uint32_t used;
};

struct bob_interleave {
	struct thread *thread;
	uint32_t threads, alive, held;
	uint32_t turn;
	int begun;		/* `turn` is valid */
	uint64_t quantum, left;
	uint64_t forced;
	struct object *object;
	uint32_t objects, room;	/* room: a power of two, more than objects */
};

bob_status bob_interleave_create(uint32_t threads, uint64_t quantum, struct bob_interleave **out)
{
	struct bob_interleave *v;

	if (!threads || threads > BOB_INTERLEAVE_THREADS_MAX)
		return BOB_ERR_INVAL;
	v = calloc(1, sizeof(*v));
	if (!v)
		return BOB_ERR_NOMEM;
	v->thread = calloc(threads, sizeof(*v->thread));
	if (!v->thread) {
		free(v);
		return BOB_ERR_NOMEM;
	}
	v->threads = v->alive = threads;
	v->turn = threads - 1;	/* the first turn is that of the one behind */
	v->quantum = quantum ? quantum : BOB_INTERLEAVE_QUANTUM;
	*out = v;
	return BOB_OK;
}

void bob_interleave_destroy(struct bob_interleave *v)
{
	if (!v)
		return;
	free(v->object);
	free(v->thread);
	free(v);
}

bob_status bob_interleave_hold(struct bob_interleave *v, uint32_t thread)
{
	if (thread >= v->threads || v->begun)
		return BOB_ERR_INVAL;
	if (v->thread[thread].state != HELD)
		v->held++;
	v->thread[thread].state = HELD;
	return BOB_OK;
}

uint64_t bob_interleave_forced(const struct bob_interleave *v)
{
	return v->forced;
}

/* --- objects --- */

static struct object *slot_of(struct object *table, uint32_t room, uint64_t name)
{
	uint32_t s = (uint32_t)bob_hash_mix(name) & (room - 1);

	while (table[s].used && table[s].name != name)
		s = (s + 1) & (room - 1);
	return &table[s];
}

static bob_status grow(struct bob_interleave *v)
{
	uint32_t room = v->room ? 2 * v->room : 64;
	struct object *table;

	if (!room)
		return BOB_ERR_NOMEM;
	table = calloc(room, sizeof(*table));
	if (!table)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < v->room; i++)
		if (v->object[i].used)
			*slot_of(table, room, v->object[i].name) = v->object[i];
	free(v->object);
	v->object = table;
	v->room = room;
	return BOB_OK;
}

static struct object *object_get(struct bob_interleave *v, uint64_t name)
{
	struct object *o;

	if (v->objects >= v->room / 2 && grow(v) != BOB_OK)
		return NULL;
	o = slot_of(v->object, v->room, name);
	if (!o->used) {
		*o = (struct object){ .name = name, .holder = NOBODY, .used = 1 };
		v->objects++;
	}
	return o;
}

/* --- waiting and waking --- */

static void wake_all(struct bob_interleave *v, enum state state, uint64_t object)
{
	for (uint32_t i = 0; i < v->threads; i++)
		if (v->thread[i].state == state && v->thread[i].object == object)
			v->thread[i].state = READY;
}

/* The lock goes to the first that waits, in turn behind the one that gives it. */
static void hand_over(struct bob_interleave *v, struct object *o)
{
	o->holder = NOBODY;
	o->depth = 0;
	for (uint32_t n = 1; n <= v->threads; n++) {
		uint32_t i = (v->turn + n) % v->threads;
		struct thread *t = &v->thread[i];

		if (t->state == LOCKED && t->object == o->name) {
			t->state = READY;
			o->holder = i;
			o->depth = 1;
			return;
		}
	}
}

static void open_barrier(struct bob_interleave *v, struct object *o)
{
	o->arrived = 0;
	wake_all(v, GATHERED, o->name);
}

static bob_status at_lock(struct bob_interleave *v, enum bob_sync what, uint64_t name)
{
	struct object *o = object_get(v, name);

	if (!o)
		return BOB_ERR_NOMEM;
	if (what == BOB_SYNC_RELEASE) {
		if (o->holder != NOBODY && --o->depth == 0)
			hand_over(v, o);
	} else if (o->holder == NOBODY || o->holder == v->turn) {
		o->holder = v->turn;
		o->depth++;
	} else {
		v->thread[v->turn] = (struct thread){ LOCKED, name };
	}
	return BOB_OK;
}

static bob_status at_barrier(struct bob_interleave *v, uint64_t name, uint64_t meet)
{
	struct object *o = object_get(v, name);

	if (!o)
		return BOB_ERR_NOMEM;
	v->thread[v->turn] = (struct thread){ GATHERED, name };
	o->meet = meet;
	if (++o->arrived >= (meet ? meet : v->alive - v->held))
		open_barrier(v, o);
	return BOB_OK;
}

static void start(struct bob_interleave *v, uint32_t thread)
{
	if (v->thread[thread].state != HELD)
		return;
	v->thread[thread].state = READY;
	v->held--;
}

static void end_thread(struct bob_interleave *v)
{
	v->thread[v->turn].state = ENDED;
	v->alive--;
	wake_all(v, JOINING, v->turn);
}

bob_status bob_interleave_sync(struct bob_interleave *v, enum bob_sync what, uint64_t object,
			       uint64_t value)
{
	bob_status st = BOB_OK;

	if (!v->begun || v->thread[v->turn].state != READY)
		return BOB_ERR_INVAL;
	switch (what) {
	case BOB_SYNC_POINT:
		break;
	case BOB_SYNC_ACQUIRE:
	case BOB_SYNC_RELEASE:
		st = at_lock(v, what, object);
		break;
	case BOB_SYNC_BARRIER:
		st = at_barrier(v, object, value);
		break;
	case BOB_SYNC_CREATE:
		if (value >= v->threads)
			return BOB_ERR_INVAL;
		start(v, (uint32_t)value);
		break;
	case BOB_SYNC_JOIN:
		if (value >= v->threads)
			return BOB_ERR_INVAL;
		if (v->thread[value].state != ENDED)
			v->thread[v->turn] = (struct thread){ JOINING, value };
		break;
	case BOB_SYNC_END:
		end_thread(v);
		break;
	default:
		return BOB_ERR_INVAL;
	}
	v->left = 0;
	return st;
}

/* --- turns --- */

/* The last thread that such a barrier waited for has ended: all others stand there. */
static int all_gathered(const struct bob_interleave *v, const struct thread *t)
{
	if (t->state != GATHERED || slot_of(v->object, v->room, t->object)->meet)
		return 0;
	for (uint32_t i = 0; i < v->threads; i++) {
		const struct thread *u = &v->thread[i];

		if (u->state != ENDED && u->state != HELD &&
		    (u->state != GATHERED || u->object != t->object))
			return 0;
	}
	return 1;
}

/* All wait: the first in turn goes on; at a barrier, with all that are there. */
static void force(struct bob_interleave *v)
{
	uint32_t n, i = 0;
	struct thread *t = v->thread;

	for (n = 1; n <= v->threads; n++) {
		i = (v->turn + n) % v->threads;
		t = &v->thread[i];
		if (t->state != ENDED && (t->state != HELD || v->held == v->alive))
			break;
	}
	v->forced += !all_gathered(v, t);
	if (t->state == GATHERED)
		open_barrier(v, slot_of(v->object, v->room, t->object));
	else if (t->state == HELD)
		start(v, i);
	else
		t->state = READY;
}

bob_status bob_interleave_turn(struct bob_interleave *v, uint32_t *thread, uint64_t *accesses)
{
	if (!v->alive)
		return BOB_END;
	v->begun = 1;
	while (!v->left) {
		uint32_t n, i = 0;

		for (n = 1; n <= v->threads; n++) {
			i = (v->turn + n) % v->threads;
			if (v->thread[i].state == READY)
				break;
		}
		if (n > v->threads) {
			force(v);
			continue;
		}
		v->turn = i;
		v->left = v->quantum;
	}
	*thread = v->turn;
	*accesses = v->left;
	return BOB_OK;
}

bob_status bob_interleave_ran(struct bob_interleave *v, uint64_t count)
{
	if (!v->begun || count > v->left)
		return BOB_ERR_INVAL;
	v->left -= count;
	return BOB_OK;
}

bob_status bob_interleave_run(struct bob_interleave *v,
			      bob_status (*next)(void *ctx, uint32_t thread,
						 struct bob_interleave_step *step),
			      bob_status (*access)(void *ctx, uint32_t thread), void *ctx)
{
	struct bob_interleave_step step = { 0 };
	uint64_t accesses;
	uint32_t thread;
	bob_status st;

	while ((st = bob_interleave_turn(v, &thread, &accesses)) == BOB_OK) {
		st = next(ctx, thread, &step);
		if (st == BOB_OK && step.is_access) {
			st = access(ctx, thread);
			if (st == BOB_OK)
				st = bob_interleave_ran(v, 1);
		} else if (st == BOB_OK) {
			st = bob_interleave_sync(v, step.what, step.object, step.value);
		}
		if (st != BOB_OK)
			return st;
	}
	return st == BOB_END ? BOB_OK : st;
}
