/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions on parameters: a recursive-descent parser with bounded depth into an array of nodes,
 * and the evaluation of that array. */
#include "archive/events/predicate.h"
#include "base/ascii.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPERAND, NAME, NOT, AND, OR, LESS, LESS_EQUAL, MORE, MORE_EQUAL, EQUAL, NOT_EQUAL };

#define DEPTH_MAX 32u

struct parser {
	struct bob_predicate *p;
	const char *at;
	const char *expected;	/* set on a syntax error */
	uint32_t depth;
};

static uint8_t fail(struct parser *g, const char *expected)
{
	if (!g->expected)
		g->expected = expected;
	return 0;
}

static void skip(struct parser *g)
{
	while (*g->at == ' ' || *g->at == '\t' || *g->at == '\n')
		g->at++;
}

static int takes(struct parser *g, const char *word)
{
	const size_t n = strlen(word);

	skip(g);
	if (strncmp(g->at, word, n) != 0)
		return 0;
	g->at += n;
	return 1;
}

static uint8_t add(struct parser *g, uint8_t op, uint8_t left, uint8_t right)
{
	if (g->p->count == BOB_PREDICATE_NODES)
		return fail(g, "a shorter condition");
	g->p->node[g->p->count] =
		(struct bob_predicate_node){ .op = op, .left = left, .right = right };
	return (uint8_t)g->p->count++;
}

static int is_letter(char c)
{
	return bob_is_letter(c) || c == '_';
}

static uint8_t add_text(struct parser *g, uint8_t op, const char *s, size_t len)
{
	const uint8_t n = add(g, op, 0, 0);

	if (!g->expected)
		g->p->node[n].value = (struct bob_predicate_value){
			.type = BOB_PREDICATE_TEXT_TYPE, .len = (uint32_t)len, .s = s
		};
	return n;
}

static uint8_t add_number(struct parser *g)
{
	struct bob_predicate_value v = { .type = BOB_PREDICATE_INT };
	char *end, *whole_end;
	const int saved = errno;
	const double d = strtod(g->at, &end);
	uint8_t n;

	errno = 0;
	v.i = strtoll(g->at, &whole_end, 0);
	if (end > whole_end) {
		v.type = BOB_PREDICATE_DOUBLE;
		v.d = d;
	}
	if (end > whole_end ? isinf(d) : errno == ERANGE) {
		errno = saved;
		return fail(g, "a number that fits into 64 bits");
	}
	errno = saved;
	g->at = end > whole_end ? end : whole_end;
	n = add(g, OPERAND, 0, 0);
	if (!g->expected)
		g->p->node[n].value = v;
	return n;
}

static uint8_t operand(struct parser *g)
{
	const char *begin;

	skip(g);
	begin = g->at;
	if (*begin == '"') {
		const char *end = strchr(begin + 1, '"');

		if (!end)
			return fail(g, "the end of the text, \"");
		g->at = end + 1;
		return add_text(g, OPERAND, begin + 1, (size_t)(end - begin - 1));
	}
	if (is_letter(*begin)) {
		while (bob_is_word(*g->at))
			g->at++;
		return add_text(g, NAME, begin, (size_t)(g->at - begin));
	}
	if (bob_is_digit(*begin) || ((*begin == '-' || *begin == '.') && bob_is_digit(begin[1])))
		return add_number(g);
	return fail(g, "a parameter's name, a number or a \"text\"");
}

static uint8_t comparison(struct parser *g)
{
	/* longer operators first */
	static const struct {
		const char *text;
		uint8_t op;
	} ops[] = { { "<=", LESS_EQUAL }, { ">=", MORE_EQUAL }, { "==", EQUAL },
		    { "!=", NOT_EQUAL },  { "<", LESS },	{ ">", MORE } };
	const uint8_t left = operand(g);

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]) && !g->expected; i++)
		if (takes(g, ops[i].text)) {
			const uint8_t right = operand(g);

			return add(g, ops[i].op, left, right);
		}
	return left;
}

static uint8_t any(struct parser *g);

static uint8_t not(struct parser * g)
{
	uint8_t n;

	skip(g);
	if (g->depth == DEPTH_MAX)
		return fail(g, "fewer parentheses");
	g->depth++;
	if (*g->at == '!' && g->at[1] != '=') {
		g->at++;
		n = not(g);
		n = add(g, NOT, n, n);
	} else if (takes(g, "(")) {
		n = any(g);
		if (!g->expected && !takes(g, ")"))
			fail(g, ")");
	} else {
		n = comparison(g);
	}
	g->depth--;
	return n;
}

static uint8_t all(struct parser *g)
{
	uint8_t left = not(g);

	while (!g->expected && takes(g, "&&")) {
		const uint8_t right = not(g);

		left = add(g, AND, left, right);
	}
	return left;
}

