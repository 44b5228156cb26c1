/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts and ends the pager (pager.h), with the shell, so that its command may have arguments. */
#define _GNU_SOURCE
#include "cli/terminal/pager.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* If the shell could not run the pager, it has read nothing, and cat prints the text. */
#define NO_PAGER "\nstatus=$?; case $status in 126|127) exec cat;; esac; exit $status"
#define LESS "command -v less >/dev/null && exec less -FRX; exec cat"

/* "": the user has disabled it. */
static const char *chosen_pager(void)
{
	const char *command = getenv("BOBBIN_PAGER");

	if (!command)
		command = getenv("PAGER");
	return command ? command : "";
}

static void run_pager(const int *pipe_fds)
{
	struct pollfd first = { .fd = pipe_fds[0], .events = POLLIN };
	char *command;

	close(pipe_fds[1]);
	poll(&first, 1, -1);	/* until then the progress line uses the terminal */
	dup2(pipe_fds[0], STDIN_FILENO);
	close(pipe_fds[0]);
	if (!*chosen_pager() || asprintf(&command, "%s" NO_PAGER, chosen_pager()) < 0)
		command = NULL;
	execl("/bin/sh", "sh", "-c", command ? command : LESS, (char *)NULL);
	_exit(127);
}

pid_t cli_pager_begin(int wanted)
{
	int fds[2];
	pid_t pid;

	if (!wanted || !isatty(STDOUT_FILENO) || !strcmp(chosen_pager(), "cat") || pipe(fds))
		return 0;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		run_pager(fds);
	if (pid > 0)
		dup2(fds[1], STDOUT_FILENO);
	close(fds[0]);
	close(fds[1]);
	if (pid < 0)
		return 0;
	signal(SIGPIPE, SIG_IGN);	/* when the user quits, writes fail */
	return pid;
}

void cli_pager_end(pid_t pager)
{
	if (!pager)
		return;
	fflush(stdout);
	clearerr(stdout);
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && kill(pager, 0) == 0)
		;
}
