/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructs with their own names: declarations in BLOCK, and names of ASSOCIATE, SELECT TYPE and
 * SELECT RANK. Each has a table whose host is the enclosing one. Undeclared names belong to the
 * unit. The block of a TYPE IS or CLASS IS has an additional table in which the selector has that
 * type. */
#include <string.h>

#include "source/fortran/scope.h"
#include "source/fortran/split.h"
#include "source/fortran/use.h"

static bool is_guard(const struct bob_fortran_statement *t)
{
	return t->kind == BOB_F_TYPE_IS || t->kind == BOB_F_CLASS_IS;
}

bool bob_fortran_is_guarded(const struct bob_fortran_symbols *t)
{
	return t->construct != BOB_FORTRAN_NO && t->host && t->host->construct == t->construct;
}

static void leave(struct bob_fortran_scope *s)
{
	s->table = s->unit_table = s->unit_table->host;
}

void bob_fortran_enter_construct(struct bob_fortran_scope *s, struct bob_fortran_statement *t)
{
	while (s->unit_table->construct != BOB_FORTRAN_NO &&
	       s->index > s->file->constructs[s->unit_table->construct].last)
		leave(s);
	if (is_guard(t) && bob_fortran_is_guarded(s->unit_table))
		leave(s);
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

/* Opens a table within the current one. False: no memory. */
static bool open_table(struct bob_fortran_scope *s, uint32_t construct)
{
	struct bob_fortran_symbols *outer = s->unit_table;
	struct bob_fortran_symbols *inner = bob_fortran_table(s->arena, outer);

	if (!inner) {
		s->failed = true;
		return false;
	}
	inner->unit = s->unit;
	inner->construct = construct;
	memcpy(inner->implicit_type, outer->implicit_type, sizeof(inner->implicit_type));
	memcpy(inner->implicit_kind, outer->implicit_kind, sizeof(inner->implicit_kind));
	memcpy(inner->implicit_len, outer->implicit_len, sizeof(inner->implicit_len));
	while (outer->inner)
		outer = outer->inner;
	outer->inner = inner;
	s->table = s->unit_table = inner;
	return true;
}

/* The selector's name in a SELECT TYPE: `(name)` or `(name => selector)`; 0: no name. */
static uint32_t selected(const struct bob_fortran_statement *t, const char **name)
{
	struct bob_fortran_parser r = { .text = t->text, .p = t->from, .end = t->len };
	uint32_t n;

	while (r.p < r.end && t->text[r.p] != '(')
		r.p++;
	if (!bob_fortran_accept(&r, "("))
		return 0;
	(void)bob_fortran_peek(&r);
	n = bob_fortran_name_len(&r);
	*name = t->text + r.p;
	r.p += n;
	return bob_fortran_peek(&r) == ')' || bob_fortran_accept(&r, "=>") ? n : 0;
}

/* Parses the type of a TYPE IS or CLASS IS: an intrinsic or a derived one. False: CLASS DEFAULT. */
static bool read_guard(struct bob_fortran_scope *s, const struct bob_fortran_statement *t,
		       struct bob_fortran_typing *typing)
{
	struct bob_fortran_parser r = { .arena = s->arena, .text = t->text, .p = t->from,
					.end = t->len }, name;
	uint32_t n;

	while (r.p < r.end && t->text[r.p] != '(')
		r.p++;
	if (!bob_fortran_accept(&r, "("))
		return false;
	name = r;
	s->statement = t;
	if (bob_fortran_read_type(s, &r, typing) && bob_fortran_peek(&r) == ')')
		return true;
	(void)bob_fortran_peek(&name);
	n = bob_fortran_name_len(&name);
	*typing = (struct bob_fortran_typing){
		t->kind == BOB_F_CLASS_IS ? BOB_T_CLASS : BOB_T_DERIVED, 0, 1,
		bob_fortran_text_of(s, name.p, name.p + n)
	};
	return n != 0;
}

static void begin_guard(struct bob_fortran_scope *s, const struct bob_fortran_statement *t)
{
	const struct bob_fortran_statement *select;
	struct bob_fortran_typing typing;
	struct bob_fortran_symbol *y;
	const char *name = NULL;
	uint32_t n;

	if (s->unit_table->construct == BOB_FORTRAN_NO || s->unit_table->construct != t->construct)
		return;
	select = &s->file->statements[s->file->constructs[t->construct].first];
	n = select->kind == BOB_F_SELECT_TYPE ? selected(select, &name) : 0;
	if (!n || !read_guard(s, t, &typing) || !open_table(s, t->construct))
		return;
	y = bob_fortran_enter(s->arena, s->unit_table, name, n);
	if (!y) {
		s->failed = true;
		return;
	}
	bob_fortran_give_type(y, &typing);
	y->class = BOB_NAME_VARIABLE;
	y->statement = s->index;
	y->flags |= BOB_SYMBOL_ASSOCIATE;
}

void bob_fortran_begin_construct(struct bob_fortran_scope *s, const struct bob_fortran_statement *t)
{
	if (is_guard(t))
		begin_guard(s, t);
	else if (begins(s, t) && open_table(s, t->construct) && t->kind != BOB_F_BLOCK)
		associate_names(s, t);
}

/* --- types of ASSOCIATE names --- */

static uint32_t after_blanks(const struct bob_fortran_statement *t, uint32_t i)
{
	while (i < t->len && t->text[i] == ' ')
		i++;
	return i;
}

/* The position of the selector of a name; t->len: not found. */
static uint32_t selector(const struct bob_fortran_statement *t, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = t->text; (p = strstr(p, "=>")) != NULL; p += 2) {
		const char *end = p;

		while (end > t->text && end[-1] == ' ')
			end--;
		if ((size_t)(end - t->text) > n && !memcmp(end - n, name, n) &&
		    !bob_fortran_is_word(end[-(ptrdiff_t)n - 1]))
			return after_blanks(t, (uint32_t)(p + 2 - t->text));
	}
	return t->len;
}

