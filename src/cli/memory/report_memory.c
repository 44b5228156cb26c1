/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/memory/report_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/memory.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/place.h"
#include "cli/terminal/text_table.h"
#include "cli/untraced.h"
#include "sys/sys.h"

#define UNFOLDED_ROWS 10u	/* unless --limit says something else */
#define PLACE_MAX 512u

int cli_report_is_memory(const struct cli_session *s)
{
	uint32_t n = bob_trace_thread_count(s->trace);
	struct bob_access_cursor *c;
	int found = 0;

	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1)) {
		if (bob_trace_thread(s->trace, i)->symbols)
			return 0;
		if (!found && bob_access_cursor_open(s->trace, i, &c, NULL) == BOB_OK) {
			bob_access_cursor_close(c);
			found = 1;
		}
	}
	return found;
}

static uint64_t all(const struct bob_memory_row *r)
{
	return r->loads + r->stores + r->atomics;
}

/* --- rows --- */

/* Exact, or a bound that says so. */
static const char *footprint(char buf[BOB_NUMBER_MAX + 2], const struct bob_memory_row *r)
{
	char a[BOB_NUMBER_MAX];

	if (r->unknown == all(r))
		return "?";
	if (r->irregular == all(r))
		return "-";
	if (r->unknown || r->irregular)
		snprintf(buf, BOB_NUMBER_MAX + 2, ">=%s", bob_format_bytes(a, r->footprint));
	else
		snprintf(buf, BOB_NUMBER_MAX + 2, "%s%s",
			 r->footprint_most > r->footprint ? "<=" : "",
			 bob_format_bytes(a, r->footprint_most));
	return buf;
}

/* The most frequent one; how frequent, if there are others. */
static const char *stride(char buf[64], const struct bob_memory_row *r)
{
	const struct bob_memory_stride *s = &r->stride[0];
	char a[BOB_NUMBER_MAX];

	if (!s->accesses)
		return "-";
	if (200 * s->accesses >= 199 * all(r))
		snprintf(buf, 64, "%+" PRId64, s->bytes);
	else
		snprintf(buf, 64, "%+" PRId64 " %s", s->bytes,
			 bob_format_share(a, s->accesses, all(r)));
	return buf;
}

const char *cli_readable(const struct cli_session *s, const char *name, char text[CLI_NAME_SHOWN])
{
	char *plain = !s->no_demangle && name[0] == '_' && name[1] == 'Z' ? bob_demangle(name) :
									    NULL;

	snprintf(text, CLI_NAME_SHOWN, "%s", plain ? plain : name);
	free(plain);
	return text;
}

static void place(const struct cli_session *s, const struct bob_memory_row *r,
		  enum bob_memory_by by, char text[PLACE_MAX])
{
	char name[CLI_NAME_SHOWN];
	const char *function = cli_readable(s, r->function, name);

	if (by == BOB_MEMORY_LINE && r->line)
		snprintf(text, PLACE_MAX, "%.160s:%" PRIu32 "%s%.160s", cli_base_name(r->file),
			 r->line, *function ? "  " : "", function);
	else if (by == BOB_MEMORY_VARIABLE)
		snprintf(text, PLACE_MAX, "%.160s%s%.160s", bob_variable_text(&r->variable),
			 *function ? "  in " : "", function);
	else if (*function && r->offset)
		snprintf(text, PLACE_MAX, "%.40s+0x%" PRIx64, function, r->offset);
	else if (*function)
		snprintf(text, PLACE_MAX, "%.160s%s", function,
			 by == BOB_MEMORY_LINE ? "  (no line known)" : "");
	else
		snprintf(text, PLACE_MAX, r->addr ? "0x%" PRIx64 : "?", r->addr);
}

