/* SPDX-License-Identifier: BSD-3-Clause */
/* The inserted lines. They are added in statement order and written in the order of their places.
 * At one place, lines for what ends there precede those for what begins there. */
#include "source/fortran/weave/weave.h"
#include "base/order.h"
#include "base/search.h"
#include "source/fortran/weave/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/host/arena.h"

struct bob_weave_line {
	uint32_t at, rank;
	uint32_t order;		/* order of lines of equal rank */
	uint32_t made;		/* ... and of these */
	uint32_t in;		/* as in struct bob_weave */
	uint32_t label;		/* 0: none */
	uint32_t blank_at, blank_len; /* of a label that moves away; len 0: none */
	const char *instead;	/* the replacement; NULL: blanks */
	const char *text;
};

static struct bob_weave_line *add(struct bob_weave *w)
{
	struct bob_weave_line *l = BOB_VEC_PUSH(&w->lines);

	if (!l) {
		w->is_failed = true;
		return NULL;
	}
	l->made = (uint32_t)(w->lines.count - 1);
	l->in = w->in;
	return l;
}

static void put_one(struct bob_weave *w, uint32_t at, enum bob_weave_rank rank, uint32_t statement,
		    const char *text)
{
	struct bob_weave_line *l;

	/* directly after `!$omp parallel` a BLOCK would become its whole body */
	if (text && !strcmp(text, "block") && bob_fortran_is_after_directive(w->file, statement))
		put_one(w, at, rank, statement, "continue");
	l = add(w);
	if (!l)
		return;
	l->at = at;
	l->rank = (uint32_t)rank;
	l->text = text;
	/* of constructs that end together, the last one opened ends first */
	l->order = rank == BOB_RANK_AFTER_LOOP || rank == BOB_RANK_CLOSE ?
			   UINT32_MAX / 2 - statement :
			   statement;
}

void bob_weave_put(struct bob_weave *w, uint32_t at, enum bob_weave_rank rank, uint32_t statement,
		   const char *text)
{
	const char *end;

	for (; text && (end = strchr(text, '\n')) != NULL; text = end + 1)
		put_one(w, at, rank, statement, bob_weave_text(w, "%.*s", (int)(end - text), text));
	put_one(w, at, rank, statement, text);
}

void bob_weave_put_instead(struct bob_weave *w, uint32_t at, enum bob_weave_rank rank,
			   uint32_t statement, const char *text, uint32_t first, uint32_t last,
			   const char *instead)
{
	const size_t n = w->lines.count;

	bob_weave_put(w, at, rank, statement, text);
	if (w->lines.count == n)
		return;
	w->lines.at[n].blank_at = first;
	w->lines.at[n].blank_len = last - first;
	w->lines.at[n].instead = instead;
}

/* Inserts the CONTINUE that gets the label, once. */
static void move_label(struct bob_weave *w, const struct bob_fortran_place *p)
{
	struct bob_weave_line *l;

	for (size_t i = 0; i < w->lines.count; i++)
		if (w->lines.at[i].in == w->in && w->lines.at[i].blank_len &&
		    w->lines.at[i].blank_at == p->label_at)
			return;
	l = add(w);
	if (!l)
		return;
	l->at = p->before;
	l->rank = BOB_RANK_AFTER_LOOP;
	l->order = UINT32_MAX; /* after lines for what ends there: jumps enter here */
	l->label = p->label;
	l->blank_at = p->label_at;
	l->blank_len = p->label_len;
	l->text = "continue";
}

bool bob_weave_before(struct bob_weave *w, uint32_t statement, uint32_t *at)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct bob_fortran_place p;

	if (bob_fortran_place(w->file, statement, &p) != BOB_OK || p.before == BOB_FORTRAN_NO) {
		bob_weave_refuse(w, "no line can precede this statement", s->line);
		return false;
	}
	if (s->is_branch_target && s->ends_loops) {
		bob_weave_refuse(w, "jumps lead to the statement that ends a loop", s->line);
		return false;
	}
	if (s->is_branch_target && p.label)
		move_label(w, &p);
	*at = p.before;
	return true;
}

/* p: of the statement. */
static bool expands(const struct bob_weave *w, uint32_t statement, struct bob_fortran_place *p)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];

	return s->kind == BOB_F_IF && !s->ends_loops &&
	       bob_fortran_place(w->file, statement, p) == BOB_OK && p->after != BOB_FORTRAN_NO &&
	       bob_fortran_position(w->file, p->body).line ==
		       bob_fortran_position(w->file, p->body_end - 1).line;
}

