/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin arrays: accesses to the variables of instrumented sources. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/arrays/tables.h"
#include "cli/answer.h"
#include "cli/source/array_box.h"
#include "cli/source/array_names.h"
#include "cli/source/arrays_svg.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "analysis/place_cells.h"
#include "cli/verbs.h"

#define LIMIT_DEFAULT 20u
#define ROWS_FLUSHED 4096u	/* cells of a table of elements; printed in parts */

enum { FORMAT_SVG = BOB_TABLE_JSON + 1 };
enum by { BY_ELEMENT, BY_STATEMENT, BY_DEFAULT };

struct question {
	struct cli_answer a;
	struct bob_arrays_wanted wanted;
	char name[CLI_ARRAY_NAME_MAX];
	enum by by;
	struct bob_arrays *arrays;
	uint32_t threads;
};

static int take_variable(const char *verb, void *question, const char *arg)
{
	struct question *q = question;

	return cli_array_box(verb, arg, q->name, &q->wanted);
}

static int take_windows(const char *verb, void *wanted, const char *arg)
{
	struct bob_arrays_wanted *w = wanted;
	uint64_t n;

	if (w->window)
		return cli_misuse(verb, "--window or --windows, not both");
	if (cli_parse_count(arg, &n) || !n || n > BOB_ARRAY_WINDOWS_MAX)
		return cli_misuse(verb, "--windows is a number from 1 to %u, not '%s'",
				  BOB_ARRAY_WINDOWS_MAX, arg);
	w->windows = (uint32_t)n;
	return 0;
}

static int take_window(const char *verb, void *wanted, const char *arg)
{
	struct bob_arrays_wanted *w = wanted;
	char *end, *last = NULL;
	unsigned long k = strtoul(arg, &end, 10), n = *end == '/' ? strtoul(end + 1, &last, 10) : 0;

	if (w->windows)
		return cli_misuse(verb, "--window or --windows, not both");
	if (!n || !last || *last || !k || k > n || n > 1000000)
		return cli_misuse(verb, "--window is K/N, such as 2/10, not '%s'", arg);
	w->window = (uint32_t)k;
	w->windows = (uint32_t)n;
	return 0;
}

const struct cli_option arrays_options[] = {
	{ "variable", 'v', "NAME",
	  "only variables whose name matches; with subscripts, such as a[0..9][3] or "
	  "a(1:5,2), only these elements",
	  .bind = CLI_BIND_TAKE, .take = take_variable },
	{ "by", 'b', "KIND",
	  "rows of csv and json: element (default), or statement, as in text",
	  CLI_WORD(struct question, by, "element|statement") },
	{ "windows", 'w', "N",
	  "elements and svg: divide each thread's accesses into N equal shares, one after "
	  "the other",
	  CLI_TAKE(struct question, wanted, take_windows) },
	{ "window", 0, "K/N", "only share K of N, from 1",
	  CLI_TAKE(struct question, wanted, take_window) },
	CLI_OPTIONS_TABLE(struct question, a, CLI_FORMATS "|svg"),
	CLI_OPTIONS_THREADS(struct question, a),
	CLI_OPTIONS_OUTPUT(struct question, a),
	CLI_OPTION_NO_DEMANGLE(struct question, a.s),
	{ 0 },
};

/* Number of variables to print or draw, 0: all. */
static uint64_t limit_of(const struct question *q)
{
	const struct bob_table_view *view = &q->a.view;

	if (view->limit != BOB_TABLE_LIMIT_DEFAULT)
		return view->limit;
	return view->format == BOB_TABLE_TEXT || (int)view->format == FORMAT_SVG ? view->usual : 0;
}

/* --- text --- */

/* Prints the variable as a declaration: a[100][50], f(-1:2,3). */
static void print_declaration(const struct bob_shape *s, FILE *out)
{
	fputs(*s->name ? s->name : "(no name)", out);
	for (uint32_t i = 0; i < s->rank; i++) {
		const uint32_t d = s->rows_first ? s->rank - 1 - i : i;
		const int64_t lower = s->bounds[d][0], extent = s->bounds[d][1];

		fputs(s->rows_first ? "[" : i ? "," : "(", out);
		if (lower == !s->rows_first)
			fprintf(out, "%" PRId64, extent);
		else
			fprintf(out,
				s->rows_first ? "%" PRId64 "..%" PRId64 : "%" PRId64 ":%" PRId64,
				lower, lower + extent - 1);
		if (s->rows_first || i + 1 == s->rank)
			fputs(s->rows_first ? "]" : ")", out);
	}
}

