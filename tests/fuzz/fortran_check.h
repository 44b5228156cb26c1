/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds of any file that was split, whatever its bytes: statements name their bytes, and no
 * byte of a line of code is lost but blanks, comments, and marks of continuation. Asserts. */
#ifndef BOB_TESTS_FORTRAN_CHECK_H
#define BOB_TESTS_FORTRAN_CHECK_H

#undef NDEBUG
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "source/fortran/insertion.h"
#include "source/fortran/units.h"

static void check_statement(const struct bob_fortran_file *f, const struct bob_fortran_statement *s,
			    unsigned char *used)
{
	assert(s->kind < BOB_F_KIND_COUNT && s->body_kind < BOB_F_KIND_COUNT);
	assert(strlen(s->text) <= s->len && s->text[s->len] == 0);
	assert(s->first <= s->end && s->end <= f->len && s->at[s->len] == s->end);
	assert(s->line && s->line <= s->line_last && s->line_last <= f->line_count);
	assert(s->name_len <= s->from && s->from <= s->len && s->body <= s->len);
	for (uint32_t i = 0; i < s->len; i++) {
		uint32_t at = s->at[i];

		assert(!i || at >= s->at[i - 1]);
		/* What stands for no byte is a blank. */
		if (s->text[i] == ' ' && (at >= f->len || f->bytes[at] != ' '))
			continue;
		assert(at < f->len &&
		       tolower((unsigned char)f->bytes[at]) == tolower((unsigned char)s->text[i]));
		used[at] = 1;
	}
	for (uint32_t i = 0; i < s->label_len; i++)
		used[s->label_at + i] = 1;
}

/* One line of code [from, to): what is in no statement may be left out. */
static void check_line(const struct bob_fortran_file *f, uint32_t from, uint32_t to,
		       const unsigned char *used)
{
	uint32_t first = from;

	while (first < to && (f->bytes[first] == ' ' || f->bytes[first] == '\t'))
		first++;
	for (uint32_t i = from; i < to; i++) {
		char c = f->bytes[i];

		if (used[i] || c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' ||
		    c == '&' || c == ';')
			continue;
		if (f->form == BOB_FORTRAN_FIXED) {
			/* a ! in column 6 is a mark, too, unless code began before it */
			if (i - from == 5 && c == '!' && !memchr(used + i, 1, to - i))
				return;
			if (i - from == 5 || i - from >= f->width)
				continue;
			/* a label of a line that continues, the digit of a continuation after a
			 * tab */
			if (i - from < 7 && isdigit((unsigned char)c))
				continue;
			if (memchr(f->bytes + from, '\t', i - from) && i - from + 6 >= f->width)
				continue;
		}
		/* `!$ ` and `c$ ` before code of OpenMP */
		if (i + 1 < to && f->bytes[i + 1] == '$' && i == first) {
			i++;
			continue;
		}
		if (!from && i < 3 && (c & 0x80)) /* a byte order mark */
			continue;
		assert(c == '!');
		while (c == '!' && ++i < to)
			assert(!used[i]);
	}
}

/* A tree: children within their parents, in order. */
static inline void check_tree(const struct bob_fortran_expr *e, uint32_t from, uint32_t to)
{
	assert(from <= e->from && e->from <= e->to && e->to <= to);
	assert(e->height && e->height <= BOB_FORTRAN_HEIGHT_MAX + BOB_FORTRAN_DEPTH_MAX);
	assert(e->from + e->name_len <= e->to);
	from = e->from;
	for (const struct bob_fortran_expr *c = e->child; c; c = c->next) {
		assert(c->height < e->height && c->from >= from);
		check_tree(c, c->from, e->to);
		from = c->from;
	}
}

