/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of loops. A loop that GO TO or RETURN leaves ends there; one that other jumps leave
 * (computed GO TO, arithmetic IF, END=) ends with the enclosing event. */
#include <string.h>

#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/lines.h"

static const char *name_of(struct bob_weave *w, const struct bob_fortran_statement *s)
{
	const struct bob_fortran_unit *u = &w->file->units[s->unit];

	return bob_weave_text(w, "loop %u in %s", s->line, *u->name ? u->name : "main");
}

static bool has_place(const struct bob_weave *w, uint32_t statement, struct bob_fortran_place *p)
{
	return bob_fortran_place(w->file, statement, p) == BOB_OK && p->inside != BOB_FORTRAN_NO &&
	       p->after_loop != BOB_FORTRAN_NO;
}

bool bob_weave_is_loop_event(const struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct bob_fortran_place p;

	return bob_fortran_is_loop(s->kind) && has_place(w, statement, &p) &&
	       p.before != BOB_FORTRAN_NO && !(s->is_branch_target && s->ends_loops);
}

static void put_loop(struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct bob_fortran_place p;
	uint32_t at, e;

	if (!has_place(w, statement, &p)) {
		bob_weave_refuse(w, "no line can be inserted in this loop", s->line);
		return;
	}
	if (!bob_weave_before(w, statement, &at))
		return;
	e = bob_weave_event(w, name_of(w, s), true);
	bob_weave_put(w, at, BOB_RANK_BEFORE, statement, bob_weave_event_line(w, 'l', e));
	bob_weave_put(w, p.inside, BOB_RANK_INSIDE, statement, bob_weave_event_line(w, 't', e));
	bob_weave_put(w, p.after_loop, BOB_RANK_AFTER_LOOP, statement,
		      bob_weave_event_line(w, 'e', e));
	w->has_probes[s->unit] = true;
	w->counts.loops++;
}

/* The statement that a GO TO leads to; one after the last of the file: unknown. */
static uint32_t target_of(const struct bob_weave *w, const struct bob_fortran_statement *s)
{
	uint32_t label = 0, i = s->len;

	while (i && s->text[i - 1] >= '0' && s->text[i - 1] <= '9')
		i--;
	for (; i < s->len && label < 100000; i++)
		label = label * 10 + (uint32_t)(s->text[i] - '0');
	for (i = w->file->units[s->unit].first; i <= w->file->units[s->unit].last; i++)
		if (w->file->statements[i].unit == s->unit && w->file->statements[i].label == label)
			return i;
	return w->file->count;
}

/* The outermost loop event that is left; inner ones end with it. BOB_FORTRAN_NO: none. */
static uint32_t left_by(const struct bob_weave *w, const struct bob_fortran_statement *s,
			uint32_t to)
{
	uint32_t found = BOB_FORTRAN_NO;
	struct bob_fortran_place p;

	for (uint32_t i = s->construct; i < w->file->construct_count;
	     i = w->file->constructs[i].parent) {
		const struct bob_fortran_construct *c = &w->file->constructs[i];
		const struct bob_fortran_statement *head = &w->file->statements[c->first];

		if (bob_fortran_is_loop(head->kind) && !(c->first < to && to <= c->last) &&
		    bob_weave_is_requested(w, BOB_REQUEST_LOOPS, head->line) &&
		    has_place(w, c->first, &p))
			found = c->first;
	}
	return found;
}

static void put_leaving(struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const enum bob_fortran_kind k = s->kind == BOB_F_IF ? s->body_kind : s->kind;
	uint32_t loop, at;

	if (k != BOB_F_GOTO && k != BOB_F_RETURN)
		return;
	loop = left_by(w, s, k == BOB_F_GOTO ? target_of(w, s) : w->file->count);
	if (loop == BOB_FORTRAN_NO || !(s->kind == BOB_F_IF ? bob_weave_expand(w, statement, &at) :
							      bob_weave_before(w, statement, &at)))
		return;
	bob_weave_put(w, at, s->kind == BOB_F_IF ? BOB_RANK_BODY_BEFORE : BOB_RANK_EXIT, statement,
		      bob_weave_event_line(
			      w, 'e',
			      bob_weave_event(w, name_of(w, &w->file->statements[loop]), true)));
}

void bob_weave_loop(struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];

	if (bob_fortran_is_loop(s->kind) && bob_weave_is_requested(w, BOB_REQUEST_LOOPS, s->line))
		put_loop(w, statement);
	else
		put_leaving(w, statement);
}
