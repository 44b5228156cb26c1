/* SPDX-License-Identifier: BSD-3-Clause */
/* libclang 14 does not report the operator of an expression, so it is read from the bytes of the
 * file: after the first operand, or before it. In a macro it is unknown. */
#include "source/c/unit.h"

#include <string.h>

static const char *const operators[] = {
	"<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==", "!=", "<=",
	">=",  "&&",  "||", "<<", ">>", "=",  "+",  "-",  "*",	"/",  "%",  "&",  "|",	"^",  "<",
	">",   ",",   "!",  "~",
};

static void take(const struct bob_c_unit *u, uint32_t at, struct bob_c_operator *to)
{
	static const char *const words[] = { "__real", "__imag", "__extension__" };

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!strncmp(u->bytes + at, operators[i], strlen(operators[i]))) {
			strcpy(to->text, operators[i]);
			return;
		}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(u->bytes + at, words[i], strlen(words[i])))
			strcpy(to->text, "__");
}

struct bob_c_operator bob_c_operator(struct bob_c_unit *u, CXCursor c)
{
	struct bob_c_operator op = { .text = "" };
	const struct bob_c_span whole = bob_c_span(u, c);
	struct bob_c_span first;
	CXCursor child[2];

	if (!bob_c_children(u, c, child, 2) || !whole.is_plain)
		return op;
	first = bob_c_span(u, child[0]);
	if (!first.is_ours)
		return op;
	op.is_prefix = whole.start < first.start;
	if (op.is_prefix)
		take(u, whole.start, &op);
	else if (first.is_plain || first.is_macro)
		take(u, bob_c_skip_blanks(u, first.end), &op);
	return op;
}

bool bob_c_is_address(struct bob_c_unit *u, CXCursor c)
{
	const struct bob_clang *l = u->clang;
	CXCursor child[1];
	CXType t;

	if (l->getCursorKind(c) != CXCursor_UnaryOperator || bob_c_children(u, c, child, 1) != 1)
		return false;
	t = l->getCanonicalType(l->getCursorType(c));
	return t.kind == CXType_Pointer &&
	       l->equalTypes(l->getCanonicalType(l->getPointeeType(t)),
			     l->getCanonicalType(l->getCursorType(child[0])));
}

bool bob_c_is_guard(struct bob_c_unit *u, CXCursor c)
{
	const struct bob_c_operator op = bob_c_operator(u, c);

	return !strcmp(op.text, "&&") || !strcmp(op.text, "||");
}
