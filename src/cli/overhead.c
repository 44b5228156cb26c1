/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimate of recording cost (overhead.h). The text states its basis. The estimate is "unknown" if
 * costs were not measured, another codec was used, or options sent every call through the slow
 * path. */
#include "cli/overhead.h"

#include <string.h>

#include "table/numbers.h"

#define CODEC_RUN 1u

uint64_t cli_overhead_ns(uint64_t events, uint64_t stream_bytes, const struct cli_costs *c)
{
	unsigned __int128 ps = (unsigned __int128)events * c->call_ps +
			       (unsigned __int128)stream_bytes * 8 * c->bit_ps;
	unsigned __int128 ns = (ps + 500) / 1000;

	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static uint64_t saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* NULL if the process was recorded without that variable. */
static const char *config(const struct bob_process_info *p, const char *name)
{
	size_t n = strlen(name);

	for (int i = 0; p->config && p->config[i]; i++)
		if (!strncmp(p->config[i], name, n) && p->config[i][n] == '=')
			return p->config[i] + n + 1;
	return NULL;
}

static const char *obstacle(const struct bob_process_info *p, const struct bob_thread_info *th,
			    struct cli_costs *c)
{
	static const char *const slow[] = { "BOBBIN_DEPTH", "BOBBIN_TRIGGER", "BOBBIN_INTERFACE",
					    "BOBBIN_INTERFACE_IMAGE", "BOBBIN_CHECK" };
	const char *call = config(p, CLI_COSTS_CALL), *bit = config(p, CLI_COSTS_BIT);

	if (th->codec != CODEC_RUN)
		return "the cost of a call is measured for --codec=run only";
	for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++)
		if (config(p, slow[i]))
			return "--depth, --trigger and --interface take another path than is "
			       "measured";
	c->call_ps = call ? cli_costs_parse(call) : 0;
	c->bit_ps = bit ? cli_costs_parse(bit) : 0;
	return c->call_ps && c->bit_ps ? NULL :
					 "this trace has no calibration of the cost of a call";
}

static void widen(struct cli_overhead *o, const struct cli_costs *c)
{
	if (!o->least.call_ps)
		o->least = o->most = *c;
	if (c->call_ps < o->least.call_ps)
		o->least.call_ps = c->call_ps;
	if (c->call_ps > o->most.call_ps)
		o->most.call_ps = c->call_ps;
	if (c->bit_ps < o->least.bit_ps)
		o->least.bit_ps = c->bit_ps;
	if (c->bit_ps > o->most.bit_ps)
		o->most.bit_ps = c->bit_ps;
}

void cli_overhead_add(struct cli_overhead *o, const struct bob_process_info *p,
		      const struct bob_thread_info *th)
{
	struct cli_costs c;
	const char *why;

	if (!th->events)
		return;
	why = obstacle(p, th, &c);
	o->events = saturated(o->events, th->events);
	o->slow = saturated(o->slow, th->slow_entries);
	if (why) {
		o->unknown = why;
		return;
	}
	widen(o, &c);
	o->added_ns = saturated(o->added_ns, cli_overhead_ns(th->events, th->stream_bytes, &c));
	if (th->end_mono_ns > th->start_mono_ns)
		o->lives_ns = saturated(o->lives_ns, th->end_mono_ns - th->start_mono_ns);
	else
		o->no_lives = 1;
}

static void print_cost(uint64_t least_ps, uint64_t most_ps, const char *of, FILE *out)
{
	fprintf(out, "%.1f", (double)least_ps / 1000);
	if (most_ps != least_ps)
		fprintf(out, " to %.1f", (double)most_ps / 1000);
	fprintf(out, " ns per %s", of);
}

void cli_overhead_print(const struct cli_overhead *o, FILE *out)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];

	if (!o->events)
		return;
	if (o->unknown) {
		fprintf(out, "overhead    unknown: %s\n", o->unknown);
		return;
	}
	fprintf(out, "overhead    about %s of CPU time", bob_format_seconds(a, o->added_ns));
	if (!o->no_lives)
		fprintf(out, " in %s that the threads lived (%s)",
			bob_format_seconds(b, o->lives_ns),
			bob_format_share(c, o->added_ns, o->lives_ns));
	fputs(", estimated from\n            ", out);
	print_cost(o->least.call_ps, o->most.call_ps, "call", out);
	fputs(" and ", out);
	print_cost(o->least.bit_ps, o->most.bit_ps, "coded bit", out);
	fprintf(out, ", measured on %s\n",
		o->least.call_ps == o->most.call_ps && o->least.bit_ps == o->most.bit_ps ?
			"that machine" :
			"those machines");
	if (o->slow > o->events / 100)
		fprintf(out,
			"            not in it: %s call%s from functions that are not recorded "
			"took the slow path\n",
			bob_format_count(a, o->slow), bob_plural(o->slow));
}
