/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts a program (argv[2] ...) in one of several ways (argv[1]), waits for it and ends with its
 * exit status. */
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int wait_for(pid_t child)
{
	int status = 0;

	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ?
		       WEXITSTATUS(status) :
		       99;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	pid_t child = -1;

	if (!strcmp(how, "exec"))
		execv(argv[2], argv + 2);
	if (!strcmp(how, "spawn") && posix_spawnp(&child, argv[2], NULL, NULL, argv + 2, environ))
		return 127;
	if (!strcmp(how, "fork") && !(child = fork())) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (!strcmp(how, "vfork") && !(child = vfork())) {
		execv(argv[2], argv + 2);
		_exit(127);
	}
	return wait_for(child);
}
