/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin merge: merges the folded streams of each process's threads, and then the processes into
 * one file. Under an MPI launcher, its processes share the work. */
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/terminal/complain.h"
#include "cli/merge/folding.h"
#include "cli/merge/merge_ranks.h"
#include "cli/merge/merging.h"
#include "table/numbers.h"
#include "cli/record/rank_functions.h"
#include "cli/record/running.h"
#include "cli/verbs.h"
#include "sys/sys.h"

struct merge {
	struct cli_folding f;
	const char *running;
	int quiet, is_last;
};

const struct cli_option merge_options[] = {
	{ "drop-below", 0, "K",
	  "leave out code that fewer than K threads of all processes together executed",
	  CLI_TAKE(struct merge, f, cli_folding_drop_below) },
	{ "quiet", 'q', NULL, "print nothing on success", CLI_FLAG(struct merge, quiet) },
	{ "running", 0, "FILE",
	  "for MPI_Finalize: merge FILE, of a running process, with standard input "
	  "(docs/mpi.md)",
	  CLI_TEXT(struct merge, running) },
	{ "last", 0, NULL, "with --running: write the result as a file of the trace",
	  CLI_FLAG(struct merge, is_last) },
	{ 0 },
};

/* Prints that there was nothing to do. */
static void print_nothing(const char *dir)
{
	struct bob_trace_sizes sizes = { 0 };
	struct bob_trace *t = NULL;

	if (bob_trace_open(dir, &t, NULL) == BOB_OK)
		bob_trace_sizes(t, &sizes);
	bob_trace_close(t);
	printf("%s: nothing to merge: %s\n", dir,
	       sizes.accesses || sizes.mpi_calls ?
		       "its threads and processes are merged already" :
		       "only memory accesses, MPI calls and events are merged, and it has none");
}

int verb_merge(int argc, char **argv)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];
	struct cli_merged r, all = { 0 };
	struct merge m = { .quiet = 0 };
	const char *dir;
	int joined, alone, shared, status = cli_options_read("merge", argc, argv, &m);
	uint32_t rank = 0, size = 0;

	if (status != CLI_GO_ON)
		return status;
	if (argc - optind > 1)
		return cli_misuse("merge", "one trace at a time");
	dir = optind < argc ? argv[optind] : "bobbin.data";
	if (m.running)
		return cli_running(dir, m.running, m.is_last);
	shared = cli_rank(&rank, &size);
	if (shared && rank)
		return cli_merge_rank(dir, rank, size);
	joined = bob_rundir_join(dir);
	alone = !bob_rundir_is_last(joined);
	if (shared)
		cli_merge_shares(dir, size,
				 alone || m.f.how.drop_below || cli_merge_is_refused(dir));
	if (alone) {
		if (!m.quiet)
			printf("%s: another launcher or merge is at work there; the last one to "
			       "end merges everything\n",
			       dir);
		return 0;
	}
	status = cli_merge_all("merge", dir, m.f.how.drop_below, &r, &all);
	cli_ranks_clear(dir);
	if (joined >= 0)
		close(joined);
	if (status || m.quiet)
		return status ? status : cli_merge_print_missing(dir, m.quiet);
	if (!r.processes && !all.processes && !r.left)
		print_nothing(dir);
	if (r.processes)
		printf("%s: merged: the threads of %u process%s, %s instead of %s\n", dir,
		       r.processes, r.processes == 1 ? "" : "es", bob_format_bytes(a, r.after),
		       bob_format_bytes(b, r.before));
	if (all.processes)
		printf("%s: %u processes in one file, %s instead of %s\n", dir, all.processes,
		       bob_format_bytes(a, all.after), bob_format_bytes(b, all.before));
	if (all.named)
		printf("%s: names and source lines of %u image%s were found\n", dir, all.named,
		       bob_plural(all.named));
	if (r.left)
		printf("%u not merged: killed, or still running; see bobbin fold\n", r.left);
	return cli_merge_print_missing(dir, 0);
}
