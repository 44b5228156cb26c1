/* SPDX-License-Identifier: BSD-3-Clause */
/* What the Fortran module (fortran.py) finds beside bobbin_events_1. Its program calls these through pointers, as C calls those of the table: so
 * where an event happens is a line of the program's, not one of the module's. Fortran's strings end with blanks and not with a zero. */
#include <string.h>

#include "archive/events/user_key.h"
#include "events/recorder.h"

#define HERE __builtin_return_address(0), __builtin_dwarf_cfa()

/* type(bob_arg) */
struct argument {
	uint64_t value;		/* of a string its address */
	uint64_t length;	/* of a string, without the blanks */
};

struct arguments {
	union bob_arg arg[BOB_USER_PARAMETERS_MAX];
	char text[BOB_USER_STRINGS_MAX][BOB_EVENT_STRING_MAX + 1];
};

/* How many. `from` is the event's first parameter that they may be for. */
static uint32_t convert(struct arguments *to, bob_event_id e, uint32_t from, int32_t count,
			const struct argument *in)
{
	const struct bob_user_key *k = bob_ev_user(bob_ev_user_what(e, BOB_USER_WHOLE));
	const uint32_t all = (uint32_t)k->in + k->out;
	uint32_t n = 0, texts = 0;

	for (; (int64_t)n < count && from + n < all; n++) {
		uint64_t len = in[n].length;
		char *text;

		if (k->type[from + n] != BOB_USER_STRING) {
			to->arg[n].i = (int64_t)in[n].value;
			continue;
		}
		text = to->text[texts++];
		len = len < BOB_EVENT_STRING_MAX ? len : BOB_EVENT_STRING_MAX;
		if (len)
			memcpy(text, (const void *)(uintptr_t)in[n].value, len);
		text[len] = 0;
		to->arg[n].s = text;
	}
	return n;
}

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
	struct arguments a;

	bob_ev_end_left(__builtin_dwarf_cfa());
	if (bob_ev_is_registered(e)) {
		const uint32_t n = convert(&a, e, 0, count, in);

		bob_ev_begin(e, a.arg, n, HERE);
	}
}

static void end_with(bob_event_id e, int32_t count, const struct argument *out)
{
	struct arguments a;

	bob_ev_end_left(__builtin_dwarf_cfa());
	if (bob_ev_is_registered(e)) {
		const uint32_t from = bob_ev_user(bob_ev_user_what(e, BOB_USER_WHOLE))->in;

		bob_ev_end(e, a.arg, convert(&a, e, from, count, out));
	}
}

static void instant_with(bob_event_id e, int32_t count, const struct argument *in)
{
	struct arguments a;

	bob_ev_end_left(__builtin_dwarf_cfa());
	if (bob_ev_is_registered(e)) {
		const uint32_t n = convert(&a, e, 0, count, in);

		bob_ev_instant(e, a.arg, n, HERE);
	}
}

/* As the module has it. */
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
