/* SPDX-License-Identifier: BSD-3-Clause */
/* Width of the terminal, by ioctl (width.h). */
#include "cli/terminal/width.h"

#include <sys/ioctl.h>
#include <unistd.h>

int cli_terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 40)
		return 80;
	return size.ws_col;
}
