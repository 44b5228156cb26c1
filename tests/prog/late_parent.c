/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: who has made a process goes on 0.2 s later, when that process has gone far already. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

pid_t fork(void)
{
	pid_t (*next)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
	pid_t pid = next();

	if (pid > 0)
		usleep(200000);
	return pid;
}
