/* SPDX-License-Identifier: BSD-3-Clause */
/* Options for ranks without MPI (rank_functions.h): sets the variables of the recorder, and removes
 * the ranks' files after the run. */
#define _GNU_SOURCE
#include "cli/record/rank_functions.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/events/flush_option.h"
#include "cli/terminal/complain.h"

#define RANKS_MAX 65536u

/* Such functions are hooked by name, and so are events. */
static int function_option(struct cli_vars *v, const char *verb, const char *option,
			   const char *name, const char *arg)
{
	if (!*arg)
		return cli_misuse(verb, "--%s: want the name of a function", option);
	if (cli_vars_get(v, name))
		return cli_misuse(verb, "--%s=%s: there is one already, %s; use a pattern", option,
				  arg, cli_vars_get(v, name)),
		       125;
	cli_vars_set(v, name, arg);
	cli_vars_add(v, "BOBBIN_HOOK_FUNCTIONS", arg);
	return 0;
}

int cli_ranks_rank(const char *verb, void *vars, const char *arg)
{
	char *end;
	const unsigned long rank = strtoul(arg, &end, 10),
			    ranks = strtoul(end + (*end == '/'), NULL, 10);
	char text[64];

	if (*end == '/' && rank < ranks && ranks <= RANKS_MAX) {
		snprintf(text, sizeof(text), "%lu/%lu", rank, ranks);
		if (!strcmp(text, arg)) {
			cli_vars_set(vars, "BOBBIN_RANK", text);
			return 0;
		}
	}
	return cli_misuse(verb, "--rank=%s: want R/N, rank R of N, from 0 on: 3/8", arg);
}

int cli_ranks_place(const char *verb, void *vars, const char *arg)
{
	char *whole;
	struct stat sb;

	(void)mkdir(arg, 0700);
	whole = realpath(arg, NULL);
	if (!whole || stat(whole, &sb) || !S_ISDIR(sb.st_mode) || access(whole, W_OK)) {
		free(whole);
		return cli_fail(verb, "--ranks=%s: no directory that can be written", arg);
	}
	cli_vars_set(vars, "BOBBIN_RANKS", whole);
	free(whole);
	return 0;
}

int cli_ranks_flush(const char *verb, void *vars, const char *arg)
{
	const char *expected;
	struct bob_flush f;

	if (bob_flush_parse(arg, &f, &expected))
		return cli_misuse(verb, "--flush-every=%s: want %s", arg, expected);
	cli_vars_set(vars, "BOBBIN_FLUSH_EVERY", arg);
	return 0;
}

int cli_ranks_init(const char *verb, void *vars, const char *arg)
{
	return function_option(vars, verb, "init", "BOBBIN_INIT", arg);
}

int cli_ranks_finalize(const char *verb, void *vars, const char *arg)
{
	return function_option(vars, verb, "finalize", "BOBBIN_FINALIZE", arg);
}

/* Whether events/ranks_directory.c has created the file. */
static int is_ours(const char *name)
{
	return !strncmp(name, "rank.", 5) || !strncmp(name, "m.", 2) || !strncmp(name, "new.", 4);
}

void cli_ranks_clear(const char *dir)
{
	struct dirent *e;
	char *path;
	DIR *d;

	if (asprintf(&path, "%s/ranks", dir) < 0)
		return;
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (is_ours(e->d_name))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d) {
		closedir(d);
		rmdir(path);
	}
	free(path);
}
