/* SPDX-License-Identifier: BSD-3-Clause */
/* Key of the definition of a program's own event, with its name and parameters (event_write.h). So
 * a trace needs no table of names, and an event has the same key in all processes, independent of
 * the order of registration.
 *
 *     varint BOB_USER_KEY; u8 phase, flags, bytes of the name; the name; u8 parameters it begins
 *     with, those it ends with; for each u8 type, bytes of its name; the name
 *
 * Each parameter has a word: an integer; the bits of a double; a string's length, whose bytes are a
 * vector. A whole event has the parameters of its beginning, then those of its end. If other events
 * are inside it, its beginning and its end are separate events, each with its own parameters.
 *
 * Freestanding. Threads: any; no state. */
#ifndef BOB_ARCHIVE_USER_KEY_H
#define BOB_ARCHIVE_USER_KEY_H

#include "archive/write/event_write.h"

#define BOB_USER_KEY 16384u	/* functions of MPI have smaller numbers */
#define BOB_USER_NAME_MAX 63u
#define BOB_USER_PARAMETERS_MAX 16u
#define BOB_USER_STRINGS_MAX BOB_EVENT_VECTORS_MAX
#define BOB_USER_TEXT_MAX 128u	/* for the names of all parameters, plus two bytes each */

enum bob_user_phase {
	BOB_USER_WHOLE,
	BOB_USER_BEGIN,
	BOB_USER_END,
	BOB_USER_INSTANT,
	BOB_USER_COUNTER,
	BOB_USER_PHASES
};

enum bob_user_type { BOB_USER_INT, BOB_USER_DOUBLE, BOB_USER_STRING, BOB_USER_TYPES };

struct bob_user_key {
	uint8_t flags;		/* as registered: enum bob_event_flag */
	uint8_t in, out;	/* parameters at its beginning, at its end */
	uint8_t type[BOB_USER_PARAMETERS_MAX]; /* enum bob_user_type */
	uint8_t name_at[BOB_USER_PARAMETERS_MAX]; /* offset in `text`, zero terminated */
	char text[BOB_USER_TEXT_MAX];
	char name[BOB_USER_NAME_MAX + 1];
};

/* Parses the arguments of bob_event_register; `parameters` may be NULL. Errors: BOB_ERR_INVAL. */
bob_status bob_user_parse(const char *name, uint32_t flags, const char *parameters,
			  struct bob_user_key *out);
/* Returns the length, at most BOB_EVENT_KEY_MAX. */
uint32_t bob_user_encode(const struct bob_user_key *k, enum bob_user_phase phase,
			 uint8_t to[BOB_EVENT_KEY_MAX]);
/* BOB_NONE: a key of another kind; BOB_ERR_CORRUPT. */
bob_status bob_user_decode(const uint8_t *key, size_t len, struct bob_user_key *out,
			   enum bob_user_phase *phase);
/* Range of the parameters of a phase. */
void bob_user_range(const struct bob_user_key *k, enum bob_user_phase phase, uint32_t *from,
		    uint32_t *to);
void bob_user_layout(const struct bob_user_key *k, enum bob_user_phase phase,
		     struct bob_event_layout *l);

#endif
