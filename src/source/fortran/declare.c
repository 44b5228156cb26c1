/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads specification statements, which set attributes of names. Later statements override earlier
 * ones; unknown syntax is skipped. */
#include "source/fortran/scope.h"

#include <string.h>

#include "source/fortran/split.h"

static const struct {
	const char *word;
	uint32_t flags;
} attributes[] = {
	{ "allocatable", BOB_SYMBOL_ALLOCATABLE },
	{ "pointer", BOB_SYMBOL_POINTER },
	{ "target", BOB_SYMBOL_TARGET },
	{ "save", BOB_SYMBOL_SAVE },
	{ "static", BOB_SYMBOL_SAVE },
	{ "optional", BOB_SYMBOL_OPTIONAL },
	{ "value", BOB_SYMBOL_VALUE },
	{ "volatile", BOB_SYMBOL_VOLATILE },
	{ "contiguous", BOB_SYMBOL_CONTIGUOUS },
	{ "private", BOB_SYMBOL_PRIVATE },
	{ "public", BOB_SYMBOL_PUBLIC },
	{ "external", BOB_SYMBOL_EXTERNAL },
	{ "codimension", BOB_SYMBOL_COARRAY },
};

static bool is_word(const struct bob_fortran_parser *r, uint32_t from, uint32_t n, const char *word)
{
	return n == strlen(word) && !memcmp(r->text + from, word, n);
}

static uint32_t intent(struct bob_fortran_parser *r)
{
	struct bob_fortran_parser inner = *r;
	uint32_t flags = 0, end = bob_fortran_group_end(r);

	for (inner.p++; inner.p < end; inner.p++) {
		if (!strncmp(inner.text + inner.p, "in", 2))
			flags |= BOB_SYMBOL_INTENT_IN;
		if (!strncmp(inner.text + inner.p, "out", 3))
			flags |= BOB_SYMBOL_INTENT_OUT;
	}
	bob_fortran_skip_group(r);
	return flags;
}

/* Attributes that a declaration gives to all its entities. */
struct entities {
	struct bob_fortran_typing type;
	bool is_typed, is_constant;
	uint32_t flags;
	struct bob_fortran_parser shape; /* of DIMENSION; p == 0: none */
	const char *binding;	/* name in C; "": the default; NULL: none */
};

/* Parses BIND(C, NAME='x') from its bracket: the name, or "". */
static const char *binding(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	const uint32_t from = r->p;
	uint32_t open = from, close;

	bob_fortran_skip_group(r);
	while (open < r->p && r->text[open] != '\'' && r->text[open] != '"')
		open++;
	for (close = open + 1; close < r->p && r->text[close] != r->text[open]; close++)
		;
	while (open + 1 < r->p && r->text[open + 1] == ' ')
		open++;
	while (close > open + 1 && close < r->p && r->text[close - 1] == ' ')
		close--;
	return close < r->p ? bob_fortran_text_of(s, open + 1, close) : "";
}

/* Attributes `, name(...)` up to :: or the first entity. */
static void read_attributes(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
			    struct entities *e)
{
	while (bob_fortran_accept(r, ",")) {
		uint32_t from, n;

		(void)bob_fortran_peek(r);
		from = r->p;
		n = bob_fortran_name_len(r);
		r->p += n;
		if (is_word(r, from, n, "parameter"))
			e->is_constant = true;
		for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
			if (is_word(r, from, n, attributes[i].word))
				e->flags |= attributes[i].flags;
		if (bob_fortran_peek(r) == '[')
			bob_fortran_skip_group(r);
		if (bob_fortran_peek(r) != '(')
			continue;
		if (is_word(r, from, n, "intent")) {
			e->flags |= intent(r);
			continue;
		}
		if (is_word(r, from, n, "bind")) {
			e->binding = binding(s, r);
			continue;
		}
		if (is_word(r, from, n, "dimension"))
			e->shape = *r;
		bob_fortran_skip_group(r);
	}
}

/* Sets the value of a constant. Branches of an #if may give it several. */
static void give_value(struct bob_fortran_scope *s, struct bob_fortran_symbol *y,
		       const struct bob_fortran_expr *e)
{
	const bool is_again = y->class == BOB_NAME_CONSTANT, had_value = y->has_value;
	const int64_t value = y->value;

	y->class = BOB_NAME_CONSTANT;
	y->has_value = (y->type == BOB_T_INTEGER || y->type == BOB_T_LOGICAL) &&
		       y->shape == BOB_SHAPE_SCALAR &&
		       bob_fortran_fold(s->unit_table, s->statement, e, &y->value) == BOB_OK;
	y->is_ambiguous |= (is_again && (had_value != y->has_value || value != y->value)) ||
			   bob_fortran_is_ambiguous(s->unit_table, s->statement, e);
}

