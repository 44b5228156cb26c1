/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache of names, lines and variables of images, next to the plans in the user's cache: a run
 * copies what another run needed. One file an image, <key as 16 hex digits>.names: the image's file
 * as a trace has it (archive/format.h), followed by a PAD chunk with the instructions that it was
 * made for and a number for what it was made of. A process that needs more instructions writes the
 * file anew, for all of them. Everything in it is checked before use. */
#ifndef BOB_CLI_NAMES_CACHE_H
#define BOB_CLI_NAMES_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct cli_buffer {
	uint8_t *at;		/* malloc'ed; all zero is empty */
	size_t len, capacity;
	int failed;		/* memory ran out: what is there is not all */
};

void cli_buffer_take(void *ctx, const void *bytes, size_t len);

struct cli_names {
	struct cli_buffer file;	/* the image's file */
	uint64_t *pc;		/* what it was made for, ascending */
	size_t count;
	uint64_t stamp;		/* bob_plan_source_stamp of what it was made of */
	uint64_t made;		/* aux of its SOURCE chunk */
};

/* `cache`: from bob_plan_cache_open, -1 if there is none. 0, or -1: there are none, and *n is
 * empty. */
int cli_names_read(int cache, uint64_t key, struct cli_names *n);
/* Failing to keep them is no failure. */
void cli_names_keep(int cache, uint64_t key, const struct cli_names *n);
void cli_names_free(struct cli_names *n);
/* Was it made for all of these (ascending)? */
int cli_names_cover(const struct cli_names *n, const uint64_t *pc, size_t count);
/* These as well; 0 if there is no memory. */
int cli_names_unite(struct cli_names *n, const uint64_t *pc, size_t count);

/* The chunk at `off` of the file, if it is whole; its payload follows the head. */
struct bob_chunk_head;
int cli_chunk_at(const struct cli_buffer *file, size_t off, struct bob_chunk_head *c);
/* One more chunk at the end. */
void cli_chunk_add(struct cli_buffer *file, uint16_t kind, uint64_t aux,
		   const struct cli_buffer *payload);

#endif
