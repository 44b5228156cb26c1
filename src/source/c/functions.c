/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects functions, their declarations and the calls between them, while the file is scanned. */
#include <stdlib.h>
#include <string.h>

#include "source/c/copies.h"
#include "base/ascii.h"

static bool is_noting(const struct bob_c_unit *u)
{
	return u->copies && !u->copies->is_planned && u->is_scan;
}

static struct bob_c_function *add(struct bob_c_unit *u, CXCursor decl)
{
	struct bob_c_copies *k = u->copies;
	struct bob_c_function *f = bob_arena_alloc(&u->arena, sizeof(*f));

	if (!f || BOB_VEC_RESERVE(&k->functions, 1) != BOB_OK) {
		u->is_failed = true;
		return NULL;
	}
	*f = (struct bob_c_function){ .decl = decl, .known_from = UINT32_MAX,
				      .planned = BOB_COPIES_NO };
	f->name = bob_c_spelling(u, decl);
	f->is_linked = u->clang->getCursorLinkage(decl) == CXLinkage_External;
	f->is_of_library = u->clang->Location_isInSystemHeader(u->clang->getCursorLocation(decl));
	f->result = (struct bob_c_variable){ .is_pointer = true, .is_static = true, .name = "" };
	k->functions.at[k->functions.count++] = f;
	return f;
}

struct bob_c_function *bob_c_function(struct bob_c_unit *u, CXCursor decl)
{
	struct bob_c_function **bucket, *f;

	decl = u->clang->getCanonicalCursor(decl);
	bucket = &u->copies->buckets[u->clang->hashCursor(decl) % BOB_C_BUCKETS];
	for (f = *bucket; f; f = f->next)
		if (u->clang->equalCursors(f->decl, decl))
			return f;
	f = add(u, decl);
	if (!f)
		return NULL;
	f->next = *bucket;
	*bucket = f;
	return f;
}

/* --- places --- */

static bool has_name_at(const struct bob_c_unit *u, uint32_t at, const char *name)
{
	const size_t n = strlen(name);

	return n && at <= u->len && n <= u->len - at && !memcmp(u->bytes + at, name, n) &&
	       !bob_is_word(u->bytes[at + n]);
}

static void note_place(struct bob_c_unit *u, uint32_t at)
{
	struct bob_c_copies *k = u->copies;

	u->is_failed |= BOB_VEC_ADD(&k->named, at) != BOB_OK;
}

/* Place of the name in a declaration; UINT32_MAX: it is in another file, or in a macro. */
static uint32_t place_of_name(struct bob_c_unit *u, CXCursor decl, const char *name)
{
	const struct bob_clang *l = u->clang;
	unsigned line, column, at;
	CXFile file;

	l->getExpansionLocation(l->getCursorLocation(decl), &file, &line, &column, &at);
	if (!file || !l->File_isEqual(file, l->getFile(u->tu, u->path)) ||
	    !has_name_at(u, at, name) || bob_c_macro_at(u, at))
		return UINT32_MAX;
	return at;
}

/* --- declarations --- */

void bob_c_function_declared(struct bob_c_unit *u, CXCursor decl)
{
	struct bob_c_function *f = is_noting(u) ? bob_c_function(u, decl) : NULL;
	struct bob_c_declared *d;
	uint32_t at;

	if (!f)
		return;
	at = place_of_name(u, decl, f->name);
	if (at != UINT32_MAX)
		note_place(u, at);
	d = bob_arena_alloc(&u->arena, sizeof(*d));
	u->is_failed |= !d;
	if (d) {
		*d = (struct bob_c_declared){ f->declared, decl };
		f->declared = d;
	}
	f->is_of_library |=
		u->clang->Location_isInSystemHeader(u->clang->getCursorLocation(decl)) != 0;
	if (f->known_from == UINT32_MAX)
		f->known_from = u->copies->declared;
	if (u->clang->isCursorDefinition(decl)) {
		f->is_defined = true;
		f->definition = decl;
		f->span = bob_c_span(u, decl);
		f->name_at = at;
		f->number = u->copies->declared;
	}
	u->copies->declared++;
}

void bob_c_function_begin(struct bob_c_unit *u, CXCursor definition)
{
	int count;

	if (!u->copies)
		return;
	u->copies->function = bob_c_function(u, definition);
	if (!is_noting(u))
		return;
	count = u->clang->Cursor_getNumArguments(definition);
	for (int i = 0; i < count; i++) {
		struct bob_c_variable *v =
			bob_c_variable(u, u->clang->Cursor_getArgument(definition, (unsigned)i));

		if (v)
			v->leads |= i < 63 ? UINT64_C(1) << i : BOB_C_ANYWHERE;
	}
}

/* --- calls --- */

void bob_c_function_named(struct bob_c_unit *u, CXCursor reference)
{
	const CXCursor to = u->clang->getCursorReferenced(reference);
	struct bob_c_function *f;

	if (!is_noting(u) || u->clang->getCursorKind(to) != CXCursor_FunctionDecl)
		return;
	f = bob_c_function(u, to);
	if (f)
		f->uses++;
}

CXCursor bob_c_name_called(struct bob_c_unit *u, CXCursor call)
{
	CXCursor child[1];

	if (bob_c_children(u, call, child, 1)) {
		const CXCursor c = bob_c_bare(u, child[0]);

		if (u->clang->getCursorKind(c) == CXCursor_DeclRefExpr &&
		    u->clang->getCursorKind(u->clang->getCursorReferenced(c)) ==
			    CXCursor_FunctionDecl)
			return c;
	}
	return u->clang->getNullCursor();
}

void bob_c_call_note(struct bob_c_unit *u, CXCursor call)
{
	struct bob_c_copies *k = u->copies;
	const CXCursor name = is_noting(u) ? bob_c_name_called(u, call) : u->clang->getNullCursor();
	struct bob_c_call to = { .c = call, .at = UINT32_MAX };
	struct bob_c_span s;

	if (u->clang->Cursor_isNull(name))
		return;
	to.from = k->function;
	to.to = bob_c_function(u, u->clang->getCursorReferenced(name));
	if (!to.to || BOB_VEC_RESERVE(&k->calls, 1) != BOB_OK) {
		u->is_failed = true;
		return;
	}
	s = bob_c_span(u, name);
	if (s.is_ours && s.is_plain && has_name_at(u, s.start, to.to->name)) {
		to.at = s.start;
		note_place(u, s.start);
	}
	to.to->calls++;
	k->calls.at[k->calls.count++] = to;
}

void bob_c_functions_free(struct bob_c_unit *u)
{
	if (!u->copies)
		return;
	free(u->copies->functions.at);
	free(u->copies->calls.at);
	free(u->copies->values.at);
	free(u->copies->named.at);
	free(u->copies->passes);
	free(u->copies);
	u->copies = NULL;
}
