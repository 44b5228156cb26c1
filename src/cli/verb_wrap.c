/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin wrap: generates C wrappers for the functions of a spec. */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"
#include "cli/record/wrapping.h"

struct wrapping {
	const char *output, *binary;
};

const struct cli_option wrap_options[] = {
	{ "output", 'o', "DIR",
	  "write the sources to DIR, which must not exist yet (default: wrap)",
	  CLI_TEXT(struct wrapping, output) },
	{ "binary", 0, "PROGRAM",
	  "the program to be traced: its symbols show which functions it defines itself and "
	  "which are in libraries",
	  CLI_TEXT(struct wrapping, binary) },
	{ 0 },
};

#define PRELOAD_HOW "Build: cc -O2 -fexceptions -shared -fPIC -I. -o libwrap.so wrap.c"
#define LINK_HOW                                                                                   \
	"Build: cc -O2 -fexceptions -c wrap-link.c, and link the program with wrap-link.o "        \
	"@wrap-link.flags"

static int write_source(const struct bob_wrap_spec *s, const char *dir, bool linked)
{
	const char *name = linked ? "wrap-link.c" : "wrap.c";
	char path[PATH_MAX + 32];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = cli_output_open("wrap", path);
	if (!f)
		return 1;
	bob_wrap_write(s, linked, name, linked ? LINK_HOW : PRELOAD_HOW, f);
	return cli_output_close("wrap", f, path);
}

/* Writes the linker's options. */
static int write_flags(const struct bob_wrap_spec *s, const char *dir)
{
	char path[PATH_MAX + 32];
	FILE *f;

	snprintf(path, sizeof(path), "%s/wrap-link.flags", dir);
	f = cli_output_open("wrap", path);
	if (!f)
		return 1;
	for (uint32_t i = 0; i < s->function_count; i++)
		if (s->functions[i].how == BOB_WRAP_LINK)
			fprintf(f, "-Wl,--wrap=%s\n", s->functions[i].symbol);
	return cli_output_close("wrap", f, path);
}

static int write_all(const struct bob_wrap_spec *s, const char *output)
{
	const uint32_t linked = cli_wrap_count(s, BOB_WRAP_LINK),
		       preloaded = cli_wrap_count(s, BOB_WRAP_PRELOAD);
	char dir[PATH_MAX];
	int bad;

	if (cli_output_directory("wrap", output, dir))
		return 1;
	bad = cli_output_embedded("wrap", dir, bob_wrap_headers) ||
	      (preloaded && write_source(s, dir, false)) ||
	      (linked && (write_source(s, dir, true) || write_flags(s, dir)));
	if (bad) {
		cli_output_directory_drop(dir);
		return 1;
	}
	if (cli_output_directory_done("wrap", dir, output))
		return 1;
	if (preloaded)
		printf("%s/wrap.c: %u function%s of libraries. %s\n", output, preloaded,
		       bob_plural(preloaded), PRELOAD_HOW);
	if (linked)
		printf("%s/wrap-link.c: %u function%s of the program itself. %s\n", output, linked,
		       bob_plural(linked), LINK_HOW);
	return 0;
}

/* Prints the condition as an option, quoted for a shell. */
static void print_when(const struct bob_wrap_function *f)
{
	printf(" --when='%s: ", f->symbol);
	for (const char *c = f->when; *c; c++)
		if (*c == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*c);
	putchar('\'');
}

static void print_mpi(const struct bob_wrap_spec *s)
{
	const char *before = "MPI's functions need no wrapper: record --mpi --mpi-functions=";

	for (uint32_t i = 0; i < s->function_count; i++)
		if (s->functions[i].is_mpi) {
			printf("%s%s", before, s->functions[i].symbol);
			before = " --mpi-functions=";
		}
	for (uint32_t i = 0; i < s->function_count; i++)
		if (s->functions[i].is_mpi && s->functions[i].when)
			print_when(&s->functions[i]);
	if (*before == ' ')
		printf("\n");
}

int verb_wrap(int argc, char **argv)
{
	struct wrapping w = { .output = "wrap" };
	struct bob_wrap_spec *s;
	int bad = cli_options_read("wrap", argc, argv, &w);

	if (bad != CLI_GO_ON)
		return bad;
	if (argc - optind != 1)
		return cli_misuse("wrap", "want one spec, a file of prototypes");
	if (cli_wrap_read("wrap", argv[optind], &s))
		return 1;
	bad = cli_wrap_choose("wrap", s, w.binary, BOB_WRAP_LINK, 0);
	if (!bad) {
		cli_wrap_notes("wrap", s);
		bad = cli_wrap_count(s, BOB_WRAP_LEAVE) < s->function_count &&
		      write_all(s, w.output);
	}
	if (!bad)
		print_mpi(s);
	bob_wrap_spec_close(s);
	return bad;
}
