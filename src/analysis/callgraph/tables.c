/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of a call graph. Rows are made in the order of function numbers, which is also the order
 * of equal counts. */
#include "analysis/callgraph/tables.h"

#include <stdlib.h>

/* Columns of several tables. */
#define CALLS                                                                                      \
	{                                                                                          \
		"calls", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_ADDS, "how often it was called"        \
	}
#define SHARE                                                                                      \
	{                                                                                          \
		"share", NULL, BOB_COLUMN_SHARE, 0, "of all calls in the table"                    \
	}
#define BELOW                                                                                      \
	{ "below", "calls below", BOB_COLUMN_COUNT, 0, "calls made inside these, at any depth" }
#define CALLERS                                                                                    \
	{                                                                                          \
		"callers", NULL, BOB_COLUMN_COUNT, 0, "different functions that call it"           \
	}
#define IMAGE                                                                                      \
	{                                                                                          \
		"image", NULL, BOB_COLUMN_TEXT, 0, "executable or library"                         \
	}
#define FUNCTION                                                                                   \
	{ "function", NULL, BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT, "the function's name" }
#define SOURCE                                                                                     \
	{ "path", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_EXTRA, "path of the image" },                  \
		{ "address", NULL, BOB_COLUMN_ADDRESS, BOB_COLUMN_EXTRA, "link address" },         \
		{ "file", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_EXTRA, "source file" },                \
	{                                                                                          \
		"line", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_EXTRA, "line in the source file"        \
	}
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct bob_table *by_calls(struct bob_table *t)
{
	if (t && bob_table_sort(t, 0, false) == BOB_OK)
		return t;
	bob_table_destroy(t);
	return NULL;
}

static uint32_t image_of(const struct bob_functions *f, uint32_t number)
{
	struct bob_function_info fn;
	uint32_t image;

	bob_functions_get(f, number, &fn, &image);
	return image;
}

/* The cells of IMAGE, FUNCTION and SOURCE. */
static void put_function(struct bob_table *t, const struct bob_functions *f, uint32_t number,
			 const struct bob_naming *names)
{
	struct bob_function_info fn = { .file = "" };
	uint32_t image;
	const bob_status st = bob_functions_get(f, number, &fn, &image);

	bob_table_text(t, names->image(names->ctx, number));
	bob_table_text(t, names->function(names->ctx, number));
	if (st != BOB_OK) {
		for (int i = 0; i < 4; i++)
			bob_table_none(t);
		return;
	}
	bob_table_text(t, bob_functions_image(f, image)->path);
	bob_table_count(t, fn.addr);
	if (!fn.line) {
		bob_table_none(t);
		bob_table_none(t);
		return;
	}
	bob_table_text(t, fn.file);
	bob_table_count(t, fn.line);
}

struct bob_call_degree *bob_callgraph_degrees(struct bob_callgraph *g,
					      const struct bob_functions *f)
{
	const uint32_t n = bob_functions_count(f);
	struct bob_call_degree *d = calloc(n + 1u, sizeof(*d));
	size_t count;
	const struct bob_call_arc *arcs = bob_callgraph_arcs(g, &count);

	for (size_t i = 0; d && i < count; i++) {
		if (arcs[i].caller >= n)
			continue;
		d[arcs[i].caller].callees++;
		d[arcs[i].callee].callers++;
	}
	return d;
}

struct bob_table *bob_callgraph_functions_table(struct bob_callgraph *g,
						const struct bob_functions *f,
						const struct bob_naming *names)
{
	static const struct bob_column columns[] = {
		CALLS,
		SHARE,
		BELOW,
		CALLERS,
		{ "callees", NULL, BOB_COLUMN_COUNT, 0, "different functions that it calls" },
		IMAGE,
		FUNCTION,
		SOURCE,
	};
	const uint64_t *calls = bob_callgraph_calls(g), *below = bob_callgraph_below(g);
	struct bob_table *t = bob_table_create("functions", "function", columns, COUNT(columns));
	struct bob_call_degree *degree = bob_callgraph_degrees(g, f);

	for (uint32_t i = 0; degree && i < bob_functions_count(f); i++) {
		if (!calls[i])
			continue;
		bob_table_count(t, calls[i]);
		bob_table_share(t, calls[i], bob_callgraph_total(g));
		bob_table_count(t, below[i]);
		bob_table_count(t, degree[i].callers);
		bob_table_count(t, degree[i].callees);
		put_function(t, f, i, names);
	}
	if (!degree) {
		bob_table_destroy(t);
		return NULL;
	}
	free(degree);
	return by_calls(t);
}

