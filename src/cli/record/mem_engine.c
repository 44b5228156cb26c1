/* SPDX-License-Identifier: BSD-3-Clause */
/* Engines of memory recording: the agent, or Bobbin's Valgrind tool, which is installed with its
 * launcher next to the agent. */
#define _GNU_SOURCE
#include "cli/record/mem_engine.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/runtime_list.h"
#include "cli/terminal/complain.h"
#include "plan/plan.h"

#define LAUNCHER "../lib/bobbin/bobbin-valgrind"
#ifndef BOB_VALGRIND_PRELOAD
#define BOB_VALGRIND_PRELOAD "" /* the tool was not built */
#endif

/* Options that select calls; a memory trace has none. */
static const char *const of_calls[][2] = {
	{ "BOBBIN_FILTER", "--filter" },       { "BOBBIN_NOTRACE", "--notrace" },
	{ "BOBBIN_INTERFACE", "--interface" }, { "BOBBIN_INTERFACE_IMAGE", "--interface" },
	{ "BOBBIN_DEPTH", "--depth" },	       { "BOBBIN_TRIGGER", "--trigger" },
};

static void find_launcher(char *path, size_t size)
{
	char self[BOB_SYS_PATH];

	bob_self_dir(self, sizeof(self));
	snprintf(path, size, "%s/" LAUNCHER, self);
}

int cli_mem_is_native(const struct cli_mem *m)
{
	return !strcmp(m->engine, "native");
}

int cli_mem_chooses_calls(const struct cli_vars *v, const char *verb)
{
	for (size_t i = 0; i < sizeof(of_calls) / sizeof(of_calls[0]); i++)
		if (cli_vars_get(v, of_calls[i][0]))
			return cli_misuse(verb, "%s chooses calls; --mem records none",
					  of_calls[i][1]),
			       1;
	return 0;
}

int cli_mem_check(struct cli_mem *m, const struct cli_vars *v, int is_static)
{
	char path[BOB_SYS_PATH + 64];

	if (cli_mem_chooses_calls(v, "record"))
		return 125;
	if (!strcmp(m->engine, "auto"))
		m->engine = is_static ? "valgrind" : "native";
	if (cli_mem_is_native(m))
		return is_static ? (cli_fail("record",
					     "--engine=native cannot record statically linked "
					     "programs; --engine=valgrind can"),
				    125) :
				   0;
	find_launcher(path, sizeof(path));
	if (access(path, X_OK))
		return cli_fail("record",
				"this bobbin was built without its Valgrind tool; install the "
				"package valgrind and build it again"),
		       125;
	if (access(BOB_VALGRIND_PRELOAD, R_OK))
		return cli_fail("record",
				"--mem needs Valgrind, which is not installed (%s is not there)",
				BOB_VALGRIND_PRELOAD),
		       125;
	return 0;
}

/* Stores a text until cli_mem_free. NULL: out of memory. */
static char *keep(struct cli_mem *m, const char *a, const char *b)
{
	char *text;

	if (m->texts == (int)(sizeof(m->text) / sizeof(m->text[0])) ||
	    asprintf(&text, "%s%s", a, b) < 0)
		return NULL;
	return m->text[m->texts++] = text;
}

/* Valgrind expands %p and similar in the name of its log. */
static char *log_option(struct cli_mem *m, const char *dir)
{
	char escaped[2 * BOB_SYS_PATH + 32];
	size_t n = 0;

	for (; *dir && n < 2 * BOB_SYS_PATH; dir++) {
		if (*dir == '%')
			escaped[n++] = '%';
		escaped[n++] = *dir;
	}
	snprintf(escaped + n, sizeof(escaped) - n, "/valgrind-%%p.log");
	return keep(m, "--log-file=", escaped);
}

struct requirement {
	const char *images;	/* main, app or all */
	int status;
};

static int is_chosen(const struct requirement *r, const char *path)
{
	char list[] = BOB_RUNTIME_LIST;
	const char *slash = strrchr(path, '/');

	if (strcmp(r->images, "app"))
		return 1;
	for (char *p = strtok(list, ":"); p; p = strtok(NULL, ":"))
		if (!fnmatch(p, slash ? slash + 1 : path, 0))
			return 0;
	return 1;
}

