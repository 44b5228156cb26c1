/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces targets of allocatable and pointer components under the component's name, `f%v`, for each
 * object of the variable.
 *
 * The layout of objects is known statically (as in gfortran: a pointer, or an array descriptor).
 * The places of objects, and the targets of their components, are found at run time
 * (runtime/components.c), under any name and after any move, because an object is identified by its
 * address. So the text must only show which statements may change components (component_moves.c).
 *
 * A *class* describes the objects of a variable, or of the target of one of its components: its
 * *slots* are the offsets of such components. Components of nested types are slots of the outermost
 * object. A recursive type refers to its own class. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/host/nearest.h"
#include "bobbin/probe.h"
#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/memory.h"
#include "source/fortran/weave/reached.h"

#define MOVABLE (BOB_SYMBOL_ALLOCATABLE | BOB_SYMBOL_POINTER)
#define DEPTH_MAX 8u		/* nesting of types */
/* of an array in an object whose elements have slots */
#define ELEMENTS_MAX 16u
#define SLOTS_MAX 256u		/* per variable */

/* Components of a type whose targets cannot be traced. */
struct missed {
	const char *names[16];
	uint32_t count;		/* including those that are not listed */
	const char *why;	/* for the last one */
};

struct builder {
	struct bob_weave *w;
	struct bob_weave_ask *ask;
	struct bob_weave_class *open[DEPTH_MAX]; /* classes under construction, completely traced */
	uint32_t depth, slots;
	struct missed *missed;	/* for the current type */
	struct bob_nearest near;
};

static struct bob_weave_class *class_of(struct builder *b, const char *type, const char *name,
					const char *way);

static bool is_component(const struct bob_fortran_symbol *c)
{
	return c->class == BOB_NAME_VARIABLE || c->class == BOB_NAME_UNKNOWN;
}

static const struct bob_fortran_symbols *components_of(const struct bob_fortran_symbols *names,
						       const char *type)
{
	const struct bob_fortran_symbol *y =
		type ? bob_fortran_lookup(names, type, (uint32_t)strlen(type)) : NULL;

	return y ? y->components : NULL;
}

/* Is it the path's next component? *rest is the remaining path, or "". */
static bool leads_by(const char *way, const char *name, const char **rest)
{
	const size_t n = strlen(name);

	if (*way != '%' || strncmp(way + 1, name, n) != 0 || (way[1 + n] && way[1 + n] != '%'))
		return false;
	*rest = way + 1 + n;
	return true;
}

static const char *unfit(const struct builder *b, const struct bob_fortran_symbol *c,
			 uint64_t element)
{
	if (c->flags & BOB_SYMBOL_COARRAY)
		return "a coarray";
	if (!element)
		return bob_weave_text(b->w, "of a size that is not known here (%s)",
				      bob_weave_unknown_size(b->w, b->ask->names, c));
	if (element > UINT16_MAX)
		return "longer than 65,535 bytes in each element";
	if (bob_weave_passing(b->ask->names, c) == BOB_PASSED_NOT)
		return "of a type with parameters";
	return NULL;
}

static void miss(struct builder *b, const struct bob_fortran_symbol *c, const char *why)
{
	struct missed *m = b->missed;

	b->ask->why = bob_weave_text(b->w, "is %s", why);
	for (uint32_t i = 0; i < m->count && i < sizeof(m->names) / sizeof(m->names[0]); i++)
		if (m->names[i] == c->name)
			return;
	if (m->count < sizeof(m->names) / sizeof(m->names[0]))
		m->names[m->count++] = c->name;
	m->why = why;
}

