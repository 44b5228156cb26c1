/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin merge: the folded streams of each process's threads in one, and then the processes in one file. bobbin fold: the
 * threads only, and records that are not folded, too. */
#include <getopt.h>
#include <stdio.h>

#include "cli/complain.h"
#include "cli/merging.h"
#include "cli/naming.h"
#include "cli/numbers.h"
#include "cli/verbs.h"

enum { OPT_QUIET };

#define OPTIONS                                                                                    \
	{                                                                                          \
		{ "quiet", 'q', NULL, "say nothing if all went well", NULL, NULL },                \
			{ NULL, 0, NULL, NULL, NULL, NULL },                                       \
	}
const struct cli_option merge_options[] = OPTIONS, fold_options[] = OPTIONS;

static int run(const char *verb, int raw, int argc, char **argv)
{
	char a[CLI_NUMBER_MAX], b[CLI_NUMBER_MAX];
	struct cli_merged r, all = { 0 };
	struct cli_options o;
	const char *arg, *dir;
	int opt, quiet = 0, status;

	cli_options_begin(&o, verb, argc, argv);
	while ((opt = cli_options_next(&o, &arg)) >= 0)
		quiet |= opt == OPT_QUIET;
	if (opt != CLI_OPTIONS_END)
		return opt == CLI_OPTIONS_HELP ? 0 : 2;
	if (argc - optind > 1)
		return cli_misuse(verb, "one trace at a time");
	dir = optind < argc ? argv[optind] : "bobbin.data";
	status = cli_merge(verb, dir, 0, raw, &r);
	if (!status)
		cli_name_images(dir); /* as record does: nobody may have done so */
	if (!status && !raw)
		status = cli_merge_processes(verb, dir, &all);
	if (status || quiet)
		return status;
	if (r.processes || !all.processes)
		printf("%s: %s of %u process%s, %s instead of %s\n", dir,
		       raw ? "folded and merged: the threads" : "merged: the threads", r.processes,
		       r.processes == 1 ? "" : "es", cli_bytes(a, r.after), cli_bytes(b, r.before));
	if (all.processes)
		printf("%s: %u processes in one file, %s instead of %s\n", dir, all.processes,
		       cli_bytes(a, all.after), cli_bytes(b, all.before));
	if (r.left)
		printf("%u not merged: killed, or still running; see bobbin fold\n", r.left);
	return 0;
}

int verb_merge(int argc, char **argv)
{
	return run("merge", 0, argc, argv);
}

int verb_fold(int argc, char **argv)
{
	return run("fold", 1, argc, argv);
}
