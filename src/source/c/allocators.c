/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifies calls that allocate or free memory: allocators of the commands, those of the C
 * library, and functions declared with `__attribute__((alloc_size(1)))`. libclang shows the
 * attribute without its arguments, so they are read from the printed declaration. */
#include "source/c/allocators.h"

#include <stdlib.h>
#include <string.h>

#define NONE BOB_SOURCE_C_NO_ARGUMENT

static const struct bob_source_c_allocator library[] = {
	{ .name = "malloc", .bytes = 0, .count = NONE, .old = NONE },
	{ .name = "calloc", .bytes = 1, .count = 0, .old = NONE },
	{ .name = "realloc", .bytes = 1, .count = NONE, .old = 0 },
	{ .name = "reallocarray", .bytes = 2, .count = 1, .old = 0 },
	{ .name = "aligned_alloc", .bytes = 1, .count = NONE, .old = NONE },
	{ .name = "memalign", .bytes = 1, .count = NONE, .old = NONE },
	{ .name = "valloc", .bytes = 0, .count = NONE, .old = NONE },
	{ .name = "strdup", .bytes = NONE, .count = NONE, .is_text = true, .old = NONE },
	{ .name = "strndup", .bytes = NONE, .count = NONE, .is_text = true, .old = NONE },
	{ .name = "free", .bytes = NONE, .count = NONE, .old = 0 },
};

static const struct bob_source_c_allocator *find(const struct bob_source_c_allocator *from,
						 size_t count, const char *name)
{
	for (size_t i = 0; name && i < count; i++)
		if (!strcmp(name, from[i].name))
			return &from[i];
	return NULL;
}

const char *bob_c_callee(struct bob_c_unit *u, CXCursor call)
{
	const char *name = bob_c_spelling(u, call);
	CXCursor child[1], c = call;

	while (!*name && bob_c_children(u, c, child, 1)) {
		c = bob_c_bare(u, child[0]);
		if (u->clang->getCursorKind(c) != CXCursor_UnaryOperator)
			return bob_c_spelling(u, c);
	}
	return name;
}

/* --- attributes of declarations --- */

/* Reads one number of `(1)` or `(1, 2)`; *at is moved after it. 0: there is none. */
static uint32_t read_number(const char **at)
{
	char *end;
	unsigned long n;

	*at += strspn(*at, "( ,");
	if (**at < '1' || **at > '9')
		return 0;
	n = strtoul(*at, &end, 10);
	*at = end;
	return n > UINT16_MAX ? 0 : (uint32_t)n;
}

const char *bob_c_declaration(struct bob_c_unit *u, CXCursor decl)
{
	const CXPrintingPolicy policy = u->clang->getCursorPrintingPolicy(decl);
	const char *text;

	u->clang->PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
	text = bob_c_text(u, u->clang->getCursorPrettyPrinted(decl, policy));
	u->clang->PrintingPolicy_dispose(policy);
	return text;
}

/* The argument that is an old block: the last parameter of type `void *`. (The attribute does not
 * declare it.) */
static uint32_t old_of(struct bob_c_unit *u, CXCursor decl)
{
	CXType t = u->clang->getCanonicalType(u->clang->getCursorType(decl));
	int i;

	if (t.kind == CXType_Pointer)
		t = u->clang->getCanonicalType(u->clang->getPointeeType(t));
	for (i = u->clang->getNumArgTypes(t) - 1; i >= 0; i--) {
		const CXType a = u->clang->getCanonicalType(u->clang->getArgType(t, (unsigned)i));
		const CXType to = u->clang->getPointeeType(a);

		if (a.kind == CXType_Pointer && to.kind == CXType_Void &&
		    !u->clang->isConstQualifiedType(to))
			return (uint32_t)i;
	}
	return NONE;
}

/* The allocator that the declaration of the callee describes. NULL: it describes none. */
static const struct bob_source_c_allocator *declared(struct bob_c_unit *u, CXCursor call)
{
	static const char attribute[] = "__attribute__((alloc_size(";
	const CXCursor decl = u->clang->getCursorReferenced(call);
	struct bob_source_c_allocator *a;
	uint32_t first, second;
	const char *at;

	if (u->clang->Cursor_isNull(decl) || bob_c_type_kind(u, call) != CXType_Pointer)
		return NULL;
	at = strstr(bob_c_declaration(u, decl), attribute);
	/* the first declaration: clang prints later ones without the inherited attribute */
	if (!at)
		at = strstr(bob_c_declaration(u, u->clang->getCanonicalCursor(decl)), attribute);
	if (!at)
		return NULL;
	at += sizeof(attribute) - 1;
	first = read_number(&at);
	second = read_number(&at);
	a = first ? bob_arena_alloc(&u->arena, sizeof(*a)) : NULL;
	u->is_failed |= first && !a;
	if (a)
		*a = (struct bob_source_c_allocator){ .bytes = first - 1,
						      .count = second ? second - 1 : NONE,
						      .old = old_of(u, decl) };
	return a;
}

void bob_c_allocator_called(struct bob_c_unit *u, CXCursor call)
{
	const struct bob_source_c_options *o = u->options;
	const char *name;

	if (!u->is_scan || !o->called || !o->allocator_count)
		return;
	name = bob_c_callee(u, call);
	for (uint32_t i = 0; i < o->allocator_count; i++)
		o->called[i] |= !strcmp(o->allocators[i].name, name);
}

bool bob_c_is_of_library(const struct bob_source_c_allocator *a)
{
	for (size_t i = 0; i < sizeof(library) / sizeof(library[0]); i++)
		if (a == &library[i])
			return true;
	return false;
}

/* Allocators of the commands have precedence: a program may define its own `malloc`. */
const struct bob_source_c_allocator *bob_c_allocator(struct bob_c_unit *u, CXCursor call)
{
	const struct bob_source_c_options *o = u->options;
	const struct bob_source_c_allocator *found;
	const char *name;

	if (u->clang->getCursorKind(call) != CXCursor_CallExpr)
		return NULL;
	name = bob_c_callee(u, call);
	found = find(o->allocators, o->allocator_count, name);
	if (!found)
		found = find(library, sizeof(library) / sizeof(library[0]), name);
	return found ? found : declared(u, call);
}
