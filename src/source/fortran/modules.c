/* SPDX-License-Identifier: BSD-3-Clause */
/* USE: takes names from modules of the same file, or of those that the caller knows, under the
 * unit's names for them. */
#include "source/fortran/scope.h"

#include <string.h>

#include "source/fortran/split.h"

static const struct bob_fortran_symbols *find_module(struct bob_fortran_scope *s, const char *name)
{
	for (uint32_t i = 0; i < s->file->unit_count; i++) {
		const struct bob_fortran_unit *u = &s->file->units[i];

		if (u->kind == BOB_UNIT_MODULE && u->symbols && u->symbols != s->unit_table &&
		    !strcmp(u->name, name))
			return u->symbols;
	}
	s->takes_foreign = true;
	return s->finder && s->finder->module ? s->finder->module(s->finder->data, name) : NULL;
}

/* Takes one name of the module, under another name. */
static void take(struct bob_fortran_scope *s, const struct bob_fortran_symbol *from,
		 const char *name, uint32_t len)
{
	struct bob_fortran_symbol *y = bob_fortran_enter(s->arena, s->table, name, len);
	struct bob_fortran_symbol *next;

	if (!y) {
		s->failed = true;
		return;
	}
	if (y->class != BOB_NAME_UNKNOWN && !(y->flags & BOB_SYMBOL_USED))
		return;
	next = y->next;
	name = y->name;
	*y = *from;
	y->name = name;
	y->next = next;
	y->flags &= ~(BOB_SYMBOL_PUBLIC | BOB_SYMBOL_PRIVATE); /* the unit sets its own access */
	y->flags |= BOB_SYMBOL_USED;
	y->statement = s->index;
	if (!y->origin)
		y->origin = from->name;
	if (s->takes_foreign) {
		y->unit = BOB_FORTRAN_NO;
		y->class_id = 0;
	}
}

static void take_constant(struct bob_fortran_scope *s, const char *name, uint32_t len,
			  int32_t value)
{
	const struct bob_fortran_symbol constant = { .class = BOB_NAME_CONSTANT,
						     .type = BOB_T_INTEGER,
						     .kind = 4,
						     .char_len = 1,
						     .flags = BOB_SYMBOL_TYPED,
						     .has_value = true,
						     .value = value,
						     .unit = BOB_FORTRAN_NO };

	take(s, &constant, name, len);
}

/* `local => name` or `name`. */
static void take_named(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
		       const struct bob_fortran_symbols *module, bool is_intrinsic)
{
	struct bob_fortran_symbol unknown = { .class = BOB_NAME_UNKNOWN, .unit = BOB_FORTRAN_NO };
	const struct bob_fortran_symbol *y = NULL;
	uint32_t local, local_len, n;
	int32_t value;

	(void)bob_fortran_peek(r);
	local = r->p;
	local_len = bob_fortran_name_len(r);
	if (!local_len)
		return;
	r->p += local_len;
	if (bob_fortran_peek(r) == '(') { /* operator(+), assignment(=) */
		bob_fortran_skip_group(r);
		return;
	}
	n = local_len;
	if (bob_fortran_accept(r, "=>")) {
		(void)bob_fortran_peek(r);
		n = bob_fortran_name_len(r);
		y = module ? bob_fortran_own(module, r->text + r->p, n) : NULL;
	} else {
		r->p = local;
		y = module ? bob_fortran_own(module, r->text + r->p, n) : NULL;
	}
	if (y)
		take(s, y, r->text + local, local_len);
	else if (is_intrinsic && bob_fortran_module_constant(r->text + r->p, n, &value))
		take_constant(s, r->text + local, local_len, value);
	else
		take(s, &unknown, r->text + local, local_len);
	r->p += n;
}

/* Does this USE rename it? */
static bool is_renamed(const struct bob_fortran_scope *s, const struct bob_fortran_symbol *y)
{
	for (const struct bob_fortran_symbol *z = s->table->first; z; z = z->next)
		if (z->statement == s->index && z->origin && !strcmp(z->origin, y->name) &&
		    strcmp(z->name, y->name) != 0)
			return true;
	return false;
}

static void take_all(struct bob_fortran_scope *s, const struct bob_fortran_symbols *module,
		     bool with_names)
{
	for (const struct bob_fortran_symbol *y = module->first; y && !s->failed; y = y->next)
		if (with_names && is_renamed(s, y))
			continue;
		else if (!(y->flags & BOB_SYMBOL_PRIVATE) && y->class != BOB_NAME_UNIT)
			take(s, y, y->name, (uint32_t)strlen(y->name));
}

static void note(struct bob_fortran_scope *s, const char *name, bool is_only, bool is_known)
{
	struct bob_fortran_use_module *u = bob_arena_alloc(s->arena, sizeof(*u));

	if (!u) {
		s->failed = true;
		return;
	}
	*u = (struct bob_fortran_use_module){ name, s->table->used, is_only, is_known };
	s->table->used = u;
	if (!is_known && !is_only)
		s->table->is_incomplete = true;
}

void bob_fortran_use_module(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	const struct bob_fortran_symbols *module;
	bool is_intrinsic, is_language = false, is_only = false, with_names = false;
	const char *name;
	uint32_t n;

	bob_fortran_skip_word(r, "use");
	if (bob_fortran_accept(r, ",")) { /* use, intrinsic :: */
		is_language = bob_fortran_peek(r) == 'i';
		while (bob_fortran_peek(r) && r->text[r->p] != ':')
			r->p++;
	}
	(void)bob_fortran_accept(r, "::");
	(void)bob_fortran_peek(r);
	n = bob_fortran_name_len(r);
	name = bob_fortran_text_of(s, r->p, r->p + n);
	r->p += n;
	if (s->failed)
		return;
	is_intrinsic = !strcmp(name, "iso_c_binding") || !strcmp(name, "iso_fortran_env");
	s->takes_foreign = false;
	module = is_language ? NULL : find_module(s, name); /* not a module of the program */
	if (bob_fortran_accept(r, ",")) {
		struct bob_fortran_parser only = *r;

		(void)bob_fortran_peek(&only);
		if (!strncmp(only.text + only.p, "only", 4)) {
			only.p += 4;
			if (bob_fortran_accept(&only, ":")) {
				*r = only;
				is_only = true;
			}
		}
		with_names = true;
		do
			take_named(s, r, module, is_intrinsic);
		while (!s->failed && bob_fortran_accept(r, ","));
	}
	if (module && !is_only)
		take_all(s, module, with_names);
	for (uint32_t i = 0; is_intrinsic && !is_only && !s->failed; i++) {
		const char *constant;
		int32_t value;

		if (!bob_fortran_module_constant_at(i, &constant, &value))
			break;
		take_constant(s, constant, (uint32_t)strlen(constant), value);
	}
	note(s, name, is_only, module || is_intrinsic);
}

void bob_fortran_use_ancestor(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	const struct bob_fortran_symbols *module;
	uint32_t n;

	bob_fortran_skip_word(r, "submodule");
	if (!bob_fortran_accept(r, "("))
		return;
	(void)bob_fortran_peek(r);
	n = bob_fortran_name_len(r);
	s->takes_foreign = false;
	module = find_module(s, bob_fortran_text_of(s, r->p, r->p + n));
	s->table->is_incomplete |= !module;
	for (const struct bob_fortran_symbol *y = module ? module->first : NULL; y && !s->failed;
	     y = y->next)
		if (y->class == BOB_NAME_VARIABLE || y->class == BOB_NAME_CONSTANT ||
		    y->class == BOB_NAME_TYPE)
			take(s, y, y->name, (uint32_t)strlen(y->name));
}
