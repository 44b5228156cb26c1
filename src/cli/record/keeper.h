/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher keeps the files of watched processes open, and extends them for processes that
 * cannot: on request in the file's head, or in advance for a process that has announced that it
 * cannot request any more (a seccomp filter). So recording continues when the program changes its
 * user or its root directory, uses up its descriptors, or limits the size of its files. */
#ifndef BOB_CLI_KEEPER_H
#define BOB_CLI_KEEPER_H

struct cli_watched;
struct cli_watching;

/* Starts listening. `address` (CLI_KEEPER_ADDRESS bytes) receives the value of BOBBIN_KEEPER. -1:
 * not possible. */
#define CLI_KEEPER_ADDRESS 64
int cli_keeper_listen(struct cli_watching *w, char *address);
/* Creates files for processes that request one (archive/write/keeper.h). Returns their number. */
int cli_keeper_serve(const struct cli_watching *w);

/* Handles the process's request for more space. 1: it depends on the keeper, look again soon. */
int cli_keeper_look(const struct cli_watched *f);
/* The process has ended completely (its threads may write after it has marked its end): releases
 * space that was allocated and not used. */
void cli_keeper_end(const struct cli_watched *f);

#endif
