/* SPDX-License-Identifier: BSD-3-Clause */
/* Where traced variables are. A table sorted by address, read without a lock: a reader looks
 * whether the table was changed meanwhile and then begins anew. Places may overlap (aliases that
 * are declared one by one): a byte is called as the first of them that was there says, and it is
 * wanted if one of them wants it.
 *
 * Signals are blocked while the table is changed: a handler always finds it whole, and may change
 * it. Where no system call may be made any more (seccomp), recording ends with the next change. */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "probe/places.h"
#include "base/search.h"

#define SWEEP_FIRST                                                                                \
	1024u /* places: then those that sleep are taken out, and again when there are twice as many as were left */

struct key {
	uintptr_t lo, hi;
	uintptr_t reach;	/* greatest `hi` up to here */
	uint32_t place;
};

static struct key *keys;
struct bob_pr_place *bob_pr_places;
static uint32_t count, made, free_first = ~0u, sweep_at = SWEEP_FIRST;
uint64_t bob_pr_declared;
uint64_t bob_pr_version;	/* odd: it is being changed */
static sigset_t blocked;	/* before the change that is going on */

/* --- changes --- */

static bool is_allowed(void)
{
	return !bob_pr_agent || bob_pr_agent->allowed();
}

static void wait_for_others(void)
{
	if (is_allowed())
		sched_yield();
}

