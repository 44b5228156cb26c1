/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the headers that are copied into the text: those with requested references, and those
 * that include them. Headers that these include in quotes are copied, too, if they are in another
 * folder than the file, because the compiler would search them there. A header with `#pragma once`
 * would be included again by another file, so all files that include it are copied, and lines
 * without effect are removed. The preprocessor verifies the result: both texts must give the same
 * output. */
#define _GNU_SOURCE /* memmem */
#include "source/c/headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/search.h"
#include "source/c/inclusions.h"

/* --- selection --- */

/* Are files that the entry's file includes in quotes found by the copied text, too? */
static bool is_beside(const struct bob_c_inc_headers *h, const struct bob_c_inc_entry *e)
{
	const char *main = h->u->path;
	const size_t n = bob_c_folder_len(main), k = bob_c_folder_len(e->name);

	return n == k && !memcmp(main, e->name, n);
}

static bool is_all_beside(const struct bob_c_inc_headers *h, uint32_t file)
{
	for (size_t i = 0; i < h->entries.count; i++)
		if (h->entries.at[i].file == file && !is_beside(h, &h->entries.at[i]))
			return false;
	return true;
}

static bool take(struct bob_c_inc_file *f)
{
	const bool is_new = !f->is_taken && !f->is_barred;

	f->is_taken |= is_new;
	return is_new;
}

/* Adds headers until a fixed point is reached. */
static void spread(struct bob_c_inc_headers *h)
{
	bool is_new = true;

	while (is_new) {
		is_new = false;
		for (size_t i = 0; i < h->entries.count; i++) {
			const struct bob_c_inc_entry *e = &h->entries.at[i];
			const uint32_t around =
				e->parent != BOB_C_NO ? h->entries.at[e->parent].file : BOB_C_NO;

			if (e->file != BOB_C_NO && h->files.at[e->file].is_taken &&
			    around != BOB_C_NO)
				is_new |= take(&h->files.at[around]);
		}
		for (size_t i = 0; i < h->directives.count; i++) {
			const struct bob_c_inc_directive *d = &h->directives.at[i];
			struct bob_c_inc_file *in = &h->files.at[d->file],
					      *target = &h->files.at[d->target];

			if (target->is_taken && target->is_once)
				is_new |= take(in);
			if (in->is_taken && d->file && d->is_quoted && !is_all_beside(h, d->file))
				is_new |= take(target);
		}
	}
}

/* Selects headers with refused references. */
static bool choose(struct bob_c_inc_headers *h)
{
	bool is_any = false;

	for (size_t i = 1; i < h->files.count; i++)
		for (size_t k = 0; k < h->u->included.count; k++)
			if (!strcmp(h->files.at[i].name, h->u->included.at[k].why))
				is_any |= take(&h->files.at[i]);
	spread(h);
	for (size_t i = 0; i < h->entries.count; i++) {
		struct bob_c_inc_entry *e = &h->entries.at[i];

		e->is_taken = !e->depth ||
			      (e->file != BOB_C_NO && h->files.at[e->file].is_taken &&
			       e->parent != BOB_C_NO && h->entries.at[e->parent].is_taken);
	}
	return is_any && h->files.at[0].is_taken;
}

/* --- the text --- */

static void put(struct bob_c_inc_headers *h, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h->lines += bytes[i] == '\n';
	bob_c_bytes_put(h->to, bytes, len);
}

/* Its index among the sources. */
static uint32_t source_of(struct bob_c_inc_headers *h, const char *name)
{
	struct bob_c_sources *s = h->sources;
	uint32_t i = 0;

	while (i < s->files && strcmp(s->path[i], name) != 0)
		i++;
	if (i == BOB_C_FILES_MAX) {
		h->is_failed = true;
		return 0;
	}
	if (i < s->files)
		return i;
	s->path[i] = bob_arena_text(&s->arena, name, strlen(name));
	h->is_failed |= !s->path[i];
	s->files += s->path[i] != NULL;
	return i;
}

