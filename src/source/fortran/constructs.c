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

/* A variable, a component of one, or a section, and nothing else. */
static bool is_plain(const struct bob_fortran_statement *t, const struct bob_fortran_use *u)
{
	const uint32_t bad = BOB_USE_VECTOR | BOB_USE_SUBSTRING | BOB_USE_COARRAY | BOB_USE_UNSURE;
	const uint32_t behind = behind_blanks(t, u->to);

	return u->symbol->class == BOB_NAME_VARIABLE &&
	       u->symbol->shape != BOB_SHAPE_ASSUMED_RANK && !(u->flags & bad) && behind < t->len &&
	       strchr(",)", t->text[behind]);
}

/* The component of something of that type, or of what this extends; NULL: it is not known. */
static const struct bob_fortran_symbol *component(const struct bob_fortran_scope *s,
						  const struct bob_fortran_symbol *of,
						  const char *name, uint32_t len)
{
	const struct bob_fortran_symbol *type =
		of->type_name ? bob_fortran_lookup(s->unit_table, of->type_name,
						   (uint32_t)strlen(of->type_name)) :
				NULL;
	const struct bob_fortran_symbol *y = NULL;

	for (const struct bob_fortran_symbols *c = type ? type->components : NULL; c && !y;
	     c = c->host)
		y = bob_fortran_own(c, name, len);
	return y;
}

/* How many dimensions are left of this part of a reference. */
static uint32_t rank_left(const struct bob_fortran_expr *part, const struct bob_fortran_symbol *of)
{
	const struct bob_fortran_expr *list = part->child;
	uint32_t rank = 0;

	if (!list)
		return of->rank;
	for (const struct bob_fortran_expr *e = list->child; e; e = e->next)
		rank += e->node == BOB_N_RANGE;
	return rank;
}

/* The name is what its selector is, but for its bounds. */
static void take_type(const struct bob_fortran_scope *s, struct bob_fortran_symbol *y,
		      const struct bob_fortran_use *u)
{
	const char *text = s->file->statements[y->statement].text;
	const struct bob_fortran_expr *part = u->ref->child;
	const struct bob_fortran_symbol *of = u->symbol;
	uint32_t rank = rank_left(part, of);

	while ((part = part->next) != NULL) {
		of = component(s, of, text + part->from, part->name_len);
		if (!of)
			return;
		rank += rank_left(part, of);
	}
	if (rank > BOB_FORTRAN_RANK_MAX)
		return;
	y->type = of->type;
	y->kind = of->kind;
	y->char_len = of->char_len;
	y->type_name = of->type_name;
	y->rank = rank;
	if (rank)
		y->shape = BOB_SHAPE_ASSUMED;
	for (uint32_t d = 0; d < rank; d++) {
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
			take_type(s, y, u);
			return;
		}
	}
}
