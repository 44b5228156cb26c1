/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which functions can have a copy: a copy must be equivalent for all callers, keep no
 * state, and not depend on its own name or place. If the text does not show this, the function has
 * no copy. It also finds possible unknown callers: such a function keeps its probes, and calls
 * without traced arguments go to a copy, too. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/order.h"
#include "source/c/allocators.h"
#include "source/c/copies.h"

static void rule_out(struct bob_c_function *f, const char *why)
{
	if (!f->why)
		f->why = why;
}

/* Marks the function as having unknown callers, which may pass any arguments. */
static void open_up(struct bob_c_function *f, const char *who)
{
	if (!f->others)
		f->others = who;
}

/* --- statements of the body --- */

struct body {
	struct bob_c_unit *u;
	struct bob_c_function *f;
	uint32_t body;		/* where its body begins */
};

/* A type that is first named among the arguments would be a different type in a copy. */
static void look_at_type(const struct body *b, CXCursor c)
{
	const struct bob_clang *l = b->u->clang;
	const CXCursor decl = l->getCanonicalCursor(l->getCursorReferenced(c));
	unsigned line, column, at;
	CXFile file;

	l->getExpansionLocation(l->getCursorLocation(decl), &file, &line, &column, &at);
	if (file && l->File_isEqual(file, l->getFile(b->u->tu, b->u->path)) &&
	    at >= b->f->span.start && at < b->body)
		rule_out(b->f, "it has a type of its own before its body");
}

static void look_at_variable(const struct body *b, CXCursor c)
{
	if (b->u->clang->Cursor_getStorageClass(c) == CX_SC_Static)
		rule_out(b->f, "it keeps variables from one call to the next");
}

/* __func__ and similar names: libclang shows their text as a child. */
static void look_at_unexposed(const struct body *b, CXCursor c)
{
	CXCursor child[1];

	if (bob_c_is_array(b->u->clang->getCanonicalType(b->u->clang->getCursorType(c)).kind) &&
	    bob_c_children(b->u, c, child, 1) == 1 &&
	    b->u->clang->getCursorKind(child[0]) == CXCursor_StringLiteral)
		rule_out(b->f, "it uses its own name (__func__), possibly in a macro");
}

static enum CXChildVisitResult see(CXCursor c, CXCursor parent, CXClientData data)
{
	const struct body *b = data;

