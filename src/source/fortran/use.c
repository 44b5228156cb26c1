/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks the items of a statement and resolves names by the symbols. A reference follows the reads
 * of its subscripts. */
#include "source/fortran/use.h"

#include <string.h>

#include "source/fortran/reserve.h"
#include "source/fortran/scope.h"

struct walker {
	struct bob_arena *arena;
	const struct bob_fortran_statement *statement;
	const struct bob_fortran_symbols *table;
	struct bob_fortran_use *at;
	uint32_t count, capacity;
	const struct bob_fortran_expr *loop;
	uint32_t keyword, keyword_len;
	bool failed;
};

static void walk(struct walker *w, const struct bob_fortran_expr *e, enum bob_fortran_role role,
		 uint32_t flags);

static const struct bob_fortran_symbol *symbol_of(const struct walker *w,
						  const struct bob_fortran_expr *ref)
{
	static const struct bob_fortran_symbol unknown = { .name = "",
							   .unit = BOB_FORTRAN_NO,
							   .statement = BOB_FORTRAN_NO };
	const struct bob_fortran_symbol *y;

	y = bob_fortran_lookup(w->table, w->statement->text + ref->child->from,
			       ref->child->name_len);
	return y ? y : &unknown;
}

static void add(struct walker *w, const struct bob_fortran_expr *ref,
		const struct bob_fortran_symbol *y, enum bob_fortran_role role, uint32_t flags)
{
	if (!bob_fortran_reserve(w->arena, &w->at, w->count, &w->capacity, sizeof(*w->at))) {
		w->failed = true;
		return;
	}
	w->at[w->count++] = (struct bob_fortran_use){ ref,	 y,	  role,	      flags,
						      w->loop,	 ref->from, ref->to, w->keyword,
						      w->keyword_len };
}

/* A component of a type or its ancestors; NULL: unknown. */
static const struct bob_fortran_symbol *component(const struct walker *w,
						  const struct bob_fortran_symbol *y,
						  const struct bob_fortran_expr *part,
						  bool *is_known)
{
	const struct bob_fortran_symbol *type =
		y && y->type_name ?
			bob_fortran_lookup(w->table, y->type_name, (uint32_t)strlen(y->type_name)) :
			NULL;
	const struct bob_fortran_symbols *t = type ? type->components : NULL;
	const struct bob_fortran_symbol *found = NULL;

	*is_known = t != NULL;
	for (; t && !found; t = t->host)
		found = bob_fortran_own(t, w->statement->text + part->from, part->name_len);
	return found;
}

static const struct bob_fortran_expr *subscripts(const struct bob_fortran_expr *part)
{
	return part->child && part->child->node == BOB_N_ARGUMENTS ? part->child : NULL;
}

static bool is_array(const struct walker *w, const struct bob_fortran_expr *e);

static bool has_array(const struct walker *w, const struct bob_fortran_expr *e)
{
	for (; e; e = e->next)
		if (e->node == BOB_N_RANGE || is_array(w, e))
			return true;
	return false;
}

/* An intrinsic function of these arguments: most return an array for an array. */
static bool gives_array(const char *name, uint32_t len, bool of_array, uint32_t count)
{
	static const struct {
		const char *name;
		/* numbers of arguments for which the result is scalar, whatever their rank */
		uint32_t from, to;
	} one[] = { { "size", 1, 3 },	     { "len", 1, 2 },	    { "kind", 1, 1 },
		    { "lbound", 2, 3 },	     { "ubound", 2, 3 },    { "maxloc", 2, 4 },
		    { "minloc", 2, 4 },	     { "sum", 1, 1 },	    { "product", 1, 1 },
		    { "maxval", 1, 1 },	     { "minval", 1, 1 },    { "count", 1, 1 },
		    { "any", 1, 1 },	     { "all", 1, 1 },	    { "norm2", 1, 1 },
		    { "dot_product", 2, 2 }, { "allocated", 1, 1 }, { "associated", 1, 2 },
		    { "present", 1, 1 },     { "rank", 1, 1 } };

	for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++)
		if (strlen(one[i].name) == len && !memcmp(one[i].name, name, len) &&
		    count >= one[i].from && count <= one[i].to)
			return false;
	return of_array;
}

