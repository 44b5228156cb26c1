/* SPDX-License-Identifier: BSD-3-Clause */
/* The witness blocks all signals, so that they stay pending; on request it accepts and counts them.
 * It was forked after us, and the kernel signals the youngest process of a group first: when a
 * signal to the group reaches us, it is already pending in the witness. The witness ends when our
 * end of the socket closes. */
#define _GNU_SOURCE
#include "sys/witness.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MS 500 /* bounded, because the witness may have been stopped */

/* Clear our name and command line in the witness, so that `pkill -f` and the like do not match
 * it. */
static void hide(void)
{
	unsigned long from = 0, to = 0;
	char stat[1024];
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, stat, sizeof(stat) - 1);

	if (fd >= 0)
		close(fd);
	stat[n > 0 ? n : 0] = 0;
	prctl(PR_SET_NAME, "group-witness");
	/* fields 48 and 49 of proc(5) follow; the name (field 2) ends with ')' */
	const char *p = strrchr(stat, ')');
	for (int field = 2; p && field < 48; field++)
		p = strchr(p + 1, ' ');
	if (p && sscanf(p, "%lu %lu", &from, &to) == 2 && from < to)
		memset((void *)from, 0, to - from);
}

static _Noreturn void serve(int fd)
{
	const struct timespec none = { 0, 0 };
	sigset_t all;
	char byte;

	hide();
	dup2(fd, STDIN_FILENO);
	close_range(STDIN_FILENO + 1, ~0u, 0);
	sigfillset(&all);
	while (read(STDIN_FILENO, &byte, 1) == 1) {
		uint32_t count[BOB_WITNESS_SIGNALS] = { 0 };
		int sig;

		while ((sig = sigtimedwait(&all, NULL, &none)) > 0)
			count[sig]++;
		if (write(STDIN_FILENO, count, sizeof(count)) != sizeof(count))
			break;
	}
	_exit(0);
}

void bob_witness_open(struct bob_witness *w)
{
	int pair[2];

	memset(w, 0, sizeof(*w));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return;
	pid_t pid = fork();
	if (pid == 0) {
		close(pair[0]);
		serve(pair[1]);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return;
	}
	w->pid = pid;
	w->fd = pair[0];
}

void bob_witness_close(struct bob_witness *w)
{
	if (!w->pid)
		return;
	close(w->fd);
	kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
	w->pid = 0;
}

static int ask(const struct bob_witness *w, uint32_t count[BOB_WITNESS_SIGNALS])
{
	const size_t size = BOB_WITNESS_SIGNALS * sizeof(*count);
	struct pollfd answer = { .fd = w->fd, .events = POLLIN };

	if (getpgid(w->pid) != getpgrp() || send(w->fd, "", 1, MSG_NOSIGNAL) != 1)
		return 0;
	return poll(&answer, 1, ANSWER_MS) == 1 &&
	       recv(w->fd, count, size, MSG_WAITALL) == (ssize_t)size;
}

int bob_witness_saw(struct bob_witness *w, int sig)
{
	uint32_t count[BOB_WITNESS_SIGNALS];
	sigset_t waiting;
	int saw;

	if (!w->pid)
		return 0;
	if (!ask(w, count)) {
		bob_witness_close(w);
		return 0;
	}
	for (int i = 1; i < BOB_WITNESS_SIGNALS; i++)
		w->seen[i] += count[i];
	saw = w->seen[sig] > 0;
	if (saw)
		w->seen[sig]--;
	/* signals that are not pending for us need not be remembered */
	sigpending(&waiting);
	for (int i = 1; i < BOB_WITNESS_SIGNALS; i++)
		if (!sigismember(&waiting, i))
			w->seen[i] = 0;
	return saw;
}
