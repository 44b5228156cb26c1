/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin instrument: writes copies of sources with probes for the variables, loops and functions
 * that the commands name. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal/complain.h"
#include "cli/source/compiler_line.h"
#include "cli/source/instrument_compile.h"
#include "cli/source/instrument_how.h"
#include "cli/source/instrument_predict.h"
#include "cli/source/instrument_profile.h"
#include "cli/source/instrument_refusals.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"
#include "source/instrument.h"
#include "table/numbers.h"
#include "table/print.h"

#define VERB "instrument"
#define PROMPT "bobbin> "
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* some editors write it before the first line */

/* --- commands --- */

static const char no_name[] = "commands"; /* read from standard input */

struct session {
	const char *output, *assume, *profile;
	struct bob_source_options all; /* from the options */
	struct bob_requests requests;
	FILE *in;
	const char *name;	/* of the commands' file, for complaints */
	struct bob_source_options o; /* for a single file, while commands are read */
	bool is_asked;		/* interactive: mistakes are reported, and reading continues */
	bool is_compiling;	/* files have the paths of the compiler's command line */
	uint32_t left;		/* files that stay unchanged, ... */
	const char *first_left;	/* ... and one of them */
};

const struct cli_option instrument_options[] = {
	{ "output", 'o', "DIR",
	  "write the sources to DIR, which must not exist yet (default: instrumented)",
	  CLI_TEXT(struct session, output) },
	{ "flat", 0, NULL,
	  "a probe for each access in a loop, instead of one probe before the loop where "
	  "that reports the same",
	  CLI_BOOL(struct session, all.is_flat) },
	{ "exact", 0, NULL,
	  "probes inside expressions report accesses in the compiler's order of evaluation; "
	  "none reports a whole loop",
	  CLI_BOOL(struct session, all.is_exact) },
	{ "in-place", 0, NULL,
	  "no copies of procedures for calls that pass traced variables: probes in the "
	  "procedures themselves, for all callers",
	  CLI_BOOL(struct session, all.is_in_place) },
	{ "copies", 0, NULL,
	  "C: also copy functions for calls that pass them traced memory, as in Fortran "
	  "(docs/source-c.md)",
	  CLI_BOOL(struct session, all.has_c_copies) },
	{ "no-hold", 0, NULL,
	  "do not hoist untraced ranges out of loops: each probe looks them up (in Fortran "
	  "by a call; for compilers without LOC)",
	  CLI_BOOL(struct session, all.holds_nothing) },
	{ "assume", 0, "FILE",
	  "assumptions of the cost prediction, one per line: `baseline SECONDS` of the "
	  "program without probes, `trips FILE:LINE COUNT`, `runs FUNCTION COUNT`, ... "
	  "(docs/source.md)",
	  CLI_TEXT(struct session, assume) },
	{ "profile", 0, "TRACE",
	  "take trips of loops and runs of functions that are otherwise unknown from an "
	  "earlier run with `trace code at loop level` and `at subroutine level`, for the "
	  "cost prediction",
	  CLI_TEXT(struct session, profile) },
	{ "compile", 0, NULL,
	  "run the compiler command after --, with copies in place of the C files that "
	  "COMMANDS names; for make and CMake (docs/source.md)",
	  CLI_BOOL(struct session, is_compiling) },
	{ 0 },
};

static void show(const struct bob_requests *w)
{
	char text[8192];

	for (const struct bob_request_file *f = w->first; f; f = f->next) {
		printf("trace file %s\n", f->path);
		for (const struct bob_request *x = f->first; x; x = x->next) {
			bob_request_print(x, text, sizeof(text));
			printf("%s\n", text);
		}
	}
}

/* Checks that the file can be read; interactive sessions report it at once. */
static int look_at_file(const struct session *s, const struct bob_request_file *f)
{
	struct stat st;

	if (bob_source_language(f->path) == BOB_SOURCE_UNKNOWN)
		return cli_fail(
			VERB,
			"%s:%u: %s is not a C or Fortran file by its name (.c, .f, .f90, ...)%s",
			s->name, f->command, f->path,
			strpbrk(f->path, " \t'\"") ?
				": the name is the rest of the line, without quotes" :
				"");
	if (s->is_compiling)
		return 0;
	if (access(f->path, R_OK))
		return cli_fail(VERB, "%s:%u: %s: %m", s->name, f->command, f->path);
	if (!stat(f->path, &st) && !S_ISREG(st.st_mode))
		return cli_fail(VERB, "%s:%u: %s is no file of text", s->name, f->command, f->path);
	return 0;
}

