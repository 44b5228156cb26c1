/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin check: reads every byte of a trace: is the trace intact, and is the run complete? */
#include <inttypes.h>
#include <sys/wait.h>

#include "archive/format.h"
#include "cli/answer.h"
#include "cli/complete.h"
#include "cli/event_words.h"
#include "cli/findings.h"
#include "cli/info_tables.h"
#include "cli/left_out.h"
#include "cli/merge/folding.h"
#include "cli/terminal/complain.h"
#include "cli/untraced_functions.h"
#include "cli/verbs.h"
#include "table/numbers.h"

enum { CHECK_DAMAGED = 1, CHECK_INCOMPLETE = 3 }; /* exit statuses; 2: usage */

struct check {
	struct cli_answer a;
	int quiet, all;
	bob_status verified;
	int incomplete;		/* not because of a finding: --complete, --max-events */
};

const struct cli_option check_options[] = {
	{ "quiet", 'q', NULL, "print only what is wrong", CLI_FLAG(struct check, quiet) },
	{ "complete", 0, NULL,
	  "exit status 3 also if code could not be traced or values were left out",
	  CLI_FLAG(struct check, all) },
	{ "max-events", 0, "N", CLI_MAX_EVENTS_HELP "; exit status 3 if there are more",
	  CLI_COUNT(struct check, a.s.max_events) },
	{ "format", 'f', "FORMAT",
	  "text (default), or csv or json for other programs: one line per finding",
	  CLI_WORD(struct check, a.view.format, CLI_FORMATS) },
	CLI_OPTION_SORT(struct check, a),
	{ "limit", 'n', "ROWS", "findings in a table, 0 (default) for all",
	  CLI_COUNT(struct check, a.view.limit) },
	CLI_OPTION_COLUMNS(struct check, a),
	CLI_OPTIONS_OUTPUT(struct check, a),
	{ 0 },
};

/* --- findings --- */

static void find_problems(const struct bob_trace *t, int lost, struct bob_table *findings)
{
	for (uint32_t i = 0; i < bob_trace_problem_count(t); i++) {
		const struct bob_problem *p = bob_trace_problem(t, i);
		const struct cli_finding f = { .level = lost ? CLI_FINDING_LOST :
							       CLI_FINDING_REMARK,
					       .kind = "file",
					       .file = *p->file ? p->file : NULL,
					       .offset = p->offset };

		if (!p->lost != !lost)
			continue;
		cli_finding_begin(findings, &f);
		bob_table_text(findings, p->text);
	}
}

/* How processes ended that did not exit, and threads without a clean end. */
static void find_ends(const struct bob_trace *t, struct bob_table *findings)
{
	char a[BOB_NUMBER_MAX], text[CLI_END_MAX];
	uint32_t open_threads = 0;

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++)
		open_threads += bob_trace_thread(t, i)->state == 0;
	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		const struct bob_process_info *p = bob_trace_process(t, i);
		const struct cli_finding f = { .level = CLI_FINDING_REMARK, .kind = "killed",
					       .process = &i };

		if (!p->end_source || !WIFSIGNALED((int)p->end_status))
			continue;
		cli_finding_begin(findings, &f);
		bob_table_textf(findings, "process %" PRIu32 ": %s", i, cli_process_end(p, text));
	}
	if (open_threads) {
		const struct cli_finding f = { .level = CLI_FINDING_REMARK, .kind = "no_end",
					       .count = open_threads };

		cli_finding_begin(findings, &f);
		bob_table_textf(findings,
				"%s thread%s did not end cleanly (killed, or still running): "
				"read up to the last call",
				bob_format_count(a, open_threads), bob_plural(open_threads));
	}
}

/* Code of the chosen images that was not traced. */
static void find_untraced(const struct cli_session *s, struct bob_table *findings)
{
	struct cli_finding f = { .level = CLI_FINDING_MISSING, .kind = "untraced" };
	struct cli_unrecorded m;
	struct cli_untraced c;
	char a[BOB_NUMBER_MAX];

	cli_unrecorded_count(s->trace, &m);
	cli_untraced_count(s, &c);
	/* what the user did not choose is not missing */
	f.count = m.functions ? m.missing :
				c.functions - c.by_reason[0] - c.by_reason[BOB_SKIP_FILTER];
	if (!f.count)
		return;
	cli_finding_begin(findings, &f);
	bob_table_textf(findings, "%s function%s could not be traced; `bobbin info` says why",
			bob_format_count(a, f.count), bob_plural(f.count));
}

