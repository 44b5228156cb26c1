/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of MPI functions as a reader sees it: some lines of functions.txt word by word, and
 * what all have in common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "archive/events/mpi_functions.h"

static const struct bob_mpi_function *named(uint32_t number, const char *name)
{
	const struct bob_mpi_function *f = bob_mpi_function_of(number);

	assert_non_null(f);
	assert_string_equal(f->name, name);
	return f;
}

static void is_param(const struct bob_mpi_function *f, int i, const char *name, int role, int flags,
		     int in, int out)
{
	const struct bob_mpi_param *p = &f->params[i];

	assert_true(i < f->count);
	assert_string_equal(p->name, name);
	assert_int_equal(p->role, role);
	assert_int_equal(p->flags, flags);
	assert_int_equal(p->in, in);
	assert_int_equal(p->out, out);
}

static void some_functions(void **state)
{
	const struct bob_mpi_function *f = named(1, "Send");

	(void)state;
	assert_int_equal(f->count, 6);
	assert_int_equal(f->words, 7);
	assert_int_equal(f->result, 6);
	is_param(f, 3, "dest", BOB_MPI_ROLE_RANK, BOB_MPI_GOES_IN, 3, BOB_MPI_NOWHERE);
	assert_ptr_equal(named(1025, "Send_c")->params, f->params);

	f = named(35, "Waitall"); /* a request has no word after the call */
	assert_int_equal(f->words, 4);
	is_param(f, 1, "array_of_requests", BOB_MPI_ROLE_REQUEST,
		 BOB_MPI_GOES_IN | BOB_MPI_COMES_OUT | BOB_MPI_VECTOR, 1, BOB_MPI_NOWHERE);
	is_param(f, 2, "array_of_statuses", BOB_MPI_ROLE_STATUS, BOB_MPI_COMES_OUT | BOB_MPI_VECTOR,
		 BOB_MPI_NOWHERE, 3);

	f = named(5, "Recv"); /* a status has three */
	assert_int_equal(f->words, 10);
	is_param(f, 6, "status", BOB_MPI_ROLE_STATUS, BOB_MPI_COMES_OUT, BOB_MPI_NOWHERE, 7);

	f = named(230, "Init"); /* nothing but the result */
	assert_int_equal(f->words, 1);
	is_param(f, 0, "argc", BOB_MPI_ROLE_NONE, BOB_MPI_GOES_IN, BOB_MPI_NOWHERE,
		 BOB_MPI_NOWHERE);

	/* the vector of the new communicator precedes that of the next parameter */
	f = named(283, "Comm_spawn");
	is_param(f, 6, "intercomm", BOB_MPI_ROLE_COMM, BOB_MPI_COMES_OUT, BOB_MPI_NOWHERE, 7);
	assert_true(bob_mpi_has_members(&f->params[6]));
	is_param(f, 7, "array_of_errcodes", BOB_MPI_ROLE_ERROR, BOB_MPI_COMES_OUT | BOB_MPI_VECTOR,
		 BOB_MPI_NOWHERE, 9);

	f = named(51, "Type_contiguous");
	assert_true(bob_mpi_has_size(&f->params[2]));
	assert_false(bob_mpi_has_size(&f->params[1]));
	assert_int_equal(f->words, 5);

	f = named(93, "Alltoallv");
	assert_true(f->params[1].flags & BOB_MPI_ROTATED);
	assert_true(named(20, "Irecv")->params[6].flags & BOB_MPI_RECEIVES);
	/* A line of its own. */
	assert_int_equal(named(1100, "Type_get_contents_c")->count, 9);
	assert_null(bob_mpi_function_of(0));
	assert_null(bob_mpi_function_of(1024));
	assert_null(bob_mpi_function_of(UINT32_MAX));
}

/* Words of what goes in, the result, words of what comes out: each belongs to a parameter. */
static void every_word(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < bob_mpi_function_count; i++) {
		const struct bob_mpi_function *f = &bob_mpi_functions[i];
		int at = 0;

		assert_true(!i || f[-1].number < f->number);
		for (int k = 0; k < f->count; k++)
			if (f->params[k].in != BOB_MPI_NOWHERE)
				assert_int_equal(f->params[k].in, at++);
		assert_int_equal(f->result, at++);
		for (int k = 0; k < f->count; k++) {
			const struct bob_mpi_param *p = &f->params[k];

			if (p->out == BOB_MPI_NOWHERE)
				continue;
			assert_int_equal(p->out, at++);
			if (p->role == BOB_MPI_ROLE_STATUS && !(p->flags & BOB_MPI_VECTOR))
				at += 2;
			at += bob_mpi_has_members(p) + bob_mpi_has_size(p);
		}
		assert_int_equal(f->words, at);
	}
}

static void vectors(void **state)
{
	const struct bob_mpi_param text = { "", BOB_MPI_ROLE_STRING, BOB_MPI_VECTOR, 0, 0 };
	const struct bob_mpi_param status = { "", BOB_MPI_ROLE_STATUS, BOB_MPI_VECTOR, 0, 0 };
	const struct bob_mpi_param rank = { "", BOB_MPI_ROLE_RANK, BOB_MPI_VECTOR, 0, 0 };

	(void)state;
	assert_int_equal(bob_mpi_element_words(&text, 0), 0);
	assert_int_equal(bob_mpi_element_words(&text, 8), 1);
	assert_int_equal(bob_mpi_element_words(&text, 9), 2);
	assert_int_equal(bob_mpi_element_words(&text, UINT64_MAX), UINT64_MAX / 8 + 1);
	assert_int_equal(bob_mpi_element_words(&status, 5), 15);
	assert_true(bob_mpi_element_words(&status, UINT64_MAX / 2) == UINT64_MAX);
	assert_int_equal(bob_mpi_element_words(&rank, 5), 5);
}

static void predefined(void **state)
{
	(void)state;
	assert_string_equal(bob_mpi_name_of(BOB_MPI_ROLE_COMM, 1)->name, "COMM_WORLD");
	assert_string_equal(bob_mpi_name_of(BOB_MPI_ROLE_TYPE, 9)->name, "INT");
	assert_int_equal(bob_mpi_name_of(BOB_MPI_ROLE_TYPE, 9)->size_bytes, 4);
	assert_null(bob_mpi_name_of(BOB_MPI_ROLE_TYPE, 0));
	assert_null(bob_mpi_name_of(BOB_MPI_ROLE_OP, 255));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(some_functions),
		cmocka_unit_test(every_word),
		cmocka_unit_test(vectors),
		cmocka_unit_test(predefined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
