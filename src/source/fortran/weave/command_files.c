/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the files of a command; names of modules of one file are known in the others. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "source/fortran/weave/fortran.h"
#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/lines.h"
#include "source/fortran/weave/reached.h"

struct member {
	struct bob_weave w;
	bool is_begun, is_read;	/* its names */
};

#define PADDED_BYTES 16u /* size of a padded variable */

struct bob_source_fortran_group {
	struct bob_arena arena;
	const struct bob_source_options *options;
	struct bob_fortran_options how;
	int32_t integer_kind, real_kind;
	bool keeps_locals;
	bool keeps_scalars;	/* ... even small ones */
	bool is_strict;		/* a compiler option disables extensions */
	bool has_extensions;	/* ... except intrinsic procedures */
	struct member *members;
	uint32_t count;
	const struct bob_source_across *c; /* requests of C files */
	struct bob_source_across across; /* requests of these files */
	const char **names;	/* names in `across` */
};

/* --- files --- */

static bob_status read_file(struct bob_arena *arena, const char *path, char **bytes, size_t *len,
			    struct bob_source_complaint *why)
{
	FILE *f = fopen(path, "re");
	char *at = NULL;
	long size = -1;

	if (f && !fseek(f, 0, SEEK_END))
		size = ftell(f);
	if (size >= 0 && size <= (long)BOB_FORTRAN_BYTES_MAX && !fseek(f, 0, SEEK_SET))
		at = bob_arena_alloc(arena, (size_t)size + 1);
	if (at && fread(at, 1, (size_t)size, f) != (size_t)size)
		at = NULL;
	if (!at)
		snprintf(why->text, sizeof(why->text), "%.400s: %s", path,
			 size > (long)BOB_FORTRAN_BYTES_MAX ? "too long" : strerror(errno));
	if (f)
		fclose(f);
	if (!at)
		return BOB_ERR_IO;
	*bytes = at;
	*len = (size_t)size;
	return BOB_OK;
}

struct includes {
	struct bob_arena *arena;
	const char *path;	/* of the including file */
	struct bob_source_fortran_group *group;
	bob_status st;		/* of modules */
};

static bob_status try_include(struct includes *in, const char *dir, size_t dir_len,
			      const char *name, const char **bytes, size_t *len)
{
	struct bob_source_complaint unused;
	char path[4096];
	char *at;

	if (snprintf(path, sizeof(path), "%.*s%s%s", (int)dir_len, dir, dir_len ? "/" : "", name) >=
	    (int)sizeof(path))
		return BOB_ERR_NOENT;
	if (read_file(in->arena, path, &at, len, &unused) != BOB_OK)
		return BOB_ERR_NOENT;
	*bytes = at;
	return BOB_OK;
}

/* Headers of gfortran itself, such as omp_lib.h. */
static bob_status try_compiler(struct includes *in, const char *name, const char **bytes,
			       size_t *len)
{
	bob_status st = BOB_ERR_NOENT;
	glob_t folders;

	if (glob("/usr/lib/gcc/*/*/finclude", GLOB_NOSORT, NULL, &folders))
		return st;
	for (size_t i = 0; i < folders.gl_pathc && st != BOB_OK; i++)
		st = try_include(in, folders.gl_pathv[i], strlen(folders.gl_pathv[i]), name, bytes,
				 len);
	globfree(&folders);
	return st;
}

/* Searches the file's folder, then -I folders, then the compiler's own. */
static bob_status find_include(void *data, const char *name, const char **bytes, size_t *len)
{
	struct includes *in = data;
	const char *slash = strrchr(in->path, '/');
	bob_status st =
		try_include(in, in->path, slash ? (size_t)(slash - in->path) : 0, name, bytes, len);

	for (uint32_t i = 0; i < in->group->options->flag_count && st != BOB_OK; i++)
		if (!strncmp(in->group->options->flags[i], "-I", 2))
			st = try_include(in, in->group->options->flags[i] + 2,
					 strlen(in->group->options->flags[i] + 2), name, bytes,
					 len);
	return st == BOB_OK ? st : try_compiler(in, name, bytes, len);
}

/* --- flags of the compiler --- */

