/* SPDX-License-Identifier: BSD-3-Clause */
/* Are operators and assignments intrinsic? `interface operator(+)` and `interface assignment(=)`
 * may define them for operands that have no intrinsic operation: a number and a character, a
 * logical and a number, a comparison of logicals, arrays of different ranks (Fortran 2018,
 * 15.4.3.4.2 and .3). Then they are calls. The existing interfaces are not considered, because
 * modules may be unknown. An operation counts as a call if it is not intrinsic, or if a type or
 * rank is unknown. Kinds of numbers and logicals never matter. */
#include <string.h>

#include "source/fortran/scope.h"
#include "source/fortran/weave/weave.h"

enum class {
	OTHER, /* of a derived or unknown type */
	NUMBER,
	COMPLEX, /* a number without an order */
	LOGICAL,
	TEXT,
	OF_FIRST /* of an intrinsic function: the type of its first argument */
};

enum rank {
	ANY_RANK = 100, /* unknown */
	OF_ARGUMENTS,	/* of an intrinsic function: the rank of its array argument */
	ONE_OR_ANY,	/* rank 0 for one argument */
	BOUNDS		/* one argument: rank 1, all dimensions */
};

struct value {
	enum class class;
	uint32_t rank;
};

struct look {
	const struct bob_weave *w;
	const char *text;
	uint32_t statement;
	bool is_call;
};

