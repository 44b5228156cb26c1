/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of the file: whether they are requested, and whether pointers may refer to them,
 * because their address is taken in the file or other files can take it. Types are compared by C's
 * aliasing rules; characters alias everything. */
#include "source/c/unit.h"

#include <string.h>

#include "source/across.h"

bool bob_c_is_name_of(const struct bob_source_c_request *w, const struct bob_c_variable *v)
{
	if (w->what != BOB_SOURCE_C_VARIABLE || !w->name)
		return false;
	return (!strcmp(w->name, "*") || !strcmp(w->name, v->name)) &&
	       (!w->is_of_another || v->is_linked) &&
	       (!w->function || !strcmp(w->function, v->function));
}

bool bob_c_is_request_of(const struct bob_source_c_request *w, const struct bob_c_variable *v)
{
	return !w->path && bob_c_is_name_of(w, v);
}

/* The function that contains the declaration; "": none. */
static const char *scope(struct bob_c_unit *u, CXCursor decl)
{
	const CXCursor parent = u->clang->getCursorSemanticParent(decl);

	return u->clang->getCursorKind(parent) == CXCursor_FunctionDecl ?
		       bob_c_spelling(u, parent) :
		       "";
}

static void describe(struct bob_c_unit *u, struct bob_c_variable *v)
{
	const struct bob_clang *l = u->clang;
	const enum CX_StorageClass storage = l->Cursor_getStorageClass(v->decl);
	const CXType type = l->getCursorType(v->decl);
	CXFile file;
	unsigned line, column, offset;

	v->name = bob_c_spelling(u, v->decl);
	v->function = scope(u, v->decl);
	v->canonical = l->getCanonicalType(type);
	v->type = bob_c_text(u, l->getTypeSpelling(type));
	v->is_parameter = l->getCursorKind(v->decl) == CXCursor_ParmDecl;
	v->is_register = storage == CX_SC_Register;
	v->is_thread = l->getCursorTLSKind(v->decl) != CXTLS_None;
	v->is_extern = storage == CX_SC_Extern;
	v->is_static = !v->is_parameter &&
		       (!*v->function || storage == CX_SC_Static || v->is_extern);
	v->is_pointer = bob_c_type_kind(u, v->decl) == CXType_Pointer;
	v->is_array_parameter = v->is_pointer && bob_c_is_array(v->canonical.kind);
	v->is_linked = v->is_exposed = l->getCursorLinkage(v->decl) == CXLinkage_External;
	l->getExpansionLocation(l->getCursorLocation(v->decl), &file, &line, &column, &offset);
	v->line = line;
	/* The compiler's own type: its members are not accessible. */
	if (strstr(v->type, "va_list"))
		return;
	for (uint32_t i = 0; i < u->options->request_count; i++)
		v->is_wanted |= bob_c_is_request_of(&u->options->requests[i], v);
}

struct bob_c_variable *bob_c_variable(struct bob_c_unit *u, CXCursor decl)
{
	const struct bob_clang *l = u->clang;
	const enum CXCursorKind kind = l->getCursorKind(decl);
	struct bob_c_variable *v, **bucket;

	if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl)
		return NULL;
	decl = l->getCanonicalCursor(decl);
	bucket = &u->buckets[l->hashCursor(decl) % BOB_C_BUCKETS];
	for (v = *bucket; v; v = v->next)
		if (l->equalCursors(v->decl, decl))
			return v;
	v = bob_arena_alloc(&u->arena, sizeof(*v));
	if (!v) {
		u->is_failed = true;
		return NULL;
	}
	v->decl = decl;
	v->next = *bucket;
	*bucket = v;
	*(u->variables ? &u->last_variable->later : &u->variables) = v;
	u->last_variable = v;
	describe(u, v);
	return v;
}

struct bob_c_variable *bob_c_variable_of(struct bob_c_unit *u, CXCursor c)
{
	return u->clang->getCursorKind(c) == CXCursor_DeclRefExpr ?
		       bob_c_variable(u, u->clang->getCursorReferenced(c)) :
		       NULL;
}

/* `int a[];` may get its length from a later declaration. */
void bob_c_variable_declared(struct bob_c_unit *u, struct bob_c_variable *v, CXCursor decl,
			     bool has_value)
{
	v->is_defined |= has_value || u->clang->Cursor_getStorageClass(decl) != CX_SC_Extern;
	if (v->canonical.kind == CXType_IncompleteArray)
		v->canonical = u->clang->getCanonicalType(u->clang->getCursorType(decl));
}

static uint32_t classes(struct bob_c_unit *u, CXType t, uint32_t depth);

