/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher keeps the files of the watched processes open, and extends them for processes that
 * cannot: on request in the file's head, or ahead of need for a process that has announced that it
 * can no longer ask (a seccomp filter). So recording continues when the program changes its user or
 * its root directory, uses up its descriptors, or limits the size of its files. */
#ifndef BOB_CLI_KEEPER_H
#define BOB_CLI_KEEPER_H

struct cli_watched;
struct cli_watching;

/* Listens from now on. `address` (CLI_KEEPER_ADDRESS bytes) gets what BOBBIN_KEEPER is to be. -1:
 * not possible. */
#define CLI_KEEPER_ADDRESS 64
int cli_keeper_listen(struct cli_watching *w, char *address);
/* Make files for processes that ask for one (archive/write/keeper.h). How many. */
int cli_keeper_serve(const struct cli_watching *w);

/* What the process wants of its file. 1: it depends on us, look again soon. */
int cli_keeper_look(const struct cli_watched *f);
/* The process is gone (before, its threads may write after what it calls its end): releases what
 * was allocated and not used. */
void cli_keeper_end(const struct cli_watched *f);

#endif
