/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin fold: folds and merges what was recorded raw, or by a killed process; or folds a trace
 * anew with other settings, in place or into another trace. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "cli/merge/folding.h"
#include "cli/memory/naming.h"
#include "table/numbers.h"
#include "cli/verbs.h"

struct fold {
	struct cli_folding f;
	const char *to;
	int quiet;
};

const struct cli_option fold_options[] = {
	FOLDING_OPTIONS(struct fold, f),
	{ "max-events", 0, "N",
	  "stop at a thread with more than N folded records, which are read one by one "
	  "(default 0: no limit)",
	  CLI_COUNT(struct fold, f.max_events) },
	{ "output", 'o', "DIR",
	  "write the folded trace to DIR and keep the original; an existing trace becomes "
	  "DIR.old",
	  CLI_TEXT(struct fold, to) },
	{ "quiet", 'q', NULL, "print nothing on success", CLI_FLAG(struct fold, quiet) },
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
	struct fold o = { .quiet = 0 };
	const char *dir;
	struct bob_trace *t = NULL;
	struct cli_merged r;
	int status = cli_options_read("fold", argc, argv, &o);

	if (status != CLI_GO_ON)
		return status;
	if (argc - optind > 1)
		return cli_misuse("fold", "one trace at a time");
	dir = optind < argc ? argv[optind] : "bobbin.data";
	if (o.to && !strcmp(o.to, dir))
		return cli_misuse("fold",
				  "-o names the trace itself; without -o it is folded in place");
	status = cli_fold("fold", dir, 0, 1, &o.f, o.to, &r);
	if (status)
		return status;
	dir = o.to ? o.to : dir;
	if (bob_trace_open(dir, &t, NULL) == BOB_OK)
		cli_name_images(dir, t);
	bob_trace_close(t);
	if (!o.quiet)
		print_result(dir, &r);
	return 0;
}
