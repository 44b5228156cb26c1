/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/report_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/memory/memory.h"
#include "cli/complain.h"
#include "cli/numbers.h"
#include "cli/text_table.h"
#include "cli/untraced.h"

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

static void print_row(struct cli_table *t, const struct bob_memory_row *r, uint64_t total)
{
	char a[CLI_NUMBER_MAX], place[64];

	cli_table_cell(t, cli_count(a, all(r)));
	cli_table_cell(t, cli_share(a, all(r), total));
	cli_table_cell(t, cli_count(a, r->loads));
	cli_table_cell(t, cli_count(a, r->stores + r->atomics));
	cli_table_cell(t, cli_bytes(a, r->bytes));
	cli_table_cell(t, r->expanded ? "?" : cli_bytes(a, r->span));
	cli_table_cell(t, r->expanded ? "?" : cli_share(a, r->irregular, all(r)));
	cli_table_cell(t, *r->image ? r->image : "(none)");
	if (*r->function && r->offset)
		snprintf(place, sizeof(place), "%.40s+0x%" PRIx64, r->function, r->offset);
	else if (*r->function)
		snprintf(place, sizeof(place), "%.60s", r->function);
	else
		snprintf(place, sizeof(place), r->addr ? "0x%" PRIx64 : "?", r->addr);
	cli_table_cell(t, place);
}

static int print_rows(const struct bob_memory *m, const struct cli_session *s,
		      const struct cli_report_style *style, uint32_t threads)
{
	static const char *const titles[] = { ">accesses",  ">share", ">loads", ">stores", ">bytes",
					      ">span", ">irregular", "image", "function" };
	char a[CLI_NUMBER_MAX], b[CLI_NUMBER_MAX], c[CLI_NUMBER_MAX];
	struct bob_trace_sizes sizes;
	struct cli_table t;
	uint64_t total = 0;
	size_t count;
	const struct bob_memory_row *row = bob_memory_rows(m, &count);

	for (size_t i = 0; i < count; i++)
		total += all(&row[i]);
	bob_trace_sizes(s->trace, &sizes);
	fprintf(style->out, "%s: %s access%s in %s thread%s, kept in %s\n\n", s->dir,
		cli_count(a, total), total == 1 ? "" : "es", cli_count(b, threads),
		cli_plural(threads), cli_bytes(c, sizes.stream_bytes));
	cli_table_begin(&t, 9, titles);
	for (size_t i = 0; i < count && (!style->limit || i < style->limit); i++)
		print_row(&t, &row[i], total);
	if (cli_table_end(&t, style->width, style->out))
		return cli_fail("report", "out of memory");
	if (style->limit && count > style->limit)
		fprintf(style->out, "... %s more rows (--limit)\n",
			cli_count(a, count - style->limit));
	fputs("\nspan: addresses from the lowest to the highest of each regular row, each once; irregular: "
	      "accesses\nwhose addresses follow no rule\n",
	      style->out);
	return 0;
}

int cli_report_memory(struct cli_session *s, int by_instruction,
		      const struct cli_report_style *style)
{
	uint32_t n = bob_trace_thread_count(s->trace), count = 0;
	uint32_t *threads = calloc(n + 1u, sizeof(*threads));
	struct bob_error err = { .text = "" };
	struct bob_memory *m;
	bob_status st;
	int status;

	if (!threads)
		return cli_fail("report", "out of memory");
	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
		threads[count++] = i;
	st = bob_memory_create(s->trace, threads, count,
			       by_instruction ? BOB_MEMORY_INSTRUCTION : BOB_MEMORY_FUNCTION, &m,
			       &err);
	free(threads);
	if (st != BOB_OK)
		return cli_fail_status("report", "not all of the trace can be read", st, &err);
	status = print_rows(m, s, style, count);
	bob_memory_destroy(m);
	if (!status) {
		fputc('\n', style->out);
		cli_untraced_print(s, style->out);
	}
	return status;
}
