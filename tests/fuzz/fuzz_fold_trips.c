/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes first as trip counts to be read, which must end or be refused; then as a program that makes
 * some, written and read back. */
#include "../unit/fold/trips.h"

#define VALUES 30000u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void read_hostile(const uint8_t *bytes, size_t len)
{
	struct counted s = { 0 };
	size_t budget = BOB_TRIPS_HISTORY(13);
	struct bob_trips_dec d;
	uint64_t last = 0;

	bob_trips_dec_init(&d, bytes, len, counted_alloc, &s, &budget);
	for (unsigned i = 0; i < VALUES && bob_trips_get(&d, &last) == BOB_OK; i++)
		;
	counted_free_blocks(&s);
}

static void check(const char *wrong)
{
	if (wrong) {
		fprintf(stderr, "%s\n", wrong);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const uint8_t *p = bytes, *end = bytes + len;
	struct counted s;
	unsigned count = 0;

	read_hostile(bytes, len);
	counted_begin(&s);
	while (end - p >= 2 && count < VALUES) {
		unsigned op = *p++, arg = *p++, number = op >> 2 & 3;
		struct counted_column *c = &s.column[number];
		size_t budget = BOB_TRIPS_BYTES;

		switch (op & 3) {
		case 0: /* one value */
			count += counted_put(&s, number, (uint64_t)arg << (op >> 4) * 4);
			break;
		case 1: /* what was before, some times */
			for (unsigned i = 0; arg < c->count && i < (op >> 4) * 64 && count < VALUES;
			     i++)
				count += counted_put(&s, number, c->in[c->count - 1 - arg]);
			break;
		case 2: /* a stride */
			for (unsigned i = 0; i < arg && count < VALUES; i++)
				count += counted_put(&s, number, c->last + (op >> 4));
			break;
		default: /* as it would end here */
			if (c->enc)
				check(counted_check(&s, number, op >> 4 ? &c->last : NULL,
						    &budget));
			counted_free_blocks(&s);
			count += 100;
		}
	}
	check(counted_end(&s));
	counted_free(&s);
	return 0;
}
