/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin cache: simulates caches on the accesses of a trace: counts by function, instruction,
 * source line or variable; lines that cores take from each other. Each process is simulated on a
 * machine of its own, because the address spaces of processes are unrelated. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/interleave/interleave.h"
#include "cli/between.h"
#include "cli/memory/cache_tables.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"

#define ROWS_DEFAULT 30u
#define CONFIG_BYTES_MAX (1u << 20)
#define SPREAD 10u		/* ratio of the second quantum to the first */

enum by { BY_LEVEL = BOB_CACHE_BY_ANY, BY_SHARING, BY_DEFAULT };

struct cache {
	struct cli_answer a;
	struct bob_cache_config config;
	struct bob_cache_rows rows;
	struct bob_table *sharing; /* BY_SHARING */
	struct cli_between between;
	enum by by;		/* the first values as in enum bob_cache_by */
	const char *preset, *file;
	const char *name, *about; /* of the machine */
	uint64_t quantum;
	int show, one_by_one;
	struct bob_cache_replay *replay; /* of the current process */
	uint64_t spread[2][2];	/* misses of L1 and of the last level, by quantum */
	uint32_t threads_most;	/* per process */
	uint64_t lost, forced;
};

static int take_quantum(const char *verb, void *quantum, const char *arg)
{
	uint64_t *n = quantum;

	if (!cli_parse_count(arg, n) && *n && *n <= UINT64_MAX / SPREAD)
		return 0;
	return cli_misuse(verb, "--quantum is a number above 0, not '%s'", arg);
}

const struct cli_option cache_options[] = {
	{ "preset", 'p', "NAME", "simulate a well-known machine (default skylake)",
	  CLI_ONE_OF(struct cache, preset,
		   "haswell|skylake|skylake-sp|icelake-sp|sapphire-rapids|zen2|zen3|neoverse-n1|"
		   "a64fx|tiny") },
	{ "config", 'c', "FILE", "simulate the machine that FILE describes",
	  CLI_TEXT(struct cache, file) },
	{ "show-config", 0, NULL,
	  "print the description of the machine in the format of --config, and nothing else",
	  CLI_FLAG(struct cache, show) },
	{ "quantum", 'q', "ACCESSES",
	  "accesses in the turn of a thread (default 100); misses with ten times as many "
	  "are also printed",
	  CLI_TAKE(struct cache, quantum, take_quantum) },
	{ "one-by-one", 0, NULL,
	  "simulate every access, also in loops that repeat themselves: slower, same result",
	  CLI_FLAG(struct cache, one_by_one) },
	{ "by", 'b', "KIND",
	  "rows: function (default if the trace names functions), instruction, line, "
	  "variable, level, or sharing (cache lines that cores take from each other)",
	  CLI_WORD(struct cache, by, "function|instruction|line|variable|level|sharing") },
	{ "between", 0, "FROM..TO", CLI_BETWEEN_HELP,
	  CLI_TAKE(struct cache, between, cli_between_parse) },
	CLI_OPTIONS_TABLE(struct cache, a, CLI_FORMATS),
	CLI_OPTION_GROUP(struct cache, a.s),
	{ "max-events", 0, "N",
	  "implies --one-by-one; simulate at most N accesses of each thread (default 0: "
	  "all)",
	  CLI_COUNT(struct cache, a.s.max_events) },
	CLI_OPTIONS_OUTPUT(struct cache, a),
	CLI_OPTION_NO_DEMANGLE(struct cache, a.s),
	{ 0 },
};

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
	st = bob_cache_config_parse(text, len, c->file, &c->config, &why);
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
	return bob_cache_preset(c->name, &c->config) == BOB_OK ? 0 : 1;
}

/* --- processes --- */