/* By image: number of calls of its functions from other images; NULL: no memory. */
static uint64_t *calls_from_outside(struct bob_callgraph *g, const struct bob_functions *f)
{
	const uint32_t images = bob_functions_image_count(f);
	uint64_t *outside = calloc(images + 1u, sizeof(*outside));
	size_t n;
	const struct bob_call_arc *arcs = bob_callgraph_arcs(g, &n);

	for (size_t i = 0; outside && i < n; i++) {
		const uint32_t to = image_of(f, arcs[i].callee);

		if (to < images && image_of(f, arcs[i].caller) != to)
			outside[to] += arcs[i].calls;
	}
	return outside;
}

struct bob_table *bob_callgraph_images_table(struct bob_callgraph *g, const struct bob_functions *f)
{
	static const struct bob_column columns[] = {
		CALLS,
		SHARE,
		{ "from_outside", NULL, BOB_COLUMN_COUNT, 0, "calls from other images" },
		{ "functions", NULL, BOB_COLUMN_COUNT, 0, "different functions called" },
		{ "image", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT, "path of the image" },
	};
	struct bob_table *t = bob_table_create("images", "image", columns, COUNT(columns));
	const uint64_t *calls = bob_callgraph_calls(g);
	uint64_t *outside = calls_from_outside(g, f);

	for (uint32_t i = 0; outside && i < bob_functions_image_count(f); i++) {
		const struct bob_function_image *im = bob_functions_image(f, i);
		uint64_t sum = 0, called = 0;

		for (uint32_t k = 0; k < im->count; k++) {
			sum += calls[im->first + k];
			called += calls[im->first + k] != 0;
		}
		if (!sum)
			continue;
		bob_table_count(t, sum);
		bob_table_share(t, sum, bob_callgraph_total(g));
		bob_table_count(t, outside[i]);
		bob_table_count(t, called);
		bob_table_text(t, im->path);
	}
	if (!outside) {
		bob_table_destroy(t);
		return NULL;
	}
	free(outside);
	return by_calls(t);
}

struct bob_table *bob_callgraph_api_table(struct bob_callgraph *g, const struct bob_functions *f,
					  const struct bob_naming *names)
{
	static const struct bob_column columns[] = {
		CALLS, SHARE, CALLERS, IMAGE, FUNCTION, SOURCE
	};
	struct entered {
		uint64_t calls, callers;
	} *of = calloc(bob_functions_count(f) + 1u, sizeof(*of));
	struct bob_table *t = bob_table_create("api", "function", columns, COUNT(columns));
	uint64_t total = 0;
	size_t n;
	const struct bob_call_arc *arcs = bob_callgraph_arcs(g, &n);

	if (!of) {
		bob_table_destroy(t);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		if (image_of(f, arcs[i].caller) == image_of(f, arcs[i].callee))
			continue;
		of[arcs[i].callee].calls += arcs[i].calls;
		of[arcs[i].callee].callers++;
		total += arcs[i].calls;
	}
	for (uint32_t i = 0; i < bob_functions_count(f); i++) {
		if (!of[i].calls)
			continue;
		bob_table_count(t, of[i].calls);
		bob_table_share(t, of[i].calls, total);
		bob_table_count(t, of[i].callers);
		put_function(t, f, i, names);
	}
	free(of);
	return by_calls(t);
}

