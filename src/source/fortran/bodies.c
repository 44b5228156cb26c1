/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the end of a unit's specifications, and OpenMP workshare regions. If an #if begins before
 * the first following statement and ends after it, lines are inserted before the #if: otherwise
 * they would be conditional, too. */
#include "source/fortran/nest.h"

#include <string.h>

#include "source/fortran/directives.h"

/* The outermost #if after `from` that is open at `to`, else `to`. */
static uint32_t before_conditionals(const struct bob_fortran_file *f, uint32_t from, uint32_t to)
{
	uint32_t outermost = to;
	int depth = 0;

	for (uint32_t i = from; i < to; i++) {
		const char c = bob_fortran_conditional(&f->statements[i]);

		if (c == '+' && !depth)
			outermost = i;
		depth += (c == '+') - (c == '-');
		if (depth <= 0) {
			depth = 0;
			outermost = to;
		}
	}
	return outermost;
}

static bool specifies(const struct bob_fortran_statement *s)
{
	enum bob_fortran_group g = bob_fortran_group(s->kind);

	return g == BOB_FORTRAN_SPECIFICATION || s->kind == BOB_F_INTERFACE ||
	       s->kind == BOB_F_END_INTERFACE || s->kind == BOB_F_MODULE_PROCEDURE ||
	       s->kind == BOB_F_SUBROUTINE || s->kind == BOB_F_FUNCTION;
}

/* An executable directive (`!$omp parallel`): no declarations may follow it. */
static bool is_running_directive(const struct bob_fortran_file *f, uint32_t i)
{
	const struct bob_fortran_statement *s;

	if (f->statements[i].kind != BOB_F_DIRECTIVE)
		return false;
	while (bob_fortran_directive_continues(f, i))
		i--;
	s = &f->statements[i];
	return !strstr(s->text, "threadprivate") && !strstr(s->text, "declare") &&
	       !strstr(s->text, "routine") && !strstr(s->text, "requires") &&
	       !strstr(s->text, "attributes");
}

static void find_body(struct bob_fortran_file *f, uint32_t index)
{
	struct bob_fortran_unit *u = &f->units[index];
	uint32_t end = u->contains != BOB_FORTRAN_NO ? u->contains : u->last, i = u->first;
	uint32_t declare = BOB_FORTRAN_NO, execute = end, last = u->first;
	bool has_header = u->name_at != BOB_FORTRAN_NO;

	u->declare = u->execute = BOB_FORTRAN_NO;
	if (u->flags & BOB_UNIT_INTERFACE)
		return;
	for (i += has_header; i < end; i++) {
		const struct bob_fortran_statement *s = &f->statements[i];
		bool is_own = s->unit == index;

		if (is_own && (s->is_executable || s->includes_code)) {
			execute = i;
			break;
		}
		if (is_own && s->kind == BOB_F_ASSIGN && declare == BOB_FORTRAN_NO)
			declare = i; /* a statement function */
		if (!is_own || specifies(s))
			last = i;
	}
	if (execute == u->first && has_header)
		execute = end;
	for (i = last + 1; i < execute; i++)
		if (is_running_directive(f, i))
			execute = i;
	if (declare == BOB_FORTRAN_NO || declare > execute || last > declare)
		declare = execute;
	for (i = last + 1; i < declare; i++) /* nor after `!$omp threadprivate` */
		if (f->statements[i].kind == BOB_F_DIRECTIVE)
			declare = i;
	/* Only preprocessor lines, directives and formats are between the last specification and
	 * it. */
	u->declare = before_conditionals(f, last, declare);
	if (u->kind != BOB_UNIT_MODULE && u->kind != BOB_UNIT_SUBMODULE &&
	    u->kind != BOB_UNIT_BLOCK_DATA)
		u->execute = before_conditionals(f, last, execute);
}

/* Marks the statements from `!$omp workshare`, or `!$omp parallel workshare`, to its end. */
static void find_workshares(struct bob_fortran_file *f)
{
	bool is_in = false;

	for (uint32_t i = 0; i < f->count; i++) {
		struct bob_fortran_statement *s = &f->statements[i];

		is_in &= i && s->unit == s[-1].unit;
		if (s->kind == BOB_F_DIRECTIVE && bob_fortran_directive_has(s, "workshare"))
			is_in = !bob_fortran_directive_ends(s);
		else
			s->is_in_workshare = is_in;
	}
}

void bob_fortran_find_bodies(struct bob_fortran_file *f)
{
	find_workshares(f);
	for (uint32_t i = 0; i < f->unit_count; i++)
		find_body(f, i);
}
