/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that hooks supply at events (bobbin/hooks.h), as ranks send them to each other, and in
 * process files of version 1; newer ones have tables (sets_table.h).
 *
 *     SETS  of no stream: 1; then sets, integers LEB128: bytes of the hook's name, it; bytes of the event's name, it; phase, + 2 if it is of a place: then
 *           calls of the path that leads there, outermost first, and for each its image's key (1: not known; 0: as the call before), its link address;
 *           kind (0: numbers, value_numbers.h; 1: of the user's own); bytes, they; bytes of a text, it
 *           or struct bob_sets_head; names, the first its own; then sets as above
 *
 * Of chunks of one name the last one wins. A chunk whose name is among those of another one, except
 * as its first, is contained in it and does not count. Empty chunks are being written. Sets of a
 * user's own are bytes in a format of their author, and a text. */
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
	uint64_t times;		/* how often a chunk of that name was written by then */
};

enum bob_set_kind { BOB_SET_NUMBERS, BOB_SET_OWN, BOB_SET_KINDS };

#define BOB_SET_DEPTH_MAX 256u
#define BOB_SET_IMAGE_UNKNOWN 1u

struct bob_set_call {
	uint64_t image;		/* its key (struct bob_rec_image) */
	uint64_t address;	/* of the call, in the image's file */
};

/* Points into the bytes. */
struct bob_set {
	const uint8_t *hook, *event, *bytes, *text;
	size_t hook_len, event_len, len, text_len;
	const uint8_t *path;
	size_t path_len;
	const struct bob_set_call *call; /* of a set in a table, in the place of `path` */
	uint32_t depth;		/* calls of it; 0: it is of no place, but of all */
	uint32_t phase;
	uint32_t kind;
};

/* The names that follow the head of a chunk, before its sets: *count of 8 bytes each, which may be
 * 0. *at then points after them. *times: of the head. BOB_ERR_CORRUPT. */
bob_status bob_sets_open(const uint8_t **at, const uint8_t *end, const uint8_t **names,
			 uint32_t *count, uint64_t *times);
/* How it is written, at `to`: so many bytes, at most BOB_SET_CALLS_BYTES for each call and 10
 * more. */
#define BOB_SET_CALLS_BYTES 20u
size_t bob_set_put_calls(uint8_t *to, const struct bob_set_call *call, uint32_t depth);
/* The calls of a set that was read; `to` has capacity for s->depth. */
void bob_set_calls(const struct bob_set *s, struct bob_set_call *to);
/* The next set of the bytes from *at to `end`. *at then points after it. BOB_END;
 * BOB_ERR_CORRUPT. */
bob_status bob_set_next(const uint8_t **at, const uint8_t *end, struct bob_set *s);

#endif
