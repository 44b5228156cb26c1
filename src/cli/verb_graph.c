/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin graph: every call path once, with its calls; or the arcs for Graphviz. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "cli/exporting.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/pager.h"
#include "cli/session.h"
#include "cli/terminal/width.h"
#include "cli/verbs.h"

#define ARCS_DEFAULT 200u
#define DEPTH_DEFAULT 12u
#define DEPTH_MAX 4096u

struct graph {
	struct cli_session s;
	const char *output;
	uint64_t arcs, depth;
	double min;
	int dot, no_pager, width;
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

static int take_min(const char *verb, void *percent, const char *arg)
{
	double *min = percent;
	char *end;

	*min = strtod(arg, &end);
	if (end == arg || (*end && strcmp(end, "%")) || !(*min >= 0 && *min <= 100))
		return cli_misuse(verb, "--min is a percentage, not '%s'", arg);
	return 0;
}

const struct cli_option graph_options[] = {
	{ "dot", 0, NULL, "write the call graph for Graphviz (dot -Tsvg)",
	  CLI_FLAG(struct graph, dot) },
	{ "arcs", 'n', "N", "with --dot: the N arcs with most calls (default 200, 0 for all)",
	  CLI_COUNT(struct graph, arcs) },
	{ "depth", 'd', "LEVELS", "levels of calls shown (default 12, 0 for 4096)",
	  CLI_TAKE(struct graph, depth, take_depth) },
	{ "min", 'm', "PERCENT",
	  "leave out paths with a smaller share of all calls, together with the calls "
	  "below them (default 0.5)",
	  CLI_TAKE(struct graph, min, take_min) },
	CLI_OPTION_GROUP(struct graph, s),
	CLI_OPTION_MAX_EVENTS(struct graph, s),
	CLI_OPTION_OUTPUT(struct graph, output),
	CLI_OPTION_NO_DEMANGLE(struct graph, s),
	CLI_OPTION_NO_PAGER(struct graph, no_pager),
	{ 0 },
};

static uint64_t weight(const struct bob_context *c)
{
	return c->calls + c->below;
}

static void print_context(struct graph *g, const struct bob_context *c, uint32_t depth)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];
	const char *name = cli_names_get(g->s.names, c->number);
	int room = g->width - 26 - 2 * (int)depth;

	fprintf(g->x.out, "%14s  %6s  %*s", bob_format_count(a, c->calls),
		bob_format_share(b, weight(c), g->total), 2 * (int)depth, "");
	if (g->width && room > 20 && (int)strlen(name) > room)
		fprintf(g->x.out, "%.*s..\n", room - 2, name);
	else
		fprintf(g->x.out, "%s\n", name);
}

/* What is not printed below `parent`: children sort by weight, so it is a tail of the list. */
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
		fprintf(g->x.out, "%14s  %6s  %*s... %s more path%s\n", bob_format_count(a, calls),
			bob_format_share(b, calls, g->total), 2 * (int)depth, "",
			bob_format_count(c, count), bob_plural(count));
}

/* Recursion is bounded by DEPTH_MAX. */
static void print_children(struct graph *g, uint32_t parent, uint32_t depth)
{
	uint32_t i = g->all[parent].first_child;

	if (depth >= (g->depth ? g->depth : DEPTH_MAX)) {
		print_left_out(g, i, depth);
		return;
	}
	for (; i != ~0u && weight(&g->all[i]) >= g->threshold; i = g->all[i].next) {
		print_context(g, &g->all[i], depth);
		print_children(g, i, depth + 1);
	}
	print_left_out(g, i, depth);
}

static int print_text(struct graph *g)
{
	struct bob_error err = { 0 };
	struct bob_contexts *c;
	bob_status st = bob_contexts_create(g->s.functions, 0, &c);
	int status = 0;
	uint32_t count;

	if (st != BOB_OK)
		return cli_fail_status("graph", "cannot count", st, NULL);
	for (uint32_t i = 0; i < g->x.thread_count && !status; i++) {
		st = bob_contexts_add(c, g->s.trace, g->x.threads[i], &g->s.progress, &err);
		status = cli_session_thread_done(&g->s, g->x.threads[i], st, &err);
	}
	cli_session_progress_end(&g->s);
	if (!status && bob_contexts_sort(c) != BOB_OK)
		status = cli_fail("graph", "out of memory");
	if (!status) {
		g->all = bob_contexts_all(c, &count);
		g->total = g->all[BOB_CONTEXT_ROOT].below;
		g->threshold = (uint64_t)(g->min / 100 * (double)g->total);
		fprintf(g->x.out, "%14s  %6s  function (share: its calls and those below)\n",
			"calls", "share");
		print_children(g, BOB_CONTEXT_ROOT, 0);
	}
	bob_contexts_destroy(c);
	return status;
}

static int print_dot(struct graph *g)
{
	struct bob_error err = { 0 };
	struct bob_callgraph *graph;
	uint64_t left_out = 0;
	bob_status st = bob_callgraph_create(g->s.functions, &graph);
	int status = 0;
	char a[BOB_NUMBER_MAX];

	if (st != BOB_OK)
		return cli_fail_status("graph", "cannot count", st, NULL);
	for (uint32_t i = 0; i < g->x.thread_count && !status; i++) {
		st = bob_callgraph_add(graph, g->s.trace, g->x.threads[i], &g->s.progress, &err);
		status = cli_session_thread_done(&g->s, g->x.threads[i], st, &err);
	}
	cli_session_progress_end(&g->s);
	if (!status && bob_export_dot(&g->x, graph, g->arcs, &left_out) != BOB_OK)
		status = cli_fail("graph", "out of memory");
	if (left_out)
		cli_warn("graph", "%s arc%s with fewer calls left out; --arcs=0 writes all",
			 bob_format_count(a, left_out), bob_plural(left_out));
	bob_callgraph_destroy(graph);
	return status;
}

int verb_graph(int argc, char **argv)
{
	struct graph g = { .s = { .verb = "graph" }, .arcs = ARCS_DEFAULT, .depth = DEPTH_DEFAULT,
			   .min = 0.5 };
	int status = cli_options_read("graph", argc, argv, &g);
	pid_t pager = 0;

	if (status != CLI_GO_ON)
		return status;
	status = cli_session_open(&g.s, argc, argv);
	if (status)
		return status;
	status = cli_session_need_calls(&g.s);
	if (!status)
		status = cli_export_begin(&g.x, &g.s);
	g.x.out = status ? NULL : cli_output_open("graph", g.output);
	if (g.x.out) {
		g.width = g.output ? 0 : cli_terminal_width();
		if (!g.output && !g.dot)
			pager = cli_pager_begin(!g.no_pager);
		status = g.dot ? print_dot(&g) : print_text(&g);
		status = status ? status : g.s.damaged != 0;
		if (pager)
			cli_pager_end(pager);
		else
			status |= cli_output_close("graph", g.x.out, g.output);
	} else {
		status = 1;
	}
	cli_export_end(&g.x);
	cli_session_close(&g.s);
	return status;
}