static void print_touch(const struct question *q, const char *what, const struct bob_array *a,
			const struct bob_array_touch *t)
{
	const struct bob_thread_info *th = bob_trace_thread(q->a.s.trace, t->thread);
	int64_t at[BOB_SHAPE_DIMENSIONS_MAX];
	char text[BOB_SUBSCRIPTS_MAX], n[BOB_NUMBER_MAX];
	uint64_t rest = t->number;

	for (uint32_t d = 0; d < a->shape.rank; d++) {
		at[d] = a->shape.bounds[d][0] + (int64_t)(rest % (uint64_t)a->shape.bounds[d][1]);
		rest /= (uint64_t)a->shape.bounds[d][1];
	}
	bob_subscripts_of(&a->shape, at, NULL, text, sizeof(text));
	fprintf(q->a.text,
		"  %s: %s%s %s, %s:%" PRIu32 ", access %s of thread %" PRIu32 ".%" PRIu32 "\n",
		what, a->shape.name, text, t->store ? "written" : "read", bob_base_name(t->file),
		t->line, bob_format_count(n, t->position), th->process, th->number);
}

static void print_summary(const struct question *q, const struct bob_array *a)
{
	char n[BOB_NUMBER_MAX], m[BOB_NUMBER_MAX], share[BOB_NUMBER_MAX];
	const int binned = a->cells != a->shape.elements;

	fputc('\n', q->a.text);
	print_declaration(&a->shape, q->a.text);
	fprintf(q->a.text, "   %" PRIu32 " B each   %s\n", a->shape.element,
		bob_base_name(a->source));
	fprintf(q->a.text, "  %s read%s, ", bob_format_count(n, a->loads), bob_plural(a->loads));
	fprintf(q->a.text, "%s write%s; ", bob_format_count(n, a->stores), bob_plural(a->stores));
	fprintf(q->a.text, "touched %s of %s %s (%s)\n", bob_format_count(n, a->touched),
		bob_format_count(m, a->cells), binned ? "groups of elements" : "elements",
		bob_format_share(share, a->touched, a->cells));
	if (a->shape.varies)
		fprintf(q->a.text,
			"  its bounds changed, %" PRIu32
			" were reported: subscripts are those of the largest\n",
			a->shape.variants);
	if (a->before)
		fprintf(q->a.text, "  %s of them before its elements, in what shares its storage\n",
			bob_format_count(n, a->before));
	if (a->after)
		fprintf(q->a.text, "  %s of them after its elements, in what shares its storage\n",
			bob_format_count(n, a->after));
	if (a->sites) {
		print_touch(q, "first", a, &a->first);
		print_touch(q, "last", a, &a->last);
	}
}

static void print_title(const struct question *q, size_t count, FILE *out)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];
	const uint64_t n = bob_arrays_accesses(q->arrays);

	fprintf(out, "%s: %s access%s of %s thread%s; %s variable%s", q->a.s.dir,
		bob_format_count(a, n), n == 1 ? "" : "es", bob_format_count(b, q->threads),
		bob_plural(q->threads), bob_format_count(c, count), bob_plural(count));
	if (q->wanted.window)
		fprintf(out, "; share %" PRIu32 " of %" PRIu32 " of each thread", q->wanted.window,
			q->wanted.windows);
}

static int print_statements(struct question *q, const struct bob_array *a)
{
	const struct bob_naming names = cli_session_naming(&q->a.s);

	if (!a->sites)
		return 0;
	return cli_answer_table(&q->a, bob_array_statements_table(a, &names));
}

static int print_text(struct question *q, const struct bob_array *a, size_t count)
{
	const uint64_t limit = limit_of(q);
	char n[BOB_NUMBER_MAX];
	int status = 0;

	print_title(q, count, q->a.text);
	fputc('\n', q->a.text);
	for (size_t i = 0; i < count && (!limit || i < limit) && !status; i++) {
		print_summary(q, &a[i]);
		status = print_statements(q, &a[i]);
	}
	if (limit && count > limit)
		fprintf(q->a.text, "\n... %s more variable%s; --limit=0 shows all\n",
			bob_format_count(n, count - limit), bob_plural(count - limit));
	return status;
}

/* --- elements --- */

static void warn_of_bins(const struct bob_array *a)
{
	int64_t last[BOB_SHAPE_DIMENSIONS_MAX], first[BOB_SHAPE_DIMENSIONS_MAX];
	char text[BOB_SUBSCRIPTS_MAX];

	if (a->cells == a->shape.elements)
		return;
	bob_array_cell(a, 0, first);
	for (uint32_t d = 0; d < a->shape.rank; d++)
		last[d] = first[d] + (int64_t)a->bin[d] - 1;
	bob_subscripts_of(&a->shape, first, last, text, sizeof(text));
	cli_warn("arrays", "%s has too many elements: they are counted in groups like %s%s",
		 a->shape.name, a->shape.name, text);
}

static int print_elements(struct question *q, const struct bob_array *a, size_t count)
{
	const uint32_t window = q->wanted.window;
	uint32_t rank = 0;
	struct bob_table *t;
	int status = 0;

	for (size_t i = 0; i < count; i++)
		rank = a[i].shape.rank > rank ? a[i].shape.rank : rank;
	t = bob_array_elements_table(rank);
	if (cli_answer_is_help(&q->a))
		return cli_answer_table(&q->a, t);
	for (size_t i = 0; i < count; i++) {
		warn_of_bins(&a[i]);
		for (uint32_t w = 0; w < a[i].windows; w++)
			for (uint64_t c = 0; c < a[i].cells && !status; c += ROWS_FLUSHED) {
				const uint64_t rest = a[i].cells - c;

				bob_array_elements_rows(
					t, rank, &a[i], w, window ? window : w + 1, c,
					c + (rest < ROWS_FLUSHED ? rest : ROWS_FLUSHED));
				status = cli_answer_flush(&q->a, t);
			}
	}
	bob_table_destroy(t);
	return status;
}

