/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/complain.h"

static int is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

/* Devices and pipes are written to as they are. */
static int is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static void temporary_name(const char *path, char *buf, size_t size)
{
	snprintf(buf, size, "%s.%ld.tmp", path, (long)getpid());
}

FILE *cli_output_open(const char *verb, const char *path)
{
	char name[PATH_MAX];
	FILE *out;

	if (is_stdout(path))
		return stdout;
	if (is_special(path))
		snprintf(name, sizeof(name), "%s", path);
	else
		temporary_name(path, name, sizeof(name));
	out = fopen(name, "we");
	if (!out)
		cli_fail(verb, "cannot write %s: %m", path);
	return out;
}

int cli_output_close(const char *verb, FILE *out, const char *path)
{
	char name[PATH_MAX];
	int bad = fflush(out) || ferror(out);

	if (is_stdout(path))
		return bad ? cli_fail(verb, "cannot write the output: %m") : 0;
	bad |= fclose(out) != 0;
	if (is_special(path))
		return bad ? cli_fail(verb, "cannot write %s: %m", path) : 0;
	temporary_name(path, name, sizeof(name));
	if (!bad && !rename(name, path))
		return 0;
	cli_fail(verb, "cannot write %s: %m", path);
	unlink(name);
	return 1;
}
