/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the file line by line. Lines without patches are copied; others are assembled from their
 * code and the replacements, and broken again if they became too long. Parts of a line that are not
 * code (a comment, columns that are not read) stay in place if the line does not change; otherwise
 * they precede it as a comment. */
#include "source/fortran/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/search.h"
#include "source/fortran/cut.h"
#include "source/fortran/reserve.h"

struct bob_fortran_patch {
	uint32_t at, len, label;
	uint32_t order;
	const char *text;
	bool is_statement;
};

void bob_fortran_patches_init(struct bob_fortran_patches *p, struct bob_arena *arena,
			      const struct bob_fortran_file *f)
{
	*p = (struct bob_fortran_patches){ .arena = arena, .file = f };
}

static bob_status add(struct bob_fortran_patches *p, struct bob_fortran_patch patch)
{
	patch.text = bob_arena_text(p->arena, patch.text, strlen(patch.text));
	patch.order = p->count;
	if (!patch.text ||
	    !bob_fortran_reserve(p->arena, &p->at, p->count, &p->capacity, sizeof(*p->at)))
		return BOB_ERR_NOMEM;
	p->at[p->count++] = patch;
	return BOB_OK;
}

/* Index of the first statement that ends on this line or after it. */
static uint32_t statement_at_line(const struct bob_fortran_file *f, uint32_t line)
{
	size_t low;

	BOB_PARTITION_POINT(low, f->count, mid, f->statements[mid].line_last < line);
	return (uint32_t)low;
}

/* Does a statement begin here, after another one on the same line? */
static bool begins_after(const struct bob_fortran_file *f, uint32_t at)
{
	uint32_t line = bob_fortran_position(f, at).line;

	for (uint32_t i = statement_at_line(f, line); i < f->count && f->statements[i].line <= line;
	     i++)
		if (f->statements[i].first == at && i && f->statements[i].line == line &&
		    f->statements[i - 1].line_last == line)
			return true;
	return false;
}

static bool is_line_start(const struct bob_fortran_file *f, uint32_t at)
{
	uint32_t line = bob_fortran_position(f, at).line, i;

	if (at >= f->len)
		return at == f->len;
	i = statement_at_line(f, line);
	return bob_fortran_line_at(f, line) == at &&
	       (i == f->count || f->statements[i].line >= line);
}

bob_status bob_fortran_patch_statement(struct bob_fortran_patches *p, uint32_t at, uint32_t label,
				       const char *text)
{
	uint32_t lines = bob_fortran_cut_count(p->file, text);

	if (!lines || lines > BOB_FORTRAN_CONTINUATIONS_MAX + 1 || label > 99999)
		return BOB_ERR_UNSUPPORTED;
	if (!is_line_start(p->file, at) && !begins_after(p->file, at))
		return BOB_ERR_INVAL;
	return add(p, (struct bob_fortran_patch){ at, 0, label, 0, text, true });
}

/* The code of line n: bytes [*from, *to) from its beginning to after the last byte of a statement
 * and the continuation mark; *blanks: padding of a continued constant up to the last column. */
static void code_of(const struct bob_fortran_file *f, uint32_t line, uint32_t *from, uint32_t *to,
		    uint32_t *blanks)
{
	uint32_t end = bob_fortran_line_at(f, line + 1), stop;

	*from = *to = bob_fortran_line_at(f, line);
	*blanks = 0;
	while (end > *from && (f->bytes[end - 1] == '\n' || f->bytes[end - 1] == '\r'))
		end--;
	stop = end;
	for (uint32_t i = statement_at_line(f, line); i < f->count && f->statements[i].line <= line;
	     i++) {
		const struct bob_fortran_statement *s = &f->statements[i];
		size_t low;

		if (s->label_len && s->label_at >= *from && s->label_at + s->label_len <= end &&
		    s->label_at + s->label_len > *to)
			*to = s->label_at + s->label_len;
		/* after its last character before `end` */
		BOB_PARTITION_POINT(low, s->len, mid, s->at[mid] < end);
		if (low && s->at[low - 1] >= *from && s->at[low - 1] + 1 > *to)
			*to = s->at[low - 1] + 1;
		for (; low < s->len && s->at[low] == stop && s->line_last > line; low++)
			(*blanks)++;
	}
	/* free form: the & at the end */
	for (end = *to; end < stop && (f->bytes[end] == ' ' || f->bytes[end] == '\t'); end++)
		;
	if (end < stop && (f->bytes[end] == '&' || f->bytes[end] == ';') &&
	    f->form == BOB_FORTRAN_FREE)
		*to = end + 1;
	if (*blanks)
		*to = stop;
}

