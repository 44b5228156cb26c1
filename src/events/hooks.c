/* SPDX-License-Identifier: BSD-3-Clause */
/* Registry of hooks, which hooks are called at an event, and the calls. Hooks are selected by name
 * patterns, cached per event, and by conditions, evaluated at each event. Conditions of --when are
 * hooks that call nothing, but leave events out of the trace.
 *
 * Threads: any; a mutex serialises registration, events read without a lock. */
#define _GNU_SOURCE
#include "events/hooks.h"

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "archive/events/predicate.h"
#include "events/guard.h"

#define WHATS (BOB_EV_USER + 8u * 16385u)

struct hook {
	const struct bob_hook *h;
	struct bob_predicate when;
	bool has_when;
	/* a filter of --when: events for which the condition is false are not recorded; nothing is
	 * called */
	bool filters;
	uint64_t left_out;
};

/* Cache: hooks whose patterns match the event's name and kind, among the first `of` hooks. */
struct matched {
	uint64_t hooks;
	uint32_t of;
	uint32_t reserved;
};

uint32_t bob_ev_hook_count;
static struct hook *hooks;
static bob_ev_hooks by_place;	/* hooks with a set per place */
static struct matched *matched; /* [what] */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread const uint8_t *in_hook; /* frame of the call of a hook; NULL: not in one */
__thread bool bob_ev_hooks_held;
static __thread bool at_mpi;	/* that hook is at a call of MPI */

/* An exception or a jump may have left the hook: then the stack is shorter than it was. */
bool bob_ev_is_in_hook(void)
{
	if (in_hook && (const uint8_t *)__builtin_frame_address(0) > in_hook)
		in_hook = NULL;
	return in_hook != NULL;
}

bool bob_ev_is_in_mpi_hook(void)
{
	return bob_ev_is_in_hook() && at_mpi;
}

const struct bob_hook *bob_ev_hook(uint32_t number)
{
	return hooks[number].h;
}

/* --- registration --- */

static int refuse(const struct bob_hook *h, const char *why)
{
	char line[256];

	snprintf(line, sizeof(line), "hook '%.60s' is not called: %.150s\n",
		 h && h->name ? h->name : "", why);
	bob_ev_log(line);
	return 0;
}

static int add(const struct bob_hook *h, bool filters)
{
	const bool calls_only = h->flags & BOB_HOOK_CALLBACK_ONLY;
	const uint32_t n = bob_ev_hook_count;
	const char *expected;
	size_t at;

	if (!filters && (calls_only ? !h->callback : !h->end))
		return refuse(h, "it has no function to call");
	if (!hooks) {
		hooks = bob_ev_map(BOB_EV_HOOKS_MAX * sizeof(*hooks));
		matched = bob_ev_map(WHATS * sizeof(*matched));
	}
	if (!hooks || !matched || n == BOB_EV_HOOKS_MAX)
		return refuse(h, "there are too many");
	if (h->when && bob_predicate_parse(h->when, &hooks[n].when, &at, &expected) != BOB_OK) {
		char why[160];

		snprintf(why, sizeof(why), "`when`, column %zu: %s was expected", at + 1, expected);
		return refuse(h, why);
	}
	hooks[n].has_when = h->when != NULL;
	hooks[n].filters = filters;
	hooks[n].h = h;
	if (h->flags & BOB_HOOK_BY_PLACE)
		by_place |= 1ull << n;
	__atomic_store_n(&bob_ev_hook_count, n + 1, __ATOMIC_RELEASE);
	return 1;
}

int bob_ev_hook_add(const struct bob_hook *h)
{
	int ok;

	if (!h || h->size < sizeof(*h))
		return refuse(NULL, "it is of another version of bobbin/hooks.h");
	pthread_mutex_lock(&lock);
	ok = add(h, false);
	pthread_mutex_unlock(&lock);
	return ok;
}

/* --- filters of --when --- */