/* Elemental intrinsic functions whose result is not a number. */
static const struct function {
	const char *name;
	enum class class;
	uint32_t rank;
} functions[] = {
	{ "achar", TEXT, OF_ARGUMENTS },
	{ "acos", OF_FIRST, OF_ARGUMENTS },
	{ "acosh", OF_FIRST, OF_ARGUMENTS },
	{ "adjustl", TEXT, OF_ARGUMENTS },
	{ "adjustr", TEXT, OF_ARGUMENTS },
	{ "all", LOGICAL, ONE_OR_ANY },
	{ "allocated", LOGICAL, 0 },
	{ "and", OF_FIRST, OF_ARGUMENTS },
	{ "any", LOGICAL, ONE_OR_ANY },
	{ "asin", OF_FIRST, OF_ARGUMENTS },
	{ "asinh", OF_FIRST, OF_ARGUMENTS },
	{ "associated", LOGICAL, 0 },
	{ "atan", OF_FIRST, OF_ARGUMENTS },
	{ "atanh", OF_FIRST, OF_ARGUMENTS },
	{ "btest", LOGICAL, OF_ARGUMENTS },
	{ "c_associated", LOGICAL, 0 },
	{ "c_funloc", OTHER, 0 },
	{ "c_loc", OTHER, 0 },
	{ "ccos", COMPLEX, OF_ARGUMENTS },
	{ "cdcos", COMPLEX, OF_ARGUMENTS },
	{ "cdexp", COMPLEX, OF_ARGUMENTS },
	{ "cdlog", COMPLEX, OF_ARGUMENTS },
	{ "cdsin", COMPLEX, OF_ARGUMENTS },
	{ "cdsqrt", COMPLEX, OF_ARGUMENTS },
	{ "cexp", COMPLEX, OF_ARGUMENTS },
	{ "char", TEXT, OF_ARGUMENTS },
	{ "clog", COMPLEX, OF_ARGUMENTS },
	{ "cmplx", COMPLEX, OF_ARGUMENTS },
	{ "conjg", COMPLEX, OF_ARGUMENTS },
	{ "cos", OF_FIRST, OF_ARGUMENTS },
	{ "cosh", OF_FIRST, OF_ARGUMENTS },
	{ "count", NUMBER, ONE_OR_ANY },
	{ "cshift", OF_FIRST, OF_ARGUMENTS },
	{ "csin", COMPLEX, OF_ARGUMENTS },
	{ "csqrt", COMPLEX, OF_ARGUMENTS },
	{ "dcmplx", COMPLEX, OF_ARGUMENTS },
	{ "dconjg", COMPLEX, OF_ARGUMENTS },
	{ "dot_product", OF_FIRST, 0 },
	{ "eoshift", OF_FIRST, OF_ARGUMENTS },
	{ "exp", OF_FIRST, OF_ARGUMENTS },
	{ "extends_type_of", LOGICAL, 0 },
	{ "findloc", NUMBER, ANY_RANK },
	{ "iall", NUMBER, ONE_OR_ANY },
	{ "iany", NUMBER, ONE_OR_ANY },
	{ "iparity", NUMBER, ONE_OR_ANY },
	{ "is_contiguous", LOGICAL, 0 },
	{ "is_iostat_end", LOGICAL, OF_ARGUMENTS },
	{ "is_iostat_eor", LOGICAL, OF_ARGUMENTS },
	{ "isnan", LOGICAL, OF_ARGUMENTS },
	{ "lbound", NUMBER, BOUNDS },
	{ "lge", LOGICAL, OF_ARGUMENTS },
	{ "lgt", LOGICAL, OF_ARGUMENTS },
	{ "lle", LOGICAL, OF_ARGUMENTS },
	{ "llt", LOGICAL, OF_ARGUMENTS },
	{ "log", OF_FIRST, OF_ARGUMENTS },
	{ "logical", LOGICAL, OF_ARGUMENTS },
	{ "matmul", OF_FIRST, ANY_RANK },
	{ "max", OF_FIRST, OF_ARGUMENTS },
	{ "maxloc", NUMBER, ANY_RANK },
	{ "maxval", OF_FIRST, ONE_OR_ANY },
	{ "merge", OF_FIRST, OF_ARGUMENTS },
	{ "min", OF_FIRST, OF_ARGUMENTS },
	{ "minloc", NUMBER, ANY_RANK },
	{ "minval", OF_FIRST, ONE_OR_ANY },
	{ "new_line", TEXT, 0 },
	{ "norm2", NUMBER, ONE_OR_ANY },
	{ "null", OTHER, ANY_RANK },
	{ "or", OF_FIRST, OF_ARGUMENTS },
	{ "pack", OF_FIRST, 1 },
	{ "parity", LOGICAL, ONE_OR_ANY },
	{ "present", LOGICAL, 0 },
	{ "product", OF_FIRST, ONE_OR_ANY },
	{ "repeat", TEXT, 0 },
	{ "reshape", OF_FIRST, ANY_RANK },
	{ "same_type_as", LOGICAL, 0 },
	{ "shape", NUMBER, 1 },
	{ "sin", OF_FIRST, OF_ARGUMENTS },
	{ "sinh", OF_FIRST, OF_ARGUMENTS },
	{ "spread", OF_FIRST, ANY_RANK },
	{ "sqrt", OF_FIRST, OF_ARGUMENTS },
	{ "sum", OF_FIRST, ONE_OR_ANY },
	{ "tan", OF_FIRST, OF_ARGUMENTS },
	{ "tanh", OF_FIRST, OF_ARGUMENTS },
	{ "this_image", NUMBER, ANY_RANK },
	{ "transfer", OTHER, ANY_RANK },
	{ "transpose", OF_FIRST, 2 },
	{ "trim", TEXT, 0 },
	{ "ubound", NUMBER, BOUNDS },
	{ "unpack", OF_FIRST, ANY_RANK },
	{ "xor", OF_FIRST, OF_ARGUMENTS },
	{ "zexp", COMPLEX, OF_ARGUMENTS },
	{ "zlog", COMPLEX, OF_ARGUMENTS },
	{ "zsqrt", COMPLEX, OF_ARGUMENTS },
};

static struct value value_of(struct look *l, const struct bob_fortran_expr *e);

static bool is_number(const struct value *v)
{
	return v->class == NUMBER || v->class == COMPLEX;
}

/* Are they conformable? */
static bool are_conform(const struct value *a, const struct value *b)
{
	return !a->rank || !b->rank || (a->rank == b->rank && a->rank != ANY_RANK);
}

/* --- references --- */

static struct function function(const char *name, uint32_t len)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strlen(functions[i].name) == len && !memcmp(functions[i].name, name, len))
			return functions[i];
	return (struct function){ NULL, NUMBER,
				  bob_fortran_is_inquiry(name, len) ? 0 : OF_ARGUMENTS };
}

