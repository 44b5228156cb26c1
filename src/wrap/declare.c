/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of the C declarations in prototypes: specifiers, then a declarator, read outwards from its
 * name. It yields the text before and after the name, so that the wrapper is declared in the spec's
 * exact words. Attributes and storage classes are dropped. */
#include <stdio.h>
#include <string.h>

#include "wrap/parse.h"

#define NOWHERE UINT32_MAX

enum step { STEP_POINTER, STEP_ARRAY, STEP_FUNCTION };

struct declaration {
	enum bob_wrap_kind base;
	bool is_long_double;
	uint32_t from;		/* first token */
	uint32_t name;		/* NOWHERE: unnamed */
	uint32_t place;		/* position of the name, or where it would be */
	uint32_t steps;		/* declarators from the name outwards; only the first two matter */
	enum step step[2];
	uint32_t open;		/* opening bracket of the first step ... */
	uint32_t close;		/* ... and the token after it */
	uint32_t end;
};

static const char *const dropped[] = { "extern",   "static",	    "inline",	      "__inline",
				       "__inline__", "register",    "_Noreturn",      "noreturn",
				       "__extension__", "_Thread_local", "__thread",	NULL };
static const char *const qualifiers[] = { "const",	 "volatile",   "restrict",
					  "__restrict",	 "__restrict__", "__const",
					  "__volatile__", "__volatile", "_Atomic", NULL };
static const char *const integers[] = { "char",  "short",	"int",	      "long",
					"signed", "unsigned",	"_Bool",      "bool",
					"__signed__", "__signed", NULL };
static const char *const reals[] = { "float",	 "double",   "_Float128", "__float128",
				     "_Float64", "_Float32", "_Float32x", "_Float64x", NULL };
static const char *const long_reals[] = { "_Float128", "__float128", "_Float64x", NULL };
static const char *const complexes[] = { "_Complex", "complex", "__complex__", NULL };
static const char *const tags[] = { "struct", "union", "enum", NULL };
static const char *const wide[] = { "__int128", "__int128_t", "__uint128_t", "va_list",
				    "__gnuc_va_list", "__builtin_va_list", NULL };
/* Types of the C library, so that generated code has their letters; unknown names work as well. */
static const char *const known[] = { "size_t",	  "ssize_t",   "ptrdiff_t", "off_t",
				     "off64_t",	  "pid_t",     "uid_t",	    "gid_t",
				     "mode_t",	  "time_t",    "intptr_t",  "uintptr_t",
				     "int8_t",	  "int16_t",   "int32_t",   "int64_t",
				     "uint8_t",	  "uint16_t",  "uint32_t",  "uint64_t",
				     "socklen_t", "useconds_t", "clockid_t", NULL };
static const char *const types_of[] = { "typeof", "__typeof__", "__typeof", NULL };
static const char *const forbidden[] = { "typedef", "if",     "else",	  "for",   "while",
					 "do",	    "return", "switch",	  "case",  "goto",
					 "break",   "continue", "sizeof", "default", "before",
					 "after",   "around", "template", "class", "namespace",
					 NULL };

static bool is_one_of(const struct bob_wrap_parser *p, uint32_t pos, const char *const *words)
{
	for (; *words; words++)
		if (bob_wrap_is(p, pos, *words))
			return true;
	return false;
}

static bool is_name(const struct bob_wrap_parser *p, uint32_t pos)
{
	return p->tokens.at[pos].word == BOB_WORD_NAME && !is_one_of(p, pos, forbidden);
}

/* Whether a type begins here that is not a user-defined name. */
static bool is_type_word(const struct bob_wrap_parser *p, uint32_t pos)
{
	return bob_wrap_is(p, pos, "void") || bob_wrap_is(p, pos, "string") ||
	       is_one_of(p, pos, qualifiers) || is_one_of(p, pos, integers) ||
	       is_one_of(p, pos, reals) || is_one_of(p, pos, complexes) ||
	       is_one_of(p, pos, tags) || is_one_of(p, pos, wide) || is_one_of(p, pos, known) ||
	       is_one_of(p, pos, types_of) || is_one_of(p, pos, dropped);
}

static void drop(struct bob_wrap_parser *p, uint32_t from)
{
	for (; from < p->pos; from++)
		p->tokens.at[from].is_dropped = true;
}

