/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames within one statement: implied DO, .and. and .or., arguments that may be absent. */
#include "source/fortran/weave/frames.h"

#include <string.h>

#include "source/fortran/weave/nest.h"

/* --- text --- */

/* The text that replaces the reference within the frames: a loop's variable wherever its name
 * occurs, an array that is a subscript only there. */
static const char *index_of(const struct bob_weave_frames *f, const struct bob_fortran_expr *ref,
			    const char *name, uint32_t len)
{
	for (uint32_t i = f->count; i-- > 0;)
		if (f->at[i].name ? f->at[i].name_len == len && !memcmp(f->at[i].name, name, len) :
				    f->at[i].index && f->at[i].key == ref)
			return f->at[i].index;
	return NULL;
}

/* ",:" for each dimension of a whole array that is followed by a component. If `o%n` is passed with
 * its descriptor and o is a pointer or allocatable, gfortran 12 stores the component's address in o
 * itself. `o(:)%n` has the same elements. */
static const char *colons(struct bob_weave *w, const struct bob_fortran_statement *s,
			  const struct bob_fortran_expr *ref, const struct bob_fortran_expr *part)
{
	const struct bob_fortran_symbol *y =
		part->next && !part->child ?
			bob_weave_part(w, (uint32_t)(s - w->file->statements), ref, part) :
			NULL;
	const char *text = "";

	for (uint32_t d = 0; y && d < y->rank; d++)
		text = bob_weave_text(w, "%s%s", text, d ? ",:" : ":");
	return *text ? bob_weave_text(w, "(%s)", text) : "";
}

struct render {
	struct bob_weave *w;
	const struct bob_fortran_statement *s;
	const struct bob_weave_frames *f;
	const char *text;	/* so far */
	uint32_t from;		/* position of the rest */
};

static void render(struct render *r, const struct bob_fortran_expr *e);

/* Renders the parts of a reference, with their subscripts. */
static void render_parts(struct render *r, const struct bob_fortran_expr *ref)
{
	for (const struct bob_fortran_expr *part = ref->child; part; part = part->next) {
		const char *all = part->node == BOB_N_PART ? colons(r->w, r->s, ref, part) : "";
		const uint32_t end = part->from + part->name_len;

		if (*all && r->from <= end) {
			r->text = bob_weave_text(r->w, "%s%s%s", r->text,
						 bob_weave_slice(r->w, r->s, r->from, end), all);
			r->from = end;
		}
		render(r, part->child);
	}
}

static void render(struct render *r, const struct bob_fortran_expr *e)
{
	for (; e; e = e->next) {
		const struct bob_fortran_expr *part = e->child;
		const char *whole = e->node == BOB_N_REFERENCE ?
					    bob_weave_hoisted(r->w, r->s, e->from, e->to) :
					    NULL;

		if (whole) {
			r->text = bob_weave_text(r->w, "%s%s%s", r->text,
						 bob_weave_slice(r->w, r->s, r->from, e->from),
						 whole);
			r->from = e->to;
			continue;
		}
		if (e->node == BOB_N_REFERENCE && part && part->node == BOB_N_PART) {
			const char *index =
				index_of(r->f, e, r->s->text + part->from, part->name_len);

			if (index) {
				r->text = bob_weave_text(
					r->w, "%s%s%s", r->text,
					bob_weave_slice(r->w, r->s, r->from, part->from), index);
				r->from = part->from + part->name_len;
			}
		}
		if (e->node == BOB_N_REFERENCE)
			render_parts(r, e);
		else
			render(r, part);
	}
}

const char *bob_weave_render(struct bob_weave *w, const struct bob_fortran_statement *s,
			     const struct bob_fortran_expr *e, const struct bob_weave_frames *f)
{
	struct bob_fortran_expr alone = *e;
	struct render r = { .w = w, .s = s, .f = f, .text = "", .from = e->from };

	alone.next = NULL;
	render(&r, &alone);
	return bob_weave_text(w, "%s%s", r.text, bob_weave_slice(w, s, r.from, e->to));
}

/* --- frames --- */

