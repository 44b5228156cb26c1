/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/memory/report_syncs.h"

#include <stdlib.h>

#include "analysis/memory/syncs.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/place.h"
#include "cli/memory/report_memory.h"
#include "cli/terminal/text_table.h"

static const char *object_text(const struct cli_session *s, const struct bob_sync_row *r,
			       char text[CLI_NAME_SHOWN])
{
	switch ((enum bob_sync_where)r->where) {
	case BOB_SYNC_STACK:
		return "(stack)";
	case BOB_SYNC_ELSEWHERE:
		return "(heap or mapping)";
	case BOB_SYNC_NOWHERE:
		return "-";
	default:
		return cli_readable(s, r->name, text);
	}
}

/* NULL: no memory. The caller frees it. */
static char *site_text(const struct cli_session *s, const struct bob_sync_row *r)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	if (r->site_image == ~0u)
		fputs("-", f);
	else
		cli_place_print(s->trace, r->process, r->site_image, r->site, f);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static void print_row(struct cli_table *t, const struct cli_session *s,
		      const struct bob_sync_row *r)
{
	char a[BOB_NUMBER_MAX], text[CLI_NAME_SHOWN];
	char *site = site_text(s, r);

	cli_table_cell(t, bob_format_count(a, r->count));
	cli_table_cell(t, bob_format_count(a, r->threads));
	cli_table_cell(t, bob_format_count(a, r->objects));
	cli_table_cell(t, r->what);
	cli_table_cell(t, object_text(s, r, text));
	cli_table_cell(t, bob_sync_name(r->kind));
	cli_table_cell(t, site ? site : "?");
	free(site);
}

static int print_rows(const struct bob_sync_table *y, const struct cli_session *s,
		      const struct cli_report_style *style, uint32_t threads)
{
	static const char *const titles[] = { ">marks", ">threads", ">objects", "kind",
					      "object", "what threads do", "call site" };
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];
	uint64_t total = 0;
	struct cli_table t;
	size_t count;
	const struct bob_sync_row *row = bob_sync_table_rows(y, &count);

	for (size_t i = 0; i < count; i++)
		total += row[i].count;
	fprintf(style->out, "%s: %s mark%s of synchronisation in %s thread%s\n", s->dir,
		bob_format_count(a, total), bob_plural(total), bob_format_count(b, threads),
		bob_plural(threads));
	if (!count)
		return 0;
	fputc('\n', style->out);
	cli_table_begin(&t, 7, titles);
	for (size_t i = 0; i < count && (!style->limit || i < style->limit); i++)
		print_row(&t, s, &row[i]);
	if (cli_table_end(&t, style->width, style->out))
		return cli_fail("report", "out of memory");
	if (style->limit && count > style->limit)
		fprintf(style->out, "... %s more rows (--limit)\n",
			bob_format_count(a, count - style->limit));
	fputs("\nmarks: how often; threads: how many of them; objects: how many different ones, those of each process\n"
	      "counted; call site: of the call in the recorded code\n",
	      style->out);
	return 0;
}

int cli_report_syncs(struct cli_session *s, const struct cli_report_style *style)
{
	uint32_t n = bob_trace_thread_count(s->trace), count = 0;
	uint32_t *threads = calloc(n + 1u, sizeof(*threads));
	struct bob_error err = { .text = "" };
	struct bob_sync_table *y;
	bob_status st;
	int status;

	if (!threads)
		return cli_fail("report", "out of memory");
	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
		threads[count++] = i;
	st = bob_sync_table_create(s->trace, threads, count, &y, &err);
	free(threads);
	if (st != BOB_OK)
		return cli_fail_status("report", "not all of the trace can be read", st, &err);
	status = print_rows(y, s, style, count);
	bob_sync_table_destroy(y);
	return status;
}