static bool is_attribute(const struct bob_wrap_parser *p)
{
	return bob_wrap_is(p, p->pos, "__attribute__") || bob_wrap_is(p, p->pos, "__attribute") ||
	       bob_wrap_is(p, p->pos, "__declspec") || bob_wrap_is(p, p->pos, "_Alignas") ||
	       (bob_wrap_is(p, p->pos, "[") && bob_wrap_is(p, p->pos + 1, "["));
}

/* Skips any number of attributes. */
static bob_status attributes(struct bob_wrap_parser *p)
{
	while (is_attribute(p)) {
		const uint32_t from = p->pos;
		bob_status st;

		if (!bob_wrap_is(p, p->pos, "["))
			p->pos++;
		if (!bob_wrap_is(p, p->pos, "(") && !bob_wrap_is(p, p->pos, "["))
			return bob_wrap_expected(p, "'(' after the attribute");
		st = bob_wrap_skip_group(p);
		if (st != BOB_OK)
			return st;
		drop(p, from);
	}
	return BOB_OK;
}

/* struct, union or enum, with its tag. */
static bob_status tagged(struct bob_wrap_parser *p, struct declaration *d)
{
	d->base = bob_wrap_is(p, p->pos, "enum") ? BOB_WRAP_INT : BOB_WRAP_OTHER;
	p->pos++;
	bob_status st = attributes(p);
	if (st != BOB_OK)
		return st;
	if (!is_name(p, p->pos))
		return bob_wrap_expected(p, "a tag");
	p->pos++;
	if (bob_wrap_is(p, p->pos, "{"))
		return bob_wrap_expected(p,
					 "no definition here: that belongs in the include section");
	return BOB_OK;
}

/* One word of a built-in type; the most specific word decides the kind. */
static bool builtin(struct bob_wrap_parser *p, struct declaration *d)
{
	if (bob_wrap_is(p, p->pos, "void"))
		d->base = BOB_WRAP_VOID;
	else if (is_one_of(p, p->pos, wide))
		d->base = BOB_WRAP_OTHER;
	else if (bob_wrap_is(p, p->pos, "string"))
		d->base = BOB_WRAP_TEXT;
	else if (is_one_of(p, p->pos, complexes))
		d->base = BOB_WRAP_COMPLEX;
	else if (is_one_of(p, p->pos, reals))
		d->base = d->base == BOB_WRAP_COMPLEX ? BOB_WRAP_COMPLEX : BOB_WRAP_REAL;
	else if (is_one_of(p, p->pos, known))
		d->base = BOB_WRAP_INT;
	else if (is_one_of(p, p->pos, integers))
		d->base = d->base > BOB_WRAP_INT ? d->base : BOB_WRAP_INT;
	else
		return false;
	p->pos++;
	return true;
}

static bob_status group_type(struct bob_wrap_parser *p, struct declaration *d)
{
	d->base = BOB_WRAP_NAMED;
	p->pos++;
	if (!bob_wrap_is(p, p->pos, "("))
		return bob_wrap_expected(p, "'('");
	return bob_wrap_skip_group(p);
}

/* Words that are a complete type; a name after another type is the declared one. */
static bool is_type_of_its_own(const struct bob_wrap_parser *p)
{
	return is_type_word(p, p->pos) && !is_one_of(p, p->pos, qualifiers) &&
	       !is_one_of(p, p->pos, dropped);
}