static uint8_t any(struct parser *g)
{
	uint8_t left = all(g);

	while (!g->expected && takes(g, "||")) {
		const uint8_t right = all(g);

		left = add(g, OR, left, right);
	}
	return left;
}

bob_status bob_predicate_parse(const char *text, struct bob_predicate *p, size_t *at,
			       const char **expected)
{
	struct parser g = { .p = p };
	const size_t n = strlen(text);

	p->count = 0;
	*at = 0;
	*expected = "a shorter condition";
	if (n > BOB_PREDICATE_TEXT)
		return BOB_ERR_INVAL;
	memcpy(p->text, text, n + 1);
	g.at = p->text;
	any(&g);
	skip(&g);
	if (!g.expected && *g.at)
		fail(&g, "&&, || or the end");
	*at = (size_t)(g.at - p->text);
	*expected = g.expected;
	return g.expected ? BOB_ERR_INVAL : BOB_OK;
}

const char *bob_predicate_name(const struct bob_predicate *p, uint32_t i, size_t *len)
{
	for (uint32_t k = 0; k < p->count; k++)
		if (p->node[k].op == NAME && !i--) {
			*len = p->node[k].value.len;
			return p->node[k].value.s;
		}
	return NULL;
}

/* --- evaluation --- */

struct asking {
	const struct bob_predicate *p;
	int (*find)(void *ctx, const char *name, size_t len, struct bob_predicate_value *v);
	void *ctx;
	int unknown;		/* a parameter is missing */
};

static struct bob_predicate_value value_of(struct asking *a, uint8_t node)
{
	const struct bob_predicate_node *n = &a->p->node[node];
	struct bob_predicate_value v = n->value;

	if (n->op == NAME && !a->find(a->ctx, n->value.s, n->value.len, &v)) {
		a->unknown = 1;
		v = (struct bob_predicate_value){ .type = BOB_PREDICATE_INT };
	}
	return v;
}

static double number_of(const struct bob_predicate_value *v)
{
	return v->type == BOB_PREDICATE_DOUBLE ? v->d : (double)v->i;
}

/* Less: 1, equal: 2, greater: 4; 0: unordered (NaN) or not comparable. */
static int order_of(const struct bob_predicate_value *x, const struct bob_predicate_value *y)
{
	const int texts =
		(x->type == BOB_PREDICATE_TEXT_TYPE) + (y->type == BOB_PREDICATE_TEXT_TYPE);
	double a, b;

	if (texts == 2) {
		const uint32_t n = x->len < y->len ? x->len : y->len;
		const int c = n ? memcmp(x->s, y->s, n) : 0;

		return c < 0 || (!c && x->len < y->len) ? 1 : c || x->len > y->len ? 4 : 2;
	}
	if (texts)
		return 0;
	if (x->type == BOB_PREDICATE_INT && y->type == BOB_PREDICATE_INT)
		return x->i < y->i ? 1 : x->i > y->i ? 4 : 2;
	a = number_of(x);
	b = number_of(y);
	return a < b ? 1 : a > b ? 4 : a == b ? 2 : 0;
}

static int is_set(const struct bob_predicate_value *v)
{
	return v->type == BOB_PREDICATE_TEXT_TYPE ? v->len > 0 :
	       v->type == BOB_PREDICATE_DOUBLE	  ? v->d != 0 :
						    v->i != 0;
}

static int holds(struct asking *a, uint8_t node)
{
	static const uint8_t wanted[] = { [LESS] = 1,  [LESS_EQUAL] = 3, [MORE] = 4,
					  [MORE_EQUAL] = 6, [EQUAL] = 2, [NOT_EQUAL] = 0 };
	const struct bob_predicate_node *n = &a->p->node[node];
	struct bob_predicate_value x, y;

	switch (n->op) {
	case OPERAND:
	case NAME:
		x = value_of(a, node);
		return is_set(&x);
	case NOT:
		return !holds(a, n->left);
	case AND:
		return holds(a, n->left) & holds(a, n->right);
	case OR:
		return holds(a, n->left) | holds(a, n->right);
	case NOT_EQUAL:
		x = value_of(a, n->left);
		y = value_of(a, n->right);
		return order_of(&x, &y) != 2;
	default:
		x = value_of(a, n->left);
		y = value_of(a, n->right);
		return (order_of(&x, &y) & wanted[n->op]) != 0;
	}
}

int bob_predicate_holds(const struct bob_predicate *p,
			int (*find)(void *ctx, const char *name, size_t len,
				    struct bob_predicate_value *v),
			void *ctx)
{
	struct asking a = { p, find, ctx, 0 };
	const int yes = p->count && holds(&a, (uint8_t)(p->count - 1));

	return yes && !a.unknown;
}