/* --- pictures --- */

static int print_svg(const struct question *q, const struct bob_array *a, size_t count)
{
	const uint64_t limit = limit_of(q);
	const size_t shown = limit && count > limit ? limit : count;
	char *title = NULL;
	size_t len;
	FILE *f = open_memstream(&title, &len);

	if (!f)
		return cli_fail("arrays", "out of memory");
	print_title(q, count, f);
	if (shown < count)
		fprintf(f, ", %zu shown", shown);
	if (q->wanted.windows > 1 && !q->wanted.window)
		fprintf(f, "; %" PRIu32 " shares of each thread", q->wanted.windows);
	fclose(f);
	for (size_t i = 0; i < shown; i++)
		warn_of_bins(&a[i]);
	cli_arrays_svg(a, shown, title, q->a.out);
	free(title);
	return 0;
}

/* --- the verb --- */

static int make(struct question *q)
{
	uint32_t *threads = cli_session_threads(&q->a.s, &q->threads);
	struct bob_error err = { .text = "" };
	struct bob_shape shape;
	bob_status st = BOB_NONE;
	size_t count;

	if (!threads)
		return cli_fail("arrays", "out of memory");
	for (uint32_t i = 0; i < bob_trace_process_count(q->a.s.trace) && st != BOB_OK; i++)
		st = bob_trace_shape_at(q->a.s.trace, i, 0, &shape);
	if (st != BOB_OK) {
		free(threads);
		return cli_fail("arrays",
				"the trace has no variables with bounds; they are recorded with "
				"bobbin instrument and bobbin record --source");
	}
	q->wanted.count = q->by == BY_ELEMENT;
	st = bob_arrays_create(q->a.s.trace, threads, q->threads, &q->wanted, &q->a.s.progress,
			       &q->arrays, &err);
	cli_session_progress_end(&q->a.s);
	free(threads);
	if (st != BOB_OK)
		return cli_fail_status("arrays", "not all of the trace can be read", st, &err);
	(void)bob_arrays_all(q->arrays, &count);
	if (!count && q->wanted.variable)
		return cli_array_not_found("arrays", q->a.s.trace, &q->wanted);
	if (!count)
		return cli_fail("arrays", "no variable was accessed in the threads chosen");
	return 0;
}

static int answer(struct question *q)
{
	size_t count;
	const struct bob_array *a = bob_arrays_all(q->arrays, &count);
	int status = 0;

	if ((int)q->a.view.format == FORMAT_SVG)
		return print_svg(q, a, count);
	if (q->by == BY_ELEMENT)
		return print_elements(q, a, count);
	if (q->a.view.format == BOB_TABLE_TEXT)
		return print_text(q, a, count);
	for (size_t i = 0; i < count && !status; i++)
		status = print_statements(q, &a[i]);
	return status;
}

/* Whether the options are compatible. */
static int check(struct question *q)
{
	const struct bob_array none = { .shape = { .name = "" } };
	const struct bob_naming names = cli_session_naming(&q->a.s);
	const int is_text = q->a.view.format == BOB_TABLE_TEXT;

	if (is_text && q->by == BY_ELEMENT)
		return cli_misuse("arrays", "--by=element is for csv and json");
	if (q->by == BY_DEFAULT)
		q->by = is_text ? BY_STATEMENT : BY_ELEMENT;
	if (q->by == BY_ELEMENT && q->a.view.sort)
		return cli_misuse("arrays",
				  "--sort is for statements: elements come as they are in "
				  "memory");
	return cli_answer_check(&q->a, q->by == BY_STATEMENT ?
					       bob_array_statements_table(&none, &names) :
					       bob_array_elements_table(BOB_SHAPE_DIMENSIONS_MAX));
}

int verb_arrays(int argc, char **argv)
{
	struct question q = { .a = CLI_ANSWER("arrays", LIMIT_DEFAULT), .by = BY_DEFAULT };
	int status = cli_options_read("arrays", argc, argv, &q);
	size_t count = 0;

	if (status != CLI_GO_ON)
		return status;
	status = cli_session_open(&q.a.s, argc, argv);
	if (status)
		return status;
	status = check(&q);
	if (!status)
		status = make(&q);
	/* prints what could be read of a damaged trace */
	if (q.arrays)
		(void)bob_arrays_all(q.arrays, &count);
	if (count && cli_answer_begin(&q.a))
		status = 1;
	else if (count)
		status |= cli_answer_end(&q.a, answer(&q));
	bob_arrays_destroy(q.arrays);
	cli_session_close(&q.a.s);
	return status;
}
