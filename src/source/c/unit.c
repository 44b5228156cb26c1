/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the file, parses it with libclang, and maps cursors to places. A place is an offset in the
 * file; for the expansion of a macro, that of its use. */
#include "source/c/copies.h"
#include "source/c/macros.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bob_status complain(struct bob_source_c_complaint *why, bob_status st, const char *format,
			   ...) __attribute__((format(printf, 3, 4)));
static bob_status complain(struct bob_source_c_complaint *why, bob_status st, const char *format,
			   ...)
{
	va_list args;

	va_start(args, format);
	if (why)
		vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return st;
}

static bob_status read_file(struct bob_c_unit *u, struct bob_source_c_complaint *why)
{
	FILE *f = fopen(u->path, "rb");
	long len;

	if (!f)
		return complain(why, BOB_ERR_NOENT, "%s: cannot be read: %m", u->path);
	if (fseek(f, 0, SEEK_END) || (len = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		fclose(f);
		return complain(why, BOB_ERR_IO, "%s: cannot be read: %m", u->path);
	}
	if ((unsigned long)len > BOB_C_BYTES_MAX) {
		fclose(f);
		return complain(why, BOB_ERR_FULL, "%s: longer than %u bytes", u->path,
				BOB_C_BYTES_MAX);
	}
	u->len = (uint32_t)len;
	u->bytes = malloc((size_t)len + 1);
	if (!u->bytes || fread(u->bytes, 1, u->len, f) != u->len) {
		fclose(f);
		return complain(why, u->bytes ? BOB_ERR_IO : BOB_ERR_NOMEM, "%s: cannot be read",
				u->path);
	}
	u->bytes[u->len] = 0;
	fclose(f);
	return BOB_OK;
}

/* Reports the first error. */
static bob_status check(struct bob_c_unit *u, struct bob_source_c_complaint *why)
{
	const struct bob_clang *l = u->clang;
	const unsigned count = l->getNumDiagnostics(u->tu);

	for (unsigned i = 0; i < count; i++) {
		CXDiagnostic d = l->getDiagnostic(u->tu, i);
		CXString text, file;
		CXFile f;
		const char *path;
		unsigned line, column, offset;

		if (l->getDiagnosticSeverity(d) < CXDiagnostic_Error) {
			l->disposeDiagnostic(d);
			continue;
		}
		text = l->getDiagnosticSpelling(d);
		l->getExpansionLocation(l->getDiagnosticLocation(d), &f, &line, &column, &offset);
		file = l->getFileName(f);
		path = l->getCString(file);
		if (path && *path)
			complain(why, BOB_ERR_CORRUPT, "%.255s:%u:%u: %.200s", path, line, column,
				 l->getCString(text));
		else /* in a file included by the flags */
			complain(why, BOB_ERR_CORRUPT, "%.255s: %.200s", u->path,
				 l->getCString(text));
		l->disposeString(file);
		l->disposeString(text);
		l->disposeDiagnostic(d);
		return BOB_ERR_CORRUPT;
	}
	return BOB_OK;
}

static void find_macros(struct bob_c_unit *u)
{
	struct bob_c_definitions d;

	bob_c_definitions_read(u, &d);
	bob_c_macros_find(u, &d);
	bob_c_pragmas_find(u, &d);
	free(d.at);
}

bob_status bob_c_unit_open(struct bob_c_unit *u, const char *path, char *text, size_t len,
			   const struct bob_c_sources *sources,
			   const struct bob_source_c_options *options,
			   struct bob_source_c_complaint *why)
{
	const char **flags;
	struct CXUnsavedFile instead;
	int count, error;
	bob_status st;

	u->bytes = text;
	u->len = (uint32_t)len;
	u->path = path;
	u->sources = sources;
	u->options = options;
	u->function_name = "";
	u->clang = bob_clang_load();
	if (!u->clang)
		return complain(
			why, BOB_ERR_UNSUPPORTED,
			"C sources need libclang, and there is none: install libclang1-14, or set "
			"BOBBIN_LIBCLANG to the path of libclang.so");
	st = text ? BOB_OK : read_file(u, why);
	if (st != BOB_OK)
		return st;
	flags = bob_c_clang_flags(options, &count);
	u->index = flags ? u->clang->createIndex(0, 0) : NULL;
	if (!u->index) {
		free(flags);
		return complain(why, BOB_ERR_NOMEM, "%s: no memory", path);
	}
	instead = (struct CXUnsavedFile){ path, u->bytes, u->len };
	error = (int)u->clang->parseTranslationUnit2(u->index, path, flags, count, &instead, 1,
						     CXTranslationUnit_DetailedPreprocessingRecord,
						     &u->tu);
	free(flags);
	if (error)
		return complain(why, BOB_ERR_CORRUPT, "%s: libclang cannot read it (error %d)",
				path, error);
	st = check(u, why);
	if (st != BOB_OK)
		return st;
	u->has_odd_order = strstr(u->bytes, "scalar_storage_order") != NULL;
	u->is_loose = bob_c_is_loose(options) || strstr(u->bytes, "may_alias");
	find_macros(u);
	return u->is_failed ? complain(why, BOB_ERR_NOMEM, "%s: no memory", path) : BOB_OK;
}

void bob_c_unit_close(struct bob_c_unit *u)
{
	if (u->tu)
		u->clang->disposeTranslationUnit(u->tu);
	if (u->index)
		u->clang->disposeIndex(u->index);
	free(u->bytes);
	free(u->macros.at);
	free(u->obstacles.at);
	free(u->included.at);
	free(u->rows.at);
	free(u->nests.at);
	free(u->units.at);
	free(u->functions.at);
	free(u->sites.at);
	free(u->events.at);
	free(u->edits.at);
	BOB_MAP_FREE(&u->wrapped);
	free(u->ancestors.at);
	bob_c_jumps_free(u);
	bob_c_functions_free(u);
	bob_arena_free(&u->arena);
}

struct bob_c_span bob_c_span(const struct bob_c_unit *u, CXCursor c)
{
	const struct bob_clang *l = u->clang;
	const CXSourceRange r = l->getCursorExtent(c);
	const struct bob_c_span *m;
	struct bob_c_span s = { .start = 0 };
	CXFile first, last;
	unsigned start, end, line, column;

	l->getExpansionLocation(l->getRangeEnd(r), &last, &line, &column, &end);
	l->getExpansionLocation(l->getRangeStart(r), &first, &line, &column, &start);
	s.is_ours = first && last && l->File_isEqual(first, l->getFile(u->tu, u->path)) &&
		    l->File_isEqual(last, first) && end >= start && end <= u->len;
	s.start = start;
	s.end = end;
	s.line = line;
	s.column = column;
	if (!s.is_ours)
		return s;
	s.line = bob_c_line_of(u->sources, line);
	m = bob_c_macro_at(u, s.start);
	if (m && m->start == s.start && s.end <= m->end) {
		s.is_macro = m->is_macro;
		s.end = m->end;
		return s;
	}
	/* libclang places an end in a macro's argument at the start of the use. */
	s.is_plain = s.end > s.start && !(m && m->start != s.start) && !bob_c_macro_at(u, s.end);
	return s;
}

static enum CXChildVisitResult see_child(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_list *l = data;

	(void)parent;
	return BOB_VEC_ADD(l, c) == BOB_OK ? CXChildVisit_Continue : CXChildVisit_Break;
}

struct bob_c_list bob_c_all_children(struct bob_c_unit *u, CXCursor c)
{
	struct bob_c_list list = { .at = NULL };

	if (u->clang->visitChildren(c, see_child, &list))
		u->is_failed = true;
	return list;
}

void bob_c_list_free(struct bob_c_list *l)
{
	free(l->at);
}

struct few {
	CXCursor *to;
	uint32_t count, max;
};

static enum CXChildVisitResult see_few(CXCursor c, CXCursor parent, CXClientData data)
{
	struct few *f = data;

	(void)parent;
	if (f->count < f->max)
		f->to[f->count] = c;
	f->count++;
	return CXChildVisit_Continue;
}

uint32_t bob_c_children(const struct bob_c_unit *u, CXCursor c, CXCursor *to, uint32_t max)
{
	struct few f = { to, 0, max };

	u->clang->visitChildren(c, see_few, &f);
	return f.count;
}

const char *bob_c_text(struct bob_c_unit *u, CXString s)
{
	const char *text = u->clang->getCString(s), *copy;

	copy = bob_arena_text(&u->arena, text ? text : "", text ? strlen(text) : 0);
	u->clang->disposeString(s);
	if (!copy)
		u->is_failed = true;
	return copy ? copy : "";
}

const char *bob_c_spelling(struct bob_c_unit *u, CXCursor c)
{
	return bob_c_text(u, u->clang->getCursorSpelling(c));
}

/* An array parameter is a pointer, but libclang gives it, and values read from it, the declared
 * type. */
static bool is_really_pointer(const struct bob_c_unit *u, CXCursor c)
{
	const struct bob_clang *l = u->clang;
	CXCursor child[1];

	for (;;) {
		switch (l->getCursorKind(c)) {
		case CXCursor_ParenExpr:
			if (bob_c_children(u, c, child, 1) != 1)
				return false;
			c = child[0];
			break;
		case CXCursor_ParmDecl:
			return true;
		case CXCursor_DeclRefExpr:
			return l->getCursorKind(l->getCursorReferenced(c)) == CXCursor_ParmDecl;
		case CXCursor_UnexposedExpr:
		case CXCursor_BinaryOperator:
		case CXCursor_CompoundAssignOperator:
		case CXCursor_ConditionalOperator:
			return true;
		case CXCursor_UnaryOperator:
			/* ++ and -- have the parameter itself as operand; the result of * is a real
			 * array. */
			return bob_c_children(u, c, child, 1) == 1 &&
			       l->getCursorKind(child[0]) == CXCursor_DeclRefExpr &&
			       is_really_pointer(u, child[0]);
		default:
			return false;
		}
	}
}

enum CXTypeKind bob_c_type_kind(const struct bob_c_unit *u, CXCursor c)
{
	const enum CXTypeKind k = u->clang->getCanonicalType(u->clang->getCursorType(c)).kind;

	return bob_c_is_array(k) && is_really_pointer(u, c) ? CXType_Pointer : k;
}

bool bob_c_is_array(enum CXTypeKind k)
{
	return k == CXType_ConstantArray || k == CXType_IncompleteArray ||
	       k == CXType_VariableArray || k == CXType_DependentSizedArray;
}

bool bob_c_is_shared(const struct bob_c_unit *u, CXCursor c)
{
	const struct bob_clang *l = u->clang;
	CXType t = l->getCanonicalType(l->getCursorType(c));

	while (bob_c_is_array(t.kind) && !l->isVolatileQualifiedType(t))
		t = l->getCanonicalType(l->getArrayElementType(t));
	return l->isVolatileQualifiedType(t) || t.kind == CXType_Atomic;
}

uint32_t bob_c_skip_blanks(const struct bob_c_unit *u, uint32_t at)
{
	const char *b = u->bytes;

	while (at < u->len) {
		if (strchr(" \t\r\n\f\v", b[at])) {
			at++;
		} else if (b[at] == '\\' && (b[at + 1] == '\n' || b[at + 1] == '\r')) {
			at += 2;
		} else if (b[at] == '/' && b[at + 1] == '*') {
			const char *end = strstr(b + at + 2, "*/");

			at = end ? (uint32_t)(end - b) + 2 : u->len;
		} else if (b[at] == '/' && b[at + 1] == '/') {
			while (at < u->len && (b[at] != '\n' || b[at - 1] == '\\'))
				at++;
		} else {
			break;
		}
	}
	return at;
}

char *bob_c_printf(struct bob_c_unit *u, const char *format, ...)
{
	va_list args, again;
	int n;
	char *to;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	to = n >= 0 ? bob_arena_alloc(&u->arena, (size_t)n + 1) : NULL;
	if (to)
		vsnprintf(to, (size_t)n + 1, format, again);
	else
		u->is_failed = true;
	va_end(again);
	return to ? to : NULL;
}
