/* SPDX-License-Identifier: BSD-3-Clause */
/* Implements the interface of bobbin/events.h, hooks.h and ranks.h, and decides whether events are
 * recorded at all. */
#include <errno.h>
#include <stdio.h>

#include "events/hooks.h"
#include "events/ranks.h"

#define HERE __builtin_return_address(0), __builtin_dwarf_cfa()

static bool is_on;

__attribute__((constructor)) static void start(void)
{
	const struct bob_agent_streams *a = is_on ? NULL : bob_ev_ask_agent();

	if (a && a->setting("BOBBIN_EVENTS")) {
		bob_ev_agent = a;
		is_on = true;
		bob_ev_filters_add(a->setting("BOBBIN_WHEN"));
		if (a->setting("BOBBIN_WHEN"))
			bob_ev_watch_end();
		bob_ev_plugins_begin(a->setting("BOBBIN_PLUGINS"));
		bob_ev_hook_functions();
	}
}

/* Runs before the program's output is flushed for the last time, since results may be printed. */
__attribute__((destructor)) static void finish(void)
{
	if (!bob_ev_agent)
		return;
	bob_ev_sets_gather();
	bob_ev_sets_finish();
	bob_ev_plugins_finish();
}

/* Constructors of other libraries may register events before ours has run. */
static bool is_ready(void)
{
	if (!is_on)
		start();
	return is_on;
}

/* Functions called here, and in `when`, may be hooked. */
static bob_event_id enroll(const char *name, uint32_t flags, const char *parameters,
			   bool is_counter)
{
	const int saved = errno;
	const uint32_t depth = bob_ev_depth;
	uint32_t id;

	bob_ev_depth = 1;
	id = is_ready() ? bob_ev_register(name, flags, parameters, is_counter) : 0;
	bob_ev_depth = depth;
	errno = saved;
	return id;
}

static bob_event_id event(const char *name, uint32_t flags, const char *parameters)
{
	return enroll(name, flags, parameters, false);
}

static bob_event_id counter(const char *name, uint32_t flags)
{
	return enroll(name, flags, "double value", true);
}

static void begin(bob_event_id e, const union bob_arg *in, uint32_t count)
{
	bob_ev_end_left(__builtin_dwarf_cfa());
	bob_ev_begin(e, in, count, HERE);
}

static void end(bob_event_id e, const union bob_arg *out, uint32_t count)
{
	bob_ev_end_left(__builtin_dwarf_cfa());
	bob_ev_end(e, out, count);
}

static void instant(bob_event_id e, const union bob_arg *in, uint32_t count)
{
	bob_ev_end_left(__builtin_dwarf_cfa());
	bob_ev_instant(e, in, count, HERE);
}

static void set(bob_event_id e, double value)
{
	const union bob_arg a = { .d = value };

	bob_ev_end_left(__builtin_dwarf_cfa());
	bob_ev_instant(e, &a, 1, HERE);
}

static int when(bob_event_id e, const char *condition)
{
	const int saved = errno;
	const uint32_t depth = bob_ev_depth;
	int ok;

	bob_ev_depth = 1;
	ok = bob_ev_is_registered(e) && condition && bob_ev_when(e, condition);
	bob_ev_depth = depth;
	errno = saved;
	return ok;
}

static int add_hook(const struct bob_hook *h)
{
	const int saved = errno;
	const int ok = bob_ev_agent || is_ready() ? bob_ev_hook_add(h) : 0;

	errno = saved;
	return ok;
}

static bob_status so_far(uint64_t bytes_most, const struct bob_so_far **out)
{
	const int saved = errno;
	const bob_status st = bob_ev_agent ? bob_ev_so_far(bytes_most, out) : BOB_NONE;

	errno = saved;
	return st;
}

static void say(const char *line)
{
	const int saved = errno;
	char ended[512];

	if (bob_ev_agent && line) {
		snprintf(ended, sizeof(ended), "%.500s\n", line);
		bob_ev_log(ended);
	}
	errno = saved;
}

static int rank(uint32_t *to)
{
	return bob_ev_rank(to);
}

static bob_status exchange(const struct bob_hook *h, const void *mine, bob_hook_report_fn write,
			   const void **result, size_t *len)
{
	const int saved = errno;
	const bob_status st = bob_ev_agent ? bob_ev_exchange(h, mine, write, result, len) :
					     BOB_NONE;

	errno = saved;
	return st;
}

static int post(const char *name, const void *bytes, size_t len)
{
	return bob_ev_agent && name && bob_ev_post(name, bytes, len);
}

static size_t posted(const char *name, void *to, size_t capacity)
{
	return bob_ev_agent && name ? bob_ev_posted(name, to, capacity) : 0;
}

static int ranks_init(const struct bob_transport *t)
{
	return (bob_ev_agent || is_ready()) && !bob_ev_is_within() && bob_ev_ranks_init(t);
}

static int ranks_finalize(void)
{
	return bob_ev_agent && !bob_ev_is_within() && bob_ev_ranks_finalize();
}

/* Named BOB_EVENTS_TABLE, BOB_HOOKS_TABLE and BOB_RANKS_TABLE in the headers. */
extern const struct bob_ranks_table bobbin_ranks_1;
__attribute__((visibility("default"))) const struct bob_ranks_table bobbin_ranks_1 = {
	.size = sizeof(bobbin_ranks_1),
	.init = ranks_init,
	.finalize = ranks_finalize,
};

extern const struct bob_hooks_table bobbin_hooks_1;
__attribute__((visibility("default"))) const struct bob_hooks_table bobbin_hooks_1 = {
	.size = sizeof(bobbin_hooks_1),
	.add = add_hook,
	.so_far = so_far,
	.rank = rank,
	.say = say,
	.exchange = exchange,
	.post = post,
	.posted = posted,
};

extern const struct bob_events_table bobbin_events_1;
__attribute__((visibility("default"))) const struct bob_events_table bobbin_events_1 = {
	.size = sizeof(bobbin_events_1),
	.event = event,
	.begin = begin,
	.end = end,
	.instant = instant,
	.counter = counter,
	.set = set,
	.when = when,
};
