/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files and directories that appear under their name only when complete (output.h). */
#define _GNU_SOURCE
#include "cli/terminal/output.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal/complain.h"
#include "cli/terminal/unfinished.h"

static int is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

/* Devices and pipes are written directly. */
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
	if (is_special(path)) {
		snprintf(name, sizeof(name), "%s", path);
	} else {
		temporary_name(path, name, sizeof(name));
		cli_unfinished_begin(name);
	}
	out = fopen(name, "we");
	if (!out) {
		cli_unfinished_end();
		cli_fail(verb, "cannot write %s: %m", path);
	}
	return out;
}

int cli_output_close(const char *verb, FILE *out, const char *path)
{
	char name[PATH_MAX];
	int cause = errno, bad = ferror(out); /* of an earlier write */

	if (fflush(out) && !bad) {
		cause = errno;
		bad = 1;
	}
	if (!is_stdout(path) && fclose(out) && !bad) {
		cause = errno;
		bad = 1;
	}
	errno = cause;
	if (is_stdout(path))
		return bad ? cli_fail(verb, "cannot write the output: %m") : 0;
	if (!is_special(path)) {
		temporary_name(path, name, sizeof(name));
		if (!bad && !rename(name, path)) {
			cli_unfinished_end();
			return 0;
		}
		cause = bad ? cause : errno;
		bad = 1;
		unlink(name);
		cli_unfinished_end();
	}
	errno = cause;
	return bad ? cli_fail(verb, "cannot write %s: %m", path) : 0;
}

void cli_output_drop(FILE *out, const char *path)
{
	char name[PATH_MAX];

	if (is_stdout(path))
		return;
	fclose(out);
	if (is_special(path))
		return;
	temporary_name(path, name, sizeof(name));
	unlink(name);
	cli_unfinished_end();
}

int cli_output_directory(const char *verb, const char *path, char *name)
{
	struct stat st;

	if (!lstat(path, &st))
		return cli_fail(verb,
				"%s is there already: remove it, or choose another place with -o",
				path);
	temporary_name(path, name, PATH_MAX);
	cli_unfinished_begin(name);
	if (!mkdir(name, 0777))
		return 0;
	cli_unfinished_end();
	return cli_fail(verb, "cannot write %s: %m", path);
}

int cli_output_directory_done(const char *verb, const char *name, const char *path)
{
	if (!rename(name, path)) {
		cli_unfinished_end();
		return 0;
	}
	cli_fail(verb, "cannot write %s: %m", path);
	cli_output_directory_drop(name);
	return 1;
}

static int drop_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path) && errno != ENOENT;
}

void cli_output_directory_drop(const char *name)
{
	(void)nftw(name, drop_one, 16, FTW_DEPTH | FTW_PHYS);
	cli_unfinished_end();
}

/* Creates the folder of the file below `dir`, if it does not exist. */
static int make_folder(const char *verb, const char *dir, const char *file)
{
	const char *slash = strchr(file, '/');
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%.*s", dir, slash ? (int)(slash - file) : 0, file);
	if (slash && mkdir(path, 0777) && errno != EEXIST)
		return cli_fail(verb, "cannot write %s: %m", path);
	return 0;
}

int cli_output_embedded(const char *verb, const char *dir, const struct bob_embedded *list)
{
	char path[PATH_MAX + 32];

	for (const struct bob_embedded *h = list; h->path; h++) {
		const size_t n = (size_t)(h->end - h->begin);
		FILE *f;

		if (make_folder(verb, dir, h->path))
			return 1;
		snprintf(path, sizeof(path), "%s/%s", dir, h->path);
		f = fopen(path, "we");
		if (!f)
			return cli_fail(verb, "cannot write %s: %m", path);
		size_t put = fwrite(h->begin, 1, n, f);
		if (fclose(f) || put != n)
			return cli_fail(verb, "cannot write %s: %m", path);
	}
	return 0;
}
