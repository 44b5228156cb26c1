/* SPDX-License-Identifier: BSD-3-Clause */
/* Where traced variables are. A table sorted by address, read without a lock: a reader looks whether the table was changed meanwhile and
 * then begins anew. Places may overlap (aliases that are declared one by one): whoever was there first says what the storage is
 * called, and everything is wanted that one of them wants.
 *
 * A handler that interrupts a change of its own thread finds nothing. */
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "probe/probe.h"

#define PLACES_MAX 65536u
#define BYTES_MAX (1ull << BOB_PR_VARIABLE_SHIFT)

struct key {
	uintptr_t lo, hi;
	uintptr_t reach;	/* greatest `hi` up to here */
	uint32_t place;
};

struct place {
	uint64_t address;	/* of `lo`, in the trace */
	uint64_t declared;	/* as bob_pr_declare was told */
	uint32_t element, rank;
	bool whole;		/* all of it is wanted */
	uint32_t next;		/* free ones */
	int64_t extent[BOB_PROBE_DIMENSIONS_MAX];
	int64_t from[BOB_PROBE_DIMENSIONS_MAX],
		to[BOB_PROBE_DIMENSIONS_MAX]; /* subscripts from 0 */
};

static struct key *keys;
static struct place *places;
static uint32_t count, made, free_first = ~0u;
uint64_t bob_pr_version;	/* odd: it is being changed */
static __thread bool changing;

/* --- changes --- */

