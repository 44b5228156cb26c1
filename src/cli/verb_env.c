/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin env: prints the variables with which LD_PRELOAD alone records, for job scripts that cannot
 * use a launcher: eval "$(bobbin env)". Creates the trace directory, which every process started
 * with these variables joins. */
#include <stdio.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "cli/record/mem_engine.h"
#include "cli/record/mpi_shim.h"
#include "cli/record/recording.h"
#include "cli/verbs.h"

struct env {
	const char *output, *link;
	struct cli_vars vars;
	int mem, from_start;
};

const struct cli_option env_options[] = {
	RECORDING_OPTIONS(struct env, output, vars),
	{ "mem", 0, NULL,
	  "record memory accesses instead of calls, folded to loops; --images is then main "
	  "by default",
	  CLI_FLAG(struct env, mem) },
	{ "from-start", 0, NULL, "--mem: also record accesses before main",
	  CLI_FLAG(struct env, from_start) },
	{ "mpi-link", 0, "WHICH",
	  "print instead what to add to the link command of a program with a static MPI",
	  CLI_ONE_OF(struct env, link, CLI_MPI_NAMES) },
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

/* The native engine for memory accesses is the agent, as for calls; the other one needs a
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
	struct env e = { .output = "bobbin.data" };
	char dir[BOB_SYS_PATH], key[512];
	struct bob_error err = { .text = "" };
	int bad = cli_options_read("env", argc, argv, &e);

	if (bad != CLI_GO_ON)
		return bad;
	if (e.link)
		return cli_mpi_link("env", e.link);
	bad = choose_memory(&e.vars, e.mem, e.from_start);
	if (bad)
		return bad;
	bob_run_key(key, sizeof(key));
	if (bob_rundir_prepare(e.output, key, dir, NULL, &err) != BOB_OK)
		return cli_fail("env", "%s: %s; choose another place with -o", err.path, err.text);
	bad = cli_recording_finish(&e.vars, "env", dir);
	if (!bad && !e.mem)
		cli_recording_costs(&e.vars, 1);
	for (int i = 0; !bad && i < e.vars.count; i++)
		print_quoted(e.vars.text[i]);
	cli_vars_free(&e.vars);
	return bad ? 1 : 0;
}
