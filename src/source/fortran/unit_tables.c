/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills the symbol table of each unit: statements in order, hosts before contained units.
 * Declarations are read first. Then undeclared names in executable statements get the types of the
 * IMPLICIT rules, unless a host declares them. */
#include "source/fortran/unit_tables.h"

#include <string.h>

#include "source/fortran/nest.h"
#include "source/fortran/scope.h"
#include "source/fortran/split.h"

#define INCLUDE_DEPTH_MAX 8

static void read_one(struct bob_fortran_scope *s, const struct bob_fortran_statement *t);

static void default_rules(struct bob_fortran_symbols *t, const struct bob_fortran_symbols *host,
			  const struct bob_fortran_scope *s)
{
	for (int c = 0; c < 26; c++) {
		bool is_integer = c >= 'i' - 'a' && c <= 'n' - 'a';

		t->implicit_type[c] = host	 ? host->implicit_type[c] :
				      is_integer ? BOB_T_INTEGER :
						   BOB_T_REAL;
		t->implicit_kind[c] = host	 ? host->implicit_kind[c] :
				      is_integer ? s->integer_kind :
						   s->real_kind;
		t->implicit_len[c] = host ? host->implicit_len[c] : 1;
	}
}

static struct bob_fortran_symbol *enter_text(struct bob_fortran_scope *s, const char *name)
{
	struct bob_fortran_symbol *y =
		bob_fortran_enter(s->arena, s->table, name, (uint32_t)strlen(name));

	if (!y)
		s->failed = true;
	else if (y->statement == BOB_FORTRAN_NO)
		y->statement = s->index;
	return y;
}

/* Enters the unit's own name, dummies and result, with the type that its first statement may
 * have. */
static void read_first(struct bob_fortran_scope *s, const struct bob_fortran_unit *u)
{
	const struct bob_fortran_statement *t = &s->file->statements[u->first];
	struct bob_fortran_parser r = { .arena = s->arena, .text = t->text, .end = t->len };
	struct bob_fortran_typing type;
	struct bob_fortran_symbol *y;

	s->statement = t;
	s->index = u->first;
	for (uint32_t i = 0; i < u->dummy_count; i++) {
		y = *u->dummies[i] == '*' ? NULL : enter_text(s, u->dummies[i]);
		if (y)
			y->flags |= BOB_SYMBOL_DUMMY;
	}
	if (!*u->name)
		return;
	if (u->kind == BOB_UNIT_SUBMODULE)
		bob_fortran_use_ancestor(s, &r);
	y = enter_text(s, u->name);
	if (!y)
		return;
	if (u->kind == BOB_UNIT_FUNCTION) {
		y->class = BOB_NAME_FUNCTION;
		y = enter_text(s, u->result);
		if (!y)
			return;
		y->class = BOB_NAME_VARIABLE;
		y->flags |= BOB_SYMBOL_RESULT;
		while (r.p < r.end && t->at[r.p] < u->name_at) {
			struct bob_fortran_parser at = r;

			if (bob_fortran_read_type(s, &at, &type)) {
				bob_fortran_give_type(y, &type);
				break;
			}
			r.p += bob_fortran_name_len(&r) && strchr(t->text + r.p, ' ') ?
				       bob_fortran_name_len(&r) :
				       1;
			(void)bob_fortran_peek(&r);
		}
	} else {
		y->class = u->kind == BOB_UNIT_SUBROUTINE || u->kind == BOB_UNIT_PROCEDURE ?
				   BOB_NAME_SUBROUTINE :
				   BOB_NAME_UNIT;
	}
}

/* Enters its ENTRYs, which are procedures, too. */
static void read_inner_entries(struct bob_fortran_scope *s, const struct bob_fortran_unit *u)
{
	for (uint32_t i = u->first; i <= u->last; i++) {
		const struct bob_fortran_statement *t = &s->file->statements[i];
		struct bob_fortran_parser r = { .arena = s->arena, .text = t->text, .end = t->len };
		struct bob_fortran_symbol *y;

		if (t->kind != BOB_F_ENTRY || t->unit == BOB_FORTRAN_NO ||
		    &s->file->units[t->unit] != u)
			continue;
		bob_fortran_skip_word(&r, "entry");
		y = bob_fortran_enter_next(s, &r);
		if (y)
			y->class = u->kind == BOB_UNIT_FUNCTION ? BOB_NAME_FUNCTION :
								  BOB_NAME_SUBROUTINE;
	}
}