static bob_status specifiers(struct bob_wrap_parser *p, struct declaration *d)
{
	bool has_type = false, is_builtin = false, is_text = false;
	uint32_t longs = 0, doubles = 0, quads = 0;
	bob_status st;

	d->from = p->pos;
	for (;;) {
		const uint32_t from = p->pos;

		if ((st = attributes(p)) != BOB_OK)
			return st;
		if (has_type &&
		    (is_text ? is_type_of_its_own(p) : bob_wrap_is(p, p->pos, "string")))
			return bob_wrap_expected(
				p, "no other type beside 'string', which is const char *");
		is_text |= bob_wrap_is(p, p->pos, "string");
		longs += bob_wrap_is(p, p->pos, "long");
		doubles += bob_wrap_is(p, p->pos, "double");
		quads += is_one_of(p, p->pos, long_reals);
		if (is_one_of(p, p->pos, dropped)) {
			p->pos++;
			/* extern "C" */
			if (bob_wrap_is(p, from, "extern") &&
			    bob_wrap_here(p)->word == BOB_WORD_STRING)
				p->pos++;
			drop(p, from);
		} else if (bob_wrap_is(p, p->pos, "_Atomic") && bob_wrap_is(p, p->pos + 1, "(")) {
			has_type = true;
			st = group_type(p, d);
		} else if (is_one_of(p, p->pos, qualifiers)) {
			p->pos++;
		} else if (!has_type && is_one_of(p, p->pos, types_of)) {
			has_type = true;
			st = group_type(p, d);
		} else if (!has_type && is_one_of(p, p->pos, tags)) {
			has_type = true;
			st = tagged(p, d);
		} else if ((!has_type || is_builtin) && builtin(p, d)) {
			has_type = is_builtin = true;
		} else if (!has_type && is_name(p, p->pos)) {
			has_type = true;
			d->base = BOB_WRAP_NAMED;
			p->pos++;
		} else if (p->pos == from) {
			break;
		}
		if (st != BOB_OK)
			return st;
	}
	d->is_long_double = (longs && doubles) || quads;
	return has_type ? BOB_OK : bob_wrap_expected(p, "a type");
}

static bob_status declarator(struct bob_wrap_parser *p, struct declaration *d, bool is_parameter,
			     struct bob_wrap_function *f);

static bob_status declare(struct bob_wrap_parser *p, struct declaration *d, bool is_parameter,
			  struct bob_wrap_function *f)
{
	bob_status st;

	*d = (struct declaration){ .name = NOWHERE };
	st = specifiers(p, d);
	if (st == BOB_OK)
		st = declarator(p, d, is_parameter, f);
	d->end = p->pos;
	return st == BOB_OK ? attributes(p) : st;
}

static void add_step(struct declaration *d, enum step s)
{
	if (d->steps < 2)
		d->step[d->steps] = s;
	d->steps++;
}

/* Sets kind and text before and after the name of what remains of d after `taken` steps. */
static bob_status keep_type(struct bob_wrap_parser *p, const struct declaration *d, uint32_t taken,
			    uint32_t after, struct bob_wrap_type *t)
{
	t->kind = d->base;
	if (d->steps > taken)
		t->kind = BOB_WRAP_POINTER;
	t->is_long_double = d->is_long_double && t->kind == BOB_WRAP_REAL;
	t->before = bob_wrap_join(p, d->from, d->place);
	t->after = bob_wrap_join(p, after, d->end);
	return t->before && t->after ? BOB_OK : BOB_ERR_NOMEM;
}

/* Declares a parameter that is an array or a function as a pointer, because its text is also used
 * where C does not adjust such types. */
static bob_status make_pointer(struct bob_wrap_parser *p, const struct declaration *d,
			       struct bob_wrap_type *t)
{
	struct bob_wrap_string before = { .at = NULL }, after = { .at = NULL };
	const char *rest = bob_wrap_join(
		p, d->step[0] == STEP_ARRAY ? d->close : d->place + (d->name != NOWHERE), d->end);

	if (!rest)
		return BOB_ERR_NOMEM;
	bob_wrap_add(&before, t->before, strlen(t->before));
	bob_wrap_addf(&before, "%s(*", strchr("(*", t->before[strlen(t->before) - 1]) ? "" : " ");
	bob_wrap_add(&after, ")", 1);
	bob_wrap_add(&after, rest, strlen(rest));
	t->before = bob_wrap_string_end(&before, p->spec->pool);
	t->after = bob_wrap_string_end(&after, p->spec->pool);
	return t->before && t->after ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status keep_parameter(struct bob_wrap_parser *p, const struct declaration *d,
				 struct bob_wrap_parameter *to)
{
	const uint32_t has_name = d->name != NOWHERE;
	bob_status st = keep_type(p, d, 0, d->place + has_name, &to->type);

