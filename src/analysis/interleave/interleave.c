/* SPDX-License-Identifier: BSD-3-Clause */
/* Scheduler of a replay. A thread is ready, or waits until the count of one object reaches a value.
 * The thread that raises the count wakes the threads for which it suffices, so choosing the next
 * thread means finding a ready one. Objects are in a hash table by number. */
#include <stdlib.h>

#include "analysis/interleave/interleave.h"
#include "base/host/map.h"

enum state { READY, WAITING, ENDED };

struct thread {
	enum state state;
	int in_turn;		/* WAITING: for TURN, not AWAIT */
	uint64_t object;
	uint64_t value;
};

struct object {
	uint64_t name;
	uint64_t count;
	uint32_t waiting;	/* number of waiting threads */
};

struct bob_interleave {
	struct thread *thread;
	uint32_t threads, alive;
	uint32_t turn;
	int begun;		/* `turn` is valid */
	uint64_t quantum, left;
	uint64_t forced;
	BOB_MAP(struct object) objects;
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
	v->turn = threads - 1;	/* the first turn is that of thread 0 */
	v->quantum = quantum ? quantum : BOB_INTERLEAVE_QUANTUM;
	*out = v;
	return BOB_OK;
}

void bob_interleave_destroy(struct bob_interleave *v)
{
	if (!v)
		return;
	BOB_MAP_FREE(&v->objects);
	free(v->thread);
	free(v);
}

uint64_t bob_interleave_forced(const struct bob_interleave *v)
{
	return v->forced;
}

/* --- waiting and waking --- */

/* Wakes the threads for which the count suffices; turns among them raise it again. */
static void wake(struct bob_interleave *v, struct object *o)
{
	int woken = 1;

	while (o->waiting && woken) {
		woken = 0;
		for (uint32_t i = 0; i < v->threads && o->waiting; i++) {
			struct thread *t = &v->thread[i];

			if (t->state != WAITING || t->object != o->name || o->count < t->value)
				continue;
			t->state = READY;
			o->waiting--;
			if (t->in_turn && o->count == t->value) {
				o->count++;
				woken = 1;
			}
		}
	}
}

static void come_to(struct bob_interleave *v, struct object *o, int in_turn, uint64_t value)
{
	if (o->count < value) {
		v->thread[v->turn] = (struct thread){ WAITING, in_turn, o->name, value };
		o->waiting++;
	} else if (in_turn && o->count == value) {
		o->count++;
		wake(v, o);
	}
}

bob_status bob_interleave_sync(struct bob_interleave *v, enum bob_interleave_what what,
			       uint64_t object, uint64_t value)
{
	struct object *o = NULL;

	if (!v->begun || v->thread[v->turn].state != READY || (unsigned)what > BOB_INTERLEAVE_END)
		return BOB_ERR_INVAL;
	if (what != BOB_INTERLEAVE_POINT) {
		o = BOB_MAP_PUT(&v->objects, &object);
		if (!o)
			return BOB_ERR_NOMEM;
	}
	if (what == BOB_INTERLEAVE_TURN || what == BOB_INTERLEAVE_AWAIT)
		come_to(v, o, what == BOB_INTERLEAVE_TURN, value);
	if (what == BOB_INTERLEAVE_END) {
		v->thread[v->turn].state = ENDED;
		v->alive--;
	}
	if (what == BOB_INTERLEAVE_GIVE || what == BOB_INTERLEAVE_END) {
		o->count++;
		wake(v, o);
	}
	v->left = 0;
	return BOB_OK;
}

/* --- turns --- */

/* Should `t` continue rather than `than`? Of several threads that wait for turns, the smallest
 * value precedes. */
static int goes_before(const struct bob_interleave *v, const struct thread *t,
		       const struct thread *than)
{
	if (t->in_turn != than->in_turn)
		return t->in_turn;
	if (t->object == than->object)
		return t->value < than->value;
	return t->in_turn && t->value - BOB_MAP_FIND(&v->objects, &t->object)->count <
				     than->value - BOB_MAP_FIND(&v->objects, &than->object)->count;
}

/* All threads wait: lets one of them continue. */
static void force(struct bob_interleave *v)
{
	const struct thread *chosen = NULL;
	struct object *o;

	for (uint32_t n = 1; n <= v->threads; n++) {
		const struct thread *t = &v->thread[(v->turn + n) % v->threads];

		if (t->state == WAITING && (!chosen || goes_before(v, t, chosen)))
			chosen = t;
	}
	o = BOB_MAP_FIND(&v->objects, &chosen->object);
	o->count = chosen->value;
	wake(v, o);
	v->forced++;
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
