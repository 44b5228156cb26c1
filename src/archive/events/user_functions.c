/* SPDX-License-Identifier: BSD-3-Clause */
#include "archive/events/user_functions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "archive/events/user_key.h"
#include "base/hash.h"
#include "base/plain.h"

#define ENTRIES (BOB_USER_FUNCTION_LAST - BOB_USER_FUNCTION_FIRST + 1)
#define FIRST_SLOTS 64u		/* a power of two */

struct entry {
	struct bob_mpi_function function;
	struct bob_mpi_param param[BOB_USER_PARAMETERS_MAX];
	struct bob_user_key key;
	const struct bob_mpi_function *first; /* that was met of the event */
	uint32_t bytes_len;
	uint8_t bytes[BOB_EVENT_KEY_MAX];
};

static struct entry **table;
static uint32_t *slot; /* twice `room`; of a key's hash on: its entry's number + 1, or 0 */
static uint32_t entries, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fill(struct entry *e, enum bob_user_phase phase)
{
	static const uint8_t roles[BOB_USER_TYPES] = { BOB_MPI_ROLE_INT, BOB_MPI_ROLE_DOUBLE,
						       BOB_MPI_ROLE_STRING };
	static const uint8_t flags[BOB_USER_PHASES] = { 0, BOB_MPI_USER_BEGIN, BOB_MPI_USER_END, 0,
							0 };
	const struct bob_user_key *k = &e->key;
	uint32_t from, to;

	bob_user_range(k, phase, &from, &to);
	e->function = (struct bob_mpi_function){
		.name = k->name,
		.class_name = "user",
		.params = e->param,
		.number = (uint16_t)(BOB_USER_FUNCTION_FIRST + entries),
		.count = (uint8_t)(to - from),
		.words = (uint8_t)(to - from),
		.result = BOB_MPI_NOWHERE,
		.flags = (uint8_t)(BOB_MPI_USER | flags[phase]),
	};
	for (uint32_t i = from; i < to; i++) {
		const int is_in = i < k->in || phase >= BOB_USER_INSTANT;
		const uint8_t word = (uint8_t)(i - from);

		e->param[i - from] = (struct bob_mpi_param){
			.name = k->text + k->name_at[i],
			.role = roles[k->type[i]],
			.flags = (uint8_t)((is_in ? BOB_MPI_GOES_IN : BOB_MPI_COMES_OUT) |
					   (k->type[i] == BOB_USER_STRING ? BOB_MPI_VECTOR : 0)),
			.in = is_in ? word : BOB_MPI_NOWHERE,
			.out = is_in ? BOB_MPI_NOWHERE : word,
		};
	}
}

/* The key's slot, or the free one where it will be. There is a table. */
static uint32_t *slot_of(const uint8_t *key, size_t len)
{
	for (uint64_t at = bob_hash64(0, key, len);; at++) {
		uint32_t *s = &slot[at & (2 * room - 1)];
		const struct entry *e = *s ? table[*s - 1] : NULL;

		if (!e || (e->bytes_len == len && !memcmp(e->bytes, key, len)))
			return s;
	}
}

static int grow(void)
{
	const uint32_t more = room ? 2 * room : FIRST_SLOTS;
	struct entry **t = realloc(table, more * sizeof(struct entry *));
	uint32_t *s = calloc(2 * more, sizeof(*s));

	table = t ? t : table;
	if (!t || !s) {
		free(s);
		return 0;
	}
	free(slot);
	slot = s;
	room = more;
	for (uint32_t i = 0; i < entries; i++)
		*slot_of(table[i]->bytes, table[i]->bytes_len) = i + 1;
	return 1;
}

static struct entry *add(const uint8_t *key, size_t len)
{
	struct entry *e = entries < ENTRIES ? calloc(1, sizeof(*e)) : NULL;
	enum bob_user_phase phase;

	if (!e || bob_user_decode(key, len, &e->key, &phase) != BOB_OK ||
	    (entries == room && !grow())) {
		free(e);
		return NULL;
	}
	memcpy(e->bytes, key, len);
	e->bytes_len = (uint32_t)len;
	bob_text_make_plain(e->key.name, strlen(e->key.name));
	fill(e, phase);
	e->first = &e->function;
	for (uint32_t i = 0; i < entries && e->first == &e->function; i++)
		if (!strcmp(table[i]->key.name, e->key.name))
			e->first = table[i]->first;
	table[entries] = e;
	*slot_of(key, len) = ++entries;
	return e;
}

const struct bob_mpi_function *bob_user_function_of_key(const uint8_t *key, size_t len)
{
	struct entry *e;
	uint32_t at;

	if (!len || len > BOB_EVENT_KEY_MAX)
		return NULL;
	pthread_mutex_lock(&lock);
	at = room ? *slot_of(key, len) : 0;
	e = at ? table[at - 1] : add(key, len);
	pthread_mutex_unlock(&lock);
	return e ? &e->function : NULL;
}

const struct bob_mpi_function *bob_event_function_of(uint32_t number)
{
	const struct bob_mpi_function *f = NULL;

	if (number < BOB_USER_FUNCTION_FIRST)
		return bob_mpi_function_of(number);
	pthread_mutex_lock(&lock);
	if (number - BOB_USER_FUNCTION_FIRST < entries)
		f = &table[number - BOB_USER_FUNCTION_FIRST]->function;
	pthread_mutex_unlock(&lock);
	return f;
}

const struct bob_mpi_function *bob_event_function_first(const struct bob_mpi_function *f)
{
	const struct bob_mpi_function *first;

	if (!(f->flags & BOB_MPI_USER))
		return f;
	pthread_mutex_lock(&lock);
	first = table[f->number - BOB_USER_FUNCTION_FIRST]->first;
	pthread_mutex_unlock(&lock);
	return first;
}