/* Parses "pattern[:pattern...]: condition". */
static void add_filter(const char *text, size_t len)
{
	const char *colon = memmem(text, len, ": ", 2);
	struct {
		struct bob_hook hook;
		char events[256], when[BOB_PREDICATE_TEXT + 1];
	} *f = bob_ev_map(sizeof(*f)); /* never freed */
	const size_t name = colon ? (size_t)(colon - text) : 0;

	if (!f || !name || name >= sizeof(f->events) || len - name - 2 >= sizeof(f->when)) {
		refuse(NULL, "a condition of --when is invalid");
		return;
	}
	memcpy(f->events, text, name);
	memcpy(f->when, colon + 2, len - name - 2);
	f->hook = (struct bob_hook){ .size = sizeof(f->hook),
				     .name = "--when",
				     .events = f->events,
				     .when = f->when };
	add(&f->hook, true);
}

void bob_ev_filters_add(const char *lines)
{
	pthread_mutex_lock(&lock);
	while (lines && *lines) {
		const size_t n = strcspn(lines, "\n");

		add_filter(lines, n);
		lines += n + (lines[n] != 0);
	}
	pthread_mutex_unlock(&lock);
}

void bob_ev_filters_say(void)
{
	for (uint32_t i = 0; i < bob_ev_hook_count; i++) {
		const struct hook *k = &hooks[i];
		char line[400];

		if (!k->left_out)
			continue;
		snprintf(line, sizeof(line),
			 "%llu events are left out: --when='%.100s: %.200s' is not true of them\n",
			 (unsigned long long)k->left_out, k->h->events, k->h->when);
		bob_ev_log(line);
	}
}

/* --- selection --- */

static bool matches(const char *patterns, const char *name)
{
	while (*patterns) {
		const size_t n = strcspn(patterns, ":");
		char one[128];

		if (n < sizeof(one)) {
			memcpy(one, patterns, n);
			one[n] = 0;
			if (!fnmatch(one, name, 0))
				return true;
		}
		patterns += n + (patterns[n] != 0);
	}
	return false;
}

struct matching {
	const struct bob_hook_event *e;
	uint32_t count;
	uint64_t found;
};

/* Runs on the agent's stack: fnmatch takes 4 KB. */
static void by_name(void *arg)
{
	struct matching *m = arg;

	for (uint32_t i = 0; i < m->count; i++) {
		const struct bob_hook *h = hooks[i].h;

		if ((!h->kinds || h->kinds & m->e->kind) &&
		    (!h->events || matches(h->events, m->e->name)))
			m->found |= 1ull << i;
	}
}

int bob_ev_find_parameter(void *ctx, const char *name, size_t len, struct bob_predicate_value *v)
{
	const struct bob_hook_event *e = ctx;

	for (uint32_t i = 0; i < e->count; i++) {
		const char *there = e->parameter[i].name;

		if (strncmp(there, name, len) != 0 || there[len])
			continue;
		v->type = e->parameter[i].type;
		v->len = 0;
		v->i = e->value[i].i;
		if (v->type == BOB_ARG_STRING) {
			v->s = e->value[i].s ? e->value[i].s : "";
			v->len = (uint32_t)strlen(v->s);
		}
		return 1;
	}
	return 0;
}

/* Hooks of `m` whose conditions hold. */
static uint64_t that_hold(uint64_t m, const struct bob_hook_event *e, bool *left_out)
{
	uint64_t out = 0;

	for (; m; m &= m - 1) {
		struct hook *k = &hooks[__builtin_ctzll(m)];
		const bool holds =
			!k->has_when ||
			bob_predicate_holds(&k->when, bob_ev_find_parameter, (void *)(uintptr_t)e);

		if (holds && !k->filters)
			out |= m & -m;
		if (!holds && k->filters && left_out) {
			*left_out = true;
			__atomic_fetch_add(&k->left_out, 1, __ATOMIC_RELAXED);
		}
	}
	return out;
}

/* Distance on the stack between the call of a hook and an event in it: at least a struct
 * bob_ev_description. If it is less, the hook was left. */
#define IN_HOOK_BYTES 512u
_Static_assert(sizeof(struct bob_ev_description) > IN_HOOK_BYTES, "IN_HOOK_BYTES");