/* Enters the name of a contained unit, or of a body in an interface. */
static void read_inner_unit(struct bob_fortran_scope *s, const struct bob_fortran_unit *u)
{
	struct bob_fortran_symbol *y = *u->name ? enter_text(s, u->name) : NULL;

	if (!y)
		return;
	if (u->kind == BOB_UNIT_PROCEDURE) { /* an interface in another unit declares its kind */
		y->class = y->class == BOB_NAME_UNKNOWN ? BOB_NAME_PROCEDURE : y->class;
		return;
	}
	y->class = u->kind == BOB_UNIT_FUNCTION ? BOB_NAME_FUNCTION : BOB_NAME_SUBROUTINE;
	if (u->flags & BOB_UNIT_INTERFACE)
		y->flags |= BOB_SYMBOL_EXTERNAL;
	if (u->flags & BOB_UNIT_ENTRIES)
		read_inner_entries(s, u);
	if (u->other)
		read_inner_unit(s, u->other);
}

static void begin_type(struct bob_fortran_scope *s, const struct bob_fortran_statement *t)
{
	struct bob_fortran_parser r = { .arena = s->arena, .text = t->text, .p = 4, .end = t->len };
	struct bob_fortran_symbols *base = NULL;
	struct bob_fortran_symbol *y;

	while (bob_fortran_accept(&r, ",")) {
		uint32_t from;

		(void)bob_fortran_peek(&r);
		from = r.p;
		r.p += bob_fortran_name_len(&r);
		if (bob_fortran_peek(&r) != '(')
			continue;
		if (!strncmp(t->text + from, "extends", 7)) {
			const struct bob_fortran_symbol *parent;

			r.p++;
			(void)bob_fortran_peek(&r);
			parent = bob_fortran_lookup(s->unit_table, t->text + r.p,
						    bob_fortran_name_len(&r));
			base = parent ? parent->components : NULL;
			while (r.p < r.end && t->text[r.p] != ')')
				r.p++;
			(void)bob_fortran_accept(&r, ")");
		} else {
			bob_fortran_skip_group(&r);
		}
	}
	(void)bob_fortran_accept(&r, "::");
	y = bob_fortran_enter_next(s, &r);
	if (!y)
		return;
	y->class = BOB_NAME_TYPE;
	y->components = bob_fortran_table(s->arena, base);
	if (!y->components) {
		s->failed = true;
		return;
	}
	y->components->unit = s->unit;
	y->components->has_parameters = bob_fortran_peek(&r) == '(';
	s->table = y->components;
}

static void read_interface(struct bob_fortran_scope *s, const struct bob_fortran_statement *t)
{
	struct bob_fortran_parser r = { .arena = s->arena, .text = t->text, .end = t->len };
	struct bob_fortran_symbol *y;

	bob_fortran_skip_word(&r, "interface");
	if (!bob_fortran_peek(&r) || !strncmp(t->text + r.p, "operator", 8) ||
	    !strncmp(t->text + r.p, "assignment", 10) || *t->text == 'a')
		return;
	y = bob_fortran_enter_next(s, &r);
	if (y && y->class == BOB_NAME_UNKNOWN)
		y->class = BOB_NAME_GENERIC;
}

/* Notes executable statements in an included file, which get no probes. */
static void read_included(struct bob_fortran_scope *s, struct bob_fortran_statement *t)
{
	const enum bob_fortran_group group = bob_fortran_group(t->kind);
	struct bob_fortran_statement *at = &s->file->statements[s->index];

	if (t->kind == BOB_F_ASSIGN && !s->runs && bob_fortran_take_statement_function(s, t))
		return;
	at->includes_names |= group == BOB_FORTRAN_SPECIFICATION;
	if (group == BOB_FORTRAN_EXECUTABLE)
		at->includes_code = s->runs = true;
	else
		read_one(s, t);
}

