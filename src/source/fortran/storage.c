/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes shared storage: members of COMMON in their order, each aligned to its size as in
 * gfortran, and EQUIVALENCE classes, whose members move together. Offsets that depend on an unknown
 * size are unknown. */
#include "source/fortran/scope.h"

#include <string.h>

#include "source/fortran/reserve.h"

struct bob_fortran_common *bob_fortran_block(struct bob_fortran_scope *s,
					     struct bob_fortran_parser *r)
{
	struct bob_fortran_common **at = &s->table->commons;
	const char *name = "";

	if (bob_fortran_accept(r, "//")) {
		/* blank COMMON */
	} else if (bob_fortran_accept(r, "/")) {
		uint32_t n;

		(void)bob_fortran_peek(r);
		n = bob_fortran_name_len(r);
		name = bob_fortran_text_of(s, r->p, r->p + n);
		r->p += n;
		(void)bob_fortran_accept(r, "/");
	}
	for (; *at; at = &(*at)->next)
		if (name && !strcmp((*at)->name, name))
			return *at;
	*at = bob_arena_alloc(s->arena, sizeof(**at));
	if (!*at || !name) {
		s->failed = true;
		return NULL;
	}
	(*at)->name = name;
	return *at;
}

void bob_fortran_common(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	bob_fortran_skip_word(r, "common");
	while (bob_fortran_peek(r)) {
		struct bob_fortran_common *c = bob_fortran_block(s, r);

		do {
			struct bob_fortran_symbol *y = bob_fortran_enter_next(s, r);

			if (!y || !c)
				return;
			if (bob_fortran_peek(r) == '(')
				bob_fortran_read_shape(s, r, y);
			y->flags |= BOB_SYMBOL_COMMON;
			y->common = c;
			if (!bob_fortran_reserve(s->arena, &s->members, s->member_count,
						 &s->member_capacity, sizeof(*s->members))) {
				s->failed = true;
				return;
			}
			s->members[s->member_count++] = (struct bob_fortran_member){ c, y };
		} while (bob_fortran_accept(r, ",") && bob_fortran_peek(r) != '/');
		if (bob_fortran_peek(r) != '/')
			return;
	}
}

void bob_fortran_equivalence(struct bob_fortran_scope *s, struct bob_fortran_parser *r)
{
	bob_fortran_skip_word(r, "equivalence");
	while (!s->failed && bob_fortran_accept(r, "(")) {
		s->sets++;
		do {
			struct bob_fortran_expr *ref = bob_fortran_parse_reference(r);
			struct bob_fortran_symbol *y;

			if (!ref || !ref->child || ref->child->node != BOB_N_PART)
				return;
			y = bob_fortran_enter(s->arena, s->table, r->text + ref->child->from,
					      ref->child->name_len);
			if (!y || !bob_fortran_reserve(s->arena, &s->same, s->same_count,
						       &s->same_capacity, sizeof(*s->same))) {
				s->failed = true;
				return;
			}
			y->flags |= BOB_SYMBOL_EQUIVALENCE;
			s->same[s->same_count++] =
				(struct bob_fortran_same){ y, ref, s->statement, s->sets };
		} while (bob_fortran_accept(r, ","));
		(void)bob_fortran_accept(r, ")");
		(void)bob_fortran_accept(r, ",");
	}
}

/* --- layout of derived types, as in gfortran: each component is aligned to its size --- */

#define TYPE_DEPTH_MAX 16 /* nesting of types */
#define DESCRIPTOR_BYTES 40u /* of an allocatable or pointer array, ... */
#define DIMENSION_BYTES 24u /* ... and for each dimension */

struct layout {
	uint64_t bytes, align;
};

static bool type_layout(const struct bob_fortran_symbols *t, const char *name, uint32_t depth,
			struct layout *out);
static bool extent(const struct bob_fortran_symbol *s, uint32_t d, uint64_t *n);

