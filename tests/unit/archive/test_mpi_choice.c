/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing functions of MPI: what patterns match, and what is recorded or followed besides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "archive/events/mpi_choice.h"

static const struct bob_mpi_function *named(const char *name)
{
	for (uint32_t i = 0; i < bob_mpi_function_count; i++)
		if (!strcmp(bob_mpi_functions[i].name, name))
			return &bob_mpi_functions[i];
	fail_msg("no function %s", name);
	return NULL;
}

static void patterns(void **state)
{
	static const struct {
		const char *name, *patterns;
		int is_chosen;
	} t[] = {
		{ "Send", "Send", 1 },
		{ "Send", "MPI_Send", 1 },
		{ "Send", "mpi_send", 1 },
		{ "Send_c", "Send", 0 },
		{ "Send_c", "Send*", 1 },
		{ "Ssend", "?send", 1 },
		{ "Isend", "[is]send", 1 },
		{ "Bsend", "[is]send", 0 },
		{ "Bsend", "[A-C]send", 1 },
		{ "Bsend", "[A-C", 0 },
		{ "Send", "", 0 },
		{ "Send", ":,", 0 },
		{ "Send", "*", 1 },
		{ "Send", "***d", 1 },
		{ "Send", "MPI_", 0 },
		{ "Send", "p2p", 1 },
		{ "Bcast", "p2p", 0 },
		{ "Bcast", "p2p,Collective", 1 },
		{ "Bcast", "Send:Bcast", 1 },
		{ "Bcast", "MPI_*cast", 1 },
		{ "Allreduce", "*r*d*e", 1 },
		{ "Allreduce", "*r*d*f", 0 },
		{ "File_open", "io", 1 },
		{ "Win_lock", "rma", 1 },
		{ "Comm_dup", "comm", 1 },
		{ "Comm_dup", "com", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (bob_mpi_is_chosen(named(t[i].name), t[i].patterns) != t[i].is_chosen)
			fail_msg("%s, %s", t[i].name, t[i].patterns);
}

static void bad_ones(void **state)
{
	const char *some = "p2p:Sendd,Recv";
	size_t len;

	(void)state;
	assert_null(bob_mpi_choice_bad("p2p", &len));
	assert_null(bob_mpi_choice_bad("MPI_Send,MPI_R*:rma", &len));
	assert_ptr_equal(bob_mpi_choice_bad(some, &len), some + 4);
	assert_int_equal(len, 5);
	assert_non_null(bob_mpi_choice_bad("", &len));
	assert_int_equal(len, 0);
	assert_non_null(bob_mpi_choice_bad("p2p:", &len));
}

static uint8_t how[BOB_MPI_NUMBERS];

static void is(const char *name, enum bob_mpi_how expected)
{
	if (how[named(name)->number] != expected)
		fail_msg("%s: %d, not %d", name, how[named(name)->number], expected);
}

static void consequences(void **state)
{
	(void)state;
	bob_mpi_choose(NULL, how);
	is("Send", BOB_MPI_RECORD);
	bob_mpi_choose("Allreduce", how);
	is("Allreduce", BOB_MPI_RECORD);
	is("Init", BOB_MPI_RECORD);
	is("Finalize", BOB_MPI_RECORD);
	is("Comm_split", BOB_MPI_RECORD);
	is("Type_contiguous", BOB_MPI_RECORD);
	is("Type_free", BOB_MPI_FOLLOW);
	is("Comm_free", BOB_MPI_FOLLOW);
	is("Op_create", BOB_MPI_FOLLOW);
	is("Group_incl", BOB_MPI_FOLLOW); /* MPI_Comm_create names one */
	is("Isend", BOB_MPI_PASS); /* nothing that is recorded names a request */
	is("Wait", BOB_MPI_PASS);
	is("Send", BOB_MPI_PASS);
	is("Comm_rank", BOB_MPI_PASS);
	bob_mpi_choose("Wait", how);
	is("Isend", BOB_MPI_FOLLOW);
	is("Ialltoallv", BOB_MPI_FOLLOW);
	is("Comm_split", BOB_MPI_PASS);
	is("Type_contiguous", BOB_MPI_PASS);
	bob_mpi_choose("Pcontrol", how);
	for (uint32_t i = 0; i < bob_mpi_function_count; i++)
		if (strcmp(bob_mpi_functions[i].name, "Pcontrol") != 0 &&
		    !bob_mpi_functions[i].flags)
			is(bob_mpi_functions[i].name, BOB_MPI_PASS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns),
		cmocka_unit_test(bad_ones),
		cmocka_unit_test(consequences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
