/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates the probe of one reference: a CALL with the reference itself as its argument. */
#include <string.h>

#include "source/fortran/weave/frames.h"
#include "source/fortran/weave/memory.h"
#include "source/fortran/weave/reached.h"

static const char size_unknown[] = "its size is not known here";

/* A substring, or a character of unknown length, is reported character by character. */
static bool is_in_pieces(const struct bob_fortran_use *u, const struct bob_fortran_symbol *s,
			 uint64_t bytes)
{
	return s->type == BOB_T_CHARACTER &&
	       (u->flags & BOB_USE_SUBSTRING || !bytes || bytes > UINT16_MAX);
}

const struct bob_fortran_symbol *bob_weave_part(const struct bob_weave *w, uint32_t statement,
						const struct bob_fortran_expr *ref,
						const struct bob_fortran_expr *up_to)
{
	const struct bob_fortran_symbols *table = w->file->statements[statement].names;
	const char *text = w->file->statements[statement].text;
	const struct bob_fortran_expr *part = ref->child;
	const struct bob_fortran_symbol *s =
		part && table ? bob_fortran_lookup(table, text + part->from, part->name_len) : NULL;

	for (; part && part != up_to && part->next && s;) {
		const struct bob_fortran_symbol *type =
			s->type_name ? bob_fortran_lookup(table, s->type_name,
							  (uint32_t)strlen(s->type_name)) :
				       NULL;
		const struct bob_fortran_symbols *t = type ? type->components : NULL;

		part = part->next;
		for (s = NULL; t && !s; t = t->host) /* includes those of its parents */
			s = bob_fortran_own(t, text + part->from, part->name_len);
	}
	return s;
}

const struct bob_fortran_symbol *bob_weave_last(const struct bob_weave *w, uint32_t statement,
						const struct bob_fortran_expr *ref)
{
	return bob_weave_part(w, statement, ref, NULL);
}

enum bob_weave_passing bob_weave_passing(const struct bob_fortran_symbols *names,
					 const struct bob_fortran_symbol *s)
{
	const struct bob_fortran_symbol *type = NULL;
	enum bob_weave_passing how = BOB_PASSED_PLAINLY;

	if (s && names && s->type == BOB_T_DERIVED && s->type_name)
		type = bob_fortran_lookup(names, s->type_name, (uint32_t)strlen(s->type_name));
	for (const struct bob_fortran_symbols *t = type ? type->components : NULL; t; t = t->host) {
		if (t->has_parameters)
			return BOB_PASSED_NOT;
		if (t->has_procedures)
			how = BOB_PASSED_AS_OBJECT;
	}
	return how;
}

struct size {
	uint32_t bytes;		/* of one access; 0: unknown */
	bool in_pieces;
};

static struct size size_of(const struct bob_weave *w, uint32_t statement,
			   const struct bob_fortran_use *u)
{
	const struct bob_fortran_symbols *names = w->file->statements[statement].names;
	const struct bob_fortran_symbol *s = bob_weave_last(w, statement, u->ref);
	const uint64_t bytes = s && names ? bob_fortran_element_bytes(names, s) : 0;

	if (s && is_in_pieces(u, s, bytes))
		return (struct size){ s->kind > 0 ? (uint32_t)s->kind : 0, true };
	return (struct size){ bytes <= UINT16_MAX ? (uint32_t)bytes : 0, false };
}

/* `x(:)(1:)` of a dummy with assumed character length: gfortran 12 does not compile it as an
 * argument. */
static bool is_text_to_its_end(const struct bob_fortran_statement *s,
			       const struct bob_fortran_use *u)
{
	uint32_t at = u->to - 1;

	if (!(u->flags & BOB_USE_SUBSTRING) || !(u->flags & (BOB_USE_SECTION | BOB_USE_WHOLE)) ||
	    u->symbol->char_len != -2)
		return false;
	while (at > u->from && s->text[at - 1] == ' ')
		at--;
	return at > u->from && s->text[at - 1] == ':';
}

