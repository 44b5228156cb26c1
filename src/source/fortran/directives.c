/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the directives that apply to a statement by scanning the statements before or after it. */
#include "source/fortran/directives.h"

#include <string.h>

#include "source/fortran/split.h"

bool bob_fortran_directive_has(const struct bob_fortran_statement *s, const char *word)
{
	size_t n = strlen(word);
	const char *stop = strchr(s->text, '('), *p = s->text;

	for (p = strstr(p, word); p && (!stop || p < stop); p = strstr(p + 1, word))
		if (p > s->text && !bob_fortran_is_word(p[n]))
			return true;
	return false;
}

bool bob_fortran_directive_ends(const struct bob_fortran_statement *s)
{
	const char *p = strchr(s->text, ' ');

	while (p && *p == ' ')
		p++;
	return p && !strncmp(p, "end", 3);
}

/* A directive that applies to the next statement (or, with `end`, to the previous one). */
static bool sticks(const struct bob_fortran_statement *s, bool ends)
{
	static const char *const words[] = { "do",   "simd",   "atomic", "distribute", "taskloop",
					     "loop", "ivdep",  "unroll", "vector",     "novector",
					     "tile" };

	if (s->kind != BOB_F_DIRECTIVE || bob_fortran_directive_ends(s) != ends ||
	    bob_fortran_directive_has(s, "declare"))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bob_fortran_directive_has(s, words[i]))
			return true;
	return false;
}

bool bob_fortran_directive_continues(const struct bob_fortran_file *f, uint32_t i)
{
	const char *p, *end;

	if (!i || f->statements[i - 1].kind != BOB_F_DIRECTIVE)
		return false;
	p = f->statements[i].text + strcspn(f->statements[i].text, " &");
	end = f->statements[i - 1].text + strlen(f->statements[i - 1].text);
	while (*p == ' ')
		p++;
	while (end > f->statements[i - 1].text && end[-1] == ' ')
		end--;
	return *p == '&' || (end > f->statements[i - 1].text && end[-1] == '&');
}

bool bob_fortran_is_after_directive(const struct bob_fortran_file *f, uint32_t statement)
{
	while (statement && f->statements[statement - 1].kind == BOB_F_CPP)
		statement--;
	return statement && f->statements[statement - 1].kind == BOB_F_DIRECTIVE;
}

/* State of a scan from a statement away from it, over directives and preprocessor lines. */
struct beside {
	const struct bob_fortran_file *f;
	uint32_t found;		/* the outermost line that belongs to the statement */
	uint32_t depth;		/* depth of #if and #endif at the current line */
	bool is_open;		/* within that #if a directive belongs to the statement ... */
	bool has_other;		/* ... and one does not */
	bool is_lost;		/* both: no line can be inserted there for the statement */
};

/* Takes the next line away from the statement; `opens` and `closes` are an #if in this direction.
 * False: it does not belong to the statement. */
static bool go_beside(struct beside *b, uint32_t i, bool ends, char opens, char closes)
{
	const struct bob_fortran_statement *s = &b->f->statements[i];
	const char c = bob_fortran_conditional(s);

	if (s->kind != BOB_F_DIRECTIVE && s->kind != BOB_F_CPP)
		return false;
	if ((c == closes || c == '|') && !b->depth)
		return false;
	b->depth += c == opens;
	b->depth -= c == closes;
	if (sticks(s, ends))
		b->is_open = true;
	else if (s->kind == BOB_F_DIRECTIVE && !bob_fortran_directive_continues(b->f, i))
		b->has_other = true;
	if (b->depth)
		return true;
	if (b->is_open) {
		b->found = i;
		b->is_lost |= b->has_other;
	} else if (b->has_other && ends) {
		return false;
	}
	b->is_open = b->has_other = false;
	return true;
}

uint32_t bob_fortran_first_directive(const struct bob_fortran_file *f, uint32_t statement)
{
	struct beside b = { .f = f, .found = statement };

	for (uint32_t i = statement; i && go_beside(&b, i - 1, false, '-', '+'); i--)
		;
	return b.is_open || b.is_lost ? BOB_FORTRAN_NO : b.found;
}

uint32_t bob_fortran_last_directive(const struct bob_fortran_file *f, uint32_t statement)
{
	struct beside b = { .f = f, .found = statement };

	for (uint32_t i = statement + 1; i < f->count && go_beside(&b, i, true, '+', '-'); i++)
		;
	return b.is_open || b.is_lost ? BOB_FORTRAN_NO : b.found;
}
