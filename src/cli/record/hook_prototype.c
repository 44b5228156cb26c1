/* SPDX-License-Identifier: BSD-3-Clause */
/* --hook-functions with prototypes: parses a prototype as a spec with one function, and encodes the
 * locations of its parameters for the recorder. */
#define _GNU_SOURCE
#include "cli/record/hook_prototype.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "cli/record/mpi_shim.h"
#include "wrap/wrap.h"

#define HEAD "definitions:\n"

static int refuse(const char *verb, const char *arg, const char *why)
{
	unsigned column;
	int end = 0;

	if (sscanf(why, "x:2:%u: %n", &column, &end) == 1 && end)
		return cli_misuse(verb, "--hook-functions=%s: column %u: %s", arg, column,
				  why + end),
		       125;
	return cli_misuse(verb, "--hook-functions=%s: %s", arg, why), 125;
}

/* Writes NAME|letters|letter of the result|parameters: events/signature.h. False: *which is an
 * unknown type. */
static bool encode(const struct bob_wrap_function *f, FILE *out, const char **which)
{
	fprintf(out, "%s|", f->symbol);
	for (uint32_t i = 0; i < f->parameter_count; i++) {
		const struct bob_wrap_parameter *a = &f->parameters[i];
		const char letter = bob_wrap_letter(&a->type);

		*which = a->name;
		if (!letter)
			return false;
		fprintf(out, "%s%c", a->is_recorded ? "" : "-", letter);
	}
	*which = "result";
	if (f->result.kind != BOB_WRAP_VOID) {
		const char letter = bob_wrap_letter(&f->result);

		if (!letter)
			return false;
		fprintf(out, "|%s%c", f->is_result_recorded ? "" : "-", letter);
	} else {
		fputc('|', out);
	}
	fprintf(out, "|%s", f->event_parameters);
	return true;
}

static const char *no_prototype(const struct bob_wrap_spec *s)
{
	if (s->function_count != 1 || s->include_count)
		return "want one prototype";
	for (uint32_t i = 0; i < BOB_WRAP_BLOCKS; i++)
		if (s->functions[0].block[i])
			return "want a prototype without a block; blocks are for --wrap";
	return NULL;
}

static int add(struct cli_vars *v, const char *verb, const char *arg, struct bob_wrap_spec *s)
{
	struct bob_wrap_function *f = s->functions;
	const char *why = no_prototype(s), *which;
	char *line = NULL, text[256], when[BOB_WRAP_NAME_MAX + 1024];
	size_t len = 0;
	FILE *out;
	bool known;

	if (why)
		return refuse(verb, arg, why);
	out = bob_wrap_choose(s, f, BOB_WRAP_PATCH) == BOB_OK ? open_memstream(&line, &len) : NULL;
	if (!out)
		return refuse(verb, arg, "out of memory");
	known = encode(f, out, &which);
	if (fclose(out) || !known) {
		snprintf(text, sizeof(text),
			 "how %.60s is passed is not known: want numbers of C and stdint.h, "
			 "enumerations, pointers and string",
			 which);
		free(line);
		return refuse(verb, arg, text);
	}
	if (f->when) {
		snprintf(when, sizeof(when), "%s: %s", f->symbol, f->when);
		if (cli_when_option(verb, v, when)) {
			free(line);
			return 125;
		}
	}
	cli_vars_add(v, "BOBBIN_HOOK_FUNCTIONS", f->symbol);
	cli_vars_add_line(v, "BOBBIN_HOOK_PROTOTYPES", line);
	free(line);
	return 0;
}

int cli_hook_functions_option(const char *verb, void *vars, const char *arg)
{
	struct bob_wrap_complaint why = { "out of memory" };
	struct bob_wrap_spec *s = NULL;
	char *text = NULL;
	int len, bad;

	if (!strchr(arg, '(')) {
		cli_vars_add(vars, "BOBBIN_HOOK_FUNCTIONS", arg);
		return 0;
	}
	len = asprintf(&text, HEAD "%s;\n", arg);
	if (len < 0)
		return refuse(verb, arg, why.text);
	if (bob_wrap_spec_read(text, (size_t)len, "x", &s, &why) != BOB_OK)
		bad = refuse(verb, arg, why.text);
	else
		bad = add(vars, verb, arg, s);
	bob_wrap_spec_close(s);
	free(text);
	return bad;
}