static enum bob_weave_passing passing(const struct bob_weave *w, uint32_t statement,
				      const struct bob_fortran_use *u)
{
	return bob_weave_passing(w->file->statements[statement].names,
				 bob_weave_last(w, statement, u->ref));
}

const char *bob_weave_unpassable(const struct bob_weave *w, uint32_t statement,
				 const struct bob_fortran_use *u)
{
	if (u->flags & BOB_USE_COARRAY)
		return "of another image";
	if (is_text_to_its_end(&w->file->statements[statement], u))
		return "texts to their end, of an array whose length is passed: gfortran 12 does "
		       "not compile it";
	if (u->flags & BOB_USE_VECTOR && !bob_weave_has_vectors(w, statement, u))
		return u->flags & BOB_USE_MASKED ?
			       "a subscript is an array, under WHERE or FORALL" :
			       "a subscript is an array that is no name alone";
	if (!size_of(w, statement, u).bytes)
		return u->symbol->flags & BOB_SYMBOL_ASSOCIATE ?
			       "a name that ASSOCIATE gives, whose size is not known here" :
			       size_unknown;
	switch (passing(w, statement, u)) {
	case BOB_PASSED_NOT:
		return "of a type with parameters: Fortran passes it to no probe";
	case BOB_PASSED_AS_OBJECT:
		return u->flags & (BOB_USE_WHOLE | BOB_USE_SECTION) ?
			       "an array of a type with procedures, as a whole" :
			       NULL;
	default:
		return NULL;
	}
}

/* Reasons that no frame can remove. */
static const char *unfit(const struct bob_weave *w, uint32_t statement,
			 const struct bob_fortran_use *u)
{
	if (u->flags & BOB_USE_CALLS && !(u->flags & BOB_USE_MASKED) &&
	    bob_weave_calls(w, statement, u->ref))
		return "its subscripts call a function";
	return bob_weave_unpassable(w, statement, u);
}

const char *bob_weave_unfit(struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_use *u)
{
	const uint32_t framed = BOB_USE_MASKED | BOB_USE_IMPLIED_DO | BOB_USE_CONDITIONAL |
				BOB_USE_VECTOR;

	if (u->flags & framed || u->symbol->flags & BOB_SYMBOL_OPTIONAL ||
	    size_of(w, statement, u).in_pieces || bob_weave_moves(w, statement, u))
		return "more than a call is needed";
	return unfit(w, statement, u);
}

uint32_t bob_weave_size(const struct bob_weave *w, uint32_t statement,
			const struct bob_fortran_use *u, bool *in_pieces)
{
	const struct size size = size_of(w, statement, u);

	*in_pieces = size.in_pieces;
	return size.bytes;
}

static bool has_arguments(const struct bob_fortran_expr *e)
{
	if (e->node == BOB_N_ARGUMENTS)
		return true;
	for (e = e->child; e; e = e->next)
		if (has_arguments(e))
			return true;
	return false;
}

/* The number of elements of a whole array, according to its declaration. */
static double elements_of(const struct bob_fortran_use *u)
{
	double n = 1;

	for (uint32_t d = 0; d < u->symbol->rank; d++) {
		const struct bob_fortran_limit *l = &u->symbol->lower[d], *h = &u->symbol->upper[d];

		if (l->bound != BOB_BOUND_NUMBER || h->bound != BOB_BOUND_NUMBER)
			return -1;
		n *= h->value >= l->value ? (double)(h->value - l->value + 1) : 0;
	}
	return u->flags & BOB_USE_WHOLE ? n : -1;
}

/* Is a subscript an array element or a function result? */
static bool is_scattered(const struct bob_fortran_expr *ref)
{
	for (const struct bob_fortran_expr *part = ref->child; part; part = part->next)
		for (const struct bob_fortran_expr *a = part->child; a; a = a->next)
			for (const struct bob_fortran_expr *e = a->child; e; e = e->next)
				if (has_arguments(e))
					return true;
	return false;
}

