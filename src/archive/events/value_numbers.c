/* SPDX-License-Identifier: BSD-3-Clause */
/* Distribution of numbers: a histogram whose bins widen when there are too many, and its packed
 * form. */
#include "archive/events/value_numbers.h"

#include <string.h>

#include "base/reader.h"
#include "base/search.h"

#define SIGN (1ull << 63)

/* --- numbers --- */

static uint64_t key_of(double d)
{
	uint64_t bits;

	if (d != d)
		return UINT64_MAX;
	d += 0.0; /* turns -0 into 0 */
	memcpy(&bits, &d, sizeof(bits));
	return bits & SIGN ? ~bits : bits | SIGN;
}

double bob_value_of_bin(uint64_t bin, uint32_t shift)
{
	const uint64_t key = bin << shift, bits = key & SIGN ? key & ~SIGN : ~key;
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static uint32_t next_shift(uint32_t shift)
{
	return shift ? shift + 1 : BOB_VALUE_FIRST_SHIFT;
}

static void widen(struct bob_value_numbers *n)
{
	const uint32_t shift = next_shift(n->shift), by = shift - n->shift;
	uint32_t to = 0;

	for (uint32_t i = 0; i < n->bins; i++) {
		const struct bob_value_bin b = { n->bin[i].bin >> by, n->bin[i].count };

		if (to && n->bin[to - 1].bin == b.bin)
			n->bin[to - 1].count += b.count;
		else
			n->bin[to++] = b;
	}
	n->bins = to;
	n->shift = shift;
}

/* Index of the bin, or where to insert it. */
static uint32_t find(const struct bob_value_numbers *n, uint64_t bin)
{
	size_t low;

	BOB_PARTITION_POINT(low, n->bins, mid, n->bin[mid].bin < bin);
	return (uint32_t)low;
}

static void add_key(struct bob_value_numbers *n, uint64_t key, uint64_t count)
{
	for (;; widen(n)) {
		const uint64_t bin = key >> n->shift;
		const uint32_t at = find(n, bin);

		if (at < n->bins && n->bin[at].bin == bin) {
			n->bin[at].count += count;
			return;
		}
		if (n->bins < BOB_VALUE_BINS) {
			memmove(n->bin + at + 1, n->bin + at, (n->bins - at) * sizeof(*n->bin));
			n->bin[at] = (struct bob_value_bin){ bin, count };
			n->bins++;
			return;
		}
	}
}

void bob_value_add(struct bob_value_numbers *n, double value)
{
	add_key(n, key_of(value), 1);
	n->min = !n->count || value < n->min ? value : n->min;
	n->max = !n->count || value > n->max ? value : n->max;
	n->sum += value;
	n->square += value * value;
	n->count++;
}

void bob_value_unite(struct bob_value_numbers *n, const struct bob_value_numbers *with)
{
	if (!with->count)
		return;
	while (n->shift < with->shift)
		widen(n);
	for (uint32_t i = 0; i < with->bins; i++)
		add_key(n, with->bin[i].bin << with->shift, with->bin[i].count);
	n->min = !n->count || with->min < n->min ? with->min : n->min;
	n->max = !n->count || with->max > n->max ? with->max : n->max;
	n->sum += with->sum;
	n->square += with->square;
	n->count += with->count;
}

int bob_value_is_valid(const struct bob_value_numbers *n)
{
	uint64_t sum = 0;

	if (n->bins > BOB_VALUE_BINS || !n->bins || n->shift > 63 ||
	    (n->shift && n->shift < BOB_VALUE_FIRST_SHIFT))
		return 0;
	for (uint32_t i = 0; i < n->bins; i++) {
		if ((i && n->bin[i].bin <= n->bin[i - 1].bin) || !n->bin[i].count ||
		    n->bin[i].count > UINT64_MAX - sum || n->bin[i].bin > UINT64_MAX >> n->shift)
			return 0;
		sum += n->bin[i].count;
	}
	return sum == n->count;
}

/* --- bytes --- */

size_t bob_value_pack(const struct bob_value_numbers *n, void *to, size_t capacity)
{
	const double sums[] = { n->min, n->max, n->sum, n->square };
	uint8_t bytes[BOB_VALUE_BYTES_MAX];
	size_t at = bob_varint_put(bytes, n->count);
	uint64_t before = 0;

	at += bob_varint_put(bytes + at, n->shift);
	at += bob_varint_put(bytes + at, n->bins);
	for (uint32_t i = 0; i < n->bins; i++) {
		at += bob_varint_put(bytes + at, n->bin[i].bin - before);
		at += bob_varint_put(bytes + at, n->bin[i].count);
		before = n->bin[i].bin;
	}
	memcpy(bytes + at, sums, sizeof(sums));
	at += sizeof(sums);
	if (capacity >= at)
		memcpy(to, bytes, at);
	return at;
}

bob_status bob_value_unpack(const void *bytes, size_t len, struct bob_value_numbers *n)
{
	struct bob_reader r = bob_reader_of(bytes, len);
	double sums[4];
	uint64_t before = 0, shift, bins;

	memset(n, 0, sizeof(*n));
	n->count = bob_reader_varint(&r);
	shift = bob_reader_varint(&r);
	bins = bob_reader_varint(&r);
	if (r.bad || bins > BOB_VALUE_BINS || shift > 63)
		return BOB_ERR_CORRUPT;
	n->shift = (uint32_t)shift;
	for (n->bins = 0; n->bins < bins && !r.bad; n->bins++) {
		before += bob_reader_varint(&r);
		n->bin[n->bins].bin = before;
		n->bin[n->bins].count = bob_reader_varint(&r);
	}
	bob_reader_copy(&r, sums, sizeof(sums));
	if (!bob_reader_is_done(&r))
		return BOB_ERR_CORRUPT;
	n->min = sums[0];
	n->max = sums[1];
	n->sum = sums[2];
	n->square = sums[3];
	return bob_value_is_valid(n) ? BOB_OK : BOB_ERR_CORRUPT;
}
