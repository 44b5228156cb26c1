/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings about accesses that probes cannot see: variables passed to functions that are in no file
 * of the command; pointers whose value comes from a function that is not a known allocator, so
 * their target is unknown; paths to pointers that never get memory; files of the command that are
 * not instrumented. There is one line for each variable that was requested by name, and one for all
 * that `*` matches. */
#include <string.h>

#include "source/c/allocators.h"
#include "source/c/copies.h"
#include "source/c/given.h"

#define SHOWN 8u		/* functions listed in a line */

enum kind { GIVEN, PERHAPS_GIVEN, GETS };

struct name {
	struct name *next;
	const char *text;
};

struct bob_c_given {
	struct bob_c_given *next;
	enum kind kind;
	const char *name;	/* "": all that `*` matches */
	uint32_t line;
	struct name *functions;	/* each once, in the order of occurrence */
};

/* --- notes --- */

static struct bob_c_given *find(struct bob_c_unit *u, enum kind kind, const char *name,
				uint32_t line)
{
	struct bob_c_given **to = &u->given;

	for (; *to; to = &(*to)->next)
		if ((*to)->kind == kind && !strcmp((*to)->name, name))
			return *to;
	*to = bob_arena_alloc(&u->arena, sizeof(**to));
	u->is_failed |= !*to;
	if (*to)
		**to = (struct bob_c_given){ .kind = kind, .name = name, .line = line };
	return *to;
}

/* Adds a note. Accesses in system headers (`inline` functions of stdio.h) are ignored. */
static void note(struct bob_c_unit *u, enum kind kind, const char *name, CXCursor call)
{
	const struct bob_clang *l = u->clang;
	const uint32_t line = bob_c_span(u, call).line;
	const char *function = bob_c_callee(u, call);
	struct bob_c_given *g;
	struct name **to;

	if (l->Location_isInSystemHeader(l->getCursorLocation(call)))
		return;
	g = find(u, kind, name, bob_c_file(line) ? 0 : bob_c_line(line));
	if (!g)
		return;
	to = &g->functions;
	if (!*function)
		function = "a function";
	for (; *to; to = &(*to)->next)
		if (!strcmp((*to)->text, function))
			return;
	*to = bob_arena_alloc(&u->arena, sizeof(**to));
	u->is_failed |= !*to;
	if (*to)
		**to = (struct name){ NULL, function };
}

/* The requested name that matches it. NULL: none; "": only `*`. */
static const char *asked_name(const struct bob_c_unit *u, const struct bob_c_variable *v)
{
	const char *name = NULL;

	for (uint32_t i = 0; i < u->options->request_count; i++) {
		const struct bob_source_c_request *w = &u->options->requests[i];

		if (bob_c_is_request_of(w, v))
			name = strcmp(w->name, "*") != 0 ? v->name : name ? name : "";
	}
	return name;
}

static const char *asked_path(struct bob_c_unit *u, const struct bob_c_path *p)
{
	const char *name = NULL;

	for (uint32_t i = 0; i < u->options->request_count; i++) {
		const struct bob_source_c_request *w = &u->options->requests[i];

		if (bob_c_is_request_of_path(u, w, p))
			name = w->path || strcmp(w->name, "*") != 0 ? p->name : name ? name : "";
	}
	return name;
}

static bool is_silent(const struct bob_c_unit *u)
{
	return u->is_scan || u->nest || (u->copies && u->copies->is_trial);
}

/* --- arguments of calls --- */

static bool is_known_elsewhere(const struct bob_c_unit *u, const char *name)
{
	for (uint32_t i = 0; i < u->options->function_count; i++)
		if (!strcmp(u->options->functions[i], name))
			return true;
	return false;
}

/* A named function that has probes in no file of the command. */
static bool is_unseen(struct bob_c_unit *u, CXCursor call)
{
	const struct bob_clang *l = u->clang;
	const CXCursor decl = l->getCursorReferenced(call);
	CXCursor definition;
	const char *name;

	if (l->Cursor_isNull(decl) || l->getCursorKind(decl) != CXCursor_FunctionDecl)
		return false;
	definition = l->getCursorDefinition(decl);
	if (!l->Cursor_isNull(definition))
		return l->Location_isInSystemHeader(l->getCursorLocation(definition));
	if (l->Location_isInSystemHeader(l->getCursorLocation(decl)))
		return true;
	name = bob_c_spelling(u, decl);
	return !u->options->has_unread && !is_known_elsewhere(u, name) &&
	       strcmp(name, "__builtin_prefetch") != 0;
}