struct fields {
	struct bob_c_unit *u;
	uint32_t mask, depth;
};

static enum CXVisitorResult see_field(CXCursor c, CXClientData data)
{
	struct fields *f = data;

	f->mask |= classes(f->u, f->u->clang->getCursorType(c), f->depth + 1);
	return CXVisit_Continue;
}

/* Does the type have the attribute may_alias in a header? (In the file itself it makes all types of
 * the file loose.) */
static bool is_loose(struct bob_c_unit *u, CXType t)
{
	const struct bob_clang *l = u->clang;

	for (uint32_t i = 0; i < 32; i++) {
		const CXCursor c = l->getTypeDeclaration(t);

		if (l->getCursorKind(c) != CXCursor_TypedefDecl)
			return false;
		if (strstr(bob_c_text(u, l->getCursorPrettyPrinted(c, NULL)), "may_alias"))
			return true;
		t = l->getTypedefDeclUnderlyingType(c);
	}
	return true;
}

static uint32_t classes(struct bob_c_unit *u, CXType t, uint32_t depth)
{
	const struct bob_clang *l = u->clang;
	struct fields f = { u, 0, depth };

	if (u->is_loose || depth > 32 || is_loose(u, t))
		return BOB_CLASS_ALL;
	t = l->getCanonicalType(t);
	if (bob_c_is_array(t.kind))
		return classes(u, l->getArrayElementType(t), depth + 1);
	switch (t.kind) {
	case CXType_Char_U:
	case CXType_Char_S:
	case CXType_SChar:
	case CXType_UChar:
		return BOB_CLASS_CHAR;
	case CXType_Bool:
		return BOB_CLASS_BOOL;
	case CXType_Short:
	case CXType_UShort:
		return BOB_CLASS_SHORT;
	case CXType_Int:
	case CXType_UInt:
	case CXType_Enum:
		return BOB_CLASS_INT;
	case CXType_Long:
	case CXType_ULong:
		return BOB_CLASS_LONG;
	case CXType_LongLong:
	case CXType_ULongLong:
		return BOB_CLASS_LONG_LONG;
	case CXType_Float:
		return BOB_CLASS_FLOAT;
	case CXType_Double:
		return BOB_CLASS_DOUBLE;
	case CXType_LongDouble:
		return BOB_CLASS_LONG_DOUBLE;
	case CXType_Pointer:
		return BOB_CLASS_POINTER;
	case CXType_Complex:
		return classes(u, l->getElementType(t), depth + 1);
	case CXType_Record:
		l->Type_visitFields(t, see_field, &f);
		return f.mask ? f.mask : BOB_CLASS_ALL;
	default:
		return BOB_CLASS_ALL;
	}
}

uint32_t bob_c_classes(struct bob_c_unit *u, CXType t)
{
	return classes(u, t, 0);
}

CXType bob_c_pointee(const struct bob_c_unit *u, const struct bob_c_variable *v)
{
	return v->canonical.kind == CXType_Pointer ? u->clang->getPointeeType(v->canonical) :
						     u->clang->getArrayElementType(v->canonical);
}

/* Classes of the parts of a variable that pointers may refer to. */
uint32_t bob_c_exposed_classes(struct bob_c_unit *u, const struct bob_c_variable *v)
{
	if (!v->is_exposed && !v->is_pointer)
		return 0;
	return v->is_pointer ? BOB_CLASS_POINTER | classes(u, bob_c_pointee(u, v), 0) :
			       classes(u, v->canonical, 0);
}

uint32_t bob_c_path_classes(struct bob_c_unit *u, const struct bob_c_path *p)
{
	return BOB_CLASS_POINTER | classes(u, p->pointee, 0);
}

bool bob_c_may_alias(struct bob_c_unit *u, CXType accessed)
{
	const uint32_t mask = classes(u, accessed, 0);

	for (uint32_t i = 0; i < u->options->request_count; i++)
		if (u->options->requests[i].what == BOB_SOURCE_C_POINTERS)
			return true;
	if (bob_classes_meet(mask, u->options->reach))
		return true;
	for (struct bob_c_path *p = u->paths; p; p = p->next)
		if (bob_classes_meet(mask, bob_c_path_classes(u, p)))
			return true;
	for (const struct bob_c_variable *v = u->variables; v; v = v->later)
		if (v->is_wanted && bob_classes_meet(mask, bob_c_exposed_classes(u, v)))
			return true;
	return false;
}

bool bob_c_has_arguments(const struct bob_c_unit *u)
{
	for (const struct bob_c_variable *v = u->variables; v; v = v->later)
		if (v->is_wanted && v->is_parameter && v->is_pointer)
			return true;
	return false;
}
