/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash table of handles to numbers, by kind and handle, for the process (open addressing, linear
 * probing). Requests enter and leave it all the time. A spin lock guards it: the critical sections
 * are short, and threads rarely call MPI at the same time. */
#include <string.h>

#include "mpi/recorder.h"

struct entry {
	uint64_t handle, number;
	uint32_t kind;		/* kind + 1; 0: free */
	uint32_t shared;	/* further times that the handle was returned */
};

static struct entry *table;
static uint64_t capacity, count;	/* capacity: a power of two */
static uint32_t locked;

static void lock(void)
{
	while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
		while (__atomic_load_n(&locked, __ATOMIC_RELAXED))
			__builtin_ia32_pause();
}

static void unlock(void)
{
	__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}

static uint64_t home(enum bob_mpi_kind kind, uint64_t handle)
{
	return ((handle ^ (uint64_t)kind << 56) * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
}

/* Returns the handle's entry, or the free one for it; NULL: there is no table yet. */
static struct entry *find(enum bob_mpi_kind kind, uint64_t handle)
{
	if (!capacity)
		return NULL;
	for (uint64_t at = home(kind, handle);; at = (at + 1) & (capacity - 1)) {
		struct entry *e = &table[at];

		if (!e->kind || (e->kind == kind + 1u && e->handle == handle))
			return e;
	}
}

static bool grow(void)
{
	struct entry *old = table;
	uint64_t old_capacity = capacity, now = capacity ? capacity * 2 : 1024;

	table = bob_ev_map(now * sizeof(*table));
	if (!table) {
		table = old;
		return false;
	}
	capacity = now;
	for (uint64_t i = 0; i < old_capacity; i++)
		if (old[i].kind)
			*find(old[i].kind - 1, old[i].handle) = old[i];
	bob_ev_unmap(old, old_capacity * sizeof(*old));
	return true;
}

static bool set(enum bob_mpi_kind kind, uint64_t handle, uint64_t number)
{
	struct entry *e;

	if (2 * (count + 1) > capacity && !grow())
		return false;
	e = find(kind, handle);
	count += !e->kind;
	*e = (struct entry){ handle, number, kind + 1u, 0 };
	return true;
}

/* Moves entries after the removed one up, so that probing needs no tombstones (Knuth, TAOCP 3, 6.4,
 * algorithm R). */
static void drop(struct entry *e)
{
	uint64_t hole = (uint64_t)(e - table);

	if (e->shared) {
		e->shared--;
		return;
	}
	for (uint64_t at = (hole + 1) & (capacity - 1); table[at].kind;
	     at = (at + 1) & (capacity - 1)) {
		uint64_t from = home(table[at].kind - 1, table[at].handle);

		if (((at - from) & (capacity - 1)) >= ((at - hole) & (capacity - 1))) {
			table[hole] = table[at];
			hole = at;
		}
	}
	table[hole].kind = 0;
	count--;
}

bool bob_mpi_numbers_set(enum bob_mpi_kind kind, uint64_t handle, uint64_t number)
{
	bool ok;

	lock();
	ok = set(kind, handle, number);
	unlock();
	return ok;
}

enum then { THEN_NOTHING, THEN_SHARE, THEN_DROP };

static bool get(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number, enum then then)
{
	struct entry *e;
	bool found;

	lock();
	e = find(kind, handle);
	found = e && e->kind;
	if (found) {
		*number = e->number;
		e->shared += then == THEN_SHARE;
		if (then == THEN_DROP && e->number)
			drop(e);
	}
	unlock();
	return found;
}

bool bob_mpi_numbers_get(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number)
{
	return get(kind, handle, number, THEN_NOTHING);
}

bool bob_mpi_numbers_share(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number)
{
	return get(kind, handle, number, THEN_SHARE);
}

bool bob_mpi_numbers_take(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number)
{
	return get(kind, handle, number, THEN_DROP);
}

bool bob_mpi_numbers_add(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number, uint64_t mark)
{
	struct entry *e;
	bool ok = true;

	lock();
	e = find(kind, handle);
	if (e && e->kind) {
		if (e->number) {
			e->number |= mark;
			e->shared++;
		}
		*number = e->number;
		ok = e->number != 0;
	} else {
		ok = set(kind, handle, *number);
	}
	unlock();
	return ok;
}

void bob_mpi_numbers_drop(enum bob_mpi_kind kind, uint64_t handle, uint64_t number)
{
	struct entry *e;

	lock();
	e = find(kind, handle);
	if (e && e->kind && e->number == number)
		drop(e);
	unlock();
}