/* Reports them once for each type, which may have many variables. */
static void say_missed(struct builder *b, const char *type)
{
	struct bob_weave *w = b->w;
	const uint32_t at = b->ask->symbol->statement;
	const char *text;

	if (!b->missed->count)
		return;
	text = bob_weave_text(w, "what %s of type %s lead%s to is not traced: %s",
			      bob_weave_list(w, b->missed->names, b->missed->count), type,
			      b->missed->count == 1 ? "s" : "", b->missed->why);
	for (uint32_t i = 0; i < w->refusal_count; i++)
		if (!strcmp(w->refusals[i].why, text))
			return;
	bob_weave_remark(w, text, w->file->statements[at < w->file->count ? at : 0].line);
}

/* `rest`: the remaining path; NULL: everything below is traced. */
static void add_slot(struct builder *b, struct bob_weave_class *to,
		     const struct bob_fortran_symbol *c, uint64_t at, const char *name,
		     const char *rest)
{
	const uint64_t element = bob_fortran_element_bytes(b->ask->names, c);
	const bool is_it = !rest || !*rest;
	const char *why = unfit(b, c, element);
	struct bob_weave_slot *s;

	if (is_it && rest && !bob_weave_box_fits(c, b->ask->request)) {
		b->ask->box = c;
		return;
	}
	b->ask->is_found |= is_it;
	if (!why && b->slots == SLOTS_MAX)
		why = "one component too many";
	if (why) {
		miss(b, c, why);
		return;
	}
	b->slots++;
	s = bob_arena_alloc(b->w->arena, sizeof(*s));
	if (!s) {
		b->w->is_failed = true;
		return;
	}
	*s = (struct bob_weave_slot){ .symbol = c, .at = at, .element = (uint32_t)element,
				      .row = -1 };
	if (is_it)
		s->name = bob_weave_text(b->w, "%s%s%s", b->ask->before, name, b->ask->after);
	s->is_boxed = is_it && rest && b->ask->request->rank;
	if (c->type == BOB_T_DERIVED && !s->is_boxed)
		s->inside = class_of(b, c->type_name, name, is_it ? NULL : rest);
	if (!s->name && !s->inside)
		return;
	*(to->last ? &to->last->next : &to->first) = s;
	to->last = s;
}

/* The number of elements that it has in the object itself; 0: unknown or too many. */
static uint32_t elements_of(const struct bob_fortran_symbol *c)
{
	int64_t n = 1;

	for (uint32_t d = 0; d < c->rank; d++) {
		const struct bob_fortran_limit *l = &c->lower[d], *h = &c->upper[d];

		if (l->bound != BOB_BOUND_NUMBER || h->bound != BOB_BOUND_NUMBER ||
		    h->value < l->value || h->value - l->value >= (int64_t)ELEMENTS_MAX)
			return 0;
		n *= h->value - l->value + 1;
		if (n > (int64_t)ELEMENTS_MAX)
			return 0;
	}
	return (uint32_t)n;
}

static bool has_movable(const struct builder *b, const struct bob_fortran_symbols *components,
			uint32_t depth)
{
	for (const struct bob_fortran_symbols *t = components; t && depth; t = t->host)
		for (const struct bob_fortran_symbol *c = t->first; c; c = c->next)
			if (is_component(c) &&
			    (c->flags & MOVABLE ||
			     (c->type == BOB_T_DERIVED &&
			      has_movable(b, components_of(b->ask->names, c->type_name),
					  depth - 1))))
				return true;
	return false;
}

