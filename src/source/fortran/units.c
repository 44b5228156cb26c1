/* SPDX-License-Identifier: BSD-3-Clause */
/* Determines the nesting of units and constructs in one pass with a stack. The text has both
 * branches of an #if: the second one begins with the stack as before the first, and constructs that
 * both open in the same place are closed together. If each branch has the first statement of a
 * procedure and no END, they are one procedure with several first statements. */
#include "source/fortran/units.h"

#include <string.h>

#include "source/fortran/nest.h"
#include "source/fortran/reserve.h"
#include "source/fortran/split.h"

#define CPP_DEPTH_MAX 32
#define OPEN_MAX 2048 /* deeper nesting is ignored */

struct open {
	uint32_t construct;
	uint32_t instrumented; /* its counterpart in the other branch of an #if; BOB_FORTRAN_NO */
	uint32_t target;	/* labelled DO */
	uint32_t bottom;	/* unit: the height of the stack below it */
};

struct nester {
	struct bob_fortran_file *f;
	uint32_t unit_capacity, construct_capacity;
	uint32_t unit;		/* the current one; BOB_FORTRAN_NO */
	bool is_contained;	/* after its CONTAINS */
	struct open *stack;	/* open constructs of all open units */
	uint32_t depth, bottom, stack_capacity;
	/* constructs left open by the first branch, above `depth` at its beginning */
	struct open *other;
	uint32_t other_depth, other_capacity;
	struct cpp {
		struct open *saved;
		uint32_t depth, unit;
	} cpps[CPP_DEPTH_MAX];
	uint32_t cpp_depth;
	bool failed;
};

static struct bob_fortran_unit *unit_of(const struct nester *n)
{
	return n->unit == BOB_FORTRAN_NO ? NULL : &n->f->units[n->unit];
}

static uint32_t innermost(const struct nester *n)
{
	return n->depth > n->bottom ? n->stack[n->depth - 1].construct : BOB_FORTRAN_NO;
}

static bool is_in(const struct nester *n, enum bob_fortran_construct_kind kind)
{
	return innermost(n) != BOB_FORTRAN_NO && n->f->constructs[innermost(n)].kind == kind;
}

static void push(struct nester *n, uint32_t i, enum bob_fortran_construct_kind kind)
{
	struct bob_fortran_file *f = n->f;
	const struct bob_fortran_statement *s = &f->statements[i];
	struct open o = { f->construct_count, BOB_FORTRAN_NO, s->target, 0 };
	struct bob_fortran_construct *c;
	uint32_t parent = innermost(n);

	if (n->depth >= OPEN_MAX)
		return;
	if (!bob_fortran_reserve(f->arena, &f->constructs, f->construct_count,
				 &n->construct_capacity, sizeof(*f->constructs)) ||
	    !bob_fortran_reserve(f->arena, &n->stack, n->depth, &n->stack_capacity,
				 sizeof(*n->stack))) {
		n->failed = true;
		return;
	}
	c = &f->constructs[f->construct_count++];
	memset(c, 0, sizeof(*c));
	c->kind = kind;
	c->parent = parent;
	c->unit = n->unit;
	if (parent != BOB_FORTRAN_NO) {
		c->depth = f->constructs[parent].depth + 1;
		c->loop_depth = f->constructs[parent].loop_depth;
	}
	c->loop_depth += kind == BOB_CONSTRUCT_DO;
	c->first = c->last = i;
	c->name = bob_arena_text(f->arena, s->text, s->name_len);
	n->failed = n->failed || !c->name;
	if (n->depth < n->other_depth && n->cpp_depth &&
	    n->depth >= n->cpps[n->cpp_depth - 1].depth &&
	    f->constructs[n->other[n->depth].construct].kind == kind)
		o.instrumented = n->other[n->depth].construct;
	n->stack[n->depth++] = o;
}

/* Closes the innermost construct with statement i. */
static void pop(struct nester *n, uint32_t i, bool is_ended)
{
	const struct open *o = &n->stack[--n->depth];
	struct bob_fortran_construct *c = &n->f->constructs[o->construct];

	c->last = i;
	c->is_ended = is_ended;
	if (o->instrumented != BOB_FORTRAN_NO) {
		n->f->constructs[o->instrumented].last = i;
		n->f->constructs[o->instrumented].is_ended = is_ended;
	}
}

