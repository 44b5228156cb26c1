/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of the events that programs define. Entries are made at the first lookup of a key, under a
 * lock. */
#include "archive/events/user_functions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "archive/events/user_key.h"
#include "archive/reader.h"
#include "base/host/map.h"
#include "base/plain.h"

#define ENTRIES (BOB_USER_FUNCTION_LAST - BOB_USER_FUNCTION_FIRST + 1)

struct entry {
	struct bob_mpi_function function; /* first member: bob_event_function_first casts */
	struct bob_mpi_param param[BOB_USER_PARAMETERS_MAX];
	struct bob_user_key key;
	const struct bob_mpi_function *first; /* first entry of the same event */
	uint32_t bytes_len;
	uint8_t bytes[BOB_EVENT_KEY_MAX];
};

struct bob_user_functions {
	BOB_MAP(struct entry *) table; /* by hash of `bytes` */
	pthread_mutex_t lock;
};

struct bob_user_functions *bob_user_functions_create(void)
{
	struct bob_user_functions *u = calloc(1, sizeof(*u));

	if (u && pthread_mutex_init(&u->lock, NULL)) {
		free(u);
		return NULL;
	}
	return u;
}

void bob_user_functions_destroy(struct bob_user_functions *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->table.count; i++)
		free(u->table.at[i]);
	BOB_MAP_FREE(&u->table);
	pthread_mutex_destroy(&u->lock);
	free(u);
}

struct bob_user_functions *bob_archive_user_functions(const struct bob_trace *t)
{
	return t->user;
}

static void fill(struct entry *e, uint32_t number, enum bob_user_phase phase)
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
		.number = (uint16_t)(BOB_USER_FUNCTION_FIRST + number),
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

static struct entry *find(const struct bob_user_functions *u, const uint8_t *key, size_t len)
{
	struct bob_probe p = bob_probe_of(bob_hash64(0, key, len));

	while (bob_index_next(&u->table.index, &p)) {
		struct entry *e = u->table.at[p.number];

		if (e->bytes_len == len && !memcmp(e->bytes, key, len))
			return e;
	}
	return NULL;
}

static struct entry *add(struct bob_user_functions *u, const uint8_t *key, size_t len)
{
	struct entry *e = u->table.count < ENTRIES ? calloc(1, sizeof(*e)) : NULL;
	enum bob_user_phase phase;
	struct entry **to;

	if (!e || bob_user_decode(key, len, &e->key, &phase) != BOB_OK) {
		free(e);
		return NULL;
	}
	memcpy(e->bytes, key, len);
	e->bytes_len = (uint32_t)len;
	bob_text_make_plain(e->key.name, strlen(e->key.name));
	fill(e, (uint32_t)u->table.count, phase);
	e->first = &e->function;
	for (size_t i = 0; i < u->table.count && e->first == &e->function; i++)
		if (!strcmp(u->table.at[i]->key.name, e->key.name))
			e->first = u->table.at[i]->first;
	to = BOB_MAP_ADD(&u->table, bob_hash64(0, key, len));
	if (!to) {
		free(e);
		return NULL;
	}
	*to = e;
	return e;
}

const struct bob_mpi_function *bob_user_function_of_key(struct bob_user_functions *u,
							const uint8_t *key, size_t len)
{
	struct entry *e;

	if (!len || len > BOB_EVENT_KEY_MAX)
		return NULL;
	pthread_mutex_lock(&u->lock);
	e = find(u, key, len);
	e = e ? e : add(u, key, len);
	pthread_mutex_unlock(&u->lock);
	return e ? &e->function : NULL;
}

const struct bob_mpi_function *bob_event_function_of(struct bob_user_functions *u, uint32_t number)
{
	const struct bob_mpi_function *f = NULL;

	if (number < BOB_USER_FUNCTION_FIRST)
		return bob_mpi_function_of(number);
	pthread_mutex_lock(&u->lock);
	if (number - BOB_USER_FUNCTION_FIRST < u->table.count)
		f = &u->table.at[number - BOB_USER_FUNCTION_FIRST]->function;
	pthread_mutex_unlock(&u->lock);
	return f;
}

const struct bob_mpi_function *bob_event_function_first(const struct bob_mpi_function *f)
{
	return f->flags & BOB_MPI_USER ? ((const struct entry *)(const void *)f)->first : f;
}
