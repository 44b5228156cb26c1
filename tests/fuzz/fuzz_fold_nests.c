/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as the entries of a folder, or, if the first one is odd, as a packed trace: nests give the
 * events of the cursor, and end as it does. */
#include "../unit/fold/events.h"
#include "../unit/fold/nests.h"

#define EVENTS 20000u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_folded *f;
	bob_status st;

	if (!len)
		return 0;
	st = bytes[0] & 1 ?
		     bob_folded_unpack(bytes, len, &events_alloc, &f) : /* its version is odd */
		     bob_folded_open(bytes + 1, len - 1, 9, &events_alloc, &f);
	if (st != BOB_OK)
		return 0;
	for (uint32_t i = 0; i < bob_folded_count(f) && i < 4; i++) {
		uint64_t in_nests;
		const char *wrong = nests_compare(f, i, EVENTS, &in_nests);

		if (wrong) {
			fprintf(stderr, "%s\n", wrong);
			abort();
		}
	}
	bob_folded_close(f);
	return 0;
}
