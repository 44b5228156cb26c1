/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of bobbin report. A row is a subject (a function or an image) with four counts; rows are
 * gathered, sorted, cut and printed the same way for every table. */
#include "cli/report_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/terminal/text_table.h"

struct row {
	const char *name, *image;
	uint64_t calls, below;
	uint32_t callers, callees;
	uint32_t number;
};

struct rows {
	struct row *all;
	size_t count;
};

static int by_calls(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int by_below(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->below != y->below ? (x->below > y->below ? -1 : 1) : by_calls(a, b);
}

static int by_name(const void *a, const void *b)
{
	int d = strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);

	return d ? d : by_calls(a, b);
}

static int by_image(const void *a, const void *b)
{
	int d = strcmp(((const struct row *)a)->image, ((const struct row *)b)->image);

	return d ? d : by_calls(a, b);
}

static void sort_rows(struct rows *rows, enum cli_report_sort sort)
{
	static int (*const orders[])(const void *, const void *) = { by_calls, by_below, by_name,
								      by_image };

	if (rows->count)
		qsort(rows->all, rows->count, sizeof(*rows->all), orders[sort]);
}

/* How many rows to print; says below the table what was left out. */
static size_t rows_shown(const struct rows *rows, const struct cli_report_style *style)
{
	return style->limit && style->limit < rows->count ? (size_t)style->limit : rows->count;
}

static void print_rest(const struct rows *rows, size_t shown, uint64_t total, const char *what,
		       FILE *out)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];
	uint64_t calls = 0;

	for (size_t i = shown; i < rows->count; i++)
		calls += rows->all[i].calls;
	if (shown < rows->count)
		fprintf(out, "... %s more %s%s with %s call%s (%s); --limit=0 shows all\n",
			bob_format_count(a, rows->count - shown), what,
			bob_plural(rows->count - shown), bob_format_count(b, calls),
			bob_plural(calls), bob_format_share(c, calls, total));
}

static void count_cell(struct cli_table *t, uint64_t v)
{
	char text[BOB_NUMBER_MAX];

	cli_table_cell(t, bob_format_count(text, v));
}

static void share_cell(struct cli_table *t, uint64_t part, uint64_t whole)
{
	char text[BOB_NUMBER_MAX];

	cli_table_cell(t, bob_format_share(text, part, whole));
}

/* One row per called function, in order of number. */
static int function_rows(struct cli_session *s, struct bob_callgraph *g, struct rows *rows)
{
	const uint64_t *calls = bob_callgraph_calls(g), *below = bob_callgraph_below(g);
	uint32_t n = bob_functions_count(s->functions);

	rows->count = 0;
	for (uint32_t i = 0; i < n; i++)
		rows->count += calls[i] != 0;
	rows->all = calloc(rows->count + 1, sizeof(*rows->all));
	if (!rows->all)
		return cli_fail(s->verb, "out of memory");
	rows->count = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct row *r = &rows->all[rows->count];

		if (!calls[i])
			continue;
		*r = (struct row){ cli_names_get(s->names, i), cli_names_image(s->names, i),
				   calls[i], below[i], 0, 0, i };
		rows->count++;
	}
	return 0;
}

