/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks by their signatures, from any bytes, as they come from another process: what can be read is
 * written again the same, united with itself it stays what it is, and a text is printed of it. Then
 * the message about clusters: a rank is in one of them, or in none. */
#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "events/plugins/cluster/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void write_and_read(const struct bob_cluster_groups *g, uint32_t k)
{
	const size_t n = bob_cluster_write(g, k, NULL, 0);
	uint8_t *message = malloc(n);
	struct bob_cluster c;

	assert(message && bob_cluster_write(g, k, message, n) == n);
	for (uint32_t i = 0; i < g->count; i++) {
		/* a rank may be in two groups here */
		const uint32_t rank = g->group[i].run[0].first;

		if (bob_cluster_read(message, n, rank, &c))
			assert(c.rank == rank && c.cluster < c.clusters && c.clusters <= k &&
			       c.members && c.members <= c.ranks);
	}
	free(message);
}

static void read_message(const uint8_t *bytes, size_t len)
{
	struct bob_cluster c;

	for (uint32_t rank = 0; rank < 8; rank++)
		if (bob_cluster_read(bytes, len, rank, &c))
			assert(c.rank == rank && c.cluster < c.clusters && c.members &&
			       c.members <= c.ranks);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_cluster_groups *g = bob_cluster_unpack(bytes, len), *again;
	char text[300];
	uint8_t *packed;
	size_t n;

	read_message(bytes, len);
	if (!g)
		return 0;
	n = bob_cluster_pack(g, NULL, 0);
	packed = malloc(n);
	assert(packed && bob_cluster_pack(g, packed, n) == n);
	again = bob_cluster_unpack(packed, n);
	assert(again);
	assert(bob_cluster_text(g, 1 + (uint32_t)(len % 8), text, sizeof(text)) == strlen(text));
	write_and_read(g, 1 + (uint32_t)(len % 8));
	assert(bob_cluster_unite(again, g));
	assert(again->count <= BOB_CLUSTER_GROUPS);
	bob_cluster_destroy(again);
	bob_cluster_destroy(g);
	free(packed);
	return 0;
}
