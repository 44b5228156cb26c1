/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin cache: what caches would do with the accesses of a trace, by function, instruction, source
 * line or variable; lines that threads take from each other. Each process has a machine of its own:
 * addresses of several have nothing in common. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/interleave/interleave.h"
#include "cli/between.h"
#include "cli/memory/cache_tables.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/pager.h"
#include "cli/session.h"
#include "cli/verbs.h"

enum {
	OPT_PRESET,
	OPT_CONFIG,
	OPT_SHOW_CONFIG,
	OPT_QUANTUM,
	OPT_ONE_BY_ONE,
	OPT_BY,
	OPT_SORT,
	OPT_BETWEEN,
	OPT_GROUP,
	OPT_LIMIT,
	OPT_MAX_EVENTS,
	OPT_OUTPUT,
	OPT_NO_DEMANGLE,
	OPT_NO_PAGER
};

const struct cli_option cache_options[] = {
	{ "preset", 'p', "NAME",
	  "a well-known machine (default skylake)",
	  .values = "haswell|skylake|skylake-sp|icelake-sp|sapphire-rapids|zen2|zen3|neoverse-n1|a64fx|tiny" },
	{ "config", 'c', "FILE", "the machine as FILE describes it",
	  .bind = CLI_BIND_NONE },
	{ "show-config", 0, NULL, "print the machine as such a file, and nothing else",
	  .bind = CLI_BIND_NONE },
	{ "quantum", 'q', "ACCESSES",
	  "of a thread's turn (default 100); ten times as many are tried too",
	  .bind = CLI_BIND_NONE },
	{ "one-by-one", 0, NULL,
	  "simulate every access, also in loops that repeat themselves: the same, later",
	  .bind = CLI_BIND_NONE },
	{ "by", 'b', "KIND",
	  "rows are functions (default, if the trace names any), instructions, source "
	  "lines or variables",
	  .values = "function|pc|line|variable" },
	{ "sort", 's', "KEY",
	  "order by misses of a level (default the last one), accesses, sharing, name",
	  .values = "L1|L2|L3|L4|accesses|sharing|name" },
	{ "between", 0, "FROM..TO", CLI_BETWEEN_HELP,
	  .bind = CLI_BIND_NONE },
	{ "group", 'g', "SPEC", "only these threads: 0, 1.0, rank=0-3, pid=N, host=NAME",
	  .bind = CLI_BIND_NONE },
	{ "limit", 'n', "ROWS", "rows per table (default 30, 0 for all)",
	  .bind = CLI_BIND_NONE },
	{ "max-events", 0, "N",
	  "--one-by-one, and at most so many accesses of each thread (default 0: all)",
	  .bind = CLI_BIND_NONE },
	{ "output", 'o', "FILE", "write there instead of standard output",
	  .bind = CLI_BIND_NONE },
	{ "no-demangle", 0, NULL, "print C++ names as the compiler wrote them",
	  .bind = CLI_BIND_NONE },
	{ "no-pager", 0, NULL, "do not use a pager on a terminal",
	  .bind = CLI_BIND_NONE },
	{ 0 },
};

#define ROWS_DEFAULT 30u
#define CONFIG_BYTES_MAX (1u << 20)
#define SPREAD 10u		/* the other quantum is so many times larger */

struct cache {
	struct cli_session s;
	struct cli_cache_tables t;
	struct cli_between between;
	const char *preset, *file, *output;
	const char *name, *about; /* of the machine */
	uint64_t quantum;
	int show, no_pager, one_by_one;
	struct bob_cache_replay *replay; /* of the present process */
	uint64_t spread[2][2];	/* misses of L1 and of the last level, by quantum */
	uint32_t threads_most;	/* of a process */
	uint64_t gaps, forced;
};

static int take_option(struct cache *c, int opt, const char *arg)
{
	int value = 0, status = 0;

	switch (opt) {
	case OPT_PRESET:
		c->preset = arg;
		return cli_option_word("cache", &cache_options[opt], arg, &value);
	case OPT_CONFIG:
		c->file = arg;
		return 0;
	case OPT_SHOW_CONFIG:
		c->show = 1;
		return 0;
	case OPT_QUANTUM:
		if (cli_parse_count(arg, &c->quantum) || !c->quantum ||
		    c->quantum > UINT64_MAX / SPREAD)
			return cli_misuse("cache", "--quantum is a number above 0, not '%s'", arg);
		return 0;
	case OPT_ONE_BY_ONE:
		c->one_by_one = 1;
		return 0;
	case OPT_BY:
		status = cli_option_word("cache", &cache_options[opt], arg, &value);
		c->t.by = (enum cli_cache_by)value;
		return status;
	case OPT_SORT:
		return cli_option_word("cache", &cache_options[opt], arg, &c->t.sort);
	case OPT_BETWEEN:
		return cli_between_parse("cache", &c->between, arg);
	case OPT_GROUP:
		return cli_session_select("cache", &c->s, arg);
	case OPT_MAX_EVENTS:
		c->one_by_one = 1;
		return cli_session_max_events(&c->s, arg);
	case OPT_LIMIT:
		if (cli_parse_count(arg, &c->t.limit))
			return cli_misuse("cache", "--limit is a number, not '%s'", arg);
		return 0;
	case OPT_OUTPUT:
		c->output = arg;
		return 0;
	case OPT_NO_DEMANGLE:
		c->s.no_demangle = 1;
		return 0;
	default:
		c->no_pager = 1;
		return 0;
	}
}

