/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory from malloc and similar functions. If the result of such a call, possibly cast, is
 * assigned to a traced pointer or initialises it, the block is declared as what the pointer leads
 * to, with the length that the call requests. A traced pointer is a variable, or a member or
 * element that a request reaches (pointer_paths.c). The arguments are evaluated in place, once, and
 * are saved on the way. Freed memory is undeclared in every instrumented file, because the next
 * block may get the same address. */
#include "source/c/allocators.h"
#include "source/c/given.h"

#include <string.h>

#define NONE BOB_SOURCE_C_NO_ARGUMENT

static bool gives(const struct bob_source_c_allocator *a)
{
	return a && (a->bytes != NONE || a->is_text);
}

static bool leads_anywhere(const struct bob_c_variable *v)
{
	return v->is_wanted && v->is_pointer && !v->is_thread;
}

/* Opens the probe around a block's value. `outer` contains the value: if one macro expands to both,
 * no text can be inserted around the value alone. */
static bool open(struct bob_c_unit *u, CXCursor outer, CXCursor value, uint32_t first,
		 uint32_t count, CXType element, struct bob_c_span *s)
{
	const struct bob_c_span around = bob_c_span(u, outer);

	*s = bob_c_span(u, value);
	if (!s->is_plain && (!s->is_macro || (around.start == s->start && around.end == s->end))) {
		bob_c_refuse_in_macro(u, s);
		return false;
	}
	u->block = (struct bob_c_block){ true, bob_c_bare(u, value),
					 u->clang->Type_getSizeOf(element) };
	bob_c_open_at(u, s->start,
		      bob_c_before_block(u, first, count,
					 bob_c_allocator(u, u->block.call)->is_text));
	return true;
}

/* As above, for a value of `v`. The block belongs to `v`, or to the only pointer that `v` is passed
 * to. */
static bool open_of_variable(struct bob_c_unit *u, struct bob_c_variable *v, CXCursor outer,
			     CXCursor value, struct bob_c_span *s)
{
	struct bob_c_path *p = v->passes_to_many ? NULL : v->passes_to;

	if (u->is_scan || (!leads_anywhere(v) && !p))
		return false;
	if (leads_anywhere(v)) {
		bob_c_rows(u, v);
		return open(u, outer, value, v->pointed_first, v->pointed_count,
			    bob_c_pointee(u, v), s);
	}
	bob_c_path_rows(u, p);
	return open(u, outer, value, p->first, p->count, p->pointee, s);
}

bool bob_c_block_of_variable(struct bob_c_unit *u, struct bob_c_variable *v, CXCursor value,
			     struct bob_c_span *s)
{
	if (u->nest || u->blocked >= 0)
		return false;
	if (gives(bob_c_allocator(u, bob_c_bare(u, value))))
		return open_of_variable(u, v, v->decl, value, s);
	bob_c_given_variable(u, v, value);
	return false;
}

/* g->v = p: if g->v was requested, blocks of p are blocks of g->v. */
static void note_passing(struct bob_c_unit *u, CXCursor to, CXCursor value)
{
	struct bob_c_variable *from = bob_c_variable_of(u, bob_c_bare(u, value));
	struct bob_c_path *p;

	if (!from || !from->is_pointer || bob_c_type_kind(u, to) != CXType_Pointer)
		return;
	p = bob_c_path_note(u, to, true);
	from->passes_to_many |= !p || (from->passes_to && from->passes_to != p);
	from->passes_to = p;
}

bool bob_c_block_of_assignment(struct bob_c_unit *u, CXCursor c, struct bob_c_span *s)
{
	CXCursor child[2], to;
	struct bob_c_variable *v;
	struct bob_c_path *p;

	if (u->nest || u->blocked >= 0 || bob_c_children(u, c, child, 2) != 2)
		return false;
	to = bob_c_bare(u, child[0]);
	v = bob_c_variable_of(u, to);
	if (u->is_scan && !v)
		note_passing(u, to, child[1]);
	if (!gives(bob_c_allocator(u, bob_c_bare(u, child[1])))) {
		if (v)
			bob_c_given_variable(u, v, child[1]);
		else
			bob_c_given_path(u, to, child[1]);
		return false;
	}
	if (v)
		return open_of_variable(u, v, c, child[1], s);
	p = bob_c_path_note(u, to, true);
	if (u->is_scan || !p)
		return false;
	bob_c_path_rows(u, p);
	return open(u, c, child[1], p->first, p->count, p->pointee, s);
}

/* True if the file has requests of pointers. */
static bool has_pointers(const struct bob_c_unit *u)
{
	if (u->paths || u->options->reach)
		return true;
	for (uint32_t i = 0; i < u->options->request_count; i++)
		if (u->options->requests[i].what == BOB_SOURCE_C_POINTERS)
			return true;
	for (const struct bob_c_variable *v = u->variables; v; v = v->later)
		if (leads_anywhere(v))
			return true;
	return false;
}

static bool is_number(struct bob_c_unit *u, CXCursor c)
{
	const enum CXTypeKind k = bob_c_type_kind(u, c);

	return (k >= CXType_Bool && k <= CXType_Int128) || k == CXType_Enum;
}

const char *bob_c_before_argument(struct bob_c_unit *u, CXCursor call, CXCursor argument,
				  uint32_t i, const char **after)
{
	const struct bob_source_c_allocator *a = u->is_scan || u->nest ? NULL :
									 bob_c_allocator(u, call);
	const bool is_block = u->block.is_there && u->clang->equalCursors(call, u->block.call);

	if (!a)
		return NULL;
	if (i == a->old) {
		if (!has_pointers(u) || bob_c_type_kind(u, argument) != CXType_Pointer)
			return NULL;
		u->gone++;
		*after = bob_c_after_gone;
		return bob_c_before_gone;
	}
	if (!is_block || (i != a->bytes && i != a->count) || !is_number(u, argument))
		return NULL;
	*after = bob_c_after_access(u);
	return bob_c_printf(
		u, "BOBBIN_PUT(%d,%lld,(", i == a->bytes,
		a->is_counted && i == a->bytes && u->block.element > 0 ? u->block.element : 1);
}