/* What the user gave up by options. */
static void find_chosen(const struct cli_session *s, struct bob_table *findings)
{
	struct cli_finding f = { .level = CLI_FINDING_REMARK, .kind = "inexact" };
	struct cli_lines lines;

	for (uint32_t p = 0; p < bob_trace_process_count(s->trace); p++) {
		if (cli_lines_begin(&lines))
			(void)cli_loss_print(s->trace, p, "", lines.out);
		f.process = &p;
		cli_lines_end(&lines, findings, &f);
	}
	f.kind = "left_out";
	f.process = NULL;
	if (cli_lines_begin(&lines))
		(void)cli_left_out_print(s, "", lines.out);
	cli_lines_end(&lines, findings, &f);
}

/* In the order in which they are printed. With --complete, what could not be traced or was left out
 * makes the trace incomplete, too. */
static void find_all(struct check *c, struct bob_table *findings)
{
	const struct bob_trace *t = c->a.s.trace;
	size_t before;

	find_problems(t, 1, findings);
	if (!c->quiet) {
		find_ends(t, findings);
		find_problems(t, 0, findings);
	}
	cli_missing(t, findings);
	if (c->all)
		find_untraced(&c->a.s, findings);
	before = bob_table_rows(findings);
	if (c->all || !c->quiet)
		find_chosen(&c->a.s, findings);
	c->incomplete = bob_trace_limited(t) || (c->all && bob_table_rows(findings) > before);
}

/* --- the answer --- */

static void print_size(const struct cli_session *s, FILE *out)
{
	struct bob_trace_sizes sizes;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];

	bob_trace_sizes(s->trace, &sizes);
	fprintf(out, "%s: ", s->dir);
	if (sizes.events || !(sizes.accesses || sizes.mpi_calls))
		fprintf(out, "%s calls%s", bob_format_count(a, sizes.events),
			sizes.mpi_calls ? ", " : "");
	else if (sizes.accesses)
		fprintf(out, "%s accesses%s", bob_format_count(a, sizes.accesses),
			sizes.mpi_calls ? ", " : "");
	if (sizes.mpi_calls)
		fprintf(out, "%s %s", bob_format_count(a, sizes.mpi_calls),
			cli_event_words(s->trace, sizes.mpi_calls));
	fprintf(out, " of %s thread%s in %s read: ",
		bob_format_count(b, bob_trace_thread_count(s->trace)),
		bob_plural(bob_trace_thread_count(s->trace)),
		bob_format_bytes(c, sizes.file_bytes));
}

/* Messages, or a table if it was asked for. */
static int print(struct check *c, struct bob_table *findings, int damaged, int incomplete)
{
	const struct bob_table_view *v = &c->a.view;
	int status = 0;

	if (v->format != BOB_TABLE_TEXT || v->sort || v->columns ||
	    v->limit != BOB_TABLE_LIMIT_DEFAULT) {
		status = cli_answer_table(&c->a, findings);
	} else {
		cli_findings_print(findings, NULL, c->a.text);
		bob_table_destroy(findings);
	}
	if (!c->quiet || damaged || incomplete) {
		print_size(&c->a.s, c->a.text);
		fputs(damaged ? "damaged, not everything that was recorded can be read\n" :
		      bob_trace_limited(c->a.s.trace) ? "intact, as far as it was read\n" :
		      incomplete		      ? "intact, but not complete\n" :
							"intact and complete\n",
		      c->a.text);
	}
	return status;
}

static int answer(struct check *c)
{
	struct bob_table *findings = cli_findings_create();
	int damaged, incomplete, status;

	if (cli_answer_is_help(&c->a))
		return cli_answer_table(&c->a, findings);
	find_all(c, findings);
	if (bob_table_is_incomplete(findings)) {
		bob_table_destroy(findings);
		return cli_fail("check", "out of memory");
	}
	damaged = cli_findings_count(findings, CLI_FINDING_LOST) != 0;
	if (c->verified < 0 && !damaged) {
		cli_fail_status("check", "verification failed", c->verified, NULL);
		damaged = 1;
	}
	incomplete = c->incomplete || cli_findings_count(findings, CLI_FINDING_MISSING);
	status = print(c, findings, damaged, incomplete);
	return status ? status : damaged ? CHECK_DAMAGED : incomplete ? CHECK_INCOMPLETE : 0;
}

int verb_check(int argc, char **argv)
{
	struct check c = { .a = CLI_ANSWER("check", 0) };
	int status = cli_options_read("check", argc, argv, &c);

	if (status != CLI_GO_ON)
		return status;
	status = cli_session_open(&c.a.s, argc, argv);
	if (status)
		return status;
	status = cli_answer_check(&c.a, cli_findings_create());
	if (!status && !cli_answer_is_help(&c.a))
		c.verified = bob_trace_verify(c.a.s.trace); /* takes long: before the pager */
	if (!status)
		status = cli_answer_begin(&c.a);
	if (!status)
		status = cli_answer_end(&c.a, answer(&c));
	cli_session_close(&c.a.s);
	return status;
}
