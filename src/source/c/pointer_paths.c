/* SPDX-License-Identifier: BSD-3-Clause */
/* Access paths from variables to pointers that are members or elements: g->v, rows[*],
 * s->part[*].text. Two paths are equal if they have the same members in the same order and the same
 * number of subscripts after the last one. `->`, `.` and subscripts before a member are not
 * distinguished, so g->v, g.v and g[*].v are one path. Memory that such a pointer gets from malloc
 * and similar functions is a block (heap.c), which has the path as its name. */
#include "source/c/unit.h"

#include <string.h>

#define STEPS_MAX 32 /* members and subscripts of a path */

struct way {
	struct bob_c_variable *variable;
	const char *shown;	/* the path from it on, for users */
	int steps;
};

/* The expression below parentheses, casts and conversions. */
CXCursor bob_c_bare(struct bob_c_unit *u, CXCursor c)
{
	for (;;) {
		const enum CXCursorKind k = u->clang->getCursorKind(c);
		CXCursor child[2];
		const uint32_t n = bob_c_children(u, c, child, 2);

		if (n && n <= 2 && k == CXCursor_CStyleCastExpr)
			c = child[n - 1];
		else if (n == 1 && (k == CXCursor_ParenExpr || k == CXCursor_UnexposedExpr))
			c = child[0];
		else
			return c;
	}
}

/* --- keys --- */

/* The key of a path written by the user: `->` becomes `.`, and subscripts before a member are
 * removed. */
static const char *key_of(struct bob_c_unit *u, const char *text)
{
	const size_t len = strlen(text);
	char *key = bob_arena_alloc(&u->arena, len + 1), *to = key;

	if (!key) {
		u->is_failed = true;
		return "";
	}
	while (*text) {
		if (*text == '.' || !strncmp(text, "->", 2)) {
			while (to > key && to[-1] == ']')
				to -= 3;
			*to++ = '.';
			text += *text == '.' ? 1 : 2;
		} else {
			*to++ = *text++;
		}
	}
	*to = 0;
	return key;
}

bool bob_c_is_request_of_path(struct bob_c_unit *u, const struct bob_source_c_request *w,
			      const struct bob_c_path *p)
{
	if (!bob_c_is_name_of(w, p->variable))
		return false;
	return w->path ? !strcmp(key_of(u, w->path), p->key) : !w->rank;
}

/* --- paths of expressions --- */

static bool follow(struct bob_c_unit *u, CXCursor c, struct way *to);

static bool follow_member(struct bob_c_unit *u, CXCursor c, CXCursor base, struct way *to)
{
	const char *name = bob_c_spelling(u, c);

	if (!follow(u, base, to))
		return false;
	if (!*name)
		return true; /* an unnamed struct in another one */
	to->shown = bob_c_printf(u, "%s%s%s", to->shown,
				 bob_c_type_kind(u, base) == CXType_Pointer ? "->" : ".", name);
	return to->shown != NULL;
}

static bool follow_element(struct bob_c_unit *u, CXCursor base, struct way *to)
{
	if (!follow(u, base, to))
		return false;
	to->shown = bob_c_printf(u, "%s[*]", to->shown);
	return to->shown != NULL;
}

static bool is_pointer_or_array(struct bob_c_unit *u, CXCursor c)
{
	const enum CXTypeKind k = bob_c_type_kind(u, c);

	return k == CXType_Pointer || bob_c_is_array(k);
}

