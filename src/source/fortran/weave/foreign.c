/* SPDX-License-Identifier: BSD-3-Clause */
/* Warns about variables that are passed to procedures of no file of the command: their accesses
 * there are not recorded. For each variable, the closure (trace_closure.c) is computed again for it
 * alone, to find who passes it on. More than VARIABLES_MAX variables share one warning. */
#include <stdlib.h>
#include <string.h>

#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/reached.h"

#define VARIABLES_MAX 16u
#define NAMES_MAX 8u

BOB_VEC_OF(names, const char *);

static bool add_name(struct names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++)
		if (!strcmp(n->at[i], name))
			return true;
	return BOB_VEC_ADD(n, name) == BOB_OK;
}

const char *bob_weave_list(struct bob_weave *w, const char *const *names, size_t count)
{
	const char *text = "";

	for (size_t i = 0; i < count && i < NAMES_MAX; i++)
		text = bob_weave_text(w, "%s%s%s", text, i ? ", " : "", names[i]);
	return count <= NAMES_MAX ? text :
				    bob_weave_text(w, "%s and %zu more", text, count - NAMES_MAX);
}

/* --- callees --- */

/* True also for a MODULE PROCEDURE: passing arguments to it is refused at the call. */
static bool is_of(const struct bob_weave *w, uint32_t unit, const char *name)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];

	return (!(u->flags & BOB_UNIT_INTERFACE) && !strcmp(u->name, name)) ||
	       bob_weave_has_entry(w, unit, name, (uint32_t)strlen(name));
}

/* C files of the command have probes, too. */
static bool is_in_files(const struct bob_weave *files, const char *name)
{
	for (const struct bob_weave *w = files; w; w = w->next)
		for (uint32_t i = 0; i < w->file->unit_count; i++)
			if (is_of(w, i, name))
				return true;
	return bob_weave_is_in_c(files, name);
}

