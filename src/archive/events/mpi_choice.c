/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of MPI functions: matches the patterns, then adds the functions that create handles
 * used by the selected ones. These are recorded if members or sizes are needed, otherwise
 * followed. */
#include "archive/events/mpi_choice.h"

#include <string.h>

/* --- patterns --- */

static size_t pattern_len(const char *p)
{
	size_t n = 0;

	while (p[n] && p[n] != ':' && p[n] != ',')
		n++;
	return n;
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int is_word(const char *p, size_t len, const char *word)
{
	for (size_t i = 0; i < len; i++)
		if (!word[i] || small(p[i]) != small(word[i]))
			return 0;
	return !word[len];
}

/* Is c in the set at p, which begins after '['? *used: its length including ']'. */
static int in_set(const char *p, size_t len, char c, size_t *used)
{
	int hit = 0;
	size_t i = 0;

	for (; i < len && p[i] != ']'; i++) {
		if (i + 2 < len && p[i + 1] == '-' && p[i + 2] != ']') {
			hit |= small(p[i]) <= c && c <= small(p[i + 2]);
			i += 2;
		} else {
			hit |= small(p[i]) == c;
		}
	}
	*used = i + (i < len);
	return hit;
}

/* Wildcard match of '*', '?' and [set]; backtracking to the last '*' is sufficient. */
static int match(const char *p, size_t len, const char *name)
{
	size_t at = 0, star = 0, used;
	const char *mark = NULL;

	for (;;) {
		if (at < len && p[at] == '*') {
			star = ++at;
			mark = name;
			continue;
		}
		if (at == len && !*name)
			return 1;
		used = 0;
		if (at < len && *name) {
			if (p[at] == '[') {
				if (in_set(p + at + 1, len - at - 1, small(*name), &used))
					used++;
				else
					used = 0;
			} else {
				used = p[at] == '?' || small(p[at]) == small(*name);
			}
		}
		if (used) {
			at += used;
			name++;
		} else if (mark && *mark) {
			at = star;
			name = ++mark;
		} else {
			return 0;
		}
	}
}

static int matches(const struct bob_mpi_function *f, const char *p, size_t len)
{
	if (is_word(p, len, f->class_name))
		return 1;
	if (len > 4 && is_word(p, 4, "MPI_")) {
		p += 4;
		len -= 4;
	}
	return match(p, len, f->name);
}

int bob_mpi_is_chosen(const struct bob_mpi_function *f, const char *patterns)
{
	for (const char *p = patterns;; p++) {
		size_t len = pattern_len(p);

		if (len && matches(f, p, len))
			return 1;
		p += len;
		if (!*p)
			return 0;
	}
}

const char *bob_mpi_choice_bad(const char *patterns, size_t *len)
{
	for (const char *p = patterns;; p++) {
		int found = 0;

		*len = pattern_len(p);
		for (uint32_t i = 0; i < bob_mpi_function_count && !found; i++)
			found = *len && matches(&bob_mpi_functions[i], p, *len);
		if (!found)
			return p;
		p += *len;
		if (!*p)
			return NULL;
	}
}

/* --- closure over handles --- */

#define BIT(role) (1u << (uint32_t)(role))
#define TRANSIENT (BIT(BOB_MPI_ROLE_REQUEST) | BIT(BOB_MPI_ROLE_MESSAGE))

static uint32_t handle(const struct bob_mpi_param *p)
{
	return p->role >= BOB_MPI_ROLE_COMM && p->role <= BOB_MPI_ROLE_KEYVAL ? BIT(p->role) : 0;
}

/* Kinds of handles among the parameters that have one of `flags`, as a bit set. */
static uint32_t kinds(const struct bob_mpi_function *f, uint32_t flags)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < f->count; i++)
		all |= f->params[i].flags & flags ? handle(&f->params[i]) : 0;
	return all;
}

static int makes_what_must_be_known(const struct bob_mpi_function *f, uint32_t spoken)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const struct bob_mpi_param *p = &f->params[i];

		if (handle(p) & spoken && (bob_mpi_has_members(p) || bob_mpi_has_size(p)))
			return 1;
	}
	return 0;
}

/* Is it MPI_Init or MPI_Finalize? Always recorded, so that readers see whether MPI was
 * finalised. */
static int is_bound(const struct bob_mpi_function *f)
{
	return f->flags & (BOB_MPI_STARTED | BOB_MPI_FINISHING);
}

void bob_mpi_choose(const char *patterns, uint8_t how[BOB_MPI_NUMBERS])
{
	const uint32_t any = BOB_MPI_GOES_IN | BOB_MPI_COMES_OUT;
	uint32_t chosen = 0, spoken;

	memset(how, patterns ? BOB_MPI_PASS : BOB_MPI_RECORD, BOB_MPI_NUMBERS);
	if (!patterns)
		return;
	for (uint32_t i = 0; i < bob_mpi_function_count; i++)
		if (bob_mpi_is_chosen(&bob_mpi_functions[i], patterns)) {
			how[bob_mpi_functions[i].number] = BOB_MPI_RECORD;
			chosen |= kinds(&bob_mpi_functions[i], any);
		}
	spoken = chosen;
	for (uint32_t i = 0; i < bob_mpi_function_count; i++)
		if (is_bound(&bob_mpi_functions[i]) ||
		    makes_what_must_be_known(&bob_mpi_functions[i], chosen)) {
			how[bob_mpi_functions[i].number] = BOB_MPI_RECORD;
			spoken |= kinds(&bob_mpi_functions[i], any) & ~TRANSIENT;
		}
	for (uint32_t i = 0; i < bob_mpi_function_count; i++) {
		const struct bob_mpi_function *f = &bob_mpi_functions[i];

		if (how[f->number] == BOB_MPI_PASS && kinds(f, BOB_MPI_COMES_OUT) & spoken)
			how[f->number] = BOB_MPI_FOLLOW;
	}
}
