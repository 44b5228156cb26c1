/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin show: prints the calls of each thread as a tree, with repetitions folded; or its memory
 * accesses or MPI calls, as loops. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/between.h"
#include "cli/call_rows.h"
#include "cli/terminal/complain.h"
#include "cli/memory/expanded.h"
#include "cli/merge/folding.h"
#include "cli/left_out.h"
#include "cli/moments.h"
#include "cli/mpi/mpi_show.h"
#include "cli/memory/show_structure.h"
#include "table/numbers.h"
#include "cli/code_place.h"
#include "cli/call_paths.h"
#include "cli/stack_at.h"
#include "cli/verbs.h"
#include "cli/print_worlds.h"

#define LINES_DEFAULT 200u
#define DEPTH_DEFAULT 40u
#define MIN_DEFAULT 0.5		/* percent */
#define THREADS_DEFAULT 20u	/* unless threads were chosen */
#define PATTERNS_MAX 32
#define INDENT 2

struct patterns {
	const char *text[PATTERNS_MAX];
	int count;
};

struct show {
	struct cli_answer a;
	struct bob_tree_options tree;
	struct patterns functions, nots;
	const char *image;
	struct cli_time_range time;
	struct cli_between between;
	uint8_t *rules;
	uint64_t stack_at, top;
	int by_accesses, instructions;
	double min;
	int no_fold, expand, signatures, mpi;
	int between_found;
	uint64_t given;		/* options (cli_options_given) */
	uint32_t stack;		/* last one printed in this thread */
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
	CLI_OPTION_GROUP(struct show, a.s),
	{ "rank", 'r', "RANKS", "only these ranks: 3 or 0-3; as --group=rank=",
	  CLI_TAKE(struct show, a.s, cli_session_select_ranks) },
	CLI_OPTION_THREAD(struct show, a.s),
	{ "function", 'F', "PATTERN",
	  "only calls of these functions, with what they call; may be given several "
	  "times",
	  CLI_TAKE(struct show, functions, take_pattern) },
	{ "not", 'N', "PATTERN", "leave out calls of these functions and what they call",
	  CLI_TAKE(struct show, nots, take_pattern) },
	{ "image", 'i', "PATTERN", "only functions of these images (name or path)",
	  CLI_TEXT(struct show, image) },
	{ "depth", 'd', "LEVELS",
	  "levels of calls shown, 0 for 4096 (default: 40 in the tree, else 0)",
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
	{ "lines", 0, "N", "as --limit", CLI_COUNT(struct show, a.view.limit) },
	{ "no-fold", 0, NULL, "one line per call", CLI_FLAG(struct show, no_fold) },
	{ "expand", 'x', NULL,
	  "memory: the accesses, under the iterations of their loops; MPI: the calls, "
	  "one by one; patterns and a range of them choose",
	  CLI_FLAG(struct show, expand) },
	{ "top", 0, "N",
	  "memory: only the N functions and loops with the most accesses of their own",
	  CLI_COUNT(struct show, top) },
	{ "min", 'm', "PERCENT",
	  "memory: functions, loops and lines with a smaller share of the thread's accesses are "
	  "in one line (default 0.5; 0: all are shown)",
	  CLI_TAKE(struct show, min, cli_take_min) },
	{ "instructions", 0, NULL,
	  "memory: a line for each instruction, not for each line of the source and variable",
	  CLI_FLAG(struct show, instructions) },
	{ "hot", 0, NULL, "memory: the most accesses first, not the order of the program",
	  CLI_FLAG(struct show, by_accesses) },
	{ "signatures", 0, NULL, "memory: the call paths as a tree, with numbers of accesses",
	  CLI_FLAG(struct show, signatures) },
	{ "mpi", 0, NULL, "the calls of MPI, where others are recorded, too",
	  CLI_FLAG(struct show, mpi) },
	{ "between", 0, "FROM..TO",
	  "of calls, of memory accesses, or of MPI calls one by one: " CLI_BETWEEN_HELP,
	  CLI_TAKE(struct show, between, cli_between_parse) },
	{ "max-events", 0, "N", "calls: " CLI_MAX_EVENTS_HELP,
	  CLI_COUNT(struct show, a.s.max_events) },
	{ "format", 'f', "FORMAT",
	  "text (default): a tree; or, for calls, csv or json for other programs: one row per "
	  "line of the tree",
	  CLI_WORD(struct show, a.view.format, CLI_FORMATS) },
	CLI_OPTION_SORT(struct show, a),
	{ "limit", 'n', "N",
	  "lines, or rows of a table, of each thread, 0 for all (default: 200 in text, else all)",
	  CLI_COUNT(struct show, a.view.limit) },
	CLI_OPTION_COLUMNS(struct show, a),
	CLI_OPTIONS_OUTPUT(struct show, a),
	CLI_OPTION_NO_DEMANGLE(struct show, a.s),
	{ 0 },
};

/* Options that select a part of the output. */
#define CHOOSING "function|not|image|depth|events|time|stack-at|no-fold|between"

static int was_given(const struct show *w, const char *option)
{
	return cli_options_given("show", w->given, option) != NULL;
}

/* A table is asked for, not a tree. */
static int is_table(const struct show *w)
{
	return w->a.view.format != BOB_TABLE_TEXT || w->a.view.sort || w->a.view.columns;
}

static uint8_t rule_of(struct show *w, uint32_t number, const uint8_t *image_fits)
{
	struct bob_function_info fn;
	uint32_t image;
	uint8_t rule = 0;

	for (int i = 0; i < w->functions.count && !rule; i++)
		if (cli_names_match(w->a.s.names, number, w->functions.text[i]))
			rule = BOB_TREE_ONLY;
	for (int i = 0; i < w->nots.count; i++)
		if (cli_names_match(w->a.s.names, number, w->nots.text[i]))
			rule |= BOB_TREE_HIDE;
	bob_functions_get(w->a.s.functions, number, &fn, &image);
	if (w->image && (image == ~0u || !image_fits[image]))
		rule |= BOB_TREE_PASS;
	return rule;
}

static uint8_t rule_of_symbol(void *show, const char *symbol)
{
	struct show *w = show;
	uint8_t rule = 0;

	for (int i = 0; i < w->functions.count; i++)
		if (cli_names_symbol_match(w->a.s.names, symbol, w->functions.text[i]))
			rule |= BOB_TREE_ONLY;
	for (int i = 0; i < w->nots.count; i++)
		if (cli_names_symbol_match(w->a.s.names, symbol, w->nots.text[i]))
			rule |= BOB_TREE_HIDE;
	return rule;
}

static int make_rules(struct show *w)
{
	uint32_t n = bob_functions_count(w->a.s.functions);
	uint32_t images = bob_functions_image_count(w->a.s.functions);
	const struct cli_choice choice = { .rule_of = rule_of_symbol, .ctx = w };
	uint8_t *fits;
	int found = 0, image_found = 0;

	if (!w->functions.count && !w->nots.count && !w->image)
		return 0;
	w->rules = calloc((size_t)n + images + 1, 1);
	if (!w->rules)
		return cli_fail("show", "out of memory");
	fits = w->rules + n;
	for (uint32_t i = 0; i < images && w->image; i++) {
		fits[i] = (uint8_t)cli_names_image_match(bob_functions_image(w->a.s.functions, i),
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
	if (w->functions.count && !found && cli_session_has_folded(&w->a.s))
		found = cli_choice_has_inlined(&choice, w->a.s.trace, BOB_TREE_ONLY);
	if (w->functions.count && !found)
		return cli_fail("show", "no function fits '%s'", w->functions.text[0]);
	return 0;
}

static int print_line(void *ctx, const struct bob_tree_line *l)
{
	struct show *w = ctx;
	char a[BOB_NUMBER_MAX], notes[CLI_CALL_NOTES_MAX];
	int is_mpi = l->number != BOB_CALLER_NONE && l->number & BOB_TREE_MPI;
	int available = w->a.view.width - 14 - INDENT * (int)l->depth - 16;

	if (l->stack != w->stack) {
		fprintf(w->a.text, "%12s  stack %" PRIu32 " of the thread\n", "", l->stack);
		w->stack = l->stack;
	}
	fprintf(w->a.text, "%12s  %*s", is_mpi ? "" : bob_format_count(a, l->index),
		INDENT * (int)l->depth, "");
	if (l->number == BOB_CALLER_NONE) {
		fputs("repeated", w->a.text);
	} else if (is_mpi) {
		cli_place_print_mpi(BOB_VALUE_WHOLE, l->number & ~BOB_TREE_MPI, w->a.text);
	} else {
		const char *name = cli_names_get(w->a.s.names, l->number);

		if (w->a.view.width && available > 20 && (int)strlen(name) > available)
			fprintf(w->a.text, "%.*s..", available - 2, name);
		else
			fputs(name, w->a.text);
	}
	if (l->repeat > 1)
		fprintf(w->a.text, "  x %s", bob_format_count(a, l->repeat));
	if (l->flags)
		fprintf(w->a.text, "  (%s)", cli_call_notes(l->flags, notes));
	fputc('\n', w->a.text);
	return ferror(w->a.out);
}

static int is_folded(const struct show *w, uint32_t thread)
{
	uint32_t participant;

	return bob_trace_folded(w->a.s.trace, thread, &participant) != NULL;
}

static void print_thread_title(struct show *w, uint32_t thread)
{
	const struct bob_thread_info *th = bob_trace_thread(w->a.s.trace, thread);
	const struct bob_process_info *p = bob_trace_process(w->a.s.trace, th->process);
	char a[BOB_NUMBER_MAX];

	fprintf(w->a.text, "thread %" PRIu32 ".%" PRIu32 "  %s  pid %" PRIu32 "  tid %" PRIu32,
		th->process, th->number, th->name, p->pid, th->tid);
	if (p->rank >= 0)
		fprintf(w->a.text, "  rank %" PRId32, p->rank);
	if (is_folded(w, thread)) {
		uint64_t n = bob_trace_accesses(w->a.s.trace, thread);

		fprintf(w->a.text, "  %s access%s\n", bob_format_count(a, n), n == 1 ? "" : "es");
		return;
	}
	fprintf(w->a.text, "  %s call%s\n", bob_format_count(a, th->events),
		bob_plural(th->events));
}

static void print_cuts(struct show *w, uint32_t thread, const struct bob_tree_result *r)
{
	const struct bob_thread_info *th = bob_trace_thread(w->a.s.trace, thread);
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	if (r->cut)
		fprintf(w->a.text,
			"%12s  ... cut after %s lines; the thread has %s calls "
			"(--lines=0 shows all, --events=A..B a part)\n",
			"", bob_format_count(a, r->lines), bob_format_count(b, th->events));
	if (r->too_deep)
		fprintf(w->a.text,
			"%12s  %s call%s deeper than %" PRIu32 " level%s %s not shown "
			"(--depth)\n",
			"", bob_format_count(a, r->too_deep), bob_plural(r->too_deep),
			w->tree.max_depth, bob_plural(w->tree.max_depth),
			r->too_deep == 1 ? "is" : "are");
	if (!r->lines)
		fprintf(w->a.text, "%12s  nothing to show\n", "");
}

static bob_status show_accesses(struct show *w, uint32_t thread)
{
	const struct cli_choice choice = { .functions = w->a.s.functions,
					   .rules = w->tree.rules,
					   .only = (int)w->tree.only,
					   .rule_of = rule_of_symbol,
					   .ctx = w };
	const struct cli_expanded x = { .lines = w->tree.max_lines, .first = w->tree.first,
					.last = w->tree.last, .choice = &choice };
	const struct cli_show_structure s = { .lines = w->tree.max_lines, .top = w->top,
					      .by_accesses = w->by_accesses,
					      .instructions = w->instructions,
					      .percent = w->min, .choice = &choice };

	if (w->expand)
		return cli_expanded_print(w->a.s.trace, thread, &x, w->a.text);
	return cli_structure_print(w->a.s.trace, thread, &s, w->a.text);
}

static int show_calls(struct show *w, uint32_t thread, const struct bob_tree_options *o)
{
	struct bob_tree_result result;
	struct bob_error err = { 0 };
	bob_status st;

	fprintf(w->a.text, "%12s  function\n", "call");
	w->stack = 0;
	st = bob_tree_walk(w->a.s.trace, w->a.s.functions, thread, o, print_line, w,
			   &w->a.s.progress, &result, &err);
	cli_session_progress_end(&w->a.s);
	if (st == BOB_OK)
		print_cuts(w, thread, &result);
	return cli_session_thread_done(&w->a.s, thread, st, &err);
}

static int show_thread(struct show *w, uint32_t thread)
{
	struct bob_tree_options o = w->tree;
	struct bob_error err = { 0 };
	bob_status st;

	if (w->time.given && cli_time_range_to_positions(&w->time, w->a.s.trace, thread,
							 &o.pos_first, &o.pos_last)) {
		cli_warn("show", "a thread has no times recorded; it is left out");
		return 0;
	}
	if (!is_folded(w, thread) &&
	    !cli_between_positions(&w->between, &w->a.s, thread, &o.pos_first, &o.pos_last))
		return 0;
	w->between_found = 1;
	print_thread_title(w, thread);
	if (is_folded(w, thread)) {
		(void)cli_loss_print(w->a.s.trace, bob_trace_thread(w->a.s.trace, thread)->process,
				     "  ", w->a.text);
		st = show_accesses(w, thread);
		return cli_session_thread_done(&w->a.s, thread, st, &err);
	}
	if (!bob_trace_thread(w->a.s.trace, thread)->symbols)
		return 0;
	return is_table(w) ? cli_call_rows_print(&w->a, thread, &o) : show_calls(w, thread, &o);
}

static int show_stack(struct show *w, uint32_t thread)
{
	struct bob_error err = { 0 };
	bob_status st;

	print_thread_title(w, thread);
	st = cli_stack_print(&w->a.s, thread, w->stack_at, w->a.text, &err);
	return st == BOB_END ? 1 : cli_session_thread_done(&w->a.s, thread, st, &err);
}

static int show_all(struct show *w)
{
	uint32_t n = bob_trace_thread_count(w->a.s.trace), shown = 0, more = 0;
	int status = 0;

	for (uint32_t i = cli_session_thread(&w->a.s, 0); i < n && !status && !ferror(w->a.out);
	     i = cli_session_thread(&w->a.s, i + 1)) {
		if (shown == THREADS_DEFAULT && !w->a.s.select.count && !is_table(w)) {
			more++;
			continue;
		}
		if (shown++)
			fputc('\n', w->a.text);
		status = was_given(w, "stack-at") ? show_stack(w, i) : show_thread(w, i);
		if (was_given(w, "stack-at") && !w->a.s.select.count)
			break;	/* without a choice: of the first thread */
	}
	if (more)
		fprintf(w->a.text, "\n... %" PRIu32 " more threads (choose with --group)\n", more);
	if (!status && w->between.given && !w->between_found)
		status = 1;
	return status ? status : w->a.s.damaged != 0;
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

	cli_worlds_print(w->a.s.trace, "", w->a.text);
	(void)cli_left_out_print(&w->a.s, "", w->a.text);
	if (w->expand)
		return cli_mpi_show_calls(&w->a.s, &o, w->a.text);
	return cli_mpi_show_folded(&w->a.s, &o, w->a.text);
}

static int show(struct show *w)
{
	if (w->mpi || w->signatures || w->expand || cli_session_has_folded(&w->a.s))
		cli_session_no_limit(&w->a.s, "what is shown here; --lines limits it");
	if (w->mpi)
		return show_mpi(w);
	if (w->signatures)
		return cli_signatures_print(&w->a.s, w->tree.max_lines, w->a.text);
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
	*options = "function|not|image|between";
	if (cli_session_has_folded(&w->a.s))
		return "folded memory accesses (--expand shows them one by one)";
	*options = CHOOSING;
	return "calls";
}

/* An option that would have no effect is a usage error. */
static int refuse_others(const struct show *w)
{
	const char *options, *what = choice(w, &options);

	if (is_table(w) && cli_word_index(options, "depth") < 0)
		return cli_misuse("show",
				  "--format, --sort and --columns are for calls; bobbin report "
				  "has memory accesses, bobbin export MPI calls");
	if (is_table(w) && was_given(w, "stack-at"))
		return cli_misuse("show", "--stack-at prints a text, not a table");

	for (int i = 0; show_options[i].name; i++)
		if (w->given >> i & 1 && cli_word_index(CHOOSING, show_options[i].name) >= 0 &&
		    cli_word_index(options, show_options[i].name) < 0)
			return cli_misuse("show", "--%s does not choose among %s",
					  show_options[i].name, what);
	return 0;
}

/* Defaults that depend on what is printed. */
static void settle(struct show *w)
{
	const uint64_t limit = w->a.view.limit;

	w->tree.fold = !w->no_fold;
	w->tree.max_lines = limit == BOB_TABLE_LIMIT_DEFAULT ? LINES_DEFAULT : limit;
	if (!was_given(w, "depth"))
		w->tree.max_depth = is_table(w) ? 0 : DEPTH_DEFAULT;
}

/* What is there to show of the trace, and do the options fit it? */
static int prepare(struct show *w)
{
	int status = 0;

	w->mpi |= cli_session_has_folded(&w->a.s) ?
			  cli_session_events_alone(&w->a.s) && !w->signatures :
			  cli_session_is_mpi(&w->a.s);
	if (w->mpi)
		status = cli_session_need_mpi(&w->a.s);
	else if (cli_session_has_folded(&w->a.s))
		status = cli_between_apply(&w->between, &w->a.s, 0);
	else if (w->expand || w->signatures)
		status = cli_fail("show",
				  "no memory accesses are folded in this trace; they are with "
				  "bobbin record --mem, or bobbin fold");
	else
		status = cli_session_need_calls(&w->a.s);
	if (!status)
		status = refuse_others(w);
	if (!status && is_table(w))
		status = cli_answer_check(&w->a, cli_call_rows_table());
	if (!status && !w->mpi)
		status = make_rules(w);
	return status;
}

int verb_show(int argc, char **argv)
{
	struct show w = { .a = CLI_ANSWER("show", LINES_DEFAULT), .min = MIN_DEFAULT,
			  .tree = { .last = UINT64_MAX, .pos_last = UINT64_MAX } };
	int status = cli_options_read_given("show", argc, argv, &w, &w.given);

	if (status != CLI_GO_ON)
		return status;
	settle(&w);
	status = cli_session_open(&w.a.s, argc, argv);
	if (status)
		return status;
	status = prepare(&w);
	if (!status)
		status = cli_answer_begin(&w.a);
	if (!status)
		status =
			cli_answer_end(&w.a, cli_answer_is_help(&w.a) ?
						     cli_answer_table(&w.a, cli_call_rows_table()) :
						     show(&w));
	free(w.rules);
	cli_session_close(&w.a.s);
	return status;
}
