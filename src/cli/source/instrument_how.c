/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes instrumented files, and prints the commands that compile them (instrument_how.h). */
#include "cli/source/instrument_how.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/terminal/complain.h"

const char *cli_instrument_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *cli_instrument_beside(const char *path, char *to, size_t size)
{
	const char *base = cli_instrument_base(path), *dot = strrchr(base, '.');

	snprintf(to, size, "%.*s_probes.c", dot ? (int)(dot - base) : (int)strlen(base), base);
	return to;
}

static int write_file(const char *verb, const char *dir, const char *name, const char *bytes,
		      size_t len)
{
	char path[PATH_MAX + 300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	if (!f)
		return cli_fail(verb, "cannot write %s: %m", path);
	size_t put = fwrite(bytes, 1, len, f);
	return fclose(f) || put != len ? cli_fail(verb, "cannot write %s: %m", path) : 0;
}

int cli_instrument_write(const char *verb, const char *dir, const char *path,
			 const struct bob_source_result *r)
{
	char beside[PATH_MAX];
	int bad = write_file(verb, dir, cli_instrument_base(path), r->text, r->len);

	if (!bad && r->beside)
		bad = write_file(verb, dir, cli_instrument_beside(path, beside, sizeof(beside)),
				 r->beside, r->beside_len);
	return bad;
}

/* Quotes the word for the shell. */
static void print_word(const char *word)
{
	if (*word && !word[strcspn(word, " \t\n\"'\\$`&|;<>()*?[]#~!{}")]) {
		printf(" %s", word);
		return;
	}
	printf(" '");
	for (; *word; word++)
		printf(*word == '\'' ? "'\\''" : "%c", *word);
	printf("'");
}

/* Probes need Fortran 2018. A file that conforms to one of these older standards also compiles with
 * -std=gnu. */
static bool is_too_old(const char *flag)
{
	return !strcmp(flag, "-std=f95") || !strcmp(flag, "-std=f2003") ||
	       !strcmp(flag, "-std=f2008") || !strcmp(flag, "-std=f2008ts");
}

/* Flags of Fortran only, about which a C compiler would complain. */
static bool is_of_fortran(const char *flag)
{
	static const char *const begins[] = { "-ffree-",     "-ffixed-", "-fdefault-", "-J",
					      "-fno-automatic", "-std=f", "-std=legacy" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(flag, begins[i], strlen(begins[i])))
			return true;
	return !strcmp(flag, "-std=gnu");
}

/* Flag for the folder of the original, where it looks for quoted headers. */
static const char *text_of_quotes(const char *path, char *to, size_t size)
{
	snprintf(to, size, "-iquote%.*s", (int)(cli_instrument_base(path) - path), path);
	return to;
}

/* INCLUDE or #include. */
static bool is_include(const char *line)
{
	line += strspn(line, " \t");
	line += *line == '#';
	line += strspn(line, " \t");
	return !strncasecmp(line, "include", 7) && strchr(" \t'\"", line[7]) && line[7];
}

/* Whether the file has includes: gfortran searches next to the copy, but they are next to the
 * original. */
static bool has_includes(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t capacity = 0;
	bool is_there = false;

	while (f && !is_there && getline(&line, &capacity, f) >= 0)
		is_there = is_include(line);
	free(line);
	if (f)
		fclose(f);
	return is_there;
}

/* Folder of the original, in which Fortran compilers also look for modules. */
static const char *folder_of(const char *path, char *to, size_t size)
{
	const size_t n = (size_t)(cli_instrument_base(path) - path);

	snprintf(to, size, "-I%.*s", n > 1 ? (int)n - 1 : 1, n ? path : ".");
	return to;
}

void cli_instrument_how(const struct bob_requests *w, const struct bob_source_options *o,
			const char *output)
{
	char beside[PATH_MAX];
	const char *left_out = NULL;

	printf("\nCompile these instead of the originals, and link all:\n");
	for (const struct bob_request_file *f = w->first; f; f = f->next) {
		const bool is_c = bob_source_language(f->path) == BOB_SOURCE_C;

		printf("    %s", is_c ? "cc" : "gfortran");
		if (is_c)
			printf(" -I%s", output);
		if (is_c && cli_instrument_base(f->path) != f->path)
			print_word(text_of_quotes(f->path, beside, sizeof(beside)));
		if (!is_c && has_includes(f->path))
			print_word(folder_of(f->path, beside, sizeof(beside)));
		for (uint32_t i = 0; i < o->flag_count; i++)
			if (is_c ? !is_of_fortran(o->flags[i]) : !is_too_old(o->flags[i]))
				print_word(o->flags[i]);
			else if (!is_c)
				left_out = o->flags[i];
		printf(" -c %s/%s\n", output, cli_instrument_base(f->path));
		if (!is_c)
			printf("    cc -I%s -c %s/%s\n", output, output,
			       cli_instrument_beside(f->path, beside, sizeof(beside)));
	}
	if (left_out)
		printf("(without %s: probes are Fortran 2018)\n", left_out);
	printf("then: bobbin record --source -- ./program\n");
}