bob_status bob_fortran_patch_replace(struct bob_fortran_patches *p, uint32_t at, uint32_t len,
				     const char *text)
{
	const struct bob_fortran_file *f = p->file;
	uint32_t line, from, to, blanks;

	if (at >= f->len || len > f->len - at)
		return BOB_ERR_INVAL;
	line = bob_fortran_position(f, at).line;
	if (f->line_kinds[line - 1] != BOB_LINE_START &&
	    f->line_kinds[line - 1] != BOB_LINE_CONTINUED)
		return BOB_ERR_INVAL;
	code_of(f, line, &from, &to, &blanks);
	if (at + len > to || strchr(text, '\n'))
		return BOB_ERR_INVAL;
	return add(p, (struct bob_fortran_patch){ at, len, 0, 0, text, false });
}

BOB_COMPARE(compare, struct bob_fortran_patch, BOB_UP(at) BOB_DOWN(is_statement) BOB_UP(order))

struct applier {
	const struct bob_fortran_patches *patches;
	const struct bob_fortran_file *f;
	struct bob_fortran_patch *at;
	uint32_t next;
	struct bob_fortran_writer w, edited; /* the output, and the line being assembled */
	struct bob_fortran_output line;
	const char *path;
	bool is_shifted;	/* lines were added: the next original one needs a line directive */
	bob_status st;
	uint32_t bad;
};

static void line_directive(struct applier *a, uint32_t line)
{
	char head[32];

	if (!a->is_shifted || !a->path)
		return;
	a->is_shifted = false;
	a->w.is_inserting = true;
	bob_fortran_write(&a->w, head, (size_t)snprintf(head, sizeof(head), "# %u \"", line));
	bob_fortran_write(&a->w, a->path, strlen(a->path));
	bob_fortran_write(&a->w, "\"", 1);
	bob_fortran_write_end(&a->w);
	a->w.is_inserting = false;
}

/* Inserts the statements for this offset. */
static void insert(struct applier *a, uint32_t at)
{
	a->w.is_inserting = true;
	for (;
	     a->next < a->patches->count && a->at[a->next].at == at && a->at[a->next].is_statement;
	     a->next++) {
		bob_fortran_cut(&a->w, a->f, a->at[a->next].label, a->at[a->next].text);
		a->is_shifted = true;
	}
	a->w.is_inserting = false;
}

/* Writes the assembled text as a separate line (or several). */
static void flush(struct applier *a, bool was_long)
{
	if (bob_fortran_recut(&a->w, a->f, a->line.bytes ? a->line.bytes : "",
			      (uint32_t)a->line.len, was_long))
		a->is_shifted = true;
	a->line.len = 0;
}

/* Removes the `;` before a statement with inserted lines before it, and the blanks around. */
static void end_before_semicolon(struct applier *a)
{
	size_t n = a->line.len;

	while (n && (a->line.bytes[n - 1] == ' ' || a->line.bytes[n - 1] == '\t'))
		n--;
	if (n && a->line.bytes[n - 1] == ';')
		n--;
	a->line.len = n;
}

static bool too_many_lines(const struct applier *a, uint32_t line, uint32_t added)
{
	uint32_t i = statement_at_line(a->f, line);

	return i < a->f->count && a->f->statements[i].line_last - a->f->statements[i].line + added >
					  BOB_FORTRAN_CONTINUATIONS_MAX;
}

/* Writes a line that contains patches. */
static void edit(struct applier *a, uint32_t line)
{
	const struct bob_fortran_file *f = a->f;
	uint32_t from, to, blanks, at, end = bob_fortran_line_at(f, line + 1), before;

	code_of(f, line, &from, &to, &blanks);
	while (end > to && (f->bytes[end - 1] == '\n' || f->bytes[end - 1] == '\r'))
		end--;
	for (at = to; at < end && (f->bytes[at] == ' ' || f->bytes[at] == '\t'); at++)
		;
	if (at < end && f->bytes[at] == '!') { /* its comment goes before it */
		bob_fortran_write(&a->w, f->bytes + at, end - at);
		a->w.is_inserting = true;
		bob_fortran_write_end(&a->w);
		a->w.is_inserting = false;
		a->is_shifted = true;
	}
	line_directive(a, line);
	before = a->w.out->line_count;
	a->line.len = 0;
	for (at = from; a->next < a->patches->count && a->at[a->next].at <= to;) {
		const struct bob_fortran_patch *p = &a->at[a->next];

		if (p->at < at) {
			a->st = BOB_ERR_INVAL;
			a->bad = p->at;
			return;
		}
		bob_fortran_write(&a->edited, f->bytes + at, p->at - at);
		at = p->at;
		if (p->is_statement) {
			end_before_semicolon(a);
			flush(a, false);
			insert(a, at);
			line_directive(a, line);
			if (f->form == BOB_FORTRAN_FIXED)
				bob_fortran_write(&a->edited, "      ", 6);
			continue;
		}
		bob_fortran_write(&a->edited, p->text, strlen(p->text));
		at += p->len;
		a->next++;
	}
	bob_fortran_write(&a->edited, f->bytes + at, to - at);
	for (; blanks; blanks--)
		bob_fortran_write(&a->edited, " ", 1);
	flush(a, to - from > 132);
	if (too_many_lines(a, line, a->w.out->line_count - before - 1)) {
		a->st = BOB_ERR_UNSUPPORTED;
		a->bad = from;
	}
}

