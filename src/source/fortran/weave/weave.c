/* SPDX-License-Identifier: BSD-3-Clause */
#include "source/fortran/weave/weave.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "source/fortran/weave/fortran.h"

const char *bob_weave_text(struct bob_weave *w, const char *format, ...)
{
	va_list ap, again;
	char *text;
	int n;

	va_start(ap, format);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	text = n < 0 ? NULL : bob_arena_alloc(w->arena, (size_t)n + 1);
	if (text)
		vsnprintf(text, (size_t)n + 1, format, again);
	else
		w->is_failed = true;
	va_end(again);
	return text ? text : "";
}

void bob_weave_refuse(struct bob_weave *w, const char *why, uint32_t line)
{
	uint32_t i = 0;

	while (i < w->refusal_count && strcmp(w->refusals[i].why, why) != 0)
		i++;
	if (i == BOB_WEAVE_REFUSALS_MAX)
		return;
	if (i == w->refusal_count)
		w->refusals[w->refusal_count++] =
			(struct bob_source_refusal){ .why = why, .line = line };
	w->refusals[i].count++;
}

const struct bob_fortran_unit *bob_weave_unit(const struct bob_weave *w, uint32_t statement)
{
	const uint32_t unit = w->file->statements[statement].unit;

	return unit < w->file->unit_count ? &w->file->units[unit] : NULL;
}

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
	const char *path;	/* of the file that includes */
	const struct bob_source_options *options;
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

/* Beside the file, then where -I says. */
static bob_status find_include(void *data, const char *name, const char **bytes, size_t *len)
{
	struct includes *in = data;
	const char *slash = strrchr(in->path, '/');
	bob_status st =
		try_include(in, in->path, slash ? (size_t)(slash - in->path) : 0, name, bytes, len);

	for (uint32_t i = 0; i < in->options->flag_count && st != BOB_OK; i++)
		if (!strncmp(in->options->flags[i], "-I", 2))
			st = try_include(in, in->options->flags[i] + 2,
					 strlen(in->options->flags[i] + 2), name, bytes, len);
	return st;
}

static bob_status read_source(struct bob_weave *w, const struct bob_source_options *o,
			      struct bob_source_complaint *why)
{
	struct bob_fortran_options how = { .likely = bob_fortran_form_of_name(w->path) };
	struct includes in = { .arena = w->arena, .path = w->path, .options = o };
	struct bob_fortran_finder finder = { .include = find_include, .data = &in };
	char *bytes;
	size_t len;
	bob_status st = read_file(w->arena, w->path, &bytes, &len, why);

	for (uint32_t i = 0; i < o->flag_count; i++) {
		how.is_openmp |= !strcmp(o->flags[i], "-fopenmp");
		if (!strcmp(o->flags[i], "-ffixed-form"))
			how.form = BOB_FORTRAN_FIXED;
		else if (!strcmp(o->flags[i], "-ffree-form"))
			how.form = BOB_FORTRAN_FREE;
		else if (!strncmp(o->flags[i], "-ffixed-line-length-", 20))
			how.width = (uint32_t)strtoul(o->flags[i] + 20, NULL, 10);
		else if (!strcmp(o->flags[i], "-fdefault-integer-8"))
			finder.integer_kind = 8;
		else if (!strcmp(o->flags[i], "-fdefault-real-8"))
			finder.real_kind = 8;
	}
	if (st == BOB_OK)
		st = bob_fortran_split(w->arena, bytes, len, &how, &w->file);
	if (st == BOB_OK)
		st = bob_fortran_units(w->file);
	if (st == BOB_OK)
		st = bob_fortran_symbols_read(w->file, &finder);
	return st;
}

/* --- lines that no file has --- */

static bob_status check_lines(const struct bob_weave *w, struct bob_source_complaint *why)
{
	for (const struct bob_wish *x = w->wishes->first; x; x = x->next)
		if (x->first_line > w->file->line_count) {
			snprintf(why->text, sizeof(why->text),
				 "%.300s: command %u: from line %u: the file has %u", w->path,
				 x->command, x->first_line, w->file->line_count);
			return BOB_ERR_INVAL;
		}
	return BOB_OK;
}

