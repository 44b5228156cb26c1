/* SPDX-License-Identifier: BSD-3-Clause */
/* Signal handlers that remove an unfinished file or directory (unfinished.h). */
#include "cli/terminal/unfinished.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char unfinished[PATH_MAX];
static volatile sig_atomic_t is_there;

/* Async-signal-safe. The interrupted code creates no further files. */
static void remove_directory(const char *name)
{
	pid_t child = fork();

	if (child == 0) {
		execl("/bin/rm", "rm", "-rf", "--", name, (char *)NULL);
		_exit(127);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static void on_signal(int sig)
{
	if (is_there && unlink(unfinished) && errno != ENOENT)
		remove_directory(unfinished);
	raise(sig); /* with the default action (SA_RESETHAND), after return */
}

void cli_unfinished_begin(const char *name)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction a = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND }, before;

	snprintf(unfinished, sizeof(unfinished), "%s", name);
	is_there = 1;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &a, NULL);
}

void cli_unfinished_end(void)
{
	is_there = 0;
}
