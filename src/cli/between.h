/* SPDX-License-Identifier: BSD-3-Clause */
/* --between=FROM..TO: the stretch between two calls of MPI, in each thread its own. FROM and TO are
 *     #N          the thread's call N, as `show --mpi --expand` numbers them
 *     NAME:K      its K-th call of that function, from 1; NAME alone: the first one
 *     nothing     where the thread begins, or ends
 * docs/mpi-reading.md defines it. */
#ifndef BOB_CLI_BETWEEN_H
#define BOB_CLI_BETWEEN_H

#include "cli/session.h"

#define CLI_BETWEEN_HELP                                                                           \
	"only what threads did between two of their MPI calls or events, such as "                 \
	"MPI_Barrier:2..MPI_Barrier:3 or #10..#20; A.. and ..B are allowed"

struct cli_between {
	int given;
	struct bob_stretch stretch;
	const char *text;	/* the argument */
};

/* Of an option, for the struct cli_between. 0, or 2 after a complaint. */
int cli_between_parse(const char *verb, void *between, const char *arg);
/* Memory accesses of the chosen threads are those of the stretch from here on; threads that have
 * none such are not chosen any more, which is said. 0, or an exit status after a complaint. Nothing
 * happens if `b` is not given. */
int cli_between_apply(const struct cli_between *b, struct cli_session *s, int keep_syncs);
/* One thread's stretch among its calls, as stream positions, or among its calls of MPI, as their
 * numbers; last inclusive. 0 after a complaint: it has none such. Everything, if `b` is not
 * given. */
int cli_between_positions(const struct cli_between *b, const struct cli_session *s, uint32_t thread,
			  uint64_t *first, uint64_t *last);
int cli_between_numbers(const struct cli_between *b, const struct cli_session *s, uint32_t thread,
			uint64_t *first, uint64_t *last);

#endif
