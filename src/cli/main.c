/* SPDX-License-Identifier: BSD-3-Clause */
/* The command bobbin: runs a verb, or records the given command. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal/complain.h"
#include "base/host/nearest.h"
#include "bobbin/version.h"
#include "cli/overview.h"
#include "cli/verbs.h"

static int is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* Whether execvp would find it. */
static int is_runnable(const char *word)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	if (strchr(word, '/'))
		return is_program(word);
	while (path && *path) {
		int len = (int)strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", len ? len : 1, len ? path : ".", word);
		if (is_program(file))
			return 1;
		path += len + (path[len] == ':');
	}
	return 0;
}

/* bobbin ./app args: records as `record` does, with a short report at the end. */
static int record_and_report(int argc, char **argv)
{
	char **words = calloc((size_t)argc + 3, sizeof(*words));
	int status;

	if (!words)
		return cli_fail(NULL, "out of memory"), 125;
	words[0] = (char[]){ "record" };
	words[1] = (char[]){ "--report" };
	words[2] = (char[]){ "--" };
	memcpy(words + 3, argv + 1, (size_t)(argc - 1) * sizeof(*words));
	status = verb_record(argc + 2, words);
	free(words);
	return status;
}

static int complain_unknown(const char *word)
{
	struct bob_nearest n = { .word = word };
	char here[PATH_MAX];

	snprintf(here, sizeof(here), "./%s", word);
	if (!strchr(word, '/') && is_program(here))
		return cli_misuse(NULL, "'%s' is neither a verb nor a command; did you mean '%s'?",
				  word, here);
	for (int i = 0; cli_verbs[i]; i++)
		if (!cli_verbs[i]->hidden)
			bob_nearest_try(&n, cli_verbs[i]->name);
	if (n.name)
		return cli_misuse(NULL, "'%s' is neither a verb nor a program; did you mean '%s'?",
				  word, n.name);
	return cli_misuse(NULL, "'%s' is neither a verb nor a program that can be run", word);
}

int main(int argc, char **argv)
{
	const struct cli_verb *verb;
	int status;

	if (argc < 2) {
		cli_print_overview(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		cli_print_overview(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("bobbin " BOB_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "--") && argc > 2)
		return record_and_report(argc - 1, argv + 1);
	if (argv[1][0] == '-')
		return cli_misuse(NULL, "unknown option %s", argv[1]);
	verb = cli_verb_find(argv[1]);
	if (!verb && cli_verb_is_planned(argv[1]))
		return cli_misuse(NULL,
				  "there is no verb '%s' yet; to record a program of that name: "
				  "bobbin record -- %s",
				  argv[1], argv[1]);
	/* No verb contains a slash. record reports errors, and its exit status is used. */
	if (!verb && (strchr(argv[1], '/') || is_runnable(argv[1])))
		return record_and_report(argc, argv);
	if (!verb)
		return complain_unknown(argv[1]);
	status = verb->run(argc - 1, argv + 1);
	if (status == 0 && (fflush(stdout) || ferror(stdout)))
		return cli_fail(verb->name, "cannot write the output: %m");
	return status;
}