	(void)parent;
	switch (b->u->clang->getCursorKind(c)) {
	case CXCursor_VarDecl:
		look_at_variable(b, c);
		break;
	case CXCursor_TypeRef:
		look_at_type(b, c);
		break;
	case CXCursor_UnexposedExpr:
		look_at_unexposed(b, c);
		break;
	case CXCursor_AddrLabelExpr:
		rule_out(b->f, "it takes the address of a label");
		break;
	case CXCursor_AsmStmt:
		rule_out(b->f, "it has an asm statement");
		break;
	default:
		break;
	}
	return b->f->why ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* --- text of the function --- */

static bool begins_with(const char *at, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Preprocessor lines that may be repeated; `depth` counts conditions. */
static bool is_harmless(const char *directive, int *depth)
{
	static const char *const opens[] = { "if" }, *const goes_on[] = { "el" },
				 *const closes[] = { "endif" },
				 *const same[] = { "pragma", "error", "warning" };

	if (begins_with(directive, opens, 1)) {
		++*depth;
		return true;
	}
	if (begins_with(directive, closes, 1))
		return --*depth >= 0;
	return begins_with(directive, goes_on, 1) ? *depth > 0 : begins_with(directive, same, 3);
}

static bool has_lines_of_preprocessor(const struct bob_c_unit *u, const struct bob_c_span *s)
{
	int depth = 0;

	for (uint32_t i = s->start; i < s->end; i++) {
		uint32_t at = i + 1;

		if (u->bytes[i] != '\n')
			continue;
		at += (uint32_t)strspn(u->bytes + at, " \t");
		if (at >= s->end || u->bytes[at] != '#')
			continue;
		at++;
		at += (uint32_t)strspn(u->bytes + at, " \t");
		if (!is_harmless(u->bytes + at, &depth))
			return true;
	}
	return depth != 0;
}

struct bob_c_span bob_c_body(struct bob_c_unit *u, const struct bob_c_function *f)
{
	struct bob_c_list l = bob_c_all_children(u, f->definition);
	const struct bob_c_span s = l.count ? bob_c_span(u, l.at[l.count - 1]) : f->span;

	bob_c_list_free(&l);
	return s;
}

/* Words whose meaning changes if repeated, or in another function. Macros of headers are not
 * examined. */
static bool has_word(const struct bob_c_unit *u, uint32_t start, uint32_t end)
{
	static const char *const words[] = { "__COUNTER__", "__builtin_FUNCTION" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = strstr(u->bytes + start, words[i]);

		if (at && at < u->bytes + end)
			return true;
	}
	return false;
}

static bool has_macro(const struct bob_c_unit *u, const struct bob_c_span *s)
{
	for (size_t i = 0; i < u->macros.count; i++)
		if (u->macros.at[i].start >= s->start && u->macros.at[i].start < s->end)
			return true;
	return false;
}

static void look_at_text(struct bob_c_unit *u, struct bob_c_function *f)
{
	struct bob_c_span body;

	if (!f->span.is_ours) {
		rule_out(f, "it is in an included file");
		return;
	}
	body = bob_c_body(u, f);
	if (!f->span.is_plain || bob_c_macro_at(u, f->span.start) || f->name_at == UINT32_MAX ||
	    !body.is_plain || body.start <= f->name_at || body.end != f->span.end ||
	    u->bytes[body.start] != '{')
		rule_out(f, "part of its text is in a macro");
	else if (memchr(u->bytes + f->span.start, '{', body.start - f->span.start))
		rule_out(f, "it has a type of its own before its body");
	else if (has_lines_of_preprocessor(u, &f->span))
		rule_out(f, "the preprocessor has lines in it");
	else if (has_word(u, f->span.start, f->span.end) ||
		 (has_word(u, 0, u->len) && has_macro(u, &f->span)))
		rule_out(f, "it uses its own name or __COUNTER__, possibly in a macro");
}

/* --- declarations --- */

static bool is_for_library(const struct bob_c_unit *u)
{
	for (uint32_t i = 0; i < u->options->flag_count; i++)
		if (!strcmp(u->options->flags[i], "-fPIC") ||
		    !strcmp(u->options->flags[i], "-fpic"))
			return true;
	return false;
}

static bool has_attribute(const char *text, const char *name)
{
	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
		if (at > text && (at[-1] == '(' || at[-1] == ':'))
			return true;
	return false;
}

/* True if a declaration has attributes that `own`, the printed definition, lacks. */
static bool has_more_attributes(struct bob_c_unit *u, const char *text, const char *own)
{
	static const char begin[] = "__attribute__((";

	for (const char *at = strstr(text, begin); at; at = strstr(at + 1, begin)) {
		const char *end = strstr(at, "))");
		const char *one = bob_c_printf(u, "%.*s", end ? (int)(end - at) : 0, at);

		if (!end || !one || !strstr(own, one))
			return true;
	}
	return strstr(text, "[[") && strcmp(text, own) != 0;
}

static void look_at_declaration(struct bob_c_unit *u, struct bob_c_function *f)
{
	static const char *const attributes[] = { "constructor", "destructor", "weak",	"alias",
						  "ifunc",	 "naked",      "used",	"interrupt",
						  "cleanup",	 "target_clones", "gnu_inline",
						  "returns_twice" };
	const CXType type = u->clang->getCursorType(f->decl);
	const char *own = bob_c_declaration(u, f->definition);

	for (const struct bob_c_declared *d = f->declared; d; d = d->next) {
		const char *text = bob_c_declaration(u, d->decl);

		for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
			if (has_attribute(text, attributes[i]))
				rule_out(f,
					 bob_c_printf(u, "it has the attribute %s", attributes[i]));
		if (has_more_attributes(u, text, own))
			rule_out(f, "a declaration has an attribute that its definition has not");
	}
	if (u->clang->isFunctionTypeVariadic(type))
		rule_out(f, "it has a variable number of arguments");
	if (u->clang->getNumArgTypes(type) > 63)
		rule_out(f, "it has too many arguments");
	if (f->is_linked && u->clang->Cursor_isFunctionInlined(f->definition))
		rule_out(f, "it is inline, and other files may have one of the same name");
	if (f->is_linked && f->is_of_library)
		rule_out(f, "a library may call it");
	if (f->is_linked && f->others && is_for_library(u))
		rule_out(f, "another definition may replace it (-fPIC)");
}

/* --- references --- */

BOB_COMPARE_POINTERS(by_name, struct bob_c_function, BOB_TEXT(name))

struct word {
	const char *at;
	size_t len;
};

static int compare_word(const void *key, const void *element)
{
	const struct word *w = key;
	const char *name = (*(struct bob_c_function *const *)element)->name;
	const int order = strncmp(w->at, name, w->len);

	return order ? order : -(name[w->len] != 0);
}

/* Functions sorted by name; the caller frees it. Names redeclared in a block occur twice. */
struct names {
	struct bob_c_function **at;
	size_t count;
};

static void look_at_word(struct bob_c_unit *u, const struct names *n, uint32_t at, uint32_t len)
{
	const struct word w = { u->bytes + at, len };
	struct bob_c_function **f = bsearch(&w, n->at, n->count, sizeof(*n->at), compare_word);
	const char *const why = "it is named elsewhere than in calls";

	if (!f ||
	    bsearch(&at, u->copies->named.at, u->copies->named.count, sizeof(at), bob_compare_u32))
		return;
	while (f > n->at && !compare_word(&w, f - 1))
		f--;
	for (; f < n->at + n->count && !compare_word(&w, f); f++)
		open_up(*f, why);
}

static uint32_t after_comment(const struct bob_c_unit *u, uint32_t at)
{
	return u->bytes[at] == '/' && (u->bytes[at + 1] == '/' || u->bytes[at + 1] == '*') ?
		       bob_c_skip_blanks(u, at) :
		       at;
}

/* The offset after a string literal that begins at `at`. */
static uint32_t after_text(const struct bob_c_unit *u, uint32_t at)
{
	const char quote = u->bytes[at];

	for (at++; at < u->len && u->bytes[at] != quote && u->bytes[at] != '\n'; at++)
		at += u->bytes[at] == '\\' && at + 1 < u->len;
	return at < u->len ? at + 1 : u->len;
}

/* True if string literals may be names: of an alias, or in assembler code. */
static bool is_text_read(const struct bob_c_unit *u)
{
	static const char *const words[] = { "asm", "alias", "ifunc", "weakref", "_Pragma" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(u->bytes, words[i]))
			return true;
	return false;
}

/* Finds words that are a function's name outside of its declarations and calls. */
static void look_at_words(struct bob_c_unit *u, const struct names *n)
{
	const bool reads_texts = is_text_read(u);
	uint32_t at = 0;

	while (at < u->len) {
		const char c = u->bytes[at];
		uint32_t to = after_comment(u, at);

		if (to == at && (c == '"' || c == '\'') && !reads_texts)
			to = after_text(u, at);
		if (to == at && bob_is_word(c)) {
			while (to < u->len && bob_is_word(u->bytes[to]))
				to++;
			look_at_word(u, n, at, to - at);
		}
		at = to > at ? to : at + 1;
	}
}

static void look_at_names(struct bob_c_unit *u)
{
	struct bob_c_copies *k = u->copies;
	struct names n = { calloc(k->functions.count + 1, sizeof(*n.at)), 0 };

	if (!n.at) {
		u->is_failed = true;
		return;
	}
	for (size_t i = 0; i < k->functions.count; i++)
		if (k->functions.at[i]->is_defined)
			n.at[n.count++] = k->functions.at[i];
	if (n.count)
		qsort(n.at, n.count, sizeof(*n.at), by_name);
	if (k->named.count)
		qsort(k->named.at, k->named.count, sizeof(*k->named.at), bob_compare_u32);
	look_at_words(u, &n);
	free(n.at);
}

/* True if the definition becomes a prototype when its body is replaced by a semicolon. */
static bool is_prototype(struct bob_c_unit *u, const struct bob_c_function *f)
{
	uint32_t at = bob_c_body(u, f).start;

	while (at > f->span.start && strchr(" \t\r\n", u->bytes[at - 1]))
		at--;
	return at > f->span.start && u->bytes[at - 1] == ')';
}

static void look_at_call(struct bob_c_unit *u, const struct bob_c_call *call)
{
	struct bob_c_function *to = call->to;

	if (call->at == UINT32_MAX)
		open_up(to, "a macro or an included file has a call of it");
	else if (!call->from)
		open_up(to, "it is called outside of functions");
	else if (to->known_from >= call->from->number &&
		 (to != call->from || (!to->why && !is_prototype(u, to))))
		rule_out(to, "it is called before it is declared");
}

/* --- the whole program --- */

static bool is_library(const char *name)
{
	static const char *const begins[] = { "MPI_", "PMPI_", "__builtin_", "__sync_", "__atomic_",
					      "omp_", "pvm_" };

	return begins_with(name, begins, sizeof(begins) / sizeof(begins[0]));
}

static bool is_foreign(struct bob_c_unit *u, const struct bob_c_variable *v)
{
	return v->is_linked && !v->is_defined &&
	       !u->clang->Location_isInSystemHeader(u->clang->getCursorLocation(v->decl));
}

/* A reason why code of another file may call functions of this one with traced arguments. NULL: the
 * whole program is visible. */
static const char *foreign(struct bob_c_unit *u)
{
	const struct bob_c_copies *k = u->copies;
	const char *name = NULL;
	bool has_main = false;

	for (size_t i = 0; i < k->functions.count; i++) {
		const struct bob_c_function *f = k->functions.at[i];

		has_main |= f->is_defined && !strcmp(f->name, "main");
		if (!name && f->uses && !f->is_defined && !f->is_of_library && !is_library(f->name))
			name = f->name;
	}
	for (const struct bob_c_variable *v = u->variables; v && !name; v = v->later)
		if (is_foreign(u, v))
			name = v->name;
	if (name)
		return bob_c_printf(
			u, "%s, which no file of the command has, may pass on traced variables",
			name);
	return has_main ? NULL : "main is in no file of the command, and may pass what is traced";
}

void bob_c_copyable(struct bob_c_unit *u)
{
	struct bob_c_copies *k = u->copies;
	const char *const arguments =
		u->options->has_arguments || bob_c_has_arguments(u) ?
			"a pointer argument was requested and may refer to anything" :
			NULL;
	const char *const others =
		u->options->has_other_files ? "other files of the command may call it" : foreign(u);

	for (size_t i = 0; i < k->calls.count; i++)
		if (k->calls.at[i].to->is_defined)
			look_at_call(u, &k->calls.at[i]);
	look_at_names(u);
	for (size_t i = 0; i < k->functions.count; i++) {
		struct bob_c_function *f = k->functions.at[i];
		struct body b = { u, f, 0 };

		if (!f->is_defined)
			continue;
		if (arguments)
			rule_out(f, arguments);
		if (f->is_linked && others)
			open_up(f, others);
		if (f->uses != f->calls)
			open_up(f, "it is named elsewhere than in calls");
		look_at_text(u, f);
		look_at_declaration(u, f);
		if (!f->why) {
			b.body = bob_c_body(u, f).start;
			u->clang->visitChildren(f->definition, see, &b);
		}
	}
}
