/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin check: read every byte, say what was salvaged and what is lost. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

#include "archive/format.h"
#include "cli/terminal/complain.h"
#include "cli/event_words.h"
#include "cli/info_tables.h"
#include "cli/merge/folding.h"
#include "cli/left_out.h"
#include "cli/terminal/numbers.h"
#include "cli/session.h"
#include "cli/untraced.h"
#include "cli/verbs.h"
#include "cli/merge/whole.h"

enum { OPT_QUIET, OPT_COMPLETE };

const struct cli_option check_options[] = {
	{ "quiet", 'q', NULL, "print only what is wrong", NULL, NULL },
	{ "complete", 0, NULL, "fail also if some code could not be traced at all", NULL, NULL },
	{ NULL, 0, NULL, NULL, NULL, NULL },
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

/* Threads and processes without a clean end, and events the recorder itself had to drop. */
static uint64_t print_ends(const struct bob_trace *t)
{
	uint32_t open_threads = 0, stopped = 0;
	uint64_t dropped = 0, beside = 0;
	char a[CLI_NUMBER_MAX], text[CLI_END_MAX];

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		const struct bob_thread_info *th = bob_trace_thread(t, i);

		open_threads += th->state == 0;
		dropped += th->lost;
		beside += th->beside;
	}
	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		const struct bob_process_info *p = bob_trace_process(t, i);

		if (p->debugged_mono_ns || (p->end_source && WIFSIGNALED((int)p->end_status)))
			printf("remark  process %" PRIu32 ": %s\n", i, cli_process_end(p, text));
		if (p->state != 3)
			continue;
		stopped++;
		printf("lost    process %" PRIu32 ": recording stopped before the program: %s\n", i,
		       p->stop_text);
	}
	if (open_threads)
		printf("remark  %s thread%s did not end cleanly (killed, or still running): "
		       "read up to the last call\n",
		       cli_count(a, open_threads), cli_plural(open_threads));
	if (beside)
		printf("remark  %s call%s of tasks that share a thread's storage (clone with CLONE_VM) "
		       "are not recorded\n",
		       cli_count(a, beside), cli_plural(beside));
	if (dropped)
		printf("lost    %s call%s could not be recorded\n", cli_count(a, dropped),
		       cli_plural(dropped));
	return dropped + stopped;
}

/* Code of the chosen images that was not traced. Returns how many functions and images. */
static uint64_t print_gaps(const struct cli_session *s)
{
	struct cli_unrecorded m;
	struct cli_untraced c;
	char a[CLI_NUMBER_MAX];
	uint64_t gaps;

	cli_unrecorded_count(s->trace, &m);
	cli_untraced_count(s, &c);
	/* what the user did not choose is not missing */
	gaps = m.functions ? m.missing :
			     c.functions - c.by_reason[0] - c.by_reason[BOB_SKIP_FILTER];
	if (gaps)
		printf("missing %s function%s could not be traced; `bobbin info` says why\n",
		       cli_count(a, gaps), cli_plural(gaps));
	for (uint32_t p = 0; p < bob_trace_process_count(s->trace); p++)
		for (uint32_t i = 0; i < bob_trace_skipped_image_count(s->trace, p); i++) {
			uint32_t why;
			const char *path = bob_trace_skipped_image(s->trace, p, i, &why);

			printf("missing %s: %s\n", path, bob_skip_text(why));
			gaps++;
		}
	return gaps;
}

static void print_good(const struct cli_session *s, int lost)
{
	struct bob_trace_sizes sizes;
	char a[CLI_NUMBER_MAX], b[CLI_NUMBER_MAX], c[CLI_NUMBER_MAX];

	bob_trace_sizes(s->trace, &sizes);
	printf("%s: ", s->dir);
	if (sizes.events || !(sizes.accesses || sizes.mpi_calls))
		printf("%s calls%s", cli_count(a, sizes.events), sizes.mpi_calls ? ", " : "");
	else if (sizes.accesses)
		printf("%s accesses%s", cli_count(a, sizes.accesses), sizes.mpi_calls ? ", " : "");
	if (sizes.mpi_calls)
		printf("%s %s", cli_count(a, sizes.mpi_calls),
		       cli_event_words(s->trace, sizes.mpi_calls));
	printf(" of %s thread%s in %s read%s\n", cli_count(b, bob_trace_thread_count(s->trace)),
	       cli_plural(bob_trace_thread_count(s->trace)), cli_bytes(c, sizes.file_bytes),
	       lost ? "; not everything that was recorded is there" : ", everything is there");
}

int verb_check(int argc, char **argv)
{
	struct cli_session s = { .verb = "check" };
	struct cli_options o;
	const char *arg;
	int quiet = 0, complete = 0, opt, status;
	uint64_t lost, gaps;
	bob_status st;

	cli_options_begin(&o, "check", argc, argv);
	while ((opt = cli_options_next(&o, &arg)) >= 0)
		if (opt == OPT_QUIET)
			quiet = 1;
		else if (opt == OPT_COMPLETE)
			complete = 1;
	if (opt != CLI_OPTIONS_END)
		return opt == CLI_OPTIONS_HELP ? 0 : 2;
	status = cli_session_open(&s, argc, argv);
	if (status)
		return status;
	st = bob_trace_verify(s.trace);
	lost = print_problems(s.trace, 1) + print_ends(s.trace);
	if (!quiet)
		print_problems(s.trace, 0);
	if (st < 0 && !lost) {
		cli_fail_status("check", "verification failed", st, NULL);
		lost = 1;
	}
	gaps = complete ? print_gaps(&s) : 0;
	for (uint32_t p = 0; p < bob_trace_process_count(s.trace) && (complete || !quiet); p++)
		gaps += (uint64_t)(cli_loss_print(s.trace, p, "remark  ", stdout) && complete);
	if (complete || !quiet)
		gaps += cli_whole_print(s.trace, "remark  ", stdout) * (uint64_t)complete;
	if ((complete || !quiet) && cli_left_out_print(&s, "remark  ", stdout))
		gaps += (uint64_t)complete;
	if (!quiet || lost)
		print_good(&s, lost != 0);
	cli_session_close(&s);
	return lost || gaps;
}
