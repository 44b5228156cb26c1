/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates the text of copies: the procedure's lines are repeated after it, under another name,
 * which calls of the copy use. */
#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/lines.h"
#include "source/fortran/weave/reached.h"

#include <stdio.h>
#include <string.h>

static void set_dummies(struct bob_weave *w, uint32_t unit, uint64_t dummies)
{
	for (uint32_t d = 0; d < w->file->units[unit].dummy_count; d++)
		*bob_weave_dummy(w, unit, d) = dummies >> d & 1;
}

void bob_weave_enter_clone(struct bob_weave *w, size_t n)
{
	w->in = (uint32_t)n + 1;
	w->has_probes[w->clones.at[n].unit] = w->clones.at[n].has_probes;
	set_dummies(w, w->clones.at[n].unit, w->clones.at[n].dummies);
}

void bob_weave_leave_clone(struct bob_weave *w, size_t n)
{
	w->in = 0;
	w->clones.at[n].has_probes = w->has_probes[w->clones.at[n].unit];
	set_dummies(w, w->clones.at[n].unit, 0);
}

static const struct bob_weave_redirect *redirect_in(const struct bob_weave *w, uint32_t statement,
						    uint32_t from, uint32_t to)
{
	const struct bob_weave_redirect *first = NULL;

	for (size_t i = 0; i < w->redirects.count; i++) {
		const struct bob_weave_redirect *r = &w->redirects.at[i];

		if (r->in == w->in && r->statement == statement && r->from >= from && r->to <= to &&
		    (!first || r->from < first->from))
			first = r;
	}
	return first;
}

const char *bob_weave_slice(struct bob_weave *w, const struct bob_fortran_statement *s,
			    uint32_t from, uint32_t to)
{
	const uint32_t statement = (uint32_t)(s - w->file->statements);
	const struct bob_weave_redirect *r;
	const char *text = "";

	while ((r = redirect_in(w, statement, from, to)) != NULL) {
		text = bob_weave_text(w, "%s%.*s%s", text, (int)(r->from - from), s->text + from,
				      r->name);
		from = r->to;
	}
	return bob_weave_text(w, "%s%.*s", text, (int)(to - from), s->text + from);
}

/* --- declarations for callers --- */

static bool is_said(const struct bob_weave *w, size_t n)
{
	const struct bob_weave_redirect *r = &w->redirects.at[n];

	for (size_t i = 0; i < n; i++)
		if (w->redirects.at[i].in == r->in && !strcmp(w->redirects.at[i].name, r->name) &&
		    w->file->statements[w->redirects.at[i].statement].unit ==
			    w->file->statements[r->statement].unit)
			return true;
	return false;
}

/* USE statements must follow the unit's first statement. */
static void use_module(struct bob_weave *w, const struct bob_weave_redirect *r, uint32_t unit)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];
	const uint32_t first = u->first + (u->name_at != BOB_FORTRAN_NO);

	bob_weave_put(w, bob_weave_line_of(w, first), BOB_RANK_USE, unit,
		      bob_weave_text(w, "use %s,only:%s", r->module, r->name));
}

static void declare(struct bob_weave *w, const struct bob_weave_redirect *r, uint32_t unit)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];
	const uint32_t first = u->declare != BOB_FORTRAN_NO ? u->declare : u->execute;

	bob_weave_put(w, bob_weave_line_of(w, first), BOB_RANK_INTERFACE, unit,
		      *r->type ? bob_weave_text(w, "%s,external::%s", r->type, r->name) :
				 bob_weave_text(w, "external %s", r->name));
}

/* Makes the copy accessible to users of the module. */
static void publish(struct bob_weave *w, const struct bob_weave_clone *c)
{
	const uint32_t parent = w->file->units[c->unit].parent;
	const struct bob_fortran_unit *u = parent == BOB_FORTRAN_NO ? NULL :
								      &w->file->units[parent];
	bool is_used = false;

	for (const struct bob_weave *o = w->files; o; o = o->next)
		for (size_t i = 0; i < o->redirects.count; i++)
			is_used |= o->redirects.at[i].module && o->redirects.at[i].name == c->name;
	if (is_used && u && u->contains != BOB_FORTRAN_NO)
		bob_weave_put(w, bob_weave_line_of(w, u->contains), BOB_RANK_INTERFACE, parent,
			      bob_weave_text(w, "public::%s", c->name));
}