static bool is_array_reference(const struct walker *w, const struct bob_fortran_expr *e)
{
	const struct bob_fortran_expr *part = e->child, *arguments = subscripts(part);
	const struct bob_fortran_symbol *y = symbol_of(w, e);
	const char *name = w->statement->text + part->from;
	uint32_t count = 0;
	bool is_known;

	if (y->class == BOB_NAME_INTRINSIC && arguments && !part->next) {
		for (const struct bob_fortran_expr *c = arguments->child; c; c = c->next)
			count++;
		return gives_array(name, part->name_len, has_array(w, arguments->child), count);
	}
	if (y->class != BOB_NAME_VARIABLE && y->class != BOB_NAME_CONSTANT)
		return false;
	for (; part && part->node == BOB_N_PART && y; part = part->next) {
		if (y->shape != BOB_SHAPE_SCALAR &&
		    (!subscripts(part) || has_array(w, subscripts(part)->child)))
			return true;
		y = part->next && part->next->node == BOB_N_PART ?
			    component(w, y, part->next, &is_known) :
			    NULL;
	}
	return false;
}

/* Is it an array, as far as the text shows? */
static bool is_array(const struct walker *w, const struct bob_fortran_expr *e)
{
	if (e->node == BOB_N_CONSTRUCTOR)
		return true;
	if (e->node == BOB_N_REFERENCE && e->child && e->child->node == BOB_N_PART)
		return is_array_reference(w, e);
	if (e->node == BOB_N_UNARY || e->node == BOB_N_BINARY || e->node == BOB_N_PAREN ||
	    e->node == BOB_N_KEYWORD)
		return has_array(w, e->child);
	return false;
}

static bool has_calls(const struct walker *w, const struct bob_fortran_expr *e)
{
	if (e->node == BOB_N_REFERENCE && e->child && e->child->node == BOB_N_PART) {
		const struct bob_fortran_symbol *y = symbol_of(w, e);

		if (y->class == BOB_NAME_FUNCTION || y->class == BOB_NAME_PROCEDURE ||
		    y->class == BOB_NAME_GENERIC ||
		    (y->class == BOB_NAME_UNKNOWN && subscripts(e->child)))
			return true;
	}
	for (e = e->child; e; e = e->next)
		if (has_calls(w, e))
			return true;
	return false;
}

/* Flags of the subscripts of one part; y: the part's symbol, NULL: unknown. */
static uint32_t part_flags(struct walker *w, const struct bob_fortran_expr *part,
			   const struct bob_fortran_symbol *y)
{
	const struct bob_fortran_expr *list, *e;
	bool is_scalar = y && y->shape == BOB_SHAPE_SCALAR, is_first = true;
	uint32_t flags = 0;

	if (!subscripts(part))
		flags |= y && !is_scalar ? BOB_USE_WHOLE : 0;
	for (list = part->child; list; list = list->next, is_first = false) {
		if (list->node == BOB_N_IMAGE) {
			flags |= BOB_USE_COARRAY;
			continue;
		}
		if (!is_first || (is_scalar && y->type == BOB_T_CHARACTER)) {
			flags |= BOB_USE_SUBSTRING;
			continue;
		}
		flags |= BOB_USE_ELEMENT;
		for (e = list->child; e; e = e->next) {
			if (e->node == BOB_N_RANGE)
				flags |= BOB_USE_SECTION;
			else if (is_array(w, e))
				flags |= BOB_USE_VECTOR;
		}
	}
	for (list = part->child; list; list = list->next)
		if (has_calls(w, list))
			flags |= BOB_USE_CALLS;
	return flags;
}

static void walk_children(struct walker *w, const struct bob_fortran_expr *e, uint32_t flags)
{
	for (e = e->child; e && !w->failed; e = e->next)
		walk(w, e, BOB_ROLE_READ, flags);
}