static void read_flags(struct bob_source_fortran_group *g, const struct bob_source_options *o)
{
	for (uint32_t i = 0; i < o->flag_count; i++) {
		const char *flag = o->flags[i];

		g->how.is_openmp |= !strcmp(flag, "-fopenmp");
		g->keeps_locals |= !strcmp(flag, "-fno-automatic") || !strcmp(flag, "-save") ||
				   !strcmp(flag, "-Msave");
		g->keeps_scalars |= !strncmp(flag, "-fmax-stack-var-size=", 21) &&
				    strtoul(flag + 21, NULL, 10) < PADDED_BYTES;
		if (!strncmp(flag, "-std=", 5))
			g->is_strict = strcmp(flag + 5, "gnu") && strcmp(flag + 5, "legacy");
		g->has_extensions |= !strcmp(flag, "-fall-intrinsics");
		if (!strcmp(flag, "-ffixed-form"))
			g->how.form = BOB_FORTRAN_FIXED;
		else if (!strcmp(flag, "-ffree-form"))
			g->how.form = BOB_FORTRAN_FREE;
		else if (!strncmp(flag, "-ffixed-line-length-", 20))
			g->how.width = (uint32_t)strtoul(flag + 20, NULL, 10);
		else if (!strcmp(flag, "-fdefault-integer-8"))
			g->integer_kind = 8;
		else if (!strcmp(flag, "-fdefault-real-8"))
			g->real_kind = 8;
	}
}

static bob_status split_source(const struct bob_source_fortran_group *g, struct bob_weave *w,
			       struct bob_source_complaint *why)
{
	struct bob_fortran_options how = g->how;
	char *bytes;
	size_t len;
	bob_status st = read_file(w->arena, w->path, &bytes, &len, why);

	how.likely = bob_fortran_form_of_name(w->path);
	if (st == BOB_OK)
		st = bob_fortran_split(w->arena, bytes, len, &how, &w->file);
	if (st == BOB_OK)
		st = bob_fortran_units(w->file);
	return st;
}

/* --- names: those of modules come first --- */

static bob_status read_names(struct bob_source_fortran_group *g, struct member *m);

static const struct bob_fortran_unit *module_of(const struct member *m, const char *name)
{
	const struct bob_fortran_file *f = m->w.file;

	for (uint32_t i = 0; i < f->unit_count; i++)
		if (f->units[i].kind == BOB_UNIT_MODULE && !strcmp(f->units[i].name, name))
			return &f->units[i];
	return NULL;
}

/* Circular dependencies of modules are not Fortran: names are missing then. */
static const struct bob_fortran_symbols *find_module(void *data, const char *name)
{
	struct includes *in = data;

	for (uint32_t i = 0; i < in->group->count; i++) {
		struct member *m = &in->group->members[i];
		const struct bob_fortran_unit *u = module_of(m, name);

		if (!u || m->is_begun != m->is_read)
			continue;
		in->st = read_names(in->group, m);
		return in->st == BOB_OK ? u->symbols : NULL;
	}
	return NULL;
}

static bob_status read_names(struct bob_source_fortran_group *g, struct member *m)
{
	struct includes in = { .arena = &g->arena, .path = m->w.path, .group = g };
	const struct bob_fortran_finder finder = { .include = find_include,
						   .module = find_module,
						   .data = &in,
						   .integer_kind = g->integer_kind,
						   .real_kind = g->real_kind };
	bob_status st;

	if (m->is_begun)
		return BOB_OK;
	m->is_begun = true;
	st = bob_fortran_symbols_read(m->w.file, &finder);
	m->is_read = true;
	return st == BOB_OK ? in.st : st;
}

/* The build id of the image: a digest of all requests of all files, and the text. */
static uint64_t digest_of(const struct bob_weave *w)
{
	const uint8_t how[] = { w->is_flat, w->is_exact, w->is_in_place, w->c->has_arguments };
	uint64_t h = bob_hash64(bob_hash64(1, how, sizeof(how)), w->file->bytes, w->file->len);
	char text[8192];

	for (const struct bob_weave *o = w->files; o; o = o->next) {
		h = bob_hash64(h, &(uint8_t){ o == w }, 1);
		for (const struct bob_request *x = o->requests->first; x; x = x->next)
			h = bob_hash64(h, text, bob_request_print(x, text, sizeof(text)));
	}
	if (w->c->is_there)
		h = bob_hash64(h, &w->c->classes, sizeof(w->c->classes));
	for (uint32_t i = 0; i < w->c->count; i++)
		h = bob_hash64(h, w->c->names[i], strlen(w->c->names[i]));
	return h;
}

