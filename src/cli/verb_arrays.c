/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin arrays: what happened to the variables of instrumented sources. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/arrays/arrays.h"
#include "cli/source/array_box.h"
#include "cli/source/array_names.h"
#include "cli/source/arrays_svg.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"
#include "analysis/place_cells.h"
#include "cli/session.h"
#include "cli/terminal/text_table.h"
#include "cli/terminal/width.h"
#include "cli/verbs.h"
#include "table/csv.h"

enum {
	OPT_VARIABLE,
	OPT_FORMAT,
	OPT_WINDOWS,
	OPT_WINDOW,
	OPT_GROUP,
	OPT_LIMIT,
	OPT_MAX_EVENTS,
	OPT_OUTPUT
};

const struct cli_option arrays_options[] = {
	{ "variable", 'v', "NAME",
	  "only this variable, or those that a pattern fits; with subscripts, such as "
	  "a[0..9][3] or a(1:5,2), only these elements",
	  .bind = CLI_BIND_NONE },
	{ "format", 'f', "FORMAT",
	  "text (default), csv: a line for each element, or svg: pictures",
	  .values = "text|csv|svg" },
	{ "windows", 'w', "N",
	  "csv and svg: each thread's accesses in N equal shares, one after the other",
	  .bind = CLI_BIND_NONE },
	{ "window", 0, "K/N", "only the K-th of N such shares, from 1",
	  .bind = CLI_BIND_NONE },
	{ "group", 'g', "SPEC", "only these threads: 0, 1.0, rank=0-3, pid=N, host=NAME",
	  .bind = CLI_BIND_NONE },
	{ "limit", 'n', "N",
	  "variables, and statements of each, that are printed or drawn (default 20, 0 "
	  "for all)",
	  .bind = CLI_BIND_NONE },
	{ "max-events", 0, "N", CLI_MAX_EVENTS_HELP,
	  .bind = CLI_BIND_NONE },
	{ "output", 'o', "FILE", "write there instead of standard output",
	  .bind = CLI_BIND_NONE },
	{ 0 },
};

#define LIMIT_DEFAULT 20u
#define MOVES_SHOWN 3u
#define TEXT_MAX 1024u

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_SVG };

struct question {
	struct cli_session s;
	struct bob_arrays_wanted wanted;
	char name[CLI_ARRAY_NAME_MAX];
	enum format format;
	uint64_t limit;
	const char *output;
	struct bob_arrays *arrays;
	uint32_t threads;
	FILE *out;
};

static int take_windows(struct question *q, const char *arg)
{
	uint64_t n;

	if (cli_parse_count(arg, &n) || !n || n > BOB_ARRAY_WINDOWS_MAX)
		return cli_misuse("arrays", "--windows is a number from 1 to %u, not '%s'",
				  BOB_ARRAY_WINDOWS_MAX, arg);
	q->wanted.windows = (uint32_t)n;
	return 0;
}

static int take_window(struct question *q, const char *arg)
{
	char *end, *last = NULL;
	unsigned long k = strtoul(arg, &end, 10), n = *end == '/' ? strtoul(end + 1, &last, 10) : 0;

	if (!n || !last || *last || !k || k > n || n > 1000000)
		return cli_misuse("arrays", "--window is K/N, such as 2/10, not '%s'", arg);
	q->wanted.window = (uint32_t)k;
	q->wanted.windows = (uint32_t)n;
	return 0;
}

static int take_option(struct question *q, int opt, const char *arg)
{
	int value = 0, status = 0;

	switch (opt) {
	case OPT_VARIABLE:
		return cli_array_box("arrays", arg, q->name, &q->wanted);
	case OPT_FORMAT:
		status = cli_option_word("arrays", &arrays_options[opt], arg, &value);
		q->format = (enum format)value;
		return status;
	case OPT_WINDOWS:
		return q->wanted.window ? cli_misuse("arrays", "--window or --windows, not both") :
					  take_windows(q, arg);
	case OPT_WINDOW:
		return q->wanted.windows ? cli_misuse("arrays", "--window or --windows, not both") :
					   take_window(q, arg);
	case OPT_GROUP:
		return cli_session_select("arrays", &q->s, arg);
	case OPT_MAX_EVENTS:
		return cli_session_max_events(&q->s, arg);
	case OPT_LIMIT:
		if (cli_parse_count(arg, &q->limit))
			return cli_misuse("arrays", "--limit is a number, not '%s'", arg);
		return 0;
	default:
		q->output = arg;
		return 0;
	}
}

