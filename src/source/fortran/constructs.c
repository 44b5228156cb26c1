/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructs with names of their own: what BLOCK declares, and the names that ASSOCIATE, SELECT TYPE and SELECT RANK give. Each has a table, whose host is
 * that of what is around it; names that nothing declares are the unit's. */
#include <string.h>

#include "source/fortran/scope.h"
#include "source/fortran/split.h"

void bob_fortran_enter_construct(struct bob_fortran_scope *s, struct bob_fortran_statement *t)
{
	while (s->unit_table->construct != BOB_FORTRAN_NO &&
	       s->index > s->file->constructs[s->unit_table->construct].last)
		s->table = s->unit_table = s->unit_table->host;
	t->names = s->unit_table;
}

/* `name =>` of ASSOCIATE and SELECT TYPE. */
static void associate_names(struct bob_fortran_scope *s, const struct bob_fortran_statement *t)
{
	const char *p = t->text;

	while ((p = strstr(p, "=>")) != NULL) {
		const char *end = p, *name;
		struct bob_fortran_symbol *y;

		while (end > t->text && end[-1] == ' ')
			end--;
		for (name = end; name > t->text && bob_fortran_is_word(name[-1]); name--)
			;
		y = name < end ? bob_fortran_enter(s->arena, s->unit_table, name,
						   (uint32_t)(end - name)) :
				 NULL;
		if (y && y->class == BOB_NAME_UNKNOWN) {
			y->class = BOB_NAME_VARIABLE;
			y->statement = s->index;
			y->flags |= BOB_SYMBOL_ASSOCIATE;
		}
		p += 2;
	}
}

static bool begins(const struct bob_fortran_scope *s, const struct bob_fortran_statement *t)
{
	return t->construct < s->file->construct_count &&
	       s->file->constructs[t->construct].first == s->index &&
	       (t->kind == BOB_F_BLOCK || t->kind == BOB_F_ASSOCIATE ||
		t->kind == BOB_F_SELECT_TYPE || t->kind == BOB_F_SELECT_RANK);
}

void bob_fortran_begin_construct(struct bob_fortran_scope *s, const struct bob_fortran_statement *t)
{
	struct bob_fortran_symbols *outer = s->unit_table, *inner;

	if (!begins(s, t))
		return;
	inner = bob_fortran_table(s->arena, outer);
	if (!inner) {
		s->failed = true;
		return;
	}
	inner->unit = s->unit;
	inner->construct = t->construct;
	inner->implicit_none = outer->implicit_none;
	memcpy(inner->implicit_type, outer->implicit_type, sizeof(inner->implicit_type));
	memcpy(inner->implicit_kind, outer->implicit_kind, sizeof(inner->implicit_kind));
	memcpy(inner->implicit_len, outer->implicit_len, sizeof(inner->implicit_len));
	while (outer->inner)
		outer = outer->inner;
	outer->inner = inner;
	s->table = s->unit_table = inner;
	if (t->kind != BOB_F_BLOCK)
		associate_names(s, t);
}
