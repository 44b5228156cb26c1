/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface between Fortran and C files of a command. C can access variables of modules and
 * COMMON blocks by their linker names, and any variable by pointers of its type. It can call
 * external procedures, those with BIND(C), and those that are passed to it, with any arguments. The
 * calls in C files are not analysed. */
#include <stdlib.h>
#include <string.h>

#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/reached.h"

/* Classes of the type in C, as in gfortran; derived types may contain anything. */
static uint32_t classes_of(const struct bob_fortran_symbol *s)
{
	switch (s->type) {
	case BOB_T_LOGICAL:
	case BOB_T_INTEGER:
		switch (s->kind) {
		case 1:
			return BOB_CLASS_CHAR | BOB_CLASS_BOOL;
		case 2:
			return BOB_CLASS_SHORT;
		case 4:
			return BOB_CLASS_INT;
		case 8:
			return BOB_CLASS_LONG | BOB_CLASS_LONG_LONG;
		default:
			return BOB_CLASS_ALL;
		}
	case BOB_T_REAL:
	case BOB_T_COMPLEX:
		return s->kind == 4 ? BOB_CLASS_FLOAT :
		       s->kind == 8 ? BOB_CLASS_DOUBLE :
				      BOB_CLASS_ALL;
	case BOB_T_CHARACTER:
		return BOB_CLASS_CHAR;
	default:
		return BOB_CLASS_ALL;
	}
}

/* --- Fortran variables in C --- */

/* The linker name of the block; NULL: none. */
static const char *name_of_block(struct bob_weave *w, const struct bob_fortran_common *c)
{
	if (c->binding)
		return c->binding;
	return *c->name ? bob_weave_text(w, "%s_", c->name) : "__BLNK__";
}

static const char *linked_name(struct bob_weave *w, const struct bob_weave_variable *v)
{
	if (v->symbol->common)
		return name_of_block(w, v->symbol->common);
	if (v->symbol->binding)
		return v->symbol->binding;
	return v->is_module ? bob_weave_text(w, "__%s_MOD_%s", w->file->units[v->unit].name,
					     v->symbol->name) :
			      NULL;
}

static bool is_everywhere(const struct bob_weave_variable *v)
{
	return v->request->first_line <= 1 && v->request->last_line == UINT32_MAX;
}

static void add_file(struct bob_weave *w, struct bob_source_across *a, const char **names)
{
	for (size_t i = 0; i < w->variables.count; i++) {
		const struct bob_weave_variable *v = &w->variables.at[i];
		const char *name;
		uint32_t k = 0;

		if (!is_everywhere(v))
			continue;
		a->classes |= classes_of(v->symbol);
		a->has_arguments |= v->symbol->flags & BOB_SYMBOL_DUMMY;
		name = linked_name(w, v);
		while (name && k < a->count && strcmp(names[k], name) != 0)
			k++;
		if (name && k == a->count)
			names[a->count++] = name;
	}
}

bob_status bob_weave_across(struct bob_weave *files, struct bob_source_across *out,
			    const char ***names)
{
	size_t n = 0;

	for (const struct bob_weave *w = files; w; w = w->next)
		n += w->variables.count;
	*names = calloc(n + 1, sizeof(**names));
	if (!*names)
		return BOB_ERR_NOMEM;
	*out = (struct bob_source_across){ .is_there = true, .names = *names };
	for (struct bob_weave *w = files; w; w = w->next)
		add_file(w, out, *names);
	return files->is_failed ? BOB_ERR_NOMEM : BOB_OK;
}

/* --- C variables in Fortran --- */

static bool is_defined(const struct bob_source_across *c, const char *name, size_t n,
		       const char *end)
{
	for (uint32_t i = 0; i < c->function_count; i++)
		if (!strncmp(c->functions[i], name, n) && !strcmp(c->functions[i] + n, end))
			return true;
	return false;
}

/* Parses BIND(C, NAME='x') or BIND(C) in the first statement of an interface body. */
static bool is_bound_in_c(const struct bob_weave *w, const struct bob_fortran_unit *u)
{
	const char *text = w->file->statements[u->first].text;
	const char *open = strpbrk(text, "'\""), *close = open ? strchr(open + 1, *open) : NULL;

	if (!close)
		return is_defined(w->c, u->name, strlen(u->name), "");
	for (open++; *open == ' '; open++)
		;
	while (close > open && close[-1] == ' ')
		close--;
	return is_defined(w->c, open, (size_t)(close - open), "");
}

bool bob_weave_is_in_c(const struct bob_weave *files, const char *name)
{
	for (const struct bob_weave *w = files; w; w = w->next)
		for (uint32_t i = 0; i < w->file->unit_count; i++) {
			const struct bob_fortran_unit *u = &w->file->units[i];

			if (u->flags & BOB_UNIT_BIND_C && u->flags & BOB_UNIT_INTERFACE &&
			    !strcmp(u->name, name) && is_bound_in_c(w, u))
				return true;
		}
	return is_defined(files->c, name, strlen(name), "_");
}

