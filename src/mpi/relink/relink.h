/* SPDX-License-Identifier: BSD-3-Clause */
/* The relink library, for programs that MPI is linked to statically: no preloaded library can
 * interpose functions inside a program. Linked with --wrap for every function of MPI, each call
 * goes to a function here (generated: relink.py), which jumps to MPI's own, or, if the shim is
 * preloaded, to the shim's wrapper of that name; so the shim sees the program's call. The shim then
 * asks here for the next function.
 *
 * Needs nothing of Bobbin's to run. Threads: the tables are complete before main. */
#ifndef BOB_MPI_RELINK_H
#define BOB_MPI_RELINK_H

/* What a program that was relinked exports: MPI's own definition of a name, a variable's address
 * included; NULL: none. */
#define BOB_MPI_RELINKED "bob_mpi_relinked_1"
/* And besides, for the launcher, a variable that says which MPI it is: bob_mpi_relinked_openmpi,
 * bob_mpi_relinked_mpich. */
/* What the shim exports: its wrapper of that name, NULL: it has none. */
#define BOB_MPI_WRAPPER "bob_mpi_wrapper_1"

typedef void *bob_mpi_look_up(const char *name);

struct bob_mpi_relinked {
	const char *name;
	void **goes_to;		/* where the call goes; NULL: a variable */
	void *own;		/* MPI's */
};

/* One of them; the linker puts pointers to them in a row. */
#define BOB_MPI_RELINK(number, name, goes_to, own)                                                 \
	static const struct bob_mpi_relinked entry_##number = { name, goes_to, own };              \
	static const struct bob_mpi_relinked *const relinked_##number                              \
		__attribute__((section("bob_relink"), used)) = &entry_##number

#endif
