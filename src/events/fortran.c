/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the Fortran module (fortran.py), next to bobbin_events_1. The module calls them
 * through pointers, as C programs call those of the table: so the place of an event is a line of
 * the program, not of the module. Fortran's strings have a length instead of a final zero, and
 * trailing blanks. */
#include <string.h>

#include "archive/events/user_key.h"
#include "events/recorder.h"

#define HERE __builtin_return_address(0), __builtin_dwarf_cfa()

/* type(bob_arg) of the module */
struct argument {
	uint64_t value;		/* for a string its address */
	uint64_t length;	/* of a string, without trailing blanks */
};

static uint64_t length_of(const struct argument *a)
{
	return a->length < BOB_EVENT_STRING_MAX ? a->length : BOB_EVENT_STRING_MAX;
}

/* Returns the number of parameters. `from` is the first of the event's parameters that they may be
 * for. *bytes is the size of their strings. */
static uint32_t measure(bob_event_id e, uint32_t from, int32_t count, const struct argument *in,
			size_t *bytes)
{
	const struct bob_user_key *k = bob_ev_user(bob_ev_user_what(e, BOB_USER_WHOLE));
	const uint32_t all = (uint32_t)k->in + k->out;
	uint32_t n = 0;

	*bytes = 0;
	for (; (int64_t)n < count && from + n < all; n++)
		if (k->type[from + n] == BOB_USER_STRING)
			*bytes += length_of(&in[n]) + 1;
	return n;
}

/* `text` has space for the strings. */
static void convert(union bob_arg *to, bob_event_id e, uint32_t from, uint32_t count,
		    const struct argument *in, char *text)
{
	const struct bob_user_key *k = bob_ev_user(bob_ev_user_what(e, BOB_USER_WHOLE));

	for (uint32_t n = 0; n < count; n++) {
		const uint64_t len = length_of(&in[n]);

		if (k->type[from + n] != BOB_USER_STRING) {
			to[n].i = (int64_t)in[n].value;
			continue;
		}
		if (len)
			memcpy(text, (const void *)(uintptr_t)in[n].value, len);
		text[len] = 0;
		to[n].s = text;
		text += len + 1;
	}
}

/* Defines `arg` with the n parameters from the event's `from`-th on. Strings are copied to the
 * stack, which may be small, so they take no more than they need. */
#define CONVERT(from)                                                                              \
	union bob_arg arg[BOB_USER_PARAMETERS_MAX];                                                \
	size_t bytes;                                                                              \
	const uint32_t n = measure(e, from, count, in, &bytes);                                    \
	convert(arg, e, from, n, in, __builtin_alloca(bytes + 1))

static void begin(bob_event_id e)
{
	bob_ev_end_left(__builtin_dwarf_cfa());
	bob_ev_begin(e, NULL, 0, HERE);
}

static void end(bob_event_id e)
{
	bob_ev_end_left(__builtin_dwarf_cfa());
	bob_ev_end(e, NULL, 0);
}

static void instant(bob_event_id e)
{
	bob_ev_end_left(__builtin_dwarf_cfa());
	bob_ev_instant(e, NULL, 0, HERE);
}

static void begin_with(bob_event_id e, int32_t count, const struct argument *in)
{
	bob_ev_end_left(__builtin_dwarf_cfa());
	if (bob_ev_is_registered(e)) {
		CONVERT(0);
		bob_ev_begin(e, arg, n, HERE);
	}
}

static void end_with(bob_event_id e, int32_t count, const struct argument *in)
{
	bob_ev_end_left(__builtin_dwarf_cfa());
	if (bob_ev_is_registered(e)) {
		CONVERT(bob_ev_user(bob_ev_user_what(e, BOB_USER_WHOLE))->in);
		bob_ev_end(e, arg, n);
	}
}

static void instant_with(bob_event_id e, int32_t count, const struct argument *in)
{
	bob_ev_end_left(__builtin_dwarf_cfa());
	if (bob_ev_is_registered(e)) {
		CONVERT(0);
		bob_ev_instant(e, arg, n, HERE);
	}
}

/* Layout as in the module. */
struct procedures {
	uint32_t size;		/* of this struct */
	uint32_t reserved;
	void (*begin)(bob_event_id e);
	void (*end)(bob_event_id e);
	void (*instant)(bob_event_id e);
	void (*begin_with)(bob_event_id e, int32_t count, const struct argument *in);
	void (*end_with)(bob_event_id e, int32_t count, const struct argument *out);
	void (*instant_with)(bob_event_id e, int32_t count, const struct argument *in);
};

extern const struct procedures bobbin_fortran_1;
__attribute__((visibility("default"))) const struct procedures bobbin_fortran_1 = {
	.size = sizeof(bobbin_fortran_1),
	.begin = begin,
	.end = end,
	.instant = instant,
	.begin_with = begin_with,
	.end_with = end_with,
	.instant_with = instant_with,
};
