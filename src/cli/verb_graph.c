/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin graph: call paths with their numbers of calls, as a tree or as a table; or arcs (caller,
 * callee), as a table or for Graphviz. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/callgraph/tables.h"
#include "cli/answer.h"
#include "cli/exporting.h"
#include "cli/terminal/complain.h"
#include "cli/verbs.h"
#include "table/numbers.h"

#define ROWS_DEFAULT 30u
#define ARCS_DEFAULT 200u	/* in DOT */
#define DEPTH_DEFAULT 12u	/* of the tree */
#define DEPTH_MAX 4096u
#define MIN_DEFAULT 0.5		/* of the tree */
#define FORMAT_DOT (BOB_TABLE_JSON + 1)

enum by { BY_PATH, BY_ARC };

struct graph {
	struct cli_answer a;
	enum by by;
	uint64_t depth;
	double min;
	int dot;
	uint64_t given;		/* options (cli_options_given) */
	struct bob_export x;
	uint64_t total, threshold;
	const struct bob_context *all;
};

static int take_depth(const char *verb, void *depth, const char *arg)
{
	uint64_t *n = depth;

	if (!cli_parse_count(arg, n) && *n <= DEPTH_MAX)
		return 0;
	return cli_misuse(verb, "--depth is a number up to %u, not '%s'", DEPTH_MAX, arg);
}

const struct cli_option graph_options[] = {
	{ "by", 'b', "KIND",
	  "rows: path (default), call paths, which text shows as a tree unless rows are "
	  "sorted or limited or columns chosen; or arc, pairs of caller and callee",
	  CLI_WORD(struct graph, by, "path|arc") },
	{ "depth", 'd', "LEVELS",
	  "maximum depth of calls, 0 for 4096 (default: 12 in the tree, else 0)",
	  CLI_TAKE(struct graph, depth, take_depth) },
	{ "min", 'm', "PERCENT",
	  "leave out paths whose share of all calls, including the calls below them, is "
	  "smaller (default: 0.5 in the tree, else 0)",
	  CLI_TAKE(struct graph, min, cli_take_min) },
	{ "format", 'f', "FORMAT",
	  "text (default), or csv or json for other programs: one line per row; or dot, for "
	  "Graphviz (dot -Tsvg): the arcs with most calls, 200 if no limit is given",
	  CLI_WORD(struct graph, a.view.format, CLI_FORMATS "|dot") },
	{ "dot", 0, NULL, "same as --format=dot", CLI_FLAG(struct graph, dot) },
	{ "arcs", 0, "N", "same as --limit", CLI_COUNT(struct graph, a.view.limit) },
	CLI_OPTIONS_ROWS(struct graph, a),
	CLI_OPTIONS_THREADS(struct graph, a),
	CLI_OPTIONS_OUTPUT(struct graph, a),
	CLI_OPTION_NO_DEMANGLE(struct graph, a.s),
	{ 0 },
};

static int was_given(const struct graph *g, const char *options)
{
	return cli_options_given("graph", g->given, options) != NULL;
}

/* --- the tree --- */

static uint64_t weight(const struct bob_context *c)
{
	return c->calls + c->below;
}

static void print_context(struct graph *g, const struct bob_context *c, uint32_t depth)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];
	const char *name = cli_names_get(g->a.s.names, c->number);
	int width = g->a.view.width - 26 - 2 * (int)depth;

	fprintf(g->a.text, "%14s  %6s  %*s", bob_format_count(a, c->calls),
		bob_format_share(b, weight(c), g->total), 2 * (int)depth, "");
	if (g->a.view.width && width > 20 && (int)strlen(name) > width)
		fprintf(g->a.text, "%.*s..\n", width - 2, name);
	else
		fprintf(g->a.text, "%s\n", name);
}

/* Prints a line for the children of `parent` that are left out: children are sorted by weight, so
 * they are the tail of the list. */
static void print_left_out(struct graph *g, uint32_t child, uint32_t depth)
{
	uint64_t calls = 0;
	uint32_t count = 0;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];

	for (; child != ~0u; child = g->all[child].next) {
		calls += weight(&g->all[child]);
		count++;
	}
	if (count)
		fprintf(g->a.text, "%14s  %6s  %*s... %s more path%s\n", bob_format_count(a, calls),
			bob_format_share(b, calls, g->total), 2 * (int)depth, "",
			bob_format_count(c, count), bob_plural(count));
}

/* DEPTH_MAX bounds the recursion. */
static void print_children(struct graph *g, uint32_t parent, uint32_t depth)
{
	uint32_t i = g->all[parent].first_child;

	if (depth >= g->depth) {
		print_left_out(g, i, depth);
		return;
	}
	for (; i != ~0u && weight(&g->all[i]) >= g->threshold; i = g->all[i].next) {
		print_context(g, &g->all[i], depth);
		print_children(g, i, depth + 1);
	}
	print_left_out(g, i, depth);
}

static void print_tree(struct graph *g)
{
	fprintf(g->a.text, "%14s  %6s  function (share: its calls and those below)\n", "calls",
		"share");
	print_children(g, BOB_CONTEXT_ROOT, 0);
}

/* --- paths and arcs --- */

