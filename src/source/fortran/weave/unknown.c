/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains unknown sizes: the undeclared name in the declaration, and the modules or includes that
 * may declare it. */
#include <string.h>

#include "source/fortran/split.h"
#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/reached.h"

#define DEPTH_MAX 4u		/* nesting of types */
#define MOVABLE (BOB_SYMBOL_ALLOCATABLE | BOB_SYMBOL_POINTER)

/* Names of modules that are in no file of the command, used by the unit and its hosts; "": none. */
static const char *missing_modules(struct bob_weave *w, const struct bob_fortran_symbols *names)
{
	const char *list[4];
	size_t count = 0;

	for (const struct bob_fortran_symbols *t = names; t; t = t->host)
		for (const struct bob_fortran_use_module *m = t->used; m; m = m->next) {
			bool is_new = !m->is_known;

			for (size_t i = 0; i < count; i++)
				is_new &= strcmp(list[i], m->name) != 0;
			if (is_new && count < sizeof(list) / sizeof(list[0]))
				list[count++] = m->name;
		}
	return count ? bob_weave_list(w, list, count) : "";
}

uint32_t bob_weave_lacks_include(const struct bob_weave *w, uint32_t unit)
{
	for (; unit < w->file->unit_count; unit = w->file->units[unit].parent)
		if (w->lacking && w->lacking[unit])
			return w->lacking[unit];
	return 0;
}

static const char *where_it_may_be(struct bob_weave *w, const struct bob_fortran_symbols *names)
{
	const char *modules = missing_modules(w, names);
	const uint32_t line = bob_weave_lacks_include(w, names->unit);

	if (*modules)
		return bob_weave_text(
			w,
			": no file of the command has module %s; name its file, too (trace file F)",
			modules);
	if (line)
		return bob_weave_text(w, ": the INCLUDE of line %u was not found (-I says where)",
				      line);
	return "";
}

static bool is_known(const struct bob_fortran_symbols *names, const char *name, uint32_t len)
{
	const struct bob_fortran_symbol *y = bob_fortran_lookup(names, name, len);

	return y && y->class != BOB_NAME_UNKNOWN && y->class != BOB_NAME_VARIABLE &&
	       (y->class != BOB_NAME_CONSTANT || y->has_value);
}

/* The first unknown name in the parentheses after the type. False: there is none. */
static bool find_name(const struct bob_fortran_symbols *names,
		      const struct bob_fortran_statement *s, uint32_t *from, uint32_t *to)
{
	const char *open = memchr(s->text, '(', s->len), *colons = strstr(s->text, "::");
	uint32_t depth = 1;

	if (!open || (colons && colons < open))
		return false;
	for (uint32_t i = (uint32_t)(open - s->text) + 1; i < s->len && depth; i = *to) {
		for (*to = i; *to < s->len && bob_fortran_is_word(s->text[*to]); ++*to)
			;
		if (*to == i) {
			depth += s->text[i] == '(';
			depth -= s->text[i] == ')';
			++*to;
			continue;
		}
		*from = i;
		if (bob_is_letter(s->text[i]) && s->text[*to] != '=' &&
		    !is_known(names, s->text + i, *to - i))
			return true;
	}
	return false;
}

static const char *cause(struct bob_weave *w, const struct bob_fortran_symbols *names,
			 const struct bob_fortran_symbol *s, uint32_t depth);

/* The first component of unknown size. */
static const char *cause_in_type(struct bob_weave *w, const struct bob_fortran_symbols *names,
				 const struct bob_fortran_symbols *components, uint32_t depth)
{
	for (const struct bob_fortran_symbols *t = components; t && depth; t = t->host)
		for (const struct bob_fortran_symbol *c = t->first; c; c = c->next) {
			const char *why = NULL;

			if (c->type == BOB_T_CLASS)
				why = "is polymorphic";
			else if (c->type == BOB_T_CHARACTER && c->char_len == -3)
				why = "is a text of deferred length";
			else if (!(c->flags & MOVABLE) && !bob_fortran_element_bytes(names, c))
				why = cause(w, names, c, depth - 1);
			if (why)
				return bob_weave_text(w, "its component %s %s%s", c->name,
						      c->type == BOB_T_CLASS || c->char_len == -3 ?
							      "" :
							      "has a size that is not known: ",
						      why);
		}
	return NULL;
}

static const char *cause(struct bob_weave *w, const struct bob_fortran_symbols *names,
			 const struct bob_fortran_symbol *s, uint32_t depth)
{
	const struct bob_fortran_symbol *type =
		s->type == BOB_T_DERIVED && s->type_name ?
			bob_fortran_lookup(names, s->type_name, (uint32_t)strlen(s->type_name)) :
			NULL;
	uint32_t from, to;

	if (s->type == BOB_T_CLASS)
		return "it is polymorphic";
	if (s->type == BOB_T_CHARACTER && s->char_len == -3)
		return "it is a text of deferred length";
	if (s->type == BOB_T_DERIVED && (!type || !type->components))
		return bob_weave_text(w, "type %s is not known here%s",
				      s->type_name ? s->type_name : "", where_it_may_be(w, names));
	if (type)
		return cause_in_type(w, names, type->components, depth);
	if (s->unit >= w->file->unit_count || s->statement >= w->file->count)
		return NULL;
	if (w->file->units[s->unit].symbols)
		names = w->file->units[s->unit].symbols;
	if (!find_name(names, &w->file->statements[s->statement], &from, &to))
		return NULL;
	return bob_weave_text(w, "%.*s is not known here%s", (int)(to - from),
			      w->file->statements[s->statement].text + from,
			      where_it_may_be(w, names));
}

const char *bob_weave_unknown_size(struct bob_weave *w, const struct bob_fortran_symbols *names,
				   const struct bob_fortran_symbol *s)
{
	const char *why = s && names ? cause(w, names, s, DEPTH_MAX) : NULL;

	return why ? why : "its size is not known here";
}