/* The END of a construct: closes it and all open ones within. */
static void end_construct(struct nester *n, uint32_t i, enum bob_fortran_construct_kind kind)
{
	uint32_t d = n->depth;

	while (d > n->bottom && n->f->constructs[n->stack[d - 1].construct].kind != kind)
		d--;
	if (d == n->bottom)
		return;
	while (n->depth > d)
		pop(n, i, false);
	n->f->statements[i].construct = n->stack[d - 1].construct;
	pop(n, i, true);
}

/* Closes all loops that end with the label. */
static void end_loops(struct nester *n, uint32_t i)
{
	struct bob_fortran_statement *s = &n->f->statements[i];
	uint32_t d, lowest = n->depth, innermost_loop = BOB_FORTRAN_NO;

	if (!s->label)
		return;
	for (d = n->depth; d > n->bottom; d--)
		if (n->stack[d - 1].target == s->label) {
			lowest = d - 1;
			s->ends_loops++;
			if (innermost_loop == BOB_FORTRAN_NO)
				innermost_loop = n->stack[d - 1].construct;
		}
	if (innermost_loop == BOB_FORTRAN_NO)
		return;
	while (n->depth > lowest) {
		const struct open *o = &n->stack[n->depth - 1];

		n->f->constructs[o->construct].shares_terminal = s->ends_loops > 1 &&
								 o->target == s->label;
		pop(n, i, o->target == s->label);
	}
	s->construct = innermost_loop;
}

/* Is it another first statement of the open unit, in another branch of an #if? There is no
 * executable statement between them. */
static bool is_other_header(const struct nester *n, uint32_t i, enum bob_fortran_unit_kind kind)
{
	const struct bob_fortran_unit *u = unit_of(n);
	bool is_apart = false;

	if (!u || u->kind != kind || u->contains != BOB_FORTRAN_NO ||
	    innermost(n) != BOB_FORTRAN_NO)
		return false;
	for (uint32_t k = u->first + 1; k < i; k++) {
		if (n->f->statements[k].is_executable)
			return false;
		is_apart |= n->f->statements[k].kind == BOB_F_CPP;
	}
	return is_apart;
}

static void add_header(struct nester *n, uint32_t i)
{
	struct bob_fortran_unit *u = unit_of(n), *o = bob_arena_alloc(n->f->arena, sizeof(*o));

	if (o)
		*o = (struct bob_fortran_unit){ .kind = u->kind, .name = "", .first = i,
						.flags = u->flags & BOB_UNIT_INTERFACE,
						.name_at = BOB_FORTRAN_NO, .other = u->other };
	if (!o || !bob_fortran_read_header(n->f->arena, &n->f->statements[i], o)) {
		n->failed = true;
		return;
	}
	u->flags |= o->flags;
	u->other = o;
}

static void begin_unit(struct nester *n, uint32_t i, enum bob_fortran_unit_kind kind,
		       bool has_header)
{
	struct bob_fortran_file *f = n->f;
	bool is_interface = is_in(n, BOB_CONSTRUCT_INTERFACE);
	struct bob_fortran_unit *u;

	/* Neither after CONTAINS nor in an INTERFACE: the previous unit has no END. */
	while (unit_of(n) && !n->is_contained && !is_interface) {
		struct bob_fortran_unit *open = unit_of(n);

		open->flags |= BOB_UNIT_UNENDED;
		open->last = i ? i - 1 : 0;
		while (n->depth > n->bottom)
			pop(n, open->last, false);
		n->unit = open->parent;
		n->bottom = 0;
		n->is_contained = unit_of(n) && unit_of(n)->contains != BOB_FORTRAN_NO;
		is_interface = false;
		for (uint32_t d = 0; d < n->depth; d++)
			if (f->constructs[n->stack[d].construct].unit != n->unit)
				n->bottom = d + 1;
		is_interface = is_in(n, BOB_CONSTRUCT_INTERFACE);
	}
	if (!bob_fortran_reserve(f->arena, &f->units, f->unit_count, &n->unit_capacity,
				 sizeof(*f->units))) {
		n->failed = true;
		return;
	}
	u = &f->units[f->unit_count];
	memset(u, 0, sizeof(*u));
	u->kind = kind;
	u->parent = n->unit;
	u->first = u->last = i;
	u->contains = u->declare = u->execute = BOB_FORTRAN_NO;
	u->name = "";
	u->name_at = BOB_FORTRAN_NO;
	if (is_interface || (unit_of(n) && (unit_of(n)->flags & BOB_UNIT_INTERFACE)))
		u->flags |= BOB_UNIT_INTERFACE;
	if (has_header && !bob_fortran_read_header(f->arena, &f->statements[i], u))
		n->failed = true;
	n->unit = f->unit_count++;
	n->bottom = n->depth;
	n->is_contained = false;
}

