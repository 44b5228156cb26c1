/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements that allocate, free, associate or assign components. After each, a probe passes the
 * object's address, and runtime/components.c reads its components: the one that the statement
 * names, by its offset in the object; all of them if the object is assigned as a whole. What
 * DEALLOCATE frees is unregistered before the statement. */
#include <string.h>

#include "source/fortran/weave/frames.h"
#include "source/fortran/weave/lines.h"
#include "source/fortran/weave/memory.h"
#include "source/fortran/weave/reached.h"

#define MOVABLE (BOB_SYMBOL_ALLOCATABLE | BOB_SYMBOL_POINTER)

/* Examined parts of an object: one of these, or the offset of a component. */
#define LOOK_AT_ALL (-1)
#define LOOK_AT_SURE (-2) /* without pointers that may be undefined */

/* --- arguments of the probes --- */

/* May it be an object whose component (NULL: some component) is traced, or leads to traced
 * memory? */
static bool may_hold(const struct bob_weave *w, const struct bob_fortran_use *u,
		     const struct bob_fortran_symbol *component)
{
	for (size_t i = 0; i < w->variables.count + w->passed.count; i++) {
		const struct bob_weave_variable *v = i < w->variables.count ?
							     &w->variables.at[i] :
							     &w->passed.at[i - w->variables.count];

		if (bob_weave_class_has(v->class, component) &&
		    bob_weave_may_be(w, u->symbol, u->flags, v))
			return true;
	}
	return false;
}

/* Is it polymorphic, or of a type with procedures? See objects.c. */
static bool is_object(const struct bob_weave *w, uint32_t statement,
		      const struct bob_fortran_symbol *s)
{
	return s->type == BOB_T_CLASS ||
	       bob_weave_passing(w->file->statements[statement].names, s) == BOB_PASSED_AS_OBJECT;
}

static const char *look_line(struct bob_weave *w, bool is_object, int64_t what, const char *text)
{
	w->has_classes = true;
	w->has_objects |= is_object;
	return bob_weave_text(w, "call %s%s(%lld_8,%s)", w->id, is_object ? "oc" : "ch",
			      (long long)what, text);
}

/* --- components --- */

/* The object that contains the last component. */
struct holder {
	const struct bob_fortran_symbol *object, *component;
	const char *text;
	uint64_t at;
};

static const struct bob_fortran_expr *last_part(const struct bob_fortran_expr *ref)
{
	const struct bob_fortran_expr *part = ref->child;

	while (part && part->next)
		part = part->next;
	return part;
}

static bool find_holder(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			struct holder *out)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_expr *last = last_part(u->ref), *before = u->ref->child;
	const struct bob_fortran_symbol *type;
	uint32_t to;

	if (!(u->flags & BOB_USE_COMPONENT) || !last || last == before)
		return false;
	while (before->next != last)
		before = before->next;
	out->component = bob_weave_last(w, statement, u->ref);
	out->object = bob_weave_part(w, statement, u->ref, before);
	if (!out->component || !(out->component->flags & MOVABLE) || !out->object ||
	    !out->object->type_name || !may_hold(w, u, out->component))
		return false;
	type = bob_fortran_lookup(s->names, out->object->type_name,
				  (uint32_t)strlen(out->object->type_name));
	if (!type || !type->components ||
	    !bob_fortran_component_at(s->names, type->components, out->component, &out->at))
		return false;
	for (to = last->from; to > u->from && s->text[to] != '%';)
		to--;
	out->text = bob_weave_slice(w, s, u->from, to);
	return to > u->from;
}

static const char *unfit(const struct bob_weave *w, uint32_t statement,
			 const struct bob_fortran_use *u)
{
	if (u->flags & BOB_USE_COARRAY)
		return "a component of another image, which gets other memory";
	if (u->flags & BOB_USE_CALLS && bob_weave_calls(w, statement, u->ref))
		return "a component that gets other memory, and subscripts that call a function";
	if (u->flags & (BOB_USE_MASKED | BOB_USE_IMPLIED_DO))
		return "a component that gets other memory, under WHERE or FORALL";
	return NULL;
}

/* Does the statement change the memory of the component? */
static bool changes(const struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u)
{
	return u->role == BOB_ROLE_ALLOCATE || u->role == BOB_ROLE_RELEASE ||
	       u->role == BOB_ROLE_POINT || bob_weave_moves(w, statement, u);
}

static enum bob_fortran_kind kind_of(const struct bob_fortran_statement *s)
{
	return s->body ? s->body_kind : s->kind;
}

/* DEALLOCATE ends the freed memory under all names. */
static void put_released(struct bob_weave *w, uint32_t i, const struct bob_fortran_use *u,
			 const struct holder *h, const struct bob_weave_places *p)
{
	const char *text = bob_weave_slice(w, &w->file->statements[i], u->from, u->to);

	if (is_object(w, i, h->component))
		return;
	w->has_moves = true;
	bob_weave_put(w, p->before, p->rank, i,
		      bob_weave_text(w, "if (%s(%s)) call %sx(0_4,%s)",
				     h->component->flags & BOB_SYMBOL_POINTER ? "associated" :
										"allocated",
				     text, w->id, text));
}