/* --- text --- */

/* As it could be declared: a[100][50], f(-1:2,3). */
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

/* "[0][+1] 98%, [+1][-49] 2%". */
static void moves_text(const struct bob_array *a, const struct bob_array_site *site,
		       char text[TEXT_MAX])
{
	const struct bob_shape *s = &a->shape;
	char share[BOB_NUMBER_MAX];
	size_t len = 0;
	uint64_t rest = site->moves;

	*text = 0;
	for (uint32_t m = 0; m < MOVES_SHOWN && site->move[m].count && s->rank; m++) {
		len += (size_t)snprintf(text + len, TEXT_MAX - len, "%s", m ? ", " : "");
		for (uint32_t i = 0; i < s->rank; i++) {
			const uint32_t d = s->rows_first ? s->rank - 1 - i : i;
			const int64_t by = site->move[m].by[d];

			len += (size_t)snprintf(text + len, TEXT_MAX - len,
						by ? "%s%+" PRId64 "%s" : "%s%" PRId64 "%s",
						s->rows_first ? "[" :
						i	      ? "," :
								"(",
						by,
						s->rows_first	 ? "]" :
						i + 1 == s->rank ? ")" :
								   "");
		}
		len += (size_t)snprintf(text + len, TEXT_MAX - len, " %s",
					bob_format_share(share, site->move[m].count, site->moves));
		rest -= site->move[m].count;
	}
	if (rest && s->rank)
		snprintf(text + len, TEXT_MAX - len, "%s...", len ? ", " : "");
}

static void print_touch(const struct question *q, const char *what, const struct bob_array *a,
			const struct bob_array_touch *t)
{
	const struct bob_thread_info *th = bob_trace_thread(q->s.trace, t->thread);
	int64_t at[BOB_SHAPE_DIMENSIONS_MAX];
	char text[BOB_SUBSCRIPTS_MAX], n[BOB_NUMBER_MAX];
	uint64_t rest = t->number;

	for (uint32_t d = 0; d < a->shape.rank; d++) {
		at[d] = a->shape.bounds[d][0] + (int64_t)(rest % (uint64_t)a->shape.bounds[d][1]);
		rest /= (uint64_t)a->shape.bounds[d][1];
	}
	bob_subscripts_of(&a->shape, at, NULL, text, sizeof(text));
	fprintf(q->out,
		"  %s: %s%s %s, %s:%" PRIu32 ", access %s of thread %" PRIu32 ".%" PRIu32 "\n",
		what, a->shape.name, text, t->store ? "written" : "read", bob_base_name(t->file),
		t->line, bob_format_count(n, t->position), th->process, th->number);
}

static void print_summary(const struct question *q, const struct bob_array *a)
{
	char n[BOB_NUMBER_MAX], m[BOB_NUMBER_MAX], share[BOB_NUMBER_MAX];
	const int binned = a->cells != a->shape.elements;

	fputc('\n', q->out);
	print_declaration(&a->shape, q->out);
	fprintf(q->out, "   %" PRIu32 " B each   %s\n", a->shape.element, bob_base_name(a->source));
	fprintf(q->out, "  %s read%s, ", bob_format_count(n, a->loads), bob_plural(a->loads));
	fprintf(q->out, "%s write%s; ", bob_format_count(n, a->stores), bob_plural(a->stores));
	fprintf(q->out, "touched %s of %s %s (%s)\n", bob_format_count(n, a->touched),
		bob_format_count(m, a->cells), binned ? "groups of elements" : "elements",
		bob_format_share(share, a->touched, a->cells));
	if (a->shape.varies)
		fprintf(q->out,
			"  its bounds changed, %" PRIu32
			" were told: subscripts are those of the largest\n",
			a->shape.variants);
	if (a->before)
		fprintf(q->out, "  %s of them before its elements, in what shares its storage\n",
			bob_format_count(n, a->before));
	if (a->behind)
		fprintf(q->out, "  %s of them behind its elements, in what shares its storage\n",
			bob_format_count(n, a->behind));
	if (a->sites) {
		print_touch(q, "first", a, &a->first);
		print_touch(q, "last", a, &a->last);
	}
}