/* false: nothing may be changed. */
static bool lock(void)
{
	uint64_t v = __atomic_load_n(&bob_pr_version, __ATOMIC_RELAXED);
	sigset_t all, before;

	if (!is_allowed()) {
		bob_pr_agent->stop(BOB_ERR_UNSUPPORTED);
		return false;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while ((v & 1) || !__atomic_compare_exchange_n(&bob_pr_version, &v, v + 1, true,
						       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		if (v & 1) {
			wait_for_others();
			v = __atomic_load_n(&bob_pr_version, __ATOMIC_RELAXED);
		}
	blocked = before;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return true;
}

static void unlock(void)
{
	const sigset_t before = blocked;

	__atomic_fetch_add(&bob_pr_version, 1, __ATOMIC_RELEASE);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool locked_for_fork;

void bob_pr_places_lock(void)
{
	locked_for_fork = lock();
}

void bob_pr_places_unlock(void)
{
	if (locked_for_fork)
		unlock();
}

static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static bool have_tables(void)
{
	if (!keys)
		keys = map(BOB_PR_PLACES_MAX * sizeof(*keys));
	if (!bob_pr_places)
		bob_pr_places = map(BOB_PR_PLACES_MAX * sizeof(*bob_pr_places));
	return keys && bob_pr_places;
}

static uint32_t new_place(void)
{
	uint32_t i = free_first;

	if (i != ~0u)
		free_first = bob_pr_places[i].next;
	else if (made < BOB_PR_PLACES_MAX)
		i = made++;
	return i;
}

/* The first key that begins after `at`. */
static uint32_t first_after(uintptr_t at)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, count, mid, keys[mid].lo <= at);
	return (uint32_t)lo;
}

static void reach_again(uint32_t i)
{
	for (; i < count; i++) {
		uintptr_t before = i ? keys[i - 1].reach : 0;

		keys[i].reach = keys[i].hi > before ? keys[i].hi : before;
	}
}

/* What the storage is called already, if it is: where it overlaps. */
static uint64_t address_of(uintptr_t lo, uintptr_t hi, uint64_t address)
{
	uint64_t since = UINT64_MAX;

	for (uint32_t i = first_after(hi - 1); i-- > 0 && keys[i].reach > lo;) {
		const struct bob_pr_place *p = &bob_pr_places[keys[i].place];

		if (keys[i].hi <= lo || p->since > since)
			continue;
		since = p->since;
		address = p->address + (lo - keys[i].lo);
	}
	return address;
}

/* Free from now on, if its state is this one. */
static bool set_free(uint32_t at, uint64_t state)
{
	struct bob_pr_place *p = &bob_pr_places[at];
	const uint64_t next = (state | BOB_PR_STATE_MASK) + 1 + BOB_PR_FREE;

	if (!__atomic_compare_exchange_n(&p->state, &state, next, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	p->next = free_first;
	free_first = at;
	return true;
}

static bool set_free_asleep(uint32_t at)
{
	const uint64_t state = __atomic_load_n(&bob_pr_places[at].state, __ATOMIC_ACQUIRE);

	return (state & BOB_PR_STATE_MASK) == BOB_PR_ASLEEP && set_free(at, state);
}

static void take_out(uint32_t i)
{
	count--;
	memmove(keys + i, keys + i + 1, (count - i) * sizeof(*keys));
	reach_again(i);
}

/* Everything that sleeps. */
static void sweep(void)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!set_free_asleep(keys[i].place))
			keys[left++] = keys[i];
	count = left;
	reach_again(0);
	sweep_at = 2 * count > SWEEP_FIRST ? 2 * count : SWEEP_FIRST;
}

/* It was left without a word, for what begins to live now lies over it: another's own, or named as
 * one that was. */
static bool set_free_left(uint32_t at)
{
	const struct bob_pr_place *p = &bob_pr_places[at];
	const uint64_t state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);

	return (p->own || p->address != p->declared) &&
	       (state & BOB_PR_STATE_MASK) == BOB_PR_AWAKE && set_free(at, state);
}

/* Nothing sleeps there any more, and what is awake is not alone. `begins`: nor is there what was
 * left. Is there anything? */
static bool disturb(uintptr_t lo, uintptr_t hi, bool begins)
{
	bool some = false;

	for (uint32_t i = first_after(hi - 1); i-- > 0 && keys[i].reach > lo;) {
		if (keys[i].hi <= lo)
			continue;
		if ((begins && set_free_left(keys[i].place)) || set_free_asleep(keys[i].place)) {
			take_out(i);
			continue;
		}
		__atomic_store_n(&bob_pr_places[keys[i].place].alone, false, __ATOMIC_RELAXED);
		some = true;
	}
	return some;
}

static void insert(const struct bob_pr_place *p, uintptr_t lo, uintptr_t hi)
{
	const bool alone = !disturb(lo, hi, p->own == BOB_PROBE_OWN);
	uint32_t i = first_after(lo), at = new_place();
	struct bob_pr_place *to;
	uint64_t state;

	if (at == ~0u)
		return;
	to = &bob_pr_places[at];
	state = to->state;
	*to = *p;
	to->state = state; /* free until all is there */
	to->base = lo;
	to->alone = alone;
	to->since = __atomic_fetch_add(&bob_pr_declared, 1, __ATOMIC_RELAXED);
	to->address = address_of(lo, hi, p->declared);
	__atomic_store_n(&to->state, state | BOB_PR_AWAKE, __ATOMIC_RELEASE);
	memmove(keys + i + 1, keys + i, (count - i) * sizeof(*keys));
	keys[i] = (struct key){ .lo = lo, .hi = hi, .place = at };
	count++;
	reach_again(i);
	bob_pr_remember(to);
}

void bob_pr_declare(const struct bob_probe_variable *v, const void *base,
		    const int64_t (*bounds)[2], uint64_t address)
{
	uintptr_t lo = (uintptr_t)base;
	struct bob_pr_place p;
	uint64_t bytes;

	if (v->rank > BOB_PROBE_DIMENSIONS_MAX || !v->element || (v->rank && !bounds) ||
	    bob_pr_wake(v, base, bounds, address))
		return;
	bytes = bob_pr_measure(&p, v, bounds);
	p.declared = address;
	if (!base || !bytes || bytes > BOB_PR_BYTES_MAX)
		return;
	if (!lock())
		return;
	if (have_tables() && count >= sweep_at)
		sweep();
	if (bob_pr_places && count < BOB_PR_PLACES_MAX) {
		insert(&p, lo, lo + bytes);
		bob_pr_untraced_close();
	}
	unlock();
}

/* Hot when memory is freed: most of it was never traced. Takes no lock. */
static bool may_begin_at(uintptr_t lo)
{
	const uint64_t version = __atomic_load_n(&bob_pr_version, __ATOMIC_ACQUIRE);
	const uint32_t i = version & 1 ? 0 : first_after(lo);
	const bool some = i && keys[i - 1].lo == lo;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return some || (version & 1) ||
	       __atomic_load_n(&bob_pr_version, __ATOMIC_RELAXED) != version;
}

void bob_pr_forget(const void *base, uint64_t address)
{
	const uintptr_t lo = (uintptr_t)base;
	const bool any = address == BOB_PR_ANY;

	if (!base || (any ? !may_begin_at(lo) : bob_pr_sleep(base, address)) || !lock())
		return;
	for (uint32_t i = count ? first_after(lo) : 0; i-- > 0 && keys[i].lo == lo;) {
		const struct bob_pr_place *p = &bob_pr_places[keys[i].place];
		const uint64_t state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);

		if ((!any && p->declared != address) || (state & BOB_PR_STATE_MASK) != BOB_PR_AWAKE)
			continue;
		if (set_free(keys[i].place, state) || set_free_asleep(keys[i].place))
			take_out(i);
		if (!any)
			break;
	}
	unlock();
}

/* --- questions --- */

/* Begins a look at the table. */
static uint64_t look(void)
{
	uint64_t v;

	while ((v = __atomic_load_n(&bob_pr_version, __ATOMIC_ACQUIRE)) & 1)
		wait_for_others();
	return v;
}

static bool is_same(uint64_t v)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&bob_pr_version, __ATOMIC_RELAXED) == v;
}

static void cut(struct bob_pr_stretch *s, uintptr_t lo, uintptr_t hi)
{
	s->lo = lo > s->lo ? lo : s->lo;
	s->hi = hi < s->hi ? hi : s->hi;
}

/* `at` lies in this place: what can be said of both around it. */
static void add(struct bob_pr_stretch *s, const struct key *k, uintptr_t at)
{
	const struct bob_pr_place *p = &bob_pr_places[k->place];
	bool wanted = bob_pr_wants(p, at - k->lo);
	uint64_t from, to;

	s->wanted |= wanted;
	cut(s, k->lo, k->hi);
	if (p->whole)
		return;
	bob_pr_narrow(p, at - k->lo, wanted, &from, &to);
	cut(s, k->lo + from, k->lo + to);
}

