/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin help [VERB], and the generated texts under docs/. */
#include <getopt.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "base/host/nearest.h"
#include "cli/overview.h"
#include "cli/verbs.h"

struct help {
	int roff, completion;
};

const struct cli_option help_options[] = {
	{ "roff", 0, NULL, "print the OPTIONS section of the verb's man page",
	  CLI_FLAG(struct help, roff) },
	{ "completion", 0, NULL, "print the bash completion script",
	  CLI_FLAG(struct help, completion) },
	{ 0 },
};

static int complain_unknown(const char *word)
{
	struct bob_nearest n = { .word = word };

	for (int i = 0; cli_verbs[i]; i++)
		if (!cli_verbs[i]->hidden)
			bob_nearest_try(&n, cli_verbs[i]->name);
	if (n.name)
		return cli_misuse("help", "there is no verb '%s'; did you mean '%s'?", word,
				  n.name);
	return cli_misuse("help", "there is no verb '%s'", word);
}

int verb_help(int argc, char **argv)
{
	const struct cli_verb *verb;
	struct help h = { 0 };
	int status = cli_options_read("help", argc, argv, &h);

	if (status != CLI_GO_ON)
		return status;
	if (h.completion) {
		cli_options_bash(cli_verbs, stdout);
		return 0;
	}
	if (optind == argc) {
		cli_print_overview(stdout);
		return 0;
	}
	verb = cli_verb_find(argv[optind]);
	if (!verb)
		return complain_unknown(argv[optind]);
	if (h.roff)
		cli_options_roff(verb, stdout);
	else
		cli_options_help(verb, stdout);
	return 0;
}