/* The constant or first value after = or =>, or between / /. */
static void read_value(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
		       struct bob_fortran_symbol *y, bool is_constant)
{
	struct bob_fortran_expr *e;

	if (bob_fortran_accept(r, "=>")) {
		(void)bob_fortran_parse_expr(r);
		y->flags |= BOB_SYMBOL_SAVE;
	} else if (bob_fortran_accept(r, "=")) {
		e = bob_fortran_parse_expr(r);
		if (!e)
			return;
		y->init = bob_fortran_text_of(s, e->from, e->to);
		if (!is_constant) {
			y->flags |= BOB_SYMBOL_SAVE;
			return;
		}
		give_value(s, y, e);
		if (y->type == BOB_T_CHARACTER && y->char_len == -2 && e->node == BOB_N_STRING)
			y->char_len = (int64_t)(e->to - e->from) - 2;
	} else if (bob_fortran_peek(r) == '/' && !is_constant) {
		y->flags |= BOB_SYMBOL_SAVE;
		r->p++;
		while (r->p < r->end && r->text[r->p] != '/') {
			if (r->text[r->p] == '\'' || r->text[r->p] == '"')
				(void)bob_fortran_parse_literal(r);
			else
				r->p++;
		}
		r->p += r->p < r->end;
	}
}

/* name(shape)*len = value, ... */
static void read_entities(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
			  const struct entities *of)
{
	do {
		struct bob_fortran_symbol *y = bob_fortran_enter_next(s, r);
		struct bob_fortran_parser shape = of->shape;

		if (!y)
			return;
		if (y->flags & (BOB_SYMBOL_HOST | BOB_SYMBOL_USED))
			y->flags &= ~(BOB_SYMBOL_HOST | BOB_SYMBOL_USED);
		if (of->is_typed)
			bob_fortran_give_type(y, &of->type);
		y->flags |= of->flags;
		if (of->binding)
			y->binding = *of->binding ? of->binding : y->name;
		if (of->shape.p)
			bob_fortran_read_shape(s, &shape, y);
		if (bob_fortran_peek(r) == '(')
			bob_fortran_read_shape(s, r, y);
		if (bob_fortran_peek(r) == '[') {
			y->flags |= BOB_SYMBOL_COARRAY;
			bob_fortran_skip_group(r);
		}
		if (bob_fortran_peek(r) == '*') {
			struct bob_fortran_typing t = of->type;
			struct bob_fortran_expr *e;
			int64_t value;

			r->p++;
			e = bob_fortran_peek(r) == '(' ? bob_fortran_parse_arguments(r) :
							 bob_fortran_parse_digits(r);
			if (e && e->node == BOB_N_ARGUMENTS)
				e = e->child;
			if (e && e->node == BOB_N_STAR)
				value = -2;
			else if (!e ||
				 bob_fortran_fold(s->unit_table, s->statement, e, &value) != BOB_OK)
				value = -1;
			if (t.type == BOB_T_CHARACTER)
				t.char_len = value;
			else if (value > 0 && value <= 32)
				t.kind = (int32_t)(t.type == BOB_T_COMPLEX ? value / 2 : value);
			bob_fortran_give_type(y, &t);
		}
		if (bob_fortran_peek(r) == '(') /* character a*8(10) */
			bob_fortran_read_shape(s, r, y);
		read_value(s, r, y, of->is_constant);
		if (y->class == BOB_NAME_UNKNOWN && (y->flags & BOB_SYMBOL_EXTERNAL))
			y->class = BOB_NAME_PROCEDURE;
	} while (!s->failed && bob_fortran_accept(r, ","));
}

static void declaration(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	struct entities e = { .flags = 0 };

	if (!strncmp(r->text + r->p, "record", 6))
		return; /* DEC: its components are unknown */
	e.is_typed = bob_fortran_read_type(s, r, &e.type);
	if (!e.is_typed)
		return;
	read_attributes(s, r, &e);
	(void)bob_fortran_accept(r, "::");
	read_entities(s, r, &e);
}

/* PUBLIC, PRIVATE: the name may be declared later, or come from a module. */
static void accessibility(struct bob_fortran_scope *s, struct bob_fortran_parser *r, uint32_t flag)
{
	(void)bob_fortran_accept(r, "::");
	do {
		struct bob_fortran_symbol *y;
		struct bob_fortran_parser name = *r;

		(void)bob_fortran_peek(&name);
		name.p += bob_fortran_name_len(&name);
		if (bob_fortran_peek(&name) == '(') { /* operator(+) */
			*r = name;
			bob_fortran_skip_group(r);
			continue;
		}
		y = bob_fortran_enter_next(s, r);
		if (!y)
			return;
		y->flags |= flag;
	} while (!s->failed && bob_fortran_accept(r, ","));
}

