/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between a process that cannot create its file and the keeper (src/cli/record/keeper.h).
 * The keeper listens at an abstract Unix socket, which is reachable from any root directory and by
 * any user. BOBBIN_KEEPER is its name, a colon and the secret in hex.
 *     process: NEW_FILE     keeper: an answer with the descriptor of an unnamed file
 *     process: HAS_HEAD     keeper: an answer; the file has its name now */
#ifndef BOB_ARCHIVE_KEEPER_H
#define BOB_ARCHIVE_KEEPER_H

#include <stdint.h>

#define BOB_KEEPER_VARIABLE "BOBBIN_KEEPER"
#define BOB_KEEPER_BYTES (64u << 10)	/* allocated for a new file */

enum bob_keeper_want { BOB_KEEPER_NEW_FILE = 1, BOB_KEEPER_HAS_HEAD = 2 };

struct bob_keeper_ask {
	uint64_t secret;
	uint32_t want;		/* enum bob_keeper_want */
	uint32_t pid;		/* in the process's pid namespace */
};

struct bob_keeper_answer {
	uint32_t seq;		/* number in the file's name */
	uint32_t refused;	/* 1: the request failed */
};

#endif
