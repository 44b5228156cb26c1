/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin check: reads every byte of a trace: is the trace intact, and is the run complete? */
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

#include "archive/format.h"
#include "cli/terminal/complain.h"
#include "cli/complete.h"
#include "cli/event_words.h"
#include "cli/info_tables.h"
#include "cli/merge/folding.h"
#include "cli/left_out.h"
#include "table/numbers.h"
#include "cli/session.h"
#include "cli/untraced.h"
#include "cli/verbs.h"

enum { CHECK_DAMAGED = 1, CHECK_INCOMPLETE = 3 }; /* exit statuses; 2: usage */

struct check {
	struct cli_session s;
	int quiet, all;
};

const struct cli_option check_options[] = {
	{ "quiet", 'q', NULL, "print only what is wrong", CLI_FLAG(struct check, quiet) },
	{ "complete", 0, NULL,
	  "exit status 3 also if code could not be traced or values were left out",
	  CLI_FLAG(struct check, all) },
	{ "max-events", 0, "N", CLI_MAX_EVENTS_HELP "; exit status 3 if there are more",
	  CLI_COUNT(struct check, s.max_events) },
	{ 0 },
};

static uint32_t print_problems(const struct bob_trace *t, int lost)
{
	uint32_t n = bob_trace_problem_count(t), count = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct bob_problem *p = bob_trace_problem(t, i);

		if (!p->lost == !lost) {
			printf("%s %s: %s", lost ? "lost   " : "remark ", p->file, p->text);
			if (p->offset)
				printf(" at byte %" PRIu64, p->offset);
			putchar('\n');
			count++;
		}
	}
	return count;
}

/* Prints processes that did not exit normally, and threads without a clean end. */
static void print_ends(const struct bob_trace *t)
{
	char a[BOB_NUMBER_MAX], text[CLI_END_MAX];
	uint32_t open_threads = 0;

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++)
		open_threads += bob_trace_thread(t, i)->state == 0;
	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		const struct bob_process_info *p = bob_trace_process(t, i);

		if (p->end_source && WIFSIGNALED((int)p->end_status))
			printf("remark  process %" PRIu32 ": %s\n", i, cli_process_end(p, text));
	}
	if (open_threads)
		printf("remark  %s thread%s did not end cleanly (killed, or still running): "
		       "read up to the last call\n",
		       bob_format_count(a, open_threads), bob_plural(open_threads));
}

/* Prints untraced code of the chosen images. Returns the number of functions. */
static uint64_t print_untraced(const struct cli_session *s)
{
	struct cli_unrecorded m;
	struct cli_untraced c;
	char a[BOB_NUMBER_MAX];
	uint64_t untraced;

	cli_unrecorded_count(s->trace, &m);
	cli_untraced_count(s, &c);
	/* functions that the user did not choose are not missing */
	untraced = m.functions ? m.missing :
				 c.functions - c.by_reason[0] - c.by_reason[BOB_SKIP_FILTER];
	if (untraced)
		printf("missing %s function%s could not be traced; `bobbin info` says why\n",
		       bob_format_count(a, untraced), bob_plural(untraced));
	return untraced;
}

/* Prints what is missing of the run. Returns the number of findings; `all` includes those that
 * follow from the program's code or the user's choices. */
static uint64_t print_missing(const struct cli_session *s, int quiet, int all)
{
	const struct bob_trace *t = s->trace;
	uint64_t missing = cli_missing_print(t, "missing ", stdout), chosen = 0;

	if (all)
		missing += print_untraced(s);
	for (uint32_t p = 0; p < bob_trace_process_count(t) && (all || !quiet); p++)
		chosen += (uint64_t)cli_loss_print(t, p, "remark  ", stdout);
	if (all || !quiet)
		chosen += cli_left_out_print(s, "remark  ", stdout) != 0;
	return missing + (all ? chosen : 0);
}

static void print_size(const struct cli_session *s)
{
	struct bob_trace_sizes sizes;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];

	bob_trace_sizes(s->trace, &sizes);
	printf("%s: ", s->dir);
	if (sizes.events || !(sizes.accesses || sizes.mpi_calls))
		printf("%s calls%s", bob_format_count(a, sizes.events),
		       sizes.mpi_calls ? ", " : "");
	else if (sizes.accesses)
		printf("%s accesses%s", bob_format_count(a, sizes.accesses),
		       sizes.mpi_calls ? ", " : "");
	if (sizes.mpi_calls)
		printf("%s %s", bob_format_count(a, sizes.mpi_calls),
		       cli_event_words(s->trace, sizes.mpi_calls));
	printf(" of %s thread%s in %s read: ",
	       bob_format_count(b, bob_trace_thread_count(s->trace)),
	       bob_plural(bob_trace_thread_count(s->trace)), bob_format_bytes(c, sizes.file_bytes));
}

static int verify(const struct cli_session *s, int quiet, int all)
{
	bob_status st = bob_trace_verify(s->trace);
	int damaged = print_problems(s->trace, 1) != 0;
	uint64_t missing;

	if (st < 0 && !damaged) {
		cli_fail_status("check", "verification failed", st, NULL);
		damaged = 1;
	}
	if (!quiet) {
		print_ends(s->trace);
		print_problems(s->trace, 0);
	}
	missing = print_missing(s, quiet, all) + (bob_trace_limited(s->trace) != 0);
	if (!quiet || damaged || missing) {
		print_size(s);
		puts(damaged ? "damaged, not everything that was recorded can be read" :
		     bob_trace_limited(s->trace) ? "intact, as far as it was read" :
		     missing			 ? "intact, but not complete" :
						   "intact and complete");
	}
	return damaged ? CHECK_DAMAGED : missing ? CHECK_INCOMPLETE : 0;
}

int verb_check(int argc, char **argv)
{
	struct check c = { .s = { .verb = "check" } };
	int status = cli_options_read("check", argc, argv, &c);

	if (status != CLI_GO_ON)
		return status;
	status = cli_session_open(&c.s, argc, argv);
	if (status)
		return status;
	status = verify(&c.s, c.quiet, c.all);
	cli_session_close(&c.s);
	return status;
}