/* --- the machine --- */

static int read_config(struct cache *c)
{
	struct bob_cache_complaint why;
	FILE *f = fopen(c->file, "r");
	char *text = f ? malloc(CONFIG_BYTES_MAX + 1) : NULL;
	size_t len;
	bob_status st;

	if (!text) {
		if (f)
			fclose(f);
		return f ? cli_fail("cache", "out of memory") :
			   cli_fail("cache", "cannot open %s, %m", c->file);
	}
	len = fread(text, 1, CONFIG_BYTES_MAX + 1, f);
	if (ferror(f) || len > CONFIG_BYTES_MAX) {
		int failed = ferror(f);

		free(text);
		fclose(f);
		return failed ? cli_fail("cache", "cannot read %s", c->file) :
				cli_fail("cache", "%s is longer than %u bytes", c->file,
					 CONFIG_BYTES_MAX);
	}
	st = bob_cache_config_parse(text, len, c->file, &c->t.config, &why);
	free(text);
	fclose(f);
	return st == BOB_OK ? 0 : cli_fail("cache", "%s", why.text);
}

static int choose_machine(struct cache *c)
{
	const char *about = "";

	c->about = "";
	c->name = c->file;
	if (c->file && c->preset)
		return cli_misuse("cache", "--preset and --config are two machines");
	if (c->file)
		return read_config(c);
	c->name = c->preset ? c->preset : "skylake";
	for (uint32_t i = 0; bob_cache_preset_name(i, &about); i++)
		if (!strcmp(bob_cache_preset_name(i, &about), c->name))
			c->about = about;
	return bob_cache_preset(c->name, &c->t.config) == BOB_OK ? 0 : 1;
}

/* --- processes --- */

static int simulate(struct cache *c, uint32_t process, const uint32_t *threads, uint32_t count,
		    uint64_t quantum)
{
	const struct bob_cache_replay_options o = { quantum, c->one_by_one,
						    c->t.by == CLI_CACHE_VARIABLE };
	struct bob_error err = { .text = "" };
	bob_status st = bob_cache_replay_create(c->s.functions, c->s.trace, process, threads, count,
						&c->t.config, &o, &c->replay, &err);

	if (st == BOB_ERR_CORRUPT) {
		c->s.damaged++;
		cli_fail_status("cache", "not all of the trace can be read", st, &err);
		return 0;
	}
	return st == BOB_OK ? 0 : cli_fail_status("cache", "cannot simulate", st, &err);
}

static void add_spread(struct cache *c, int which)
{
	struct bob_cache_site total;

	bob_cache_total(c->replay->cache, &total);
	c->spread[which][0] += cli_cache_misses(&total.level[0]);
	c->spread[which][1] += cli_cache_misses(&total.level[c->t.config.levels - 1]);
}

/* One process: `threads` are the chosen ones. */
static int run_process(struct cache *c, uint32_t process, const uint32_t *threads, uint32_t count)
{
	uint64_t quantum = c->quantum ? c->quantum : BOB_INTERLEAVE_QUANTUM;
	int status = simulate(c, process, threads, count, quantum * SPREAD);

	if (!status) {
		add_spread(c, 1);
		if (c->replay->threads > 1) {
			bob_cache_replay_destroy(c->replay);
			c->replay = NULL;
			status = simulate(c, process, threads, count, quantum);
		}
	}
	if (status)
		return status;
	add_spread(c, 0);
	c->gaps += c->replay->gaps;
	c->forced += c->replay->forced;
	if (c->replay->threads > c->threads_most)
		c->threads_most = c->replay->threads;
	if (cli_cache_tables_add(&c->t, c->replay, process))
		return cli_fail("cache", "out of memory");
	return 0;
}

/* The chosen threads of the process of thread `first` into `threads`; returns the next chosen
 * one. */
static uint32_t threads_of(const struct cache *c, uint32_t first, uint32_t *threads,
			   uint32_t *count)
{
	uint32_t n = bob_trace_thread_count(c->s.trace), i = first;
	uint32_t process = bob_trace_thread(c->s.trace, first)->process;

	*count = 0;
	while (i < n && bob_trace_thread(c->s.trace, i)->process == process) {
		threads[(*count)++] = i;
		i = cli_session_thread(&c->s, i + 1);
	}
	return i;
}