static void print_line(void *ctx, const char *line)
{
	(void)ctx;
	puts(line);
}

static int complain(const struct session *s, bob_status st, const struct bob_source_complaint *why)
{
	char text[2 * PATH_MAX];

	return cli_fail(VERB, "%s", cli_complaint_print(s->name, st, why, text, sizeof(text)));
}

/* Tries the last command on its file: interactive sessions report the result at once. 1: what it
 * names does not exist. */
static int look_at_request(const struct session *s)
{
	const struct bob_request_file *f = s->requests.last;
	struct bob_request request = *f->last;
	struct bob_request_file alone = { f->path, f->command, &request, &request, NULL };
	struct bob_source_complaint why = { 0 };
	struct cli_refusals refusals = { 0 };
	struct bob_source_result *r;
	const struct bob_source_counts *n;
	bob_status st;

	if (request.what == BOB_REQUEST_ALLOCATOR)
		return 0;
	request.next = NULL;
	st = bob_source_instrument(&alone, &s->o, &r, &why);
	if (st != BOB_OK) {
		complain(s, st, &why);
		return st == BOB_ERR_INVAL;
	}
	n = &r->counts;
	if (r->left)
		cli_warn(VERB, "%s", r->left);
	cli_refusals_put(&refusals, f->path, r, print_line, NULL);
	cli_refusals_end(&refusals, print_line, NULL);
	if (!r->left && request.what == BOB_REQUEST_VARIABLE)
		printf("%u variable%s; probes: %u of one access, %u of loops\n", n->variables,
		       bob_plural(n->variables), n->proved + n->filtered - n->nest_references,
		       n->nests);
	else if (!r->left)
		printf("events at %u place%s\n", n->loops + n->calls + n->communication,
		       bob_plural(n->loops + n->calls + n->communication));
	bob_source_close(r);
	return 0;
}

/* 0, 1 after a complaint; *over: bye. */
static int do_line(struct session *s, const char *line, size_t len, bool *over)
{
	struct bob_command_complaint why;
	enum bob_command c = BOB_COMMAND_NONE;
	bob_status st = bob_requests_put(&s->requests, line, len, &c, &why);

	if (st == BOB_ERR_INVAL)
		return cli_fail(VERB, "%s:%u:%u: %s", s->name, s->requests.commands, why.column,
				why.text);
	if (st != BOB_OK)
		return cli_fail(VERB, "out of memory");
	if ((c == BOB_COMMAND_FILE && look_at_file(s, s->requests.last)) ||
	    (c == BOB_COMMAND_TRACE && s->is_asked && look_at_request(s))) {
		(void)bob_requests_put(&s->requests, "undo", 4, &c, &why);
		s->requests.commands--;
		return 1;
	}
	if (c == BOB_COMMAND_SHOW)
		show(&s->requests);
	else if (c == BOB_COMMAND_HELP)
		fputs(bob_commands_help, stdout);
	*over = c == BOB_COMMAND_BYE;
	return 0;
}

static int read_commands(struct session *s)
{
	char *line = NULL;
	size_t capacity = 0, mark;
	bool over = false;
	int bad = 0;

	while (!over && !bad) {
		if (s->is_asked) {
			fputs(PROMPT, stdout);
			fflush(stdout);
		}
		errno = 0;
		ssize_t n = getline(&line, &capacity, s->in);
		if (n < 0) {
			if (errno)
				bad = cli_fail(VERB, "%s: %m", s->name);
			break;
		}
		if (n && line[n - 1] == '\n')
			n--;
		mark = !s->requests.commands && n >= 3 && !memcmp(line, BYTE_ORDER_MARK, 3) ? 3 : 0;
		bad = do_line(s, line + mark, (size_t)n - mark, &over);
		if (s->is_asked)
			bad = 0;
	}
	if (s->is_asked && !over)
		fputc('\n', stdout);
	free(line);
	return bad;
}

/* --- files --- */

/* Joins the commands of files that are named twice. */
static void unite(struct bob_requests *w)
{
	for (struct bob_request_file *f = w->first; f; f = f->next) {
		struct bob_request_file *before = f;

		for (struct bob_request_file *g = f->next; g; g = before->next) {
			if (strcmp(f->path, g->path) != 0) {
				before = g;
				continue;
			}
			if (g->first && f->last)
				f->last->next = g->first;
			else if (g->first)
				f->first = g->first;
			if (g->first)
				f->last = g->last;
			before->next = g->next;
		}
		w->last = before;
	}
}

