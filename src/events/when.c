/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions of the program's own events and of wrapped functions: an event is recorded only if its
 * condition holds for its input parameters. They are set by the program (bob_event_when) or in a
 * wrapper's spec. Conditions by pattern (--when) are hooks (hooks.c). */
#include <pthread.h>
#include <stdio.h>

#include "archive/events/predicate.h"
#include "events/hooks.h"

struct bob_ev_condition {
	struct bob_predicate when;
	uint64_t left_out;
};

static bool refuse(uint32_t id, const char *why, size_t column)
{
	char line[256];

	snprintf(line, sizeof(line), "event '%.63s': all are recorded: `when`, column %zu: %s\n",
		 bob_ev_names[id].key.name, column, why);
	bob_ev_log(line);
	return false;
}

bool bob_ev_when(uint32_t id, const char *condition)
{
	struct bob_ev_condition *c = bob_ev_map(sizeof(*c)), *none = NULL; /* never freed */
	const char *expected;
	char why[128];
	size_t at;

	if (!c)
		return refuse(id, "out of memory", 1);
	if (bob_predicate_parse(condition, &c->when, &at, &expected) != BOB_OK) {
		snprintf(why, sizeof(why), "%s was expected", expected);
		bob_ev_unmap(c, sizeof(*c));
		return refuse(id, why, at + 1);
	}
	bob_ev_watch_end();
	if (__atomic_compare_exchange_n(&bob_ev_names[id].when, &none, c, false, __ATOMIC_RELEASE,
					__ATOMIC_RELAXED))
		return true;
	bob_ev_unmap(c, sizeof(*c));
	return refuse(id, "it has a condition already", 1);
}

bool bob_ev_when_holds(uint32_t id, const union bob_arg *in, uint32_t count)
{
	struct bob_ev_condition *c = __atomic_load_n(&bob_ev_names[id].when, __ATOMIC_ACQUIRE);
	struct bob_ev_description description;

	bob_ev_describe_user(&description, id, false, in, count);
	if (bob_predicate_holds(&c->when, bob_ev_find_parameter, &description.event))
		return true;
	__atomic_fetch_add(&c->left_out, 1, __ATOMIC_RELAXED);
	return false;
}

void bob_ev_when_say(void)
{
	for (uint32_t id = 1; bob_ev_is_registered(id); id++) {
		const struct bob_ev_condition *c = bob_ev_names[id].when;
		char line[400];

		if (!c || !c->left_out)
			continue;
		snprintf(line, sizeof(line),
			 "%llu events are left out: '%.63s: %.200s' is not true of them\n",
			 (unsigned long long)c->left_out, bob_ev_names[id].key.name, c->when.text);
		bob_ev_log(line);
	}
}
