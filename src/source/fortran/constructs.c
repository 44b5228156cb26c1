/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructs with names of their own: what BLOCK declares, and the names that ASSOCIATE, SELECT TYPE and SELECT RANK give. Each has a table, whose host is
 * that of what is around it; names that nothing declares are the unit's. */
#include <string.h>

#include "source/fortran/scope.h"
#include "source/fortran/split.h"
#include "source/fortran/use.h"

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

/* --- types of what ASSOCIATE names --- */

static uint32_t behind_blanks(const struct bob_fortran_statement *t, uint32_t i)
{
	while (i < t->len && t->text[i] == ' ')
		i++;
	return i;
}

/* Where the selector of a name begins; t->len: nowhere. */
static uint32_t selector(const struct bob_fortran_statement *t, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = t->text; (p = strstr(p, "=>")) != NULL; p += 2) {
		const char *end = p;

		while (end > t->text && end[-1] == ' ')
			end--;
		if ((size_t)(end - t->text) > n && !memcmp(end - n, name, n) &&
		    !bob_fortran_is_word(end[-(ptrdiff_t)n - 1]))
			return behind_blanks(t, (uint32_t)(p + 2 - t->text));
	}
	return t->len;
}

/* A variable or a section of it, and nothing else. */
static bool is_plain(const struct bob_fortran_statement *t, const struct bob_fortran_use *u)
{
	const uint32_t bad = BOB_USE_VECTOR | BOB_USE_SUBSTRING | BOB_USE_COMPONENT |
			     BOB_USE_COARRAY | BOB_USE_UNSURE;
	const uint32_t behind = behind_blanks(t, u->to);

	return u->symbol->class == BOB_NAME_VARIABLE &&
	       u->symbol->shape != BOB_SHAPE_ASSUMED_RANK && !(u->flags & bad) &&
	       !u->ref->child->next && behind < t->len && strchr(",)", t->text[behind]);
}

/* The name is what its selector is, but for its bounds. */
static void take_type(struct bob_fortran_symbol *y, const struct bob_fortran_use *u)
{
	const struct bob_fortran_symbol *of = u->symbol;
	const struct bob_fortran_expr *list = u->ref->child->child;

	y->type = of->type;
	y->kind = of->kind;
	y->char_len = of->char_len;
	y->type_name = of->type_name;
	if (u->flags & BOB_USE_WHOLE)
		y->rank = of->rank;
	for (const struct bob_fortran_expr *e = list ? list->child : NULL; e; e = e->next)
		y->rank += e->node == BOB_N_RANGE;
	if (y->rank)
		y->shape = BOB_SHAPE_ASSUMED;
	for (uint32_t d = 0; d < y->rank; d++) {
		y->lower[d] = (struct bob_fortran_limit){ BOB_BOUND_NONE, 0, "" };
		y->upper[d] = y->lower[d];
	}
}

void bob_fortran_type_associate(struct bob_fortran_scope *s, struct bob_fortran_symbol *y)
{
	const struct bob_fortran_statement *t = &s->file->statements[y->statement];
	struct bob_fortran_uses uses;
	uint32_t from;

	if (t->kind != BOB_F_ASSOCIATE)
		return;
	if (bob_fortran_uses(s->arena, s->file, y->statement, &uses) != BOB_OK) {
		s->failed = true;
		return;
	}
	from = selector(t, y->name);
	for (uint32_t i = 0; i < uses.count; i++) {
		const struct bob_fortran_use *u = &uses.at[i];

		if (u->role == BOB_ROLE_TARGET && u->from == from && is_plain(t, u)) {
			take_type(y, u);
			return;
		}
	}
}
