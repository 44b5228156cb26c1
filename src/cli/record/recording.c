/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts options of `record` and `env` to the agent's environment variables. */
#define _GNU_SOURCE
#include "cli/record/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/record/calibrate.h"
#include "cli/terminal/complain.h"
#include "plan/plan.h"

#define AGENT_NAME "libbobbin-agent.so"

const char *cli_vars_get(const struct cli_vars *v, const char *name)
{
	size_t n = strlen(name);

	for (int i = 0; i < v->count; i++)
		if (!strncmp(v->text[i], name, n) && v->text[i][n] == '=')
			return v->text[i] + n + 1;
	return NULL;
}

/* Sets NAME=value; with `join`, appends to an existing value, after these characters. */
static void set_joined(struct cli_vars *v, const char *name, const char *value, const char *join)
{
	size_t n = strlen(name);
	char *text = NULL;

	for (int i = 0; i < v->count; i++) {
		if (strncmp(v->text[i], name, n) || v->text[i][n] != '=')
			continue;
		int got = join ? asprintf(&text, "%s%s%s", v->text[i], join, value) :
				 asprintf(&text, "%s=%s", name, value);
		if (got < 0)
			return;
		free(v->text[i]);
		v->text[i] = text;
		return;
	}
	if (v->count < CLI_VARS_MAX && asprintf(&text, "%s=%s", name, value) >= 0)
		v->text[v->count++] = text;
}

static void set(struct cli_vars *v, const char *name, const char *value, char join)
{
	const char joined[] = { join, '\0' };

	set_joined(v, name, value, join ? joined : NULL);
}

void cli_vars_append(struct cli_vars *v, const char *name, const char *value)
{
	set_joined(v, name, value, "");
}

void cli_vars_set(struct cli_vars *v, const char *name, const char *value)
{
	set(v, name, value, 0);
}

void cli_vars_add(struct cli_vars *v, const char *name, const char *value)
{
	set(v, name, value, ':');
}

void cli_vars_add_line(struct cli_vars *v, const char *name, const char *value)
{
	set(v, name, value, '\n');
}

void cli_vars_free(struct cli_vars *v)
{
	for (int i = 0; i < v->count; i++)
		free(v->text[i]);
	v->count = 0;
}

/* Converts a file of function names, one per line, to a pattern list. */
static int read_names(struct cli_vars *v, const char *verb, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[1024];
	int n = 0;

	if (!f)
		return cli_misuse(verb,
				  "--interface %s: neither a known interface, a library name "
				  "(with .so) nor a readable file",
				  path),
		       125;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \t\r\n")] = 0;
		if (!line[0] || line[0] == '#')
			continue;
		set(v, "BOBBIN_INTERFACE", line, ':');
		n++;
	}
	fclose(f);
	return n ? 0 : (cli_misuse(verb, "--interface %s: the file names no function", path), 125);
}

int cli_recording_interface(const char *verb, void *vars, const char *what)
{
	static const char *const known[][2] = {
		{ "mpi", "MPI_*:mpi_*:MPIX_*" },
		{ "openmp", "GOMP_*:GOACC_*:omp_*:__kmpc_*" },
		{ "pthread", "pthread_*:sem_*" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(what, known[i][0])) {
			set(vars, "BOBBIN_INTERFACE", known[i][1], ':');
			return 0;
		}
	}
	if (strstr(what, ".so")) {
		set(vars, "BOBBIN_INTERFACE_IMAGE", what, ':');
		return 0;
	}
	return read_names(vars, verb, what);
}

int cli_recording_images(const char *verb, void *vars, const char *arg)
{
	if (cli_word_index("main|app|all", arg) < 0)
		return cli_misuse(verb, "--images=%s: want main, app or all", arg);
	set(vars, "BOBBIN_IMAGES", arg, 0);
	return 0;
}

int cli_recording_codec(const char *verb, void *vars, const char *arg)
{
	if (cli_word_index("run|parlot|none|null", arg) < 0)
		return cli_misuse(verb, "--codec=%s: want run, parlot, none or null", arg);
	set(vars, "BOBBIN_CODEC", arg, 0);
	return 0;
}

int cli_recording_filter(const char *verb, void *vars, const char *arg)
{
	(void)verb;
	set(vars, "BOBBIN_FILTER", arg, ':');
	return 0;
}

int cli_recording_notrace(const char *verb, void *vars, const char *arg)
{
	(void)verb;
	set(vars, "BOBBIN_NOTRACE", arg, ':');
	return 0;
}

