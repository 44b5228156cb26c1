/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the tool, which is in the same directory, with its own arguments. Valgrind needs a
 * launcher because it runs it again, with the same options, for programs that the traced program
 * executes. Valgrind's own launcher finds tools elsewhere only through an environment variable,
 * which would be visible to the traced program. */
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
