/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells for MPI functions and call sites. */
#include "analysis/mpi/site_cells.h"

static const char *prefix_of(const struct bob_mpi_function *f)
{
	return f->flags & BOB_MPI_USER ? "" : bob_mpi_prefix(f);
}

void bob_mpi_function_cell(struct bob_table *t, const struct bob_mpi_function *f)
{
	bob_table_textf(t, "%s%s", prefix_of(f), f->name);
}

void bob_mpi_site_cells(struct bob_table *t, const struct bob_mpi_function *f,
			const struct bob_mpi_places *places, uint32_t path,
			const struct bob_trace *trace, const struct bob_naming *names)
{
	struct bob_mpi_place p = { .image = ~0u };

	if (bob_mpi_places_last(places, path, &p))
		bob_table_textf(t, "%s%s  %s", prefix_of(f), f->name,
				names->place(names->ctx, trace, p.process, p.image, p.pc));
	else
		bob_mpi_function_cell(t, f);
	bob_mpi_function_cell(t, f);
	bob_place_cells_at(t, names, trace, p.process, p.image, p.pc);
}
