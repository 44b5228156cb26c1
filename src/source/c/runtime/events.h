/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of events in an instrumented C file, after probes.h. The generator emits before this:
 * bobbin_events[], the identifier of each event (0: not recorded). Variables with the attribute
 * `cleanup` end the events, however the loop or call is left. */
struct bobbin_loop {
	uint32_t event;
	int64_t trips;
};

static BOBBIN_QUIET struct bobbin_loop bobbin_loop(uint32_t e)
{
	struct bobbin_loop l = { 0, 0 };

	l.event = e;
	bob_event_begin(bobbin_events[e]);
	return l;
}

static BOBBIN_QUIET void bobbin_loop_end(struct bobbin_loop *l)
{
	BOB_EVENT_END(bobbin_events[l->event], bob_int(l->trips));
}

static BOBBIN_QUIET uint32_t bobbin_call(uint32_t e)
{
	bob_event_begin(bobbin_events[e]);
	return e;
}

static BOBBIN_QUIET void bobbin_call_end(uint32_t *e)
{
	bob_event_end(bobbin_events[*e]);
}
