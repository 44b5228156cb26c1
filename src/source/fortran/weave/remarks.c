/* SPDX-License-Identifier: BSD-3-Clause */
/* Warns about possible accesses to requested variables that no statement shows, so they have no
 * probe: OpenMP's copies for each thread, NAMELIST, components, procedures whose dummies are
 * declared by an interface elsewhere. */
#include <string.h>

#include "source/fortran/split.h"
#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/memory.h"
#include "source/fortran/weave/reached.h"

/* The variable of that name there. */
static const struct bob_weave_variable *variable_at(const struct bob_weave *w,
						    const struct bob_fortran_symbols *names,
						    const char *name, uint32_t len, uint32_t line)
{
	const struct bob_fortran_symbol *s = names ? bob_fortran_lookup(names, name, len) : NULL;

	for (size_t i = 0; s && i < w->variables.count; i++)
		if (bob_weave_is(s, &w->variables.at[i]) &&
		    (w->variables.at[i].is_foreign ||
		     (line >= w->variables.at[i].request->first_line &&
		      line <= w->variables.at[i].request->last_line)))
			return &w->variables.at[i];
	return NULL;
}

static uint32_t word_end(const char *text, uint32_t i)
{
	while (bob_fortran_is_word(text[i]))
		i++;
	return i;
}

/* --- OpenMP --- */

static bool copies(const char *word, uint32_t len)
{
	static const char *const clauses[] = { "private",	  "firstprivate", "lastprivate",
					       "reduction",	  "in_reduction", "task_reduction",
					       "threadprivate", "linear",	  NULL };

	for (const char *const *c = clauses; *c; c++)
		if (strlen(*c) == len && !memcmp(*c, word, len))
			return true;
	return false;
}

/* `depth`: parentheses within such a clause, which may continue in the next line; 0: outside. */
static void remark_directive(struct bob_weave *w, const struct bob_fortran_statement *s,
			     uint32_t *depth)
{
	const struct bob_fortran_unit *u =
		s->unit < w->file->unit_count ? &w->file->units[s->unit] : NULL;
	const struct bob_fortran_symbols *names = s->names ? s->names : u ? u->symbols : NULL;

	for (uint32_t i = 0, to; i < s->len; i = to) {
		to = word_end(s->text, i);
		if (to == i) {
			*depth += *depth && s->text[i] == '(';
			*depth -= *depth && s->text[i] == ')';
			to++;
			continue;
		}
		if (*depth && variable_at(w, names, s->text + i, to - i, s->line))
			bob_weave_refuse(w,
					 "what a thread has for itself (private, reduction, ...)",
					 s->line);
		if (*depth || !copies(s->text + i, to - i))
			continue;
		while (s->text[to] == ' ')
			to++;
		*depth = s->text[to] == '(';
		to += *depth;
	}
}

/* Do directives before it divide the loop? *tied: the number of loops that they combine, including
 * itself. */
static bool is_divided(const struct bob_weave *w, uint32_t loop, int64_t *tied)
{
	static const char *const words[] = { "do", "distribute", "taskloop", "loop", NULL };
	const uint32_t first = bob_fortran_first_directive(w->file, loop);
	bool is = false;

	*tied = 1;
	for (uint32_t i = first; i < loop; i++) {
		const struct bob_fortran_statement *s = &w->file->statements[i];
		const char *n = strstr(s->text, "collapse");

		if (s->kind != BOB_F_DIRECTIVE)
			continue;
		for (const char *const *x = words; *x; x++)
			is |= bob_fortran_directive_has(s, *x) && !bob_fortran_directive_ends(s);
		while (n && *n && (*n < '0' || *n > '9'))
			n++;
		if (n && *n)
			*tied = *n - '0';
	}
	return is;
}

static bool is_in_loop(const struct bob_weave *w, uint32_t i, uint32_t loop)
{
	for (uint32_t k = w->file->statements[i].construct; k < w->file->construct_count;
	     k = w->file->constructs[k].parent)
		if (w->file->constructs[k].first == loop)
			return true;
	return false;
}

/* Is the statement in a parallel region that begins in its unit? */
static bool is_parallel(const struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *all = w->file->statements;
	const uint32_t unit = all[statement].unit;
	uint32_t ended = 0;

	for (uint32_t i = statement; i-- > w->file->units[unit].first;) {
		uint32_t loop = i + 1;

		if (all[i].kind != BOB_F_DIRECTIVE ||
		    !bob_fortran_directive_has(&all[i], "parallel"))
			continue;
		while (loop < statement && all[loop].kind != BOB_F_DO)
			loop++;
		if (bob_fortran_directive_has(&all[i], "do")) {
			if (!bob_fortran_directive_ends(&all[i]) &&
			    (loop == statement || is_in_loop(w, statement, loop)))
				return true;
		} else if (bob_fortran_directive_ends(&all[i])) {
			ended++;
		} else if (!ended) {
			return true;
		} else {
			ended--;
		}
	}
	return false;
}

/* Does each thread have a private counter there? */
static bool has_own_counter(const struct bob_weave *w, uint32_t loop)
{
	int64_t tied, depth = 0;

	for (uint32_t k = w->file->statements[loop].construct; k < w->file->construct_count;
	     k = w->file->constructs[k].parent) {
		if (w->file->constructs[k].kind != BOB_CONSTRUCT_DO)
			continue;
		if (is_divided(w, w->file->constructs[k].first, &tied) && depth < tied)
			return true;
		depth++;
	}
	return is_parallel(w, loop);
}

