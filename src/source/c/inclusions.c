/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the inclusions of a file with libclang, and the names that the compiler gives to them. */
#define _GNU_SOURCE /* memmem */
#include "source/c/inclusions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENTRIES_MAX 20000u

static bool has(const struct bob_c_inc_file *f, const char *word)
{
	return f->bytes && memmem(f->bytes, f->size, word, strlen(word)) != NULL;
}

/* Index of the file; BOB_C_NO: a system header, or not a file. */
static uint32_t number_of(struct bob_c_inc_headers *h, CXFile at)
{
	const struct bob_clang *l = h->u->clang;
	struct bob_c_inc_file *f;

	for (size_t i = 0; at && i < h->files.count; i++)
		if (l->File_isEqual(h->files.at[i].at, at))
			return (uint32_t)i;
	if (!at || (h->files.count &&
		    l->Location_isInSystemHeader(l->getLocationForOffset(h->u->tu, at, 0))))
		return BOB_C_NO;
	if (BOB_VEC_RESERVE(&h->files, 1) != BOB_OK) {
		h->is_failed = true;
		return BOB_C_NO;
	}
	f = &h->files.at[h->files.count];
	*f = (struct bob_c_inc_file){ .at = at, .name = bob_c_text(h->u, l->getFileName(at)) };
	f->bytes = l->getFileContents(h->u->tu, at, &f->size);
	f->is_once = has(f, "pragma once");
	f->is_barred = !f->bytes || strpbrk(f->name, "\"\\\n") ||
		       (h->files.count && (has(f, "include_next") || has(f, "__has_include") ||
					   has(f, "__INCLUDE_LEVEL__") || has(f, "system_header")));
	return (uint32_t)h->files.count++;
}

size_t bob_c_folder_len(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? (size_t)(slash - name) : 0;
}

/* The name, if such a file exists. */
static const char *try_name(struct bob_c_inc_headers *h, const char *folder, size_t folder_bytes,
			    const char *name, size_t bytes)
{
	const char *at;

	while (folder_bytes > 1 && folder[folder_bytes - 1] == '/')
		folder_bytes--;
	at = bob_c_printf(h->u, "%.*s%s%.*s", (int)folder_bytes, folder, folder_bytes ? "/" : "",
			  (int)bytes, name);
	return at && !access(at, R_OK) ? at : NULL;
}

/* The compiler's name of the file included in this line. (clang gives the name under which it found
 * the file last.) */
static const char *name_of(struct bob_c_inc_headers *h, const struct bob_c_inc_entry *e,
			   const char *otherwise)
{
	const struct bob_c_inc_entry *around = &h->entries.at[e->parent];
	const struct bob_c_inc_file *in = &h->files.at[around->file];
	const char *text = in->bytes + e->offset, *end = memchr(text, '\n', in->size - e->offset);
	const struct bob_source_c_options *o = h->u->options;
	const char *name = NULL, *open, *close;

	end = end ? end : in->bytes + in->size;
	for (open = text; open < end && *open != '"' && *open != '<'; open++)
		;
	close = open < end ? memchr(open + 1, *open == '"' ? '"' : '>', (size_t)(end - open - 1)) :
			     NULL;
	if (!close)
		return otherwise;
	open++;
	if (*close == '"' || *open == '/')
		name = try_name(h, around->name, *open == '/' ? 0 : bob_c_folder_len(around->name),
				open, (size_t)(close - open));
	for (uint32_t i = 0; i < o->flag_count && !name; i++) {
		const char *flag = o->flags[i], *folder = flag + 2;

		if (strcmp(flag, "-iquote") != 0 && strncmp(flag, "-I", 2) != 0)
			continue;
		if (flag[1] == 'i' || !flag[2]) {
			if (++i == o->flag_count || (flag[1] == 'i' && *close != '"'))
				continue;
			folder = o->flags[i];
		}
		name = try_name(h, folder, strlen(folder), open, (size_t)(close - open));
	}
	return name ? name : otherwise;
}

static void see_entry(CXFile at, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
	struct bob_c_inc_headers *h = data;
	struct bob_c_inc_entry e = { .file = number_of(h, at), .parent = BOB_C_NO, .depth = depth };
	CXFile around = NULL;
	unsigned line, column, offset;

	if (depth) {
		h->u->clang->getExpansionLocation(stack[0], &around, &line, &column, &offset);
		e.offset = offset;
		for (size_t i = h->entries.count; i-- > 0 && e.parent == BOB_C_NO;)
			if (h->entries.at[i].depth + 1 == depth)
				e.parent = (uint32_t)i;
		if (e.parent != BOB_C_NO && h->entries.at[e.parent].file != number_of(h, around))
			e.parent = BOB_C_NO;
	}
	if (e.file != BOB_C_NO) {
		const struct bob_c_inc_file *f = &h->files.at[e.file];

		e.name = !depth ? h->u->path : f->name;
		if (e.parent != BOB_C_NO && h->entries.at[e.parent].file != BOB_C_NO &&
		    e.offset < h->files.at[h->entries.at[e.parent].file].size)
			e.name = name_of(h, &e, f->name);
	}
	h->is_failed |= h->entries.count >= ENTRIES_MAX || BOB_VEC_ADD(&h->entries, e) != BOB_OK;
}

static enum CXChildVisitResult see_directive(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_inc_headers *h = data;
	const struct bob_clang *l = h->u->clang;
	struct bob_c_inc_directive d = { .file = BOB_C_NO };
	CXFile in = NULL;
	unsigned line, column, offset;

	(void)parent;
	if (l->getCursorKind(c) != CXCursor_InclusionDirective)
		return CXChildVisit_Continue;
	l->getExpansionLocation(l->getCursorLocation(c), &in, &line, &column, &offset);
	if (l->Location_isInSystemHeader(l->getCursorLocation(c)))
		return CXChildVisit_Continue;
	d.file = number_of(h, in);
	d.target = number_of(h, l->getIncludedFile(c));
	d.offset = offset;
	if (d.file == BOB_C_NO || d.target == BOB_C_NO || offset > h->files.at[d.file].size)
		return CXChildVisit_Continue;
	for (size_t i = offset;
	     i < h->files.at[d.file].size && h->files.at[d.file].bytes[i] != '\n'; i++)
		d.is_quoted |= h->files.at[d.file].bytes[i] == '"';
	if (BOB_VEC_ADD(&h->directives, d) != BOB_OK) {
		h->is_failed = true;
		return CXChildVisit_Break;
	}
	return CXChildVisit_Continue;
}

bool bob_c_inclusions_find(struct bob_c_inc_headers *h)
{
	const struct bob_clang *l = h->u->clang;

	(void)number_of(h, l->getFile(h->u->tu, h->u->path));
	l->getInclusions(h->u->tu, see_entry, h);
	l->visitChildren(l->getTranslationUnitCursor(h->u->tu), see_directive, h);
	return !h->is_failed && h->entries.count && !h->entries.at[0].depth;
}
