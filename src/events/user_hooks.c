/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks at the program's own events. Which are called is decided when an event begins, and kept until it ends. */
#include <pthread.h>

#include "archive/user_key.h"
#include "events/hooks.h"

#define OPEN_MAX 65536u

struct open {
	uint64_t hooks;
	uint32_t id;
	uint32_t reserved;
};

static __thread struct {
	struct open *open;
	uint32_t depth;
} nest;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ended(void *open)
{
	bob_ev_unmap(open, OPEN_MAX * sizeof(struct open));
	nest.open = NULL;
	nest.depth = 0;
}

static void first(void)
{
	pthread_key_create(&key, thread_ended);
}

static bool need_nest(void)
{
	if (!nest.open) {
		pthread_once(&once, first);
		nest.open = bob_ev_map(OPEN_MAX * sizeof(struct open));
		pthread_setspecific(key, nest.open);
	}
	return nest.open && nest.depth < OPEN_MAX;
}

bool bob_ev_user_hooks_begin(uint32_t id, const union bob_arg *in, uint32_t count)
{
	struct bob_ev_data data = { .count = 0 };
	struct bob_ev_told told;
	bob_ev_hooks hooks;
	bool left_out;

	bob_ev_tell_user(&told, id, false, in, count);
	hooks = bob_ev_hooks_of(bob_ev_user_what(id, BOB_USER_WHOLE), &told.event, &left_out);
	if (hooks && need_nest()) {
		nest.open[nest.depth++] = (struct open){ hooks, id, 0 };
		bob_ev_hooks_call(hooks, &told.event, &data);
		bob_ev_hooks_keep(bob_ev_thread(), told.name, &data);
	}
	return !left_out;
}

static void end_one(const struct open *o, const union bob_arg *out, uint32_t count)
{
	struct bob_ev_data data = { .count = 0 };
	struct bob_ev_told told;

	bob_ev_tell_user(&told, o->id, true, out, count);
	bob_ev_hooks_call(o->hooks, &told.event, &data);
	bob_ev_hooks_keep(bob_ev_thread(), told.name, &data);
}

void bob_ev_user_hooks_end(uint32_t id, const union bob_arg *out, uint32_t count)
{
	uint32_t at = nest.depth;

	while (at && nest.open[at - 1].id != id)
		at--;
	if (!at)
		return;
	while (nest.depth >= at) { /* those in it were left */
		const struct open o = nest.open[--nest.depth];
		const bool is_it = nest.depth < at;

		end_one(&o, is_it ? out : NULL, is_it ? count : 0);
	}
}
