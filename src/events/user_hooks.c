/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks at the program's own events. The set of hooks to call is chosen when an event begins, and
 * kept until it ends. */
#include <pthread.h>

#include "archive/events/user_key.h"
#include "events/hooks.h"

#define OPEN_MAX 65536u

struct open {
	uint64_t hooks;
	uint32_t id;
	struct bob_ev_path path;
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

/* Path of an event before it is recorded. An open event without words is completed first: all
 * records must be complete when definitions are dropped for lack of space. */
static struct bob_ev_path find_path(uint32_t id, const void *caller, const void *cfa)
{
	struct bob_ev_path path = { 0, NULL };
	struct bob_ev_thread *t;
	uint32_t number;
	uint64_t frame;

	bob_ev_depth = 1;
	t = bob_ev_thread();
	if (t && bob_ev_settle(t) &&
	    bob_ev_site(t, bob_ev_user_what(id, BOB_USER_WHOLE),
			bob_ev_user_is_nowhere(bob_ev_user_what(id, BOB_USER_WHOLE)), caller, cfa,
			&number, &frame) == BOB_OK)
		path = bob_ev_path_of(t, number);
	bob_ev_depth = 0;
	return path;
}

bool bob_ev_user_hooks_begin(uint32_t id, const union bob_arg *in, uint32_t count,
			     const void *caller, const void *cfa)
{
	struct bob_ev_data data = { .count = 0 };
	struct bob_ev_description description;
	struct bob_ev_path path = { 0, NULL };
	bob_ev_hooks hooks;
	bool left_out = false; /* events while switched off are neither recorded nor counted */

	bob_ev_describe_user(&description, id, false, in, count);
	hooks = bob_ev_hooks_of(bob_ev_user_what(id, BOB_USER_WHOLE), &description.event,
				bob_ev_is_off() ? NULL : &left_out);
	if (hooks && need_nest()) {
		if (bob_ev_hooks_want_place(hooks))
			path = find_path(id, caller, cfa);
		nest.open[nest.depth++] = (struct open){ hooks, id, path };
		bob_ev_hooks_held = bob_ev_names[id].is_hooked;
		bob_ev_hooks_call(hooks, &description.event, &data);
		bob_ev_hooks_keep(bob_ev_thread(), description.name, &path, &data);
	}
	return !left_out;
}

static void end_one(const struct open *o, const union bob_arg *out, uint32_t count)
{
	struct bob_ev_data data = { .count = 0 };
	struct bob_ev_description description;

	bob_ev_describe_user(&description, o->id, true, out, count);
	bob_ev_hooks_held = bob_ev_names[o->id].is_hooked;
	bob_ev_hooks_call(o->hooks, &description.event, &data);
	bob_ev_hooks_keep(bob_ev_thread(), description.name, &o->path, &data);
}

void bob_ev_user_hooks_end(uint32_t id, const union bob_arg *out, uint32_t count)
{
	uint32_t at = nest.depth;

	while (at && nest.open[at - 1].id != id)
		at--;
	if (!at)
		return;
	while (nest.depth >= at) { /* removes events within it that were left */
		const struct open o = nest.open[--nest.depth];
		const bool is_it = nest.depth < at;

		end_one(&o, is_it ? out : NULL, is_it ? count : 0);
	}
}
