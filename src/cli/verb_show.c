/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin show: prints the calls of each thread as a tree, with repetitions folded; or its memory
 * accesses or MPI calls, as loops. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/between.h"
#include "cli/terminal/complain.h"
#include "cli/memory/expanded.h"
#include "cli/merge/folding.h"
#include "cli/left_out.h"
#include "cli/moments.h"
#include "cli/mpi/mpi_show.h"
#include "cli/memory/nests.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/pager.h"
#include "cli/place.h"
#include "cli/session.h"
#include "cli/signatures.h"
#include "cli/stack_at.h"
#include "cli/terminal/width.h"
#include "cli/verbs.h"
#include "cli/worlds.h"

#define LINES_DEFAULT 200u
#define DEPTH_DEFAULT 40u
#define THREADS_DEFAULT 20u	/* unless threads were chosen */
#define PATTERNS_MAX 32
#define INDENT 2

struct patterns {
	const char *text[PATTERNS_MAX];
	int count;
};

struct show {
	struct cli_session s;
	struct bob_tree_options tree;
	struct patterns functions, nots;
	const char *image, *output;
	struct cli_time_range time;
	struct cli_between between;
	uint8_t *rules;
	uint64_t stack_at;
	int no_fold, no_pager, width, expand, signatures, mpi;
	int between_found;
	uint64_t given;		/* options (cli_options_given) */
	uint32_t stack;		/* the last one printed in this thread */
	FILE *out;
};

static int take_pattern(const char *verb, void *patterns, const char *arg)
{
	struct patterns *p = patterns;

	if (p->count == PATTERNS_MAX)
		return cli_misuse(verb, "at most %d patterns", PATTERNS_MAX);
	p->text[p->count++] = arg;
	return 0;
}

static int take_depth(const char *verb, void *depth, const char *arg)
{
	uint64_t n;

	if (cli_parse_count(arg, &n) || n > BOB_TREE_DEPTH_MAX)
		return cli_misuse(verb, "--depth is a number up to %u, not '%s'",
				  BOB_TREE_DEPTH_MAX, arg);
	*(uint32_t *)depth = (uint32_t)n;
	return 0;
}

static int take_events(const char *verb, void *options, const char *arg)
{
	struct bob_tree_options *tree = options;

	if (!cli_parse_range(arg, &tree->first, &tree->last))
		return 0;
	return cli_misuse(verb, "--events is a range such as 100..200, not '%s'", arg);
}

static int take_time(const char *verb, void *range, const char *arg)
{
	if (!cli_time_range_parse(range, arg))
		return 0;
	return cli_misuse(verb, "--time is a range such as 1.5s..2s, not '%s'", arg);
}

const struct cli_option show_options[] = {
	CLI_OPTION_GROUP(struct show, s),
	{ "rank", 'r', "RANKS", "only these ranks: 3 or 0-3; as --group=rank=",
	  CLI_TAKE(struct show, s, cli_session_select_ranks) },
	CLI_OPTION_THREAD(struct show, s),
	{ "function", 'F', "PATTERN",
	  "only calls of these functions, with what they call; may be given several "
	  "times",
	  CLI_TAKE(struct show, functions, take_pattern) },
	{ "not", 'N', "PATTERN", "leave out calls of these functions and what they call",
	  CLI_TAKE(struct show, nots, take_pattern) },
	{ "image", 'i', "PATTERN", "only functions of these images (name or path)",
	  CLI_TEXT(struct show, image) },
	{ "depth", 'd', "LEVELS", "levels of calls shown (default 40, 0 for 4096)",
	  CLI_TAKE(struct show, tree.max_depth, take_depth) },
	{ "events", 'e', "A..B",
	  "only these calls, numbered from 0 in each thread; A.. and ..B are allowed",
	  CLI_TAKE(struct show, tree, take_events) },
	{ "time", 't', "A..B",
	  "only calls between these times since the start of the run, such as 1.5s..2s "
	  "or 20ms..; interpolated between the times recorded",
	  CLI_TAKE(struct show, time, take_time) },
	{ "stack-at", 0, "EVENT", "print the stack at this call of the chosen thread",
	  CLI_COUNT(struct show, stack_at) },
	{ "lines", 'n', "N", "stop after so many lines per thread (default 200, 0 for all)",
	  CLI_COUNT(struct show, tree.max_lines) },
	{ "no-fold", 0, NULL, "one line per call", CLI_FLAG(struct show, no_fold) },
	{ "expand", 'x', NULL,
	  "memory: the accesses, under the iterations of their loops; MPI: the calls, "
	  "one by one; patterns and a range of them choose",
	  CLI_FLAG(struct show, expand) },
	{ "signatures", 0, NULL, "memory: the call paths as a tree, with numbers of accesses",
	  CLI_FLAG(struct show, signatures) },
	{ "mpi", 0, NULL, "the calls of MPI, where others are recorded, too",
	  CLI_FLAG(struct show, mpi) },
	{ "between", 0, "FROM..TO",
	  "of calls, of memory accesses, or of MPI calls one by one: " CLI_BETWEEN_HELP,
	  CLI_TAKE(struct show, between, cli_between_parse) },
	{ "max-events", 0, "N", "calls: " CLI_MAX_EVENTS_HELP,
	  CLI_COUNT(struct show, s.max_events) },
	CLI_OPTION_OUTPUT(struct show, output),
	CLI_OPTION_NO_DEMANGLE(struct show, s),
	CLI_OPTION_NO_PAGER(struct show, no_pager),
	{ 0 },
};

