/* SPDX-License-Identifier: BSD-3-Clause */
/* Call graph in Graphviz's DOT language: the arcs with the most calls. The width of an arc grows
 * with the logarithm of its calls. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/order.h"
#include "export/export.h"

BOB_COMPARE(by_calls, struct bob_call_arc, BOB_DOWN(calls) BOB_UP(caller) BOB_UP(callee))

static void put_quoted(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static double width_of(uint64_t calls)
{
	double width = 1;

	for (; calls >= 10; calls /= 10)
		width += 0.5;
	return width;
}

static uint32_t slot_of(const struct bob_export *x, uint32_t number)
{
	uint32_t n = bob_functions_count(x->functions);

	return number < n ? number : n + (number == BOB_CALLER_SIGNAL);
}

static void put_node(const struct bob_export *x, struct bob_callgraph *g, uint32_t number,
		     uint8_t *named)
{
	uint32_t slot = slot_of(x, number);

	if (named[slot])
		return;
	named[slot] = 1;
	fprintf(x->out, "\tf%" PRIu32 " [label=", slot);
	put_quoted(x->name(x->ctx, number), x->out);
	if (number < bob_functions_count(x->functions))
		fprintf(x->out, " tooltip=\"%" PRIu64 " call%s\"", bob_callgraph_calls(g)[number],
			bob_callgraph_calls(g)[number] == 1 ? "" : "s");
	else
		fputs(" shape=plaintext", x->out);
	fputs("];\n", x->out);
}

bob_status bob_export_dot(struct bob_export *x, struct bob_callgraph *g, uint64_t max_arcs,
			  uint64_t *left_out)
{
	size_t n, shown;
	const struct bob_call_arc *sorted = bob_callgraph_arcs(g, &n);
	struct bob_call_arc *arcs = malloc((n + 1) * sizeof(*arcs));
	uint8_t *named = calloc((size_t)bob_functions_count(x->functions) + 2, 1);

	if (!arcs || !named) {
		free(arcs);
		free(named);
		return BOB_ERR_NOMEM;
	}
	for (size_t i = 0; i < n; i++)
		arcs[i] = sorted[i];
	qsort(arcs, n, sizeof(*arcs), by_calls);
	shown = max_arcs && max_arcs < n ? (size_t)max_arcs : n;
	*left_out = n - shown;
	fputs("digraph calls {\n\tnode [shape=box fontname=\"sans-serif\" fontsize=10];\n"
	      "\tedge [fontname=\"sans-serif\" fontsize=9];\n",
	      x->out);
	for (size_t i = 0; i < shown; i++) {
		put_node(x, g, arcs[i].caller, named);
		put_node(x, g, arcs[i].callee, named);
		fprintf(x->out,
			"\tf%" PRIu32 " -> f%" PRIu32 " [label=\"%" PRIu64 "\" penwidth=%.1f];\n",
			slot_of(x, arcs[i].caller), slot_of(x, arcs[i].callee), arcs[i].calls,
			width_of(arcs[i].calls));
	}
	fputs("}\n", x->out);
	free(arcs);
	free(named);
	return BOB_OK;
}