static bool component_layout(const struct bob_fortran_symbols *t,
			     const struct bob_fortran_symbol *s, uint32_t depth, struct layout *out)
{
	const bool is_moving = s->flags & (BOB_SYMBOL_POINTER | BOB_SYMBOL_ALLOCATABLE);
	uint64_t n;

	if (s->class == BOB_NAME_PROCEDURE) {
		*out = (struct layout){ 8, 8 };
		return s->flags & BOB_SYMBOL_POINTER;
	}
	if (s->type == BOB_T_ANY || (s->type == BOB_T_NONE && !is_moving) ||
	    s->flags & BOB_SYMBOL_COARRAY)
		return false;
	if (is_moving) {
		*out = (struct layout){ s->rank ? DESCRIPTOR_BYTES + DIMENSION_BYTES * s->rank : 8,
					8 };
		if (s->type ==
		    /* followed by its type and, for CLASS(*), by the length of a character */
		    BOB_T_CLASS)
			out->bytes += s->type_name ? 8 : 16;
		return true;
	}
	if (s->type == BOB_T_CLASS || (s->type == BOB_T_CHARACTER && s->char_len < 0))
		return false;
	if (s->type == BOB_T_DERIVED) {
		if (!s->type_name || !type_layout(t, s->type_name, depth + 1, out))
			return false;
	} else {
		out->bytes = bob_fortran_element_bytes(t, s);
		out->align = s->type == BOB_T_CHARACTER ? (uint64_t)s->kind :
			     s->type == BOB_T_COMPLEX	? out->bytes / 2 :
							  out->bytes;
	}
	if (!out->bytes || !out->align || (s->rank && s->shape != BOB_SHAPE_EXPLICIT))
		return false;
	for (uint32_t d = 0; d < s->rank; d++)
		if (!extent(s, d, &n) || __builtin_mul_overflow(out->bytes, n, &out->bytes))
			return false;
	return out->bytes < INT64_MAX / 4;
}

/* `which`: a component whose offset is stored in *at; NULL: none. */
static bool components_layout(const struct bob_fortran_symbols *t,
			      const struct bob_fortran_symbols *components, uint32_t depth,
			      struct layout *out, const struct bob_fortran_symbol *which,
			      uint64_t *at)
{
	struct layout one;
	uint64_t lengths = 0;

	if (depth > TYPE_DEPTH_MAX)
		return false;
	*out = (struct layout){ 0, 1 };
	if (components->host && !components_layout(t, components->host, depth + 1, out, which, at))
		return false;
	for (const struct bob_fortran_symbol *s = components->first; s; s = s->next) {
		if ((s->class != BOB_NAME_VARIABLE && s->class != BOB_NAME_UNKNOWN &&
		     s->class != BOB_NAME_PROCEDURE) ||
		    !component_layout(t, s, depth, &one))
			return false;
		if (s->type == BOB_T_CHARACTER && s->char_len == -3)
			lengths++;
		out->bytes = (out->bytes + one.align - 1) / one.align * one.align;
		if (s == which)
			*at = out->bytes;
		out->bytes += one.bytes;
		out->align = one.align > out->align ? one.align : out->align;
	}
	if (lengths) { /* of deferred-length characters, after all other components */
		out->bytes = (out->bytes + 7) / 8 * 8 + 8 * lengths;
		out->align = out->align > 8 ? out->align : 8;
	}
	out->bytes = (out->bytes + out->align - 1) / out->align * out->align;
	return out->bytes < INT64_MAX / 4;
}

static bool type_layout(const struct bob_fortran_symbols *t, const char *name, uint32_t depth,
			struct layout *out)
{
	const struct bob_fortran_symbol *type =
		t ? bob_fortran_lookup(t, name, (uint32_t)strlen(name)) : NULL;

	return type && type->components &&
	       components_layout(t, type->components, depth, out, NULL, NULL);
}

bool bob_fortran_component_at(const struct bob_fortran_symbols *t,
			      const struct bob_fortran_symbols *components,
			      const struct bob_fortran_symbol *which, uint64_t *at)
{
	struct layout all;

	*at = UINT64_MAX;
	return components_layout(t, components, 0, &all, which, at) && *at != UINT64_MAX;
}

