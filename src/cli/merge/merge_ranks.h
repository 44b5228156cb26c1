/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin merge, started by an MPI launcher as so many processes: each merges its share of the
 * processes' files to one file in the directory, and rank 0 puts these together. No MPI is used:
 * the environment contains rank and size, and the processes synchronise by files in the directory.
 *
 * Rank 0 makes a *marker* for each other rank, merge.<key>.<rank>: "g": go, or "n": there is
 * nothing to share. The rank locks it, adds "s", merges, adds "d". A marker that has begun and is
 * not locked belongs to a rank that has died. Processes for which rank 0 has no merged file in the
 * end are merged from their own files, which stay until all is done; so the directory is a complete
 * trace at any moment. */
#ifndef BOB_CLI_MERGE_RANKS_H
#define BOB_CLI_MERGE_RANKS_H

#include <stdint.h>

/* Are we one of several? */
int cli_rank(uint32_t *rank, uint32_t *size);

/* Of rank 1 and higher: all of it. An exit status. */
int cli_merge_rank(const char *dir, uint32_t rank, uint32_t size);

/* Of rank 0, before it merges what is there: begins with the others, does its own share and waits
 * for theirs. With `alone` they are sent away. Messages say who did not come. */
void cli_merge_shares(const char *dir, uint32_t size, int alone);

#endif
