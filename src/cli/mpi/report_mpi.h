/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report of MPI calls: calls and bytes, their balance over ranks, and incomplete calls. */
#ifndef BOB_CLI_REPORT_MPI_H
#define BOB_CLI_REPORT_MPI_H

#include "analysis/mpi/call_counts.h"
#include "cli/report.h"

int cli_report_mpi(struct cli_answer *a, enum bob_mpi_by by);

#endif