static int is_tree(const struct graph *g)
{
	return g->by == BY_PATH && g->a.view.format == BOB_TABLE_TEXT &&
	       !was_given(g, "sort|limit|arcs|columns");
}

static int read_paths(struct graph *g, struct bob_contexts *c)
{
	struct bob_error err = { 0 };
	int status = 0;

	for (uint32_t i = 0; i < g->x.thread_count && !status; i++) {
		const bob_status st =
			bob_contexts_add(c, g->a.s.trace, g->x.threads[i], &g->a.s.progress, &err);

		status = cli_session_thread_done(&g->a.s, g->x.threads[i], st, &err);
	}
	cli_session_progress_end(&g->a.s);
	if (!status && bob_contexts_sort(c) != BOB_OK)
		status = cli_fail("graph", "out of memory");
	return status;
}

static int print_paths(struct graph *g)
{
	const struct bob_naming names = cli_session_naming(&g->a.s);
	struct bob_contexts *c;
	const bob_status st = bob_contexts_create(g->a.s.functions, 0, &c);
	uint32_t count;
	int status;

	if (st != BOB_OK)
		return cli_fail_status("graph", "cannot count", st, NULL);
	status = read_paths(g, c);
	g->all = bob_contexts_all(c, &count);
	g->total = g->all[BOB_CONTEXT_ROOT].below;
	g->threshold = (uint64_t)(g->min / 100 * (double)g->total);
	if (!status && is_tree(g))
		print_tree(g);
	else if (!status)
		status = cli_answer_table(&g->a, bob_callgraph_paths_table(c, g->a.s.functions,
									   (uint32_t)g->depth,
									   g->threshold, &names));
	bob_contexts_destroy(c);
	return status;
}

static int print_dot(struct graph *g, struct bob_callgraph *graph)
{
	const uint64_t limit = g->a.view.limit;
	uint64_t left_out = 0;
	char a[BOB_NUMBER_MAX];

	g->x.out = g->a.out;
	if (bob_export_dot(&g->x, graph, limit == BOB_TABLE_LIMIT_DEFAULT ? ARCS_DEFAULT : limit,
			   &left_out) != BOB_OK)
		return cli_fail("graph", "out of memory");
	if (left_out)
		cli_warn("graph", "%s arc%s with fewer calls left out; --limit=0 writes all",
			 bob_format_count(a, left_out), bob_plural(left_out));
	return 0;
}

static int print_arcs(struct graph *g)
{
	const struct bob_naming names = cli_session_naming(&g->a.s);
	struct bob_error err = { 0 };
	struct bob_callgraph *graph;
	bob_status st = bob_callgraph_create(g->a.s.functions, &graph);
	int status = 0;

	if (st != BOB_OK)
		return cli_fail_status("graph", "cannot count", st, NULL);
	for (uint32_t i = 0; i < g->x.thread_count && !status; i++) {
		st = bob_callgraph_add(graph, g->a.s.trace, g->x.threads[i], &g->a.s.progress,
				       &err);
		status = cli_session_thread_done(&g->a.s, g->x.threads[i], st, &err);
	}
	cli_session_progress_end(&g->a.s);
	if (!status)
		status = g->a.view.format == FORMAT_DOT ?
				 print_dot(g, graph) :
				 cli_answer_table(&g->a, bob_callgraph_arcs_table(
								 graph, g->a.s.functions, &names));
	bob_callgraph_destroy(graph);
	return status;
}

/* Sets defaults that depend on the output, and refuses options that do not fit it. */
static int settle(struct graph *g)
{
	if (g->dot)
		g->a.view.format = FORMAT_DOT;
	if (g->a.view.format == FORMAT_DOT && was_given(g, "sort|columns"))
		return cli_misuse("graph", "--sort and --columns are for tables, not for dot");
	if (g->a.view.format == FORMAT_DOT)
		g->by = BY_ARC;
	if (g->by == BY_ARC && was_given(g, "depth|min"))
		return cli_misuse("graph", "--depth and --min are for call paths, not for arcs");
	if (!was_given(g, "depth"))
		g->depth = is_tree(g) ? DEPTH_DEFAULT : 0;
	g->depth = g->depth ? g->depth : DEPTH_MAX;
	if (!was_given(g, "min"))
		g->min = is_tree(g) ? MIN_DEFAULT : 0;
	return 0;
}

int verb_graph(int argc, char **argv)
{
	struct graph g = { .a = CLI_ANSWER("graph", ROWS_DEFAULT) };
	int status = cli_options_read_given("graph", argc, argv, &g, &g.given);

	if (status != CLI_GO_ON)
		return status;
	status = settle(&g);
	if (status)
		return status;
	status = cli_session_open(&g.a.s, argc, argv);
	if (status)
		return status;
	status = cli_session_need_calls(&g.a.s);
	if (!status)
		status = cli_export_begin(&g.x, &g.a.s);
	if (!status)
		status = cli_answer_begin(&g.a);
	if (!status) {
		status = g.by == BY_ARC ? print_arcs(&g) : print_paths(&g);
		status = cli_answer_end(&g.a, status ? status : g.a.s.damaged != 0);
	}
	cli_export_end(&g.x);
	cli_session_close(&g.a.s);
	return status;
}
