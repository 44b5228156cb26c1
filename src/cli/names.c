/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions for output and for patterns (names.h). */
#define _GNU_SOURCE
#include "cli/names.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/code_place.h"
#include "sys/sys.h"

struct cli_names {
	const struct bob_functions *functions;
	char **made;	/* by number; NULL: not computed yet */
	char *last;	/* most recently requested symbol or place */
	int demangle;
};

struct cli_names *cli_names_create(const struct bob_functions *f, int demangle)
{
	struct cli_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->functions = f;
	n->demangle = demangle;
	n->made = calloc(bob_functions_count(f), sizeof(*n->made));
	if (!n->made) {
		free(n);
		return NULL;
	}
	return n;
}

void cli_names_destroy(struct cli_names *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; i < bob_functions_count(n->functions); i++)
		free(n->made[i]);
	free(n->made);
	free(n->last);
	free(n);
}

static char *make_name(struct cli_names *n, uint32_t number)
{
	struct bob_function_info fn;
	uint32_t image;
	char *text = NULL;

	if (bob_functions_get(n->functions, number, &fn, &image) != BOB_OK)
		return strdup("[unknown]");
	if (!fn.name[0]) {
		const char *soname = bob_functions_image(n->functions, image)->soname;
		size_t size = strlen(soname) + 24;

		text = malloc(size);
		if (text)
			snprintf(text, size, "%s+0x%" PRIx64, soname, fn.addr);
		return text;
	}
	if (n->demangle)
		text = bob_demangle(fn.name);
	return text ? text : strdup(fn.name);
}

const char *cli_names_get(struct cli_names *n, uint32_t number)
{
	if (number == BOB_CALLER_NONE)
		return "[start]";
	if (number == BOB_CALLER_SIGNAL)
		return "[signal]";
	if (number >= bob_functions_count(n->functions))
		return "[unknown]";
	if (!n->made[number]) {
		n->made[number] = make_name(n, number);
		if (!n->made[number])
			return "[no memory]";
	}
	return n->made[number];
}

const char *cli_names_symbol(struct cli_names *n, const char *symbol)
{
	char *text = n->demangle ? bob_demangle(symbol) : NULL;

	free(n->last);
	n->last = text;
	return text ? text : symbol;
}

const char *cli_names_place(struct cli_names *n, const struct bob_trace *t, uint32_t process,
			    uint32_t image, uint64_t pc)
{
	size_t len;
	FILE *f;

	free(n->last);
	n->last = NULL;
	f = open_memstream(&n->last, &len);
	if (f)
		cli_place_print(t, process, image, pc, f);
	if (!f || fclose(f) || !n->last)
		return "[no memory]";
	return n->last;
}

const char *cli_names_image(const struct cli_names *n, uint32_t number)
{
	struct bob_function_info fn;
	uint32_t image;

	if (bob_functions_get(n->functions, number, &fn, &image) != BOB_OK)
		return "";
	return bob_functions_image(n->functions, image)->soname;
}

/* `name`: the symbol as it is shown. ns::f also matches ns::f(int). */
static int fits(const char *name, const char *symbol, const char *pattern)
{
	char *base;
	int same;

	if (!fnmatch(pattern, name, 0) || (symbol[0] && !fnmatch(pattern, symbol, 0)))
		return 1;
	if (!strchr(name, '('))
		return 0;
	base = strndup(name, bob_demangled_base(name));
	same = base && !fnmatch(pattern, base, 0);
	free(base);
	return same;
}

int cli_names_match(struct cli_names *n, uint32_t number, const char *pattern)
{
	const char *name = cli_names_get(n, number);
	struct bob_function_info fn;
	uint32_t image;

	if (number >= bob_functions_count(n->functions) ||
	    bob_functions_get(n->functions, number, &fn, &image) != BOB_OK)
		return !fnmatch(pattern, name, 0);
	return fits(name, fn.name, pattern);
}

int cli_names_symbol_match(struct cli_names *n, const char *symbol, const char *pattern)
{
	return fits(cli_names_symbol(n, symbol), symbol, pattern);
}

int cli_names_image_match(const struct bob_function_image *image, const char *pattern)
{
	return !fnmatch(pattern, image->soname, 0) || !fnmatch(pattern, image->path, 0);
}
