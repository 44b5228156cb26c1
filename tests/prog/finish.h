/* SPDX-License-Identifier: BSD-3-Clause */
/* A process ends: exit, _exit, exec, kill; or hang, which prints "there" and waits. */
#ifndef BOB_TEST_FINISH_H
#define BOB_TEST_FINISH_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void finish(const char *how)
{
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "_exit"))
		_exit(3);
	if (!strcmp(how, "exec"))
		execl("/bin/true", "true", (char *)NULL);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	printf("there\n");
	fflush(stdout);
	for (;;)
		pause();
}

#endif