/* Emits #line: the following text is the entry's, from `line` on. */
static void put_place(struct bob_c_inc_headers *h, const struct bob_c_inc_entry *e, uint32_t line)
{
	struct bob_c_sources *s = h->sources;
	const bool is_bare = h->is_trial && e->depth && !bob_c_folder_len(e->name);
	char text[64];

	put(h, text,
	    (size_t)snprintf(text, sizeof(text), "#line %u \"%s", line, is_bare ? "./" : ""));
	put(h, e->name, strlen(e->name));
	put(h, "\"\n", 2);
	h->is_failed |=
		BOB_VEC_ADD(&s->pieces, (struct bob_c_piece){ h->lines + 1, source_of(h, e->name),
							      line }) != BOB_OK;
}

/* The logical line around a byte, including lines joined by a backslash. */
static void find_line(const struct bob_c_inc_file *f, size_t at, size_t *start, size_t *end)
{
	const char *b = f->bytes;

	while (at && (b[at - 1] != '\n' || (at > 1 && b[at - 2] == '\\')))
		at--;
	*start = at;
	while (at < f->size && (b[at] != '\n' || b[at - 1] == '\\'))
		at++;
	*end = at + (at < f->size);
}

static uint32_t count_lines(const char *bytes, size_t len)
{
	uint32_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += bytes[i] == '\n';
	return n;
}

static void put_lines(struct bob_c_inc_headers *h, uint32_t count)
{
	while (count--)
		put(h, "\n", 1);
}

/* Copies bytes [from, to) of the file, without `#pragma once`. */
static void put_bytes(struct bob_c_inc_headers *h, const struct bob_c_inc_file *f, size_t from,
		      size_t to)
{
	const bool is_cleaned = f != h->files.at && f->is_once;

	while (from < to) {
		size_t start, end;

		find_line(f, from, &start, &end);
		end = end < to ? end : to;
		if (is_cleaned && memmem(f->bytes + from, end - from, "pragma once", 11))
			put_lines(h, count_lines(f->bytes + from, end - from));
		else
			put(h, f->bytes + from, end - from);
		from = end;
	}
}

/* The copied file that is included at `offset` of an entry. BOB_C_NO: none. */
static uint32_t child_at(const struct bob_c_inc_headers *h, uint32_t number, size_t start,
			 size_t end)
{
	for (size_t i = number + 1;
	     i < h->entries.count && h->entries.at[i].depth > h->entries.at[number].depth; i++)
		if (h->entries.at[i].parent == number && h->entries.at[i].offset >= start &&
		    h->entries.at[i].offset < end)
			return h->entries.at[i].is_taken ? (uint32_t)i : BOB_C_NO;
	return BOB_C_NO;
}

BOB_COMPARE(by_place, struct bob_c_inc_directive, BOB_UP(file) BOB_UP(offset))

static void put_entry(struct bob_c_inc_headers *h, uint32_t number)
{
	struct bob_c_inc_file *f = &h->files.at[h->entries.at[number].file];
	size_t at = 0, start, end;

	for (size_t i = 0; i < h->directives.count && !h->is_failed; i++) {
		const struct bob_c_inc_directive *d = &h->directives.at[i];
		const struct bob_c_inc_file *target = &h->files.at[d->target];
		uint32_t child;

		if (&h->files.at[d->file] != f || d->offset < at)
			continue;
		find_line(f, d->offset, &start, &end);
		child = child_at(h, number, start, end);
		if (child == BOB_C_NO && !target->is_taken)
			continue;
		put_bytes(h, f, at, start);
		at = end;
		if (child == BOB_C_NO) { /* it was included before */
			put_lines(h, count_lines(f->bytes + start, end - start));
			continue;
		}
		put_place(h, &h->entries.at[child], 1);
		put_entry(h, child);
		put_place(h, &h->entries.at[number], count_lines(f->bytes, end) + 1);
	}
	put_bytes(h, f, at, f->size);
	if (f != h->files.at && f->size && f->bytes[f->size - 1] != '\n')
		put(h, "\n", 1);
}