/* Adds the slots of a type whose components begin at that offset of the class's objects. */
static void add_slots(struct builder *b, struct bob_weave_class *to,
		      const struct bob_fortran_symbols *components, uint64_t from, const char *name,
		      const char *way, uint32_t depth)
{
	for (const struct bob_fortran_symbols *t = components; t && depth; t = t->host)
		for (const struct bob_fortran_symbol *c = t->first; c; c = c->next) {
			const char *rest = NULL,
				   *path = bob_weave_text(b->w, "%s%%%s", name, c->name);
			const struct bob_fortran_symbols *inner;
			uint64_t at, size;

			if (!is_component(c) ||
			    !bob_fortran_component_at(b->ask->names, components, c, &at))
				continue;
			bob_nearest_try(&b->near, c->name);
			if (way && !leads_by(way, c->name, &rest))
				continue;
			if (c->flags & MOVABLE) {
				add_slot(b, to, c, from + at, path, rest);
				continue;
			}
			inner = c->type == BOB_T_DERIVED ?
					components_of(b->ask->names, c->type_name) :
					NULL;
			if (way && (!*rest || !inner))
				b->ask->why =
					"is neither allocatable nor a pointer, but a part of the "
					"variable";
			size = inner ? bob_fortran_element_bytes(b->ask->names, c) : 0;
			if (size && (!rest || *rest) && !elements_of(c) &&
			    has_movable(b, inner, DEPTH_MAX))
				miss(b, c, "an array of more than 16 objects");
			for (uint32_t k = 0; size && (!rest || *rest) && k < elements_of(c); k++)
				add_slots(b, to, inner, from + at + k * size, path, rest,
					  depth - 1);
		}
}

/* `way` NULL: all components. Returns NULL if there are none. */
static struct bob_weave_class *class_of(struct builder *b, const char *type, const char *name,
					const char *way)
{
	const struct bob_fortran_symbols *components = components_of(b->ask->names, type);
	const struct bob_fortran_symbol object = { .type = BOB_T_DERIVED, .type_name = type };
	const uint64_t bytes = components ? bob_fortran_element_bytes(b->ask->names, &object) : 0;
	struct missed missed = { .count = 0 }, *outer = b->missed;
	struct bob_weave_class *c;

	for (uint32_t i = 0; i < b->depth && !way; i++)
		if (b->open[i] && b->open[i]->components == components)
			return b->open[i];
	if (!bytes || b->depth == DEPTH_MAX)
		return NULL;
	c = bob_arena_alloc(b->w->arena, sizeof(*c));
	if (!c) {
		b->w->is_failed = true;
		return NULL;
	}
	*c = (struct bob_weave_class){ .components = components, .bytes = bytes };
	b->open[b->depth++] = way ? NULL : c;
	b->missed = &missed;
	add_slots(b, c, components, 0, name, way, DEPTH_MAX);
	say_missed(b, type);
	b->missed = outer;
	b->open[--b->depth] = NULL;
	return c->first ? c : NULL;
}

struct bob_weave_class *bob_weave_class(struct bob_weave *w, struct bob_weave_ask *ask,
					const char *way)
{
	struct builder b = { .w = w, .ask = ask };
	const char *next = way ? strrchr(way, '%') : NULL;
	struct bob_weave_class *c;

	b.near.word = next ? next + 1 : "";
	if (ask->symbol->type != BOB_T_DERIVED)
		return NULL;
	c = class_of(&b, ask->symbol->type_name, ask->symbol->name, way);
	ask->near = b.near.name;
	return c;
}

/* --- aliases of components --- */

struct walk {
	const struct bob_weave_class *seen[SLOTS_MAX + 1];
	uint32_t count;
};

static bool is_new(struct walk *x, const struct bob_weave_class *c)
{
	for (uint32_t i = 0; i < x->count; i++)
		if (x->seen[i] == c)
			return false;
	if (x->count == sizeof(x->seen) / sizeof(x->seen[0]))
		return false;
	x->seen[x->count++] = c;
	return true;
}

/* Does the predicate hold for some slot? */
static bool any(struct walk *x, const struct bob_weave_class *c,
		bool (*is)(const struct bob_weave_slot *s, const void *data), const void *data)
{
	if (!c || !is_new(x, c))
		return false;
	for (const struct bob_weave_slot *s = c->first; s; s = s->next)
		if (is(s, data) || any(x, s->inside, is, data))
			return true;
	return false;
}

static bool is_pointer(const struct bob_weave_slot *s, const void *data)
{
	(void)data;
	return s->symbol->flags & BOB_SYMBOL_POINTER;
}