static void apply_line(struct applier *a, uint32_t line)
{
	const struct bob_fortran_file *f = a->f;
	uint32_t from = bob_fortran_line_at(f, line), to = bob_fortran_line_at(f, line + 1);

	a->w.line = line;
	insert(a, from);
	if (a->next < a->patches->count && a->at[a->next].at < to) {
		edit(a, line);
		return;
	}
	line_directive(a, line);
	if (to > from && f->bytes[to - 1] == '\n') {
		bob_fortran_write(&a->w, f->bytes + from, to - from - 1);
		bob_fortran_write_end(&a->w);
	} else { /* the last line has no newline, so the copy has none */
		bob_fortran_write(&a->w, f->bytes + from, to - from);
		if (a->next < a->patches->count)
			bob_fortran_write_end(&a->w);
	}
}

static void take_patches(struct applier *a, const struct bob_fortran_patches *p)
{
	a->patches = p;
	a->next = 0;
	a->at = bob_arena_alloc(p->arena, ((size_t)p->count + 1) * sizeof(*a->at));
	if (!a->at) {
		a->st = BOB_ERR_NOMEM;
		return;
	}
	if (p->count) {
		memcpy(a->at, p->at, p->count * sizeof(*a->at));
		qsort(a->at, p->count, sizeof(*a->at), compare);
	}
}

/* Checks that all patches were applied: none is within a replaced part. */
static void check_rest(struct applier *a)
{
	if (a->st == BOB_OK && a->next < a->patches->count) {
		a->st = BOB_ERR_INVAL;
		a->bad = a->at[a->next].at;
	}
}

static void apply_copy(struct applier *a, const struct bob_fortran_copy *c)
{
	const struct bob_fortran_patches *patches = a->patches;
	struct bob_fortran_patch *at = a->at;
	const uint32_t next = a->next;

	if (a->w.out->len && a->w.out->bytes[a->w.out->len - 1] != '\n')
		bob_fortran_write_end(&a->w);
	take_patches(a, &c->patches);
	a->is_shifted = true;
	for (uint32_t line = c->first_line; line <= c->last_line && a->st == BOB_OK; line++)
		apply_line(a, line);
	check_rest(a);
	a->is_shifted = true;
	a->patches = patches;
	a->at = at;
	a->next = next;
}

bob_status bob_fortran_patches_apply(const struct bob_fortran_patches *p, const char *path,
				     struct bob_fortran_output *out, uint32_t *bad_byte)
{
	struct applier a = { .f = p->file, .path = path };
	uint32_t copy = 0;

	*out = (struct bob_fortran_output){ .bytes = NULL };
	a.w.arena = a.edited.arena = p->arena;
	a.w.out = out;
	a.edited.out = &a.line;
	take_patches(&a, p);
	bob_fortran_write(&a.w, "", 0);
	for (uint32_t line = 1; line <= p->file->line_count && a.st == BOB_OK; line++) {
		apply_line(&a, line);
		for (; copy < p->copy_count && p->copies[copy].last_line == line; copy++)
			apply_copy(&a, &p->copies[copy]);
		if (a.w.failed || a.edited.failed)
			return BOB_ERR_NOMEM;
	}
	a.w.line = p->file->line_count + 1;
	if (a.st == BOB_OK)
		insert(&a, p->file->len);
	check_rest(&a);
	if (a.st != BOB_OK && bad_byte)
		*bad_byte = a.bad;
	return a.w.failed ? BOB_ERR_NOMEM : a.st;
}
