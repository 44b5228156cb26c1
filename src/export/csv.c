/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV of functions: a row for each function that was called or could not be traced. */
#include <stdlib.h>

#include "analysis/callgraph/tables.h"
#include "export/export.h"
#include "table/print.h"

static void put_function(struct bob_table *t, struct bob_export *x, struct bob_callgraph *g,
			 const struct bob_call_degree *d, uint32_t number)
{
	struct bob_function_info fn = { .file = "" };
	uint32_t image;
	const bob_status st = bob_functions_get(x->functions, number, &fn, &image);

	if (!bob_callgraph_calls(g)[number] && !(st == BOB_OK && fn.skip))
		return;
	bob_table_text(t, x->name(x->ctx, number));
	bob_table_text(t, st == BOB_OK ? bob_functions_image(x->functions, image)->path : "");
	bob_table_count(t, fn.addr);
	bob_table_count(t, bob_callgraph_calls(g)[number]);
	bob_table_count(t, bob_callgraph_below(g)[number]);
	bob_table_count(t, d->callers);
	bob_table_count(t, d->callees);
	bob_table_text(t, fn.file);
	bob_table_count(t, fn.line);
	bob_table_text(t, fn.skip ? bob_skip_text(fn.skip) : "");
}

static bob_status print(struct bob_export *x, struct bob_callgraph *g)
{
	static const struct bob_column columns[] = {
		{ "function", NULL, BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT, NULL },
		{ "image", NULL, BOB_COLUMN_TEXT, 0, NULL },
		{ "address", NULL, BOB_COLUMN_ADDRESS, 0, NULL },
		{ "calls", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "calls_below", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "callers", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "callees", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "file", NULL, BOB_COLUMN_TEXT, 0, NULL },
		{ "line", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "not_traced", NULL, BOB_COLUMN_TEXT, 0, NULL },
	};
	const struct bob_table_view view = { .format = BOB_TABLE_CSV };
	struct bob_table *t = bob_table_create("functions", "function", columns,
					       sizeof(columns) / sizeof(columns[0]));
	struct bob_call_degree *degree = bob_callgraph_degrees(g, x->functions);
	bob_status st = t && degree ? BOB_OK : BOB_ERR_NOMEM;
	char why[BOB_TABLE_WHY_MAX];

	for (uint32_t i = 0; st == BOB_OK && i < bob_functions_count(x->functions); i++)
		put_function(t, x, g, &degree[i], i);
	if (st == BOB_OK)
		st = bob_table_print(t, &view, x->out, why);
	bob_table_destroy(t);
	free(degree);
	return st;
}

bob_status bob_export_csv(struct bob_export *x)
{
	struct bob_callgraph *g;
	bob_status st = bob_callgraph_create(x->functions, &g), first = BOB_OK;

	if (st != BOB_OK)
		return st;
	for (uint32_t i = 0; i < x->thread_count; i++) {
		st = bob_callgraph_add(g, x->trace, x->threads[i], x->progress, x->err);
		first = first == BOB_OK ? st : first;
	}
	st = print(x, g);
	bob_callgraph_destroy(g);
	return st == BOB_OK ? first : st;
}
