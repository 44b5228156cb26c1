/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats the words of a leaf over the iterations and the ranks of a set: "7", "0..99", "(rank+1)
 * mod 4", "{0: PROC_NULL; 1-3: rank-1}". `rank` is the process's rank in the call's
 * communicator. */
#ifndef BOB_CLI_MPI_CELLS_H
#define BOB_CLI_MPI_CELLS_H

#include "analysis/mpi/programs.h"
#include "cli/mpi/mpi_call.h"
#include "cli/mpi/mpi_forms.h"

#define CLI_MPI_PIECES 4u

struct cli_mpi_series {
	struct bob_piece piece[CLI_MPI_PIECES];
	uint32_t count;		/* number of pieces; may exceed CLI_MPI_PIECES */
	int same;		/* all pieces have one common value */
	int left;		/* has values that are not affine */
};

/* A leaf in a group of programs with equal structure. */
struct cli_mpi_leaf {
	struct cli_mpi_cells cells; /* first member: callbacks get its address */
	const struct bob_mpi_programs *programs;
	const struct bob_mpi_program *const *member;
	struct cli_mpi_who who;	/* the members' ranks in the call's communicator */
	const uint32_t *rank;	/* in MPI_COMM_WORLD */
	uint32_t part, item;
	struct cli_mpi_series *series; /* one per member */
};

void cli_mpi_series_read(const struct bob_mpi_program *p, uint32_t part, uint32_t item,
			 uint32_t word, struct cli_mpi_series *s);
int cli_mpi_series_is_constant(const struct cli_mpi_series *s);
/* Reads the word's series of all members into leaf->series. 1: they are parallel, i.e. equal except
 * for their first values. */
int cli_mpi_leaf_read(const struct cli_mpi_leaf *leaf, uint32_t word);
/* Sets the callbacks. */
void cli_mpi_leaf_begin(struct cli_mpi_leaf *leaf);
/* Prints the cell of a word or, for an item that is a loop, its trip counts as numbers of
 * `role`. */
void cli_mpi_cell_print(const struct cli_mpi_leaf *leaf, uint32_t word, enum bob_mpi_role role,
			FILE *out);

/* Writes the text of one member; `relative`: numbers as differences to its rank. */
typedef void (*cli_mpi_write_fn)(const struct cli_mpi_leaf *leaf, uint32_t member,
				 enum bob_mpi_role role, int relative, FILE *out);
/* Prints each member's own text with its ranks: "{0: 3; 1-3: rank-1}". */
void cli_mpi_apart_print(const struct cli_mpi_leaf *leaf, cli_mpi_write_fn write,
			 enum bob_mpi_role role, FILE *out);
/* Prints a vector that differs between calls, if each of its elements follows a simple rule; else
 * prints nothing and returns 0. leaf->series are those of the vector numbers. */
int cli_mpi_varying_print(const struct cli_mpi_leaf *leaf, enum bob_mpi_role role, FILE *out);
/* Callback for vectors. */
void cli_mpi_vector_print(const struct cli_mpi_cells *c, uint32_t vector, uint32_t length,
			  enum bob_mpi_role role, FILE *out);

#endif
