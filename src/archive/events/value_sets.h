/* SPDX-License-Identifier: BSD-3-Clause */
/* Value sets of hooks (bobbin/hooks.h) as ranks exchange them, and as process files of version 1
 * contain them; newer files have tables (sets_table.h).
 *
 *     SETS  of no stream: 1; then sets, integers LEB128: bytes of the hook's name, the name; bytes
 *           of the event's name, the name; phase, + 2 if the set is of a place: then the number of
 *           calls of the path to the place, outermost first, and for each its image's key (1:
 *           unknown; 0: as the previous call), its link address; kind (0: numbers,
 *           value_numbers.h; 1: user-defined); bytes of the set, the set; bytes of a text, the text
 *           or struct bob_sets_head; names, the first its own; then sets as above
 *
 * Of chunks with the same name the last one wins. A chunk whose name is among the names of another
 * one, except as its first, is contained in that and ignored. Empty chunks are incomplete.
 * User-defined sets have a format of their author, and a text. */
#ifndef BOB_ARCHIVE_VALUE_SETS_H
#define BOB_ARCHIVE_VALUE_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

enum bob_sets_version { BOB_SETS_ALONE = 1, BOB_SETS_NAMED = 2 };

struct bob_sets_head {
	uint8_t version;	/* BOB_SETS_NAMED */
	uint8_t reserved[3];	/* 0 */
	uint32_t names;		/* u64 each, that follow; at least 1 */
	uint64_t times;		/* how often a chunk of that name has been written */
};

enum bob_set_kind { BOB_SET_NUMBERS, BOB_SET_OWN, BOB_SET_KINDS };

#define BOB_SET_DEPTH_MAX 256u
#define BOB_SET_IMAGE_UNKNOWN 1u

struct bob_set_call {
	uint64_t image;		/* key of its image (struct bob_rec_image) */
	uint64_t address;	/* of the call, in the image's file */
};

/* Borrows the bytes. */
struct bob_set {
	const uint8_t *hook, *event, *bytes, *text;
	size_t hook_len, event_len, len, text_len;
	const uint8_t *path;
	size_t path_len;
	const struct bob_set_call *call; /* of a set in a table, instead of `path` */
	uint32_t depth;		/* number of calls; 0: the set is of the event at all places */
	uint32_t phase;
	uint32_t kind;
};

/* Reads the head of a chunk: *count names of 8 bytes each (may be 0), *times. *at advances to the
 * sets. Errors: BOB_ERR_CORRUPT. */
bob_status bob_sets_open(const uint8_t **at, const uint8_t *end, const uint8_t **names,
			 uint32_t *count, uint64_t *times);
/* Encodes a call path at `to`. Returns the size, at most BOB_SET_CALLS_BYTES per call plus 10. */
#define BOB_SET_CALLS_BYTES 20u
size_t bob_set_put_calls(uint8_t *to, const struct bob_set_call *call, uint32_t depth);
/* Decodes the calls of a set; capacity of `to`: s->depth. */
void bob_set_calls(const struct bob_set *s, struct bob_set_call *to);
/* Reads the set at *at and advances *at. BOB_END; BOB_ERR_CORRUPT. */
bob_status bob_set_next(const uint8_t **at, const uint8_t *end, struct bob_set *s);

#endif