static struct row *row_of(const struct rows *rows, uint32_t number)
{
	size_t lo = 0, hi = rows->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (rows->all[mid].number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < rows->count && rows->all[lo].number == number ? &rows->all[lo] : NULL;
}

static void count_neighbours(struct bob_callgraph *g, struct rows *rows)
{
	size_t n;
	const struct bob_call_arc *arcs = bob_callgraph_arcs(g, &n);

	for (size_t i = 0; i < n; i++) {
		struct row *caller = row_of(rows, arcs[i].caller);
		struct row *callee = row_of(rows, arcs[i].callee);

		if (caller)
			caller->callees++;
		if (callee && caller)
			callee->callers++;
	}
}

int cli_report_functions(struct cli_session *s, struct bob_callgraph *g,
			 const struct cli_report_style *style)
{
	static const char *const titles[] = { ">calls",   ">share", ">calls below", ">callers",
					      ">callees", "image",  "function" };
	uint64_t total = bob_callgraph_total(g);
	struct cli_table t;
	struct rows rows;
	size_t shown;

	if (function_rows(s, g, &rows))
		return 1;
	count_neighbours(g, &rows);
	sort_rows(&rows, style->sort);
	shown = rows_shown(&rows, style);
	cli_table_begin(&t, 7, titles);
	for (size_t i = 0; i < shown; i++) {
		const struct row *r = &rows.all[i];

		count_cell(&t, r->calls);
		share_cell(&t, r->calls, total);
		count_cell(&t, r->below);
		count_cell(&t, r->callers);
		count_cell(&t, r->callees);
		cli_table_cell(&t, r->image);
		cli_table_cell(&t, r->name);
	}
	cli_table_end(&t, style->width, style->out);
	print_rest(&rows, shown, total, "function", style->out);
	free(rows.all);
	return 0;
}

static uint32_t image_of(const struct cli_session *s, uint32_t number)
{
	struct bob_function_info fn;
	uint32_t image;

	bob_functions_get(s->functions, number, &fn, &image);
	return image;
}

/* Rows are images; `below` counts calls from other images, `callees` the functions called. */
static int image_rows(struct cli_session *s, struct bob_callgraph *g, struct rows *rows)
{
	uint32_t images = bob_functions_image_count(s->functions);
	const uint64_t *calls = bob_callgraph_calls(g);
	const struct bob_call_arc *arcs;
	size_t n;

	rows->count = images;
	rows->all = calloc((size_t)images + 1, sizeof(*rows->all));
	if (!rows->all)
		return cli_fail(s->verb, "out of memory");
	for (uint32_t i = 0; i < images; i++) {
		const struct bob_function_image *im = bob_functions_image(s->functions, i);
		struct row *r = &rows->all[i];

		r->name = im->path;
		r->image = im->soname;
		r->number = i;
		for (uint32_t k = 0; k < im->count; k++) {
			r->calls += calls[im->first + k];
			r->callees += calls[im->first + k] != 0;
		}
	}
	arcs = bob_callgraph_arcs(g, &n);
	for (size_t i = 0; i < n; i++) {
		uint32_t to = image_of(s, arcs[i].callee);

		if (to < images && image_of(s, arcs[i].caller) != to)
			rows->all[to].below += arcs[i].calls;
	}
	return 0;
}

int cli_report_images(struct cli_session *s, struct bob_callgraph *g,
		      const struct cli_report_style *style)
{
	static const char *const titles[] = { ">calls", ">share", ">from outside", ">functions",
					      "image" };
	uint64_t total = bob_callgraph_total(g);
	struct cli_table t;
	struct rows rows;

	if (image_rows(s, g, &rows))
		return 1;
	sort_rows(&rows, style->sort);
	cli_table_begin(&t, 5, titles);
	for (size_t i = 0; i < rows_shown(&rows, style); i++) {
		const struct row *r = &rows.all[i];

		if (!r->calls)
			continue;
		count_cell(&t, r->calls);
		share_cell(&t, r->calls, total);
		count_cell(&t, r->below);
		count_cell(&t, r->callees);
		cli_table_cell(&t, r->name);
	}
	cli_table_end(&t, style->width, style->out);
	free(rows.all);
	return 0;
}

int cli_report_api(struct cli_session *s, struct bob_callgraph *g,
		   const struct cli_report_style *style)
{
	static const char *const titles[] = { ">calls", ">share", ">callers", "image", "function" };
	const struct bob_call_arc *arcs;
	uint64_t total = 0;
	struct cli_table t;
	struct rows rows;
	size_t n, kept = 0, shown;

	if (function_rows(s, g, &rows))
		return 1;
	for (size_t i = 0; i < rows.count; i++)
		rows.all[i].calls = 0;
	arcs = bob_callgraph_arcs(g, &n);
	for (size_t i = 0; i < n; i++) {
		struct row *r = row_of(&rows, arcs[i].callee);

		if (!r || image_of(s, arcs[i].caller) == image_of(s, arcs[i].callee))
			continue;
		r->calls += arcs[i].calls;
		r->callers++;
		total += arcs[i].calls;
	}
	for (size_t i = 0; i < rows.count; i++)
		if (rows.all[i].calls)
			rows.all[kept++] = rows.all[i];
	rows.count = kept;
	sort_rows(&rows, style->sort);
	shown = rows_shown(&rows, style);
	cli_table_begin(&t, 5, titles);
	for (size_t i = 0; i < shown; i++) {
		count_cell(&t, rows.all[i].calls);
		share_cell(&t, rows.all[i].calls, total);
		count_cell(&t, rows.all[i].callers);
		cli_table_cell(&t, rows.all[i].image);
		cli_table_cell(&t, rows.all[i].name);
	}
	cli_table_end(&t, style->width, style->out);
	print_rest(&rows, shown, total, "function", style->out);
	free(rows.all);
	return 0;
}

static int neighbours_of(struct cli_session *s, struct bob_callgraph *g, uint32_t number,
			 int callers, const struct cli_report_style *style)
{
	const char *titles[] = { ">calls", ">share", ">calls below", "image",
				 callers ? "called by" : "calls" };
	char a[BOB_NUMBER_MAX];
	struct rows rows = { 0 };
	uint64_t total = 0;
	struct cli_table t;
	const struct bob_call_arc *arcs;
	size_t n, shown;

	arcs = bob_callgraph_arcs(g, &n);
	rows.all = calloc(n + 1, sizeof(*rows.all));
	if (!rows.all)
		return cli_fail(s->verb, "out of memory");
	for (size_t i = 0; i < n; i++) {
		uint32_t own = callers ? arcs[i].callee : arcs[i].caller;
		uint32_t other = callers ? arcs[i].caller : arcs[i].callee;

		if (own != number)
			continue;
		rows.all[rows.count++] = (struct row){ cli_names_get(s->names, other),
						       cli_names_image(s->names, other),
						       arcs[i].calls, arcs[i].below, 0, 0, other };
		total += arcs[i].calls;
	}
	sort_rows(&rows, style->sort);
	fprintf(style->out, "%s (%s), called %s time%s\n", cli_names_get(s->names, number),
		cli_names_image(s->names, number),
		bob_format_count(a, bob_callgraph_calls(g)[number]),
		bob_plural(bob_callgraph_calls(g)[number]));
	shown = rows_shown(&rows, style);
	cli_table_begin(&t, 5, titles);
	for (size_t i = 0; i < shown; i++) {
		count_cell(&t, rows.all[i].calls);
		share_cell(&t, rows.all[i].calls, total);
		count_cell(&t, rows.all[i].below);
		cli_table_cell(&t, rows.all[i].image);
		cli_table_cell(&t, rows.all[i].name);
	}
	if (rows.count)
		cli_table_end(&t, style->width, style->out);
	else
		fputs("  none\n", style->out);
	print_rest(&rows, shown, total, "function", style->out);
	free(rows.all);
	return 0;
}

int cli_report_neighbours(struct cli_session *s, struct bob_callgraph *g, const char *pattern,
			  int callers, const struct cli_report_style *style)
{
	const uint64_t *calls = bob_callgraph_calls(g);
	int found = 0;

	for (uint32_t i = 0; i < bob_functions_count(s->functions); i++) {
		if (!calls[i] || !cli_names_match(s->names, i, pattern))
			continue;
		if (found++)
			fputc('\n', style->out);
		if (neighbours_of(s, g, i, callers, style))
			return 1;
	}
	return found ? 0 : 2;
}
