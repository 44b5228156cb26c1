/* SPDX-License-Identifier: BSD-3-Clause */
/* --between=FROM..TO: the stretch between two MPI calls of each thread. FROM and TO are
 *     #N          call N of the thread, as `show --mpi --expand` numbers them
 *     NAME:K      its K-th call of that function, from 1; NAME alone: the first one
 *     empty       the thread's begin, or end
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

/* For option tables; `between` is the struct cli_between. 0, or 2 after a complaint. */
int cli_between_parse(const char *verb, void *between, const char *arg);
/* Restricts memory accesses of the chosen threads to the stretch. Threads without accesses in it
 * are no longer chosen, which is reported. 0, or an exit status after a complaint. No effect if `b`
 * is not given. */
int cli_between_apply(const struct cli_between *b, struct cli_session *s, int keep_syncs);
/* One thread's stretch as positions among its calls, or as numbers among its MPI calls; last
 * inclusive. 0 after a complaint: the thread does not have it. Everything, if `b` is not given. */
int cli_between_positions(const struct cli_between *b, const struct cli_session *s, uint32_t thread,
			  uint64_t *first, uint64_t *last);
int cli_between_numbers(const struct cli_between *b, const struct cli_session *s, uint32_t thread,
			uint64_t *first, uint64_t *last);

#endif
