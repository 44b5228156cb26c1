/* SPDX-License-Identifier: BSD-3-Clause */
/* Inserts a call before, after and at the beginning of each executable statement, where insertion.h
 * permits lines, and a declaration in each unit. If the places are right, the file compiles, and
 * runs as before. */
#ifndef BOB_TESTS_PROBE_ALL_H
#define BOB_TESTS_PROBE_ALL_H

#include <stdio.h>
#include <string.h>

#include "source/fortran/rewrite.h"
#include "source/fortran/insertion.h"

#define PROBE "call bobprb(1)"

struct probing {
	struct bob_fortran_file *f;
	struct bob_fortran_patches patches;
	uint32_t label;		/* the next new one */
	uint32_t probes;
};

static bob_status probe_at(struct probing *t, uint32_t at, uint32_t label, const char *text)
{
	t->probes++;
	return at == BOB_FORTRAN_NO ? BOB_OK :
				      bob_fortran_patch_statement(&t->patches, at, label, text);
}

static bob_status without_label(struct probing *t, const struct bob_fortran_place *p)
{
	char blanks[] = "               ";

	blanks[t->f->form == BOB_FORTRAN_FIXED && p->label_len < 15 ? p->label_len : 0] = 0;
	return bob_fortran_patch_replace(&t->patches, p->label_at, p->label_len, blanks);
}

/* DO statements that end here get a new label; a following CONTINUE has it. */
static bob_status end_anew(struct probing *t, uint32_t statement, uint32_t after)
{
	bob_status st = BOB_OK;
	char digits[16];
	uint32_t label = t->label++;

	snprintf(digits, sizeof(digits), "%u", label);
	for (uint32_t i = 0; i < t->f->construct_count && st == BOB_OK; i++) {
		const struct bob_fortran_construct *c = &t->f->constructs[i];
		struct bob_fortran_place p;

		if (c->kind != BOB_CONSTRUCT_DO || c->last != statement ||
		    bob_fortran_place(t->f, c->first, &p) != BOB_OK || !p.target_len)
			continue;
		st = bob_fortran_patch_replace(&t->patches, p.target_at, p.target_len, digits);
	}
	return st == BOB_OK ? probe_at(t, after, label, "continue") : st;
}

static bob_status probe_statement(struct probing *t, uint32_t i)
{
	struct bob_fortran_place p;
	bob_status st = bob_fortran_place(t->f, i, &p);

	if (st != BOB_OK || (p.needs & (BOB_NEED_NO_CALL | BOB_NEED_ONE_SECTION)))
		return st;
	if (p.before != BOB_FORTRAN_NO && (p.needs & BOB_NEED_LABEL)) {
		st = probe_at(t, p.before, p.label, "continue");
		if (st == BOB_OK)
			st = without_label(t, &p);
	}
	if (st == BOB_OK)
		st = probe_at(t, p.before, 0, PROBE);
	if (st == BOB_OK && !(t->f->statements[i].ends_loops && !(p.needs & BOB_NEED_TERMINAL)))
		st = probe_at(t, p.after, 0, PROBE);
	if (st == BOB_OK)
		st = probe_at(t, p.inside, 0, PROBE);
	if (st == BOB_OK && (p.needs & BOB_NEED_TERMINAL))
		st = end_anew(t, i, p.after);
	return st;
}

/* Units and symbols are known. *out is in the file's arena. */
static bob_status probe_all(struct bob_fortran_file *f, const char *path,
			    struct bob_fortran_output *out, uint32_t *probes)
{
	struct probing t = { .f = f, .label = 70000 };
	bob_status st = BOB_OK;

	bob_fortran_patches_init(&t.patches, f->arena, f);
	for (uint32_t i = 0; i < f->unit_count && st == BOB_OK; i++) {
		const struct bob_fortran_unit *u = &f->units[i];

		if (u->declare != BOB_FORTRAN_NO && u->execute != BOB_FORTRAN_NO)
			st = bob_fortran_patch_statement(
				&t.patches, bob_fortran_line_at(f, f->statements[u->declare].line),
				0, "external bobprb");
	}
	for (uint32_t i = 0; i < f->count && st == BOB_OK; i++)
		st = probe_statement(&t, i);
	*probes = t.probes;
	return st == BOB_OK ? bob_fortran_patches_apply(&t.patches, path, out, NULL) : st;
}

#endif