	if (st == BOB_OK && d->steps && d->step[0] != STEP_POINTER)
		st = make_pointer(p, d, &to->type);
	if (st == BOB_OK && has_name) {
		to->name = bob_wrap_join(p, d->name, d->name + 1);
		if (!to->name)
			st = BOB_ERR_NOMEM;
		else if (p->tokens.at[d->name].len > BOB_WRAP_NAME_MAX)
			st = bob_wrap_complain(p, &p->tokens.at[d->name], BOB_ERR_FULL,
					       "a name of more than %u bytes", BOB_WRAP_NAME_MAX);
	}
	return st;
}

/* Parses one parameter; `f` if the prototype itself owns it, else NULL. */
static bob_status parameter(struct bob_wrap_parser *p, struct bob_wrap_function *f)
{
	struct declaration d;
	const struct bob_wrap_token *at = bob_wrap_here(p);
	bob_status st = declare(p, &d, true, NULL);
	struct bob_wrap_parameter *to;

	if (st != BOB_OK || !f)
		return st;
	if (f->parameter_count == BOB_WRAP_PARAMETERS_MAX)
		return bob_wrap_complain(p, at, BOB_ERR_FULL, "more than %u parameters",
					 BOB_WRAP_PARAMETERS_MAX);
	if (!f->parameters)
		f->parameters = bob_wrap_take(p->spec->pool,
					      BOB_WRAP_PARAMETERS_MAX * sizeof(*f->parameters));
	if (!f->parameters)
		return BOB_ERR_NOMEM;
	to = &f->parameters[f->parameter_count++];
	st = keep_parameter(p, &d, to);
	if (st == BOB_OK && to->type.kind == BOB_WRAP_VOID)
		return bob_wrap_complain(p, at, BOB_ERR_CORRUPT,
					 "expected a type that has values, found 'void'");
	for (uint32_t i = 0; st == BOB_OK && to->name && i + 1 < f->parameter_count; i++)
		if (f->parameters[i].name && !strcmp(f->parameters[i].name, to->name))
			return bob_wrap_complain(
				p, &p->tokens.at[d.name], BOB_ERR_CORRUPT,
				"expected another name: there is a parameter '%.40s' "
				"already",
				to->name);
	return st;
}

/* Starts after the opening bracket, ends after the closing one. */
static bob_status parameters(struct bob_wrap_parser *p, struct bob_wrap_function *f)
{
	if (bob_wrap_accept(p, ")")) {
		if (f)
			f->is_open = true;
		return BOB_OK;
	}
	if (bob_wrap_is(p, p->pos, "void") && bob_wrap_is(p, p->pos + 1, ")")) {
		p->pos += 2;
		return BOB_OK;
	}
	for (;;) {
		bob_status st;

		if (bob_wrap_accept(p, "...")) {
			if (f)
				f->is_open = true;
			return bob_wrap_expect(p, ")", "after '...'");
		}
		st = parameter(p, f);
		if (st != BOB_OK)
			return st;
		if (bob_wrap_accept(p, ")"))
			return BOB_OK;
		st = bob_wrap_expect(p, ",", "or ')' after a parameter");
		if (st != BOB_OK)
			return st;
	}
}

static bob_status suffixes(struct bob_wrap_parser *p, struct declaration *d,
			   struct bob_wrap_function *f)
{
	for (;;) {
		const bool is_first = !d->steps;
		bob_status st = BOB_OK;

		if (bob_wrap_is(p, p->pos, "[") && !is_attribute(p)) {
			if (is_first)
				d->open = p->pos;
			st = bob_wrap_skip_group(p);
			add_step(d, STEP_ARRAY);
		} else if (bob_wrap_is(p, p->pos, "(")) {
			if (is_first)
				d->open = p->pos;
			p->pos++;
			st = parameters(p, is_first ? f : NULL);
			add_step(d, STEP_FUNCTION);
		} else {
			return BOB_OK;
		}
		if (is_first)
			d->close = p->pos;
		if (st != BOB_OK)
			return st;
	}
}

/* Whether the text after an opening bracket is a declarator, not a parameter list. */
static bool is_nested(const struct bob_wrap_parser *p, uint32_t pos)
{
	return bob_wrap_is(p, pos, "*") || bob_wrap_is(p, pos, "(") || bob_wrap_is(p, pos, "[") ||
	       bob_wrap_is(p, pos, "__attribute__") || (is_name(p, pos) && !is_type_word(p, pos));
}

static bob_status pointers(struct bob_wrap_parser *p, uint32_t *count)
{
	bob_status st = attributes(p);

	for (*count = 0; st == BOB_OK && bob_wrap_accept(p, "*"); ++*count)
		do {
			st = attributes(p);
		} while (st == BOB_OK && is_one_of(p, p->pos, qualifiers) && ++p->pos);
	return st;
}

static bob_status declarator(struct bob_wrap_parser *p, struct declaration *d, bool is_parameter,
			     struct bob_wrap_function *f)
{
	uint32_t count;
	bob_status st;