static uint32_t rank_of_function(const struct function *f, const struct bob_fortran_expr *first,
				 uint32_t count, uint32_t rank)
{
	switch (f->rank) {
	case OF_ARGUMENTS:
		return rank;
	case ONE_OR_ANY:
		return count == 1 ? 0 : ANY_RANK;
	case BOUNDS:
		if (count < 2)
			return 1;
		return first->next->node == BOB_N_KEYWORD ? ANY_RANK : 0;
	default:
		return f->rank;
	}
}

static struct value of_function(struct look *l, const struct bob_fortran_expr *part,
				const struct bob_fortran_expr *arguments)
{
	struct function f = function(l->text + part->from, part->name_len);
	struct value all = { OTHER, 0 }, v;
	uint32_t count = 0;

	for (const struct bob_fortran_expr *e = arguments->child; e; e = e->next, count++) {
		v = value_of(l, e);
		if (!count || v.class == COMPLEX)
			all.class = v.class;
		if (v.rank && (!all.rank || v.rank == ANY_RANK))
			all.rank = v.rank;
	}
	return (struct value){ f.class == OF_FIRST ? all.class : f.class,
			       rank_of_function(&f, arguments->child, count, all.rank) };
}

/* The number of subscripts that are sections or arrays. */
static uint32_t rank_of(struct look *l, const struct bob_fortran_expr *arguments)
{
	uint32_t rank = 0;

	for (const struct bob_fortran_expr *e = arguments->child; e; e = e->next) {
		uint32_t one = value_of(l, e).rank;

		rank += e->node == BOB_N_RANGE ? 1 : one;
	}
	return rank < ANY_RANK ? rank : ANY_RANK;
}

static enum class class_of(const struct bob_fortran_symbol *y) {
	switch (y->type){
		case BOB_T_INTEGER: case BOB_T_REAL: return NUMBER;
		case BOB_T_COMPLEX: return COMPLEX;
		case BOB_T_LOGICAL: return LOGICAL;
		case BOB_T_CHARACTER: return y->kind == 1 ? TEXT : OTHER;
		default: return OTHER;
	}
}

static struct value of_variable(struct look *l, const struct bob_fortran_expr *ref)
{
	const struct bob_fortran_symbol *y = NULL;
	struct value v = { OTHER, 0 };

	for (const struct bob_fortran_expr *p = ref->child; p; p = p->next) {
		const struct bob_fortran_expr *list = p->child;
		uint32_t rank = 0;

		y = bob_weave_part(l->w, l->statement, ref, p);
		if (list && list->node == BOB_N_ARGUMENTS)
			rank = rank_of(l, list);
		else if (y)
			rank = y->rank;
		for (; list; list = list->next) /* substring */
			(void)value_of(l, list);
		if (y && y->shape != BOB_SHAPE_SCALAR)
			v.rank += rank;
	}
	v.class = y ? class_of(y) : OTHER;
	if (v.rank > ANY_RANK)
		v.rank = ANY_RANK;
	return v;
}

static struct value of_reference(struct look *l, const struct bob_fortran_expr *ref)
{
	const struct bob_fortran_expr *part = ref->child;
	const struct bob_fortran_symbols *names = l->w->file->statements[l->statement].names;
	const struct bob_fortran_symbol *y;

	if (!part || part->node != BOB_N_PART || !names)
		return (struct value){ OTHER, ANY_RANK };
	y = bob_fortran_lookup(names, l->text + part->from, part->name_len);
	if (y && y->class == BOB_NAME_INTRINSIC && part->child)
		return of_function(l, part, part->child);
	if (!y || (y->class != BOB_NAME_VARIABLE && y->class != BOB_NAME_CONSTANT))
		return (struct value){ OTHER, ANY_RANK };
	return of_variable(l, ref);
}

/* --- operators --- */

static bool is_own_unary(enum bob_fortran_op op, const struct value *v)
{
	return op == BOB_OP_NOT			       ? v->class == LOGICAL :
	       op == BOB_OP_PLUS || op == BOB_OP_MINUS ? is_number(v) :
							 false;
}

/* Is the operator intrinsic for these operands? *class is the type of the result. */
static bool is_own(enum bob_fortran_op op, const struct value *a, const struct value *b,
		   enum class *class)
{
	const bool are_numbers = is_number(a) && is_number(b);
	const bool are_texts = a->class == TEXT && b->class == TEXT;
	const bool is_complex = a->class == COMPLEX || b->class == COMPLEX;

