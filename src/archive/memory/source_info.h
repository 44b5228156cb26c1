/* SPDX-License-Identifier: BSD-3-Clause */
/* Debug information for an image's recorded accesses and call sites: the payloads of a SOURCE and
 * an INLINED chunk (docs/format.md). The planner makes them when the program has ended
 * (plan/source), for the instructions in the trace, so readers need no debug information.
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
	uint32_t inlined;	/* innermost inlined call + 1; 0: none, or unknown */
};

/* An inlined call of a function. The calls of an image are a forest: the code of the call `parent`
 * contains this call. */
struct bob_source_inlined {
	uint32_t parent;	/* index of an earlier call, or ~0: in the function itself */
	uint32_t function;	/* texts: its name, */
	uint32_t file;		/* and the file of the call; ~0: unknown */
	uint32_t line;		/* of the call; 0: unknown */
};

/* Inlined calls around an instruction, at most; docs/format.md. */
#define BOB_SOURCE_INLINED_DEPTH 255u

struct bob_source {
	const char **file;
	struct bob_source_place *place;
	struct bob_source_object *section, *object; /* sorted by address, not overlapping */
	struct bob_source_row *row; /* sorted by pc, unique */
	size_t files, places, sections, objects, rows;
	struct bob_source_inlined *inlined;
	const char **text;	/* of inlined calls */
	size_t inlined_count, texts;
};

/* Writes the payload in several calls of `write`. Tables must be as described above. */
void bob_source_put(const struct bob_source *s, bob_fold_write_fn write, void *ctx);
/* *s lives in `arena`. Order, indices and sizes are checked. Errors: BOB_ERR_CORRUPT,
 * BOB_ERR_NOMEM. */
bob_status bob_source_get(const uint8_t *bytes, size_t len, struct bob_arena *arena,
			  struct bob_source *s);

/* The same for the payload of an INLINED chunk, which refers to the rows of `s`. Writes nothing if
 * there are no inlined calls. Errors: BOB_ERR_NOMEM. */
bob_status bob_source_put_inlined(const struct bob_source *s, bob_fold_write_fn write, void *ctx);
/* Sets the inlined calls of `s`, which bob_source_get read. On failure it has none. Errors:
 * BOB_ERR_CORRUPT, BOB_ERR_VERSION, BOB_ERR_NOMEM. */
bob_status bob_source_get_inlined(const uint8_t *bytes, size_t len, struct bob_arena *arena,
				  struct bob_source *s);
/* Removes the inlined calls that no row needs, and their texts; the order remains. Errors:
 * BOB_ERR_NOMEM: unchanged. */
bob_status bob_source_drop_inlined(struct bob_source *s);

/* NULL: unknown. */
const struct bob_source_row *bob_source_row_at(const struct bob_source *s, uint64_t pc);
const struct bob_source_object *bob_source_object_at(const struct bob_source_object *o,
						     size_t count, uint64_t addr);

#endif