static uint32_t add_site(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			 int kind)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_position at = bob_fortran_position(w->file, s->at[u->from]);

	if (BOB_VEC_RESERVE(&w->sites, 1) != BOB_OK) {
		w->is_failed = true;
		return 0;
	}
	w->sites.at[w->sites.count] = (struct bob_weave_site){
		.line = at.line, .column = at.column, .unit = s->unit,
		.size = size_of(w, statement, u).bytes, .kind = kind,
		.statement = statement, .in = w->in,
		.share = bob_weave_share(w, statement, u),
		.is_scattered = is_scattered(u->ref),
		.is_back = bob_weave_is_back(w, statement, u->ref),
		.conditions = u->flags & BOB_USE_BODY && s->kind == BOB_F_IF, .trips = 1,
		.elements = elements_of(u) };
	w->has_probes[s->unit] = true;
	return (uint32_t)w->sites.count++;
}

static void count(struct bob_weave *w, enum bob_weave_touch t)
{
	w->counts.proved += t == BOB_TOUCH_PROVED;
	w->counts.filtered += t == BOB_TOUCH_PERHAPS;
}

uint32_t bob_weave_site(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			int kind)
{
	count(w, bob_weave_touches(w, statement, u));
	return add_site(w, statement, u, kind);
}

void bob_weave_site_again(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			  int kind, uint32_t like)
{
	const uint32_t site = add_site(w, statement, u, kind); /* the table may have moved */

	w->sites.at[site].like = like;
}

/* Executions per execution of the statement, according to its frames. */
static void note_frames(struct bob_weave_site *s, const struct bob_weave_frames *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		s->conditions += f->at[i].is_condition;
		s->unknown_loops += f->at[i].trips < 0;
		s->trips *= f->at[i].trips > 0 ? f->at[i].trips : 1;
	}
	s->conditions += f->mask != NULL;
}

static const char *probe(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			 int kind, const struct bob_weave_frames *f)
{
	const bool is_array = u->flags & (BOB_USE_WHOLE | BOB_USE_SECTION);
	const bool in_pieces = size_of(w, statement, u).in_pieces;
	const uint32_t site = add_site(w, statement, u, kind);
	const char *held;

	note_frames(&w->sites.at[site], f);
	if (passing(w, statement, u) == BOB_PASSED_AS_OBJECT)
		return bob_weave_object_probe(w, site, f->text);

	if (is_array && !in_pieces && !f->mask)
		bob_weave_box(w, statement, u);
	held = is_array || in_pieces ? NULL : bob_weave_held(w, statement, site, f->text);
	if (held)
		return held;
	if (is_array && f->mask)
		return bob_weave_text(w, "call %sm(%u_4,%s,%s)", w->id, site, f->text, f->mask);
	return bob_weave_text(w, "call %s%c(%u_4,%s)", w->id, is_array || in_pieces ? 's' : 'a',
			      site, f->text);
}

const char *bob_weave_call(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			   int kind, const struct bob_weave_frames *f)
{
	count(w, bob_weave_touches(w, statement, u));
	return probe(w, statement, u, kind, f);
}

const char *bob_weave_probe(struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_use *u, int kind, struct bob_weave_frames *f)
{
	const enum bob_weave_touch t = bob_weave_touches(w, statement, u);
	const char *why;

	if (t == BOB_TOUCH_NOT)
		return "";
	if (t == BOB_TOUCH_DROPPED) {
		w->counts.dropped++;
		return "";
	}
	why = unfit(w, statement, u);
	if (why == size_unknown)
		why = bob_weave_unknown_size(w, w->file->statements[statement].names,
					     bob_weave_last(w, statement, u->ref));
	if (!why)
		why = bob_weave_frames(w, statement, u, f);
	if (why && *why)
		bob_weave_refuse(w, why, w->file->statements[statement].line);
	if (why)
		return "";
	why = w->is_exact ? bob_weave_not_exact(w, statement, u) : NULL;
	if (why && *why)
		bob_weave_early(w, why, w->file->statements[statement].line);
	return bob_weave_call(w, statement, u, kind, f);
}
