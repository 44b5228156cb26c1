/* SPDX-License-Identifier: BSD-3-Clause */
/* Locations of a hooked function's parameters at the call, and of its result at the return, by the
 * System V ABI for x86-64. They come from prototypes that `record --hook-functions` has parsed
 * (BOBBIN_HOOK_PROTOTYPES), a line for each:
 *
 *     NAME|letters|letter|parameters
 *
 * A letter for each parameter, then one for the result or none (as bob_wrap_letter; a preceding - :
 * not recorded); the parameters as for bob_event_register. Malformed lines are skipped.
 *
 * Threads: any, after parsing. Never freed. */
#ifndef BOB_EVENTS_SIGNATURE_H
#define BOB_EVENTS_SIGNATURE_H

#include "events/recorder.h"

#define BOB_EV_LETTERS_MAX 128u

struct bob_ev_place {
	char letter;
	bool is_recorded;
};

struct bob_ev_signature {
	const char *name;
	const char *parameters;
	uint32_t count;
	struct bob_ev_place in[BOB_EV_LETTERS_MAX], out; /* out.letter 0: no result */
};

/* Parses all lines, *count of them; NULL: none. */
const struct bob_ev_signature *bob_ev_signatures_read(const char *text, uint32_t *count);
/* Values to record when a call begins, and when it has ended, from its registers and stack. Returns
 * their number, at most BOB_EVENT_PARAMETERS_MAX. */
uint32_t bob_ev_signature_in(const struct bob_ev_signature *s, const struct bob_function_call *c,
			     union bob_arg *to);
uint32_t bob_ev_signature_out(const struct bob_ev_signature *s, const struct bob_function_call *c,
			      union bob_arg *to);

#endif
