/* SPDX-License-Identifier: BSD-3-Clause */
/* What hooks brought at events (bobbin/hooks.h), in a process's file.
 *
 *     SETS  of no stream, all LEB128: 1; then sets: bytes of the hook's name, it; bytes of the event's name, it; phase; kind (0: numbers,
 *           value_numbers.h; 1: of the user's own); bytes, they; bytes of a text, it
 *
 * Sets of a user's own are bytes that mean something to who made them, and a text. */
#ifndef BOB_ARCHIVE_VALUE_SETS_H
#define BOB_ARCHIVE_VALUE_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

enum bob_set_kind { BOB_SET_NUMBERS, BOB_SET_OWN, BOB_SET_KINDS };

/* Points into the bytes. */
struct bob_set {
	const uint8_t *hook, *event, *bytes, *text;
	size_t hook_len, event_len, len, text_len;
	uint32_t phase;
	uint32_t kind;
};

/* The next set of the bytes from *at to `end`, which then lie behind it. BOB_END; BOB_ERR_CORRUPT. */
bob_status bob_set_next(const uint8_t **at, const uint8_t *end, struct bob_set *s);

#endif