static bool has_objects(const struct bob_weave_slot *s, const void *data)
{
	(void)data;
	return s->name && s->symbol->type == BOB_T_DERIVED;
}

/* Is it the same component, possibly as parsed from another file? */
static bool is_same(const struct bob_weave_slot *s, const void *data)
{
	const struct bob_fortran_symbol *c = data;

	return !strcmp(s->symbol->name, c->name) && s->symbol->type == c->type &&
	       s->symbol->rank == c->rank;
}

static bool is_same_and_traced(const struct bob_weave_slot *s, const void *data)
{
	return s->name && is_same(s, data);
}

bool bob_weave_class_has_pointers(const struct bob_weave_class *c)
{
	return any(&(struct walk){ .count = 0 }, c, is_pointer, NULL);
}

bool bob_weave_class_has(const struct bob_weave_class *c, const struct bob_fortran_symbol *s)
{
	return c && (!s || any(&(struct walk){ .count = 0 }, c, is_same, s));
}

/* The last allocatable or pointer part of the reference; NULL: it is in the object itself. */
static const struct bob_fortran_symbol *last_leading(const struct bob_weave *w, uint32_t statement,
						     const struct bob_fortran_expr *ref,
						     bool *is_known)
{
	const struct bob_fortran_symbol *found = NULL;

	*is_known = true;
	for (const struct bob_fortran_expr *part = ref->child ? ref->child->next : NULL; part;
	     part = part->next) {
		const struct bob_fortran_symbol *c = bob_weave_part(w, statement, ref, part);

		*is_known &= c != NULL;
		if (c && c->flags & MOVABLE)
			found = c;
	}
	return found;
}

bool bob_weave_reaches(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_use *u, const struct bob_weave_variable *v)
{
	const struct bob_fortran_symbol *c;
	bool is_known;

	if (u->symbol->type != BOB_T_DERIVED && u->symbol->type != BOB_T_CLASS)
		return true; /* a dummy or pointer that may be a target of a component */
	c = last_leading(w, statement, u->ref, &is_known);
	if (!is_known)
		return true;
	if (!c) /* possibly an object in a target of a component, under another name */
		return !bob_weave_is(u->symbol, v) &&
		       any(&(struct walk){ .count = 0 }, v->class, has_objects, NULL);
	return v->has_pointers || c->flags & BOB_SYMBOL_POINTER ||
	       any(&(struct walk){ .count = 0 }, v->class, is_same_and_traced, c);
}

/* --- numbers --- */

static void number(struct bob_weave *w, struct bob_weave_class *c, size_t of, int32_t *own)
{
	if (!c || c->numbered == w)
		return;
	c->numbered = w;
	c->number = w->class_count++;
	c->of = of;
	c->next = NULL;
	*(w->last_class ? &w->last_class->next : &w->first_class) = c;
	w->last_class = c;
	c->slot = w->slot_count;
	for (struct bob_weave_slot *s = c->first; s; s = s->next) {
		w->slot_count++;
		s->row = -1;
		if (s->name && *own >= 0) {
			s->row = *own;
			*own = -1;
		} else if (s->name && w->row_count < BOB_PROBE_VARIABLES_MAX) {
			s->row = (int32_t)w->row_count++;
		}
	}
	for (struct bob_weave_slot *s = c->first; s; s = s->next)
		number(w, s->inside, of, own);
}

void bob_weave_number_components(struct bob_weave *w)
{
	w->row_count = (uint32_t)w->variables.count;
	for (size_t i = 0; i < w->variables.count; i++) {
		int32_t own = w->variables.at[i].is_holder ? (int32_t)i : -1;

		number(w, w->variables.at[i].class, i, &own);
		w->has_classes |= w->variables.at[i].class != NULL;
	}
	if (w->row_count == BOB_PROBE_VARIABLES_MAX)
		bob_weave_remark(
			w,
			"more variables than a file can have: of some components what they lead "
			"to is not traced",
			1);
}
