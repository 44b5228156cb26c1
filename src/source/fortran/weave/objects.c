/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes of variables and components of types with procedures. Fortran does not pass them as
 * TYPE(*), so they go through Fortran procedures at the end of the file, which take CLASS(*) and
 * pass it on. gfortran 12 keeps address and extents there, but loses sizes and strides. So Fortran
 * code determines the element size, only contiguous arrays are registered, and whole arrays are
 * never reported. */
#include <string.h>

#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/lines.h"

static const char number[] = "integer(4),value::bobbin_s";
static const char anything[] = "class(*),dimension(..),intent(in)::bobbin_x";
static const char bounds[] = "integer(8),intent(in)::bobbin_l(*)";
static const char c_number[] = "integer(bobbin_i),value::bobbin_s";
static const char c_bounds[] = "integer(bobbin_j),intent(in)::bobbin_l(*)";

/* One of the procedures, and the C function that it calls. */
struct passer {
	const char *name, *arguments, *declarations[5];
	const char *to;		/* the C function */
	const char *to_arguments, *to_declarations[5];
	const char *when, *values;
};

static const struct passer passers[] = {
	{ "oa",
	  "bobbin_s,bobbin_x",
	  { number, "class(*),intent(in)::bobbin_x" },
	  "a",
	  "bobbin_s,bobbin_x",
	  { c_number, "type(*),intent(in)::bobbin_x" },
	  "",
	  "bobbin_s,bobbin_x" },
	{ "od",
	  "bobbin_s,bobbin_x,bobbin_l,bobbin_c",
	  { number, anything, bounds, "logical(4),value::bobbin_c" },
	  "j",
	  "bobbin_s,bobbin_x,bobbin_l,bobbin_n",
	  { c_number, "type(*),dimension(..),intent(in)::bobbin_x", c_bounds,
	    "integer(bobbin_j),value::bobbin_n" },
	  "if (bobbin_c) ",
	  "bobbin_s,bobbin_x,bobbin_l,storage_size(bobbin_x,kind=8)/8_8" },
	{ "of",
	  "bobbin_s,bobbin_x",
	  { number, anything },
	  "f",
	  "bobbin_s,bobbin_x",
	  { c_number, "type(*),dimension(..),intent(in)::bobbin_x" },
	  "",
	  "bobbin_s,bobbin_x" },
	{ "oc",
	  "bobbin_p,bobbin_x",
	  { "integer(8),value::bobbin_p", anything },
	  "cj",
	  "bobbin_p,bobbin_x,bobbin_n",
	  { "integer(bobbin_j),value::bobbin_p", "type(*),dimension(..),intent(in)::bobbin_x",
	    "integer(bobbin_j),value::bobbin_n" },
	  "",
	  "bobbin_p,bobbin_x,storage_size(bobbin_x,kind=8)/8_8" },
};
#define PASSER_COUNT (sizeof(passers) / sizeof(passers[0]))

/* Is it used? */
static bool is_needed(const struct bob_weave *w, const struct passer *x)
{
	return w->has_objects && (w->has_classes || strcmp(x->name, "oc") != 0);
}

/* --- calls --- */

const char *bob_weave_object_probe(struct bob_weave *w, uint32_t site, const char *text)
{
	w->has_objects = true;
	return bob_weave_text(w, "call %soa(%u_4,%s)", w->id, site, text);
}

const char *bob_weave_object_declare(struct bob_weave *w, int variable,
				     const struct bob_fortran_symbol *s)
{
	const bool may_have_holes =
		s->rank && (s->shape == BOB_SHAPE_ASSUMED || s->flags & BOB_SYMBOL_POINTER);
	const char *whole = may_have_holes ?
				    bob_weave_text(w, "logical(is_contiguous(%s),4)", s->name) :
				    ".true._4";

	w->has_objects = true;
	return s->rank ? bob_weave_text(w, "call %sod(%d_4,%s,lbound(%s,kind=8),%s)", w->id,
					variable, s->name, s->name, whole) :
			 bob_weave_text(w, "call %sod(%d_4,%s,(/0_8/),%s)", w->id, variable,
					s->name, whole);
}

const char *bob_weave_object_forget(struct bob_weave *w, uint32_t variable,
				    const struct bob_fortran_symbol *s)
{
	w->has_objects = true;
	return bob_weave_text(w, "call %sof(%u_4,%s)", w->id, variable, s->name);
}

/* --- the procedures --- */

struct place {
	struct bob_weave *w;
	uint32_t at, order;
	enum bob_weave_rank rank;
};

static void line(const struct place *p, const char *text)
{
	bob_weave_put(p->w, p->at, p->rank, p->order, text);
}

static void head(const struct place *p, const struct passer *x)
{
	line(p, bob_weave_text(p->w, "pure subroutine %s%s(%s)", p->w->id, x->name, x->arguments));
	for (const char *const *d = x->declarations; *d; d++)
		line(p, *d);
}

void bob_weave_object_interfaces(struct bob_weave *w, uint32_t at, uint32_t unit)
{
	const struct place p = { w, at, unit, BOB_RANK_INTERFACE };

	for (size_t i = 0; i < PASSER_COUNT; i++) {
		if (!is_needed(w, &passers[i]))
			continue;
		head(&p, &passers[i]);
		line(&p, "end");
	}
}

void bob_weave_object_procedures(struct bob_weave *w)
{
	const struct place p = { w, w->file->len, 0, BOB_RANK_EXIT };

	for (size_t i = 0; i < PASSER_COUNT; i++) {
		const struct passer *x = &passers[i];

		if (!is_needed(w, x))
			continue;
		head(&p, x);
		line(&p, "interface");
		line(&p, bob_weave_text(w, "pure subroutine %s%s(%s) bind(c,name='%s%s')", w->id,
					x->to, x->to_arguments, w->id, x->to));
		line(&p, BOB_WEAVE_C_KINDS);
		for (const char *const *d = x->to_declarations; *d; d++)
			line(&p, *d);
		line(&p, "end");
		line(&p, "end interface");
		line(&p, bob_weave_text(w, "%scall %s%s(%s)", x->when, w->id, x->to, x->values));
		line(&p, "end");
	}
}