static void print_row(struct cli_table *t, const struct cli_session *s,
		      const struct bob_memory_row *r, enum bob_memory_by by, uint64_t total)
{
	char a[BOB_NUMBER_MAX + 2], text[PLACE_MAX];

	cli_table_cell(t, bob_format_count(a, all(r)));
	cli_table_cell(t, bob_format_share(a, all(r), total));
	cli_table_cell(t, bob_format_count(a, r->loads));
	cli_table_cell(t, bob_format_count(a, r->stores + r->atomics));
	cli_table_cell(t, bob_format_bytes(a, r->bytes));
	cli_table_cell(t, footprint(a, r));
	cli_table_cell(t, stride(text, r));
	cli_table_cell(t, r->unknown ? "?" : bob_format_share(a, r->irregular, all(r)));
	cli_table_cell(t, *r->image ? r->image : "(none)");
	place(s, r, by, text);
	cli_table_cell(t, text);
}

static void print_head(const struct cli_session *s, const struct cli_report_style *style,
		       uint32_t threads, uint64_t total)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];
	struct bob_trace_sizes sizes;

	bob_trace_sizes(s->trace, &sizes);
	fprintf(style->out, "%s: %s access%s in %s thread%s, kept in %s\n\n", s->dir,
		bob_format_count(a, total), total == 1 ? "" : "es", bob_format_count(b, threads),
		bob_plural(threads), bob_format_bytes(c, sizes.stream_bytes));
}

static int print_rows(const struct bob_memory *m, const struct cli_session *s,
		      const struct cli_report_style *style, enum bob_memory_by by, uint32_t threads)
{
	static const char *const kinds[] = { "function", "instruction", "line", "variable" };
	const char *titles[] = { ">accesses", ">share", ">loads", ">stores", ">bytes",
				 ">footprint", ">stride", ">irregular", "image", kinds[by] };
	char a[BOB_NUMBER_MAX];
	struct cli_table t;
	uint64_t total = 0;
	int bounds = 0;
	size_t count;
	const struct bob_memory_row *row = bob_memory_rows(m, &count);

	for (size_t i = 0; i < count; i++)
		total += all(&row[i]);
	print_head(s, style, threads, total);
	cli_table_begin(&t, 10, titles);
	for (size_t i = 0; i < count && (!style->limit || i < style->limit); i++) {
		print_row(&t, s, &row[i], by, total);
		bounds |= row[i].unknown || row[i].irregular ||
			  row[i].footprint != row[i].footprint_most;
	}
	if (cli_table_end(&t, style->width, style->out))
		return cli_fail("report", "out of memory");
	if (style->limit && count > style->limit)
		fprintf(style->out, "... %s more rows (--limit)\n",
			bob_format_count(a, count - style->limit));
	fputs("\nfootprint: different bytes touched; stride: bytes from one access of an instruction to its next, the\n"
	      "most frequent one; irregular: accesses whose addresses follow no rule\n",
	      style->out);
	if (bounds)
		fputs("<= and >= are bounds: rows that overlap in part; accesses without rule come on top; ?: accesses that\n"
		      "happen only sometimes\n",
		      style->out);
	return 0;
}

/* --- what did not fold --- */

static void where(const struct cli_session *s, const struct bob_memory_unfolded *u,
		  char text[PLACE_MAX])
{
	const struct bob_image_info *im = bob_trace_image(s->trace, u->process, u->image);
	struct bob_function_info f = { .name = "" };
	struct bob_source_line line;
	char name[CLI_NAME_SHOWN];

	(void)bob_trace_function_at(s->trace, u->process, u->image, u->pc, &f);
	cli_readable(s, f.name, name);
	if (bob_trace_source(s->trace, u->process, u->image, u->pc, &line) == BOB_OK && line.line)
		snprintf(text, PLACE_MAX, "%.160s  %.160s:%" PRIu32, name, cli_base_name(line.file),
			 line.line);
	else if (*f.name)
		snprintf(text, PLACE_MAX, "%.160s+0x%" PRIx64, name, u->pc - f.addr);
	else
		snprintf(text, PLACE_MAX, "%.160s+0x%" PRIx64, im ? im->soname : "", u->pc);
}

