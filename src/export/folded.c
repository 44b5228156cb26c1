/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths in Brendan Gregg's "folded stacks" format, the input of flamegraph.pl: one line per
 * calling context with its number of calls. */
#include <inttypes.h>
#include <stdlib.h>

#include "export/export.h"

/* Semicolons separate frames and a line ends with the count, so neither may be part of a name. */
static void put_frame(const char *name, FILE *out)
{
	for (; *name; name++)
		fputc(*name == ';' || *name == '\n' ? ':' : *name, out);
}

/* Path of `context`, outermost frame first. Capacity of `path`: the number of contexts. */
static void put_path(struct bob_export *x, const struct bob_context *all, uint32_t context,
		     uint32_t *path)
{
	uint32_t n = 0;

	for (; context != BOB_CONTEXT_ROOT; context = all[context].parent)
		path[n++] = all[context].number;
	while (n-- > 0) {
		put_frame(x->name(x->ctx, path[n]), x->out);
		if (n)
			fputc(';', x->out);
	}
}

/* Depth-first traversal in sorted order. It is not recursive, because paths can be long. */
static void put_contexts(struct bob_export *x, const struct bob_context *all, uint32_t *path)
{
	uint32_t i = all[BOB_CONTEXT_ROOT].first_child;

	while (i != ~0u) {
		put_path(x, all, i, path);
		fprintf(x->out, " %" PRIu64 "\n", all[i].calls);
		if (all[i].first_child != ~0u) {
			i = all[i].first_child;
			continue;
		}
		while (i != BOB_CONTEXT_ROOT && all[i].next == ~0u)
			i = all[i].parent;
		i = i == BOB_CONTEXT_ROOT ? ~0u : all[i].next;
	}
}

bob_status bob_export_folded(struct bob_export *x)
{
	struct bob_contexts *c;
	const struct bob_context *all;
	bob_status st = bob_contexts_create(x->functions, 0, &c), first = BOB_OK;
	uint32_t count, *path;

	if (st != BOB_OK)
		return st;
	for (uint32_t i = 0; i < x->thread_count; i++) {
		st = bob_contexts_add(c, x->trace, x->threads[i], x->progress, x->err);
		if (st != BOB_OK && first == BOB_OK)
			first = st;
	}
	st = bob_contexts_sort(c);
	all = bob_contexts_all(c, &count);
	path = malloc(count * sizeof(*path));
	if (st == BOB_OK && path)
		put_contexts(x, all, path);
	else
		first = BOB_ERR_NOMEM;
	x->cut_events = bob_contexts_merged(c);
	free(path);
	bob_contexts_destroy(c);
	return first;
}