const char *bob_weave_add_frame(struct bob_weave_frames *f, const struct bob_weave_frame *one)
{
	if (f->count == BOB_WEAVE_FRAMES_MAX)
		return "too many loops and conditions around it";
	f->at[f->count++] = *one;
	return NULL;
}

static const struct bob_fortran_symbol *symbol_of(const struct bob_weave *w, uint32_t statement,
						  const struct bob_fortran_expr *ref)
{
	return bob_weave_symbol(w, statement, ref);
}

bool bob_weave_calls(const struct bob_weave *w, uint32_t statement,
		     const struct bob_fortran_expr *e)
{
	if (e->node == BOB_N_REFERENCE) {
		if (bob_weave_hoisted(w, &w->file->statements[statement], e->from, e->to))
			return false;
		const struct bob_fortran_symbol *s = symbol_of(w, statement, e);
		const bool has_arguments = e->child && e->child->child;

		if (!s ? has_arguments :
			 s->class == BOB_NAME_FUNCTION || s->class == BOB_NAME_PROCEDURE ||
				    s->class == BOB_NAME_GENERIC ||
				    (s->class == BOB_NAME_UNKNOWN && has_arguments))
			return true;
	}
	if (e->op == BOB_OP_DEFINED)
		return true;
	for (e = e->child; e; e = e->next)
		if (bob_weave_calls(w, statement, e))
			return true;
	return false;
}

const char *bob_weave_add_loop(struct bob_weave *w, uint32_t statement, struct bob_weave_frames *f,
			       const void *key, uint32_t name_at, uint32_t name_len,
			       const struct bob_fortran_expr *bounds)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_symbol *y =
		s->names ? bob_fortran_lookup(s->names, s->text + name_at, name_len) : NULL;
	const int kind = y && y->type == BOB_T_INTEGER && y->kind > 0 ? y->kind : 4;
	const char *index = bob_weave_text(w, "bobbin_%u", f->count + 1), *text = "";
	struct bob_weave_frame one = { .key = key, .close = "end do", .name = s->text + name_at,
				       .name_len = name_len, .index = index,
				       .trips = bob_weave_trips(w, statement, bounds) };

	if (y && y->type != BOB_T_INTEGER && y->type != BOB_T_NONE)
		return "a loop over numbers that are not whole";
	for (; bounds; bounds = bounds->next) {
		if (bob_weave_calls(w, statement, bounds))
			return "bounds that call a function";
		text = bob_weave_text(w, "%s%s%s", text, *text ? "," : "",
				      bob_weave_render(w, s, bounds, f));
	}
	one.block = bob_weave_text(w, "integer(%d)::%s", kind, index);
	one.open = bob_weave_text(w, "do %s=%s", index, text);
	return bob_weave_add_frame(f, &one);
}

/* --- the path from an item to the reference --- */

/* Reductions read all elements, whatever their mask is. */
static bool is_reduction(const char *name, uint32_t len)
{
	static const char *const all[] = {
		"all",	   "any",     "count",	 "cshift", "dot_product", "eoshift", "findloc",
		"iall",	   "iany",    "iparity", "matmul", "maxloc",	  "maxval",  "minloc",
		"minval",  "norm2",   "pack",	 "parity", "product",	  "reduce",  "repeat",
		"reshape", "spread",  "sum",	 "transfer", "transpose", "trim",    "unpack"
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strlen(all[i]) == len && !memcmp(all[i], name, len))
			return true;
	return false;
}

struct way {
	struct bob_weave *w;
	uint32_t statement;
	const struct bob_fortran_use *use;
	struct bob_weave_frames *out;
	bool is_guarded; /* evaluated only if the left operand of .and. or .or. requires it */
};

static bool is_intrinsic(const struct way *x, const struct bob_fortran_expr *ref)
{
	const struct bob_fortran_symbol *s = symbol_of(x->w, x->statement, ref);

	return s && s->class == BOB_NAME_INTRINSIC;
}

static const char *add_condition(struct bob_weave *w, struct bob_weave_frames *f, const void *key,
				 const char *condition)
{
	const struct bob_weave_frame one = { .key = key,
					     .open = bob_weave_text(w, "if (%s) then", condition),
					     .close = "end if",
					     .is_condition = true };

	return bob_weave_add_frame(f, &one);
}