/* INCLUDE 'name' and #include "name": reads its statements in this place. */
static void include(struct bob_fortran_scope *s, const struct bob_fortran_statement *t)
{
	struct bob_fortran_options o = { .form = s->file->form, .width = s->file->width };
	const char *quote = strpbrk(t->text, "'\""), *end, *bytes;
	struct bob_fortran_file *f;
	char *name;
	size_t len;

	end = quote ? strchr(quote + 1, *quote) : NULL;
	if (!end || (t->kind == BOB_F_CPP && !strstr(t->text, "include")))
		return;
	name = bob_arena_text(s->arena, quote + 1, (size_t)(end - quote - 1));
	if (!name) {
		s->failed = true;
		return;
	}
	if (!s->finder || !s->finder->include || s->include_depth == INCLUDE_DEPTH_MAX ||
	    s->finder->include(s->finder->data, name, &bytes, &len) != BOB_OK ||
	    bob_fortran_split(s->arena, bytes, len, &o, &f) != BOB_OK) {
		s->table->is_incomplete = true;
		return;
	}
	s->include_depth++;
	for (uint32_t i = 0; i < f->count && !s->failed; i++)
		read_included(s, &f->statements[i]);
	s->include_depth--;
}

static void read_one(struct bob_fortran_scope *s, const struct bob_fortran_statement *t)
{
	s->statement = t;
	switch (t->kind) {
	case BOB_F_TYPE_DEF:
		begin_type(s, t);
		break;
	case BOB_F_CONTAINS:
		s->table->has_procedures = s->table != s->unit_table;
		break;
	case BOB_F_END_TYPE:
		s->table = s->unit_table;
		break;
	case BOB_F_STRUCTURE: /* DEC: its components are unknown */
		if (!s->structure_depth++)
			s->table = bob_fortran_table(s->arena, NULL);
		s->failed |= !s->table;
		break;
	case BOB_F_END_STRUCTURE:
		if (s->structure_depth && !--s->structure_depth)
			s->table = s->unit_table;
		break;
	case BOB_F_INTERFACE:
		read_interface(s, t);
		break;
	case BOB_F_INCLUDE:
	case BOB_F_CPP:
		include(s, t);
		break;
	default:
		bob_fortran_declare(s);
		break;
	}
}

/* name(2:5) of a character variable; name(2) is a function. */
static bool is_substring(const struct bob_fortran_symbol *y, const struct bob_fortran_expr *part)
{
	const struct bob_fortran_expr *e = part->child->child;

	return y->type == BOB_T_CHARACTER && e && e->node == BOB_N_RANGE && !e->next;
}

/* A name in an executable statement: already declared, or entered here. */
static void meet(struct bob_fortran_scope *s, const struct bob_fortran_expr *part,
		 enum bob_fortran_role role)
{
	const char *name = s->statement->text + part->from;
	bool has_arguments = part->child && part->child->node == BOB_N_ARGUMENTS;
	const struct bob_fortran_symbol *known =
		bob_fortran_lookup(s->unit_table, name, part->name_len);
	struct bob_fortran_symbols *table = s->unit_table;
	struct bob_fortran_symbol *y;

	if (known &&
	    (known->class != BOB_NAME_INTRINSIC || has_arguments || known->unit == s->unit))
		if (known->unit != s->unit || known->class != BOB_NAME_UNKNOWN)
			return;
	while (table->construct != BOB_FORTRAN_NO &&
	       !bob_fortran_own(table, name,
				part->name_len)) /* undeclared names belong to the unit */
		table = table->host;
	y = bob_fortran_enter(s->arena, table, name, part->name_len);
	if (!y) {
		s->failed = true;
		return;
	}
	if (y->statement == BOB_FORTRAN_NO)
		y->statement = s->index;
	if (y->class != BOB_NAME_UNKNOWN)
		return;
	if (role == BOB_ROLE_CALL && !part->next)
		y->class = (y->flags & BOB_SYMBOL_DUMMY) ? BOB_NAME_PROCEDURE : BOB_NAME_SUBROUTINE;
	else if (has_arguments && y->shape == BOB_SHAPE_SCALAR && !part->next &&
		 !is_substring(y, part) && y->type != BOB_T_DERIVED && y->type != BOB_T_CLASS)
		y->class = BOB_NAME_FUNCTION;
}

