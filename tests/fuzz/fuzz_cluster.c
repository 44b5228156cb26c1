/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks by their signatures, from any bytes, as they come from another process: what can be read is written again the same, united with itself
 * it stays what it is, and something is said of it. */
#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "events/plugins/cluster/groups.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_cluster_groups *g = bob_cluster_unpack(bytes, len), *again;
	char text[300];
	uint8_t *packed;
	size_t n;

	if (!g)
		return 0;
	n = bob_cluster_pack(g, NULL, 0);
	packed = malloc(n);
	assert(packed && bob_cluster_pack(g, packed, n) == n);
	again = bob_cluster_unpack(packed, n);
	assert(again);
	assert(bob_cluster_text(g, 1 + (uint32_t)(len % 8), text, sizeof(text)) == strlen(text));
	assert(bob_cluster_unite(again, g));
	assert(again->count <= BOB_CLUSTER_GROUPS);
	bob_cluster_destroy(again);
	bob_cluster_destroy(g);
	free(packed);
	return 0;
}