static int check_names(const struct session *s)
{
	for (const struct bob_request_file *f = s->requests.first; f; f = f->next)
		for (const struct bob_request_file *g = f->next; g; g = g->next)
			if (!strcmp(cli_instrument_base(f->path), cli_instrument_base(g->path)))
				return cli_fail(
					VERB,
					"%s:%u: %s and %s would have the same name in the output",
					s->name, g->command, f->path, g->path);
	return 0;
}

static struct bob_table *counts_table(void)
{
	static const struct bob_column columns[] = {
		{ "file", NULL, BOB_COLUMN_TEXT, 0, NULL },
		{ "variables", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "proved", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "filtered", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "nests", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "references_in_nests", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "dropped", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "events", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "copies", NULL, BOB_COLUMN_COUNT, 0, NULL },
	};

	return bob_table_create("files", "file", columns, sizeof(columns) / sizeof(columns[0]));
}

static void add_row(struct bob_table *t, const char *path, const struct bob_source_counts *c)
{
	bob_table_text(t, path);
	bob_table_count(t, c->variables);
	bob_table_count(t, c->proved);
	bob_table_count(t, c->filtered);
	bob_table_count(t, c->nests);
	bob_table_count(t, c->nest_references);
	bob_table_count(t, c->dropped);
	bob_table_count(t, c->loops + c->calls + c->communication);
	bob_table_count(t, c->copies);
}

/* Prints all rows. 0, or 1 after a complaint. */
static int print_counts(struct bob_table *t)
{
	const struct bob_table_view all = { 0 };
	char why[BOB_TABLE_WHY_MAX] = "out of memory";

	return t && bob_table_print(t, &all, stdout, why) == BOB_OK ? 0 : cli_fail(VERB, "%s", why);
}

/* Reports a file with an error: 1 if it is the only file, else the others continue. */
static int say_left(struct session *s, const char *path, const struct bob_source_result *r)
{
	if (!s->requests.first->next)
		return cli_fail(VERB, "%s", r->left);
	if (!s->left++)
		s->first_left = path;
	cli_warn(VERB, "%s: the file stays as it is, without probes", r->left);
	return 0;
}

static int instrument_all(struct session *s, const struct bob_source_options *o, const char *dir,
			  struct bob_table *t, struct cli_refusals *refusals)
{
	uint32_t files = 0;

	for (const struct bob_request_file *f = s->requests.first; f; f = f->next) {
		struct bob_source_complaint why = { 0 };
		struct bob_source_result *r;
		bob_status st = bob_source_instrument(f, o, &r, &why);
		int bad;

		if (st != BOB_OK)
			return complain(s, st, &why);
		files++;
		add_row(t, f->path, &r->counts);
		cli_refusals_put(refusals, f->path, r, print_line, NULL);
		bad = (r->left && say_left(s, f->path, r)) ||
		      cli_instrument_write(VERB, dir, f->path, r);
		bob_source_close(r);
		if (bad)
			return bad;
	}
	return files > s->left ?
		       0 :
		       cli_fail(VERB,
				"no file could be read: nothing is written; the compiler's flags "
				"follow --");
}

static int instrument(struct session *s, const struct bob_source_options *o, const char *dir,
		      struct bob_table *t)
{
	struct bob_source_options together = *o;
	struct bob_source_complaint why = { 0 };
	bob_status st = bob_source_group_open(s->requests.first, o, &together.group, &why);
	struct cli_refusals refusals = { 0 };
	int bad = st == BOB_OK ? instrument_all(s, &together, dir, t, &refusals) :
				 complain(s, st, &why);

	cli_refusals_end(&refusals, print_line, NULL);
	bob_source_group_close(together.group);
	return bad;
}

/* Predicts the cost, and defines it in the headers in `dir` for the recorder. */
static int predict(struct bob_predict *p, const char *dir, struct bob_predict_total *t)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/bobbin/probe.h", dir);
	if (bob_predict_sum(p, t) != BOB_OK)
		return cli_fail(VERB, "out of memory");
	return cli_predict_define(VERB, t, path);
}

static void print_left(const struct session *s)
{
	if (s->left == 1)
		printf("%s stays as it is, without probes\n", s->first_left);
	else if (s->left)
		printf("%s and %u more stay as they are, without probes\n", s->first_left,
		       s->left - 1);
}