	if (p->depth == BOB_WRAP_DEPTH_MAX)
		return bob_wrap_complain(p, bob_wrap_here(p), BOB_ERR_FULL,
					 "more than %u declarators in one another",
					 BOB_WRAP_DEPTH_MAX);
	p->depth++;
	st = pointers(p, &count);
	if (st != BOB_OK)
		return st;
	if (bob_wrap_is(p, p->pos, "(") && is_nested(p, p->pos + 1)) {
		p->pos++;
		st = declarator(p, d, is_parameter, f);
		if (st == BOB_OK)
			st = bob_wrap_expect(p, ")", "after a declarator");
	} else if (is_name(p, p->pos) && !is_type_word(p, p->pos)) {
		d->name = d->place = p->pos++;
	} else if (is_parameter) {
		d->place = p->pos;
	} else {
		st = bob_wrap_expected(p, "the name of a function");
	}
	if (st == BOB_OK)
		st = suffixes(p, d, f);
	for (; count; count--)
		add_step(d, STEP_POINTER);
	p->depth--;
	return st;
}

static bool has_parameter(const struct bob_wrap_function *f, const char *name)
{
	for (uint32_t i = 0; i < f->parameter_count; i++)
		if (f->parameters[i].name && !strcmp(f->parameters[i].name, name))
			return true;
	return false;
}

/* Names unnamed parameters by numbers, avoiding other parameters' names. */
static bob_status number_parameters(struct bob_wrap_parser *p, struct bob_wrap_function *f)
{
	for (uint32_t i = 0; i < f->parameter_count; i++) {
		uint32_t number = i + 1;
		char name[32];
		int n;

		if (f->parameters[i].name)
			continue;
		do {
			n = snprintf(name, sizeof(name), "arg%u", number);
			number += BOB_WRAP_PARAMETERS_MAX;
		} while (has_parameter(f, name));
		f->parameters[i].name = bob_wrap_keep(p->spec->pool, name, (size_t)n);
		if (!f->parameters[i].name)
			return BOB_ERR_NOMEM;
	}
	return BOB_OK;
}

bob_status bob_wrap_prototype(struct bob_wrap_parser *p, struct bob_wrap_function *f)
{
	const struct bob_wrap_token *at = bob_wrap_here(p);
	struct declaration d;
	bob_status st;

	p->depth = 0;
	st = declare(p, &d, false, f);
	if (st != BOB_OK)
		return st;
	if (!d.steps || d.step[0] != STEP_FUNCTION)
		return bob_wrap_complain(p, &p->tokens.at[d.name], BOB_ERR_CORRUPT,
					 "expected a function: '%.*s' is not one",
					 (int)p->tokens.at[d.name].len,
					 p->text + p->tokens.at[d.name].at);
	if (d.steps > 1 && d.step[1] != STEP_POINTER)
		return bob_wrap_complain(
			p, at, BOB_ERR_CORRUPT,
			"expected a function that returns no array and no function");
	if (p->tokens.at[d.name].len > BOB_WRAP_NAME_MAX)
		return bob_wrap_complain(p, &p->tokens.at[d.name], BOB_ERR_FULL,
					 "a name of more than %u bytes", BOB_WRAP_NAME_MAX);
	st = keep_type(p, &d, 1, d.close, &f->result);
	f->name = f->symbol = bob_wrap_join(p, d.name, d.name + 1);
	f->middle = bob_wrap_join(p, d.name + 1, d.open);
	f->line = p->tokens.at[d.name].line;
	f->column = p->tokens.at[d.name].column;
	if (st != BOB_OK || !f->name || !f->middle)
		return BOB_ERR_NOMEM;
	return number_parameters(p, f);
}