static void why(const struct cli_session *s, const struct bob_memory_unfolded *u,
		char text[PLACE_MAX])
{
	static const char *const types[] = { "load", "store", "atomic" };
	char a[BOB_NUMBER_MAX];
	const struct bob_place *p;
	struct bob_source_line line;

	(void)bob_trace_source(s->trace, u->process, u->image, u->pc, &line);
	p = u->type == BOB_ACCESS_LOAD ? &line.load : &line.store;
	switch (u->reason) {
	case BOB_MEMORY_ADDRESSES:
		snprintf(text, PLACE_MAX, "%s%s%.100s: %s of its addresses follow no rule",
			 types[u->type], *p->name ? " of " : "", p->name,
			 bob_format_share(a, u->values, u->all));
		break;
	case BOB_MEMORY_PIECES:
		snprintf(text, PLACE_MAX,
			 "%s%s%.100s: a rule for its addresses holds for %" PRIu64
			 " accesses, on average",
			 types[u->type], *p->name ? " of " : "", p->name, u->all / u->values);
		break;
	case BOB_MEMORY_TRIPS:
		snprintf(text, PLACE_MAX, "loop: its trip counts follow no rule");
		break;
	default:
		snprintf(text, PLACE_MAX, "the order of what happens does not repeat");
	}
}

/* Were some accesses not looked at in their folded form? */
static int is_expanded(const struct bob_memory *m)
{
	size_t count;
	const struct bob_memory_row *row = bob_memory_rows(m, &count);

	for (size_t i = 0; i < count; i++)
		if (row[i].unknown)
			return 1;
	return 0;
}

static int print_unfolded(const struct bob_memory *m, const struct cli_session *s,
			  const struct cli_report_style *style)
{
	static const char *const titles[] = { ">values", "where", "why it did not fold" };
	char a[BOB_NUMBER_MAX], text[PLACE_MAX];
	uint64_t most = style->limit < UNFOLDED_ROWS && style->limit ? style->limit : UNFOLDED_ROWS;
	size_t count;
	const struct bob_memory_unfolded *u = bob_memory_unfolded(m, &count);
	struct cli_table t;

	if (!style->limit)
		most = count;
	if (!count) {
		if (!is_expanded(m))
			fputs("\neverything folded\n", style->out);
		return 0;
	}
	fputc('\n', style->out);
	cli_table_begin(&t, 3, titles);
	for (size_t i = 0; i < count && i < most; i++) {
		cli_table_cell(&t, bob_format_count(a, u[i].values));
		where(s, &u[i], text);
		cli_table_cell(&t, text);
		why(s, &u[i], text);
		cli_table_cell(&t, text);
	}
	if (cli_table_end(&t, style->width, style->out))
		return cli_fail("report", "out of memory");
	if (count > most)
		fprintf(style->out, "... %s more (--limit=0)\n", bob_format_count(a, count - most));
	return 0;
}

int cli_report_memory(struct cli_session *s, enum bob_memory_by by,
		      const struct cli_report_style *style)
{
	uint32_t n = bob_trace_thread_count(s->trace), count = 0;
	uint32_t *threads = calloc(n + 1u, sizeof(*threads));
	struct bob_error err = { .text = "" };
	char a[BOB_NUMBER_MAX];
	struct bob_memory *m;
	bob_status st;
	int status;

	if (!threads)
		return cli_fail("report", "out of memory");
	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
		threads[count++] = i;
	st = bob_memory_create(s->trace, threads, count, by, &m, &err);
	free(threads);
	if (st != BOB_OK)
		return cli_fail_status("report", "not all of the trace can be read", st, &err);
	status = print_rows(m, s, style, by, count);
	if (!status)
		status = print_unfolded(m, s, style);
	if (!status && bob_memory_syncs(m))
		fprintf(style->out, "\nsynchronisation: %s mark%s; bobbin report --by=sync\n",
			bob_format_count(a, bob_memory_syncs(m)), bob_plural(bob_memory_syncs(m)));
	bob_memory_destroy(m);
	if (!status) {
		fputc('\n', style->out);
		cli_untraced_print(s, style->out);
	}
	return status;
}