static int simulate(struct cache *c, uint32_t process, const uint32_t *threads, uint32_t count,
		    uint64_t quantum)
{
	const struct bob_cache_replay_options o = { quantum, c->one_by_one,
						    c->rows.by == BOB_CACHE_BY_VARIABLE };
	struct bob_error err = { .text = "" };
	bob_status st = bob_cache_replay_create(c->a.s.functions, c->a.s.trace, process, threads,
						count, &c->config, &o, &c->replay, &err);

	if (st == BOB_ERR_CORRUPT) {
		c->a.s.damaged++;
		cli_fail_status("cache", "not all of the trace can be read", st, &err);
		return 0;
	}
	return st == BOB_OK ? 0 : cli_fail_status("cache", "cannot simulate", st, &err);
}

static void add_spread(struct cache *c, int which)
{
	struct bob_cache_site total;

	bob_cache_total(c->replay->cache, &total);
	c->spread[which][0] += bob_cache_misses(&total.level[0]);
	c->spread[which][1] += bob_cache_misses(&total.level[c->config.levels - 1]);
}

/* Simulates one process: `threads` are the chosen ones. */
static int run_process(struct cache *c, uint32_t process, const uint32_t *threads, uint32_t count)
{
	const struct bob_naming names = cli_session_naming(&c->a.s);
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
	c->lost += c->replay->lost;
	c->forced += c->replay->forced;
	if (c->replay->threads > c->threads_most)
		c->threads_most = c->replay->threads;
	if (bob_cache_rows_add(&c->rows, c->replay, process) != BOB_OK)
		return cli_fail("cache", "out of memory");
	if (c->sharing)
		bob_cache_sharing_rows(c->sharing, &c->rows, c->replay, threads, &names);
	return 0;
}

/* Collects the chosen threads of the process of thread `first`; returns the next chosen thread. */
static uint32_t threads_of(const struct cache *c, uint32_t first, uint32_t *threads,
			   uint32_t *count)
{
	uint32_t n = bob_trace_thread_count(c->a.s.trace), i = first;
	uint32_t process = bob_trace_thread(c->a.s.trace, first)->process;

	*count = 0;
	while (i < n && bob_trace_thread(c->a.s.trace, i)->process == process) {
		threads[(*count)++] = i;
		i = cli_session_thread(&c->a.s, i + 1);
	}
	return i;
}

static void print_order(const struct cache *c, uint32_t processes)
{
	uint64_t quantum = c->quantum ? c->quantum : BOB_INTERLEAVE_QUANTUM;
	char a[BOB_NUMBER_MAX];

	if (processes > 1)
		fprintf(c->a.text, "         %s processes, each on a machine of its own; sums\n",
			bob_format_count(a, processes));
	for (int i = 0; i < 2 && c->threads_most > 1; i++) {
		fprintf(c->a.text, "%s  turns of %s accesses: ", i ? "       " : "order  ",
			bob_format_count(a, i ? quantum * SPREAD : quantum));
		fprintf(c->a.text, "%s misses of L1, ", bob_format_count(a, c->spread[i][0]));
		fprintf(c->a.text, "%s of L%" PRIu32 "%s\n", bob_format_count(a, c->spread[i][1]),
			c->config.levels, i ? "" : " (below)");
	}
	if (c->forced)
		fprintf(c->a.text,
			"waiting  %s time%s a thread continued before the event that it waited "
			"for, which the trace lacks\n",
			bob_format_count(a, c->forced), bob_plural(c->forced));
	if (c->lost)
		fprintf(c->a.text, "lost     accesses are missing in %s place%s\n",
			bob_format_count(a, c->lost), bob_plural(c->lost));
	fputc('\n', c->a.text);
}