static bool follow(struct bob_c_unit *u, CXCursor c, struct way *to)
{
	CXCursor child[2];
	uint32_t n;

	c = bob_c_bare(u, c);
	n = bob_c_children(u, c, child, 2);
	if (++to->steps > STEPS_MAX)
		return false;
	switch (u->clang->getCursorKind(c)) {
	case CXCursor_DeclRefExpr:
		to->variable = bob_c_variable(u, u->clang->getCursorReferenced(c));
		to->shown = "";
		return to->variable && bob_c_has_paths(u, to->variable);
	case CXCursor_MemberRefExpr:
		return n && follow_member(u, c, child[0], to);
	case CXCursor_ArraySubscriptExpr:
		return n == 2 && follow_element(u, child[!is_pointer_or_array(u, child[0])], to);
	case CXCursor_UnaryOperator:
		if (n != 1 || !bob_c_is_lvalue(u, c) || !is_pointer_or_array(u, child[0]))
			return false;
		return follow_element(u, child[0], to);
	case CXCursor_BinaryOperator: /* p + i */
		return n == 2 && !bob_c_is_lvalue(u, child[0]) &&
		       follow(u, child[!is_pointer_or_array(u, child[0])], to);
	default:
		return false;
	}
}

bool bob_c_has_paths(struct bob_c_unit *u, const struct bob_c_variable *v)
{
	for (uint32_t i = 0; i < u->options->request_count; i++)
		if (bob_c_is_name_of(&u->options->requests[i], v) &&
		    (u->options->requests[i].path || !u->options->requests[i].rank))
			return true;
	return false;
}

static struct bob_c_path *known(const struct bob_c_unit *u, const struct bob_c_variable *v,
				const char *key)
{
	for (struct bob_c_path *p = u->paths; p; p = p->next)
		if (p->variable == v && !strcmp(p->key, key))
			return p;
	return NULL;
}

struct bob_c_path *bob_c_path(struct bob_c_unit *u, CXCursor c)
{
	struct way w = { .variable = NULL };

	if (!u->paths || !follow(u, c, &w) || !*w.shown)
		return NULL;
	return known(u, w.variable, key_of(u, w.shown));
}

bool bob_c_path_of(struct bob_c_unit *u, CXCursor c, struct bob_c_path *out)
{
	struct way w = { .variable = NULL };

	if (bob_c_type_kind(u, c) != CXType_Pointer || !follow(u, c, &w) || !*w.shown)
		return false;
	*out = (struct bob_c_path){ .variable = w.variable, .key = key_of(u, w.shown) };
	out->name = bob_c_printf(u, "%s%s", w.variable->name, w.shown);
	return out->name != NULL;
}

/* Does a request name this path, and not only its variable? */
static bool is_named(struct bob_c_unit *u, const struct bob_c_path *p)
{
	for (uint32_t i = 0; i < u->options->request_count; i++)
		if (u->options->requests[i].path &&
		    bob_c_is_request_of_path(u, &u->options->requests[i], p))
			return true;
	return false;
}

static bool is_reached(struct bob_c_unit *u, const struct bob_c_path *p)
{
	for (uint32_t i = 0; i < u->options->request_count; i++)
		if (bob_c_is_request_of_path(u, &u->options->requests[i], p))
			return true;
	return false;
}

struct bob_c_path *bob_c_path_note(struct bob_c_unit *u, CXCursor c, bool gets_block)
{
	struct way w = { .variable = NULL };
	struct bob_c_path *p;
	const char *key;

	if (bob_c_type_kind(u, c) != CXType_Pointer || !follow(u, c, &w) || !*w.shown)
		return NULL;
	key = key_of(u, w.shown);
	p = known(u, w.variable, key);
	if (p)
		return p;
	p = bob_arena_alloc(&u->arena, sizeof(*p));
	if (!p) {
		u->is_failed = true;
		return NULL;
	}
	*p = (struct bob_c_path){ .next = u->paths, .variable = w.variable, .key = key };
	p->name = bob_c_printf(u, "%s%s", w.variable->name, w.shown);
	p->pointee =
		u->clang->getPointeeType(u->clang->getCanonicalType(u->clang->getCursorType(c)));
	if (!p->name || !(gets_block ? is_reached(u, p) : is_named(u, p)))
		return NULL;
	u->paths = p;
	return p;
}
