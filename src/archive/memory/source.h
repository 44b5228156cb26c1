/* SPDX-License-Identifier: BSD-3-Clause */
/* What the debug information of an image says of its recorded accesses: the payload of a SOURCE
 * chunk (docs/format.md). The planner makes it when the program has ended (plan/source), for
 * instructions that occur; readers need nothing else.
 *
 * Threads: a decoded source is constant. Tables are borrowed from the code that made them. */
#ifndef BOB_ARCHIVE_SOURCE_H
#define BOB_ARCHIVE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/host/arena.h"
#include "bobbin/fold.h"
#include "bobbin/trace.h"

/* A piece of the image with a name: a variable, or a section. */
struct bob_source_object {
	uint64_t addr, size;	/* link address; size is not 0 */
	const char *name;
};

/* Through what an access goes (trace.h has the kinds). */
struct bob_source_place {
	uint32_t kind;		/* enum bob_place_kind */
	const char *name;	/* "" if none */
	int64_t frame;		/* LOCAL, STACK: the access's address less the canonical frame address; THREAD: its offset in the
				 * image's block. Of INDEXED ones the variable's */
	uint64_t size;		/* of INDEXED ones: of the variable */
};

/* One instruction. */
struct bob_source_row {
	uint64_t pc;		/* link address */
	uint32_t file;		/* index, or ~0 */
	uint32_t line;		/* 0: not known */
	uint32_t load, store;	/* place + 1; 0: nothing known. Atomics are stores */
};

struct bob_source {
	const char **file;
	struct bob_source_place *place;
	struct bob_source_object *section, *object; /* sorted by address, not overlapping */
	struct bob_source_row *row; /* sorted by pc, one each */
	size_t files, places, sections, objects, rows;
};

/* Payload bytes, in as many calls as it takes. Tables must be as described above. */
void bob_source_put(const struct bob_source *s, bob_fold_write_fn write, void *ctx);
/* *s lives in `arena`. All is checked: order, indices, sizes. BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_source_get(const uint8_t *bytes, size_t len, struct bob_arena *arena,
			  struct bob_source *s);

/* NULL: nothing is known. */
const struct bob_source_row *bob_source_row_at(const struct bob_source *s, uint64_t pc);
const struct bob_source_object *bob_source_object_at(const struct bob_source_object *o,
						     size_t count, uint64_t addr);

#endif