bob_ev_hooks bob_ev_hooks_of(uint32_t what, const struct bob_hook_event *e, bool *left_out)
{
	const uint32_t count = __atomic_load_n(&bob_ev_hook_count, __ATOMIC_ACQUIRE);
	struct matched *m;
	uint64_t out;

	if (left_out)
		*left_out = false;
	if (what >= WHATS)
		return 0;
	m = &matched[what];
	if (__atomic_load_n(&m->of, __ATOMIC_ACQUIRE) != count) {
		struct matching matching = { .e = e, .count = count };

		bob_ev_agent->run_on_area(by_name, &matching);
		m->hooks = matching.found; /* races store the same */
		__atomic_store_n(&m->of, count, __ATOMIC_RELEASE);
	}
	out = m->hooks ? that_hold(m->hooks, e, left_out) : 0;
	if (in_hook && (const uint8_t *)__builtin_frame_address(0) + IN_HOOK_BYTES > in_hook)
		in_hook = NULL;
	return out && bob_ev_is_in_hook() ? 0 : out;
}

/* --- calls --- */

static void call(uint32_t number, const struct bob_hook_event *e, struct bob_ev_data *data)
{
	const struct bob_hook *h = hooks[number].h;
	const uint32_t over = e->at_end ? BOB_PHASE_EVENT : BOB_PHASE_COMPUTE;
	union bob_datum d = { .d = 0 };

	if (h->flags & BOB_HOOK_CALLBACK_ONLY) {
		h->callback(h->ctx, e);
		return;
	}
	if (h->end(h->ctx, e, over, &d)) {
		data->of[data->count].hook = (uint8_t)number;
		data->of[data->count].phase = (uint8_t)over;
		data->of[data->count++].data = d;
	}
	if (h->start)
		h->start(h->ctx, e, over == BOB_PHASE_EVENT ? BOB_PHASE_COMPUTE : BOB_PHASE_EVENT);
}

struct held {
	uint32_t number;
	const struct bob_hook_event *e;
	struct bob_ev_data *data;
};

static void call_one(void *arg)
{
	const struct held *c = arg;

	call(c->number, c->e, c->data);
}

static void call_held(uint32_t number, const struct bob_hook_event *e, struct bob_ev_data *data)
{
	static uint8_t said[BOB_EV_HOOKS_MAX];
	const char *name = hooks[number].h->name;
	struct held c = { number, e, data };
	char line[200];

	if (bob_ev_guard(BOB_EV_GUARDED_HOOK, call_one, &c) ||
	    __atomic_exchange_n(&said[number], 1, __ATOMIC_RELAXED))
		return;
	snprintf(line, sizeof(line),
		 "hook '%.60s' has thrown an exception at a function that is hooked by name: "
		 "it ended there\n",
		 name ? name : "");
	bob_ev_log(line);
}

void bob_ev_hooks_call(bob_ev_hooks which, const struct bob_hook_event *e, struct bob_ev_data *data)
{
	const bool held = bob_ev_hooks_held;
	const int saved = errno;

	in_hook = __builtin_frame_address(0);
	at_mpi = e->kind == BOB_HOOK_MPI;
	bob_ev_hooks_held = false;
	for (; which; which &= which - 1)
		(held ? call_held : call)((uint32_t)__builtin_ctzll(which), e, data);
	bob_ev_so_far_close();
	in_hook = NULL;
	errno = saved;
}

/* --- results --- */

bool bob_ev_hooks_want_place(bob_ev_hooks which)
{
	return (which & by_place) != 0;
}

struct bob_ev_path bob_ev_path_of(const struct bob_ev_thread *t, uint32_t number)
{
	struct bob_event_def d;

	if (bob_event_writer_says(t->writer, number, &d) != BOB_OK)
		return (struct bob_ev_path){ 0, NULL };
	return (struct bob_ev_path){ d.depth, d.place };
}

void bob_ev_hooks_keep(struct bob_ev_thread *t, const char *event, const struct bob_ev_path *path,
		       const struct bob_ev_data *data)
{
	for (uint32_t i = 0; t && i < data->count; i++) {
		const uint32_t hook = data->of[i].hook;

		bob_ev_sets_add(t, event, bob_ev_hooks_want_place(1ull << hook) ? path : NULL, hook,
				data->of[i].phase, &data->of[i].data);
	}
}