static inline uint32_t check_items(const struct bob_fortran_file *f)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < f->count; i++) {
		const struct bob_fortran_statement *s = &f->statements[i];
		const struct bob_fortran_item *item;
		uint32_t bad, first, last;

		assert(bob_fortran_items(f->arena, s, &item, &bad) == BOB_OK);
		for (; item; item = item->next) {
			check_tree(item->expr, 0, s->len);
			assert(item->keyword + item->keyword_len <= s->len);
			bob_fortran_bytes(s, item->expr->from, item->expr->to, &first, &last);
			assert(s->first <= first && first <= last && last <= s->end);
		}
		all += bad != 0;
	}
	return all;
}

/* Units and constructs lie within what is around them. */
static inline void check_units(const struct bob_fortran_file *f)
{
	for (uint32_t i = 0; i < f->unit_count; i++) {
		const struct bob_fortran_unit *u = &f->units[i];

		assert(u->first < f->count && u->last < f->count);
		assert(u->declare == BOB_FORTRAN_NO ||
		       (u->declare >= u->first && u->declare <= u->last));
		assert(u->execute == BOB_FORTRAN_NO ||
		       (u->execute >= u->declare && u->execute <= u->last));
		assert(u->parent == BOB_FORTRAN_NO || u->parent < i);
	}
	for (uint32_t i = 0; i < f->construct_count; i++) {
		const struct bob_fortran_construct *c = &f->constructs[i];

		assert(c->first <= c->last && c->last < f->count);
		assert(c->parent == BOB_FORTRAN_NO || c->parent < i);
	}
	for (uint32_t i = 0; i < f->count; i++) {
		const struct bob_fortran_statement *s = &f->statements[i];

		assert(s->unit == BOB_FORTRAN_NO || s->unit < f->unit_count);
		assert(s->construct == BOB_FORTRAN_NO || s->construct < f->construct_count);
	}
}

static inline void check_byte(const struct bob_fortran_file *f, uint32_t at)
{
	assert(at == BOB_FORTRAN_NO || at <= f->len);
}

/* References, and the places of their probes. */
static inline void check_uses(const struct bob_fortran_file *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const struct bob_fortran_statement *s = &f->statements[i];
		struct bob_fortran_uses uses;
		struct bob_fortran_place p;

		assert(bob_fortran_uses(f->arena, f, i, &uses) == BOB_OK);
		assert(bob_fortran_place(f, i, &p) == BOB_OK);
		for (uint32_t k = 0;; k++) {
			check_byte(f, p.before);
			check_byte(f, p.after);
			check_byte(f, p.inside);
			check_byte(f, p.after_loop);
			assert(p.header <= p.header_end && p.header_end <= p.body_end);
			assert(p.body <= p.body_end && p.body_end <= f->len);
			assert(p.target_at + p.target_len <= f->len);
			/* each asks for the others: many of them are a share */
			if (k == uses.count || k == 32)
				break;
			assert(uses.at[k].symbol && uses.at[k].from < uses.at[k].to);
			assert(uses.at[k].to <= s->len);
			assert(bob_fortran_place_use(f, i, &uses.at[k], &p) == BOB_OK);
		}
	}
}

static inline void check_split(const struct bob_fortran_file *f)
{
	unsigned char *used = calloc(1, (size_t)f->len + 1);
	uint32_t unknown = 0;

	assert(used && f->form != BOB_FORTRAN_AUTO && f->line_at[f->line_count] == f->len);
	for (uint32_t i = 0; i < f->count; i++) {
		const struct bob_fortran_statement *s = &f->statements[i];

		assert(!i || s->first >= f->statements[i - 1].end);
		assert(s->len || s->label_len || s->kind == BOB_F_CPP ||
		       s->kind == BOB_F_DIRECTIVE);
		check_statement(f, s, used);
		unknown += s->kind == BOB_F_UNKNOWN;
	}
	assert(unknown == f->unknown_count);
	for (uint32_t i = 0; i < f->line_count; i++)
		if (f->line_kinds[i] == BOB_LINE_START || f->line_kinds[i] == BOB_LINE_CONTINUED)
			check_line(f, f->line_at[i], f->line_at[i + 1], used);
	free(used);
}

#endif
