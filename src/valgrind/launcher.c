/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the tool beside it, with the arguments it was given. Valgrind wants to know what starts
 * it, because it runs that again, with the same options, for programs which the traced one
 * executes. Valgrind's own launcher would look for tools in Valgrind's directory only, unless a
 * variable said otherwise, which the traced program would see. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL "bobbin-amd64-linux"

int main(int argc, char **argv)
{
	char self[4096], tool[4096 + sizeof(TOOL)];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)argc;
	if (n <= 0)
		return 125;
	self[n] = 0;
	snprintf(tool, sizeof(tool), "%.*s/" TOOL, (int)(strrchr(self, '/') - self), self);
	unsetenv("VALGRIND_LIB");
	setenv("VALGRIND_LAUNCHER", self, 1);
	execv(tool, argv);
	perror(tool);
	return 125;
}