/* Inquiry functions of ISO_C_BINDING, which take an address. */
static bool asks_where(const char *name)
{
	static const char *const names[] = { "c_loc",	"c_f_pointer",	   "c_associated",
					     "c_funloc", "c_f_procpointer", "c_sizeof" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* In the body of a MODULE PROCEDURE undeclared names may be arrays that its interface declares. */
static bool is_in_module_procedure(const struct bob_weave *w, const struct bob_fortran_statement *s)
{
	return s->unit != BOB_FORTRAN_NO && w->file->units[s->unit].kind == BOB_UNIT_PROCEDURE;
}

/* The name of the callee, if it is a procedure that is in no file; NULL: it is not, or unknown. */
static const char *foreign(struct bob_weave *w, const struct bob_fortran_statement *s,
			   const struct bob_fortran_use *u)
{
	const struct bob_fortran_expr *part = u->ref->child;
	const enum bob_fortran_class c = u->symbol->class;
	const char *name = u->symbol->origin;

	if (u->role != BOB_ROLE_CALL || !part || !part->child || part->next ||
	    c == BOB_NAME_INTRINSIC || c == BOB_NAME_STATEMENT_FUNCTION || c == BOB_NAME_GENERIC ||
	    u->symbol->flags & (BOB_SYMBOL_POINTER | BOB_SYMBOL_DUMMY))
		return NULL;
	if (!name)
		name = bob_weave_text(w, "%.*s", (int)part->name_len, s->text + part->from);
	if (c == BOB_NAME_UNKNOWN && is_in_module_procedure(w, s))
		return NULL;
	return asks_where(name) || is_in_files(w->files, name) ? NULL : name;
}

static bool passes(const struct bob_weave *w, uint32_t statement,
		   const struct bob_fortran_uses *uses, const struct bob_fortran_use *call)
{
	const struct bob_fortran_expr *list = call->ref->child ? call->ref->child->child : NULL;

	for (uint32_t k = 0; list && k < uses->count; k++)
		if (&uses->at[k] != call && uses->at[k].from >= list->from &&
		    uses->at[k].to <= list->to && bob_weave_may_pass(w, statement, &uses->at[k]))
			return true;
	return false;
}

static bob_status look_at_file(struct bob_weave *w, struct names *to)
{
	struct bob_arena scratch = { 0 };
	struct bob_fortran_uses uses;
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < w->file->count && st == BOB_OK; i++) {
		if (!w->file->statements[i].is_executable)
			continue;
		st = bob_fortran_uses(&scratch, w->file, i, &uses);
		for (uint32_t k = 0; k < uses.count && st == BOB_OK; k++) {
			const char *name =
				uses.at[k].role == BOB_ROLE_CALL &&
						passes(w, i, &uses, &uses.at[k]) ?
					foreign(w, &w->file->statements[i], &uses.at[k]) :
					NULL;

			if (name && !add_name(to, name))
				st = BOB_ERR_NOMEM;
		}
	}
	bob_arena_free(&scratch);
	return st;
}

static bob_status look(struct bob_weave *files, struct names *to)
{
	bob_status st = BOB_OK;

	to->count = 0;
	for (struct bob_weave *w = files; w && st == BOB_OK; w = w->next)
		st = look_at_file(w, to);
	return st;
}

/* --- one variable --- */

static uint32_t dummies_of(const struct bob_weave *w)
{
	const uint32_t n = w->file->unit_count;

	return n ? w->dummy_at[n - 1] + w->file->units[n - 1].dummy_count : 0;
}

/* Restricts the closure to this variable and clears the dummies; NULL: all variables count. */
static bob_status count_only(struct bob_weave *files, const struct bob_weave_variable *only)
{
	for (struct bob_weave *w = files; w; w = w->next) {
		if (!w->only)
			w->dummies_of_all = w->dummies;
		w->only = only;
		w->dummies = only ? bob_arena_alloc(w->arena, dummies_of(w) + 1u) :
				    w->dummies_of_all;
		if (!w->dummies)
			return BOB_ERR_NOMEM;
	}
	return BOB_OK;
}

static void say(struct bob_weave *w, const char *what, const struct names *n, uint32_t line)
{
	if (n->count)
		bob_weave_remark(
			w,
			bob_weave_text(
				w,
				"%s may be passed to %s, which no file of the command has: what "
				"is done with it there is not recorded",
				what, bob_weave_list(w, n->at, n->count)),
			line);
}

static bob_status look_at_variables(struct bob_weave *files, struct names *n)
{
	bob_status st = BOB_OK;

	for (struct bob_weave *w = files; w; w = w->next)
		for (size_t i = 0; i < w->variables.count && st == BOB_OK; i++) {
			const struct bob_weave_variable *v = &w->variables.at[i];
			const uint32_t at = v->symbol->statement;

			if (v->is_foreign)
				continue;
			st = count_only(files, v);
			if (st == BOB_OK)
				st = bob_weave_follow(files);
			if (st == BOB_OK)
				st = look(files, n);
			if (st == BOB_OK)
				say(w, v->name, n,
				    at < w->file->count ? w->file->statements[at].line : 1);
		}
	return st;
}

bob_status bob_weave_say_foreign(struct bob_weave *files)
{
	struct names n = { .at = NULL };
	size_t variables = 0;
	bob_status st = look(files, &n);

	for (const struct bob_weave *w = files; w; w = w->next)
		for (size_t i = 0; i < w->variables.count; i++)
			variables += !w->variables.at[i].is_foreign;
	if (st == BOB_OK && n.count && variables > VARIABLES_MAX) {
		say(files, "what is traced", &n, 0);
	} else if (st == BOB_OK && n.count) {
		st = look_at_variables(files, &n);
		if (st == BOB_OK)
			st = count_only(files, NULL);
	}
	BOB_VEC_FREE(&n);
	return st;
}