static void meet_all(struct bob_fortran_scope *s, const struct bob_fortran_expr *e,
		     enum bob_fortran_role role)
{
	if (e->node == BOB_N_REFERENCE && e->child && e->child->node == BOB_N_PART)
		meet(s, e->child, role);
	for (const struct bob_fortran_expr *c = e->child; c && !s->failed; c = c->next)
		meet_all(s, c, BOB_ROLE_READ);
}

static void read_executable(struct bob_fortran_scope *s, const struct bob_fortran_statement *t)
{
	const struct bob_fortran_item *item;

	s->statement = t;
	if (bob_fortran_items(s->arena, t, &item, NULL) != BOB_OK) {
		s->failed = true;
		return;
	}
	for (; item && !s->failed; item = item->next)
		meet_all(s, item->expr, item->role);
}

static void entry(struct bob_fortran_scope *s, const struct bob_fortran_statement *t,
		  bool is_function)
{
	struct bob_fortran_parser r = { .arena = s->arena, .text = t->text, .end = t->len };
	struct bob_fortran_symbol *y;

	bob_fortran_skip_word(&r, "entry");
	y = bob_fortran_enter_next(s, &r);
	if (!y)
		return;
	y->class = is_function ? BOB_NAME_VARIABLE : BOB_NAME_SUBROUTINE;
	y->flags |= is_function ? BOB_SYMBOL_RESULT : 0;
	if (!bob_fortran_accept(&r, "("))
		return;
	do {
		y = bob_fortran_enter_next(s, &r);
		if (y)
			y->flags |= BOB_SYMBOL_DUMMY;
	} while (bob_fortran_accept(&r, ","));
}

/* Sets classes and types of undeclared names. */
static void finish_table(struct bob_fortran_scope *s, const struct bob_fortran_unit *u)
{
	const struct bob_fortran_symbols *t = s->unit_table;
	const bool saves = t->saves_all ||
			   (t->construct == BOB_FORTRAN_NO &&
			    (u->kind == BOB_UNIT_MODULE || u->kind == BOB_UNIT_PROGRAM));

	for (struct bob_fortran_symbol *y = t->first; y; y = y->next) {
		if (y->class == BOB_NAME_UNKNOWN && !(y->flags & BOB_SYMBOL_USED) &&
		    !(y->flags & BOB_SYMBOL_PUBLIC && t->is_incomplete))
			y->class = BOB_NAME_VARIABLE;
		if (y->class == BOB_NAME_VARIABLE || y->class == BOB_NAME_FUNCTION ||
		    y->class == BOB_NAME_STATEMENT_FUNCTION || y->class == BOB_NAME_CONSTANT)
			bob_fortran_default_type(s, y);
		if (y->flags & BOB_SYMBOL_ASSOCIATE)
			bob_fortran_type_associate(s, y);
		if (y->shape == BOB_SHAPE_ASSUMED &&
		    (y->flags & (BOB_SYMBOL_ALLOCATABLE | BOB_SYMBOL_POINTER)))
			y->shape = BOB_SHAPE_DEFERRED;
		if ((y->class == BOB_NAME_VARIABLE ||
		     (y->class == BOB_NAME_PROCEDURE && y->flags & BOB_SYMBOL_POINTER)) &&
		    !(y->flags & BOB_SYMBOL_USED) && saves)
			y->flags |= BOB_SYMBOL_SAVE;
		if (s->is_private && u->kind == BOB_UNIT_MODULE && !(y->flags & BOB_SYMBOL_PUBLIC))
			y->flags |= BOB_SYMBOL_PRIVATE;
	}
}