uint64_t bob_fortran_element_bytes(const struct bob_fortran_symbols *t,
				   const struct bob_fortran_symbol *s)
{
	struct layout all;

	if (s->flags & (BOB_SYMBOL_POINTER | BOB_SYMBOL_ALLOCATABLE) && s->common)
		return 0;
	switch (s->type) {
	case BOB_T_CHARACTER:
		return s->char_len > 0 && s->char_len < INT32_MAX && s->kind > 0 ?
			       (uint64_t)s->char_len * (uint64_t)s->kind :
			       0;
	case BOB_T_REAL:
		return s->kind == 10 ? 16 : s->kind > 0 ? (uint64_t)s->kind : 0;
	case BOB_T_COMPLEX:
		return s->kind == 10 ? 32 : s->kind > 0 ? 2 * (uint64_t)s->kind : 0;
	case BOB_T_INTEGER:
	case BOB_T_LOGICAL:
		return s->kind > 0 ? (uint64_t)s->kind : 0;
	case BOB_T_DERIVED:
		return s->type_name && type_layout(t, s->type_name, 0, &all) ? all.bytes : 0;
	default:
		return 0;
	}
}

static bool extent(const struct bob_fortran_symbol *s, uint32_t d, uint64_t *n)
{
	int64_t low = s->lower[d].value, high = s->upper[d].value, count;

	if (s->lower[d].bound != BOB_BOUND_NUMBER || s->upper[d].bound != BOB_BOUND_NUMBER ||
	    __builtin_sub_overflow(high, low, &count) || count >= INT64_MAX)
		return false;
	*n = count < 0 ? 0 : (uint64_t)count + 1;
	return true;
}

uint64_t bob_fortran_symbol_bytes(const struct bob_fortran_symbols *t,
				  const struct bob_fortran_symbol *s)
{
	uint64_t bytes = bob_fortran_element_bytes(t, s), n;

	if (s->shape != BOB_SHAPE_SCALAR && s->shape != BOB_SHAPE_EXPLICIT)
		return 0;
	for (uint32_t d = 0; d < s->rank; d++)
		if (!extent(s, d, &n) || __builtin_mul_overflow(bytes, n, &bytes))
			return 0;
	return bytes < INT64_MAX / 4 ? bytes : 0;
}

static uint64_t alignment(const struct bob_fortran_symbol *s)
{
	if (s->type == BOB_T_CHARACTER)
		return 1;
	return s->kind >= 10 ? 16 : s->kind > 0 ? (uint64_t)s->kind : 1;
}

/* Bytes from the symbol's beginning to the element named in an EQUIVALENCE. */
static bool element_offset(struct bob_fortran_scope *s, const struct bob_fortran_same *e,
			   int64_t *offset)
{
	const struct bob_fortran_symbol *y = e->symbol;
	const struct bob_fortran_expr *args = e->ref->child->child, *a;
	int64_t stride = (int64_t)bob_fortran_element_bytes(s->unit_table, y), value, n;
	uint32_t d = 0;

	*offset = 0;
	if (e->ref->child->next || !stride)
		return false;
	if (args && y->rank) {
		for (a = args->child; a && d < y->rank; a = a->next, d++) {
			uint64_t count = 1;

			if (bob_fortran_fold(s->unit_table, e->statement, a, &value) != BOB_OK ||
			    y->lower[d].bound != BOB_BOUND_NUMBER ||
			    __builtin_sub_overflow(value, y->lower[d].value, &n) ||
			    __builtin_mul_overflow(n, stride, &n) ||
			    __builtin_add_overflow(*offset, n, offset))
				return false;
			/* a(5) of a(2,3): the element number, as compilers accept it */
			if (a->next && (!extent(y, d, &count) || count > INT32_MAX ||
					__builtin_mul_overflow(stride, (int64_t)count, &stride)))
				return false;
		}
		args = args->next;
	}
	if (args && args->child && args->child->node == BOB_N_RANGE && args->child->child &&
	    args->child->child->node != BOB_N_NOTHING) { /* a substring */
		if (bob_fortran_fold(s->unit_table, e->statement, args->child->child, &value) !=
			    BOB_OK ||
		    value < 1 || value > INT32_MAX)
			return false;
		*offset += (value - 1) * y->kind;
	}
	return true;
}

