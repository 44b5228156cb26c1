/* SPDX-License-Identifier: BSD-3-Clause */
/* The front end: weaves probes into each unit of a file and its copies, and applies the patches. */
#include "source/fortran/weave/weave.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "source/fortran/weave/fortran.h"
#include "source/fortran/weave/lines.h"
#include "source/fortran/weave/memory.h"

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

static void refuse(struct bob_weave *w, const char *why, uint32_t line, bool is_early)
{
	uint32_t i = 0;

	while (i < w->refusal_count &&
	       (w->refusals[i].is_early != is_early || strcmp(w->refusals[i].why, why) != 0))
		i++;
	if (i == BOB_WEAVE_REFUSALS_MAX)
		return;
	if (i == w->refusal_count)
		w->refusals[w->refusal_count++] = (struct bob_source_refusal){
			.why = why, .line = line, .is_early = is_early };
	w->refusals[i].count++;
}

void bob_weave_refuse(struct bob_weave *w, const char *why, uint32_t line)
{
	refuse(w, why, line, false);
}

void bob_weave_early(struct bob_weave *w, const char *why, uint32_t line)
{
	refuse(w, why, line, true);
}

void bob_weave_remark(struct bob_weave *w, const char *why, uint32_t line)
{
	if (w->refusal_count < BOB_WEAVE_REFUSALS_MAX)
		w->refusals[w->refusal_count++] =
			(struct bob_source_refusal){ .why = why, .line = line };
}

const struct bob_fortran_unit *bob_weave_unit(const struct bob_weave *w, uint32_t statement)
{
	const uint32_t unit = w->file->statements[statement].unit;

	return unit < w->file->unit_count ? &w->file->units[unit] : NULL;
}

static bob_status weave_statement(struct bob_weave *w, uint32_t i)
{
	bob_status st = bob_weave_hoist(w, i);

	if (st == BOB_OK)
		st = bob_weave_nest(w, i);
	if (st == BOB_OK)
		bob_weave_hold(w, i);
	if (st == BOB_OK)
		st = bob_weave_accesses(w, i);
	if (st == BOB_OK)
		st = bob_weave_code(w, i);
	if (st == BOB_OK)
		bob_weave_hold_end(w, i);
	return st;
}

/* Weaves the copies of a unit, whose probes follow its own. */
static bob_status weave_clones(struct bob_weave *w, uint32_t unit)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];
	const bool has_probes = w->has_probes[unit];
	bob_status st = BOB_OK;

	for (size_t k = 0; k < w->clones.count && st == BOB_OK; k++) {
		if (w->clones.at[k].unit != unit)
			continue;
		bob_weave_enter_clone(w, k);
		memset(w->reported + u->first, BOB_REPORTED_NOT, u->last - u->first + 1);
		for (uint32_t i = u->first; i <= u->last && st == BOB_OK; i++)
			if (w->file->statements[i].unit == unit)
				st = weave_statement(w, i);
		bob_weave_leave_clone(w, k);
	}
	w->has_probes[unit] = has_probes;
	return st;
}

static bob_status weave(struct bob_weave *w)
{
	bob_status st = BOB_OK;

	bob_weave_number_components(w);
	for (uint32_t i = 0; i < w->file->count && st == BOB_OK; i++) {
		const uint32_t unit = w->file->statements[i].unit;

		if (unit == BOB_FORTRAN_NO || w->is_left[unit])
			continue;
		st = weave_statement(w, i);
		if (st == BOB_OK && i == w->file->units[unit].last)
			st = weave_clones(w, unit);
	}
	if (st == BOB_OK)
		st = bob_weave_declare(w);
	if (st == BOB_OK)
		st = bob_weave_redirect(w);
	if (st == BOB_OK)
		bob_weave_remarks(w);
	if (st == BOB_OK)
		bob_weave_wrapper_functions(w);
	if (st == BOB_OK)
		bob_weave_object_procedures(w);
	w->counts.variables = w->row_count;
	w->counts.copies = (uint32_t)w->clones.count;
	return st;
}

static bob_status write_out(struct bob_weave *w, uint64_t digest, struct bob_source_result *r,
			    struct bob_source_complaint *why)
{
	struct bob_fortran_copy *copies = NULL;
	struct bob_fortran_patches p;
	struct bob_fortran_output out;
	uint32_t bad = 0;
	bob_status st;

	bob_fortran_patches_init(&p, w->arena, w->file);
	st = bob_weave_lines(w, 0, &p);
	if (st == BOB_OK)
		st = bob_weave_rename_calls(w, 0, &p);
	if (st == BOB_OK)
		st = bob_weave_copies(w, &copies);
	p.copies = copies;
	p.copy_count = (uint32_t)w->clones.count;
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

/* --- the interface of instrument.h --- */

struct memory {
	struct bob_arena arena;	/* memory of weaving; the parsed file is in the group's */
	struct bob_source_result result;
	struct bob_source_fortran_group *own; /* for a single file */
};

static void close_result(struct bob_source_result *r)
{
	struct memory *m = r->memory;

	bob_arena_free(&m->arena);
	bob_source_fortran_group_close(m->own);
	free(m);
}

static bob_status instrument(struct bob_weave *w, struct memory *m, struct bob_predict *predict,
			     struct bob_source_complaint *why)
{
	bob_status st;

	w->arena = &m->arena;
	snprintf(w->id, sizeof(w->id), "bobbin_%08" PRIx32 "_", (uint32_t)w->digest);
	w->has_probes = bob_arena_alloc(w->arena, w->file->unit_count + 1u);
	w->reported = bob_arena_alloc(w->arena, w->file->count + 1u);
	st = w->has_probes && w->reported ? weave(w) : BOB_ERR_NOMEM;
	if (st == BOB_OK && predict)
		st = bob_weave_predict(w, predict);
	if (st == BOB_OK)
		st = write_out(w, w->digest, &m->result, why);
	m->result.counts = w->counts;
	m->result.refusals = w->refusals;
	m->result.refusal_count = w->refusal_count;
	m->result.memory = m;
	m->result.close = close_result;
	return st;
}

bob_status bob_source_fortran_instrument(struct bob_source_fortran_group *g,
					 const struct bob_request_file *f,
					 const struct bob_source_options *o,
					 struct bob_source_result **out,
					 struct bob_source_complaint *why)
{
	struct memory *m = calloc(1, sizeof(*m));
	bob_status st = m ? BOB_OK : BOB_ERR_NOMEM;
	static const struct bob_source_across no_c = { 0 };
	struct bob_request_file alone = *f;

	alone.next = NULL;
	if (st == BOB_OK && !g) {
		st = bob_source_fortran_group_open(&alone, o, &no_c, &m->own, why);
		g = m->own;
	}
	if (st == BOB_OK)
		st = instrument(bob_weave_of(g, f->path), m, o->predict, why);
	if (st == BOB_OK) {
		*out = &m->result;
		return BOB_OK;
	}
	if (m) {
		bob_arena_free(&m->arena);
		bob_source_fortran_group_close(m->own);
	}
	free(m);
	return st;
}
