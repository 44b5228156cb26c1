/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that malloc and its like give: where a traced pointer variable gets such a block -- the call itself, under casts, is what is
 * assigned or what the variable begins with -- the block is declared as what the pointer leads to, as long as the call asked for. The
 * arguments are evaluated where they stand, once, and put down on the way. What is given back lies there no longer, in every file that
 * is instrumented, for the next block may come to the same place. */
#include "source/c/unit.h"

#include <string.h>

#define NONE UINT32_MAX

struct allocator {
	const char *name;
	uint32_t count, bytes;	/* arguments that are multiplied; NONE: 1 */
	uint32_t old;		/* argument that is given back */
};

static const struct allocator allocators[] = {
	{ "malloc", NONE, 0, NONE },	      { "calloc", 0, 1, NONE },
	{ "realloc", NONE, 1, 0 },	      { "reallocarray", 1, 2, 0 },
	{ "aligned_alloc", NONE, 1, NONE },   { "memalign", NONE, 1, NONE },
	{ "valloc", NONE, 0, NONE },	      { "free", NONE, NONE, 0 },
};

static const struct allocator *allocator(struct bob_c_unit *u, CXCursor call)
{
	const struct allocator *found = NULL;
	CXString name;

	if (u->clang->getCursorKind(call) != CXCursor_CallExpr)
		return NULL;
	name = u->clang->getCursorSpelling(call);
	for (size_t i = 0; i < sizeof(allocators) / sizeof(allocators[0]); i++)
		if (u->clang->getCString(name) &&
		    !strcmp(u->clang->getCString(name), allocators[i].name))
			found = &allocators[i];
	u->clang->disposeString(name);
	return found;
}

/* What is below brackets, casts and conversions. */
static CXCursor bare(struct bob_c_unit *u, CXCursor c)
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

static bool leads_anywhere(const struct bob_c_variable *v)
{
	return v->is_wanted && v->is_pointer && !v->is_thread;
}

bool bob_c_block_begin(struct bob_c_unit *u, const struct bob_c_variable *v, CXCursor value)
{
	const struct allocator *a;

	if (u->is_scan || u->nest || u->blocked >= 0 || !leads_anywhere(v))
		return false;
	u->block = bare(u, value);
	a = allocator(u, u->block);
	u->has_block = a && a->bytes != NONE;
	return u->has_block;
}

bool bob_c_block_open(struct bob_c_unit *u, CXCursor c, struct bob_c_span *s)
{
	CXCursor child[2], to;
	struct bob_c_variable *v;

	if (u->is_scan || bob_c_children(u, c, child, 2) != 2)
		return false;
	to = bare(u, child[0]);
	if (u->clang->getCursorKind(to) != CXCursor_DeclRefExpr)
		return false;
	v = bob_c_variable(u, u->clang->getCursorReferenced(to));
	if (!v || !bob_c_block_begin(u, v, child[1]))
		return false;
	*s = bob_c_span(u, c);
	if (!bob_c_is_editable(u, s)) {
		u->has_block = false;
		bob_c_refuse_in_macro(u, s);
		return false;
	}
	bob_c_open_at(u, s->start, bob_c_before_block(u, v));
	return true;
}

/* Pointers matter in this file. */
static bool has_pointers(const struct bob_c_unit *u)
{
	for (uint32_t i = 0; i < u->options->wish_count; i++)
		if (u->options->wishes[i].what == BOB_SOURCE_C_POINTERS)
			return true;
	for (size_t b = 0; b < BOB_C_BUCKETS; b++)
		for (const struct bob_c_variable *v = u->buckets[b]; v; v = v->next)
			if (leads_anywhere(v))
				return true;
	return false;
}

const char *bob_c_before_argument(struct bob_c_unit *u, CXCursor call, uint32_t i)
{
	const struct allocator *a = u->is_scan || u->nest ? NULL : allocator(u, call);
	const bool is_block = u->has_block && u->clang->equalCursors(call, u->block);

	if (!a)
		return NULL;
	if (i == a->old)
		return has_pointers(u) ? "bobbin_gone((" : NULL;
	if (is_block && i == a->bytes)
		return a->count == NONE ? "(bobbin_block[0]=1,bobbin_block[1]=(" :
					  "(bobbin_block[1]=(";
	return is_block && i == a->count ? "(bobbin_block[0]=(" : NULL;
}