/* True if the selector is only a variable, a component of one, or a section. */
static bool is_plain(const struct bob_fortran_statement *t, const struct bob_fortran_use *u)
{
	const uint32_t bad = BOB_USE_VECTOR | BOB_USE_SUBSTRING | BOB_USE_COARRAY | BOB_USE_UNSURE;
	const uint32_t after = after_blanks(t, u->to);

	return u->symbol->class == BOB_NAME_VARIABLE &&
	       u->symbol->shape != BOB_SHAPE_ASSUMED_RANK && !(u->flags & bad) && after < t->len &&
	       strchr(",)", t->text[after]);
}

/* The component of a type or its ancestors; NULL: unknown. */
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

/* The rank of this part of a reference. */
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

static void set_rank(struct bob_fortran_symbol *y, uint32_t rank)
{
	y->rank = rank;
	if (rank)
		y->shape = BOB_SHAPE_ASSUMED;
	for (uint32_t d = 0; d < rank; d++) {
		y->lower[d] = (struct bob_fortran_limit){ BOB_BOUND_NONE, 0, "" };
		y->upper[d] = y->lower[d];
	}
}

/* Gives the name the type of its selector, without its bounds. */
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
	set_rank(y, rank);
}

/* After TYPE IS the type is known; the rank is that of the selector. */
static void rank_guarded(const struct bob_fortran_scope *s, struct bob_fortran_symbol *y)
{
	const struct bob_fortran_symbol *of =
		bob_fortran_lookup(s->unit_table->host, y->name, (uint32_t)strlen(y->name));

	if (of && of->type != BOB_T_NONE && of->shape != BOB_SHAPE_ASSUMED_RANK) {
		set_rank(y, of->rank);
		return;
	}
	y->type = BOB_T_NONE;
	y->type_name = NULL;
}

void bob_fortran_type_associate(struct bob_fortran_scope *s, struct bob_fortran_symbol *y)
{
	const struct bob_fortran_statement *t = &s->file->statements[y->statement];
	struct bob_fortran_uses uses;
	uint32_t from;

	if (is_guard(t))
		rank_guarded(s, y);
	if (t->kind != BOB_F_ASSOCIATE && t->kind != BOB_F_SELECT_TYPE)
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