/* True for pointers to numbers and pointers. Pointers to characters may refer to anything. */
static bool is_informative(CXType t)
{
	return t.kind == CXType_Bool || (t.kind >= CXType_Char16 && t.kind <= CXType_UInt128) ||
	       (t.kind >= CXType_WChar && t.kind <= CXType_LongDouble) || t.kind == CXType_Pointer;
}

/* Passes the address of `c`, or of the first element of the array `c`. */
static void give_object(struct bob_c_unit *u, CXCursor call, CXCursor c)
{
	struct bob_c_lvalue lv;
	enum bob_c_verdict verdict;
	const char *name = NULL;
	CXType t = u->clang->getCanonicalType(u->clang->getCursorType(c));

	bob_c_lvalue_find(u, c, &lv);
	verdict = bob_c_judge(u, &lv, c, bob_c_span(u, c).line);
	if (verdict == BOB_C_NOT_ASKED || verdict == BOB_C_DROPPED)
		return;
	if (lv.path)
		name = asked_path(u, lv.path);
	if (!name && lv.variable)
		name = asked_name(u, lv.variable);
	while (bob_c_is_array(t.kind))
		t = u->clang->getCanonicalType(u->clang->getArrayElementType(t));
	if (name || is_informative(t))
		note(u, name ? GIVEN : PERHAPS_GIVEN, name ? name : "", call);
}

static void give_pointer(struct bob_c_unit *u, CXCursor call, CXCursor c)
{
	const struct bob_c_variable *v = bob_c_variable_of(u, c);
	const char *name = v && v->is_pointer ? asked_name(u, v) : NULL;
	struct bob_c_path p;
	CXType to;

	if (!name && bob_c_path_of(u, c, &p))
		name = asked_path(u, &p);
	if (name) {
		note(u, GIVEN, name, call);
		return;
	}
	to = u->clang->getCanonicalType(
		u->clang->getPointeeType(u->clang->getCanonicalType(u->clang->getCursorType(c))));
	if (is_informative(to) && bob_c_may_alias(u, to))
		note(u, PERHAPS_GIVEN, "", call);
}

static void give(struct bob_c_unit *u, CXCursor call, CXCursor c)
{
	CXCursor child[2];
	uint32_t n;

	for (;;) {
		c = bob_c_bare(u, c);
		n = bob_c_children(u, c, child, 2);
		if (u->clang->getCursorKind(c) == CXCursor_UnaryOperator && n == 1 &&
		    bob_c_is_address(u, c)) {
			give_object(u, call, bob_c_bare(u, child[0]));
			return;
		}
		if (u->clang->getCursorKind(c) != CXCursor_BinaryOperator || n != 2 ||
		    bob_c_is_lvalue(u, child[0]))
			break;
		/* p + i, i + p */
		c = bob_c_type_kind(u, bob_c_bare(u, child[1])) == CXType_Pointer ||
				    bob_c_is_array(bob_c_type_kind(u, bob_c_bare(u, child[1]))) ?
			    child[1] :
			    child[0];
	}
	if (!bob_c_is_lvalue(u, c))
		return;
	if (bob_c_is_array(bob_c_type_kind(u, c)))
		give_object(u, call, c);
	else
		give_pointer(u, call, c);
}

void bob_c_given_call(struct bob_c_unit *u, CXCursor call)
{
	const struct bob_source_c_allocator *a;
	struct bob_c_list l;

	if (is_silent(u) || !is_unseen(u, call))
		return;
	a = bob_c_allocator(u, call);
	l = bob_c_all_children(u, call);
	for (size_t i = 1; i < l.count; i++)
		if (bob_c_type_kind(u, l.at[i]) == CXType_Pointer && (!a || a->old != i - 1))
			give(u, call, l.at[i]);
	bob_c_list_free(&l);
}

/* --- origins of values --- */

