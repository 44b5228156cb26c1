/* SPDX-License-Identifier: BSD-3-Clause */
/* Description of the simulated caches, with at most four levels: as a struct, as a text, or by the
 * name of a preset. The text with all its keys (docs/cache.md):
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
 *     inclusive = yes          # contains all lines of the levels above; default no
 *
 * All structs are plain values. Any thread. */
#ifndef BOB_ANALYSIS_CACHE_CONFIG_H
#define BOB_ANALYSIS_CACHE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_CACHE_LEVELS 4u
#define BOB_CACHE_PRIVATE 2u		/* maximal number of private levels */
#define BOB_CACHE_CORES_MAX 64u
#define BOB_CACHE_LINE_MIN 16u
#define BOB_CACHE_LINE_MAX 4096u
#define BOB_CACHE_WAYS_MAX 1024u
#define BOB_CACHE_LINES_MAX (1u << 24)	/* of all caches together: bounds the memory */

struct bob_cache_level {
	uint64_t size_bytes;	/* size / (ways * line) must be a power of two */
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

/* One line without a newline: the cause, for texts preceded by "FILE:LINE: ". */
struct bob_cache_complaint {
	char text[256];
};

/* BOB_ERR_INVAL: the machine cannot be simulated; `why` (or NULL) gets the reason. */
bob_status bob_cache_config_check(const struct bob_cache_config *c,
				  struct bob_cache_complaint *why);

/* Parses an untrusted text; `name` is the file's, for messages. On BOB_OK *out is valid and
 * checked, otherwise unchanged. Errors: BOB_ERR_CORRUPT (syntax), BOB_ERR_INVAL (impossible
 * machine). */
bob_status bob_cache_config_parse(const char *text, size_t len, const char *name,
				  struct bob_cache_config *out, struct bob_cache_complaint *why);

/* Writes a text that parses back to `c`, at most `size` bytes including the final 0. 512 are
 * enough. */
void bob_cache_config_write(const struct bob_cache_config *c, char *text, size_t size);

/* BOB_NONE: unknown preset. */
bob_status bob_cache_preset(const char *name, struct bob_cache_config *out);
/* Name and description of preset `number`, from 0. NULL after the last. */
const char *bob_cache_preset_name(uint32_t number, const char **about);

#endif
