/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin env: the variables that make LD_PRELOAD alone record, for job scripts that cannot start a
 * launcher: eval "$(bobbin env)". Makes the trace directory, which every process started with these
 * variables joins. */
#include <stdio.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "cli/record/mem_engine.h"
#include "cli/record/mpi_shim.h"
#include "cli/record/recording.h"
#include "cli/verbs.h"

enum { OPT_MEM = REC_COMMON, OPT_FROM_START, OPT_MPI_LINK };

const struct cli_option env_options[] = {
	RECORDING_OPTIONS,
	{ "mem", 0, NULL,
	  "record memory accesses instead of calls, folded to loops; --images is main "
	  "then" },
	{ "from-start", 0, NULL, "--mem: accesses before main, too" },
	{ "mpi-link", 0, "WHICH",
	  "print instead what is to be added to the link of a program with a static MPI",
	  .values = CLI_MPI_NAMES },
	{ 0 },
};

static void print_quoted(const char *var)
{
	size_t n = strcspn(var, "=");

	printf("export %.*s='", (int)n, var);
	for (const char *p = var + n + 1; *p; p++) {
		if (*p == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*p);
	}
	puts("'");
}

/* Memory accesses: engine native is the agent, as it is for calls; the other one needs a
 * launcher. */
static int choose_memory(struct cli_vars *vars, int mem, int from_start)
{
	const struct cli_mem m = { .engine = "native", .from_start = from_start };

	if (from_start && !mem)
		return cli_misuse("env", "--from-start is of --mem");
	if (mem && cli_mem_chooses_calls(vars, "env"))
		return 2;
	if (mem)
		cli_mem_native(&m, vars);
	return 0;
}

int verb_env(int argc, char **argv)
{
	struct cli_vars vars = { .count = 0 };
	struct cli_options o;
	char dir[BOB_SYS_PATH], key[512];
	struct bob_error err = { .text = "" };
	const char *arg, *output = "bobbin.data", *link = NULL;
	int i, bad, mem = 0, from_start = 0;

	cli_options_begin(&o, "env", argc, argv);
	while ((i = cli_options_next(&o, &arg)) >= 0) {
		if (i == REC_OUTPUT)
			output = arg;
		else if (i == OPT_MEM)
			mem = 1;
		else if (i == OPT_FROM_START)
			from_start = 1;
		else if (i == OPT_MPI_LINK && cli_word_index(CLI_MPI_NAMES, arg) < 0)
			return cli_misuse("env", "--mpi-link=%s: want openmpi or mpich", arg);
		else if (i == OPT_MPI_LINK)
			link = arg;
		else if ((bad = cli_recording_option(&vars, "env", i, arg)))
			return bad == 125 ? 2 : bad;
	}
	if (i != CLI_OPTIONS_END)
		return i == CLI_OPTIONS_HELP ? 0 : 2;
	if (link)
		return cli_mpi_link("env", link);
	bad = choose_memory(&vars, mem, from_start);
	if (bad)
		return bad;
	bob_run_key(key, sizeof(key));
	if (bob_rundir_prepare(output, key, dir, NULL, &err) != BOB_OK)
		return cli_fail("env", "%s: %s; choose another place with -o", err.path, err.text);
	bad = cli_recording_finish(&vars, "env", dir);
	if (!bad && !mem)
		cli_recording_costs(&vars, 1);
	for (i = 0; !bad && i < vars.count; i++)
		print_quoted(vars.text[i]);
	cli_vars_free(&vars);
	return bad ? 1 : 0;
}
