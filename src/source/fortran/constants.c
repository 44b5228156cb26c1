/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates integer constant expressions. Overflows and unknown operands have no value. */
#include "source/fortran/scope.h"

#include <string.h>

#include "source/fortran/split.h"

struct folder {
	const struct bob_fortran_symbols *table;
	const struct bob_fortran_statement *statement;
};

static bool fold(const struct folder *f, const struct bob_fortran_expr *e, int64_t *value);

static bool digits(const struct folder *f, const struct bob_fortran_expr *e, int64_t *value)
{
	int64_t n = 0;

	for (uint32_t i = e->from; i < e->to && bob_is_digit(f->statement->text[i]); i++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, f->statement->text[i] - '0', &n))
			return false;
	*value = n;
	return true;
}

static bool power(int64_t base, int64_t exponent, int64_t *value)
{
	int64_t n = 1;

	if (exponent < 0 || exponent > 64)
		return false;
	while (exponent--)
		if (__builtin_mul_overflow(n, base, &n))
			return false;
	*value = n;
	return true;
}

static bool binary(enum bob_fortran_op op, int64_t a, int64_t b, int64_t *value)
{
	switch (op) {
	case BOB_OP_PLUS:
		return !__builtin_add_overflow(a, b, value);
	case BOB_OP_MINUS:
		return !__builtin_sub_overflow(a, b, value);
	case BOB_OP_TIMES:
		return !__builtin_mul_overflow(a, b, value);
	case BOB_OP_DIVIDE:
		if (!b || (b == -1 && a == INT64_MIN))
			return false;
		*value = a / b;
		return true;
	case BOB_OP_POWER:
		return power(a, b, value);
	case BOB_OP_EQ:
		*value = a == b;
		return true;
	case BOB_OP_NE:
		*value = a != b;
		return true;
	case BOB_OP_LT:
		*value = a < b;
		return true;
	case BOB_OP_LE:
		*value = a <= b;
		return true;
	case BOB_OP_GT:
		*value = a > b;
		return true;
	case BOB_OP_GE:
		*value = a >= b;
		return true;
	case BOB_OP_AND:
		*value = a && b;
		return true;
	case BOB_OP_OR:
		*value = a || b;
		return true;
	default:
		return false;
	}
}

/* The kind of a literal or a name. */
static bool kind_of(const struct folder *f, const struct bob_fortran_expr *e, int64_t *value)
{
	const struct bob_fortran_symbol *y;
	const char *text = f->statement->text;

	while (e && (e->node == BOB_N_PAREN || e->node == BOB_N_UNARY))
		e = e->child;
	if (!e)
		return false;
	if (e->node == BOB_N_REFERENCE && e->child && !e->child->next) {
		y = bob_fortran_lookup(f->table, text + e->child->from, e->child->name_len);
		*value = y ? y->kind : 0;
		return *value > 0;
	}
	for (uint32_t i = e->from; i < e->to; i++) {
		if (text[i] == '_') {
			if (bob_is_digit(text[i + 1])) {
				struct bob_fortran_expr n = { .from = i + 1, .to = e->to };

				return digits(f, &n, value);
			}
			y = bob_fortran_lookup(f->table, text + i + 1, e->to - i - 1);
			*value = y ? y->value : 0;
			return y && y->has_value;
		}
		if (text[i] == 'd' && e->node == BOB_N_REAL) {
			*value = 8;
			return true;
		}
	}
	*value = e->node == BOB_N_STRING ? 1 : 4;
	return e->node == BOB_N_REAL || e->node == BOB_N_INTEGER || e->node == BOB_N_LOGICAL ||
	       e->node == BOB_N_STRING;
}

static int64_t real_kind_for(int64_t precision, int64_t range)
{
	if (precision <= 6 && range <= 37)
		return 4;
	if (precision <= 15 && range <= 307)
		return 8;
	if (precision <= 18 && range <= 4931)
		return 10;
	return precision <= 33 && range <= 4931 ? 16 : -1;
}

static int64_t integer_kind_for(int64_t range)
{
	return range <= 2  ? 1 :
	       range <= 4  ? 2 :
	       range <= 9  ? 4 :
	       range <= 18 ? 8 :
	       range <= 38 ? 16 :
			     -1;
}

#define ARGUMENTS_MAX 16

struct call {
	const char *name;
	uint32_t len;
	const struct bob_fortran_expr *first;
	int64_t value[ARGUMENTS_MAX];
	uint32_t count;
};

static bool is_call(const struct call *c, const char *name)
{
	return c->len == strlen(name) && !memcmp(c->name, name, c->len);
}

static bool extreme(const struct call *c, bool is_max, int64_t *value)
{
	if (!c->count)
		return false;
	*value = c->value[0];
	for (uint32_t i = 1; i < c->count; i++)
		if (is_max ? c->value[i] > *value : c->value[i] < *value)
			*value = c->value[i];
	return true;
}