/* Closes the current unit with statement i. */
static void end_unit(struct nester *n, uint32_t i)
{
	struct bob_fortran_unit *u = unit_of(n);

	if (!u)
		return;
	while (n->depth > n->bottom)
		pop(n, i, false);
	u->last = i;
	n->unit = u->parent;
	n->bottom = 0;
	for (uint32_t d = 0; d < n->depth; d++)
		if (n->f->constructs[n->stack[d].construct].unit != n->unit)
			n->bottom = d + 1;
	n->is_contained = unit_of(n) && !is_in(n, BOB_CONSTRUCT_INTERFACE) &&
			  unit_of(n)->contains != BOB_FORTRAN_NO;
}

/* END SUBROUTINE and similar: closes the innermost unit of the kind, and those within it. */
static void end_unit_of_kind(struct nester *n, uint32_t i, enum bob_fortran_unit_kind kind)
{
	uint32_t u = n->unit;

	while (u != BOB_FORTRAN_NO && n->f->units[u].kind != kind)
		u = n->f->units[u].parent;
	if (u == BOB_FORTRAN_NO)
		return;
	while (n->unit != u && n->unit != BOB_FORTRAN_NO) {
		unit_of(n)->flags |= BOB_UNIT_UNENDED;
		end_unit(n, i);
	}
	n->f->statements[i].unit = u;
	end_unit(n, i);
}

char bob_fortran_conditional(const struct bob_fortran_statement *s)
{
	const char *p = s->text + (*s->text == '#');

	if (s->kind != BOB_F_CPP)
		return 0;
	while (*p == ' ' || *p == '\t')
		p++;
	return !strncmp(p, "if", 2)    ? '+' :
	       !strncmp(p, "el", 2)    ? '|' :
	       !strncmp(p, "endif", 5) ? '-' :
					 0;
}

/* #if saves the stack; #else and #elif restore it. */
static void conditional(struct nester *n, const struct bob_fortran_statement *s)
{
	const char kind = bob_fortran_conditional(s);
	struct cpp *c;

	if (kind == '+') {
		if (n->cpp_depth == CPP_DEPTH_MAX)
			return;
		c = &n->cpps[n->cpp_depth];
		c->saved = bob_arena_alloc(n->f->arena, (n->depth + 1) * sizeof(*c->saved));
		if (!c->saved) {
			n->failed = true;
			return;
		}
		if (n->depth)
			memcpy(c->saved, n->stack, n->depth * sizeof(*c->saved));
		c->depth = n->depth;
		c->unit = n->unit;
		n->cpp_depth++;
	} else if (kind == '-') {
		n->cpp_depth -= n->cpp_depth > 0;
		n->other_depth = 0;
	} else if (kind == '|' && n->cpp_depth) {
		c = &n->cpps[n->cpp_depth - 1];
		if (c->unit != n->unit)
			return;
		while (n->other_depth < n->depth &&
		       bob_fortran_reserve(n->f->arena, &n->other, n->other_depth,
					   &n->other_capacity, sizeof(*n->other)))
			n->other_depth++;
		if (n->other_depth >= n->depth && n->depth)
			memcpy(n->other, n->stack, n->depth * sizeof(*n->stack));
		n->other_depth = n->other_depth < n->depth ? 0 : n->depth;
		if (c->depth)
			memcpy(n->stack, c->saved, c->depth * sizeof(*n->stack));
		n->depth = c->depth;
		if (n->bottom > n->depth)
			n->bottom = n->depth;
	}
}