/* Last step, when everything else is known. */
static void finish(struct bob_fortran_scope *s, const struct bob_fortran_unit *u)
{
	for (struct bob_fortran_symbols *t = u->symbols; t; t = t->inner) {
		s->unit_table = t;
		finish_table(s, u);
	}
	s->unit_table = u->symbols;
	bob_fortran_place_storage(s);
}

/* Enters contained procedures: they hide the host's names in the whole unit, also before they
 * begin. */
static void read_contained(struct bob_fortran_scope *s, const struct bob_fortran_unit *u)
{
	const struct bob_fortran_file *f = s->file;

	for (uint32_t i = s->unit + 1; i < f->unit_count && f->units[i].first <= u->last; i++) {
		s->index = f->units[i].first;
		if (f->units[i].parent == s->unit && !(f->units[i].flags & BOB_UNIT_INTERFACE))
			read_inner_unit(s, &f->units[i]);
	}
}

static void read_statements(struct bob_fortran_scope *s, const struct bob_fortran_unit *u)
{
	read_contained(s, u);
	for (uint32_t i = u->first; i <= u->last && !s->failed; i++) {
		struct bob_fortran_statement *t = &s->file->statements[i];

		s->index = i;
		if (t->unit != s->unit) {
			const struct bob_fortran_unit *inner = &s->file->units[t->unit];

			if (t->unit != BOB_FORTRAN_NO && inner->first == i &&
			    inner->parent == s->unit && inner->flags & BOB_UNIT_INTERFACE)
				read_inner_unit(s, inner);
			continue;
		}
		bob_fortran_enter_construct(s, t);
		if (t->kind == BOB_F_ENTRY)
			entry(s, t, u->kind == BOB_UNIT_FUNCTION);
		else if (t->kind == BOB_F_ASSIGN && !s->runs &&
			 bob_fortran_take_statement_function(s, t))
			continue;
		else if (t->is_executable) {
			s->runs = true;
			read_executable(s, t);
		} else if (t->kind != BOB_F_SUBROUTINE && t->kind != BOB_F_FUNCTION &&
			   (i != u->first || u->name_at == BOB_FORTRAN_NO)) {
			read_one(s, t);
		}
		bob_fortran_begin_construct(s, t);
	}
	s->table = s->unit_table = u->symbols;
}

static bob_status read_unit(struct bob_fortran_file *f, const struct bob_fortran_finder *finder,
			    uint32_t index)
{
	struct bob_fortran_unit *u = &f->units[index];
	struct bob_fortran_symbols *host =
		u->parent == BOB_FORTRAN_NO ? NULL : f->units[u->parent].symbols;
	struct bob_fortran_scope s = { .file = f, .arena = f->arena, .finder = finder };

	/* interface bodies see only their own declarations; IMPORT is assumed */
	s.integer_kind = finder && finder->integer_kind ? finder->integer_kind : 4;
	s.real_kind = finder && finder->real_kind ? finder->real_kind : 4;
	s.table = s.unit_table = bob_fortran_table(f->arena, host);
	if (!s.table)
		return BOB_ERR_NOMEM;
	s.unit = s.table->unit = index;
	default_rules(s.table, (u->flags & BOB_UNIT_INTERFACE) ? NULL : host, &s);
	u->symbols = s.table;
	for (const struct bob_fortran_unit *o = u; o; o = o->other)
		read_first(&s, o);
	if (!s.failed)
		read_statements(&s, u);
	if (!s.failed)
		finish(&s, u);
	return s.failed ? BOB_ERR_NOMEM : BOB_OK;
}

bob_status bob_fortran_symbols_read(struct bob_fortran_file *f,
				    const struct bob_fortran_finder *finder)
{
	for (uint32_t i = 0; i < f->unit_count; i++) {
		bob_status st = read_unit(f, finder, i);

		if (st != BOB_OK)
			return st;
	}
	bob_fortran_find_bodies(f);
	return BOB_OK;
}