static bool apply(const struct call *c, int64_t *value)
{
	int64_t a = c->value[0], b = c->count > 1 ? c->value[1] : 0;

	if (is_call(c, "min") || is_call(c, "max") || is_call(c, "min0") || is_call(c, "max0"))
		return extreme(c, c->name[1] == 'a', value);
	if (is_call(c, "selected_int_kind")) {
		*value = integer_kind_for(a);
		return c->count == 1;
	}
	if (is_call(c, "selected_real_kind")) {
		*value = real_kind_for(a, b);
		return c->count == 1 || c->count == 2;
	}
	if (is_call(c, "abs") || is_call(c, "iabs")) {
		*value = a < 0 && a != INT64_MIN ? -a : a;
		return c->count == 1 && a != INT64_MIN;
	}
	if (is_call(c, "int")) {
		*value = a;
		return c->count >= 1;
	}
	if ((is_call(c, "mod") || is_call(c, "modulo")) && c->count == 2 && b && b != -1) {
		*value = a % b;
		if (c->len == 6 && *value && (*value < 0) != (b < 0))
			*value += b;
		return true;
	}
	return false;
}

static bool call(const struct folder *f, const struct bob_fortran_expr *part, int64_t *value)
{
	struct call c = { .name = f->statement->text + part->from, .len = part->name_len };

	c.first = part->child->child;
	if (is_call(&c, "kind"))
		return kind_of(f, c.first, value);
	if (is_call(&c, "len") && c.first && c.first->node == BOB_N_STRING && !c.first->child) {
		*value = c.first->to - c.first->from - 2;
		return strchr("'\"", f->statement->text[c.first->from]) &&
		       !memchr(f->statement->text + c.first->from + 1,
			       f->statement->text[c.first->from], (size_t)*value);
	}
	for (const struct bob_fortran_expr *e = c.first; e; e = e->next) {
		const struct bob_fortran_expr *v = e->node == BOB_N_KEYWORD ? e->child : e;
		uint32_t at = c.count;

		/* selected_real_kind(r=200): the second argument */
		if (e->node == BOB_N_KEYWORD && f->statement->text[e->from] == 'r' &&
		    e->name_len == 1)
			at = is_call(&c, "selected_real_kind") ? 1 : 0;
		if (at >= ARGUMENTS_MAX || !v || !fold(f, v, &c.value[at]))
			return false;
		c.count = at + 1;
	}
	return apply(&c, value);
}

static bool reference(const struct folder *f, const struct bob_fortran_expr *e, int64_t *value)
{
	const struct bob_fortran_expr *part = e->child;
	const struct bob_fortran_symbol *y;

	if (!part || part->node != BOB_N_PART || part->next)
		return false;
	y = bob_fortran_lookup(f->table, f->statement->text + part->from, part->name_len);
	if (part->child)
		return (!y || y->class == BOB_NAME_INTRINSIC) &&
		       part->child->node == BOB_N_ARGUMENTS && !part->child->next &&
		       call(f, part, value);
	if (!y || !y->has_value)
		return false;
	*value = y->value;
	return true;
}

static bool fold(const struct folder *f, const struct bob_fortran_expr *e, int64_t *value)
{
	int64_t a, b;

	switch ((enum bob_fortran_node)e->node) {
	case BOB_N_INTEGER:
		return digits(f, e, value);
	case BOB_N_LOGICAL:
		*value = f->statement->text[e->from + 1] == 't';
		return true;
	case BOB_N_PAREN:
		return e->child && fold(f, e->child, value);
	case BOB_N_REFERENCE:
		return reference(f, e, value);
	case BOB_N_UNARY:
		if (!e->child || !fold(f, e->child, &a))
			return false;
		*value = e->op == BOB_OP_NOT ? !a : a;
		return e->op == BOB_OP_PLUS || e->op == BOB_OP_NOT ||
		       (e->op == BOB_OP_MINUS && !__builtin_sub_overflow(0, a, value));
	case BOB_N_BINARY:
		return e->child && e->child->next && fold(f, e->child, &a) &&
		       fold(f, e->child->next, &b) &&
		       binary((enum bob_fortran_op)e->op, a, b, value);
	default:
		return false;
	}
}

bob_status bob_fortran_fold(const struct bob_fortran_symbols *t,
			    const struct bob_fortran_statement *s, const struct bob_fortran_expr *e,
			    int64_t *value)
{
	struct folder f = { t, s };

	return fold(&f, e, value) ? BOB_OK : BOB_NONE;
}

bool bob_fortran_is_ambiguous(const struct bob_fortran_symbols *t,
			      const struct bob_fortran_statement *s,
			      const struct bob_fortran_expr *e)
{
	const struct bob_fortran_symbol *y =
		e->node == BOB_N_PART ? bob_fortran_lookup(t, s->text + e->from, e->name_len) :
					NULL;

	if (y && y->is_ambiguous)
		return true;
	for (e = e->child; e; e = e->next)
		if (bob_fortran_is_ambiguous(t, s, e))
			return true;
	return false;
}
