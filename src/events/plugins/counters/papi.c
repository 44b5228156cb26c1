/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of PAPI. The library is loaded with dlopen, so building needs nothing of it. A thread
 * has its own event sets; an event that cannot be added to an existing set (another component)
 * begins a new one. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "events/plugins/counters/counters.h"

#define OK 0
#define NO_SET (-1)		/* PAPI_NULL */
#define NAME_MAX_BYTES 128u

/* The argument of PAPI_library_init is the version. */
static const struct library {
	const char *name;
	int version;
} libraries[] = {
	{ "libpapi.so.7.2", 0x07020000 },
	{ "libpapi.so.7.1", 0x07010000 },
	{ "libpapi.so.7.0", 0x07000000 },
	{ "libpapi.so.6.0", 0x06000000 },
};

static struct {
	int (*library_init)(int version);
	int (*thread_init)(unsigned long (*id)(void));
	int (*create_eventset)(int *set);
	int (*cleanup_eventset)(int set);
	int (*destroy_eventset)(int *set);
	int (*add_named_event)(int set, const char *name);
	int (*start)(int set);
	int (*read)(int set, long long *values);
} papi;

static char names[BOB_COUNTERS_MOST][NAME_MAX_BYTES];
static uint32_t count;

/* A thread's counter: `at` is the index of its value in its event set. */
struct open {
	int is_begun;
	uint32_t sets;
	int set[BOB_COUNTERS_MOST];
	struct {
		int set;	/* number of the set; NO_SET: cannot be counted */
		uint32_t at;
	} of[BOB_COUNTERS_MOST];
};

static __thread struct open opened;

/* --- the library --- */

static int find_all(void *handle)
{
	const struct {
		const char *name;
		void *to;
	} all[] = {
		{ "PAPI_library_init", &papi.library_init },
		{ "PAPI_thread_init", &papi.thread_init },
		{ "PAPI_create_eventset", &papi.create_eventset },
		{ "PAPI_cleanup_eventset", &papi.cleanup_eventset },
		{ "PAPI_destroy_eventset", &papi.destroy_eventset },
		{ "PAPI_add_named_event", &papi.add_named_event },
		{ "PAPI_start", &papi.start },
		{ "PAPI_read", &papi.read },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		void *at = dlsym(handle, all[i].name);

		if (!at)
			return 0;
		memcpy(all[i].to, &at, sizeof(at));
	}
	return 1;
}

static unsigned long own_id(void)
{
	return (unsigned long)pthread_self();
}

static int load(void)
{
	static int state;	/* 0: not tried, 1: loaded, -1: not available */

	if (state)
		return state > 0;
	state = -1;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && state < 0; i++) {
		void *handle = dlopen(libraries[i].name, RTLD_NOW | RTLD_LOCAL);

		if (handle && find_all(handle) &&
		    papi.library_init(libraries[i].version) == libraries[i].version &&
		    papi.thread_init(own_id) == OK)
			state = 1;
	}
	return state > 0;
}

int bob_papi_find(const char *name)
{
	int set = NO_SET, known;

	if (count == BOB_COUNTERS_MOST || strlen(name) >= NAME_MAX_BYTES || !load() ||
	    papi.create_eventset(&set) != OK)
		return -1;
	known = papi.add_named_event(set, name) == OK;
	papi.cleanup_eventset(set);
	papi.destroy_eventset(&set);
	if (!known)
		return -1;
	memcpy(names[count], name, strlen(name) + 1);
	return (int)count++;
}

/* --- a thread --- */

/* Adds the event to an existing set, or to a new one. */
static void add_event(struct open *o, uint32_t number, uint32_t *events)
{
	int set = NO_SET;

	o->of[number].set = NO_SET;
	for (uint32_t s = 0; s < o->sets; s++)
		if (papi.add_named_event(o->set[s], names[number]) == OK) {
			o->of[number].set = o->set[s];
			o->of[number].at = events[s]++;
			return;
		}
	if (papi.create_eventset(&set) != OK)
		return;
	if (papi.add_named_event(set, names[number]) != OK) {
		papi.destroy_eventset(&set);
		return;
	}
	o->set[o->sets] = set;
	o->of[number].set = set;
	events[o->sets++] = 1;
}

static void begin(struct open *o)
{
	uint32_t events[BOB_COUNTERS_MOST] = { 0 };

	o->is_begun = 1;
	for (uint32_t i = 0; i < count; i++)
		add_event(o, i, events);
	for (uint32_t s = 0; s < o->sets; s++)
		if (papi.start(o->set[s]) != OK)
			for (uint32_t i = 0; i < count; i++)
				if (o->of[i].set == o->set[s])
					o->of[i].set = NO_SET;
}

int bob_papi_read(uint32_t number, uint64_t *value)
{
	long long values[BOB_COUNTERS_MOST];
	struct open *o = &opened;

	if (!o->is_begun)
		begin(o);
	if (o->of[number].set == NO_SET || papi.read(o->of[number].set, values) != OK)
		return 0;
	*value = (uint64_t)values[o->of[number].at];
	return 1;
}
