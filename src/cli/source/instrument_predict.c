/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints predictions of instrument_predict.h, and passes them to the recorder. Numbers that depend
 * on unknown values are not printed: no seconds without trip counts, no dilation without a time. */
#include "cli/source/instrument_predict.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"

int cli_predict_assume(const char *verb, struct bob_predict *p, const char *name)
{
	FILE *in = fopen(name, "re");
	char why[BOB_PREDICT_WHY_BYTES], *line = NULL;
	uint32_t number = 0, column;
	size_t capacity = 0;
	ssize_t n;
	int bad = 0;

	if (!in)
		return cli_fail(verb, "%s: %m", name);
	errno = 0;
	while (!bad && (n = getline(&line, &capacity, in)) >= 0) {
		bob_status st;

		number++;
		n -= n && line[n - 1] == '\n';
		st = bob_predict_assume(p, line, (size_t)n, &column, why);
		if (st == BOB_ERR_INVAL)
			bad = cli_fail(verb, "%s:%u:%u: %s", name, number, column, why);
		else if (st != BOB_OK)
			bad = cli_fail(verb, "out of memory");
	}
	if (!bad && ferror(in))
		bad = cli_fail(verb, "%s: %m", name);
	free(line);
	fclose(in);
	return bad;
}

void cli_predict_unused(const char *verb, const struct bob_predict *p, const char *name)
{
	for (uint32_t line = 0; (line = bob_predict_unused(p, line)) != 0;)
		cli_warn(verb, "%s:%" PRIu32 ": no file has that: not used", name, line);
}

#define MOST 9007199254740992.0 /* 2^53: accesses of a processor in months */

/* Whether any run can be that large. */
static bool is_plausible(const struct bob_predict_total *t)
{
	return t->reported <= MOST && t->singles <= MOST && t->rows <= MOST && t->own <= MOST;
}

static bool is_known(const struct bob_predict_total *t)
{
	return !t->unknown_trips && !t->unknown_runs && is_plausible(t);
}

static const char *count(char text[BOB_NUMBER_MAX], double n)
{
	if (n > MOST)
		return "more than 9e15";
	return n < 0.5 ? "0" : bob_format_count(text, (uint64_t)(n + 0.5));
}

static void print_code(const struct bob_predict_total *t, FILE *out)
{
	char text[BOB_NUMBER_MAX];

	fprintf(out, "  code      %s bytes more", count(text, t->code_bytes));
	if (t->inflation > 0)
		fprintf(out, ", %.2f times", t->inflation);
	fputc('\n', out);
}

/* Prints both ends unless they are nearly equal. */
static void print_range(double least, double most, int digits, FILE *out)
{
	fprintf(out, "%.*g", digits, least);
	if (most > least * 1.005)
		fprintf(out, " to %.*g", digits, most);
}

static void print_probes(const struct bob_predict_total *t, FILE *out)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX], d[BOB_NUMBER_MAX];

	fprintf(out,
		"  probes    %s of one access, %s of loops with %s rows; %s accesses are "
		"reported, ",
		count(a, t->singles), count(b, t->nests), count(c, t->rows), count(d, t->reported));
	if (t->reported > 0)
		print_range(100 * t->traced_least / t->reported, 100 * t->traced_most / t->reported,
			    3, out);
	else
		fputc('0', out);
	fputs(" % of them recorded\n", out);
}

static void print_time(const struct bob_predict_total *t, FILE *out)
{
	fputs("  time      ", out);
	if (is_known(t)) {
		print_range(t->added_least_ns / 1e9, t->added_most_ns / 1e9, 3, out);
		fprintf(out, " s more, and %.3g s for the recorder to begin\n", t->begin_ns / 1e9);
	} else {
		fprintf(out, "not known%s\n",
			t->unknown_trips || t->unknown_runs ? ": see below" : "");
	}
	fputs("  dilation  ", out);
	if (!is_plausible(t)) {
		fprintf(out, "not known: no run has so many accesses%s\n",
			t->unknown_trips ?
				"; unknown trip counts of nested loops, and of loops around "
				"calls, multiply" :
				"");
		return;
	}
	if (t->own <= 0 && t->baseline_ns <= 0) {
		fputs("not known: no executed code found\n", out);
		return;
	}
	print_range(t->dilation_least, t->dilation_most, 3, out);
	if (t->baseline_ns <= 0 || !is_known(t))
		fputs(", if a reference of the program itself takes 0.1 to 1 ns (--assume can say "
		      "what it takes)",
		      out);
	fputc('\n', out);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_assumed(const struct bob_predict_total *t, FILE *out)
{
	uint32_t i;

	if (t->idle)
		fprintf(out, "  profile   %u loop%s not come by in that run\n", t->idle,
			t->idle == 1 ? " was" : "s were");
	if (t->unknown_trips)
		fprintf(out, "  assumed   %.0f trips of %u loop%s\n", BOB_PREDICT_TRIPS,
			t->unknown_trips, bob_plural(t->unknown_trips));
	if (t->unknown_runs)
		fprintf(out, "  assumed   one run of %u function%s with no visible call\n",
			t->unknown_runs, bob_plural(t->unknown_runs));
	if (!t->unknown_count)
		return;
	fputs("            --assume can say it: ", out);
	for (i = 0; i < t->unknown_count; i++)
		if (t->unknown[i].file)
			fprintf(out, "%strips %s:%u N", i ? "; " : "",
				base_name(t->unknown[i].file), t->unknown[i].line);
		else
			fprintf(out, "%sruns %s N", i ? "; " : "", t->unknown[i].name);
	fputs(t->unknown_trips + t->unknown_runs > i ? "; ...\n" : "\n", out);
}

void cli_predict_print(const struct bob_predict_total *t, FILE *out)
{
	fputs("\nPredicted, before it is compiled or run:\n", out);
	print_code(t, out);
	if (t->reported <= 0 && t->singles + t->nests <= 0)
		return;
	print_probes(t, out);
	print_time(t, out);
	print_assumed(t, out);
}

int cli_predict_define(const char *verb, const struct bob_predict_total *t, const char *path)
{
	const bool is_sure = is_known(t) && t->own_most_ns > 0;
	const double more = is_known(t) ? t->added_most_ns + t->begin_ns : 0;
	FILE *f = fopen(path, "ae");

	if (!f)
		return cli_fail(verb, "cannot write %s: %m", path);
	fprintf(f,
		"\n#undef BOBBIN_PREDICTED\n#define BOBBIN_PREDICTED \"" CLI_PREDICTED_BEGIN
			CLI_PREDICTED "\\n\"\n",
		is_sure ? t->dilation_least : 0, is_sure ? t->dilation_most : 0, more / 1e9,
		t->baseline_ns / 1e9, t->code_bytes);
	return fclose(f) ? cli_fail(verb, "cannot write %s: %m", path) : 0;
}