static void move_class(struct bob_fortran_scope *s, uint32_t from, uint32_t to, int64_t by,
		       bool placed)
{
	for (uint32_t i = 0; i < s->same_count; i++) {
		struct bob_fortran_symbol *y = s->same[i].symbol;

		if (y->class_id != from)
			continue;
		y->class_id = to;
		if (__builtin_add_overflow(y->offset, by, &y->offset))
			placed = false;
		y->is_placed = y->is_placed && placed;
	}
}

/* Computes relative offsets within classes, which are named by their first set. */
static void join_sets(struct bob_fortran_scope *s)
{
	for (uint32_t i = 0; i < s->same_count; i++) {
		struct bob_fortran_same *e = &s->same[i], *first = e;
		struct bob_fortran_symbol *y = e->symbol;
		int64_t here, there, by;
		bool known;

		if (!y->class_id) { /* a separate class until it is joined */
			y->class_id = s->sets + i + 1;
			y->offset = 0;
			y->is_placed = true;
		}
		while (first > s->same && first[-1].set == e->set)
			first--;
		if (first == e)
			continue;
		known = element_offset(s, e, &here) && element_offset(s, first, &there);
		if (!known)
			y->is_placed = first->symbol->is_placed = false;
		if (y->class_id == first->symbol->class_id)
			continue;
		if (!known || __builtin_add_overflow(first->symbol->offset, there, &by) ||
		    __builtin_sub_overflow(by, here, &by) ||
		    __builtin_sub_overflow(by, y->offset, &by)) {
			by = 0;
			known = false;
		}
		move_class(s, y->class_id, first->symbol->class_id, by, known);
	}
}

static void place_commons(struct bob_fortran_scope *s)
{
	for (struct bob_fortran_common *c = s->unit_table->commons; c; c = c->next)
		c->is_exact = true;
	for (uint32_t i = 0; i < s->member_count; i++) {
		struct bob_fortran_common *c = s->members[i].common;
		struct bob_fortran_symbol *y = s->members[i].symbol;
		uint64_t bytes = bob_fortran_symbol_bytes(s->unit_table, y), a = alignment(y), at;

		at = (c->bytes + a - 1) / a * a;
		/* it is in another class: its sets follow it */
		if (y->class_id)
			move_class(s, y->class_id, y->class_id, (int64_t)at - y->offset, true);
		y->offset = (int64_t)at;
		y->is_placed = c->is_exact;
		c->is_exact = c->is_exact && bytes && at < INT64_MAX / 4;
		if (c->is_exact)
			c->bytes = at + bytes;
		for (uint32_t k = 0; y->class_id && k < s->same_count; k++) {
			struct bob_fortran_symbol *z = s->same[k].symbol;

			if (z->class_id != y->class_id || z->common)
				continue;
			z->common = c;
			z->flags |= BOB_SYMBOL_COMMON;
			z->is_placed = z->is_placed && c->is_exact;
		}
	}
}

/* An EQUIVALENCE may extend a block; a class in no block begins at 0. */
static void settle(struct bob_fortran_scope *s)
{
	for (uint32_t i = 0; i < s->same_count; i++) {
		struct bob_fortran_symbol *y = s->same[i].symbol;
		uint64_t end, bytes = bob_fortran_symbol_bytes(s->unit_table, y);
		int64_t lowest = 0;

		if (y->common && y->is_placed && y->offset >= 0) {
			end = (uint64_t)y->offset + bytes;
			if (end > y->common->bytes)
				y->common->bytes = end;
		}
		if (y->common)
			continue;
		for (uint32_t k = 0; k < s->same_count; k++)
			if (s->same[k].symbol->class_id == y->class_id &&
			    s->same[k].symbol->offset < lowest)
				lowest = s->same[k].symbol->offset;
		if (lowest)
			move_class(s, y->class_id, y->class_id, -lowest, lowest != INT64_MIN);
	}
}

#define SAME_MAX 4096 /* above this number offsets are unknown: sets are compared pairwise */

void bob_fortran_place_storage(struct bob_fortran_scope *s)
{
	if (s->same_count > SAME_MAX) {
		for (uint32_t i = 0; i < s->same_count; i++)
			s->same[i].symbol->class_id = 1;
		s->same_count = 0;
	}
	join_sets(s);
	place_commons(s);
	settle(s);
}
