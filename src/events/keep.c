/* SPDX-License-Identifier: BSD-3-Clause */
/* Scratch memory of a thread for the duration of a call: blocks that grow by doubling. */
#include "events/recorder.h"

/* Blocks of a call whose newest block became too small. */
struct kept {
	struct kept *older;
	uint64_t capacity;
};

static void drop_older(struct kept *k)
{
	while (k) {
		struct kept *older = k->older;

		bob_ev_unmap(k, k->capacity);
		k = older;
	}
}

void bob_ev_keep_begin(struct bob_ev_thread *t)
{
	if (t->kept && t->kept->older) {
		drop_older(t->kept->older);
		t->kept->older = NULL;
	}
	t->kept_used = sizeof(struct kept);
}

void bob_ev_keep_end(struct bob_ev_thread *t)
{
	drop_older(t->kept);
	t->kept = NULL;
}

void *bob_ev_keep(struct bob_ev_thread *t, uint64_t count, uint64_t size)
{
	uint64_t bytes = (count * size + 15) & ~15ull, capacity = t->kept ? t->kept->capacity : 0;
	void *p;

	if (size && count > (1ull << 40) / size)
		return NULL;
	if (capacity < t->kept_used || capacity - t->kept_used < bytes) {
		struct kept *k;

		for (capacity = capacity ? capacity : 4096; capacity < 2 * bytes + sizeof(*k);)
			capacity *= 2;
		k = bob_ev_map(capacity);
		if (!k)
			return NULL;
		k->older = t->kept;
		k->capacity = capacity;
		t->kept = k;
		t->kept_used = sizeof(*k);
	}
	p = (uint8_t *)t->kept + t->kept_used;
	t->kept_used += bytes;
	return p;
}