static bool is_named(const struct bob_weave *w, const char *name, const char *end)
{
	const size_t n = strlen(name);

	for (uint32_t i = 0; i < w->c->count; i++)
		if (!strncmp(w->c->names[i], name, n) && !strcmp(w->c->names[i] + n, end))
			return true;
	return false;
}

/* Is it a module's variable under gfortran's name __m_MOD_x? If the module is in another file, only
 * x is compared. */
static bool is_named_in_module(const struct bob_weave *w, const struct bob_fortran_symbol *s)
{
	const struct bob_fortran_unit *u =
		s->unit < w->file->unit_count ? &w->file->units[s->unit] : NULL;
	const char *name = s->origin ? s->origin : s->name;

	if (u ? u->kind != BOB_UNIT_MODULE : !(s->flags & (BOB_SYMBOL_USED | BOB_SYMBOL_HOST)))
		return false;
	for (uint32_t i = 0; i < w->c->count; i++) {
		const char *c = w->c->names[i], *end = strstr(c, "_MOD_");
		const size_t n = u ? strlen(u->name) : 0;

		if (end && !strncmp(c, "__", 2) && !strcmp(end + 5, name) &&
		    (!u || (end == c + 2 + n && !memcmp(c + 2, u->name, n))))
			return true;
	}
	return false;
}

bool bob_weave_may_be_of_c(const struct bob_weave *w, const struct bob_fortran_symbol *s)
{
	if (s->flags & BOB_SYMBOL_POINTER && bob_classes_meet(classes_of(s), w->c->classes))
		return true;
	if (s->flags & BOB_SYMBOL_ASSOCIATE)
		return true;
	if (s->common && s->common->binding)
		return is_named(w, s->common->binding, "");
	if (s->common)
		return *s->common->name ? is_named(w, s->common->name, "_") :
					  is_named(w, "__BLNK__", "");
	return s->binding ? is_named(w, s->binding, "") : is_named_in_module(w, s);
}

static bool add_c(struct bob_weave *w)
{
	static const struct bob_request all = { .name = "*", .first_line = 1,
					     .last_line = UINT32_MAX };
	static const struct bob_fortran_symbol names = { .name = "" },
					       pointers = { .name = "",
							    .flags = BOB_SYMBOL_POINTER };

	if (!w->c->classes && !w->c->count)
		return true;
	if (BOB_VEC_RESERVE(&w->passed, 1) != BOB_OK)
		return false;
	w->passed.at[w->passed.count++] =
		(struct bob_weave_variable){ .symbol = w->c->classes ? &pointers : &names,
					     .request = &all,
					     .name = "",
					     .unit = BOB_FORTRAN_NO,
					     .construct = BOB_FORTRAN_NO,
					     .is_alone = true,
					     .is_foreign = true,
					     .is_of_c = true };
	return true;
}

/* Marks dummies whose type may be that of a traced variable. */
static void mark(struct bob_weave *w, uint32_t unit, uint32_t classes)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];

	for (uint32_t d = 0; d < u->dummy_count && u->symbols; d++) {
		const struct bob_fortran_symbol *s =
			bob_fortran_own(u->symbols, u->dummies[d], (uint32_t)strlen(u->dummies[d]));

		if (s && bob_classes_meet(classes_of(s), classes))
			*bob_weave_dummy(w, unit, d) = 1;
	}
}

/* Marks the procedures that C may call: by their names, or because they are passed on (bound.c). */
static void mark_called(struct bob_weave *w, uint32_t classes)
{
	for (uint32_t i = 0; i < w->file->unit_count; i++) {
		const struct bob_fortran_unit *u = &w->file->units[i];

		if (!(u->flags & BOB_UNIT_INTERFACE) &&
		    (w->is_bound[i] || u->parent == BOB_FORTRAN_NO || u->flags & BOB_UNIT_BIND_C))
			mark(w, i, classes);
	}
}

bob_status bob_weave_join_c(struct bob_weave *files, bool *is_new)
{
	const struct bob_source_across *c = files->c;
	uint32_t classes = c->classes;

	if (!c->is_there)
		return BOB_OK;
	for (const struct bob_weave *w = files; w; w = w->next)
		for (size_t i = 0; i < w->variables.count; i++)
			classes |= classes_of(w->variables.at[i].symbol);
	for (struct bob_weave *w = files; w; w = w->next) {
		if (!add_c(w))
			return BOB_ERR_NOMEM;
		mark_called(w, classes);
	}
	*is_new |= classes != 0; /* these may pass it on */
	return BOB_OK;
}