/* Opens and closes constructs. */
static bool nest_construct(struct nester *n, uint32_t i, enum bob_fortran_kind kind)
{
	static const struct {
		enum bob_fortran_kind begin, end;
		enum bob_fortran_construct_kind construct;
	} pairs[] = {
		{ BOB_F_IF_THEN, BOB_F_END_IF, BOB_CONSTRUCT_IF },
		{ BOB_F_SELECT_CASE, BOB_F_END_SELECT, BOB_CONSTRUCT_SELECT },
		{ BOB_F_SELECT_TYPE, BOB_F_END_SELECT, BOB_CONSTRUCT_SELECT },
		{ BOB_F_SELECT_RANK, BOB_F_END_SELECT, BOB_CONSTRUCT_SELECT },
		{ BOB_F_WHERE_CONSTRUCT, BOB_F_END_WHERE, BOB_CONSTRUCT_WHERE },
		{ BOB_F_FORALL_CONSTRUCT, BOB_F_END_FORALL, BOB_CONSTRUCT_FORALL },
		{ BOB_F_ASSOCIATE, BOB_F_END_ASSOCIATE, BOB_CONSTRUCT_ASSOCIATE },
		{ BOB_F_BLOCK, BOB_F_END_BLOCK, BOB_CONSTRUCT_BLOCK },
		{ BOB_F_CRITICAL, BOB_F_END_CRITICAL, BOB_CONSTRUCT_CRITICAL },
		{ BOB_F_CHANGE_TEAM, BOB_F_END_TEAM, BOB_CONSTRUCT_TEAM },
		{ BOB_F_TYPE_DEF, BOB_F_END_TYPE, BOB_CONSTRUCT_TYPE },
		{ BOB_F_STRUCTURE, BOB_F_END_STRUCTURE, BOB_CONSTRUCT_TYPE },
		{ BOB_F_UNION, BOB_F_END_UNION, BOB_CONSTRUCT_TYPE },
		{ BOB_F_MAP, BOB_F_END_MAP, BOB_CONSTRUCT_TYPE },
		{ BOB_F_ENUM, BOB_F_END_ENUM, BOB_CONSTRUCT_ENUM },
		{ BOB_F_INTERFACE, BOB_F_END_INTERFACE, BOB_CONSTRUCT_INTERFACE },
	};

	for (size_t k = 0; k < sizeof(pairs) / sizeof(pairs[0]); k++) {
		if (kind == pairs[k].begin) {
			push(n, i, pairs[k].construct);
			n->f->statements[i].construct = innermost(n);
			return true;
		}
		if (kind == pairs[k].end) {
			end_construct(n, i, pairs[k].construct);
			return true;
		}
	}
	if (kind == BOB_F_DO || kind == BOB_F_DO_WHILE || kind == BOB_F_DO_CONCURRENT ||
	    kind == BOB_F_DO_FOREVER) {
		push(n, i, BOB_CONSTRUCT_DO);
		n->f->statements[i].construct = innermost(n);
		return true;
	}
	return false;
}

/* Opens and closes program units; false: the statement does neither. */
static bool nest_unit(struct nester *n, uint32_t i, enum bob_fortran_kind kind)
{
	static const struct {
		enum bob_fortran_kind begin, end;
		enum bob_fortran_unit_kind unit;
	} units[] = {
		{ BOB_F_PROGRAM, BOB_F_END_PROGRAM, BOB_UNIT_PROGRAM },
		{ BOB_F_SUBROUTINE, BOB_F_END_SUBROUTINE, BOB_UNIT_SUBROUTINE },
		{ BOB_F_FUNCTION, BOB_F_END_FUNCTION, BOB_UNIT_FUNCTION },
		{ BOB_F_MODULE, BOB_F_END_MODULE, BOB_UNIT_MODULE },
		{ BOB_F_SUBMODULE, BOB_F_END_SUBMODULE, BOB_UNIT_SUBMODULE },
		{ BOB_F_BLOCK_DATA, BOB_F_END_BLOCK_DATA, BOB_UNIT_BLOCK_DATA },
	};

	for (size_t k = 0; k < sizeof(units) / sizeof(units[0]); k++) {
		if (kind == units[k].begin && is_other_header(n, i, units[k].unit)) {
			add_header(n, i);
			return true;
		}
		if (kind == units[k].begin) {
			begin_unit(n, i, units[k].unit, true);
			n->f->statements[i].unit = n->unit;
			return true;
		}
		if (kind == units[k].end) {
			end_unit_of_kind(n, i, units[k].unit);
			return true;
		}
	}
	if (kind == BOB_F_MODULE_PROCEDURE && n->is_contained) {
		begin_unit(n, i, BOB_UNIT_PROCEDURE, true);
		n->f->statements[i].unit = n->unit;
		return true;
	}
	if (kind == BOB_F_END_PROCEDURE) {
		end_unit_of_kind(n, i, BOB_UNIT_PROCEDURE);
		return true;
	}
	return false;
}