/* All that is asked for, and the text: another digest, another image. */
static uint64_t digest_of(const struct bob_weave *w)
{
	uint64_t h = bob_hash64(1, w->file->bytes, w->file->len);
	char text[8192];

	for (const struct bob_wish *x = w->wishes->first; x; x = x->next)
		h = bob_hash64(h, text, bob_wish_print(x, text, sizeof(text)));
	return h;
}

static bob_status weave(struct bob_weave *w, struct bob_source_complaint *why)
{
	bob_status st = check_lines(w, why);

	if (st == BOB_OK)
		st = bob_weave_choose(w, why);
	for (uint32_t i = 0; i < w->file->count && st == BOB_OK; i++) {
		st = bob_weave_nest(w, i);
		if (st == BOB_OK)
			st = bob_weave_accesses(w, i);
		if (st == BOB_OK)
			st = bob_weave_code(w, i);
	}
	if (st == BOB_OK)
		st = bob_weave_declare(w);
	w->counts.variables = (uint32_t)w->variable_count;
	return st;
}

static bob_status write_out(struct bob_weave *w, uint64_t digest, struct bob_source_result *r,
			    struct bob_source_complaint *why)
{
	struct bob_fortran_patches p;
	struct bob_fortran_output out;
	uint32_t bad = 0;
	bob_status st;

	bob_fortran_patches_init(&p, w->arena, w->file);
	st = bob_weave_lines(w, &p);
	if (st == BOB_OK)
		st = bob_fortran_patches_apply(&p, w->path, &out, &bad);
	if (st == BOB_ERR_UNSUPPORTED)
		snprintf(why->text, sizeof(why->text),
			 "%.400s:%u: a line would need more continuations than Fortran has",
			 w->path, bob_fortran_position(w->file, bad).line);
	if (st != BOB_OK)
		return st;
	r->text = out.bytes;
	r->len = out.len;
	r->beside = (char *)(uintptr_t)bob_weave_companion(w, digest, &r->beside_len);
	return r->beside ? BOB_OK : BOB_ERR_NOMEM;
}

/* --- what instrument.h asks for --- */

struct memory {
	struct bob_arena arena;
	struct bob_source_result result;
	struct bob_source_refusal refusals[BOB_WEAVE_REFUSALS_MAX];
};

static void close_result(struct bob_source_result *r)
{
	struct memory *m = r->memory;

	bob_arena_free(&m->arena);
	free(m);
}

static void fini(struct bob_weave *w)
{
	free(w->variables);
	free(w->sites);
	free(w->events);
	free(w->lines);
	free(w->nests);
	free(w->called);
}

bob_status bob_source_fortran_instrument(const struct bob_wish_file *f,
					 const struct bob_source_options *o,
					 struct bob_source_result **out,
					 struct bob_source_complaint *why)
{
	struct memory *m = calloc(1, sizeof(*m));
	struct bob_weave w = { .wishes = f, .path = f->path };
	uint64_t digest = 0;
	bob_status st;

	if (!m)
		return BOB_ERR_NOMEM;
	w.arena = &m->arena;
	st = read_source(&w, o, why);
	if (st == BOB_OK) {
		digest = digest_of(&w);
		snprintf(w.id, sizeof(w.id), "bobbin_%08" PRIx32 "_", (uint32_t)digest);
		w.is_flat = o->is_flat;
		w.has_probes = bob_arena_alloc(w.arena, w.file->unit_count + 1u);
		w.told = bob_arena_alloc(w.arena, w.file->count + 1u);
		st = w.has_probes && w.told ? weave(&w, why) : BOB_ERR_NOMEM;
	}
	if (st == BOB_OK)
		st = write_out(&w, digest, &m->result, why);
	memcpy(m->refusals, w.refusals, sizeof(w.refusals));
	fini(&w);
	if (st != BOB_OK) {
		bob_arena_free(&m->arena);
		free(m);
		return st;
	}
	m->result.counts = w.counts;
	m->result.refusals = m->refusals;
	m->result.refusal_count = w.refusal_count;
	m->result.memory = m;
	m->result.close = close_result;
	*out = &m->result;
	return BOB_OK;
}