static int print_sites(const struct question *q, const struct bob_array *a)
{
	static const char *const titles[] = { ">  accesses", ">share", "", "statement", "moves" };
	char n[BOB_NUMBER_MAX], text[TEXT_MAX];
	struct cli_table t;

	if (!a->sites)
		return 0;
	cli_table_begin(&t, 5, titles);
	for (size_t i = 0; i < a->sites && (!q->limit || i < q->limit); i++) {
		const struct bob_array_site *s = &a->site[i];

		cli_table_cell(&t, bob_format_count(n, s->accesses));
		cli_table_cell(&t, bob_format_share(n, s->accesses, a->loads + a->stores));
		cli_table_cell(&t, s->store ? "write" : "read");
		snprintf(text, sizeof(text), "%.160s:%" PRIu32 "  %.160s", bob_base_name(s->file),
			 s->line, s->function);
		cli_table_cell(&t, text);
		moves_text(a, s, text);
		cli_table_cell(&t, text);
	}
	if (cli_table_end(&t, q->output ? 0 : cli_terminal_width(), q->out))
		return cli_fail("arrays", "out of memory");
	if (q->limit && a->sites > q->limit)
		fprintf(q->out, "  ... %s more (--limit)\n",
			bob_format_count(n, a->sites - q->limit));
	return 0;
}

static void print_title(const struct question *q, size_t count, FILE *out)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];
	const uint64_t n = bob_arrays_accesses(q->arrays);

	fprintf(out, "%s: %s access%s of %s thread%s; %s variable%s", q->s.dir,
		bob_format_count(a, n), n == 1 ? "" : "es", bob_format_count(b, q->threads),
		bob_plural(q->threads), bob_format_count(c, count), bob_plural(count));
	if (q->wanted.window)
		fprintf(out, "; share %" PRIu32 " of %" PRIu32 " of each thread", q->wanted.window,
			q->wanted.windows);
}

static int print_text(const struct question *q, const struct bob_array *a, size_t count)
{
	char n[BOB_NUMBER_MAX];
	int status = 0;

	print_title(q, count, q->out);
	fputc('\n', q->out);
	for (size_t i = 0; i < count && (!q->limit || i < q->limit) && !status; i++) {
		print_summary(q, &a[i]);
		status = print_sites(q, &a[i]);
	}
	if (q->limit && count > q->limit)
		fprintf(q->out, "\n... %s more variables (--limit)\n",
			bob_format_count(n, count - q->limit));
	return status;
}

/* --- csv --- */

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

static void print_cell(const struct question *q, const struct bob_array *a, uint32_t window,
		       uint64_t cell, uint32_t columns)
{
	const uint64_t i = window * a->cells + cell;
	int64_t at[BOB_SHAPE_DIMENSIONS_MAX];

	if (!a->read[i] && !a->written[i])
		return;
	bob_array_cell(a, cell, at);
	bob_csv_text(a->shape.name, q->out);
	fputc(',', q->out);
	bob_csv_text(a->source, q->out);
	fprintf(q->out, ",%" PRIu32, q->wanted.window ? q->wanted.window : window + 1);
	for (uint32_t k = 0; k < columns; k++) {
		fputc(',', q->out);
		if (k < a->shape.rank)
			fprintf(q->out, "%" PRId64,
				at[a->shape.rows_first ? a->shape.rank - 1 - k : k]);
	}
	fprintf(q->out, ",%" PRIu32 ",%" PRIu32 "\n", a->read[i], a->written[i]);
}

