/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/source/compiler_line.h"

#include <string.h>

bool cli_compiler_has_value(const char *option)
{
	static const char *const options[] = { "-o",	     "-I",	"-D",	     "-U",
					       "-include",   "-imacros", "-isystem", "-iquote",
					       "-idirafter", "-isysroot", "-MF",     "-MT",
					       "-MQ",	     "-x",	"-L",	     "-l",
					       "-Xlinker",   "-Xpreprocessor", "-Xassembler", "-T" };

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