static bool build(struct bob_c_inc_headers *h, bool is_trial, struct bob_c_bytes *to)
{
	struct bob_c_sources *s = h->sources;

	h->to = to;
	h->lines = 0;
	h->is_trial = is_trial;
	s->path = bob_arena_alloc(&s->arena, BOB_C_FILES_MAX * sizeof(*s->path));
	s->pieces.count = 0;
	if (!s->path || BOB_VEC_ADD(&s->pieces, (struct bob_c_piece){ 1, 0, 1 }) != BOB_OK)
		return false;
	s->path[0] = h->u->path;
	s->files = 1;
	if (h->directives.count)
		qsort(h->directives.at, h->directives.count, sizeof(*h->directives.at), by_place);
	put_entry(h, 0);
	return !h->is_failed && !to->is_failed && to->len && to->len <= BOB_C_BYTES_MAX;
}

/* Does the preprocessor give the same output for both texts? */
static bool is_right(struct bob_c_inc_headers *h)
{
	struct bob_c_bytes own = { .bytes = h->u->bytes, .len = h->u->len };
	struct bob_c_bytes made = { 0 }, meaning = { 0 }, again = { 0 };
	const bool ok = build(h, true, &made) && bob_c_preprocess(h->u, &own, &meaning) &&
			bob_c_preprocess(h->u, &made, &again) && bob_c_is_same(&meaning, &again);

	free(made.bytes);
	free(meaning.bytes);
	free(again.bytes);
	return ok;
}

bool bob_c_take_headers(struct bob_c_unit *u, char **text, size_t *len, struct bob_c_sources **out)
{
	struct bob_c_inc_headers h = { .u = u, .sources = calloc(1, sizeof(*h.sources)) };
	struct bob_c_bytes made = { 0 };
	bool ok = u->included.count && h.sources;

	if (ok)
		ok = bob_c_inclusions_find(&h) && choose(&h) && is_right(&h) &&
		     build(&h, false, &made);
	free(h.files.at);
	free(h.entries.at);
	free(h.directives.at);
	if (!ok) {
		bob_c_sources_free(h.sources);
		free(made.bytes);
		return false;
	}
	*text = made.bytes;
	*len = made.len;
	*out = h.sources;
	return true;
}

bool bob_c_is_too_early(const struct bob_c_unit *u)
{
	static const char *const said[] = { "_GNU_SOURCE",     "_DEFAULT_SOURCE", "_BSD_SOURCE",
					    "_SVID_SOURCE",    "_POSIX_SOURCE",	  "_POSIX_C_SOURCE",
					    "_XOPEN_SOURCE",   "_ISOC99_SOURCE",  "_ISOC11_SOURCE",
					    "_LARGEFILE_SOURCE", "_FILE_OFFSET_BITS",
					    "_LARGEFILE64_SOURCE", "_TIME_BITS" };

	for (uint32_t at = u->top; u->top_line && at < u->len; at++) {
		const char *p = u->bytes + at;

		if (strncmp(p, "define", 6) != 0 || (p[6] != ' ' && p[6] != '\t'))
			continue;
		p += 6 + strspn(p + 6, " \t");
		for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
			if (bob_c_is_word(p, said[i]))
				return true;
	}
	return false;
}

void bob_c_sources_free(struct bob_c_sources *s)
{
	if (s) {
		bob_arena_free(&s->arena);
		free(s->pieces.at);
	}
	free(s);
}

uint32_t bob_c_line_of(const struct bob_c_sources *s, uint32_t line)
{
	const uint32_t most = (1u << BOB_C_LINE_BITS) - 1;

	if (s) {
		const struct bob_c_piece *p = s->pieces.at;
		size_t after;

		/* the last one that begins at the line or before it */
		BOB_PARTITION_POINT(after, s->pieces.count, i, p[i].first <= line);
		p += after - (after > 0);
		line = p->line + (line - p->first);
		return (line < most ? line : most) | p->file << BOB_C_LINE_BITS;
	}
	return line < most ? line : most;
}
