/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a spec, and looks its functions up in the symbol tables of a program and its libraries to
 * choose how each is intercepted (wrapping.h). */
#define _GNU_SOURCE
#include "cli/record/wrapping.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/terminal/complain.h"
#include "plan/plan.h"

static int read_text(const char *verb, const char *text, size_t n, const char *name,
		     struct bob_wrap_spec **out)
{
	struct bob_wrap_complaint why;

	return bob_wrap_spec_read(text, n, name, out, &why) == BOB_OK ?
		       0 :
		       cli_fail(verb, "%s", why.text);
}

int cli_wrap_read(const char *verb, const char *path, struct bob_wrap_spec **out)
{
	const struct bob_embedded *ours = bob_wrap_specs;
	FILE *f = fopen(path, "re");
	char *text;
	size_t n;
	int bad;

	while (ours->path && strcmp(ours->path, path) != 0)
		ours++;
	if (!f && errno == ENOENT && ours->path)
		return read_text(verb, ours->begin, (size_t)(ours->end - ours->begin), path, out);
	if (!f)
		return cli_fail(verb, "cannot read %s: %m", path);
	text = malloc(BOB_WRAP_SPEC_MAX + 2); /* one byte more, to detect excess length */
	n = text ? fread(text, 1, BOB_WRAP_SPEC_MAX + 2, f) : 0;
	if (!text || ferror(f)) {
		cli_fail(verb, "cannot read %s: %m", path);
		free(text);
		fclose(f);
		return 1;
	}
	fclose(f);
	bad = read_text(verb, text, n, path, out);
	free(text);
	return bad;
}

/* Where a function of the spec was found; a bit set. */
enum found {
	FOUND_OWN = 1,		/* defined by the program */
	FOUND_DATA = 2,		/* ... and not a function */
	FOUND_WANTED = 4,	/* imported by the program */
	FOUND_LIBRARY = 8,	/* exported by a library */
	FOUND_MANY = 16,	/* several functions of the program have the name */
	FOUND_CHOSEN = 32	/* ... and one is chosen at start-up (IFUNC) */
};

struct search {
	struct bob_wrap_spec *spec;
	uint8_t *found;
	uint32_t *sorted;	/* functions by symbol */
	bool is_program;
};

static struct bob_wrap_function *by_number(const struct search *s, uint32_t i)
{
	return &s->spec->functions[i];
}

static int compare(const void *a, const void *b, void *spec)
{
	const struct bob_wrap_spec *s = spec;

	return strcmp(s->functions[*(const uint32_t *)a].symbol,
		      s->functions[*(const uint32_t *)b].symbol);
}

/* The program defines it: in both symbol tables, or several times. */
static void add_own(struct bob_wrap_function *f, uint8_t *found, const struct bob_plan_name *n)
{
	if ((*found & FOUND_OWN) && f->address != n->value)
		*found |= FOUND_MANY;
	*found |= n->type == STT_GNU_IFUNC ? FOUND_OWN | FOUND_CHOSEN : FOUND_OWN;
	f->address = n->value;
}

static void look(void *ctx, const struct bob_plan_name *n)
{
	struct search *s = ctx;
	uint32_t lo = 0, hi = s->spec->function_count;

	while (lo < hi) {
		const uint32_t mid = (lo + hi) / 2;
		struct bob_wrap_function *f = by_number(s, s->sorted[mid]);
		const int order = strcmp(f->symbol, n->name);
		uint8_t *found = &s->found[s->sorted[mid]];

		if (order) {
			lo = order < 0 ? mid + 1 : lo;
			hi = order < 0 ? hi : mid;
			continue;
		}
		if (!s->is_program)
			*found |= n->is_dynamic && n->is_defined && n->bind != STB_LOCAL ?
					  FOUND_LIBRARY :
					  0;
		else if (!n->is_defined)
			*found |= FOUND_WANTED;
		else if (n->type == STT_FUNC || n->type == STT_GNU_IFUNC || n->type == STT_NOTYPE)
			add_own(f, found, n);
		else
			*found |= FOUND_DATA;
		return;
	}
}