static bob_status add_files(struct bob_source_fortran_group *g,
			    const struct bob_request_file *first)
{
	uint32_t n = 0;

	for (const struct bob_request_file *f = first; f; f = f->next)
		n++;
	g->members = calloc(n + 1u, sizeof(*g->members));
	if (!g->members)
		return BOB_ERR_NOMEM;
	for (const struct bob_request_file *f = first; f; f = f->next) {
		struct bob_weave *w = &g->members[g->count].w;

		if (bob_source_language(f->path) != BOB_SOURCE_FORTRAN)
			continue;
		*w = (struct bob_weave){ .arena = &g->arena, .requests = f, .path = f->path,
					 .is_flat = g->options->is_flat || g->options->is_exact,
					 .is_exact = g->options->is_exact,
					 .is_in_place = g->options->is_in_place,
					 .keeps_locals = g->keeps_locals,
					 .shares_locals = g->how.is_openmp &&
							  (g->keeps_locals || g->keeps_scalars),
					 .is_holding = !g->options->holds_nothing &&
						       !g->options->is_exact && !g->keeps_locals &&
						       !g->keeps_scalars &&
						       (!g->is_strict || g->has_extensions),
					 .files = &g->members[0].w,
					 .c = g->c };
		if (g->count)
			g->members[g->count - 1].w.next = w;
		g->count++;
	}
	return BOB_OK;
}

/* --- unknown statements --- */

static bool is_understood(const struct bob_fortran_statement *s)
{
	struct bob_arena scratch = { 0 };
	const struct bob_fortran_item *items;
	uint32_t bad = 0;
	bool ok = s->kind != BOB_F_UNKNOWN;

	if (ok && s->is_executable)
		ok = bob_fortran_items(&scratch, s, &items, &bad) == BOB_OK && !bad;
	bob_arena_free(&scratch);
	return ok;
}

/* Units with an unknown statement, or without an end, stay unchanged. */
static bob_status leave_units(struct bob_weave *w)
{
	w->is_left = bob_arena_alloc(w->arena, w->file->unit_count + 1u);
	if (!w->is_left)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < w->file->count; i++)
		w->has_branches |= bob_fortran_conditional(&w->file->statements[i]) != 0;
	for (uint32_t i = 0; i < w->file->unit_count; i++) {
		w->is_left[i] = w->file->units[i].flags & BOB_UNIT_UNENDED;
		if (w->is_left[i])
			bob_weave_remark(w,
					 "the END of this unit is missing: it is not instrumented",
					 w->file->statements[w->file->units[i].first].line);
		if (w->is_left[i] || !bob_weave_mixes_branches(w, i))
			continue;
		w->is_left[i] = true;
		bob_weave_remark(
			w,
			"a branch of an #if has declarations and statements that run: the unit "
			"that it is in stays as it is",
			w->file->statements[w->file->units[i].execute].line);
	}
	for (uint32_t i = 0; i < w->file->count; i++) {
		const struct bob_fortran_statement *s = &w->file->statements[i];

		if (s->unit == BOB_FORTRAN_NO || w->is_left[s->unit])
			continue;
		if (s->includes_code && s->includes_names && w->file->units[s->unit].execute == i) {
			w->is_left[s->unit] = true;
			bob_weave_remark(
				w,
				"a file is included that declares and runs: the unit that it is "
				"in stays as it is",
				s->line);
		} else if (s->includes_code) {
			bob_weave_refuse(w, "statements of a file that is included there", s->line);
		}
		if (is_understood(s))
			continue;
		w->is_left[s->unit] = true;
		bob_weave_remark(w, "unknown statement: its unit is not instrumented", s->line);
	}
	return BOB_OK;
}

