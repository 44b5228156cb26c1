/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependency lists: finds the list as the compiler does, and replaces the names of copies;
 * otherwise the list is unchanged. */
#define _GNU_SOURCE
#include "cli/source/instrument_depends.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal/complain.h"

static const char *value_of(char *const *argv, const char *option)
{
	const size_t len = strlen(option);
	const char *value = NULL;

	for (argv++; *argv; argv++)
		if (!strcmp(*argv, option) && argv[1])
			value = argv[1];
		else if (!strncmp(*argv, option, len) && (*argv)[len])
			value = *argv + len;
	return value;
}

static bool has_option(char *const *argv, const char *option)
{
	for (argv++; *argv; argv++)
		if (!strcmp(*argv, option))
			return true;
	return false;
}

/* -MP: each header is also a target of its own. The list itself does not show that: all headers may
 * be in the copy. */
static bool wants_targets(char *const *argv)
{
	if (has_option(argv, "-MP"))
		return true;
	for (argv++; *argv; argv++) {
		const char *at = strncmp(*argv, "-Wp,", 4) ? NULL : strstr(*argv, ",-MP");

		if (at && (!at[4] || at[4] == ','))
			return true;
	}
	return false;
}

/* The file in `-Wp,-MD,FILE`, before another comma. */
static const char *file_of_words(char *const *argv)
{
	const char *file = value_of(argv, "-Wp,-MD,");

	return file ? file : value_of(argv, "-Wp,-MMD,");
}

void cli_depends_find(char *const *argv, const char *name, char *path)
{
	const char *output = value_of(argv, "-o"), *file = value_of(argv, "-MF");
	const char *from = output ? output : basename(name);
	const char *dot = strrchr(basename(from), '.');
	const char *words = file_of_words(argv);

	*path = 0;
	if (words)
		snprintf(path, PATH_MAX, "%.*s", (int)strcspn(words, ","), words);
	else if (!has_option(argv, "-MD") && !has_option(argv, "-MMD"))
		return;
	else if (file)
		snprintf(path, PATH_MAX, "%s", file);
	else
		snprintf(path, PATH_MAX, "%.*s.d", dot ? (int)(dot - from) : (int)strlen(from),
			 from);
}

/* Escapes the name for make. */
static void put_name(FILE *f, const char *name)
{
	for (; *name; name++)
		fprintf(f,
			*name == ' ' || *name == '#' ? "\\%c" :
			*name == '$'		     ? "$%c" :
						       "%c",
			*name);
}

int cli_depends_mend(const char *verb, const char *path, const char *copy, const char *name,
		     char *const *headers, uint32_t count, char *const *argv)
{
	struct stat st;
	const bool is_file = *path && !stat(path, &st) && S_ISREG(st.st_mode);
	FILE *f = is_file ? fopen(path, "r+e") : NULL;
	char *old = NULL, *at, *next;
	size_t len = 0;
	int bad;

	if (!f)
		return 0; /* the compiler failed, or it is /dev/null */
	if (getdelim(&old, &len, 0, f) < 0 || !strstr(old, copy)) {
		free(old);
		fclose(f);
		return 0;
	}
	bad = fseek(f, 0, SEEK_SET) || ftruncate(fileno(f), 0);
	for (at = old; !bad && (next = strstr(at, copy)); at = next + strlen(copy)) {
		fwrite(at, 1, (size_t)(next - at), f);
		put_name(f, name);
		for (uint32_t i = 0; i < count && at == old; i++) {
			fputs(" \\\n ", f);
			put_name(f, headers[i]);
		}
	}
	if (!bad)
		fputs(at, f);
	for (uint32_t i = 0; !bad && wants_targets(argv) && i < count; i++) {
		put_name(f, headers[i]);
		fputs(":\n", f);
	}
	free(old);
	return fclose(f) || bad ? cli_fail(verb, "cannot write %s: %m", path) : 0;
}
