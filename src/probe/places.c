/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the places of traced variables, sorted by address. Readers take no lock: they check
 * the version and retry if the table was changed (a sequence lock). Places may overlap (aliases
 * that are declared separately). A byte then has the trace address of the place that was declared
 * first, and it is selected if any of the places selects it.
 *
 * Signals are blocked while the table is changed, so a handler always sees a consistent table and
 * may change it. If system calls are no longer allowed (seccomp), recording ends at the next
 * change. */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "probe/places.h"
#include "base/search.h"

/* Sleeping places are removed at this number of places, then at twice the number left. */
#define SWEEP_FIRST 1024u

struct key {
	uintptr_t lo, hi;
	uintptr_t reach;	/* maximum `hi` of this key and all previous ones */
	uint32_t place;
};

static struct key *keys;
struct bob_pr_place *bob_pr_places;
static uint32_t count, made, free_first = ~0u, sweep_at = SWEEP_FIRST;
uint64_t bob_pr_declared;
uint64_t bob_pr_version;	/* odd: the table is being changed */
static sigset_t blocked;	/* the signal mask before the current change */

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

/* Returns false if the table must not be changed any more. */
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

/* Index of the first key that begins after `at`. */
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

/* The trace address of this storage: that of the oldest place that it overlaps, else `address`. */
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

/* Free the place if its state is still `state`. */
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

/* Remove all sleeping places. */
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

/* Free a place whose lifetime ended without notice, because the storage of a new variable overlaps
 * it: a unit's own variable, or one that got its trace address from another place. */
static bool set_free_left(uint32_t at)
{
	const struct bob_pr_place *p = &bob_pr_places[at];
	const uint64_t state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);

	return (p->own || p->address != p->declared) &&
	       (state & BOB_PR_STATE_MASK) == BOB_PR_AWAKE && set_free(at, state);
}

/* Prepare for a change of [lo, hi): remove sleeping places that overlap it, and clear `alone` of
 * the others. `begins`: also remove places whose lifetime ended without notice. Returns whether any
 * place is left. */
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
	to->state = state; /* free until the place is complete */
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

/* Hot path when memory is freed, most of which was never traced. Takes no lock. */
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

/* --- look-ups --- */

/* Begin reading the table. Returns its version. */
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

/* `at` is in this place: restrict the stretch to the part of the place with uniform selection. */
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

/* The stretch around `at`: addresses in the same places, with the same selection. */
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

/* Subscripts of one dimension start at `first` and increase by `step`. Iterations *enter up to,
 * excluding, *leave are in the box. */
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

/* bob_pr_find_row for a row in one place, derived from its first and last element if subscripts
 * increase evenly in between. Returns 0 if they do not. */
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