/* Reports included files that were not found. */
static void check_includes(struct bob_source_fortran_group *g, struct bob_weave *w)
{
	struct includes in = { .arena = &g->arena, .path = w->path, .group = g };

	w->lacking = bob_arena_alloc(w->arena, (w->file->unit_count + 1u) * sizeof(*w->lacking));
	for (uint32_t i = 0; i < w->file->count && w->lacking; i++) {
		const struct bob_fortran_statement *s = &w->file->statements[i];
		const char *open = s->kind == BOB_F_INCLUDE ? strpbrk(s->text, "'\"") : NULL;
		const char *close = open ? strchr(open + 1, *open) : NULL, *bytes;
		size_t len;

		if (!close ||
		    find_include(&in, bob_weave_text(w, "%.*s", (int)(close - open - 1), open + 1),
				 &bytes, &len) == BOB_OK)
			continue;
		bob_weave_remark(
			w,
			"this INCLUDE was not found (-I says where): what it declares is not known",
			s->line);
		if (s->unit < w->file->unit_count && !w->lacking[s->unit])
			w->lacking[s->unit] = s->line;
	}
	w->is_failed |= !w->lacking;
}

/* --- all --- */

static bob_status read_all(struct bob_source_fortran_group *g, struct bob_source_complaint *why)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < g->count && st == BOB_OK; i++)
		st = split_source(g, &g->members[i].w, why);
	for (uint32_t i = 0; i < g->count && st == BOB_OK; i++)
		st = read_names(g, &g->members[i]);
	for (uint32_t i = 0; i < g->count && st == BOB_OK; i++) {
		struct bob_weave *w = &g->members[i].w;

		w->digest = digest_of(w);
		check_includes(g, w);
		st = leave_units(w);
		if (st == BOB_OK)
			st = bob_weave_check_lines(w, why);
		if (st == BOB_OK)
			st = bob_weave_choose(w, why);
	}
	if (st == BOB_OK && g->count)
		st = bob_weave_across(&g->members[0].w, &g->across, &g->names);
	if (st == BOB_OK && g->count)
		st = bob_weave_close(&g->members[0].w);
	if (st == BOB_OK && g->count)
		st = bob_weave_say_foreign(&g->members[0].w);
	return st == BOB_OK && g->count ? bob_weave_plan_clones(&g->members[0].w) : st;
}

bob_status bob_source_fortran_group_open(const struct bob_request_file *first,
					 const struct bob_source_options *o,
					 const struct bob_source_across *c,
					 struct bob_source_fortran_group **out,
					 struct bob_source_complaint *why)
{
	struct bob_source_fortran_group *g = calloc(1, sizeof(*g));
	bob_status st;

	if (!g)
		return BOB_ERR_NOMEM;
	g->options = o;
	g->c = c;
	read_flags(g, o);
	st = add_files(g, first);
	if (st == BOB_OK)
		st = read_all(g, why);
	if (st == BOB_OK)
		*out = g;
	else
		bob_source_fortran_group_close(g);
	return st;
}

const struct bob_source_across *bob_source_fortran_across(const struct bob_source_fortran_group *g)
{
	return &g->across;
}

void bob_source_fortran_group_close(struct bob_source_fortran_group *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->count; i++) {
		struct bob_weave *w = &g->members[i].w;

		BOB_VEC_FREE(&w->variables);
		BOB_VEC_FREE(&w->passed);
		BOB_VEC_FREE(&w->sites);
		BOB_VEC_FREE(&w->events);
		BOB_VEC_FREE(&w->lines);
		BOB_VEC_FREE(&w->edits);
		BOB_VEC_FREE(&w->nests);
		BOB_VEC_FREE(&w->called);
		BOB_VEC_FREE(&w->plain);
		BOB_VEC_FREE(&w->externals);
		BOB_VEC_FREE(&w->clones);
		BOB_VEC_FREE(&w->redirects);
	}
	free(g->members);
	free(g->names);
	bob_arena_free(&g->arena);
	free(g);
}

struct bob_weave *bob_weave_of(struct bob_source_fortran_group *g, const char *path)
{
	for (uint32_t i = 0; i < g->count; i++)
		if (!strcmp(g->members[i].w.path, path))
			return &g->members[i].w;
	return NULL;
}
