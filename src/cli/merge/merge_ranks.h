/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin merge by the processes of an MPI launcher: each merges its share of the processes' files
 * into one file in the directory, and rank 0 merges these. MPI is not used: the environment
 * contains rank and size, and the processes synchronise by files in the directory.
 *
 * Rank 0 creates a *marker* for each other rank, merge.<key>.<rank>: "g": go, or "n": nothing to
 * share. The rank locks it, appends "s", merges, appends "d". A marker with "s" that is not locked
 * belongs to a rank that has died. Processes for which rank 0 finds no merged file at the end are
 * merged from their own files, which are kept until everything is done; so the directory is a
 * complete trace at any moment. */
#ifndef BOB_CLI_MERGE_RANKS_H
#define BOB_CLI_MERGE_RANKS_H

#include <stdint.h>

/* Whether this process is one of several ranks. */
int cli_rank(uint32_t *rank, uint32_t *size);

/* The work of a rank above 0. Returns an exit status. */
int cli_merge_rank(const char *dir, uint32_t rank, uint32_t size);

/* Rank 0, before it merges the files: starts the others, does its own share and waits for theirs.
 * With `alone` it dismisses them. Messages report missing ranks. */
void cli_merge_shares(const char *dir, uint32_t size, int alone);

#endif