/* Actual arguments: a variable is passed, an expression is read. */
static void arguments(struct walker *w, const struct bob_fortran_expr *list, uint32_t flags)
{
	uint32_t keyword = w->keyword, keyword_len = w->keyword_len;

	for (const struct bob_fortran_expr *e = list->child; e && !w->failed; e = e->next) {
		const struct bob_fortran_expr *value = e;

		if (e->node == BOB_N_KEYWORD) {
			w->keyword = e->from;
			w->keyword_len = e->name_len;
			value = e->child;
		}
		if (value)
			walk(w, value, BOB_ROLE_PASS, flags | BOB_USE_ARGUMENT);
		w->keyword = keyword;
		w->keyword_len = keyword_len;
	}
}

static bool is_called(const struct walker *w, const struct bob_fortran_expr *part, const char *name)
{
	return part->name_len == strlen(name) &&
	       !memcmp(w->statement->text + part->from, name, part->name_len);
}

/* Intrinsic subroutines: the arguments that they write; others have role PASS. */
static void intrinsic_call(struct walker *w, const struct bob_fortran_expr *part,
			   const struct bob_fortran_expr *list, uint32_t flags)
{
	bool writes = is_called(w, part, "random_number") || is_called(w, part, "cpu_time") ||
		      is_called(w, part, "system_clock") || is_called(w, part, "date_and_time");
	bool moves = is_called(w, part, "move_alloc");
	uint32_t n = 0;

	if (!writes && !moves) {
		arguments(w, list, flags);
		return;
	}
	for (const struct bob_fortran_expr *e = list->child; e && !w->failed; e = e->next, n++) {
		const struct bob_fortran_expr *value = e->node == BOB_N_KEYWORD ? e->child : e;

		if (value)
			walk(w, value,
			     writes ? BOB_ROLE_WRITE :
			     n	    ? BOB_ROLE_ALLOCATE :
				      BOB_ROLE_RELEASE,
			     flags);
	}
}

/* name(...) of a name that is not a variable. */
static void call(struct walker *w, const struct bob_fortran_expr *ref,
		 const struct bob_fortran_symbol *y, enum bob_fortran_role role, uint32_t flags)
{
	const struct bob_fortran_expr *part = ref->child, *list = subscripts(part);

	if (!list) {
		if (role == BOB_ROLE_CALL)
			add(w, ref, y, role, flags);
		return; /* a procedure's name as an argument, a constant */
	}
	if (y->class == BOB_NAME_CONSTANT || y->class == BOB_NAME_TYPE ||
	    y->class == BOB_NAME_STATEMENT_FUNCTION) {
		if (y->class == BOB_NAME_STATEMENT_FUNCTION)
			add(w, ref, y, BOB_ROLE_CALL, flags);
		walk_children(w, list, flags);
		return;
	}
	if (y->class == BOB_NAME_INTRINSIC && role != BOB_ROLE_CALL) {
		bool is_inquiry =
			bob_fortran_is_inquiry(w->statement->text + part->from, part->name_len);

		for (const struct bob_fortran_expr *e = list->child; e && !w->failed; e = e->next)
			walk(w, e, is_inquiry ? BOB_ROLE_INQUIRE : BOB_ROLE_READ, flags);
		return;
	}
	if (y->class == BOB_NAME_INTRINSIC)
		intrinsic_call(w, part, list, flags);
	else
		arguments(w, list, flags);
	add(w, ref, y, BOB_ROLE_CALL, flags);
}

/* Does name(...) call the function that is being defined? */
static bool calls_itself(const struct bob_fortran_symbol *y, const struct bob_fortran_expr *part)
{
	return (y->flags & BOB_SYMBOL_RESULT) && subscripts(part) && y->shape == BOB_SHAPE_SCALAR &&
	       y->type != BOB_T_CHARACTER;
}

