/* SPDX-License-Identifier: BSD-3-Clause */
/* Breaks statements into lines. Fixed form may be broken anywhere, but constants only at the last
 * column, because they are padded with blanks up to there. Free form may be broken anywhere, with
 * an & on both sides. Inserted statements are broken after a comma or bracket if possible, for
 * readability and independence of the width. */
#include "source/fortran/cut.h"

#include <stdio.h>
#include <string.h>

#include "source/fortran/reserve.h"
#include "source/fortran/split.h"

#define FREE_WIDTH 132u
#define FREE_FIRST 6u

void bob_fortran_write(struct bob_fortran_writer *w, const char *bytes, size_t len)
{
	struct bob_fortran_output *o = w->out;

	if (o->len + len + 1 > w->capacity) {
		size_t capacity = (o->len + len + 1) * 2;
		char *p = bob_arena_alloc(w->arena, capacity);

		if (!p) {
			w->failed = true;
			return;
		}
		if (o->len)
			memcpy(p, o->bytes, o->len);
		o->bytes = p;
		w->capacity = capacity;
	}
	if (len)
		memcpy(o->bytes + o->len, bytes, len);
	o->len += len;
	o->bytes[o->len] = 0;
}

void bob_fortran_write_end(struct bob_fortran_writer *w)
{
	struct bob_fortran_output *o = w->out;

	bob_fortran_write(w, "\n", 1);
	if (!bob_fortran_reserve(w->arena, &o->lines, o->line_count, &w->line_capacity,
				 sizeof(*o->lines))) {
		w->failed = true;
		return;
	}
	o->lines[o->line_count++] = (struct bob_fortran_written){ w->line, w->is_inserting };
}

/* The position where text[from..] is broken if at most `capacity` characters fit; *quote: the open
 * constant there, updated. */
static uint32_t cut_at(const char *text, uint32_t from, uint32_t capacity, char *quote)
{
	uint32_t best = 0, last_open = 0, i;
	char q = *quote, best_quote = 0;

	for (i = from; text[i] && i - from < capacity; i++) {
		char c = text[i];

		if (q)
			q = c == q ? 0 : q;
		else if (c == '\'' || c == '"')
			q = c;
		if (q)
			continue;
		last_open = i + 1;
		if (i - from > capacity / 2 && (c == ',' || c == ')' || c == ' ')) {
			best = i + 1;
			best_quote = q;
		}
	}
	if (!text[i]) {
		*quote = q;
		return i;
	}
	if (best) {
		*quote = best_quote;
		return best;
	}
	/* outside of constants, if possible; a doubled quote is not split */
	if (last_open > from && text[last_open] != '\'' && text[last_open] != '"') {
		*quote = 0;
		return last_open;
	}
	*quote = q;
	return i;
}

static uint32_t text_capacity(const struct bob_fortran_file *f)
{
	return f->form == BOB_FORTRAN_FIXED ? f->width - 6 : FREE_WIDTH - FREE_FIRST - 2;
}

uint32_t bob_fortran_cut_count(const struct bob_fortran_file *f, const char *text)
{
	uint32_t from = 0, n = 0;
	char quote = 0;

	if (*text == '#')
		return 1;
	if (f->form == BOB_FORTRAN_FIXED && f->width < 20)
		return 0;
	do {
		from = cut_at(text, from, text_capacity(f), &quote);
		n++;
	} while (text[from]);
	return n;
}

void bob_fortran_cut(struct bob_fortran_writer *w, const struct bob_fortran_file *f, uint32_t label,
		     const char *text)
{
	bool is_fixed = f->form == BOB_FORTRAN_FIXED;
	uint32_t from = 0, to;
	char quote = 0, head[16];

	if (*text == '#') { /* a preprocessor line, unchanged */
		bob_fortran_write(w, text, strlen(text));
		bob_fortran_write_end(w);
		return;
	}
	do {
		to = cut_at(text, from, text_capacity(f), &quote);
		if (from)
			bob_fortran_write(w, "     &", 6);
		else if (label)
			bob_fortran_write(w, head,
					  (size_t)snprintf(head, sizeof(head), "%5u ", label));
		else
			bob_fortran_write(w, "      ", 6);
		bob_fortran_write(w, text + from, to - from);
		if (text[to] && !is_fixed)
			bob_fortran_write(w, "&", 1);
		bob_fortran_write_end(w);
		from = to;
	} while (text[from] && !w->failed);
}

/* The number of columns that are read in fixed form. A tab in the first columns is counted as
 * compilers do. */
static uint32_t fixed_part(const struct bob_fortran_file *f, const char *line, uint32_t len)
{
	uint32_t column = 1, i;

	for (i = 0; i < len && column <= f->width; i++)
		column = line[i] == '\t' && column < 7 ? 7 : column + 1;
	return i;
}

/* The offset after the last character on this line of at most `capacity` characters. In free form
 * it is not next to a quote, which may be doubled, and the next line has more than a continuation
 * mark. */
static uint32_t recut_at(const char *line, uint32_t from, uint32_t len, uint32_t capacity,
			 bool is_fixed)
{
	uint32_t to = len - from <= capacity ? len : from + capacity, lowest = to - capacity / 2;

	if (is_fixed || to == len)
		return to;
	if (len - to < 4)
		to -= 8;
	while (to > lowest &&
	       (bob_fortran_is_quote(line[to]) || bob_fortran_is_quote(line[to - 1])))
		to--;
	return to;
}

uint32_t bob_fortran_recut(struct bob_fortran_writer *w, const struct bob_fortran_file *f,
			   const char *line, uint32_t len, bool was_long)
{
	bool is_fixed = f->form == BOB_FORTRAN_FIXED;
	uint32_t from, to, added = 0;

	if (is_fixed)
		from = fixed_part(f, line, len);
	else
		from = len <= FREE_WIDTH || was_long ?
			       len :
			       recut_at(line, 0, len, FREE_WIDTH - 1, false);
	bob_fortran_write(w, line, from);
	for (; from < len && !w->failed; from = to) {
		to = recut_at(line, from, len, text_capacity(f), is_fixed);
		if (!is_fixed)
			bob_fortran_write(w, "&", 1);
		bob_fortran_write_end(w);
		bob_fortran_write(w, "     &", 6);
		bob_fortran_write(w, line + from, to - from);
		added++;
	}
	bob_fortran_write_end(w);
	return added;
}
