/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as descriptors, each followed by words: what is accepted must come back the same from bytes
 * of our own, and its records must walk without harm. The whole input is also a seed of descriptors
 * that must be accepted. */
#include <stdio.h>
#include <stdlib.h>

#include "../unit/mem/descs.h"

#define STEPS 20000

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static struct desc_capacity one, two;
static uint8_t again[BOB_MEM_DESC_BYTES(BOB_MEM_ACCESSES_MAX)];

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void round_trip(const struct bob_mem_desc *d)
{
	size_t len = bob_mem_desc_put(d, again);
	const uint8_t *at = again;

	must(len <= BOB_MEM_DESC_BYTES(d->access_count), "longer than its buffer");
	must(bob_mem_desc_get(&at, again + len, &two.d, two.access, two.step) == BOB_OK,
	     "refused what was accepted");
	must(at == again + len && desc_equal(d, &two.d), "came back changed");
}

static size_t walk(const struct bob_mem_desc *d, const uint8_t *bytes, size_t len)
{
	size_t capacity = len / 8 < 512 ? len / 8 : 512, count;
	uint64_t *word = malloc(capacity * 8 + 1); /* exactly: an overrun is seen */
	struct bob_mem_event e;
	struct bob_mem_walk w;

	must(word != NULL, "no memory");
	memcpy(word, bytes, capacity * 8);
	for (int open = 0; open < 2; open++) {
		if (bob_mem_record_count(d, word, capacity, open, &count) != BOB_OK) {
			count = 0;
			continue;
		}
		must(count <= capacity, "more words than there are");
		if (bob_mem_walk_begin(&w, d, word, count, 4096) != BOB_OK)
			continue;
		for (int i = 0; i < STEPS && bob_mem_walk_next(&w, &e) != BOB_END; i++)
			;
	}
	free(word);
	return count * 8;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const uint8_t *at = bytes, *end = bytes + len;
	uint64_t seed = 1;

	for (size_t i = 0; i < len; i++)
		seed = (seed ^ bytes[i]) * 0x100000001b3u | 1;
	desc_make(&one, &seed);
	round_trip(&one.d);
	while (bob_mem_desc_get(&at, end, &one.d, one.access, one.step) == BOB_OK) {
		round_trip(&one.d);
		at += walk(&one.d, at, (size_t)(end - at));
	}
	return 0;
}
