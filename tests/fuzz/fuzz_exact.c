/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed moments of events: bytes as heads and tails, which are read or refused; what was read is
 * packed again and read again. Then bytes as values. */
#include <stdlib.h>
#include <string.h>

#include "archive/merge/merging.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void round_trip(const uint64_t *value, size_t n)
{
	struct bob_bytes heads = { 0 }, tails = { 0 };
	uint64_t *back = malloc((n + 1) * sizeof(*back));

	bob_exact_pack(value, n, &heads, &tails);
	if (back && !heads.failed && !tails.failed) {
		must(heads.len == n);
		must(bob_exact_unpack(heads.at, n, tails.at, tails.len, back) == BOB_OK);
		must(!n || !memcmp(value, back, n * sizeof(*value)));
	}
	free(back);
	free(heads.at);
	free(tails.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size ? data[0] : 0;
	uint64_t *value = calloc(size / 8 + n + 1, sizeof(*value));

	if (!value)
		return 0;
	n = size && n < size ? n : 0;
	if (bob_exact_unpack(data + (size > 0), n, data + (size > 0) + n, size - (size > 0) - n,
			     value) == BOB_OK)
		round_trip(value, n);
	memcpy(value, data, size / 8 * 8);
	round_trip(value, size / 8);
	free(value);
	return 0;
}