/* Options that select a part of the output. */
#define CHOOSING "function|not|image|depth|events|time|stack-at|no-fold|between"

static int was_given(const struct show *w, const char *option)
{
	return cli_options_given("show", w->given, option) != NULL;
}

static uint8_t rule_of(struct show *w, uint32_t number, const uint8_t *image_fits)
{
	struct bob_function_info fn;
	uint32_t image;
	uint8_t rule = 0;

	for (int i = 0; i < w->functions.count && !rule; i++)
		if (cli_names_match(w->s.names, number, w->functions.text[i]))
			rule = BOB_TREE_ONLY;
	for (int i = 0; i < w->nots.count; i++)
		if (cli_names_match(w->s.names, number, w->nots.text[i]))
			rule |= BOB_TREE_HIDE;
	bob_functions_get(w->s.functions, number, &fn, &image);
	if (w->image && (image == ~0u || !image_fits[image]))
		rule |= BOB_TREE_PASS;
	return rule;
}

static int make_rules(struct show *w)
{
	uint32_t n = bob_functions_count(w->s.functions);
	uint32_t images = bob_functions_image_count(w->s.functions);
	uint8_t *fits;
	int found = 0, image_found = 0;

	if (!w->functions.count && !w->nots.count && !w->image)
		return 0;
	w->rules = calloc((size_t)n + images + 1, 1);
	if (!w->rules)
		return cli_fail("show", "out of memory");
	fits = w->rules + n;
	for (uint32_t i = 0; i < images && w->image; i++) {
		fits[i] = (uint8_t)cli_names_image_match(bob_functions_image(w->s.functions, i),
							 w->image);
		image_found |= fits[i];
	}
	if (w->image && !image_found)
		return cli_fail("show", "no image fits '%s'", w->image);
	for (uint32_t i = 0; i < n; i++) {
		w->rules[i] = rule_of(w, i, fits);
		found |= w->rules[i] & BOB_TREE_ONLY;
	}
	w->tree.rules = w->rules;
	w->tree.only = w->functions.count != 0;
	if (w->functions.count && !found)
		return cli_fail("show", "no function fits '%s'", w->functions.text[0]);
	return 0;
}

static void print_flags(uint32_t flags, FILE *out)
{
	static const char *const texts[] = { "still open", "entered before", "signal handler",
					     "caller not known", "recording was off before",
					     "calls lost before" };
	int n = 0;

	for (int i = 0; i < 6; i++)
		if (flags & 1u << i)
			fprintf(out, "%s%s", n++ ? ", " : "  (", texts[i]);
	if (n)
		fputc(')', out);
}

static int print_line(void *ctx, const struct bob_tree_line *l)
{
	struct show *w = ctx;
	char a[BOB_NUMBER_MAX];
	int is_mpi = l->number != BOB_CALLER_NONE && l->number & BOB_TREE_MPI;
	int available = w->width - 14 - INDENT * (int)l->depth - 16;

	if (l->stack != w->stack) {
		fprintf(w->out, "%12s  stack %" PRIu32 " of the thread\n", "", l->stack);
		w->stack = l->stack;
	}
	fprintf(w->out, "%12s  %*s", is_mpi ? "" : bob_format_count(a, l->index),
		INDENT * (int)l->depth, "");
	if (l->number == BOB_CALLER_NONE) {
		fputs("repeated", w->out);
	} else if (is_mpi) {
		cli_place_print_mpi(BOB_VALUE_WHOLE, l->number & ~BOB_TREE_MPI, w->out);
	} else {
		const char *name = cli_names_get(w->s.names, l->number);

		if (w->width && available > 20 && (int)strlen(name) > available)
			fprintf(w->out, "%.*s..", available - 2, name);
		else
			fputs(name, w->out);
	}
	if (l->repeat > 1)
		fprintf(w->out, "  x %s", bob_format_count(a, l->repeat));
	print_flags(l->flags, w->out);
	fputc('\n', w->out);
	return ferror(w->out);
}

