/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes an event for hooks: name, kind and parameters (struct bob_ev_description). */
#include <string.h>

#include "archive/events/user_key.h"
#include "events/hooks.h"

void bob_ev_describe(struct bob_ev_description *to, uint32_t kind, bool at_end)
{
	to->event = (struct bob_hook_event){ .size = sizeof(to->event),
					     .kind = kind,
					     .name = to->name,
					     .at_end = at_end,
					     .parameter = to->parameter,
					     .value = to->value };
}

void bob_ev_describe_parameter(struct bob_ev_description *to, const char *name, uint32_t type,
			       union bob_arg value)
{
	const uint32_t i = to->event.count;

	if (i == BOB_EV_FIXED_WORDS)
		return;
	to->parameter[i] = (struct bob_hook_parameter){ name, type, 0 };
	to->value[i] = value;
	to->event.count++;
}

void bob_ev_describe_user(struct bob_ev_description *to, uint32_t id, bool at_end,
			  const union bob_arg *args, uint32_t count)
{
	const struct bob_user_key *k = bob_ev_user(bob_ev_user_what(id, BOB_USER_WHOLE));
	const bool is_out = at_end && bob_ev_instant_phase(id) != BOB_USER_COUNTER;
	const uint32_t from = is_out ? k->in : 0, last = is_out ? (uint32_t)k->in + k->out : k->in;

	bob_ev_describe(to, k->flags & BOB_EVENT_WRAPPER ? BOB_HOOK_FUNCTION : BOB_HOOK_CUSTOM,
			at_end);
	memcpy(to->name, k->name, sizeof(k->name));
	for (uint32_t i = from; i < last; i++) {
		const union bob_arg none = { .i = 0 };

		bob_ev_describe_parameter(to, k->text + k->name_at[i], k->type[i],
					  i - from < count ? args[i - from] : none);
	}
}
