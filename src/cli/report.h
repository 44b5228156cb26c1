/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of `bobbin report`, for its parts. */
#ifndef BOB_CLI_REPORT_TABLES_H
#define BOB_CLI_REPORT_TABLES_H

#include "cli/answer.h"

enum cli_report_by {
	CLI_BY_FUNCTION,
	CLI_BY_IMAGE,
	CLI_BY_API,
	CLI_BY_INSTRUCTION, /* to SYNC: memory accesses only */
	CLI_BY_LINE,
	CLI_BY_VARIABLE,
	CLI_BY_SYNC,
	CLI_BY_SITE, /* from here on MPI calls only */
	CLI_BY_COMM,
	CLI_BY_RANK,
	CLI_BY_LATE, /* where ranks wait for others */
	CLI_BY_HOOK, /* data of hooks */
	CLI_BY_PARAMETER /* parameters of events */
};
#define CLI_BY_WORDS                                                                               \
	"function|image|api|instruction|line|variable|sync|site|comm|rank|late|hook|parameter"

#endif