static int is_folded(const struct show *w, uint32_t thread)
{
	uint32_t participant;

	return bob_trace_folded(w->s.trace, thread, &participant) != NULL;
}

static void print_thread_title(struct show *w, uint32_t thread)
{
	const struct bob_thread_info *th = bob_trace_thread(w->s.trace, thread);
	const struct bob_process_info *p = bob_trace_process(w->s.trace, th->process);
	char a[BOB_NUMBER_MAX];

	fprintf(w->out, "thread %" PRIu32 ".%" PRIu32 "  %s  pid %" PRIu32 "  tid %" PRIu32,
		th->process, th->number, th->name, p->pid, th->tid);
	if (p->rank >= 0)
		fprintf(w->out, "  rank %" PRId32, p->rank);
	if (is_folded(w, thread)) {
		uint64_t n = bob_trace_accesses(w->s.trace, thread);

		fprintf(w->out, "  %s access%s\n", bob_format_count(a, n), n == 1 ? "" : "es");
		return;
	}
	fprintf(w->out, "  %s call%s\n", bob_format_count(a, th->events), bob_plural(th->events));
}

static void print_cuts(struct show *w, uint32_t thread, const struct bob_tree_result *r)
{
	const struct bob_thread_info *th = bob_trace_thread(w->s.trace, thread);
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	if (r->cut)
		fprintf(w->out,
			"%12s  ... cut after %s lines; the thread has %s calls "
			"(--lines=0 shows all, --events=A..B a part)\n",
			"", bob_format_count(a, r->lines), bob_format_count(b, th->events));
	if (r->too_deep)
		fprintf(w->out,
			"%12s  %s call%s deeper than %" PRIu32 " level%s %s not shown "
			"(--depth)\n",
			"", bob_format_count(a, r->too_deep), bob_plural(r->too_deep),
			w->tree.max_depth, bob_plural(w->tree.max_depth),
			r->too_deep == 1 ? "is" : "are");
	if (!r->lines)
		fprintf(w->out, "%12s  nothing to show\n", "");
}

static bob_status show_accesses(struct show *w, uint32_t thread)
{
	const struct cli_expanded x = { .lines = w->tree.max_lines, .first = w->tree.first,
					.last = w->tree.last,	    .functions = w->s.functions,
					.rules = w->tree.rules,	    .only = (int)w->tree.only };

	if (w->expand)
		return cli_expanded_print(w->s.trace, thread, &x, w->out);
	return cli_nests_print(w->s.trace, thread, w->tree.max_lines, w->out);
}

static int show_thread(struct show *w, uint32_t thread)
{
	struct bob_tree_options o = w->tree;
	struct bob_tree_result result;
	struct bob_error err = { 0 };
	bob_status st;

	if (w->time.given &&
	    cli_time_range_to_positions(&w->time, w->s.trace, thread, &o.pos_first, &o.pos_last)) {
		cli_warn("show", "a thread has no times recorded; it is left out");
		return 0;
	}
	if (!is_folded(w, thread) &&
	    !cli_between_positions(&w->between, &w->s, thread, &o.pos_first, &o.pos_last))
		return 0;
	w->between_found = 1;
	print_thread_title(w, thread);
	if (is_folded(w, thread)) {
		(void)cli_loss_print(w->s.trace, bob_trace_thread(w->s.trace, thread)->process,
				     "  ", w->out);
		st = show_accesses(w, thread);
		return cli_session_thread_done(&w->s, thread, st, &err);
	}
	if (!bob_trace_thread(w->s.trace, thread)->symbols)
		return 0;
	fprintf(w->out, "%12s  function\n", "call");
	w->stack = 0;
	st = bob_tree_walk(w->s.trace, w->s.functions, thread, &o, print_line, w, &w->s.progress,
			   &result, &err);
	cli_session_progress_end(&w->s);
	if (st == BOB_OK)
		print_cuts(w, thread, &result);
	return cli_session_thread_done(&w->s, thread, st, &err);
}

static int show_stack(struct show *w, uint32_t thread)
{
	struct bob_error err = { 0 };
	bob_status st;

	print_thread_title(w, thread);
	st = cli_stack_print(&w->s, thread, w->stack_at, w->out, &err);
	return st == BOB_END ? 1 : cli_session_thread_done(&w->s, thread, st, &err);
}