static int print_csv(const struct question *q, const struct bob_array *a, size_t count)
{
	uint32_t columns = 0;

	for (size_t i = 0; i < count; i++)
		columns = a[i].shape.rank > columns ? a[i].shape.rank : columns;
	fputs("variable,source,window", q->out);
	for (uint32_t k = 0; k < columns; k++)
		fprintf(q->out, ",subscript%" PRIu32, k + 1);
	fputs(",reads,writes\n", q->out);
	for (size_t i = 0; i < count; i++) {
		warn_of_bins(&a[i]);
		for (uint32_t w = 0; w < a[i].windows; w++)
			for (uint64_t c = 0; c < a[i].cells; c++)
				print_cell(q, &a[i], w, c, columns);
	}
	return 0;
}

/* --- pictures --- */

static int print_svg(const struct question *q, const struct bob_array *a, size_t count)
{
	const size_t shown = q->limit && count > q->limit ? q->limit : count;
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
	cli_arrays_svg(a, shown, title, q->out);
	free(title);
	return 0;
}

/* --- the verb --- */

static int make(struct question *q)
{
	const uint32_t n = bob_trace_thread_count(q->s.trace);
	uint32_t *threads = calloc(n + 1u, sizeof(*threads));
	struct bob_error err = { .text = "" };
	struct bob_shape shape;
	bob_status st = BOB_NONE;
	size_t count;

	if (!threads)
		return cli_fail("arrays", "out of memory");
	for (uint32_t i = cli_session_thread(&q->s, 0); i < n; i = cli_session_thread(&q->s, i + 1))
		threads[q->threads++] = i;
	for (uint32_t i = 0; i < bob_trace_process_count(q->s.trace) && st != BOB_OK; i++)
		st = bob_trace_shape_at(q->s.trace, i, 0, &shape);
	if (st != BOB_OK) {
		free(threads);
		return cli_fail("arrays",
				"the trace has no variables with bounds; they are recorded with "
				"bobbin instrument and bobbin record --source");
	}
	q->wanted.count = q->format != FORMAT_TEXT;
	st = bob_arrays_create(q->s.trace, threads, q->threads, &q->wanted, &q->s.progress,
			       &q->arrays, &err);
	cli_session_progress_end(&q->s);
	free(threads);
	if (st != BOB_OK)
		return cli_fail_status("arrays", "not all of the trace can be read", st, &err);
	(void)bob_arrays_all(q->arrays, &count);
	if (!count && q->wanted.variable)
		return cli_array_not_found("arrays", q->s.trace, &q->wanted);
	if (!count)
		return cli_fail("arrays", "no variable was accessed in the threads chosen");
	return 0;
}

static int answer(struct question *q)
{
	size_t count;
	const struct bob_array *a = bob_arrays_all(q->arrays, &count);

	if (q->format == FORMAT_CSV)
		return print_csv(q, a, count);
	if (q->format == FORMAT_SVG)
		return print_svg(q, a, count);
	return print_text(q, a, count);
}

int verb_arrays(int argc, char **argv)
{
	struct question q = { .s = { .verb = "arrays" }, .limit = LIMIT_DEFAULT };
	struct cli_options o;
	const char *arg;
	int opt, status = 0;
	size_t count = 0;

	cli_options_begin(&o, "arrays", argc, argv);
	while ((opt = cli_options_next(&o, &arg)) >= 0)
		if (!status)
			status = take_option(&q, opt, arg);
	if (opt != CLI_OPTIONS_END)
		return opt == CLI_OPTIONS_HELP ? 0 : 2;
	if (!status)
		status = cli_session_open(&q.s, argc, argv);
	if (status)
		return status;
	status = make(&q);
	/* of a damaged trace what could be read is printed all the same */
	if (q.arrays)
		(void)bob_arrays_all(q.arrays, &count);
	q.out = count ? cli_output_open("arrays", q.output) : NULL;
	if (q.out) {
		status |= answer(&q);
		status |= cli_output_close("arrays", q.out, q.output);
	} else {
		status = 1;
	}
	bob_arrays_destroy(q.arrays);
	cli_session_close(&q.s);
	return status;
}
