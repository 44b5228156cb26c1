/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/callgraph/tables.h"
#include "export/export.h"
#include "table/csv.h"

static void put_function(struct bob_export *x, struct bob_callgraph *g,
			 const struct bob_call_degree *d, uint32_t number)
{
	struct bob_function_info fn = { .file = "" };
	uint32_t image;
	bob_status st = bob_functions_get(x->functions, number, &fn, &image);

	bob_csv_text(x->name(x->ctx, number), x->out);
	fputc(',', x->out);
	bob_csv_text(st == BOB_OK ? bob_functions_image(x->functions, image)->path : "", x->out);
	fprintf(x->out, ",0x%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",", fn.addr,
		bob_callgraph_calls(g)[number], bob_callgraph_below(g)[number], d->callers,
		d->callees);
	bob_csv_text(fn.file, x->out);
	fprintf(x->out, ",%" PRIu32 ",", fn.line);
	bob_csv_text(fn.skip ? bob_skip_text(fn.skip) : "", x->out);
	fputc('\n', x->out);
}

static void put_table(struct bob_export *x, struct bob_callgraph *g,
		      const struct bob_call_degree *degrees)
{
	const uint32_t n = bob_functions_count(x->functions);

	fputs("function,image,address,calls,calls_below,callers,callees,file,line,not_traced\n",
	      x->out);
	for (uint32_t i = 0; i < n; i++) {
		struct bob_function_info fn;
		uint32_t image;

		if (bob_callgraph_calls(g)[i] ||
		    (bob_functions_get(x->functions, i, &fn, &image) == BOB_OK && fn.skip))
			put_function(x, g, &degrees[i], i);
	}
}

bob_status bob_export_csv(struct bob_export *x)
{
	struct bob_callgraph *g;
	struct bob_call_degree *degrees;
	bob_status st = bob_callgraph_create(x->functions, &g), first = BOB_OK;

	if (st != BOB_OK)
		return st;
	for (uint32_t i = 0; i < x->thread_count; i++) {
		st = bob_callgraph_add(g, x->trace, x->threads[i], x->progress, x->err);
		if (st != BOB_OK && first == BOB_OK)
			first = st;
	}
	degrees = bob_callgraph_degrees(g, x->functions);
	if (degrees)
		put_table(x, g, degrees);
	else
		first = BOB_ERR_NOMEM;
	free(degrees);
	bob_callgraph_destroy(g);
	return first;
}
