/* SPDX-License-Identifier: BSD-3-Clause */
/* A plug-in for folding with a user-defined equivalence: it ignores the call paths of accesses, and
 * differences between threads within a line of 64 bytes.
 *
 *     cc -shared -fPIC plugin.c -o plugin.so
 *     bobbin fold --fold-plugin plugin.so -o coarse.bobbin bobbin.data */
#include <string.h>

#include <bobbin/fold.h>

#define LINE 64u
#define LEAST 4096u /* smaller words are not addresses: trip counts, masks */

/* The key of a leaf identifies its code: the same key on another path is the same code, called from
 * elsewhere. */
static int same_code(void *ctx, const struct bob_fold_shape *known,
		     const struct bob_fold_shape *fresh)
{
	(void)ctx;
	return known->key_len == fresh->key_len && !memcmp(known->key, fresh->key, known->key_len);
}

/* The same event of several threads. */
static void same_line(void *ctx, const struct bob_fold_shape *shape, const uint64_t *id,
		      uint64_t *const *word, uint32_t count)
{
	(void)ctx, (void)id;
	for (uint32_t w = 0; w < shape->words; w++)
		for (uint32_t i = 1; i < count; i++)
			if (word[i][w] >= LEAST && word[i][w] / LINE == word[0][w] / LINE)
				word[i][w] = word[0][w];
}

extern const struct bob_fold_plugin bob_fold_plugin;
const struct bob_fold_plugin bob_fold_plugin = {
	.version = BOB_FOLD_PLUGIN_VERSION,
	.size = sizeof(bob_fold_plugin),
	.name = "coarse",
	.match = same_code,
	.merge = same_line,
};
