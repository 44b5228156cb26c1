/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of functions that are hooked by name (--hook-functions), as events of their names. */
#include <errno.h>
#include <string.h>

#include "events/recorder.h"

#define FUNCTIONS_MAX (1u << 22)
#define REFUSED (~0u)

static uint32_t *ids;		/* [function]: 0 not known yet, REFUSED, or an event's */

static uint32_t register_function(uint32_t function)
{
	char name[BOB_EVENT_NAME_MAX + 1] = "";
	uint32_t id;

	strncpy(name, bob_ev_agent->function_name(function), BOB_EVENT_NAME_MAX);
	id = bob_ev_register(name, BOB_EVENT_WRAPPER, NULL, false);
	return id ? id : REFUSED;
}

/* 0: it is not recorded. */
static uint32_t event_of(uint32_t function)
{
	uint32_t id;

	if (function >= FUNCTIONS_MAX)
		return 0;
	id = __atomic_load_n(&ids[function], __ATOMIC_RELAXED);
	if (!id) {
		id = register_function(function);
		__atomic_store_n(&ids[function], id, __ATOMIC_RELAXED);
	}
	return id == REFUSED ? 0 : id;
}

static void begin(const struct bob_function_call *c)
{
	const int saved = errno;
	const uint32_t id = bob_ev_depth ? 0 :
					   event_of(c->function); /* not what we call ourselves */

	if (id)
		bob_ev_begin(id, NULL, 0, c->caller, c->cfa);
	errno = saved;
}

static void end(const struct bob_function_call *c)
{
	const int saved = errno;
	const uint32_t id = bob_ev_depth ? 0 :
					   event_of(c->function); /* not what we call ourselves */

	if (id)
		bob_ev_end(id, NULL, 0);
	errno = saved;
}

static const struct bob_function_hooks hooks = { .begin = begin, .end = end };

void bob_ev_hook_functions(void)
{
	if (ids || !bob_ev_agent->setting("BOBBIN_HOOK_FUNCTIONS"))
		return;
	ids = bob_ev_map(FUNCTIONS_MAX * sizeof(*ids));
	if (ids)
		bob_ev_agent->hook_functions(&hooks);
}