	*class = LOGICAL;
	switch (op) {
	case BOB_OP_POWER:
	case BOB_OP_TIMES:
	case BOB_OP_DIVIDE:
	case BOB_OP_PLUS:
	case BOB_OP_MINUS:
		*class = is_complex ? COMPLEX : NUMBER;
		return are_numbers;
	case BOB_OP_CONCAT:
		*class = TEXT;
		return are_texts;
	case BOB_OP_EQ:
	case BOB_OP_NE:
		return are_numbers || are_texts;
	case BOB_OP_LT:
	case BOB_OP_LE:
	case BOB_OP_GT:
	case BOB_OP_GE:
		return are_texts || (are_numbers && !is_complex);
	case BOB_OP_AND:
	case BOB_OP_OR:
	case BOB_OP_EQV:
	case BOB_OP_NEQV:
		return a->class == LOGICAL && b->class == LOGICAL;
	case BOB_OP_NOT:
	case BOB_OP_DEFINED:
	case BOB_OP_NONE:
		break;
	}
	return false;
}

static struct value of_binary(struct look *l, const struct bob_fortran_expr *e)
{
	struct value a = value_of(l, e->child), b = value_of(l, e->child->next);
	struct value v = { OTHER, a.rank ? a.rank : b.rank };

	if (!is_own((enum bob_fortran_op)e->op, &a, &b, &v.class) || !are_conform(&a, &b))
		l->is_call = true;
	return v;
}

/* [ ... ]: the type of its first value. */
static struct value of_constructor(struct look *l, const struct bob_fortran_expr *e)
{
	struct value v = { OTHER, 1 };

	for (const struct bob_fortran_expr *c = e->child; c; c = c->next) {
		struct value one = value_of(l, c);

		if (c == e->child)
			v.class = one.class;
	}
	return v;
}

/* Adjacent values. For a single one it is that value. */
static struct value of_children(struct look *l, const struct bob_fortran_expr *e)
{
	struct value v = { OTHER, 0 };

	for (const struct bob_fortran_expr *c = e->child; c; c = c->next)
		v = value_of(l, c);
	return v;
}

static struct value value_of(struct look *l, const struct bob_fortran_expr *e)
{
	struct value v = { OTHER, 0 };

	if (!e || l->is_call)
		return v;
	switch ((enum bob_fortran_node)e->node) {
	case BOB_N_INTEGER:
	case BOB_N_REAL:
		v.class = NUMBER;
		break;
	case BOB_N_COMPLEX:
		v.class = COMPLEX;
		break;
	case BOB_N_LOGICAL:
		v.class = LOGICAL;
		break;
	case BOB_N_STRING: /* with a kind it may not be of default kind */
		(void)of_children(l, e);
		v.class = strchr("'\"", l->text[e->from]) ? TEXT : OTHER;
		break;
	case BOB_N_REFERENCE:
		return of_reference(l, e);
	case BOB_N_UNARY:
		v = of_children(l, e);
		l->is_call |= !is_own_unary((enum bob_fortran_op)e->op, &v);
		break;
	case BOB_N_BINARY:
		return of_binary(l, e);
	case BOB_N_CONSTRUCTOR:
		return of_constructor(l, e);
	case BOB_N_PAREN:
	case BOB_N_KEYWORD:
		return of_children(l, e);
	default:
		(void)of_children(l, e);
	}
	return v;
}

bool bob_weave_calls_operator(const struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_item *item;
	struct look l = { .w = w, .text = s->text, .statement = statement };
	struct value right = { OTHER, 0 };

	if (bob_fortran_items(w->arena, s, &item, NULL) != BOB_OK)
		return true;
	for (; item; item = item->next) { /* the value precedes the variable */
		const struct value v = value_of(&l, item->expr);

		if (item->role == BOB_ROLE_WRITE &&
		    (!((is_number(&v) && is_number(&right)) ||
		       (v.class == right.class && v.class != OTHER)) ||
		     (right.rank && (right.rank != v.rank || v.rank == ANY_RANK))))
			return true;
		right = v;
	}
	return l.is_call;
}
