/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as a program that makes leaves: shapes with words, and repetitions of what was before with
 * values that go on. Folded, completed in between, merged with itself, packed, unpacked, expanded,
 * compared. */
#include "../unit/fold/events.h"

#define EVENTS 4000u
#define WORDS 3u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void must(const char *wrong)
{
	if (wrong) {
		fprintf(stderr, "%s\n", wrong);
		abort();
	}
}

/* Affine in the events so far, and more; or, for steps from 190 to 200, numbers that come again
 * after 6 to 16 events. */
static uint64_t value_of(uint64_t i, uint64_t step, uint64_t count)
{
	if (step >= 190 && step <= 200)
		return i * (step + 1) * (count % (step - 184)) * 40503 % 9973;
	return i * step * count + (step > 200 ? step * step * count % 251 : 0);
}

static void put(struct events *e, uint32_t shape, uint64_t step)
{
	uint64_t word[WORDS];
	uint32_t words = shape % (WORDS + 1);

	for (uint32_t i = 0; i < words; i++)
		word[i] = value_of(i + 1, step, e->count);
	events_put_words(e, shape, word, words);
}

static void check_merge(struct events *e)
{
	struct bob_folded *a = NULL, *b = NULL, *both = NULL, *again = NULL;
	struct events_bytes bytes = { 0 };

	if (bob_folded_open(e->out.at, e->out.len, 1, &events_alloc, &a) != BOB_OK ||
	    bob_folded_open(e->out.at, e->out.len, 9, &events_alloc, &b) != BOB_OK ||
	    bob_folded_merge(b, a, &events_alloc, &both) != BOB_OK ||
	    bob_folded_pack(both, events_write, &bytes) != BOB_OK ||
	    bob_folded_unpack(bytes.at, bytes.len, &events_alloc, &again) != BOB_OK)
		must("cannot be merged");
	must(events_same(e, again, 0));
	must(events_same(e, again, 1));
	bob_folded_close(a);
	bob_folded_close(b);
	bob_folded_close(both);
	bob_folded_close(again);
	free(bytes.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const uint8_t *p = bytes, *end = bytes + len;
	uint32_t rests = 0, agains = 0;
	struct events e;

	events_begin(&e);
	while (end - p >= 2 && e.count < EVENTS) {
		unsigned op = *p++, arg = *p++;
		size_t back = (size_t)(op >> 3) + 1, from = e.count;

		switch (op & 7) {
		case 0:
		case 1: /* what was before, some times */
			for (size_t i = 0; back <= from && i < arg * back && e.count < EVENTS; i++)
				put(&e, e.in[e.count - back], op & 1 ? arg : 8);
			break;
		case 2: /* a run */
			for (unsigned i = 0; i < arg && e.count < EVENTS; i++)
				put(&e, op >> 3, 8);
			break;
		case 3:
			if (rests++ < 4)
				must(events_rest(&e));
			break;
		case 4:
			if (agains++ < 2)
				events_again(&e);
			break;
		default:
			put(&e, op >> 3, arg);
		}
	}
	must(events_end(&e));
	if (e.out.len < 100000)
		check_merge(&e);
	events_free(&e);
	return 0;
}
