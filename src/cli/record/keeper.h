/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher keeps the files of the processes that it watches open, and does for them what they
 * cannot do any more: it makes a file larger when a process asks for it in the file's head, or has
 * said that it will never ask again (a seccomp filter), ahead of need. So a recording goes on when
 * the program has become another user, left the root directory, used up its descriptors or set
 * itself a limit on files. */
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
