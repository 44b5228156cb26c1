/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of functions that are hooked by name (--hook-functions). Functions can also act as Init
 * and Finalize of ranks (--init, --finalize). */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "events/ranks.h"
#include "events/signature.h"

#define FUNCTIONS_MAX (1u << 22)
#define REFUSED (~0u)
#define SIGNATURES_MAX 0x3fffffffu
#define INITS 1u
#define FINALIZES 2u

struct known {
	_Alignas(8) uint32_t id; /* of its event; 0: not looked up yet; REFUSED */
	uint32_t signature : 30; /* number + 1; 0: none */
	uint32_t role : 2;	/* bits INITS, FINALIZES */
};

bool bob_ev_has_functions;
static struct known *functions;	/* [function] */
static const struct bob_ev_signature *signatures;
static uint32_t signature_count;

static bool is_named(const char *name, const char *setting)
{
	const char *pattern = bob_ev_agent->setting(setting);

	return pattern && !fnmatch(pattern, name, 0);
}

static struct known register_function(uint32_t function)
{
	const char *whole = bob_ev_agent->function_name(function);
	char name[BOB_EVENT_NAME_MAX + 1] = "";
	struct known k = { .signature = signature_count & SIGNATURES_MAX };

	strncpy(name, whole, BOB_EVENT_NAME_MAX);
	while (k.signature && strcmp(signatures[k.signature - 1].name, whole) != 0)
		k.signature--;
	k.id = bob_ev_register(name, BOB_EVENT_WRAPPER,
			       k.signature ? signatures[k.signature - 1].parameters : NULL, false);
	if (k.id)
		bob_ev_names[k.id].is_hooked = true;
	else
		k.id = REFUSED;
	k.role = (is_named(whole, "BOBBIN_INIT") ? INITS : 0) |
		 (is_named(whole, "BOBBIN_FINALIZE") ? FINALIZES : 0);
	return k;
}

/* The event of a function; id 0: not recorded. */
static struct known event_of(uint32_t function)
{
	struct known k = { .id = 0 };

	if (bob_ev_is_within() || function >= FUNCTIONS_MAX) /* skips Bobbin's own calls */
		return k;
	__atomic_load(&functions[function], &k, __ATOMIC_RELAXED);
	if (!k.id) {
		k = register_function(function);
		__atomic_store(&functions[function], &k, __ATOMIC_RELAXED);
	}
	if (k.id == REFUSED)
		k.id = 0;
	return k;
}

static void begin(const struct bob_function_call *c)
{
	const int saved = errno;
	const struct known k = event_of(c->function);
	union bob_arg in[BOB_EVENT_PARAMETERS_MAX];
	uint32_t count = 0;

	if (k.role & FINALIZES)
		(void)bob_ev_ranks_finalize();
	if (k.id && k.signature)
		count = bob_ev_signature_in(&signatures[k.signature - 1], c, in);
	if (k.id)
		bob_ev_begin(k.id, in, count, c->caller, c->cfa);
	errno = saved;
}

static void end(const struct bob_function_call *c)
{
	const int saved = errno;
	const struct known k = event_of(c->function);
	union bob_arg out;
	uint32_t count = 0;

	if (k.id && k.signature)
		count = bob_ev_signature_out(&signatures[k.signature - 1], c, &out);
	if (k.id)
		bob_ev_end(k.id, &out, count);
	if (k.role & INITS && c->returned)
		(void)bob_ev_ranks_init(NULL);
	errno = saved;
}

static const struct bob_function_hooks hooks = { .begin = begin, .end = end };

void bob_ev_hook_functions(void)
{
	if (functions || !bob_ev_agent->setting("BOBBIN_HOOK_FUNCTIONS"))
		return;
	signatures = bob_ev_signatures_read(bob_ev_agent->setting("BOBBIN_HOOK_PROTOTYPES"),
					    &signature_count);
	functions = bob_ev_map(FUNCTIONS_MAX * sizeof(*functions));
	if (!functions)
		return;
	bob_ev_has_functions = true;
	bob_ev_agent->hook_functions(&hooks);
}
