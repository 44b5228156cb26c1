/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of compiler options, and the classification of command lines (compiler_line.h). */
#define _GNU_SOURCE
#include "cli/source/compiler_line.h"

#include <string.h>

#include "cli/terminal/complain.h"
#include "source/instrument.h"

bool cli_compiler_has_value(const char *option)
{
	static const char *const options[] = { "-o",	     "-I",	"-D",	     "-U",
					       "-include",   "-imacros", "-isystem", "-iquote",
					       "-idirafter", "-isysroot", "-MF",     "-MT",
					       "-MQ",	     "-x",	"-L",	     "-l",
					       "-Xlinker",   "-Xpreprocessor", "-Xassembler", "-T",
					       "-J",	     "-Xclang", "--param",   "-u" };

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(option, options[i]))
			return true;
	return false;
}

bool cli_compiler_only_looks(char **argv)
{
	static const char *const options[] = { "-E", "-M", "-MM", "-fsyntax-only" };

	for (; *argv; argv++)
		for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
			if (!strcmp(*argv, options[i]))
				return true;
	return false;
}

uint32_t cli_compiler_find(char **argv)
{
	uint32_t i = 0;

	while (argv[i + 1] && *argv[i + 1] != '-' && *argv[i + 1] != '@' &&
	       (strchr(argv[i + 1], '=') || !strchr(basename(argv[i + 1]), '.')))
		i++;
	return i;
}

static bool is_own(const struct cli_option *own, const char *word)
{
	for (; own->name; own++)
		if (!strncmp(word, "--", 2) && !strcmp(word + 2, own->name))
			return true;
	return false;
}

int cli_compiler_check_flags(const char *verb, const struct cli_option *own, char **flags)
{
	for (char **f = flags; *f; f++) {
		const bool is_value = f > flags && cli_compiler_has_value(f[-1]);

		if (is_value)
			continue;
		if (is_own(own, *f))
			return cli_misuse(verb, "%s is an option: write it before COMMANDS", *f);
		if (bob_source_language(*f) != BOB_SOURCE_UNKNOWN && **f != '-')
			return cli_misuse(verb,
					  "%s is no flag: `trace file %s` in COMMANDS names it", *f,
					  *f);
		if (f == flags && **f != '-' && **f != '@')
			return cli_misuse(
				verb, "%s is no flag of a compiler; to run a compiler, --compile",
				*f);
	}
	return 0;
}