static void variable(struct walker *w, const struct bob_fortran_expr *ref,
		     const struct bob_fortran_symbol *y, enum bob_fortran_role role, uint32_t flags)
{
	const struct bob_fortran_symbol *c = y;
	const struct bob_fortran_expr *part = ref->child;
	uint32_t own = part_flags(w, part, y);
	bool is_known = true, is_bound = false;

	for (const struct bob_fortran_expr *list = part->child; list; list = list->next)
		walk_children(w, list, (flags & ~BOB_USE_ARGUMENT) | BOB_USE_SUBSCRIPT);
	for (part = part->next; part && part->node == BOB_N_PART && !w->failed; part = part->next) {
		own = (own & ~(BOB_USE_ELEMENT | BOB_USE_SUBSTRING)) | BOB_USE_COMPONENT;
		c = component(w, c, part, &is_known);
		is_bound = !part->next && subscripts(part) && is_known && !c;
		if (is_bound || (!part->next && role == BOB_ROLE_CALL))
			break;
		if (subscripts(part) && !is_known)
			own |= BOB_USE_UNSURE;
		own |= part_flags(w, part, c);
		for (const struct bob_fortran_expr *l = part->child; l; l = l->next)
			walk_children(w, l, (flags & ~BOB_USE_ARGUMENT) | BOB_USE_SUBSCRIPT);
	}
	if (own & (BOB_USE_SECTION | BOB_USE_VECTOR))
		own &= ~BOB_USE_ELEMENT;
	if ((is_bound || role == BOB_ROLE_CALL) && part) { /* of a type-bound procedure */
		if (subscripts(part))
			arguments(w, subscripts(part), flags);
		role = BOB_ROLE_CALL;
	}
	add(w, ref, y, role, flags | own);
}

static void reference(struct walker *w, const struct bob_fortran_expr *ref,
		      enum bob_fortran_role role, uint32_t flags)
{
	const struct bob_fortran_symbol *y;

	if (!ref->child || ref->child->node != BOB_N_PART)
		return;
	y = symbol_of(w, ref);
	if (role == BOB_ROLE_NAME)
		return;
	if (y->class == BOB_NAME_VARIABLE && !calls_itself(y, ref->child) &&
	    (role != BOB_ROLE_CALL || ref->child->next))
		variable(w, ref, y, role, flags);
	else if (y->class == BOB_NAME_UNKNOWN && !subscripts(ref->child) && role != BOB_ROLE_CALL)
		variable(w, ref, y, role, flags | BOB_USE_UNSURE);
	else
		call(w, ref, y, role, flags);
}

static void implied_do(struct walker *w, const struct bob_fortran_expr *e,
		       enum bob_fortran_role role, uint32_t flags)
{
	const struct bob_fortran_expr *c, *outer = w->loop;

	for (c = e->child; c; c = c->next) {
		const struct bob_fortran_expr *bounds = c->child ? c->child->next : NULL;

		if (c->node != BOB_N_CONTROL)
			continue;
		for (; bounds; bounds = bounds->next)
			walk(w, bounds, BOB_ROLE_READ, flags & ~BOB_USE_LIST);
	}
	w->loop = e;
	for (c = e->child; c && !w->failed; c = c->next) {
		if (c->node != BOB_N_CONTROL) {
			walk(w, c, role, flags | BOB_USE_IMPLIED_DO);
		} else if (c->child) {
			w->loop = outer;
			walk(w, c->child, BOB_ROLE_LOOP, flags & ~BOB_USE_LIST);
		}
	}
	w->loop = outer;
}

static void walk(struct walker *w, const struct bob_fortran_expr *e, enum bob_fortran_role role,
		 uint32_t flags)
{
	if (w->failed)
		return;
	switch ((enum bob_fortran_node)e->node) {
	case BOB_N_REFERENCE:
		reference(w, e, role, flags);
		break;
	case BOB_N_BINARY:
		walk(w, e->child, BOB_ROLE_READ, flags);
		if (e->child->next)
			walk(w, e->child->next, BOB_ROLE_READ,
			     e->op == BOB_OP_AND || e->op == BOB_OP_OR ?
				     flags | BOB_USE_CONDITIONAL :
				     flags);
		break;
	case BOB_N_IMPLIED_DO:
		implied_do(w, e, role, flags);
		break;
	case BOB_N_KEYWORD:
		if (e->child)
			walk(w, e->child, role, flags);
		break;
	default:
		walk_children(w, e, flags);
		break;
	}
}