/* The right operand of .and. is evaluated if the left one is true, that of .or. if it is false. */
static const char *pass_operator(struct way *x, const struct bob_fortran_expr *e)
{
	const char *left;

	const char *text = x->w->file->statements[x->statement].text;

	if (!x->is_guarded || (e->op != BOB_OP_AND && e->op != BOB_OP_OR) || !e->child->next ||
	    !bob_fortran_is_within(e->child->next, x->use->ref))
		return NULL;
	if (bob_weave_calls(x->w, x->statement, e->child))
		return "after .and. or .or., whose left side calls a function";
	left = bob_weave_render(x->w, &x->w->file->statements[x->statement], e->child, x->out);
	return add_condition(x->w, x->out, text + e->op_at,
			     e->op == BOB_OP_AND ? left : bob_weave_text(x->w, ".not.(%s)", left));
}

static const char *pass_loop(struct way *x, const struct bob_fortran_expr *e)
{
	const struct bob_fortran_expr *c = e->child;
	const char *text = x->w->file->statements[x->statement].text, *why;

	while (c && c->node != BOB_N_CONTROL)
		c = c->next;
	if (!c || !c->child || !c->child->child)
		return "an implied DO that is not understood";
	if (bob_fortran_is_within(c, x->use->ref) && x->use->role != BOB_ROLE_LOOP)
		return NULL; /* its bounds are read before it */
	why = bob_weave_add_loop(x->w, x->statement, x->out, text + e->from, c->child->child->from,
				 c->child->child->name_len, c->child->next);
	if (!why)
		x->out->at[x->out->count - 1].variable = c->child;
	return why;
}

/* Trees are parsed anew each time, so positions are compared. */
static bool is_it(const struct bob_fortran_expr *e, const struct bob_fortran_expr *ref)
{
	return e->node == BOB_N_REFERENCE && e->from == ref->from && e->to == ref->to;
}

static const char *follow(struct way *x, const struct bob_fortran_expr *e)
{
	const char *why = NULL, *text = x->w->file->statements[x->statement].text;

	while (e && !is_it(e, x->use->ref) && !why) {
		if (e->node == BOB_N_BINARY)
			why = pass_operator(x, e);
		else if (e->node == BOB_N_IMPLIED_DO)
			why = pass_loop(x, e);
		else if (e->node == BOB_N_REFERENCE && is_intrinsic(x, e) &&
			 is_reduction(text + e->child->from, e->child->name_len))
			x->out->mask = NULL;
		for (e = e->child; e && !bob_fortran_is_within(e, x->use->ref); e = e->next)
			;
	}
	return why;
}

/* Is an array element read on the path to it? */
static bool looks_up(const struct bob_fortran_expr *e)
{
	for (; e; e = e->next)
		if ((e->node == BOB_N_PART && e->child) || looks_up(e->child))
			return true;
	return false;
}

/* Is an evaluation invalid if a guard of .and. or .or. is false: a subscript out of bounds, a
 * component of a null pointer? */
static bool is_unsafe(const struct bob_fortran_use *u)
{
	const struct bob_fortran_expr *part = u->ref->child;

	return u->flags & BOB_USE_CONDITIONAL &&
	       (u->flags & (BOB_USE_COMPONENT | BOB_USE_SUBSTRING) ||
		u->symbol->flags & (BOB_SYMBOL_POINTER | BOB_SYMBOL_ALLOCATABLE) ||
		(part && part->child && looks_up(part->child->child)));
}

/* A variable that may be absent. */
static const char *guard_variable(struct bob_weave *w, const struct bob_fortran_use *u,
				  struct bob_weave_frames *f)
{
	if (u->symbol->flags & BOB_SYMBOL_OPTIONAL)
		return add_condition(w, f, u->symbol,
				     bob_weave_text(w, "present(%s)", u->symbol->name));
	return NULL;
}

/* --- subscripts that are arrays --- */

