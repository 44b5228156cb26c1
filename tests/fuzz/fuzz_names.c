/* SPDX-License-Identifier: BSD-3-Clause */
/* What a kept file of names says it was made for, from any bytes: refused, or numbers that go out
 * and come back the same. */
#undef NDEBUG
#include <assert.h>

#include "cli/names_cache.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct cli_names n = { .count = 0 }, again = { .count = 0 };
	struct cli_buffer out = { 0 };

	if (!read_pcs(&n, bytes, bytes + len)) {
		put_pcs(&n, &out);
		assert(!out.failed && !read_pcs(&again, out.at, out.at + out.len));
		assert(again.stamp == n.stamp && again.count == n.count);
		assert(!n.count || !memcmp(n.pc, again.pc, n.count * sizeof(*n.pc)));
		(void)cli_names_cover(&n, again.pc, again.count);
		assert(cli_names_unite(&n, again.pc, again.count));
	}
	cli_names_free(&n);
	cli_names_free(&again);
	free(out.at);
	return 0;
}