static void remark_counter(struct bob_weave *w, uint32_t loop)
{
	const struct bob_fortran_statement *s = &w->file->statements[loop];
	const struct bob_fortran_expr *by = bob_weave_moved_by(w->arena, s);

	if (by && s->unit < w->file->unit_count &&
	    variable_at(w, s->names, s->text + by->from, by->name_len, s->line) &&
	    has_own_counter(w, loop))
		bob_weave_refuse(
			w,
			"the counter of a loop that OpenMP divides, or of one in a parallel "
			"region: each thread has its own",
			s->line);
}

/* --- NAMELIST --- */

/* Does the list of this NAMELIST contain a variable that is requested in the line? */
static bool has_wanted(const struct bob_weave *w, const struct bob_fortran_statement *n,
		       const struct bob_fortran_statement *s, const char *group, uint32_t len)
{
	bool is_it = false;

	for (uint32_t i = 0, to; i < n->len; i = to) {
		to = word_end(n->text, i);
		if (to == i) {
			to++;
			continue;
		}
		if (i && n->text[i - 1] == '/')
			is_it = to - i == len && !memcmp(n->text + i, group, len);
		else if (is_it && variable_at(w, n->names ? n->names : s->names, n->text + i,
					      to - i, s->line))
			return true;
	}
	return false;
}

static void remark_namelist(struct bob_weave *w, const struct bob_fortran_statement *s)
{
	const struct bob_fortran_item *item = NULL;

	if (bob_fortran_items(w->arena, s, &item, NULL) != BOB_OK)
		return;
	for (; item; item = item->next) {
		const char *name = s->text + item->expr->from;
		const uint32_t len = word_end(name, 0);
		bool some = false;

		if (item->role != BOB_ROLE_NAME || item->keyword_len != 3 ||
		    memcmp(s->text + item->keyword, "nml", 3) != 0)
			continue;
		for (uint32_t i = 0; i < w->file->count && !some; i++)
			some = w->file->statements[i].kind == BOB_F_NAMELIST &&
			       has_wanted(w, &w->file->statements[i], s, name, len);
		if (some)
			bob_weave_refuse(w, "a NAMELIST, whose members are read or written",
					 s->line);
	}
}

/* --- components --- */

#define TYPES_MAX 8		/* nesting of types */

static void remark_components(struct bob_weave *w, const struct bob_weave_variable *v,
			      const char *name, const struct bob_fortran_symbols *names,
			      const char *type, uint32_t depth)
{
	const struct bob_fortran_symbol *y =
		type && depth ? bob_fortran_lookup(names, type, (uint32_t)strlen(type)) : NULL;

	for (const struct bob_fortran_symbols *t = y ? y->components : NULL; t; t = t->host)
		for (const struct bob_fortran_symbol *c = t->first; c; c = c->next) {
			const bool is_allocatable = c->flags & BOB_SYMBOL_ALLOCATABLE;
			const char *path = bob_weave_text(w, "%s%%%s", name, c->name);

			if (c->class != BOB_NAME_VARIABLE && c->class != BOB_NAME_UNKNOWN)
				continue;
			if (is_allocatable || c->flags & BOB_SYMBOL_POINTER)
				bob_weave_remark(
					w,
					bob_weave_text(
						w, "%s is %s: what it leads to is not traced", path,
						is_allocatable ? "allocatable" : "a pointer"),
					w->file->statements[v->symbol->statement].line);
			else if (c->type == BOB_T_DERIVED)
				remark_components(w, v, path, names, c->type_name, depth - 1);
		}
}

/* --- all --- */

void bob_weave_remarks(struct bob_weave *w)
{
	uint32_t depth = 0;
	bool has_directives = false;

	for (size_t i = 0; i < w->variables.count; i++) {
		const struct bob_weave_variable *v = &w->variables.at[i];

		/* if only a part was requested, components are not traced */
		if (!v->is_foreign && bob_weave_box_rank(v) && v->symbol->type == BOB_T_DERIVED &&
		    v->unit < w->file->unit_count && v->symbol->statement < w->file->count)
			remark_components(w, v, v->name, w->file->units[v->unit].symbols,
					  v->symbol->type_name, TYPES_MAX);
	}
	for (uint32_t i = 0; i < w->file->unit_count; i++)
		if (w->file->units[i].kind == BOB_UNIT_PROCEDURE &&
		    w->variables.count + w->passed.count)
			bob_weave_refuse(
				w,
				"what a procedure is passed whose arguments an interface in "
				"another unit declares",
				w->file->statements[w->file->units[i].first].line);
	for (uint32_t i = 0; i < w->file->count; i++) {
		const struct bob_fortran_statement *s = &w->file->statements[i];

		if (s->kind != BOB_F_DIRECTIVE || !bob_fortran_directive_continues(w->file, i))
			depth = 0;
		has_directives |= s->kind == BOB_F_DIRECTIVE;
		if (s->kind == BOB_F_DIRECTIVE)
			remark_directive(w, s, &depth);
		else if (s->kind == BOB_F_DO && has_directives)
			remark_counter(w, i);
		else if (s->is_executable && strstr(s->text, "nml"))
			remark_namelist(w, s);
	}
}
