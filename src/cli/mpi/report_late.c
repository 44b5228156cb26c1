/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/mpi/report_late.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/mpi/late.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/place.h"
#include "cli/terminal/text_table.h"

#define CAUSES_SHOWN 3u

struct reporting {
	const struct cli_session *s;
	const struct cli_report_style *style;
	const struct bob_mpi_late *late;
};

static void print_site(const struct reporting *r, const struct bob_mpi_function *f, uint32_t path,
		       FILE *out)
{
	struct bob_mpi_place p;

	fprintf(out, "%s%s", bob_mpi_prefix(f), f->name);
	if (!bob_mpi_places_last(bob_mpi_late_places(r->late), path, &p))
		return;
	fputs("  ", out);
	cli_place_print(r->s->trace, p.process, p.image, p.pc, out);
}

/* The site that most of the time was lost to, and by which ranks. */
static void print_causes(const struct reporting *r, const struct bob_mpi_late_row *row, FILE *out)
{
	const struct bob_mpi_late_cause *first = row->cause;
	uint32_t shown = 0;
	char a[BOB_NUMBER_MAX];

	if (!row->causes) {
		fputc('-', out);
		return;
	}
	print_site(r, first->function, first->path, out);
	for (uint32_t i = 0; i < row->causes; i++) {
		const struct bob_mpi_late_cause *c = &row->cause[i];
		const struct bob_process_info *p = bob_trace_process(r->s->trace, c->process);

		if (c->function != first->function || c->path != first->path)
			continue;
		if (shown == CAUSES_SHOWN) {
			fputs(", ...", out);
			break;
		}
		fprintf(out, "%s%" PRId32 " (%s)", shown++ ? ", " : "   rank ", p->rank,
			bob_format_share(a, c->lost_ns, row->lost_ns));
	}
}

static void put_text(const struct reporting *r, const struct bob_mpi_late_row *row, int causes,
		     struct cli_table *t)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f) {
		cli_table_cell(t, "?");
		return;
	}
	if (causes)
		print_causes(r, row, f);
	else
		print_site(r, row->function, row->path, f);
	cli_table_cell(t, fclose(f) ? "?" : text);
	free(text);
}

static void put_row(const struct reporting *r, const struct bob_mpi_late_row *row,
		    struct cli_table *t)
{
	char a[BOB_NUMBER_MAX];

	cli_table_cell(t, row->lost_ns ? bob_format_seconds(a, row->lost_ns) : "-");
	cli_table_cell(t, row->most_ns ? bob_format_seconds(a, row->most_ns) : "-");
	cli_table_cell(t, bob_format_count(a, row->times));
	cli_table_cell(t, bob_format_count(a, row->late));
	cli_table_cell(t, row->undecided ? bob_format_count(a, row->undecided) : "-");
	put_text(r, row, 0, t);
	put_text(r, row, 1, t);
}

static void print_head(const struct reporting *r)
{
	const struct bob_mpi_late_sum *s = bob_mpi_late_sums(r->late);
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX], d[BOB_NUMBER_MAX];

	fprintf(r->style->out,
		"%s: %s message%s received, %s of them late; %s collective call%s, %s of them waited\n\n",
		r->s->dir, bob_format_count(a, s->messages), bob_plural(s->messages),
		bob_format_count(b, s->late_messages), bob_format_count(c, s->collectives),
		bob_plural(s->collectives), bob_format_count(d, s->late_collectives));
}

static int print_table(const struct reporting *r)
{
	static const char *const titles[] = { ">lost", ">most", ">times",      ">late",
					      ">undecided", "call site", "waits for" };
	size_t count;
	const struct bob_mpi_late_row *row = bob_mpi_late_rows(r->late, &count);
	struct cli_table t;
	char a[BOB_NUMBER_MAX];

	cli_table_begin(&t, 7, titles);
	for (size_t i = 0; i < count && (!r->style->limit || i < r->style->limit); i++)
		put_row(r, &row[i], &t);
	if (cli_table_end(&t, r->style->width, r->style->out))
		return cli_fail("report", "out of memory");
	if (r->style->limit && count > r->style->limit)
		fprintf(r->style->out, "... %s more rows (--limit)\n",
			bob_format_count(a, count - r->style->limit));
	return 0;
}

static void put_reason(uint64_t n, const char *why, const char **between, FILE *out)
{
	char a[BOB_NUMBER_MAX];

	if (!n)
		return;
	fprintf(out, "%s%s %s", *between, bob_format_count(a, n), why);
	*between = ", ";
}

/* Messages that were sent, and whose receives were not found. */
static void print_unfollowed(const struct bob_mpi_late_sum *s, FILE *out)
{
	const uint64_t all = s->sent - s->messages;
	const char *between = ": ";
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	fprintf(out, "unfollowed  %s of %s message%s sent", bob_format_count(a, all),
		bob_format_count(b, s->sent), bob_plural(s->sent));
	put_reason(s->not_followed,
		   "to or from processes that are not followed to the end or not in the trace",
		   &between, out);
	put_reason(s->unknown_groups, "on intercommunicators whose groups are not known", &between,
		   out);
	put_reason(all - s->not_followed - s->unknown_groups, "that no recorded receive got",
		   &between, out);
	fputc('\n', out);
}

/* What is not known, and how well the rest is. */
static void print_doubts(const struct reporting *r)
{
	const struct bob_mpi_late_sum *s = bob_mpi_late_sums(r->late);
	char a[BOB_NUMBER_MAX];
	FILE *out = r->style->out;

	fprintf(out, "\nlost        %s, of all threads together\n",
		bob_format_seconds(a, s->lost_ns));
	if (s->uncertainty_ns == BOB_CLOCK_UNKNOWN)
		fputs("clocks      of the ranks were not compared, and they ran on several hosts\n",
		      out);
	else if (s->uncertainty_ns)
		fprintf(out, "clocks      are known to %" PRIu64 ".%03u us\n",
			s->uncertainty_ns / 1000, (unsigned)(s->uncertainty_ns % 1000));
	if (s->undecided)
		fprintf(out,
			"undecided   %s: who was first is within what the clocks are known to\n",
			bob_format_count(a, s->undecided));
	if (s->unmatched)
		fprintf(out,
			"unmatched   %s receive%s or collective call%s whose other side is not in the "
			"trace\n",
			bob_format_count(a, s->unmatched), bob_plural(s->unmatched),
			bob_plural(s->unmatched));
	if (s->doubtful)
		fprintf(out,
			"not all     messages of %" PRIu32
			" process%s are followed to the end: recording was switched off, a call "
			"failed, or a receive was freed or is partitioned\n",
			s->doubtful, s->doubtful == 1 ? "" : "es");
	if (s->sent > s->messages)
		print_unfollowed(s, out);
}

int cli_report_late(struct cli_session *s, const struct cli_report_style *style)
{
	struct reporting r = { .s = s, .style = style };
	struct bob_error err = { .text = "" };
	struct bob_mpi_late *late;
	bob_status st = bob_mpi_late_create(s->trace, &late, &err);
	int status;

	if (st == BOB_NONE)
		return cli_fail("report", "--by=late: %s", err.text);
	if (st != BOB_OK)
		return cli_fail_status("report", "not all MPI calls can be read", st, &err);
	r.late = late;
	print_head(&r);
	status = print_table(&r);
	print_doubts(&r);
	bob_mpi_late_destroy(late);
	return status ? status : s->damaged != 0;
}