static void print_order(const struct cache *c, uint32_t processes)
{
	uint64_t quantum = c->quantum ? c->quantum : BOB_INTERLEAVE_QUANTUM;
	char a[BOB_NUMBER_MAX];

	if (processes > 1)
		fprintf(c->t.out, "         %s processes, each on a machine of its own; sums\n",
			bob_format_count(a, processes));
	for (int i = 0; i < 2 && c->threads_most > 1; i++) {
		fprintf(c->t.out, "%s  turns of %s accesses: ", i ? "       " : "order  ",
			bob_format_count(a, i ? quantum * SPREAD : quantum));
		fprintf(c->t.out, "%s misses of L1, ", bob_format_count(a, c->spread[i][0]));
		fprintf(c->t.out, "%s of L%" PRIu32 "%s\n", bob_format_count(a, c->spread[i][1]),
			c->t.config.levels, i ? "" : " (below)");
	}
	if (c->forced)
		fprintf(c->t.out,
			"waiting  %s time%s a thread went on before what it waited for: the trace does "
			"not have it\n",
			bob_format_count(a, c->forced), bob_plural(c->forced));
	if (c->gaps)
		fprintf(c->t.out, "gaps     accesses are missing in %s place%s\n",
			bob_format_count(a, c->gaps), bob_plural(c->gaps));
	fputc('\n', c->t.out);
}

static int print_all(struct cache *c, uint32_t processes, const uint32_t *threads)
{
	cli_cache_tables_unite(&c->t);
	cli_cache_print_machine(&c->t.config, c->name, c->about, c->t.out);
	print_order(c, processes);
	if (cli_cache_print_levels(&c->t))
		return -1;
	fputc('\n', c->t.out);
	if (cli_cache_print_rows(&c->t))
		return -1;
	if (processes == 1)
		return cli_cache_print_sharing(&c->t, c->replay, threads);
	if (c->t.total.true_sharing + c->t.total.false_sharing)
		fprintf(c->t.out,
			"\nlines that cores take from each other are shown for one process: "
			"--group=process=N\n");
	return 0;
}

static int run(struct cache *c)
{
	uint32_t n = bob_trace_thread_count(c->s.trace), count = 0, processes = 0;
	uint32_t *threads = calloc(n + 1, sizeof(*threads));
	int status = 0;

	if (!threads)
		return cli_fail("cache", "out of memory");
	for (uint32_t i = cli_session_thread(&c->s, 0); i < n && !status; processes++) {
		uint32_t process = bob_trace_thread(c->s.trace, i)->process;

		bob_cache_replay_destroy(c->replay);
		c->replay = NULL;
		i = threads_of(c, i, threads, &count);
		status = run_process(c, process, threads, count);
	}
	if (!status && !c->t.count)
		status = cli_fail(
			"cache", "the trace has no memory accesses, or none in the threads chosen; "
				 "they are recorded with bobbin record --mem");
	if (!status && print_all(c, processes, threads))
		status = cli_fail("cache", "cannot write");
	free(threads);
	return status ? status : c->s.damaged != 0;
}

static int open_and_run(struct cache *c, int argc, char **argv)
{
	int status = c->show ? 0 : cli_session_open(&c->s, argc, argv);
	char text[512];
	pid_t pager;

	if (status)
		return status;
	if (!c->show)
		status = cli_between_apply(&c->between, &c->s, 1);
	c->t.out = status ? NULL : cli_output_open("cache", c->output);
	status |= !c->t.out;
	if (c->t.out && c->show) {
		bob_cache_config_write(&c->t.config, text, sizeof(text));
		fputs(text, c->t.out);
		status = cli_output_close("cache", c->t.out, c->output);
	} else if (c->t.out) {
		pager = c->output ? 0 : cli_pager_begin(!c->no_pager);
		status = run(c);
		if (pager)
			cli_pager_end(pager);
		else
			status |= cli_output_close("cache", c->t.out, c->output);
	}
	bob_cache_replay_destroy(c->replay);
	free(c->t.rows);
	cli_session_close(&c->s);
	return status;
}

int verb_cache(int argc, char **argv)
{
	struct cache c = { .s = { .verb = "cache" },
			   .t = { .by = CLI_CACHE_ANY, .limit = ROWS_DEFAULT, .sort = -1 } };
	struct cli_options o;
	const char *arg;
	int opt, status = 0;

	cli_options_begin(&o, "cache", argc, argv);
	while ((opt = cli_options_next(&o, &arg)) >= 0)
		if (!status)
			status = take_option(&c, opt, arg);
	if (opt != CLI_OPTIONS_END)
		return opt == CLI_OPTIONS_HELP ? 0 : 2;
	if (!status)
		status = choose_machine(&c);
	if (status)
		return status;
	c.t.s = &c.s;
	if (c.t.sort < 0)
		c.t.sort = (int)c.t.config.levels - 1;
	if (c.t.sort < CLI_CACHE_ACCESSES && (uint32_t)c.t.sort >= c.t.config.levels)
		return cli_misuse("cache", "--sort=L%d: the machine has %" PRIu32 " levels",
				  c.t.sort + 1, c.t.config.levels);
	return open_and_run(&c, argc, argv);
}