static int show_all(struct show *w)
{
	uint32_t n = bob_trace_thread_count(w->s.trace), shown = 0, more = 0;
	int status = 0;

	for (uint32_t i = cli_session_thread(&w->s, 0); i < n && !status && !ferror(w->out);
	     i = cli_session_thread(&w->s, i + 1)) {
		if (shown == THREADS_DEFAULT && !w->s.select.count) {
			more++;
			continue;
		}
		if (shown++)
			fputc('\n', w->out);
		status = was_given(w, "stack-at") ? show_stack(w, i) : show_thread(w, i);
		if (was_given(w, "stack-at") && !w->s.select.count)
			break;	/* without a choice, the first thread only */
	}
	if (more)
		fprintf(w->out, "\n... %" PRIu32 " more threads (choose with --group)\n", more);
	if (!status && w->between.given && !w->between_found)
		status = 1;
	return status ? status : w->s.damaged != 0;
}

static int show_mpi(struct show *w)
{
	const struct cli_mpi_show o = { .lines = w->tree.max_lines, .first = w->tree.first,
					.last = w->tree.last,
					.only = w->functions.text,
					.only_count = w->functions.count,
					.not = w->nots.text,
					.not_count = w->nots.count,
					.between = &w->between };

	cli_worlds_print(w->s.trace, "", w->out);
	(void)cli_left_out_print(&w->s, "", w->out);
	if (w->expand)
		return cli_mpi_show_calls(&w->s, &o, w->out);
	return cli_mpi_show_folded(&w->s, &o, w->out);
}

static int show(struct show *w)
{
	if (w->mpi || w->signatures || w->expand || cli_session_has_folded(&w->s))
		cli_session_no_limit(&w->s, "what is shown here; --lines limits it");
	if (w->mpi)
		return show_mpi(w);
	if (w->signatures)
		return cli_signatures_print(&w->s, w->tree.max_lines, w->out);
	return show_all(w);
}

/* The kind of output, and the options that select a part of it. */
static const char *choice(const struct show *w, const char **options)
{
	*options = "function|not|events|between";
	if (w->mpi && w->expand)
		return "calls one by one";
	*options = "function|not";
	if (w->mpi)
		return "folded calls of MPI and events (--expand shows them one by one)";
	*options = "between";
	if (w->signatures)
		return "call paths of memory accesses";
	*options = "function|not|image|events|between";
	if (w->expand)
		return "memory accesses one by one";
	*options = "between";
	if (cli_session_has_folded(&w->s))
		return "folded memory accesses (--expand shows them one by one)";
	*options = CHOOSING;
	return "calls";
}

/* An option that would have no effect is a usage error. */
static int refuse_others(const struct show *w)
{
	const char *options, *what = choice(w, &options);

	for (int i = 0; show_options[i].name; i++)
		if (w->given >> i & 1 && cli_word_index(CHOOSING, show_options[i].name) >= 0 &&
		    cli_word_index(options, show_options[i].name) < 0)
			return cli_misuse("show", "--%s does not choose among %s",
					  show_options[i].name, what);
	return 0;
}

int verb_show(int argc, char **argv)
{
	struct show w = { .s = { .verb = "show" },
			  .tree = { .max_depth = DEPTH_DEFAULT, .last = UINT64_MAX,
				    .pos_last = UINT64_MAX, .max_lines = LINES_DEFAULT } };
	int status = cli_options_read_given("show", argc, argv, &w, &w.given);
	pid_t pager;

	if (status != CLI_GO_ON)
		return status;
	w.tree.fold = !w.no_fold;
	status = cli_session_open(&w.s, argc, argv);
	if (status)
		return status;
	w.mpi |= cli_session_has_folded(&w.s) ? cli_session_events_alone(&w.s) && !w.signatures :
						cli_session_is_mpi(&w.s);
	if (w.mpi)
		status = cli_session_need_mpi(&w.s);
	else if (cli_session_has_folded(&w.s))
		status = cli_between_apply(&w.between, &w.s, 0);
	else if (w.expand || w.signatures)
		status = cli_fail("show",
				  "no memory accesses are folded in this trace; they are with "
				  "bobbin record --mem, or bobbin fold");
	else
		status = cli_session_need_calls(&w.s);
	if (!status)
		status = refuse_others(&w);
	if (!status && !w.mpi)
		status = make_rules(&w);
	w.out = status ? NULL : cli_output_open("show", w.output);
	if (w.out) {
		w.width = w.output ? 0 : cli_terminal_width();
		pager = w.output ? 0 : cli_pager_begin(!w.no_pager);
		status = show(&w);
		if (pager)
			cli_pager_end(pager);
		else
			status |= cli_output_close("show", w.out, w.output);
	} else if (!status) {
		status = 1;
	}
	free(w.rules);
	cli_session_close(&w.s);
	return status;
}
