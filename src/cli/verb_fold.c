/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin fold: what was recorded raw, or by a process that was killed, folded and merged; or a
 * trace folded anew in another way, also into another trace. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "cli/merge/folding.h"
#include "cli/memory/naming.h"
#include "table/numbers.h"
#include "cli/verbs.h"

enum { OPT_MAX_EVENTS = FOLD_COMMON, OPT_OUTPUT, OPT_QUIET };

const struct cli_option fold_options[] = {
	FOLDING_OPTIONS,
	{ "max-events", 0, "N",
	  "stop where a thread has more folded records, which are read one by one "
	  "(default 0: no limit)" },
	{ "output", 'o', "DIR",
	  "write the folded trace there and leave this one as it is; an older one "
	  "becomes DIR.old" },
	{ "quiet", 'q', NULL, "say nothing if all went well" },
	{ 0 },
};

static void print_result(const char *dir, const struct cli_merged *r)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	printf("%s: folded and merged: the threads of %u process%s, %s instead of %s\n", dir,
	       r->processes, r->processes == 1 ? "" : "es", bob_format_bytes(a, r->after),
	       bob_format_bytes(b, r->before));
}

int verb_fold(int argc, char **argv)
{
	struct cli_folding f = { .library = NULL };
	const char *arg, *dir, *to = NULL;
	struct bob_trace *t = NULL;
	struct cli_merged r;
	struct cli_options o;
	int opt, quiet = 0, status = 0;

	cli_options_begin(&o, "fold", argc, argv);
	while ((opt = cli_options_next(&o, &arg)) >= 0) {
		if (opt < FOLD_COMMON && !status)
			status = cli_folding_option(&f, "fold", opt, arg);
		else if (opt == OPT_MAX_EVENTS && cli_parse_count(arg, &f.max_events))
			status = cli_misuse("fold", "--max-events is a number, not '%s'", arg);
		else if (opt == OPT_OUTPUT)
			to = arg;
		else if (opt == OPT_QUIET)
			quiet = 1;
	}
	if (opt != CLI_OPTIONS_END)
		return opt == CLI_OPTIONS_HELP ? 0 : 2;
	if (!status && argc - optind > 1)
		status = cli_misuse("fold", "one trace at a time");
	dir = optind < argc ? argv[optind] : "bobbin.data";
	if (!status && to && !strcmp(to, dir))
		status = cli_misuse("fold",
				    "-o names the trace itself; without -o it is folded in place");
	if (!status)
		status = cli_fold("fold", dir, 0, 1, &f, to, &r);
	if (status)
		return status;
	dir = to ? to : dir;
	if (bob_trace_open(dir, &t, NULL) == BOB_OK)
		cli_name_images(dir, t);
	bob_trace_close(t);
	if (!quiet)
		print_result(dir, &r);
	return 0;
}
