/* SPDX-License-Identifier: BSD-3-Clause */
/* Callgrind profile format: https://valgrind.org/docs/manual/cl-format.html. The only event type is
 * Calls. A function's self cost is the number of its calls, so its inclusive cost is the number of
 * calls of the function and its callees. Names are compressed: "(n) name" at first use, then
 * "(n)". */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "export/export.h"

struct profile {
	struct bob_export *x;
	uint8_t *named;		/* by function number: the name was written */
	uint8_t *image_named;
};

static void put_name(const char *name, FILE *out)
{
	for (; *name; name++)
		fputc(bob_text_is_control(*name) ? '?' : *name, out);
}

static uint32_t describe(struct profile *p, uint32_t number, struct bob_function_info *fn)
{
	uint32_t image;

	memset(fn, 0, sizeof(*fn));
	fn->file = "";
	bob_functions_get(p->x->functions, number, fn, &image);
	return image;
}

/* Writes ob=, fl= and fn= of a function. For a callee, `prefix` is "c". */
static void put_position(struct profile *p, uint32_t number, const char *prefix)
{
	FILE *out = p->x->out;
	struct bob_function_info fn;
	uint32_t image = describe(p, number, &fn);
	uint32_t fn_no = number + 1;

	if (image != ~0u) {
		fprintf(out, "%sob=(%" PRIu32 ")", prefix, image + 1);
		if (!p->image_named[image]) {
			p->image_named[image] = 1;
			fputc(' ', out);
			put_name(bob_functions_image(p->x->functions, image)->path, out);
		}
		fputc('\n', out);
	}
	fprintf(out, "%s=%s\n", *prefix ? "cfi" : "fl", fn.file[0] ? fn.file : "???");
	fprintf(out, "%sfn=(%" PRIu32 ")", prefix, fn_no);
	if (!p->named[number]) {
		p->named[number] = 1;
		fputc(' ', out);
		put_name(p->x->name(p->x->ctx, number), out);
	}
	fputc('\n', out);
}

static void put_header(struct bob_export *x, uint64_t total)
{
	const struct bob_process_info *p = bob_trace_process(x->trace, 0);

	fputs("# callgrind format\nversion: 1\ncreator: bobbin\n", x->out);
	fputs("cmd:", x->out);
	for (int i = 0; p && p->argv && p->argv[i]; i++) {
		fputc(' ', x->out);
		put_name(p->argv[i], x->out);
	}
	fprintf(x->out,
		"\npositions: line\nevent: Calls : function calls\nevents: Calls\n"
		"summary: %" PRIu64 "\n\n",
		total);
}

static void put_arc(struct profile *p, const struct bob_call_arc *arc, uint32_t line)
{
	struct bob_function_info fn;

	put_position(p, arc->callee, "c");
	describe(p, arc->callee, &fn);
	fprintf(p->x->out, "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32 " %" PRIu64 "\n", arc->calls,
		fn.line, line, arc->calls + arc->below);
}

static void put_functions(struct profile *p, struct bob_callgraph *g)
{
	const uint64_t *calls = bob_callgraph_calls(g);
	const struct bob_call_arc *arcs;
	size_t n, next = 0;

	arcs = bob_callgraph_arcs(g, &n);
	for (uint32_t i = 0; i < bob_functions_count(p->x->functions); i++) {
		struct bob_function_info fn;

		while (next < n && arcs[next].caller < i)
			next++;
		if (!calls[i])
			continue;
		describe(p, i, &fn);
		put_position(p, i, "");
		fprintf(p->x->out, "%" PRIu32 " %" PRIu64 "\n", fn.line, calls[i]);
		for (; next < n && arcs[next].caller == i; next++)
			put_arc(p, &arcs[next], fn.line);
		fputc('\n', p->x->out);
	}
}

bob_status bob_export_callgrind(struct bob_export *x)
{
	struct profile p = { .x = x };
	struct bob_callgraph *g;
	bob_status st = bob_callgraph_create(x->functions, &g), first = BOB_OK;

	if (st != BOB_OK)
		return st;
	for (uint32_t i = 0; i < x->thread_count; i++) {
		st = bob_callgraph_add(g, x->trace, x->threads[i], x->progress, x->err);
		if (st != BOB_OK && first == BOB_OK)
			first = st;
	}
	p.named = calloc(bob_functions_count(x->functions), 1);
	p.image_named = calloc((size_t)bob_functions_image_count(x->functions) + 1, 1);
	if (p.named && p.image_named) {
		put_header(x, bob_callgraph_total(g));
		put_functions(&p, g);
	} else {
		first = BOB_ERR_NOMEM;
	}
	free(p.named);
	free(p.image_named);
	bob_callgraph_destroy(g);
	return first;
}