static void require_image(void *ctx, const char *path)
{
	struct requirement *r = ctx;
	struct bob_error err = { .text = "" };
	const char *why;
	uint32_t count;
	bob_status st;

	if (!is_chosen(r, path))
		return;
	st = bob_plan_mem_declined(path, &count, &why, &err);
	if (st != BOB_OK)
		cli_fail_status("record", path, st, &err);
	else if (count)
		cli_fail("record",
			 "%s: %u function%s cannot be recorded (%s); "
			 "`bobbin plan --mem -vv` lists them, --engine=valgrind can",
			 path, count, count == 1 ? "" : "s", why);
	if (st != BOB_OK || count)
		r->status = 125;
}

int cli_mem_require(const struct cli_mem *m, const struct cli_vars *v, const char *path)
{
	const char *images = cli_vars_get(v, "BOBBIN_IMAGES");
	struct requirement r = { .images = images ? images : "main" };
	struct bob_error err = { .text = "" };
	bob_status st = BOB_OK;

	if (!m->complete || !cli_mem_is_native(m))
		return 0;
	if (!strcmp(r.images, "main"))
		require_image(&r, path);
	else
		st = bob_plan_closure(path, require_image, &r, &err);
	return st == BOB_OK ? r.status : (cli_fail_status("record", path, st, &err), 125);
}

void cli_mem_native(const struct cli_mem *m, struct cli_vars *v)
{
	cli_vars_set(v, "BOBBIN_MEM", "1");
	cli_vars_set(v, "BOBBIN_ENGINE", "native");
	cli_vars_set(v, "BOBBIN_FROM_START", m->from_start ? "1" : "0");
	if (!cli_vars_get(v, "BOBBIN_IMAGES"))
		cli_vars_set(v, "BOBBIN_IMAGES", "main");
}

int cli_mem_finish(struct cli_mem *m, struct cli_vars *v, const char *dir, char **command)
{
	const char *images = cli_vars_get(v, "BOBBIN_IMAGES"),
		   *codec = cli_vars_get(v, "BOBBIN_CODEC"),
		   *follow = cli_vars_get(v, "BOBBIN_FOLLOW");
	char launcher[BOB_SYS_PATH + 64];
	size_t n = 0, at = 0;

	find_launcher(launcher, sizeof(launcher));
	while (command[n])
		n++;
	m->argv = calloc(n + 16, sizeof(*m->argv));
	m->path = realpath(launcher, NULL);
	if (!m->path || !m->argv)
		return cli_fail("record", "%s cannot be started", launcher), 125;
	m->argv[at++] = m->path;
	m->argv[at++] = keep(m, "--tool=", "bobbin");
	m->argv[at++] = keep(m, "--command-line-only=", "yes");
	m->argv[at++] = keep(m, "-", "q");
	m->argv[at++] = keep(m, "--vgdb=", "no");
	m->argv[at++] = keep(m, "--trace-children=", follow && !strcmp(follow, "0") ? "no" : "yes");
	m->argv[at++] = keep(m, "--images=", images ? images : "main");
	m->argv[at++] = log_option(m, dir);
	m->argv[at++] = keep(m, "--dir=", dir);
	m->argv[at++] = keep(m, "--from-start=", m->from_start ? "yes" : "no");
	m->argv[at++] = keep(m, "--fold=", codec && !strcmp(codec, "none") ? "no" : "yes");
	m->argv[at++] = keep(m, "--null=", codec && !strcmp(codec, "null") ? "yes" : "no");
	m->argv[at++] = keep(m, "--", "");
	for (size_t i = 0; i < at; i++)
		if (!m->argv[i])
			return cli_fail("record", "out of memory"), 125;
	memcpy(m->argv + at, command, (n + 1) * sizeof(*command));
	return 0;
}

void cli_mem_free(struct cli_mem *m)
{
	for (int i = 0; i < m->texts; i++)
		free(m->text[i]);
	free(m->argv);
	free(m->path);
	m->texts = 0;
	m->argv = NULL;
	m->path = NULL;
}
