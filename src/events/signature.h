/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the parameters of a hooked function lie when it is called, and its result when it returns:
 * x86-64's System V convention, from prototypes that `record --hook-functions` has read
 * (BOBBIN_HOOK_PROTOTYPES), a line for each:
 *
 *     NAME|letters|letter|parameters
 *
 * A letter for each parameter, then one for the result or none (bob_wrap_letter says which; -
 * before it: not recorded); the parameters as bob_event_register takes them. Lines that are not so
 * are left out.
 *
 * Threads: any, once it is read. Nothing is freed. */
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

/* All of them, *count many; NULL: none. */
const struct bob_ev_signature *bob_ev_signatures_read(const char *text, uint32_t *count);
/* What is recorded of a call that begins, and that has ended, from its registers and its stack. How
 * many values, at most BOB_EVENT_PARAMETERS_MAX. */
uint32_t bob_ev_signature_in(const struct bob_ev_signature *s, const struct bob_function_call *c,
			     union bob_arg *to);
uint32_t bob_ev_signature_out(const struct bob_ev_signature *s, const struct bob_function_call *c,
			      union bob_arg *to);

#endif