static void lock(void)
{
	uint64_t v = __atomic_load_n(&bob_pr_version, __ATOMIC_RELAXED);

	while ((v & 1) || !__atomic_compare_exchange_n(&bob_pr_version, &v, v + 1, true,
						       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		if (v & 1) {
			sched_yield();
			v = __atomic_load_n(&bob_pr_version, __ATOMIC_RELAXED);
		}
	changing = true;
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void unlock(void)
{
	__atomic_fetch_add(&bob_pr_version, 1, __ATOMIC_RELEASE);
	changing = false;
}

void bob_pr_places_lock(void)
{
	lock();
}

void bob_pr_places_unlock(void)
{
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
		keys = map(PLACES_MAX * sizeof(*keys));
	if (!places)
		places = map(PLACES_MAX * sizeof(*places));
	return keys && places;
}

static uint32_t new_place(void)
{
	uint32_t i = free_first;

	if (i != ~0u)
		free_first = places[i].next;
	else if (made < PLACES_MAX)
		i = made++;
	return i;
}

/* The first key that begins behind `at`. */
static uint32_t behind(uintptr_t at)
{
	uint32_t lo = 0, n = count;

	while (lo < n) {
		uint32_t mid = lo + (n - lo) / 2;

		if (keys[mid].lo <= at)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

static void reach_again(uint32_t i)
{
	for (; i < count; i++) {
		uintptr_t before = i ? keys[i - 1].reach : 0;

		keys[i].reach = keys[i].hi > before ? keys[i].hi : before;
	}
}

/* Bytes of the variable, and the place's dimensions. 0: none. */
static uint64_t measure(struct place *p, const struct bob_probe_variable *v,
			const int64_t (*bounds)[2])
{
	uint64_t bytes = v->element;

	*p = (struct place){ .element = v->element, .rank = v->rank, .whole = !v->wanted };
	for (uint32_t d = 0; d < v->rank; d++) {
		if (bounds[d][1] <= 0 || bytes > BYTES_MAX / (uint64_t)bounds[d][1])
			return 0;
		bytes *= (uint64_t)bounds[d][1];
		p->extent[d] = bounds[d][1];
		if (!v->wanted)
			continue;
		p->from[d] = v->wanted[d][0] - bounds[d][0];
		p->to[d] = v->wanted[d][1] - bounds[d][0];
	}
	return bytes;
}

/* What the storage is called already, if it is: where it overlaps. */
static uint64_t address_of(uintptr_t lo, uintptr_t hi, uint64_t address)
{
	uint32_t i = behind(hi - 1);

	while (i-- > 0 && keys[i].reach > lo)
		if (keys[i].hi > lo)
			return places[keys[i].place].address + (lo - keys[i].lo);
	return address;
}

static void insert(const struct place *p, uintptr_t lo, uintptr_t hi)
{
	uint32_t i = behind(lo), at = new_place();

	if (at == ~0u)
		return;
	places[at] = *p;
	places[at].address = address_of(lo, hi, p->declared);
	memmove(keys + i + 1, keys + i, (count - i) * sizeof(*keys));
	keys[i] = (struct key){ .lo = lo, .hi = hi, .place = at };
	count++;
	reach_again(i);
}

void bob_pr_declare(const struct bob_probe_variable *v, const void *base,
		    const int64_t (*bounds)[2], uint64_t address)
{
	uintptr_t lo = (uintptr_t)base;
	struct place p;
	uint64_t bytes;

	if (v->rank > BOB_PROBE_DIMENSIONS_MAX || !v->element || (v->rank && !bounds))
		return;
	bytes = measure(&p, v, bounds);
	p.declared = address;
	if (!base || !bytes || bytes > BYTES_MAX)
		return;
	lock();
	if (have_tables() && count < PLACES_MAX)
		insert(&p, lo, lo + bytes);
	unlock();
}

void bob_pr_forget(const void *base, uint64_t address)
{
	uintptr_t lo = (uintptr_t)base;

	lock();
	for (uint32_t i = count ? behind(lo) : 0; i-- > 0 && keys[i].lo == lo;) {
		uint32_t at = keys[i].place;

		if (places[at].declared != address)
			continue;
		places[at].next = free_first;
		free_first = at;
		count--;
		memmove(keys + i, keys + i + 1, (count - i) * sizeof(*keys));
		reach_again(i);
		break;
	}
	unlock();
}

/* --- questions --- */

/* What is read while it is being changed may be anything; it is not used then, but must not be divided by. */
static bool subscripts(const struct place *p, uint64_t offset, int64_t *s)
{
	uint64_t element = p->element, index = element ? offset / element : 0;

	for (uint32_t d = 0; d < p->rank; d++) {
		uint64_t extent = (uint64_t)p->extent[d];

		if (!extent)
			return false;
		s[d] = (int64_t)(d + 1 < p->rank ? index % extent : index);
		index /= extent;
		if (s[d] < p->from[d] || s[d] > p->to[d])
			return false;
	}
	return true;
}

static bool wants(const struct place *p, uint64_t offset)
{
	int64_t s[BOB_PROBE_DIMENSIONS_MAX];

	return p->whole || subscripts(p, offset, s);
}

/* Of a place of which not all is wanted: elements of the row of `offset` that are wanted, or not, as it is. */
static void narrow(const struct place *p, uint64_t offset, bool wanted, uint64_t *from,
		   uint64_t *to)
{
	const uint64_t element = p->element ? p->element : 1, at = offset / element;
	const uint64_t extent = p->rank && p->extent[0] > 0 ? (uint64_t)p->extent[0] : 1;
	const uint64_t row = at - at % extent;
	uint64_t lo = p->from[0] > 0 ? (uint64_t)p->from[0] : 0;
	uint64_t hi = p->to[0] < (int64_t)extent ? (uint64_t)(p->to[0] + 1) : extent;

	if (!wanted && hi <= lo) {
		lo = 0;
		hi = extent;
	} else if (!wanted && at - row < lo) {
		hi = lo;
		lo = 0;
	} else if (!wanted && at - row >= hi) {
		lo = hi;
		hi = extent;
	}
	*from = (row + lo) * element;
	*to = (row + hi) * element;
}

/* Begins a look at the table; false: it must not be looked at. */
static bool look(uint64_t *v)
{
	if (changing)
		return false;
	while ((*v = __atomic_load_n(&bob_pr_version, __ATOMIC_ACQUIRE)) & 1)
		sched_yield();
	return true;
}

static bool is_same(uint64_t v)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&bob_pr_version, __ATOMIC_RELAXED) == v;
}

static const struct key *find(uintptr_t at)
{
	uint32_t i = count ? behind(at) : 0;

	while (i-- > 0 && keys[i].reach > at)
		if (keys[i].hi > at && wants(&places[keys[i].place], at - keys[i].lo))
			return &keys[i];
	return NULL;
}

/* What lies around `at`. */
static struct bob_pr_stretch stretch_at(uintptr_t at)
{
	const uint32_t next = count ? behind(at) : 0;
	const uintptr_t before = next ? keys[next - 1].reach : 0;
	struct bob_pr_stretch s = { .lo = before,
				    .hi = next < count ? keys[next].lo : UINTPTR_MAX };
	const struct key *k = find(at);
	const bool alone = next && keys[next - 1].hi > at &&
			   (next < 2 || keys[next - 2].reach <= keys[next - 1].lo);
	uint64_t from, to;

	if (!k && before <= at)
		return s;
	s.wanted = k != NULL;
	if (!k && !alone) { /* in several places, and wanted in none */
		s.lo = at;
		s.hi = at + 1;
		return s;
	}
	if (!k)
		k = &keys[next - 1];
	const struct place *p = &places[k->place];
	s.shift = p->address - k->lo;
	s.lo = k->lo;
	if (s.wanted || k->hi < s.hi)
		s.hi = k->hi;
	if (!p->whole) {
		narrow(p, at - k->lo, s.wanted, &from, &to);
		s.lo = k->lo + from;
		if (k->lo + to < s.hi)
			s.hi = k->lo + to;
	}
	return s;
}

struct bob_pr_stretch bob_pr_find(uintptr_t at)
{
	struct bob_pr_stretch s = { 0 };
	uint64_t v;

	if (!look(&v))
		return s;
	for (;;) {
		s = stretch_at(at);
		s.version = v;
		if (is_same(v))
			return s;
		look(&v);
	}
}

/* Is every element wanted, if the first and the last one are? Their subscripts must change evenly. */
static bool is_even(const struct place *p, uint64_t first, uint64_t last, uint64_t trips)
{
	int64_t a[BOB_PROBE_DIMENSIONS_MAX], b[BOB_PROBE_DIMENSIONS_MAX];

	if (p->whole)
		return true;
	if (!subscripts(p, first, a) || !subscripts(p, last, b) ||
	    first % p->element != last % p->element)
		return false;
	for (uint32_t d = 0; d < p->rank; d++)
		if ((b[d] - a[d]) % (int64_t)(trips - 1))
			return false;
	return true;
}

static enum bob_pr_row row(uintptr_t at, uintptr_t last, uint64_t trips, uint64_t *address)
{
	uintptr_t lo = at < last ? at : last, hi = at < last ? last : at;
	const struct key *k = find(at);
	uint32_t i;

	if (k && last >= k->lo && last < k->hi &&
	    (trips < 2 || is_even(&places[k->place], at - k->lo, last - k->lo, trips))) {
		*address = places[k->place].address + (at - k->lo);
		return BOB_PR_ALL;
	}
	i = count ? behind(hi) : 0;
	return i && keys[i - 1].reach > lo ? BOB_PR_SOME : BOB_PR_NONE;
}

enum bob_pr_row bob_pr_find_row(uintptr_t at, int64_t step, uint64_t trips, uint64_t *address)
{
	const uintptr_t last = at + (uint64_t)step * (trips - 1);
	enum bob_pr_row found;
	uint64_t v;

	if (!look(&v))
		return BOB_PR_NONE;
	for (;;) {
		found = row(at, last, trips, address);
		if (is_same(v))
			return found;
		look(&v);
	}
}