/* BIND(C) :: a, /b/ as a statement. */
static void bind(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	const char *name;

	r->p += 4;
	if (bob_fortran_peek(r) != '(')
		return;
	name = binding(s, r);
	(void)bob_fortran_accept(r, "::");
	do {
		struct bob_fortran_symbol *y;

		if (bob_fortran_peek(r) == '/') {
			struct bob_fortran_common *c = bob_fortran_block(s, r);

			if (c)
				c->binding = name && *name ? name : c->name;
			continue;
		}
		y = bob_fortran_enter_next(s, r);
		if (y)
			y->binding = name && *name ? name : y->name;
	} while (!s->failed && bob_fortran_accept(r, ","));
}

/* ALLOCATABLE, POINTER, ..., INTENT, as statements. */
static void attribute(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	struct entities e = { .flags = 0 };
	bool is_intent = !strncmp(r->text + r->p, "intent", 6);

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		size_t n = strlen(attributes[i].word);

		if (!strncmp(r->text + r->p, attributes[i].word, n)) {
			e.flags = attributes[i].flags;
			r->p += (uint32_t)n;
			break;
		}
	}
	if (is_intent) {
		r->p += 6;
		if (bob_fortran_peek(r) == '(')
			e.flags = intent(r);
	} else if (!e.flags) {
		if (!strncmp(r->text + r->p, "bind", 4))
			bind(s, r);
		return; /* ASYNCHRONOUS, ... */
	}
	if (e.flags == BOB_SYMBOL_PRIVATE || e.flags == BOB_SYMBOL_PUBLIC) {
		if (bob_fortran_peek(r))
			accessibility(s, r, e.flags);
		else
			s->is_private |= e.flags == BOB_SYMBOL_PRIVATE;
		return;
	}
	if (e.flags == BOB_SYMBOL_POINTER && bob_fortran_peek(r) == '(') { /* Cray: (p, a(10)) */
		while (bob_fortran_accept(r, "(")) {
			struct entities none = { .flags = BOB_SYMBOL_CRAY_POINTEE };
			struct bob_fortran_symbol *p = bob_fortran_enter_next(s, r);
			struct bob_fortran_typing t = { BOB_T_INTEGER, 8, 1, NULL };

			if (p)
				bob_fortran_give_type(p, &t);
			(void)bob_fortran_accept(r, ",");
			read_entities(s, r, &none);
			(void)bob_fortran_accept(r, ")");
			(void)bob_fortran_accept(r, ",");
		}
		return;
	}
	(void)bob_fortran_accept(r, "::");
	read_entities(s, r, &e);
}

static void parameter(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	bob_fortran_skip_word(r, "parameter");
	(void)bob_fortran_accept(r, "(");
	do {
		struct bob_fortran_symbol *y = bob_fortran_enter_next(s, r);

		if (!y)
			return;
		bob_fortran_default_type(s, y);
		read_value(s, r, y, true);
	} while (!s->failed && bob_fortran_accept(r, ","));
}

/* DATA: names, and values between / /. The names get SAVE. */
static void data(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	bob_fortran_skip_word(r, "data");
	while (!s->failed && bob_fortran_peek(r)) {
		while (bob_fortran_peek(r) && r->text[r->p] != '/') {
			if (r->text[r->p] == '(') { /* subscripts, or an implied DO */
				uint32_t end = bob_fortran_group_end(r);

				while (r->p < end && !bob_is_letter(r->text[r->p]))
					r->p++;
			}
			if (bob_fortran_name_len(r)) {
				struct bob_fortran_symbol *y = bob_fortran_enter_next(s, r);

				if (y)
					y->flags |= BOB_SYMBOL_SAVE;
				if (bob_fortran_peek(r) == '(')
					bob_fortran_skip_group(r);
				/* the rest of an implied DO */
				while (bob_fortran_peek(r) && !strchr("(/,", r->text[r->p]))
					r->p++;
				continue;
			}
			r->p++;
		}
		if (!bob_fortran_accept(r, "/"))
			return;
		while (bob_fortran_peek(r) && r->text[r->p] != '/') {
			uint32_t from = r->p;

			(void)bob_fortran_parse_literal(r);
			r->p += r->p == from;
		}
		(void)bob_fortran_accept(r, "/");
		(void)bob_fortran_accept(r, ",");
	}
}