bob_status bob_weave_redirect(struct bob_weave *w)
{
	for (size_t i = 0; i < w->redirects.count; i++) {
		const struct bob_weave_redirect *r = &w->redirects.at[i];
		const uint32_t unit = w->file->statements[r->statement].unit;

		w->in = r->in;
		if (is_said(w, i) || (r->in && w->clones.at[r->in - 1].name == r->name))
			continue; /* its own name is known in it */
		if (r->module)
			use_module(w, r, unit);
		else if (r->type)
			declare(w, r, unit);
	}
	w->in = 0;
	for (size_t i = 0; i < w->clones.count; i++)
		publish(w, &w->clones.at[i]);
	return w->is_failed ? BOB_ERR_NOMEM : BOB_OK;
}

/* --- patches --- */

bob_status bob_weave_rename_calls(const struct bob_weave *w, uint32_t in,
				  struct bob_fortran_patches *p)
{
	bob_status st = BOB_OK;

	for (size_t i = 0; i < w->redirects.count && st == BOB_OK; i++) {
		const struct bob_weave_redirect *r = &w->redirects.at[i];
		const uint32_t *at = w->file->statements[r->statement].at;

		if (r->in == in && !bob_weave_is_replaced(w, in, at[r->from]))
			st = bob_fortran_patch_replace(p, at[r->from], r->to - r->from, r->name);
	}
	return st;
}

/* The position of the name in `end function f`. It may begin with another name. */
static uint32_t name_after_end(const struct bob_fortran_unit *u,
			       const struct bob_fortran_statement *s)
{
	const char *const words[] = { "end",
				      u->kind == BOB_UNIT_FUNCTION ? "function" : "subroutine" };
	uint32_t p = s->from;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t n = strlen(words[i]);

		while (p < s->len && s->text[p] == ' ')
			p++;
		if (s->len - p >= n && !memcmp(s->text + p, words[i], n))
			p += (uint32_t)n;
	}
	while (p < s->len && s->text[p] == ' ')
		p++;
	return p;
}

/* Renames it in its first and last statement. The result variable keeps its name. */
static bob_status rename_procedure(const struct bob_weave *w, const struct bob_weave_clone *c,
				   struct bob_fortran_patches *p)
{
	const struct bob_fortran_unit *u = &w->file->units[c->unit];
	const struct bob_fortran_statement *first = &w->file->statements[u->first];
	const struct bob_fortran_statement *last = &w->file->statements[u->last];
	const uint32_t name = name_after_end(u, last);
	bob_status st =
		bob_fortran_patch_replace(p, u->name_at, (uint32_t)strlen(u->name), c->name);
	char result[80];

	if (st == BOB_OK && name < last->len && last->kind != BOB_F_END)
		st = bob_fortran_patch_replace(
			p, last->at[name], last->at[last->len - 1] + 1 - last->at[name], c->name);
	if (st != BOB_OK || u->kind != BOB_UNIT_FUNCTION || strcmp(u->result, u->name) != 0)
		return st;
	snprintf(result, sizeof(result), " result(%s)", u->name);
	return bob_fortran_patch_replace(p, first->at[first->len - 1] + 1, 0, result);
}

bob_status bob_weave_copies(struct bob_weave *w, struct bob_fortran_copy **out)
{
	struct bob_fortran_copy *copies =
		bob_arena_alloc(w->arena, (w->clones.count + 1) * sizeof(*copies));
	bob_status st = copies ? BOB_OK : BOB_ERR_NOMEM;

	for (size_t i = 0; i < w->clones.count && st == BOB_OK; i++) {
		const struct bob_fortran_unit *u = &w->file->units[w->clones.at[i].unit];
		struct bob_fortran_patches *p = &copies[i].patches;

		copies[i].first_line = w->file->statements[u->first].line;
		copies[i].last_line = w->file->statements[u->last].line_last;
		bob_fortran_patches_init(p, w->arena, w->file);
		st = bob_weave_lines(w, (uint32_t)i + 1, p);
		if (st == BOB_OK)
			st = bob_weave_rename_calls(w, (uint32_t)i + 1, p);
		if (st == BOB_OK)
			st = rename_procedure(w, &w->clones.at[i], p);
	}
	*out = copies;
	return st;
}
