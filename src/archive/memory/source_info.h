/* SPDX-License-Identifier: BSD-3-Clause */
/* Debug information for an image's recorded accesses: the payload of a SOURCE chunk
 * (docs/format.md). The planner makes it when the program has ended (plan/source), for the
 * instructions that made accesses, so readers need no debug information.
 *
 * Threads: a decoded source is constant. Tables are borrowed from the code that made them. */
#ifndef BOB_ARCHIVE_SOURCE_INFO_H
#define BOB_ARCHIVE_SOURCE_INFO_H

#include <stddef.h>
#include <stdint.h>

#include "base/host/arena.h"
#include "bobbin/fold.h"
#include "bobbin/trace.h"

/* A named range of the image: a variable or a section. */
struct bob_source_object {
	uint64_t addr, size;	/* link address; size is not 0 */
	const char *name;
};

/* The variable or pointer through which an access is made (trace.h defines the kinds). */
struct bob_source_place {
	uint32_t kind;		/* enum bob_place_kind */
	const char *name;	/* "" if none */
	int64_t frame;		/* LOCAL, STACK: address of the access relative to the canonical
				 * frame address; THREAD: relative to the image's block of
				 * thread-local variables. INDEXED kinds: the same for the
				 * variable */
	uint64_t size;		/* INDEXED kinds: size of the variable */
};

/* An instruction. */
struct bob_source_row {
	uint64_t pc;		/* link address */
	uint32_t file;		/* index, or ~0 */
	uint32_t line;		/* 0: not known */
	uint32_t load, store;	/* place + 1; 0: unknown. Atomics are stores */
};

struct bob_source {
	const char **file;
	struct bob_source_place *place;
	struct bob_source_object *section, *object; /* sorted by address, not overlapping */
	struct bob_source_row *row; /* sorted by pc, unique */
	size_t files, places, sections, objects, rows;
};

/* Writes the payload in several calls of `write`. Tables must be as described above. */
void bob_source_put(const struct bob_source *s, bob_fold_write_fn write, void *ctx);
/* *s lives in `arena`. Order, indices and sizes are checked. Errors: BOB_ERR_CORRUPT,
 * BOB_ERR_NOMEM. */
bob_status bob_source_get(const uint8_t *bytes, size_t len, struct bob_arena *arena,
			  struct bob_source *s);

/* NULL: unknown. */
const struct bob_source_row *bob_source_row_at(const struct bob_source *s, uint64_t pc);
const struct bob_source_object *bob_source_object_at(const struct bob_source_object *o,
						     size_t count, uint64_t addr);

#endif