int cli_recording_depth(const char *verb, void *vars, const char *arg)
{
	uint64_t n;

	if (cli_parse_count(arg, &n) || !n || n > 1000000)
		return cli_misuse(verb, "--depth=%s: want a number from 1 on", arg);
	set(vars, "BOBBIN_DEPTH", arg, 0);
	return 0;
}

int cli_recording_trigger(const char *verb, void *vars, const char *arg)
{
	(void)verb;
	set(vars, "BOBBIN_TRIGGER", arg, ':');
	return 0;
}

int cli_recording_no_follow(const char *verb, void *vars, const char *arg)
{
	(void)verb;
	(void)arg;
	set(vars, "BOBBIN_FOLLOW", "0", 0);
	return 0;
}

int cli_recording_finish(struct cli_vars *v, const char *verb, const char *dir)
{
	char self[BOB_SYS_PATH], path[BOB_SYS_PATH + 64], cache[BOB_SYS_PATH];
	struct bob_error err = { .text = "" };
	const char *preload = getenv("LD_PRELOAD");

	bob_self_dir(self, sizeof(self));
	snprintf(path, sizeof(path), "%s/../lib/bobbin/" AGENT_NAME, self);
	char *agent = realpath(path, NULL);
	if (!agent)
		return cli_fail(verb, "the agent %s is not there; is Bobbin installed whole?",
				path),
		       125;
	if (strpbrk(agent, ": ")) {
		cli_fail(verb,
			 "the agent's path %s has a space or colon, which LD_PRELOAD cannot "
			 "take; move Bobbin elsewhere",
			 agent);
		free(agent);
		return 125;
	}
	set(v, "LD_PRELOAD", agent, 0);
	if (cli_vars_get(v, "BOBBIN_SHIM"))
		set(v, "LD_PRELOAD", cli_vars_get(v, "BOBBIN_SHIM"), ':');
	if (preload && *preload)
		set(v, "LD_PRELOAD", preload, ':');
	set(v, "BOBBIN_AGENT", agent, 0);
	free(agent);
	snprintf(path, sizeof(path), "%s/bobbin", self);
	set(v, "BOBBIN_PLANNER", path, 0);
	set(v, "BOBBIN_DIR", dir, 0);
	if (bob_plan_cache_dir(cache, sizeof(cache), &err) != BOB_OK) {
		/* plans for this run only, next to its trace */
		snprintf(cache, sizeof(cache), "%s/plans", dir);
		if (mkdir(cache, 0700) && errno != EEXIST)
			return cli_fail(verb, "%s: no place for patch plans; set BOBBIN_CACHE",
					cache),
			       125;
	}
	set(v, "BOBBIN_CACHE", cache, 0);
	return 0;
}

void cli_recording_costs(struct cli_vars *v, int may_measure)
{
	const char *agent = cli_vars_get(v, "BOBBIN_AGENT"),
		   *cache = cli_vars_get(v, "BOBBIN_CACHE");
	struct cli_costs c;
	char text[32];

	/* A recorded bobbin would measure no difference; it keeps the values in its environment. */
	if (getenv("BOBBIN_DIR"))
		return;
	unsetenv(CLI_COSTS_CALL);
	unsetenv(CLI_COSTS_BIT);
	if (!agent || !cache || cli_costs_get(cache, agent, may_measure, &c))
		return;
	snprintf(text, sizeof(text), "%" PRIu64, c.call_ps);
	set(v, CLI_COSTS_CALL, text, 0);
	snprintf(text, sizeof(text), "%" PRIu64, c.bit_ps);
	set(v, CLI_COSTS_BIT, text, 0);
}

const char *cli_recording_problem(enum bob_target t)
{
	switch (t) {
	case BOB_TARGET_OK:
	case BOB_TARGET_SCRIPT:
		break;
	case BOB_TARGET_MISSING:
		return "command not found";
	case BOB_TARGET_DENIED:
		return "not an executable file";
	case BOB_TARGET_32BIT:
		return "a 32-bit program; only x86-64 programs can be recorded";
	case BOB_TARGET_OTHER_CPU:
		return "not a program for this processor; only x86-64 programs can be recorded";
	case BOB_TARGET_STATIC:
		return "statically linked; only dynamically linked programs can be recorded for "
		       "now";
	case BOB_TARGET_SETUID:
		return "set-user-id or set-group-id; the loader ignores LD_PRELOAD for it";
	}
	return NULL;
}