struct bob_table *bob_callgraph_neighbours_table(struct bob_callgraph *g,
						 const struct bob_functions *f, uint32_t number,
						 bool callers, const struct bob_naming *names)
{
	const struct bob_column function = { callers ? "caller" : "callee",
					     callers ? "called by" : "calls", BOB_COLUMN_FUNCTION,
					     BOB_COLUMN_SUBJECT, "the other function" };
	const struct bob_column columns[] = { CALLS, SHARE, BELOW, IMAGE, function, SOURCE };
	struct bob_table *t = bob_table_create(callers ? "callers" : "callees", "function", columns,
					       COUNT(columns));
	uint64_t total = 0;
	size_t n;
	const struct bob_call_arc *arcs = bob_callgraph_arcs(g, &n);

	for (size_t i = 0; i < n; i++)
		if ((callers ? arcs[i].callee : arcs[i].caller) == number)
			total += arcs[i].calls;
	for (size_t i = 0; i < n; i++) {
		if ((callers ? arcs[i].callee : arcs[i].caller) != number)
			continue;
		bob_table_count(t, arcs[i].calls);
		bob_table_share(t, arcs[i].calls, total);
		bob_table_count(t, arcs[i].below);
		put_function(t, f, callers ? arcs[i].caller : arcs[i].callee, names);
	}
	return by_calls(t);
}

struct bob_table *bob_callgraph_arcs_table(struct bob_callgraph *g, const struct bob_functions *f,
					   const struct bob_naming *names)
{
	static const struct bob_column columns[] = {
		CALLS,
		SHARE,
		BELOW,
		{ "caller_image", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_EXTRA, "image of the caller" },
		{ "caller", NULL, BOB_COLUMN_FUNCTION, 0, "the function that calls" },
		IMAGE,
		{ "callee", NULL, BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT, "the one it calls" },
		SOURCE,
	};
	struct bob_table *t = bob_table_create("arcs", "arc", columns, COUNT(columns));
	size_t n;
	const struct bob_call_arc *arcs = bob_callgraph_arcs(g, &n);

	for (size_t i = 0; i < n; i++) {
		bob_table_count(t, arcs[i].calls);
		bob_table_share(t, arcs[i].calls, bob_callgraph_total(g));
		bob_table_count(t, arcs[i].below);
		bob_table_text(t, names->image(names->ctx, arcs[i].caller));
		bob_table_text(t, names->function(names->ctx, arcs[i].caller));
		put_function(t, f, arcs[i].callee, names);
	}
	return by_calls(t);
}

/* --- call paths --- */

struct walk {
	const struct bob_context *all;
	const struct bob_functions *f;
	const struct bob_naming *names;
	uint32_t depth;
	uint64_t least, total;
	struct bob_table *t;
	uint64_t rows;
};

/* Adds the paths below `parent`, largest first. The recursion is bounded by `depth`. */
static void put_paths(struct walk *w, uint32_t parent, uint64_t parent_row, uint32_t depth)
{
	if (depth >= w->depth)
		return;
	for (uint32_t i = w->all[parent].first_child; i != ~0u; i = w->all[i].next) {
		const struct bob_context *c = &w->all[i];
		const uint64_t row = w->rows + 1;

		if (c->calls + c->below < w->least)
			return;
		w->rows = row;
		bob_table_count(w->t, c->calls);
		bob_table_share(w->t, c->calls + c->below, w->total);
		bob_table_count(w->t, c->below);
		bob_table_count(w->t, depth);
		bob_table_count(w->t, row);
		if (parent_row)
			bob_table_count(w->t, parent_row);
		else
			bob_table_none(w->t);
		put_function(w->t, w->f, c->number, w->names);
		put_paths(w, i, row, depth + 1);
	}
}

struct bob_table *bob_callgraph_paths_table(const struct bob_contexts *c,
					    const struct bob_functions *f, uint32_t depth,
					    uint64_t least, const struct bob_naming *names)
{
	static const struct bob_column columns[] = {
		CALLS,
		{ "share", NULL, BOB_COLUMN_SHARE, 0, "its calls and those below, of all" },
		BELOW,
		{ "depth", NULL, BOB_COLUMN_COUNT, 0, "functions that the path begins with" },
		{ "number", NULL, BOB_COLUMN_COUNT, 0, "of the path, from 1" },
		{ "parent", NULL, BOB_COLUMN_COUNT, 0, "number of the path that it extends" },
		IMAGE,
		FUNCTION,
		SOURCE,
	};
	uint32_t count;
	struct walk w = {
		.all = bob_contexts_all(c, &count),
		.f = f,
		.names = names,
		.depth = depth,
		.least = least,
		.t = bob_table_create("paths", "path", columns, COUNT(columns)),
	};

	w.total = w.all[BOB_CONTEXT_ROOT].below;
	put_paths(&w, BOB_CONTEXT_ROOT, 0, 0);
	return w.t;
}
