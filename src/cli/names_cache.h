/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache of names, lines and variables of images, next to the plans in the user's cache, so that a
 * run copies what an earlier run computed. One file per image, <key as 16 hex digits>.names: the
 * image's file as in a trace (archive/format.h), followed by a PAD chunk with the instructions that
 * it was made for and a stamp of the debug information it was made from. A process that needs more
 * instructions rewrites the file for all of them. Everything in it is checked before use. */
#ifndef BOB_CLI_NAMES_CACHE_H
#define BOB_CLI_NAMES_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct cli_buffer {
	uint8_t *at;		/* malloc'ed; all zero is empty */
	size_t len, capacity;
	int failed;		/* out of memory: the contents are incomplete */
};

void cli_buffer_take(void *ctx, const void *bytes, size_t len);

struct cli_names {
	struct cli_buffer file;	/* the image's file */
	uint64_t *pc;		/* the instructions it was made for, ascending */
	size_t count;
	uint64_t stamp;		/* bob_plan_source_stamp of its source */
	uint64_t made;		/* aux of its SOURCE chunk */
};

/* `cache`: from bob_plan_cache_open; -1: none. 0; or -1: no valid names, and *n is empty. */
int cli_names_read(int cache, uint64_t key, struct cli_names *n);
/* Stores the names; failures are ignored. */
void cli_names_keep(int cache, uint64_t key, const struct cli_names *n);
void cli_names_free(struct cli_names *n);
/* Whether it was made for all of these instructions (ascending). */
int cli_names_cover(const struct cli_names *n, const uint64_t *pc, size_t count);
/* Adds instructions; 0: out of memory. */
int cli_names_unite(struct cli_names *n, const uint64_t *pc, size_t count);

/* Reads the chunk at `off` of the file, if it is complete; its payload follows the head. */
struct bob_chunk_head;
int cli_chunk_at(const struct cli_buffer *file, size_t off, struct bob_chunk_head *c);
/* Appends a chunk. */
void cli_chunk_add(struct cli_buffer *file, uint16_t kind, uint64_t aux,
		   const struct cli_buffer *payload);

#endif
