/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's own events as functions: their parameters' words in each phase, the same entry for
 * the same key, many of them, threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "archive/events/user_functions.h"
#include "archive/events/user_key.h"

#define EVENTS 3000u

static struct bob_user_functions *table;

static const struct bob_mpi_function *of(const char *name, const char *parameters,
					 enum bob_user_phase phase)
{
	uint8_t key[BOB_EVENT_KEY_MAX];
	struct bob_user_key k;
	const struct bob_mpi_function *f;

	if (bob_user_parse(name, 0, parameters, &k) != BOB_OK)
		return NULL;
	f = bob_user_function_of_key(table, key, bob_user_encode(&k, phase, key));
	assert_non_null(f);
	assert_string_equal(f->name, name);
	assert_int_equal(f->result, BOB_MPI_NOWHERE);
	assert_true(f->flags & BOB_MPI_USER);
	assert_ptr_equal(bob_event_function_of(table, f->number), f);
	return f;
}

static void is_param(const struct bob_mpi_function *f, uint32_t i, const char *name, int role,
		     int in, int out)
{
	assert_true(i < f->count);
	assert_string_equal(f->params[i].name, name);
	assert_int_equal(f->params[i].role, role);
	assert_int_equal(f->params[i].in, in);
	assert_int_equal(f->params[i].out, out);
	assert_int_equal(f->params[i].flags & BOB_MPI_VECTOR,
			 role == BOB_MPI_ROLE_STRING ? BOB_MPI_VECTOR : 0);
	assert_int_equal(f->params[i].flags & (BOB_MPI_GOES_IN | BOB_MPI_COMES_OUT),
			 in != BOB_MPI_NOWHERE ? BOB_MPI_GOES_IN : BOB_MPI_COMES_OUT);
}

static void phases(void **state)
{
	static const char parameters[] = "int n, string file -> double x";
	const struct bob_mpi_function *whole = of("step", parameters, BOB_USER_WHOLE);
	const struct bob_mpi_function *begin = of("step", parameters, BOB_USER_BEGIN);
	const struct bob_mpi_function *end = of("step", parameters, BOB_USER_END);
	const struct bob_mpi_function *instant = of("step", parameters, BOB_USER_INSTANT);

	(void)state;
	assert_int_equal(whole->words, 3);
	assert_int_equal(whole->count, 3);
	assert_string_equal(bob_mpi_prefix(whole), "");
	is_param(whole, 0, "n", BOB_MPI_ROLE_INT, 0, BOB_MPI_NOWHERE);
	is_param(whole, 1, "file", BOB_MPI_ROLE_STRING, 1, BOB_MPI_NOWHERE);
	is_param(whole, 2, "x", BOB_MPI_ROLE_DOUBLE, BOB_MPI_NOWHERE, 2);
	assert_int_equal(begin->words, 2);
	assert_string_equal(bob_mpi_prefix(begin), "begin ");
	is_param(begin, 1, "file", BOB_MPI_ROLE_STRING, 1, BOB_MPI_NOWHERE);
	assert_int_equal(end->words, 1);
	assert_string_equal(bob_mpi_prefix(end), "end ");
	is_param(end, 0, "x", BOB_MPI_ROLE_DOUBLE, BOB_MPI_NOWHERE, 0);
	assert_int_equal(instant->words, 3);
	is_param(instant, 2, "x", BOB_MPI_ROLE_DOUBLE, 2, BOB_MPI_NOWHERE);
	/* one event, whatever the phase; MPI's are themselves */
	assert_ptr_equal(bob_event_function_first(end), whole);
	assert_ptr_equal(bob_event_function_first(whole), whole);
	assert_ptr_equal(bob_event_function_first(bob_mpi_function_of(1)), bob_mpi_function_of(1));
	assert_ptr_equal(bob_event_function_of(table, 1), bob_mpi_function_of(1));
}

/* Control characters are not for a terminal. */
static void names(void **state)
{
	uint8_t key[BOB_EVENT_KEY_MAX];
	struct bob_user_key k;
	const struct bob_mpi_function *f;

	(void)state;
	assert_int_equal(bob_user_parse("a\x1b[1m\n\xc3\xa4", 0, NULL, &k), BOB_OK);
	f = bob_user_function_of_key(table, key, bob_user_encode(&k, BOB_USER_WHOLE, key));
	assert_string_equal(f->name, "a?[1m?\xc3\xa4");
}

static void none(void **state)
{
	uint8_t key[BOB_EVENT_KEY_MAX + 1] = { 0x80, 0x80, 1, 9 };

	(void)state;
	assert_null(bob_user_function_of_key(table, key, 0));
	assert_null(bob_user_function_of_key(table, key, 3));
	assert_null(bob_user_function_of_key(table, key, 4));
	assert_null(bob_user_function_of_key(table, key, sizeof(key)));
	assert_null(bob_event_function_of(table, BOB_USER_FUNCTION_LAST));
	assert_null(bob_event_function_of(table, UINT32_MAX));
}

static void *ask(void *found)
{
	const struct bob_mpi_function **f = found;
	char name[24];

	for (uint32_t i = 0; i < EVENTS; i++) {
		snprintf(name, sizeof(name), "event %u", i);
		f[i] = of(name, "int n", BOB_USER_WHOLE);
	}
	return NULL;
}

/* Two threads that meet the same keys at the same time get the same entries, and each key has its
 * own. */
static void many(void **state)
{
	static const struct bob_mpi_function *found[2][EVENTS];
	static uint8_t is_taken[65536];
	pthread_t other;

	(void)state;
	assert_int_equal(pthread_create(&other, NULL, ask, found[1]), 0);
	ask(found[0]);
	pthread_join(other, NULL);
	for (uint32_t i = 0; i < EVENTS; i++) {
		assert_ptr_equal(found[0][i], found[1][i]);
		assert_false(is_taken[found[0][i]->number]);
		is_taken[found[0][i]->number] = 1;
		assert_true(found[0][i]->number >= BOB_USER_FUNCTION_FIRST);
	}
}

/* Two tables number their events independently. */
static void apart(void **state)
{
	struct bob_user_functions *shared = table;
	const struct bob_mpi_function *f;

	(void)state;
	table = bob_user_functions_create();
	assert_non_null(table);
	f = of("event 7", "int n", BOB_USER_WHOLE);
	assert_int_equal(f->number, BOB_USER_FUNCTION_FIRST);
	assert_ptr_not_equal(f, bob_event_function_of(shared, f->number));
	bob_user_functions_destroy(table);
	table = shared;
}

static int create(void **state)
{
	(void)state;
	table = bob_user_functions_create();
	return !table;
}

static int destroy(void **state)
{
	(void)state;
	bob_user_functions_destroy(table);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases),
		cmocka_unit_test(names),
		cmocka_unit_test(none),
		cmocka_unit_test(many),
		cmocka_unit_test(apart),
	};

	return cmocka_run_group_tests(tests, create, destroy);
}
