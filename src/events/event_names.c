/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and parameters of the program's own events. Ids are assigned in order of registration, and
 * are valid for the life of the process. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "archive/events/user_key.h"
#include "base/hash.h"
#include "events/recorder.h"

#define IDS_MAX 16384u
#define SLOTS (4 * IDS_MAX)
#define REFUSED_MAX 64u		/* limit of log lines about refused names */

struct bob_ev_name *bob_ev_names;
uint32_t bob_ev_name_count;
static uint32_t *slots;		/* hash table by name of ids; 0: free */
static uint32_t refused;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void refuse(const char *name, const char *why)
{
	char line[256];

	/* a program may retry without end */
	if (__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED) >= REFUSED_MAX)
		return;
	snprintf(line, sizeof(line), "event '%.100s' is not recorded: %s\n", name ? name : "", why);
	bob_ev_log(line);
}

/* Slot of the name's id, or the free one for it. */
static uint32_t *find(const char *name)
{
	uint64_t at = bob_hash64(0, name, strlen(name)) % SLOTS;

	while (slots[at] && strcmp(bob_ev_names[slots[at]].key.name, name) != 0)
		at = (at + 1) % SLOTS;
	return &slots[at];
}

static uint32_t add(const struct bob_user_key *k, bool is_counter)
{
	uint32_t *slot, id;

	if (!bob_ev_names) {
		bob_ev_names = bob_ev_map((IDS_MAX + 1) * sizeof(*bob_ev_names));
		slots = bob_ev_map(SLOTS * sizeof(*slots));
	}
	slot = bob_ev_names && slots ? find(k->name) : NULL;
	id = slot ? *slot : 0;
	if (id) {
		if (!memcmp(&bob_ev_names[id].key, k, sizeof(*k)) &&
		    bob_ev_names[id].is_counter == is_counter)
			return id;
		refuse(k->name, "it was registered before with other parameters or flags");
		return 0;
	}
	if (!slot || bob_ev_name_count == IDS_MAX) {
		refuse(k->name, "there are too many events");
		return 0;
	}
	id = bob_ev_name_count + 1;
	bob_ev_names[id] = (struct bob_ev_name){ .key = *k, .is_counter = is_counter };
	*slot = id;
	__atomic_store_n(&bob_ev_name_count, id, __ATOMIC_RELEASE);
	return id;
}

uint32_t bob_ev_register(const char *name, uint32_t flags, const char *parameters, bool is_counter)
{
	struct bob_user_key k;
	uint32_t id;

	if (bob_user_parse(name, flags, parameters, &k) != BOB_OK) {
		refuse(name, "its name or its parameters are not what bobbin/events.h says");
		return 0;
	}
	pthread_mutex_lock(&lock);
	id = add(&k, is_counter);
	pthread_mutex_unlock(&lock);
	return id;
}
