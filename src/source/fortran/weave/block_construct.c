/* SPDX-License-Identifier: BSD-3-Clause */
/* BLOCK constructs: where the lifetimes of their variables begin and end. */
#include <string.h>

#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/lines.h"

static const struct bob_fortran_construct *construct(const struct bob_weave *w, uint32_t i)
{
	return i < w->file->construct_count ? &w->file->constructs[i] : NULL;
}

/* The kind of the statement, or of its one-line body. */
static enum bob_fortran_kind kind_of(const struct bob_fortran_statement *s)
{
	return s->kind == BOB_F_IF && s->body ? s->body_kind : s->kind;
}

/* The name after EXIT or CYCLE; "": none. */
static const char *name_after(const struct bob_fortran_statement *s, const char *word)
{
	const char *p = s->text + (s->kind == BOB_F_IF ? s->body : s->from);

	p += strlen(word);
	return p + (*p == ' ');
}

/* Do EXIT or CYCLE refer to a construct within the BLOCK? */
static bool stays(const struct bob_weave *w, uint32_t block, const struct bob_fortran_statement *s,
		  const char *name)
{
	const struct bob_fortran_construct *c;

	for (uint32_t i = s->construct; i != block && (c = construct(w, i)) != NULL; i = c->parent)
		if (*name ? !strcmp(c->name, name) : c->kind == BOB_CONSTRUCT_DO)
			return true;
	return false;
}

bool bob_weave_leaves_block(const struct bob_weave *w, uint32_t block, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];

	switch (kind_of(s)) {
	case BOB_F_RETURN:
		return true;
	case BOB_F_EXIT:
		return !stays(w, block, s, name_after(s, "exit"));
	case BOB_F_CYCLE:
		return !stays(w, block, s, name_after(s, "cycle"));
	default:
		return statement == w->file->constructs[block].last;
	}
}

/* True for `end=10` and similar labels, and for `*10` among the arguments of a CALL. */
static bool names_label(const struct bob_fortran_statement *s)
{
	static const char *const keys[] = { "end=", "err=", "eor=" };
	const char *text = s->text + s->body;

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		if (strstr(text, keys[k]))
			return true;
	for (const char *p = text; kind_of(s) == BOB_F_CALL && (p = strchr(p, '*')) != NULL; p++)
		if (p > text && (p[-1] == '(' || p[-1] == ',' || p[-1] == ' '))
			return true;
	return false;
}

static bool may_jump(const struct bob_fortran_statement *s)
{
	switch (kind_of(s)) {
	case BOB_F_GOTO:
	case BOB_F_COMPUTED_GOTO:
	case BOB_F_ASSIGNED_GOTO:
	case BOB_F_ARITHMETIC_IF:
		return true;
	default:
		return (kind_of(s) == BOB_F_CALL || kind_of(s) >= BOB_F_READ) && names_label(s);
	}
}

bool bob_weave_is_left_in_order(const struct bob_weave *w, uint32_t block)
{
	const struct bob_fortran_construct *c = construct(w, block);

	if (!c->is_ended)
		return false;
	for (uint32_t i = c->first; i <= c->last; i++)
		if (may_jump(&w->file->statements[i]))
			return false;
	return true;
}

uint32_t bob_weave_first_in_block(const struct bob_weave *w, uint32_t block)
{
	const struct bob_fortran_construct *c = construct(w, block);
	uint32_t i = c->first + 1;

	while (i < c->last && !w->file->statements[i].is_executable)
		i++;
	return i;
}
