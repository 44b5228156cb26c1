/* SPDX-License-Identifier: BSD-3-Clause */
/* Per-site cache of address ranges known not to be traced (negative cache). Each site has a
 * pointer, which probes follow (bob_probe_at), to a range that is immutable once it is published.
 * So a probe sees all of it or nothing. A thread that has queried the recorder often enough in one
 * untraced stretch publishes that stretch (bob_pr_untraced_aim). A thread that declares a variable
 * where none was resets all sites to empty ranges (bob_pr_untraced_close). A variable that ends,
 * sleeps or wakes changes no range: ranges never include sleeping variables.
 *
 * Lock-free, because signal handlers do all of this, too. The publishing thread first stores a
 * unique empty range, then reads the table of places, and replaces the empty range by
 * compare-and-swap. Closing overwrites whatever is there with another empty range, so that the
 * compare-and-swap fails. To avoid ABA, there are 2^20 empty ranges, used in turn. */
#include <stdlib.h>
#include <sys/mman.h>

#include "probe/places.h"

/* another thread has published another range: prevents that both repeat this for ever */
#define ASKS_AFTER_LOSS 4096u
#define SITES_MAX 2048u /* sites of the process that have, or had, an untraced range */
#define RANGES_MAX 16384u /* number of different ranges; a power of two */
#define SEARCH_MAX 8u
#define EMPTY_COUNT (1u << 20) /* only read, so the addresses need no memory */

enum { UNUSED, IN_WORK, READY };

struct made_range {
	struct bob_probe_untraced untraced;
	uint64_t state;
};

struct tables {
	struct bob_probe_untraced empty[EMPTY_COUNT];
	struct made_range made[RANGES_MAX];
};

static struct tables *tables;	/* NULL: nothing is cached */
static const struct bob_probe_untraced **open_sites[SITES_MAX];
static uint32_t open_count, next_empty;
static uint32_t aimed;		/* whether a range was set since the last reset */

static const struct bob_probe_untraced nothing; /* initial range of all sites */
void bob_pr_untraced_begin(void)
{
	struct tables *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (t != MAP_FAILED)
		tables = t;
}

void bob_pr_untraced_drop(struct bob_pr_untraced *of)
{
	free(of->untraced);
	free(of->entered);
}

bool bob_pr_untraced_open(struct bob_pr_untraced *of, uint32_t sites)
{
	of->untraced = malloc((sites + 1) * sizeof(const struct bob_probe_untraced *));
	of->entered = calloc(sites + 1, 1);
	if (!of->untraced || !of->entered) {
		bob_pr_untraced_drop(of);
		return false;
	}
	for (uint32_t i = 0; i < sites; i++)
		of->untraced[i] = &nothing;
	return true;
}

static const struct bob_probe_untraced *new_empty(void)
{
	return &tables->empty[__atomic_fetch_add(&next_empty, 1, __ATOMIC_RELAXED) % EMPTY_COUNT];
}

void bob_pr_untraced_close(void)
{
	const struct bob_probe_untraced *empty;
	uint32_t count;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!tables || !__atomic_exchange_n(&aimed, 0, __ATOMIC_SEQ_CST))
		return;
	count = __atomic_load_n(&open_count, __ATOMIC_ACQUIRE);
	empty = new_empty();
	for (uint32_t i = 0; i < count && i < SITES_MAX; i++) {
		const struct bob_probe_untraced **site =
			__atomic_load_n(&open_sites[i], __ATOMIC_ACQUIRE);

		if (site)
			__atomic_store_n(site, empty, __ATOMIC_RELEASE);
	}
}

/* The unique range of this interval. NULL: there are too many. */
static const struct bob_probe_untraced *make(uintptr_t lo, uintptr_t size)
{
	const uint64_t h = ((lo >> 3) * 0x9e3779b97f4a7c15u ^ size) * 0x9e3779b97f4a7c15u;

	for (uint32_t k = 0; k < SEARCH_MAX; k++) {
		struct made_range *g = &tables->made[((h >> 40) + k) % RANGES_MAX];
		uint64_t state = __atomic_load_n(&g->state, __ATOMIC_ACQUIRE);

		if (state == READY && g->untraced.lo == lo && g->untraced.size == size)
			return &g->untraced;
		if (state != UNUSED ||
		    !__atomic_compare_exchange_n(&g->state, &state, IN_WORK, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		g->untraced = (struct bob_probe_untraced){ lo, size };
		__atomic_store_n(&g->state, READY, __ATOMIC_RELEASE);
		return &g->untraced;
	}
	return NULL;
}

/* List the site, so that bob_pr_untraced_close resets it. False: there are too many sites. */
static bool is_entered(struct bob_pr_untraced *of, uint32_t site)
{
	uint32_t i;

	if (__atomic_load_n(&of->entered[site], __ATOMIC_ACQUIRE))
		return true;
	i = __atomic_fetch_add(&open_count, 1, __ATOMIC_SEQ_CST);
	if (i >= SITES_MAX) {
		__atomic_fetch_sub(&open_count, 1, __ATOMIC_SEQ_CST);
		return false;
	}
	__atomic_store_n(&open_sites[i], &of->untraced[site], __ATOMIC_SEQ_CST);
	__atomic_store_n(&of->entered[site], 1, __ATOMIC_RELEASE);
	return true;
}

/* Publish `untraced`, unless the sites were reset since `from` was stored. */
static bool replace(struct bob_pr_untraced *of, uint32_t site,
		    const struct bob_probe_untraced *from,
		    const struct bob_probe_untraced *untraced)
{
	return __atomic_compare_exchange_n(&of->untraced[site], &from, untraced, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

uint32_t bob_pr_untraced_aim(struct bob_pr_untraced *of, uint32_t site, uintptr_t at,
			     const struct bob_probe_untraced **last)
{
	const struct bob_probe_untraced *seen, *own, *untraced;
	struct bob_pr_stretch s;
	bool lost;

	if (!tables || !is_entered(of, site))
		return UINT32_MAX;
	seen = __atomic_load_n(&of->untraced[site], __ATOMIC_ACQUIRE);
	own = new_empty();
	if (!replace(of, site, seen, own))
		return 0;
	/* The order matters. A reset that sees `aimed` overwrites our empty range, so that
	 * publishing fails, or overwrites the published range. A reset that came earlier has
	 * already made the version of the table odd or changed it, and bob_pr_find sees that
	 * because `aimed` is set by an atomic exchange. */
	(void)__atomic_exchange_n(&aimed, 1, __ATOMIC_ACQ_REL);
	s = bob_pr_find(at);
	untraced = s.wanted || s.asleep || s.hi <= s.lo ? NULL : make(s.lo, s.hi - s.lo);
	lost = untraced && untraced == *last && seen->size;
	if (untraced)
		*last = lost ? NULL : untraced;
	(void)replace(of, site, own, untraced && !lost ? untraced : seen);
	return untraced && !lost ? 0 : ASKS_AFTER_LOSS;
}
