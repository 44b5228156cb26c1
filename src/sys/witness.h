/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects whether a signal was sent to us or to our whole process group, which the kernel does not
 * report. The witness is a process in our group that no other process knows, so any signal it gets
 * was sent to the group. */
#ifndef BOB_SYS_WITNESS_H
#define BOB_SYS_WITNESS_H

#include <stdint.h>
#include <sys/types.h>

#define BOB_WITNESS_SIGNALS 65

/* Threads: one. `pid` 0: there is no witness, and no signal counts as the group's. */
struct bob_witness {
	pid_t pid;
	int fd;
	uint32_t seen[BOB_WITNESS_SIGNALS];
};

/* All signals must be blocked, and stay so while `w` is in use. */
void bob_witness_open(struct bob_witness *w);
/* Whether the group got `sig`, too. Must be called for every signal that we accept. */
int bob_witness_saw(struct bob_witness *w, int sig);
void bob_witness_close(struct bob_witness *w);

#endif
