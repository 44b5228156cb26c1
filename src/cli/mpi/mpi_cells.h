/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats the words of a leaf over the iterations and the ranks of a set: "7", "0..99", "(rank+1)
 * mod 4", "{0: PROC_NULL; 1-3: rank-1}". `rank` there is the process's rank in the call's
 * communicator. */
#ifndef BOB_CLI_MPI_CELLS_H
#define BOB_CLI_MPI_CELLS_H

#include "analysis/mpi/programs.h"
#include "cli/mpi/mpi_call.h"
#include "cli/mpi/mpi_forms.h"

#define CLI_MPI_PIECES 4u

struct cli_mpi_series {
	struct bob_piece piece[CLI_MPI_PIECES];
	uint32_t count;		/* pieces in all, as far as was looked */
	int same;		/* these are all one value */
	int left;		/* values that are not affine follow */
};

/* A leaf of a group of programs. */
struct cli_mpi_leaf {
	struct cli_mpi_cells cells; /* first: it is what the callbacks get */
	const struct bob_mpi_programs *programs;
	const struct bob_mpi_program *const *member;
	struct cli_mpi_who who;	/* ranks of these in the call's communicator */
	const uint32_t *rank;	/* in MPI_COMM_WORLD */
	uint32_t part, item;
	struct cli_mpi_series *series; /* capacity: one of each member */
};

void cli_mpi_series_read(const struct bob_mpi_program *p, uint32_t part, uint32_t item,
			 uint32_t word, struct cli_mpi_series *s);
int cli_mpi_series_is_constant(const struct cli_mpi_series *s);
/* The word's series of all members, to leaf->series. 1: they are equal but for where their pieces
 * begin. */
int cli_mpi_leaf_read(const struct cli_mpi_leaf *leaf, uint32_t word);
/* Fills in the callbacks. */
void cli_mpi_leaf_begin(struct cli_mpi_leaf *leaf);
/* Of the word, or of an item that is a loop its trip counts, as numbers of `role`. */
void cli_mpi_cell_print(const struct cli_mpi_leaf *leaf, uint32_t word, enum bob_mpi_role role,
			FILE *out);

/* The text of one member; `relative`: numbers are to be given as differences to its rank. */
typedef void (*cli_mpi_write_fn)(const struct cli_mpi_leaf *leaf, uint32_t member,
				 enum bob_mpi_role role, int relative, FILE *out);
/* Each member's own text, with the ranks that it is of: "{0: 3; 1-3: rank-1}". */
void cli_mpi_apart_print(const struct cli_mpi_leaf *leaf, cli_mpi_write_fn write,
			 enum bob_mpi_role role, FILE *out);
/* A vector that is not the same in each call, if each of its elements goes a simple way: else
 * nothing is printed, and 0. leaf->series are those of the vectors' numbers. */
int cli_mpi_varying_print(const struct cli_mpi_leaf *leaf, enum bob_mpi_role role, FILE *out);
/* The callback for vectors. */
void cli_mpi_vector_print(const struct cli_mpi_cells *c, uint32_t vector, uint32_t length,
			  enum bob_mpi_role role, FILE *out);

#endif