static void look_in_library(void *ctx, const char *path)
{
	struct search *s = ctx;

	if (s->is_program) { /* visited first */
		s->is_program = false;
		return;
	}
	(void)bob_plan_names(path, look, s, NULL); /* an unreadable one defines nothing */
}

static int decide(const char *verb, const struct search *s, const char *path, enum bob_wrap_how own,
		  int quiet)
{
	for (uint32_t i = 0; i < s->spec->function_count; i++) {
		struct bob_wrap_function *f = by_number(s, i);

		if (f->is_mpi && bob_wrap_has_blocks(f) && s->found[i] & FOUND_OWN)
			return cli_fail(
				verb,
				"%s:%u:%u: %s has a block, and %s has MPI linked into it: that "
				"takes a library of MPI",
				s->spec->name, f->line, f->column, f->symbol, path);
		if (f->is_mpi)
			continue;
		if (s->found[i] & FOUND_DATA)
			return cli_fail(verb, "%s:%u:%u: expected a function: in %s, %s is data",
					s->spec->name, f->line, f->column, path, f->symbol);
		if (s->found[i] & FOUND_CHOSEN ||
		    (s->found[i] & FOUND_MANY && own == BOB_WRAP_PATCH))
			return cli_fail(verb, "%s:%u:%u: %s has %s %s", s->spec->name, f->line,
					f->column, path,
					s->found[i] & FOUND_MANY ? "several functions called" :
								   "several variants of",
					f->symbol);
		if (bob_wrap_choose(s->spec, f, s->found[i] & FOUND_OWN ? own : BOB_WRAP_PRELOAD) !=
		    BOB_OK)
			return cli_fail(verb, "out of memory");
		if (!quiet && !(s->found[i] & (FOUND_OWN | FOUND_LIBRARY)))
			cli_warn(verb,
				 "%s:%u:%u: %s is neither in %s nor in a library that it is linked "
				 "with; it is wrapped for those that are loaded later",
				 s->spec->name, f->line, f->column, f->symbol, path);
	}
	return 0;
}

int cli_wrap_choose(const char *verb, struct bob_wrap_spec *spec, const char *path,
		    enum bob_wrap_how own, int quiet)
{
	const uint32_t n = spec->function_count;
	struct search s = { spec, calloc(n, 1), calloc(n, sizeof(uint32_t)), true };
	struct bob_error err = { .text = "" };
	bob_status st = BOB_OK;
	int bad;

	if (!s.found || !s.sorted) {
		free(s.found);
		free(s.sorted);
		return cli_fail(verb, "out of memory");
	}
	for (uint32_t i = 0; i < n; i++) {
		s.sorted[i] = i;
		spec->functions[i].how = spec->functions[i].is_mpi &&
							 !bob_wrap_has_blocks(&spec->functions[i]) ?
						 BOB_WRAP_LEAVE :
						 BOB_WRAP_PRELOAD;
	}
	qsort_r(s.sorted, n, sizeof(*s.sorted), compare, spec);
	if (path)
		st = bob_plan_names(path, look, &s, &err);
	if (path && st == BOB_OK)
		st = bob_plan_closure(path, look_in_library, &s, &err);
	bad = st != BOB_OK ? cli_fail_status(verb, path, st, &err) :
	      path	   ? decide(verb, &s, path, own, quiet) :
			     0;
	free(s.found);
	free(s.sorted);
	return bad;
}

uint32_t cli_wrap_count(const struct bob_wrap_spec *s, enum bob_wrap_how how)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->function_count; i++)
		n += s->functions[i].how == how;
	return n;
}

void cli_wrap_notes(const char *verb, const struct bob_wrap_spec *s)
{
	for (uint32_t i = 0; i < s->function_count; i++) {
		const struct bob_wrap_function *f = &s->functions[i];

		if (f->left_out && !f->is_mpi)
			cli_warn(verb,
				 "%s:%u:%u: %s has more parameters than an event can; the last %u "
				 "are not recorded",
				 s->name, f->line, f->column, f->name, f->left_out);
	}
}
