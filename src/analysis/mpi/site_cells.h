/* SPDX-License-Identifier: BSD-3-Clause */
/* A call of MPI or an event, and its call site, as cells of a table. */
#ifndef BOB_ANALYSIS_MPI_SITE_CELLS_H
#define BOB_ANALYSIS_MPI_SITE_CELLS_H

#include "analysis/mpi/call_places.h"
#include "analysis/naming.h"
#include "analysis/place_cells.h"
#include "archive/events/mpi_functions.h"
#include "table/table.h"

/* The name with its prefix; in summary rows, begin and end of an event are one. */
void bob_mpi_function_cell(struct bob_table *t, const struct bob_mpi_function *f);

/* These columns follow a readable column with the call's name and place. */
#define BOB_MPI_SITE_COLUMNS                                                                       \
	{ "call", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_EXTRA, "the function of MPI, or the event" },  \
		{ "place", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_EXTRA, "where it is called" },        \
		BOB_PLACE_COLUMNS

/* The readable cell, then the cells of BOB_MPI_SITE_COLUMNS. */
void bob_mpi_site_cells(struct bob_table *t, const struct bob_mpi_function *f,
			const struct bob_mpi_places *places, uint32_t path,
			const struct bob_trace *trace, const struct bob_naming *names);

#endif