/* The array that the subscript consists of, by its name; NULL: it is not one. */
static const struct bob_fortran_symbol *vector(const struct bob_weave *w, uint32_t statement,
					       const struct bob_fortran_expr *e)
{
	const struct bob_fortran_symbol *s =
		e->node == BOB_N_REFERENCE ? bob_weave_symbol(w, statement, e) : NULL;

	return s && s->rank == 1 && s->class == BOB_NAME_VARIABLE && s->type == BOB_T_INTEGER &&
			       s->shape != BOB_SHAPE_ASSUMED_SIZE && !e->child->child &&
			       !e->child->next ?
		       s :
		       NULL;
}

/* The only subscript list of the reference; NULL: there are several. */
static const struct bob_fortran_expr *only_list(const struct bob_fortran_expr *ref)
{
	const struct bob_fortran_expr *list = NULL;

	for (const struct bob_fortran_expr *part = ref->child; part; part = part->next)
		if (part->child && (list || part->child->next))
			return NULL;
		else if (part->child)
			list = part->child;
	return list && list->node == BOB_N_ARGUMENTS ? list : NULL;
}

/* Does the name denote the intrinsic function there? */
static bool is_function_of_the_language(const struct bob_weave *w, uint32_t statement,
					const char *name)
{
	const struct bob_fortran_symbols *names = w->file->statements[statement].names;
	const struct bob_fortran_symbol *s =
		names ? bob_fortran_lookup(names, name, (uint32_t)strlen(name)) : NULL;

	return s && s->class == BOB_NAME_INTRINSIC;
}

bool bob_weave_has_vectors(const struct bob_weave *w, uint32_t statement,
			   const struct bob_fortran_use *u)
{
	const uint32_t bad = BOB_USE_WHOLE | BOB_USE_SECTION | BOB_USE_MASKED | BOB_USE_SUBSTRING;
	const struct bob_fortran_expr *list = only_list(u->ref);

	if (!list || u->flags & bad || !is_function_of_the_language(w, statement, "lbound") ||
	    !is_function_of_the_language(w, statement, "ubound"))
		return false;
	for (const struct bob_fortran_expr *e = list->child; e; e = e->next)
		if (!vector(w, statement, e) && !bob_weave_is_one(w, statement, e))
			return false;
	return true;
}

/* Adds a loop for each of them, the first one is the fastest. */
static const char *pass_vectors(struct bob_weave *w, uint32_t statement,
				const struct bob_fortran_expr *e, struct bob_weave_frames *out)
{
	const struct bob_fortran_symbol *v = e ? vector(w, statement, e) : NULL;
	const char *why = e && e->next ? pass_vectors(w, statement, e->next, out) : NULL, *index;
	struct bob_weave_frame one = { .key = e, .close = "end do", .trips = -1 };

	if (why || !v)
		return why;
	index = bob_weave_text(w, "bobbin_%u", out->count + 1);
	one.index = bob_weave_text(w, "%s(%s)", v->name, index);
	one.block = bob_weave_text(w, "integer(8)::%s", index);
	one.open = bob_weave_text(w, "do %s=lbound(%s,1),ubound(%s,1)", index, v->name, v->name);
	return bob_weave_add_frame(out, &one);
}

const char *bob_weave_frames(struct bob_weave *w, uint32_t statement,
			     const struct bob_fortran_use *u, struct bob_weave_frames *out)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct way x = { w, statement, u, out, is_unsafe(u) };
	const struct bob_fortran_item *item;
	const struct bob_fortran_expr *part = u->ref->child;
	const char *why = NULL;

	out->count = 0;
	out->mask = NULL;
	if (bob_fortran_items(w->arena, s, &item, NULL) != BOB_OK)
		return "";
	while (item && !bob_fortran_is_within(item->expr, u->ref))
		item = item->next;
	if (u->flags & BOB_USE_MASKED)
		why = bob_weave_masked(w, statement, u, out);
	if (!why && item)
		why = follow(&x, item->expr);
	if (!why)
		why = guard_variable(w, u, out);
	if (!why && u->flags & BOB_USE_VECTOR)
		why = pass_vectors(w, statement, only_list(u->ref)->child, out);
	/* a frame's own variable is the program's */
	out->text = part && !part->next && !part->child ?
			    bob_weave_text(w, "%.*s", (int)(u->to - u->from), s->text + u->from) :
			    bob_weave_render(w, s, u->ref, out);
	return why;
}
