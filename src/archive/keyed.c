/* SPDX-License-Identifier: BSD-3-Clause */
/* Index by key: a sorted array with binary search. */
#include "archive/keyed.h"

#include "archive/reader.h"
#include "base/hash.h"
#include "base/order.h"

int bob_keyed_begin(struct bob_keyed *k, size_t most)
{
	k->entry = calloc(most + 1, sizeof(*k->entry));
	k->count = 0;
	return k->entry != NULL;
}

void bob_keyed_add(struct bob_keyed *k, uint64_t key, size_t number)
{
	k->entry[k->count++] = (struct bob_keyed_entry){ key, number };
}

BOB_COMPARE(by_key, struct bob_keyed_entry, BOB_UP(key) BOB_UP(number))

void bob_keyed_sort(struct bob_keyed *k)
{
	if (k->count)
		qsort(k->entry, k->count, sizeof(*k->entry), by_key);
}

void bob_keyed_free(struct bob_keyed *k)
{
	free(k->entry);
	*k = (struct bob_keyed){ 0 };
}

uint64_t bob_key_of_text(const char *text)
{
	return bob_hash64(0, text, strlen(text));
}

uint64_t bob_key_of_pid(uint32_t pid, const char *host)
{
	return bob_hash64(pid, host, strlen(host));
}

int bob_keyed_pids(struct bob_keyed *k, const struct bob_trace *t)
{
	if (!bob_keyed_begin(k, t->process_count))
		return 0;
	for (size_t i = 0; i < t->process_count; i++) {
		const struct bob_process_info *p = &t->processes[i]->info;

		bob_keyed_add(k, bob_key_of_pid(p->pid, p->host), i);
	}
	bob_keyed_sort(k);
	return 1;
}
