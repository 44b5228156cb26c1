/* SPDX-License-Identifier: BSD-3-Clause */
/* The caches to be simulated: a description of at most four levels, as a struct, as a text that
 * people write, or by the name of a preset. The text, with every key that there is (docs/cache.md):
 *
 *     # a comment, up to the end of the line
 *     [machine]
 *     cores = 4                # default 1
 *     line = 64                # bytes of a line, in all levels; default 64
 *     [L1]                     # then [L2], [L3], [L4] as needed
 *     size = 32 KiB            # of one cache of this level; K, KB, KiB are 1024 bytes
 *     ways = 8
 *     [L2]
 *     size = 8M
 *     ways = 16
 *     shared = yes             # one cache for all cores, not one for each; default no
 *     inclusive = yes          # holds whatever the levels above hold; default no
 *
 * Everything here is by value and has no owner. Any thread. */
#ifndef BOB_ANALYSIS_CACHE_CONFIG_H
#define BOB_ANALYSIS_CACHE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_CACHE_LEVELS 4u
#define BOB_CACHE_PRIVATE 2u		/* levels that may be private to a core */
#define BOB_CACHE_CORES_MAX 64u
#define BOB_CACHE_LINE_MIN 16u
#define BOB_CACHE_LINE_MAX 4096u
#define BOB_CACHE_WAYS_MAX 1024u
#define BOB_CACHE_LINES_MAX (1u << 24)	/* of all caches together: they are that much memory */

struct bob_cache_level {
	uint64_t size_bytes;	/* a power of two of sets */
	uint32_t ways;
	uint8_t shared;
	uint8_t inclusive;
};

struct bob_cache_config {
	uint32_t cores;
	uint32_t line_bytes;
	uint32_t levels;
	struct bob_cache_level level[BOB_CACHE_LEVELS]; /* [0] is L1 */
};

/* One line, without a newline: what is wrong, and for texts where: "FILE:LINE: cause". */
struct bob_cache_complaint {
	char text[256];
};

/* BOB_ERR_INVAL: no such machine can be simulated; `why` (or NULL) says what is impossible. */
bob_status bob_cache_config_check(const struct bob_cache_config *c,
				  struct bob_cache_complaint *why);

/* `text` may be anything; `name` is the file's, for complaints. *out is changed only on BOB_OK, and
 * has been checked then. Errors: BOB_ERR_CORRUPT (not of this form), BOB_ERR_INVAL (impossible). */
bob_status bob_cache_config_parse(const char *text, size_t len, const char *name,
				  struct bob_cache_config *out, struct bob_cache_complaint *why);

/* Writes the text that parses back to `c`, at most `size` bytes with the 0 at its end. 512 are
 * enough. */
void bob_cache_config_write(const struct bob_cache_config *c, char *text, size_t size);

/* BOB_NONE: no preset has that name. */
bob_status bob_cache_preset(const char *name, struct bob_cache_config *out);
/* The presets by number, from 0: the name, and its description in *about. NULL after the last. */
const char *bob_cache_preset_name(uint32_t number, const char **about);

#endif