bool bob_weave_expands(const struct bob_weave *w, uint32_t statement)
{
	struct bob_fortran_place p;

	return expands(w, statement, &p);
}

static bool is_expanded(const struct bob_weave *w, const struct bob_fortran_place *p)
{
	for (size_t i = 0; i < w->lines.count; i++)
		if (w->lines.at[i].in == w->in && w->lines.at[i].instead &&
		    w->lines.at[i].blank_at == p->body)
			return true;
	return false;
}

bool bob_weave_is_expanded(const struct bob_weave *w, uint32_t statement)
{
	struct bob_fortran_place p;

	return expands(w, statement, &p) && is_expanded(w, &p);
}

bool bob_weave_expand(struct bob_weave *w, uint32_t statement, uint32_t *at)
{
	struct bob_weave_line *l;
	struct bob_fortran_place p;

	if (!expands(w, statement, &p))
		return false;
	*at = p.after;
	if (is_expanded(w, &p))
		return true;
	l = add(w);
	if (l) {
		l->at = p.after;
		l->rank = BOB_RANK_BODY;
		l->order = statement;
		l->text = ""; /* set when its wrappers are known */
		l->blank_at = p.body;
		l->blank_len = p.body_end - p.body;
		l->instead = "then";
	}
	bob_weave_put(w, p.after, BOB_RANK_END_IF, statement, "end if");
	return !w->is_failed;
}

BOB_COMPARE(by_place, struct bob_weave_line,
	    BOB_UP(in) BOB_UP(at) BOB_UP(rank) BOB_UP(order) BOB_UP(made))

uint32_t bob_weave_line_of(const struct bob_weave *w, uint32_t i)
{
	const struct bob_fortran_statement *s = &w->file->statements[i];

	return i && s[-1].line_last == s->line ? s->first : bob_fortran_line_at(w->file, s->line);
}

/* The first line of `in`, or of the next text, when lines are sorted. */
static size_t first_of(const struct bob_weave *w, uint32_t in)
{
	size_t low;

	BOB_PARTITION_POINT(low, w->lines.count, middle, w->lines.at[middle].in < in);
	return low;
}

bool bob_weave_is_replaced(const struct bob_weave *w, uint32_t in, uint32_t byte)
{
	const bool is_sorted = w->sorted_count == w->lines.count;

	for (size_t i = is_sorted ? first_of(w, in) : 0;
	     i < w->lines.count && !(is_sorted && w->lines.at[i].in != in); i++)
		if (w->lines.at[i].in == in && w->lines.at[i].instead &&
		    byte >= w->lines.at[i].blank_at &&
		    byte - w->lines.at[i].blank_at < w->lines.at[i].blank_len)
			return true;
	return false;
}

bob_status bob_weave_lines(struct bob_weave *w, uint32_t in, struct bob_fortran_patches *p)
{
	static const char blanks[] = "        ";
	bob_status st;

	w->in = in;
	st = bob_weave_wrap_all(w, p);
	if (w->lines.count && w->sorted_count != w->lines.count)
		qsort(w->lines.at, w->lines.count, sizeof(*w->lines.at), by_place);
	w->sorted_count = w->lines.count;
	for (size_t i = first_of(w, in); i < w->lines.count && w->lines.at[i].in == in; i++)
		if (w->lines.at[i].rank == BOB_RANK_BODY)
			w->lines.at[i].text =
				bob_weave_wrapped(w, w->lines.at[i].order,
						  w->file->statements[w->lines.at[i].order].body);
	w->in = 0;
	for (size_t i = first_of(w, in);
	     i < w->lines.count && w->lines.at[i].in == in && st == BOB_OK; i++) {
		const struct bob_weave_line *l = &w->lines.at[i];

		if (l->text)
			st = bob_fortran_patch_statement(p, l->at, l->label, l->text);
		if (st == BOB_OK && l->instead)
			st = bob_fortran_patch_replace(p, l->blank_at, l->blank_len, l->instead);
		else if (st == BOB_OK && l->blank_len && l->blank_len < sizeof(blanks))
			st = bob_fortran_patch_replace(p, l->blank_at, l->blank_len,
						       blanks + sizeof(blanks) - 1 - l->blank_len);
	}
	return st;
}