static void nest(struct nester *n, uint32_t i)
{
	struct bob_fortran_statement *s = &n->f->statements[i];

	if (s->kind == BOB_F_CPP)
		conditional(n, s);
	s->unit = n->unit;
	s->construct = innermost(n);
	s->is_executable = bob_fortran_group(s->kind) == BOB_FORTRAN_EXECUTABLE;
	if (s->kind == BOB_F_CPP || s->kind == BOB_F_DIRECTIVE || s->kind == BOB_F_INCLUDE ||
	    nest_unit(n, i, s->kind))
		return;
	if (n->unit == BOB_FORTRAN_NO && s->kind != BOB_F_UNKNOWN && s->kind != BOB_F_EMPTY) {
		begin_unit(n, i, BOB_UNIT_PROGRAM, false);
		s->unit = n->unit;
	}
	if (s->kind == BOB_F_END && unit_of(n)) {
		end_unit(n, i);
		return;
	}
	if (s->kind == BOB_F_CONTAINS && unit_of(n) && !is_in(n, BOB_CONSTRUCT_TYPE)) {
		while (n->depth > n->bottom)
			pop(n, i, false);
		s->construct = BOB_FORTRAN_NO;
		unit_of(n)->contains = i;
		n->is_contained = true;
		return;
	}
	if (s->kind == BOB_F_ENTRY && unit_of(n))
		unit_of(n)->flags |= BOB_UNIT_ENTRIES;
	if (s->kind == BOB_F_IMPLICIT && unit_of(n) && strstr(s->text, "none"))
		unit_of(n)->flags |= BOB_UNIT_IMPLICIT_NONE;
	if (s->kind == BOB_F_END_DO) {
		bool is_labelled = s->label && n->depth > n->bottom &&
				   n->stack[n->depth - 1].target == s->label;

		if (!is_labelled)
			end_construct(n, i, BOB_CONSTRUCT_DO);
	} else if (nest_construct(n, i, s->kind)) {
		return;
	}
	if (s->is_executable)
		end_loops(n, i);
}

bob_status bob_fortran_units(struct bob_fortran_file *f)
{
	struct nester n = { .f = f, .unit = BOB_FORTRAN_NO };

	f->units = NULL;
	f->constructs = NULL;
	f->unit_count = f->construct_count = 0;
	for (uint32_t i = 0; i < f->count && !n.failed; i++)
		nest(&n, i);
	while (!n.failed && unit_of(&n)) {
		unit_of(&n)->flags |= BOB_UNIT_UNENDED;
		end_unit(&n, f->count - 1);
	}
	if (n.failed)
		return BOB_ERR_NOMEM;
	bob_fortran_find_bodies(f);
	return bob_fortran_mark_targets(f);
}

uint32_t bob_fortran_inside(const struct bob_fortran_file *f, uint32_t statement,
			    enum bob_fortran_construct_kind kind)
{
	uint32_t c = statement < f->count ? f->statements[statement].construct : BOB_FORTRAN_NO;

	while (c != BOB_FORTRAN_NO && f->constructs[c].kind != kind)
		c = f->constructs[c].parent;
	return c;
}

bool bob_fortran_is_pure(const struct bob_fortran_unit *u)
{
	return (u->flags & BOB_UNIT_PURE) ||
	       ((u->flags & BOB_UNIT_ELEMENTAL) && !(u->flags & BOB_UNIT_IMPURE));
}