/* What lies around `at`: the same places, and what they want of it. */
static struct bob_pr_stretch stretch_at(uintptr_t at)
{
	const uint32_t next = count ? first_after(at) : 0;
	struct bob_pr_stretch s = { .hi = next < count ? keys[next].lo : UINTPTR_MAX };
	uint64_t since = UINT64_MAX;
	uint32_t i = next;

	for (; i > 0 && keys[i - 1].reach > at; i--) {
		const struct key *k = &keys[i - 1];
		const struct bob_pr_place *p = &bob_pr_places[k->place];

		if (k->hi <= at) {
			cut(&s, k->hi, UINTPTR_MAX);
			continue;
		}
		if (bob_pr_state(p) == BOB_PR_ASLEEP) {
			s.asleep = true;
			cut(&s, k->lo, k->hi);
			continue;
		}
		add(&s, k, at);
		if (p->since <= since) {
			since = p->since;
			s.shift = p->address - k->lo;
		}
	}
	if (i > 0)
		cut(&s, keys[i - 1].reach, UINTPTR_MAX);
	return s;
}

struct bob_pr_stretch bob_pr_find(uintptr_t at)
{
	struct bob_pr_stretch s;

	do {
		uint64_t v = look();

		s = stretch_at(at);
		s.version = v;
	} while (!is_same(s.version));
	return s;
}

/* Subscripts of one dimension go from `first` on by `step`: which of them lie in the box, as
 * iterations from *enter to before *leave. */
static void cross(const struct bob_pr_place *p, uint32_t d, int64_t first, int64_t step,
		  uint64_t *enter, uint64_t *leave)
{
	const int64_t lo = step < 0 ? first - p->to[d] : p->from[d] - first;
	const int64_t hi = step < 0 ? first - p->from[d] : p->to[d] - first;
	const int64_t by = step < 0 ? -step : step;
	uint64_t from = lo > 0 ? UINT64_MAX : 0, to = hi < 0 ? 0 : UINT64_MAX;

	if (by && lo > 0)
		from = ((uint64_t)lo - 1) / (uint64_t)by + 1;
	if (by && hi >= 0)
		to = (uint64_t)hi / (uint64_t)by + 1;
	*enter = from > *enter ? from : *enter;
	*leave = to < *leave ? to : *leave;
}

/* As bob_pr_find_row, of a row that lies in a place, by the first and the last element: subscripts
 * that change evenly are between theirs. 0: they do not. */
static uint64_t even(const struct bob_pr_place *p, uint64_t first, uint64_t last, uint64_t trips,
		     bool *wanted)
{
	int64_t a[BOB_PROBE_DIMENSIONS_MAX], b[BOB_PROBE_DIMENSIONS_MAX];
	uint64_t enter = 0, leave = UINT64_MAX;

	*wanted = true;
	if (p->whole)
		return trips;
	if (trips < 2 || !p->element || !bob_pr_subscripts(p, first, a) ||
	    !bob_pr_subscripts(p, last, b) || first % p->element != last % p->element)
		return 0;
	for (uint32_t d = 0; d < p->rank; d++) {
		if ((b[d] - a[d]) % (int64_t)(trips - 1))
			return 0;
		cross(p, d, a[d], (b[d] - a[d]) / (int64_t)(trips - 1), &enter, &leave);
	}
	*wanted = !enter && leave;
	if (*wanted)
		return leave < trips ? leave : trips;
	return enter < leave && enter < trips ? enter : trips;
}

static uint64_t row(uintptr_t at, int64_t step, uint64_t trips, uint64_t *address, bool *wanted)
{
	const struct bob_pr_stretch s = stretch_at(at);
	const uintptr_t last = at + (uint64_t)step * (trips - 1);
	const uintptr_t lo = at < last ? at : last, hi = at < last ? last : at;
	const uint64_t same = bob_pr_within(&s, at, step, trips);
	const struct key *k;
	uint64_t found;
	bool in;
	uint32_t n;

	*address = at + s.shift;
	*wanted = s.wanted;
	if (same == trips)
		return same;
	n = count ? first_after(hi) : 0;
	if (!n || keys[n - 1].reach <= lo)
		return *wanted ? same : trips;
	k = &keys[n - 1];
	if (bob_pr_state(&bob_pr_places[k->place]) == BOB_PR_ASLEEP || k->lo > lo || k->hi <= hi ||
	    (n > 1 && keys[n - 2].reach > lo))
		return same;
	found = even(&bob_pr_places[k->place], at - k->lo, last - k->lo, trips, &in);
	return found && in == s.wanted ? found : same;
}

uint64_t bob_pr_find_row(uintptr_t at, int64_t step, uint64_t trips, uint64_t *address,
			 bool *wanted)
{
	uint64_t found, v;

	do {
		v = look();
		found = row(at, step, trips, address, wanted);
	} while (!is_same(v));
	return found ? found : 1;
}