static int print_all(struct cache *c, uint32_t processes, const uint32_t *threads)
{
	const struct bob_naming names = cli_session_naming(&c->a.s);
	struct bob_table *sharing = c->sharing;
	int status;

	cli_cache_print_machine(&c->config, c->name, c->about, c->a.text);
	print_order(c, processes);
	c->sharing = NULL;
	if (c->by == BY_SHARING)
		return cli_answer_table(&c->a, sharing);
	if (c->by == BY_LEVEL)
		return cli_answer_table(&c->a, bob_cache_levels_table(&c->rows));
	status = cli_answer_whole_table(&c->a, bob_cache_levels_table(&c->rows));
	fputc('\n', c->a.text);
	if (!status)
		status = cli_answer_table(&c->a, bob_cache_rows_table(&c->rows, &names));
	if (!status && processes == 1)
		cli_cache_print_sharing(&c->a, &c->rows, c->replay, threads);
	else if (!status && c->rows.total.true_sharing + c->rows.total.false_sharing)
		fprintf(c->a.text,
			"\nlines that cores take from each other are shown for one process: "
			"--group=process=N; or --by=sharing\n");
	return status;
}

static int simulate_all(struct cache *c, uint32_t *threads, uint32_t *processes)
{
	const uint32_t n = bob_trace_thread_count(c->a.s.trace);
	uint32_t count = 0;
	int status = 0;

	for (uint32_t i = cli_session_thread(&c->a.s, 0); i < n && !status; ++*processes) {
		uint32_t process = bob_trace_thread(c->a.s.trace, i)->process;

		bob_cache_replay_destroy(c->replay);
		c->replay = NULL;
		i = threads_of(c, i, threads, &count);
		status = run_process(c, process, threads, count);
	}
	bob_cache_rows_finish(&c->rows);
	if (!status && !c->rows.count)
		status = cli_fail(
			"cache", "the trace has no memory accesses, or none in the threads chosen; "
				 "they are recorded with bobbin record --mem");
	return status;
}

/* Reports unknown columns before the simulation. */
static int check_columns(struct cache *c)
{
	if (c->by == BY_SHARING)
		return cli_answer_check(&c->a, bob_cache_sharing_table());
	return cli_answer_check(&c->a, c->by == BY_LEVEL ? bob_cache_levels_table(&c->rows) :
							   bob_cache_rows_table(&c->rows, NULL));
}

static int run(struct cache *c)
{
	uint32_t *threads = calloc(bob_trace_thread_count(c->a.s.trace) + 1u, sizeof(*threads));
	uint32_t processes = 0;
	int status;

	c->rows = (struct bob_cache_rows){
		.trace = c->a.s.trace,
		.config = &c->config,
		.by = c->by < BY_LEVEL ? (enum bob_cache_by)c->by : BOB_CACHE_BY_ANY,
	};
	c->one_by_one |= c->a.s.max_events != 0;
	if (c->by == BY_SHARING)
		c->sharing = bob_cache_sharing_table();
	if (!threads || (c->by == BY_SHARING && !c->sharing))
		status = cli_fail("cache", "out of memory");
	else
		status = check_columns(c);
	if (!status)
		status = simulate_all(c, threads, &processes);
	if (!status)
		status = cli_answer_begin(&c->a);
	if (!status)
		status = cli_answer_end(&c->a, print_all(c, processes, threads));
	bob_cache_replay_destroy(c->replay);
	bob_cache_rows_fini(&c->rows);
	bob_table_destroy(c->sharing);
	free(threads);
	return status ? status : c->a.s.damaged != 0;
}

static int show_config(const struct cache *c)
{
	FILE *out = cli_output_open("cache", c->a.output);
	char text[512];

	if (!out)
		return 1;
	bob_cache_config_write(&c->config, text, sizeof(text));
	fputs(text, out);
	return cli_output_close("cache", out, c->a.output);
}

int verb_cache(int argc, char **argv)
{
	struct cache c = { .a = CLI_ANSWER("cache", ROWS_DEFAULT), .by = BY_DEFAULT };
	int status = cli_options_read("cache", argc, argv, &c);

	if (status != CLI_GO_ON)
		return status;
	status = choose_machine(&c);
	if (status || c.show)
		return status ? status : show_config(&c);
	status = cli_session_open(&c.a.s, argc, argv);
	if (status)
		return status;
	status = cli_between_apply(&c.between, &c.a.s, 1);
	if (!status)
		status = run(&c);
	cli_session_close(&c.a.s);
	return status;
}