static bool is_change(enum bob_fortran_role role)
{
	return role == BOB_ROLE_WRITE || role == BOB_ROLE_LOOP || role == BOB_ROLE_ALLOCATE ||
	       role == BOB_ROLE_RELEASE || role == BOB_ROLE_POINT;
}

/* Orders the uses: reads before writes, each in text order. */
static struct bob_fortran_use *ordered(struct walker *w)
{
	struct bob_fortran_use *to = bob_arena_alloc(w->arena, w->count * sizeof(*to));
	uint32_t n = 0;

	if (!to) {
		w->failed = true;
		return NULL;
	}
	for (int changes = 0; changes < 2; changes++)
		for (uint32_t i = 0; i < w->count; i++)
			if (is_change(w->at[i].role) == changes)
				to[n++] = w->at[i];
	return to;
}

/* WRITE (line, ...): a character variable is an internal file, which is written. */
static bool is_internal_file(const struct walker *w, const struct bob_fortran_statement *s,
			     const struct bob_fortran_item *item, bool is_first)
{
	enum bob_fortran_kind kind = item->in_body ? s->body_kind : s->kind;

	return kind == BOB_F_WRITE && !item->is_list && item->expr->node == BOB_N_REFERENCE &&
	       item->expr->child && item->expr->child->node == BOB_N_PART &&
	       ((is_first && !item->keyword_len) ||
		(item->keyword_len == 4 && !memcmp(s->text + item->keyword, "unit", 4))) &&
	       symbol_of(w, item->expr)->type == BOB_T_CHARACTER;
}

static bool is_masking(enum bob_fortran_kind kind)
{
	return kind == BOB_F_WHERE || kind == BOB_F_FORALL;
}

bob_status bob_fortran_uses(struct bob_arena *arena, const struct bob_fortran_file *f,
			    uint32_t statement, struct bob_fortran_uses *out)
{
	const struct bob_fortran_statement *s;
	const struct bob_fortran_item *item, *previous = NULL;
	struct walker w = { .arena = arena };
	uint32_t masked = 0, bad;
	bob_status st;

	*out = (struct bob_fortran_uses){ .at = NULL };
	if (statement >= f->count)
		return BOB_OK;
	s = &f->statements[statement];
	if (!s->is_executable || !s->names)
		return BOB_OK;
	w.statement = s;
	w.table = s->names;
	st = bob_fortran_items(arena, s, &item, &bad);
	if (st != BOB_OK)
		return st;
	if (bob_fortran_inside(f, statement, BOB_CONSTRUCT_WHERE) != BOB_FORTRAN_NO ||
	    bob_fortran_inside(f, statement, BOB_CONSTRUCT_FORALL) != BOB_FORTRAN_NO ||
	    is_masking(s->kind) || is_masking(s->body_kind))
		masked = BOB_USE_MASKED;
	for (; item && !w.failed; previous = item, item = item->next) {
		bool is_first = !previous || previous->in_body != item->in_body;

		w.keyword = item->keyword;
		w.keyword_len = item->keyword_len;
		walk(&w, item->expr,
		     is_internal_file(&w, s, item, is_first) ? BOB_ROLE_WRITE : item->role,
		     masked | (item->in_body ? BOB_USE_BODY : 0) |
			     (item->is_list ? BOB_USE_LIST : 0));
	}
	if (!w.failed && w.count)
		out->at = ordered(&w);
	if (w.failed)
		return BOB_ERR_NOMEM;
	out->count = w.count;
	out->bad_count = bad;
	return BOB_OK;
}
