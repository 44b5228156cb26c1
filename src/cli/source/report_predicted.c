/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the prediction with the measured time. The latter is the duration of the longest
 * process, as a user waits for it; the prediction is processor time. They differ on a loaded
 * machine, and where another process folds. */
#include "cli/source/report_predicted.h"

#include <string.h>

#include "cli/source/instrument_predict.h"

struct predicted {
	double least, most, more, baseline, code; /* as in CLI_PREDICTED */
};

static bool find(const struct bob_trace *t, struct predicted *to)
{
	const size_t n = strlen(CLI_PREDICTED_BEGIN);

	for (uint32_t i = 0; i < bob_trace_process_count(t); i++)
		for (const char *p = bob_trace_log(t, i); *p; p += *p == '\n') {
			if (!strncmp(p, CLI_PREDICTED_BEGIN, n) &&
			    sscanf(p + n, CLI_PREDICTED_SCAN, &to->least, &to->most, &to->more,
				   &to->baseline, &to->code) == 5)
				return true;
			p += strcspn(p, "\n");
		}
	return false;
}

/* Seconds of the longest process; 0: unknown. */
static double longest(const struct bob_trace *t)
{
	uint64_t longest = 0;

	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		const struct bob_process_info *p = bob_trace_process(t, i);

		if (p->end_mono_ns > p->start_mono_ns &&
		    p->end_mono_ns - p->start_mono_ns > longest)
			longest = p->end_mono_ns - p->start_mono_ns;
	}
	return (double)longest / 1e9;
}

static void print_predicted(const struct predicted *p, FILE *out)
{
	if (p->least <= 0)
		fputs("predicted: not known", out);
	else if (p->most > p->least * 1.005)
		fprintf(out, "predicted %.2f to %.2f", p->least, p->most);
	else
		fprintf(out, "predicted %.2f", p->least);
	if (p->more > 0)
		fprintf(out, " (%.3g s more)", p->more);
}

void cli_report_prediction(const struct bob_trace *t, FILE *out)
{
	struct predicted p = { 0 };

	if (!find(t, &p))
		return;
	fputs("\ndilation    ", out);
	print_predicted(&p, out);
	fprintf(out, ", %.0f bytes more code\n", p.code);
}

void cli_report_predicted(const struct cli_session *s, double baseline, FILE *out)
{
	struct predicted p = { 0 };
	const bool is_there = find(s->trace, &p);
	const double seconds = longest(s->trace);

	if (!is_there && baseline <= 0)
		return;
	if (baseline <= 0)
		baseline = p.baseline;
	fputs("\ndilation    ", out);
	if (is_there)
		print_predicted(&p, out);
	else
		fputs("nothing was predicted", out);
	if (baseline > 0 && seconds > 0)
		fprintf(out, "; measured %.2f: %.3g s, without probes %.3g s\n", seconds / baseline,
			seconds, baseline);
	else if (seconds > 0)
		fprintf(out, "; it took %.3g s (--baseline=SECONDS of a run without probes)\n",
			seconds);
	else
		fputs("; it is not known how long it took\n", out);
	if (is_there)
		fprintf(out, "            predicted were %.0f bytes more code\n", p.code);
}
