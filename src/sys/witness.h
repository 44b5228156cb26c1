/* SPDX-License-Identifier: BSD-3-Clause */
/* Was a signal sent to us, or to our whole process group? The kernel does not say. A witness does:
 * a process of the group that no other process knows, so what it gets was sent to the group. */
#ifndef BOB_SYS_WITNESS_H
#define BOB_SYS_WITNESS_H

#include <stdint.h>
#include <sys/types.h>

#define BOB_WITNESS_SIGNALS 65

/* One thread. `pid` 0: there is none, and nothing was seen. */
struct bob_witness {
	pid_t pid;
	int fd;
	uint32_t seen[BOB_WITNESS_SIGNALS];
};

/* All signals must be blocked, and stay so while `w` is in use. */
void bob_witness_open(struct bob_witness *w);
/* We took `sig`: did the group get it? To be asked for each signal that is taken. */
int bob_witness_saw(struct bob_witness *w, int sig);
void bob_witness_close(struct bob_witness *w);

#endif
