/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report --by=late: where ranks waited for late senders and late ranks in collectives;
 * heading, table, and limits of the analysis. */
#include "cli/mpi/report_late.h"

#include <inttypes.h>

#include "analysis/mpi/tables.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"

static void print_head(const char *dir, const struct bob_mpi_late_sum *s, FILE *out)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX], d[BOB_NUMBER_MAX];

	fprintf(out,
		"%s: %s message%s received, %s of them late; %s collective call%s, %s of them "
		"waited\n\n",
		dir, bob_format_count(a, s->messages), bob_plural(s->messages),
		bob_format_count(b, s->late_messages), bob_format_count(c, s->collectives),
		bob_plural(s->collectives), bob_format_count(d, s->late_collectives));
}

static void put_reason(uint64_t n, const char *why, const char **between, FILE *out)
{
	char a[BOB_NUMBER_MAX];

	if (!n)
		return;
	fprintf(out, "%s%s %s", *between, bob_format_count(a, n), why);
	*between = ", ";
}

/* Prints the number of sent messages whose receives were not found. */
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

/* Prints what could not be decided, and the accuracy of the clocks. */
static void print_doubts(const struct bob_mpi_late_sum *s, FILE *out)
{
	char a[BOB_NUMBER_MAX];

	fprintf(out, "\nlost        %s, of all threads together\n",
		bob_format_seconds(a, s->lost_ns));
	if (s->uncertainty_ns == BOB_CLOCK_UNKNOWN)
		fputs("clocks      of the ranks were not compared, and they ran on several hosts\n",
		      out);
	else if (s->uncertainty_ns)
		fprintf(out, "clocks      are known to %" PRIu64 ".%03u us\n",
			s->uncertainty_ns / 1000, (unsigned)(s->uncertainty_ns % 1000));
	if (s->undecided)
		fprintf(out, "undecided   %s: the order is within the uncertainty of the clocks\n",
			bob_format_count(a, s->undecided));
	if (s->unmatched)
		fprintf(out,
			"unmatched   %s receive%s or collective call%s whose other side is not in "
			"the trace\n",
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

int cli_report_late(struct cli_answer *a)
{
	const struct bob_naming names = cli_session_naming(&a->s);
	struct bob_error err = { .text = "" };
	struct bob_mpi_late *late;
	bob_status st = bob_mpi_late_create(a->s.trace, &late, &err);
	int status;

	if (st == BOB_NONE)
		return cli_fail("report", "--by=late: %s", err.text);
	if (st != BOB_OK)
		return cli_fail_status("report", "not all MPI calls can be read", st, &err);
	print_head(a->s.dir, bob_mpi_late_sums(late), a->text);
	status = cli_answer_table(a, bob_mpi_late_table(late, a->s.trace, &names));
	if (!status)
		print_doubts(bob_mpi_late_sums(late), a->text);
	bob_mpi_late_destroy(late);
	return status ? status : a->s.damaged != 0;
}