static int work(struct session *s, const struct bob_source_options *o, const char *output)
{
	char dir[PATH_MAX];
	struct bob_predict_total total;
	struct bob_table *t;
	int bad;

	unite(&s->requests);
	if (check_names(s))
		return 1;
	if (!s->requests.first)
		return cli_fail(VERB, "%s: no file was named: nothing to do", s->name);
	if (cli_output_directory(VERB, output, dir))
		return 1;
	t = counts_table();
	bad = cli_output_embedded(VERB, dir, bob_source_headers) || instrument(s, o, dir, t) ||
	      predict(o->predict, dir, &total);
	if (bad)
		cli_output_directory_drop(dir);
	else
		bad = cli_output_directory_done(VERB, dir, output);
	bad = bad ? bad : print_counts(t);
	bob_table_destroy(t);
	if (!bad) {
		cli_predict_print(&total, stdout);
		cli_instrument_how(&s->requests, o, output);
	}
	if (!bad)
		print_left(s);
	return bad;
}

static int predicted_work(struct session *s, struct bob_source_options *o, const char *output,
			  const char *assume, const char *profile)
{
	int bad;

	if (bob_predict_open(&o->predict) != BOB_OK)
		return cli_fail(VERB, "out of memory");
	bad = (assume && cli_predict_assume(VERB, o->predict, assume)) ||
	      (profile && cli_predict_profile(VERB, o->predict, profile)) || work(s, o, output);
	if (!bad && assume)
		cli_predict_unused(VERB, o->predict, assume);
	bob_predict_close(o->predict);
	return bad;
}

static int compile(struct session *s, char **argv, const struct bob_source_options *o)
{
	if (s->in == stdin)
		return cli_misuse(VERB, "--compile wants a file with COMMANDS");
	if (!*argv)
		return cli_misuse(VERB, "--compile wants `--` and a compiler with its arguments");
	unite(&s->requests);
	return cli_instrument_compile(VERB, s->requests.first, s->name, o, argv);
}

/* Refuses --assume and --profile with --compile, which has neither a prediction nor a folder. */
static int refuse(const char *assume, const char *profile)
{
	return cli_misuse(VERB, "--compile predicts nothing and writes no DIR: not with %s",
			  assume  ? "--assume" :
			  profile ? "--profile" :
				    "--output");
}

/* Opens COMMANDS, and handles `--`; 0, or the exit status after a complaint. */
static int open_commands(struct session *s, int argc, char **argv)
{
	if (optind < argc && strcmp(argv[optind - 1], "--") != 0) {
		s->name = argv[optind++];
		if (bob_source_language(s->name) != BOB_SOURCE_UNKNOWN)
			return cli_misuse(
				VERB,
				"%s is a source: COMMANDS is a file with `trace file %s` and more",
				s->name, s->name);
		if (optind < argc && !strcmp(argv[optind], "--"))
			optind++;
		else if (optind < argc && !s->is_compiling)
			return cli_misuse(
				VERB,
				"%s after COMMANDS: options go before, and flags of the compiler "
				"after --",
				argv[optind]);
	}
	if (!s->is_compiling && cli_compiler_check_flags(VERB, instrument_options, argv + optind))
		return 2;
	if (s->name == no_name)
		return 0;
	s->in = fopen(s->name, "re");
	return s->in ? 0 : cli_fail(VERB, "%s: %m", s->name);
}

int verb_instrument(int argc, char **argv)
{
	struct session s = { .in = stdin, .name = no_name };
	struct bob_source_options *o = &s.all;
	int bad = cli_options_read(VERB, argc, argv, &s);

	if (bad != CLI_GO_ON)
		return bad;
	if (s.is_compiling && (s.output || s.assume || s.profile))
		return refuse(s.assume, s.profile);
	bad = open_commands(&s, argc, argv);
	if (bad)
		return bad;
	o->flags = (const char *const *)(void *)(argv + optind);
	o->flag_count = (uint32_t)(argc - optind);
	s.o = *o;
	s.is_asked = s.in == stdin && isatty(STDIN_FILENO);
	bad = read_commands(&s);
	if (!bad && s.is_compiling)
		bad = compile(&s, argv + optind, o);
	else if (!bad)
		bad = predicted_work(&s, o, s.output ? s.output : "instrumented", s.assume,
				     s.profile);
	if (s.in != stdin)
		fclose(s.in);
	bob_requests_free(&s.requests);
	return bad;
}