/* False: it is not a component, or not traced. */
static bool put_component(struct bob_weave *w, uint32_t i, const struct bob_fortran_use *u,
			  bool in_body)
{
	const struct bob_fortran_statement *s = &w->file->statements[i];
	struct bob_weave_places p;
	struct holder h;
	const char *why;

	if (!find_holder(w, i, u, &h))
		return false;
	why = unfit(w, i, u);
	if (why) {
		bob_weave_refuse(w, why, s->line);
		return true;
	}
	if (!bob_weave_places(w, i, in_body, true,
			      "statement, which may give a component other memory", &p))
		return true;
	if (kind_of(s) == BOB_F_DEALLOCATE)
		put_released(w, i, u, &h, &p);
	bob_weave_put(w, p.after, BOB_RANK_AFTER, i,
		      look_line(w, is_object(w, i, h.object), (int64_t)h.at, h.text));
	return true;
}

void bob_weave_put_component_passed(struct bob_weave *w, uint32_t statement,
				    const struct bob_fortran_use *u)
{
	(void)put_component(w, statement, u, u->flags & BOB_USE_BODY);
}

/* --- objects --- */

/* Components of an assigned object are reallocated or associated. */
static void put_object(struct bob_weave *w, uint32_t i, const struct bob_fortran_use *u)
{
	const struct bob_fortran_statement *s = &w->file->statements[i];
	const struct bob_fortran_symbol *y = bob_weave_last(w, i, u->ref);
	struct bob_weave_frames f;
	struct bob_weave_places p;
	const char *why;

	if (u->role != BOB_ROLE_WRITE || kind_of(s) != BOB_F_ASSIGN || !y ||
	    (y->type != BOB_T_DERIVED && y->type != BOB_T_CLASS) || !may_hold(w, u, NULL))
		return;
	why = bob_weave_frames(w, i, u, &f);
	if (!why && (f.count || f.mask || u->flags & BOB_USE_VECTOR))
		why = "under WHERE or FORALL, or by subscripts that are arrays";
	if (!why &&
	    (bob_weave_passing(s->names, y) == BOB_PASSED_NOT || u->flags & BOB_USE_COARRAY ||
	     (u->flags & BOB_USE_CALLS && bob_weave_calls(w, i, u->ref))))
		why = "of a type or by subscripts that no probe can have";
	if (why) {
		bob_weave_refuse(
			w,
			bob_weave_text(w, "where components of an object lie that is assigned %s",
				       why),
			s->line);
		return;
	}
	if (bob_weave_places(w, i, s->body, true, "assignment", &p))
		bob_weave_put_of(w, u->symbol, p.after, BOB_RANK_AFTER, i,
				 look_line(w, is_object(w, i, y), LOOK_AT_ALL, f.text));
}

void bob_weave_put_component_moves(struct bob_weave *w, uint32_t statement,
				   const struct bob_fortran_uses *uses)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];

	if (kind_of(s) == BOB_F_NULLIFY)
		return; /* the former target still exists */
	for (int gets = 0; gets < 2;
	     gets++) /* parts that lose memory first: MOVE_ALLOC may give it to another one */
		for (uint32_t k = 0; k < uses->count; k++) {
			const struct bob_fortran_use *u = &uses->at[k];

			if (gets != (u->role == BOB_ROLE_RELEASE) &&
			    (!changes(w, statement, u) || !put_component(w, statement, u, s->body)))
				put_object(w, statement, u);
		}
}

/* --- arguments --- */

static bool is_freed(const struct bob_fortran_symbol *y)
{
	const uint32_t both = BOB_SYMBOL_INTENT_IN | BOB_SYMBOL_INTENT_OUT;

	return y && (y->flags & both) == BOB_SYMBOL_INTENT_OUT && !(y->flags & MOVABLE) &&
	       (y->type == BOB_T_DERIVED || y->type == BOB_T_CLASS) && y->type_name &&
	       y->shape != BOB_SHAPE_ASSUMED_SIZE && y->shape != BOB_SHAPE_ASSUMED_RANK;
}

void bob_weave_put_component_ends(struct bob_weave *w, uint32_t unit)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];
	const uint32_t first = u->execute;
	uint32_t at;

	if (first == BOB_FORTRAN_NO || first == u->last || !u->symbols ||
	    u->flags & BOB_UNIT_ENTRIES)
		return;
	for (uint32_t d = 0; d < u->dummy_count; d++) {
		const struct bob_fortran_symbol *y =
			bob_fortran_own(u->symbols, u->dummies[d], (uint32_t)strlen(u->dummies[d]));
		const struct bob_fortran_use use = { .symbol = y };

		if (!is_freed(y) || !may_hold(w, &use, NULL) ||
		    bob_weave_passing(w->file->statements[first].names, y) == BOB_PASSED_NOT ||
		    !bob_weave_before_first(w, first, &at))
			continue;
		w->has_probes[unit] = true;
		bob_weave_put_of(w, y, at, BOB_RANK_ENTRY, first,
				 look_line(w, is_object(w, first, y), LOOK_AT_SURE, y->name));
	}
}

/* --- interfaces --- */

void bob_weave_component_interfaces(struct bob_weave *w, uint32_t at, uint32_t unit)
{
	const char *const lines[] = {
		bob_weave_text(w, "pure subroutine %sch(bobbin_p,bobbin_x) bind(c,name='%sch')",
			       w->id, w->id),
		BOB_WEAVE_C_KINDS, "integer(bobbin_j),value::bobbin_p",
		"type(*),dimension(..),intent(in)::bobbin_x", "end"
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		bob_weave_put(w, at, BOB_RANK_INTERFACE, unit, lines[i]);
}