static bool is_call(struct bob_c_unit *u, CXCursor value)
{
	return u->clang->getCursorKind(value) == CXCursor_CallExpr &&
	       bob_c_type_kind(u, value) == CXType_Pointer;
}

void bob_c_given_variable(struct bob_c_unit *u, const struct bob_c_variable *v, CXCursor value)
{
	const CXCursor call = bob_c_bare(u, value);
	const char *name;

	if (is_silent(u) || !v->is_pointer || !is_call(u, call))
		return;
	name = asked_name(u, v);
	if (!name && v->passes_to && !v->passes_to_many)
		name = asked_path(u, v->passes_to);
	if (name)
		note(u, GETS, name, call);
}

void bob_c_given_path(struct bob_c_unit *u, CXCursor to, CXCursor value)
{
	const CXCursor call = bob_c_bare(u, value);
	struct bob_c_path p;
	const char *name;

	if (is_silent(u) || !is_call(u, call) || !bob_c_path_of(u, to, &p))
		return;
	name = asked_path(u, &p);
	if (name)
		note(u, GETS, name, call);
}

/* --- messages --- */

static const char *list(struct bob_c_unit *u, const struct name *first)
{
	const char *text = "";
	uint32_t n = 0;

	for (const struct name *f = first; f && text; f = f->next, n++)
		if (n < SHOWN)
			text = bob_c_printf(u, "%s%s%s", text, n ? ", " : "", f->text);
	return n > SHOWN && text ? bob_c_printf(u, "%s and %u more", text, n - SHOWN) : text;
}

static const char *text_of(struct bob_c_unit *u, const struct bob_c_given *g)
{
	const bool is_one = g->functions && !g->functions->next;
	const char *functions = list(u, g->functions), *who = g->name;

	if (g->kind == GETS)
		return bob_c_printf(u,
				    "%s from %s, which %s that was named: what it leads to is not "
				    "recorded",
				    *who ? bob_c_printf(u, "%s gets its value", who) :
					   "a requested pointer is assigned here",
				    functions, is_one ? "is no allocator" : "are no allocators");
	if (g->kind == PERHAPS_GIVEN)
		who = "a pointer that may refer to a requested variable";
	else if (!*who)
		who = "what was asked for";
	return bob_c_printf(u,
			    "%s is given to %s, which is in no file of the command: accesses there "
			    "are not recorded",
			    who, functions);
}

/* Does a pointer of this path get memory in the file, or a value with its own message? */
static bool has_memory(struct bob_c_unit *u, const struct bob_source_c_request *w)
{
	for (const struct bob_c_path *p = u->paths; p; p = p->next) {
		if (!bob_c_is_request_of_path(u, w, p))
			continue;
		if (p->is_used)
			return true;
		for (const struct bob_c_given *g = u->given; g; g = g->next)
			if (g->kind == GETS && !strcmp(g->name, p->name))
				return true;
	}
	return false;
}

uint32_t bob_c_given_remarks(struct bob_c_unit *u, struct bob_source_c_refused **out)
{
	uint32_t n = 0, capacity = u->options->request_count + u->options->left_count + 1;

	for (const struct bob_c_given *g = u->given; g; g = g->next)
		capacity++;
	*out = bob_arena_alloc(&u->arena, capacity * sizeof(**out));
	u->is_failed |= !*out;
	for (const struct bob_c_given *g = u->given; g && *out; g = g->next)
		(*out)[n++] = (struct bob_source_c_refused){
			.line = g->line, .why = bob_c_printf(u, "%s", text_of(u, g))
		};
	for (uint32_t i = 0; i < u->options->left_count && *out; i++)
		(*out)[n++] = (struct bob_source_c_refused){
			.why = bob_c_printf(u, "another file has no probes: %s",
					    u->options->left[i])
		};
	for (uint32_t i = 0; i < u->options->request_count && *out; i++) {
		const struct bob_source_c_request *w = &u->options->requests[i];

		if (w->what == BOB_SOURCE_C_VARIABLE && w->path && !w->is_of_another &&
		    !has_memory(u, w))
			(*out)[n++] = (struct bob_source_c_refused){
				.why = bob_c_printf(u,
						    "%s%s: nothing in this file is known to give "
						    "it memory, so no access is recorded here",
						    w->name, w->path)
			};
	}
	return n;
}
