/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as what a random program draws (sequence.h). Folded, read in between, expanded in both
 * ways, merged, packed, unpacked. */
#include "../unit/fold/sequence_check.h"

#define EVENTS 1500u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct sequence_draw draw = { .at = bytes, .end = bytes + len };
	struct sequence_how how;
	struct sequence s = { 0 };
	const char *wrong;
	size_t done;

	if (!len)
		return 0;
	how.every = EVENTS / 3 + sequence_any(&draw, EVENTS);
	how.rows = sequence_any(&draw, 3) == 0;
	how.ranks = (uint32_t)sequence_any(&draw, 3);
	sequence_make(&s, &draw, EVENTS, 1);
	wrong = s.count ? sequence_check(&s, &how, &done) : NULL;
	if (wrong) {
		fprintf(stderr, "%s at event %zu of %zu\n", wrong, done, s.count);
		abort();
	}
	free(s.at);
	return 0;
}