/* word [::] a, b, /c/ */
static void names(struct bob_fortran_scope *s, struct bob_fortran_parser *r, const char *word,
		  enum bob_fortran_class class, uint32_t flags)
{
	bob_fortran_skip_word(r, word);
	(void)bob_fortran_accept(r, "::");
	do {
		struct bob_fortran_symbol *y;

		if (bob_fortran_accept(r, "/")) {
			r->p += bob_fortran_name_len(r);
			(void)bob_fortran_accept(r, "/");
			continue;
		}
		y = bob_fortran_enter_next(s, r);
		if (!y)
			return;
		if (class != BOB_NAME_UNKNOWN)
			y->class = class;
		y->flags |= flags;
	} while (!s->failed && bob_fortran_accept(r, ","));
}

static void namelist(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	bob_fortran_skip_word(r, "namelist");
	while (bob_fortran_accept(r, "/")) {
		struct bob_fortran_symbol *y = bob_fortran_enter_next(s, r);

		if (y)
			y->class = BOB_NAME_NAMELIST;
		(void)bob_fortran_accept(r, "/");
		while (bob_fortran_peek(r) && r->text[r->p] != '/')
			r->p++;
	}
}

/* PROCEDURE(interface), attributes :: names */
static void procedure(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	struct entities e = { .flags = BOB_SYMBOL_EXTERNAL };
	struct bob_fortran_parser inside;

	bob_fortran_skip_word(r, "procedure");
	if (bob_fortran_peek(r) != '(')
		return; /* a list in an interface */
	inside = *r;
	inside.p++;
	e.is_typed = bob_fortran_read_type(s, &inside, &e.type) && bob_fortran_peek(&inside) == ')';
	bob_fortran_skip_group(r);
	read_attributes(s, r, &e);
	(void)bob_fortran_accept(r, "::");
	read_entities(s, r, &e);
}

static void enumerator(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	struct bob_fortran_typing t = { BOB_T_INTEGER, 4, 1, NULL };

	bob_fortran_skip_word(r, "enumerator");
	(void)bob_fortran_accept(r, "::");
	do {
		struct bob_fortran_symbol *y = bob_fortran_enter_next(s, r);

		if (!y)
			return;
		bob_fortran_give_type(y, &t);
		read_value(s, r, y, true);
		if (y->class != BOB_NAME_CONSTANT) {
			y->class = BOB_NAME_CONSTANT;
			y->has_value = true;
			y->value = s->next_enumerator;
		}
		s->next_enumerator = y->has_value && y->value < INT32_MAX ? y->value + 1 : 0;
	} while (!s->failed && bob_fortran_accept(r, ","));
}

void bob_fortran_declare(struct bob_fortran_scope *s)
{
	const struct bob_fortran_statement *t = s->statement;
	struct bob_fortran_parser r = { .arena = s->arena, .text = t->text, .end = t->len };

	switch (t->kind) {
	case BOB_F_DECLARATION:
		declaration(s, &r);
		break;
	case BOB_F_ATTRIBUTE:
		attribute(s, &r);
		break;
	case BOB_F_DIMENSION: {
		struct entities e = { .flags = 0 };

		bob_fortran_skip_word(&r, "dimension");
		(void)bob_fortran_accept(&r, "::");
		read_entities(s, &r, &e);
		break;
	}
	case BOB_F_PARAMETER:
		parameter(s, &r);
		break;
	case BOB_F_COMMON:
		bob_fortran_common(s, &r);
		break;
	case BOB_F_EQUIVALENCE:
		bob_fortran_equivalence(s, &r);
		break;
	case BOB_F_DATA:
		data(s, &r);
		break;
	case BOB_F_SAVE:
		s->unit_table->saves_all |= t->len == 4;
		names(s, &r, "save", BOB_NAME_UNKNOWN, BOB_SYMBOL_SAVE);
		break;
	case BOB_F_EXTERNAL:
		names(s, &r, "external", BOB_NAME_PROCEDURE, BOB_SYMBOL_EXTERNAL);
		break;
	case BOB_F_INTRINSIC:
		names(s, &r, "intrinsic", BOB_NAME_INTRINSIC, 0);
		break;
	case BOB_F_NAMELIST:
		namelist(s, &r);
		break;
	case BOB_F_PROCEDURE:
		procedure(s, &r);
		break;
	case BOB_F_ENUM:
		s->next_enumerator = 0;
		break;
	case BOB_F_ENUMERATOR:
		enumerator(s, &r);
		break;
	case BOB_F_IMPLICIT:
		bob_fortran_implicit(s, &r);
		break;
	case BOB_F_USE:
		bob_fortran_use_module(s, &r);
		break;
	default:
		break;
	}
	s->failed = s->failed || r.failed;
}
